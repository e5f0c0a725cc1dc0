import { signDistances, signWords } from "./sign-scan.ts";

/** Candidates by their signs that are compared by their numbers. */
const CANDIDATES = 500;
/** So few are compared by their numbers at once. */
const FEW = 2_000;

export interface Near {
  slot: number;
  cosine: number;
}

/** Vectors of one model by slot, as signed bytes; their signs find candidates. All are looked at: no answer is missed. */
export class Vectors {
  readonly fingerprint: string;
  width = 0;
  count = 0;
  #bytes = new Int8Array(0);
  #signs = new Int32Array(0);
  /** Lengths of the vectors; 0 where there is none. */
  #lengths = new Float32Array(0);

  constructor(fingerprint: string, kept?: VectorsParts) {
    this.fingerprint = fingerprint;
    if (kept === undefined || kept.bytes.length === 0) return;
    this.width = kept.bytes.length / kept.slots;
    for (let slot = 0; slot < kept.slots; slot++)
      this.set(slot, kept.bytes.subarray(slot * this.width, (slot + 1) * this.width));
  }

  get bytes(): number {
    return this.#bytes.byteLength + this.#signs.byteLength + this.#lengths.byteLength;
  }

  set(slot: number, vector: Int8Array): void {
    if (this.width === 0) this.width = vector.length;
    if (vector.length !== this.width) return;
    if (slot >= this.#lengths.length) this.#grow(slot + 1);
    let sum = 0;
    for (const value of vector) sum += value * value;
    if (sum === 0) return;
    if (this.#lengths[slot] === 0) this.count += 1;
    this.#lengths[slot] = Math.sqrt(sum);
    this.#bytes.set(vector, slot * this.width);
    this.#signs.set(signsOf(vector), slot * signWords(this.width));
  }

  clear(slot: number): void {
    if (!this.has(slot)) return;
    this.#lengths[slot] = 0;
    this.count -= 1;
  }

  has(slot: number): boolean {
    return (this.#lengths[slot] ?? 0) > 0;
  }

  /** Of a vector of length 1 with that of a slot; 0 where there is none. */
  cosine(query: Float32Array, slot: number): number {
    if (!this.has(slot) || query.length !== this.width) return 0;
    const bytes = this.#bytes;
    let sum = 0;
    for (let i = 0, at = slot * this.width; i < query.length; i++, at++) sum += query[i]! * bytes[at]!;
    return sum / this.#lengths[slot]!;
  }

  /** The nearest `k` of those that the mask lets through, nearest first. */
  search(query: Float32Array, mask: Uint8Array, k: number): Near[] {
    if (query.length !== this.width) return [];
    const slots = this.count <= FEW ? this.#all(mask) : this.#candidates(query, mask);
    const near = Array.from(slots, (slot) => ({ slot, cosine: this.cosine(query, slot) }));
    return near.sort((a, b) => b.cosine - a.cosine).slice(0, k);
  }

  #all(mask: Uint8Array): number[] {
    const slots: number[] = [];
    for (let slot = 0; slot < this.#lengths.length; slot++)
      if (this.#lengths[slot]! > 0 && mask[slot] === 1) slots.push(slot);
    return slots;
  }

  /** Those whose signs differ in the fewest places. */
  #candidates(query: Float32Array, mask: Uint8Array): number[] {
    const lengths = this.#lengths;
    const distances = signDistances(signsOf(query), this.#signs, Math.min(lengths.length, mask.length));
    const counts = new Uint32Array(this.width + 1);
    for (let slot = 0; slot < distances.length; slot++)
      if (mask[slot] === 1 && lengths[slot]! > 0) counts[distances[slot]!]! += 1;
    let [farthest, sum] = [0, 0];
    while (farthest < this.width && sum + counts[farthest]! < CANDIDATES) sum += counts[farthest++]!;
    const slots: number[] = [];
    for (let slot = 0; slot < distances.length; slot++)
      if (distances[slot]! <= farthest && mask[slot] === 1 && lengths[slot]! > 0) slots.push(slot);
    return slots;
  }

  /** Slot by slot from these, in this order. */
  moved(from: Uint32Array): Vectors {
    const moved = new Vectors(this.fingerprint);
    for (const [to, slot] of from.entries())
      if (this.has(slot)) moved.set(to, this.#bytes.subarray(slot * this.width, (slot + 1) * this.width));
    return moved;
  }

  parts(slots: number): VectorsParts {
    if (this.count === 0) return { slots, bytes: new Int8Array(0) };
    if (slots > this.#lengths.length) this.#grow(slots);
    const bytes = this.#bytes.slice(0, slots * this.width);
    for (let slot = 0; slot < slots; slot++)
      if (!this.has(slot)) bytes.fill(0, slot * this.width, (slot + 1) * this.width);
    return { slots, bytes };
  }

  #grow(least: number): void {
    const slots = Math.max(least, Math.ceil(this.#lengths.length * 1.5));
    const bytes = new Int8Array(slots * this.width);
    const signs = new Int32Array(slots * signWords(this.width));
    const lengths = new Float32Array(slots);
    bytes.set(this.#bytes);
    signs.set(this.#signs);
    lengths.set(this.#lengths);
    [this.#bytes, this.#signs, this.#lengths] = [bytes, signs, lengths];
  }
}

export interface VectorsParts {
  slots: number;
  bytes: Int8Array;
}

function signsOf(vector: Int8Array | Float32Array): Int32Array {
  const signs = new Int32Array(signWords(vector.length));
  for (let i = 0; i < vector.length; i++) if (vector[i]! > 0) signs[i >> 5]! |= 1 << (i & 31);
  return signs;
}
