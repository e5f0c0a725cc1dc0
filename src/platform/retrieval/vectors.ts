/** Candidates by their signs that are compared by their numbers. */
const CANDIDATES = 500;
/** So few are compared by their numbers at once. */
const FEW = 2_000;

interface Near {
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

/** Slots whose signs are compared at once: they and their distances fit into the processor's cache. */
const BLOCK = 1_024;
/** Where the question's signs, the distances and the signs of a block are in the module's memory. */
const ASKED = 0;
const DISTANCES = 32_768;
const SIGNS = DISTANCES + 2 * BLOCK;
const PAGE_BYTES = 65_536;
/** Words of 32 bits that are compared by one instruction; signs are filled up to it. */
const LANES = 4;

/** Codes of WebAssembly. */
const [VOID, I32, V128, LOOP, END, AGAIN_IF, CONST, ADD, SUB, LESS, SIMD] = [
  0x40, 0x7f, 0x7b, 0x03, 0x0b, 0x0d, 0x41, 0x6a, 0x6b, 0x48, 0xfd,
];
const [GET, SET, TEE] = [0x20, 0x21, 0x22];
const [LOAD, ZERO, LANE, XOR, POPCNT, PAIRS_OF_8, PAIRS_OF_16] = [0x00, 0x0c, 0x1b, 0x51, 0x62, 0x7d, 0x7f];
const [ADD_16, STORE_16] = [[0x8e, 0x01], 0x3b];
/** Parameters and variables of the function below, by their numbers. */
const [FROM, TO, STRIDE, OUT, AT, UNTIL, SUM] = [0, 1, 2, 3, 4, 5, 6];

/**
 * `scan(from, to, stride, out)`, in instructions that take 16 bytes at a time, which JavaScript has not: for each
 * stretch of `stride` bytes between `from` and `to`, in how many bits it differs from the question's.
 */
const BODY = [
  ...[2, 2, I32, 1, V128],
  ...[LOOP, VOID],
  ...[GET, FROM, SET, AT, GET, FROM, GET, STRIDE, ADD, SET, UNTIL], // at = from; until = from + stride
  ...[SIMD, ZERO, ...new Array<number>(16).fill(0), SET, SUM],
  ...[LOOP, VOID],
  ...[GET, SUM],
  ...[GET, AT, SIMD, LOAD, 0, 0], // 16 bytes of the stretch
  ...[GET, AT, GET, FROM, SUB, SIMD, LOAD, 0, ASKED], // the same of the question
  ...[SIMD, XOR, SIMD, POPCNT, SIMD, PAIRS_OF_8, SIMD, ...ADD_16, SET, SUM], // sum += bits that differ, in 8 lanes
  ...[GET, AT, CONST, 16, ADD, TEE, AT, GET, UNTIL, LESS, AGAIN_IF, 0, END], // at += 16; while at < until
  ...[GET, OUT, GET, SUM, SIMD, PAIRS_OF_16, TEE, SUM, SIMD, LANE, 0], // now in 4 lanes, which are added up
  ...[1, 2, 3].flatMap((lane) => [GET, SUM, SIMD, LANE, lane, ADD]),
  ...[STORE_16, 0, 0],
  ...[GET, OUT, CONST, 2, ADD, SET, OUT], // out += 2
  ...[GET, UNTIL, TEE, FROM, GET, TO, LESS, AGAIN_IF, 0, END, END], // from = until; while from < to
];

interface Scan {
  memory: { buffer: ArrayBuffer; grow(pages: number): number };
  scan(from: number, to: number, stride: number, out: number): void;
}

/** What is used of it; the types of Node have it without its values. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

function section(kind: number, content: readonly number[]): number[] {
  return [kind, ...size(content.length), ...content];
}

function size(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...size(value >> 7)];
}

function text(value: string): number[] {
  return [value.length, ...Buffer.from(value)];
}

function compiled(): Scan {
  const bytes = Uint8Array.of(
    ...Buffer.from("\0asm\x01\0\0\0"),
    ...section(1, [1, 0x60, 4, I32, I32, I32, I32, 0]), // the type of the function
    ...section(3, [1, 0]),
    ...section(5, [1, 0, ...size(1)]), // one memory
    ...section(7, [2, ...text("memory"), 2, 0, ...text("scan"), 0, 0]),
    ...section(10, [1, ...size(BODY.length), ...BODY]),
  );
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as Scan;
}

let kept: Scan | undefined;

/** Words of 32 bits that signs of so many dimensions take. */
export function signWords(width: number): number {
  return LANES * Math.ceil(width / 32 / LANES);
}

/** In how many places the signs of each of `count` slots differ from those that are asked for. */
export function signDistances(asked: Int32Array, signs: Int32Array, count: number): Uint16Array {
  kept ??= compiled();
  const { memory, scan } = kept;
  const words = asked.length;
  const needed = SIGNS + BLOCK * words * 4 - memory.buffer.byteLength;
  if (needed > 0) memory.grow(Math.ceil(needed / PAGE_BYTES));
  new Int32Array(memory.buffer, ASKED, words).set(asked);
  const block = new Int32Array(memory.buffer, SIGNS, BLOCK * words);
  const found = new Uint16Array(memory.buffer, DISTANCES, BLOCK);
  const distances = new Uint16Array(count);
  for (let at = 0; at < count; at += BLOCK) {
    const some = Math.min(BLOCK, count - at);
    block.set(signs.subarray(at * words, (at + some) * words));
    scan(SIGNS, SIGNS + some * words * 4, words * 4, DISTANCES);
    distances.set(found.subarray(0, some), at);
  }
  return distances;
}
