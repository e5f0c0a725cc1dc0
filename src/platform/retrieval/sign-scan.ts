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
