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
    this.#signs.set(signsOf(vector), slot * wordsOf(this.width));
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
    const words = wordsOf(this.width);
    const asked = signsOf(query);
    const signs = this.#signs;
    const lengths = this.#lengths;
    const counts = new Uint32Array(words * 32 + 1);
    const distances = new Uint16Array(lengths.length).fill(0xffff);
    for (let slot = 0; slot < distances.length; slot++) {
      if (lengths[slot] === 0 || mask[slot] === 0) continue;
      const distance = differing(asked, signs, slot * words);
      distances[slot] = distance;
      counts[distance]! += 1;
    }
    let [farthest, sum] = [0, 0];
    while (farthest < counts.length - 1 && sum + counts[farthest]! < CANDIDATES) sum += counts[farthest++]!;
    const slots: number[] = [];
    for (let slot = 0; slot < distances.length; slot++) if (distances[slot]! <= farthest) slots.push(slot);
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
    const signs = new Int32Array(slots * wordsOf(this.width));
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

function wordsOf(width: number): number {
  return Math.ceil(width / 32);
}

function signsOf(vector: Int8Array | Float32Array): Int32Array {
  const signs = new Int32Array(wordsOf(vector.length));
  for (const [i, value] of vector.entries()) if (value > 0) signs[i >> 5]! |= 1 << (i & 31);
  return signs;
}

/** In how many bits words differ: counted side by side in the bytes of one number, which are added last. */
function differing(asked: Int32Array, signs: Int32Array, from: number): number {
  let total = 0;
  let sums = 0;
  for (let i = 0; i < asked.length; i++) {
    const word = asked[i]! ^ signs[from + i]!;
    // `| 0` keeps the engine at whole numbers of 32 bits, which is faster.
    const pairs = (word - ((word >>> 1) & 0x55555555)) | 0;
    const fours = ((pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)) | 0;
    sums = (sums + ((fours + (fours >>> 4)) & 0x0f0f0f0f)) | 0;
    // No byte may count beyond 255; each word adds 8 at most.
    if ((i & 15) === 15) {
      total += bytesOf(sums);
      sums = 0;
    }
  }
  return total + bytesOf(sums);
}

function bytesOf(sums: number): number {
  return (sums & 0xff) + ((sums >>> 8) & 0xff) + ((sums >>> 16) & 0xff) + (sums >>> 24);
}
