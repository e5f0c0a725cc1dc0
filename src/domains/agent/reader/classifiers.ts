import { brotliCompressSync, brotliDecompressSync } from "node:zlib";

/** Softmax regressions over the same sparse features: choices of one each. */
export interface LinearModel {
  /** How many choices each of them has. */
  widths: number[];
  /** Places of features by their hash; what is not in it weighs nothing. */
  vocabulary: ReadonlyMap<number, number>;
  /** By feature, then choice. */
  weights: Float32Array;
}

/** Boosted trees, each complete to its depth: node `n` leads to `2n + 1` and `2n + 2`. */
export interface TreeModel {
  base: number;
  /** Nodes of one tree. */
  size: number;
  /** The feature that is asked for; `LEAF` where none is. */
  features: Uint8Array;
  thresholds: Float32Array;
  values: Float32Array;
}

export const LEAF = 255;

/** The likelihood of each choice, for each of the regressions. */
export function choose({ widths, vocabulary, weights }: LinearModel, grams: readonly number[]): number[][] {
  const width = widths.reduce((a, b) => a + b, 0);
  const sums = new Float64Array(width);
  for (const gram of grams) {
    const place = vocabulary.get(gram);
    if (place === undefined) continue;
    for (let i = 0; i < width; i += 1) sums[i] = (sums[i] as number) + (weights[place * width + i] as number);
  }
  let start = 0;
  return widths.map((own) => {
    const part = [...sums.subarray(start, start + own)];
    start += own;
    return softmax(part);
  });
}

export function softmax(values: readonly number[]): number[] {
  const most = Math.max(...values);
  const all = values.map((value) => Math.exp(value - most));
  const sum = all.reduce((a, b) => a + b, 0);
  return all.map((value) => value / sum);
}

/** The log odds. */
export function oddsOf(
  { base, size, features, thresholds, values }: TreeModel,
  row: ArrayLike<number>,
): number {
  let sum = base;
  for (let at = 0; at < features.length; at += size) {
    let node = 0;
    for (let feature = features[at] as number; feature !== LEAF; feature = features[at + node] as number)
      node = 2 * node + ((row[feature] as number) <= (thresholds[at + node] as number) ? 1 : 2);
    sum += values[at + node] as number;
  }
  return sum;
}

export function likelihood(model: TreeModel, row: ArrayLike<number>): number {
  return 1 / (1 + Math.exp(-oddsOf(model, row)));
}

/** Models by name. */
export interface Pack {
  linear: Record<string, LinearModel>;
  trees: Record<string, TreeModel>;
}

interface Head {
  linear: Record<string, { widths: number[]; count: number; scale: number }>;
  trees: Record<string, { base: number; size: number; count: number }>;
}

const LEVELS = 127;

/** As one file: what is in it, then the numbers, weights of regressions as bytes. */
export function packed({ linear, trees }: Pack): Buffer {
  const head: Head = { linear: {}, trees: {} };
  const parts: Buffer[] = [];
  const put = (view: ArrayBufferView) => {
    parts.push(Buffer.from(view.buffer, view.byteOffset, view.byteLength));
  };
  for (const [name, { widths, vocabulary, weights }] of Object.entries(linear)) {
    const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-9) / LEVELS;
    head.linear[name] = { widths, count: vocabulary.size, scale };
    put(Uint32Array.from(vocabulary.keys()));
    put(Int8Array.from(weights, (weight) => Math.round(weight / scale)));
  }
  for (const [name, { base, size, features, thresholds, values }] of Object.entries(trees)) {
    head.trees[name] = { base, size, count: features.length };
    put(features);
    put(thresholds);
    put(values);
  }
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return brotliCompressSync(Buffer.concat([length, text, ...parts]));
}

export function unpacked(file: Uint8Array): Pack {
  const all = brotliDecompressSync(file);
  const length = all.readUInt32LE(0);
  const head = JSON.parse(all.toString("utf8", 4, 4 + length)) as Head;
  let at = 4 + length;
  const take = (bytes: number) => {
    // Copied, since numbers of four bytes have to begin at a multiple of four.
    const part = Uint8Array.prototype.slice.call(all, at, at + bytes);
    at += bytes;
    return part.buffer;
  };
  const linear = Object.entries(head.linear).map(([name, { widths, count, scale }]) => {
    const width = widths.reduce((a, b) => a + b, 0);
    const hashes = new Uint32Array(take(count * 4));
    const weights = Float32Array.from(new Int8Array(take(count * width)), (level) => level * scale);
    const vocabulary = new Map([...hashes].map((hash, i) => [hash, i]));
    return [name, { widths, vocabulary, weights }] as const;
  });
  const trees = Object.entries(head.trees).map(([name, { base, size, count }]) => {
    const features = new Uint8Array(take(count));
    const thresholds = new Float32Array(take(count * 4));
    return [name, { base, size, features, thresholds, values: new Float32Array(take(count * 4)) }] as const;
  });
  return { linear: Object.fromEntries(linear), trees: Object.fromEntries(trees) };
}
