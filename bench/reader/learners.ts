import {
  LEAF,
  type LinearModel,
  softmax,
  type TreeModel,
} from "../../src/domains/agent/reader/classifiers.ts";

/** A sequence of numbers from 0 to 1 that is the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

const RATE = 0.12;
const SHRINK = 1e-5;
const EPOCHS = 6;
/** Features that occur less often are left out, and of the others the most frequent are kept. */
const FEWEST = 5;
const MOST_FEATURES = 5_000;

/** Softmax regressions over sparse features by AdaGrad: a row has the right choice of each, or -1 for none. */
export function learnLinear(
  rows: readonly { grams: readonly number[]; right: readonly number[] }[],
  widths: number[],
): LinearModel {
  const counts = new Map<number, number>();
  for (const { grams } of rows) for (const gram of grams) counts.set(gram, (counts.get(gram) ?? 0) + 1);
  const kept = [...counts]
    .filter(([, count]) => count >= FEWEST)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, MOST_FEATURES);
  const vocabulary = new Map(kept.map(([gram], place) => [gram, place]));
  const width = widths.reduce((a, b) => a + b, 0);
  const weights = new Float32Array(vocabulary.size * width);
  const squares = new Float32Array(weights.length).fill(0.1);
  const random = randomFrom(7);
  const places = rows.map(({ grams }) => grams.flatMap((gram) => vocabulary.get(gram) ?? []));
  const order = rows.map((_, i) => i);
  const sums = new Float64Array(width);
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    for (let i = order.length - 1; i > 0; i -= 1) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j] as number, order[i] as number];
    }
    for (const at of order) {
      sums.fill(0);
      for (const place of places[at] as number[])
        for (let c = 0; c < width; c += 1) sums[c]! += weights[place * width + c]!;
      let start = 0;
      for (const [head, own] of widths.entries()) {
        const right = rows[at]?.right[head] ?? -1;
        const odds = softmax([...sums.subarray(start, start + own)]);
        for (let c = 0; right >= 0 && c < own; c += 1) {
          const error = odds[c]! - (c === right ? 1 : 0);
          if (Math.abs(error) < 1e-3) continue;
          for (const place of places[at] as number[]) {
            const w = place * width + start + c;
            const slope = error + SHRINK * weights[w]!;
            squares[w]! += slope * slope;
            weights[w]! -= (RATE * slope) / Math.sqrt(squares[w]!);
          }
        }
        start += own;
      }
    }
  }
  return { widths, vocabulary, weights };
}

export interface TreeOptions {
  trees: number;
  depth: number;
  rate: number;
  /** Share of the features that a tree may ask for. */
  share: number;
  /** Rows of one question: then it is learned which of them is right, and not how likely each is. */
  groups?: ArrayLike<number>;
}

const BINS = 32;
const SAMPLE = 4_000;

/** Gradient-boosted trees over histograms. */
export function learnTrees(
  rows: readonly ArrayLike<number>[],
  right: ArrayLike<number>,
  options: TreeOptions,
): TreeModel {
  const { trees, depth, rate, share, groups } = options;
  const count = rows.length;
  const features = rows[0]?.length ?? 0;
  if (features >= LEAF) throw new Error("There are more features than trees can name.");
  const { cuts, bins } = binned(rows, features);
  let positive = 0;
  for (let i = 0; i < count; i += 1) positive += right[i]!;
  const prior = Math.min(0.999, Math.max(0.001, positive / count));
  const size = (1 << (depth + 1)) - 1;
  const model: TreeModel = {
    ...{ base: Math.log(prior / (1 - prior)), size },
    features: new Uint8Array(trees * size).fill(LEAF),
    thresholds: new Float32Array(trees * size),
    values: new Float32Array(trees * size),
  };
  const scores = new Float64Array(count).fill(model.base);
  const slopes = new Float64Array(count);
  const bends = new Float64Array(count);
  const node = new Int32Array(count);
  const random = randomFrom(12_345);
  const histG = new Float64Array((1 << depth) * BINS);
  const histH = new Float64Array((1 << depth) * BINS);
  for (let t = 0; t < trees; t += 1) {
    if (groups === undefined) pointwise(scores, right, slopes, bends);
    else listwise(scores, right, groups, slopes, bends);
    const some: number[] = [];
    for (let f = 0; f < features; f += 1) if (cuts[f]!.length > 0 && random() < share) some.push(f);
    node.fill(0);
    const cutAt = new Uint8Array(size);
    for (let d = 0; d < depth; d += 1) {
      const first = (1 << d) - 1;
      const own = 1 << d;
      const bestGain = new Float64Array(own);
      const bestFeature = new Int16Array(own).fill(-1);
      const bestBin = new Uint8Array(own);
      const sumG = new Float64Array(own);
      const sumH = new Float64Array(own);
      for (let i = 0; i < count; i += 1) {
        const n = node[i]! - first;
        if (n < 0) continue;
        sumG[n]! += slopes[i]!;
        sumH[n]! += bends[i]!;
      }
      for (const f of some) {
        const bin = bins[f] as Uint8Array;
        histG.fill(0, 0, own * BINS);
        histH.fill(0, 0, own * BINS);
        for (let i = 0; i < count; i += 1) {
          const n = node[i]! - first;
          if (n < 0) continue;
          const at = n * BINS + bin[i]!;
          histG[at]! += slopes[i]!;
          histH[at]! += bends[i]!;
        }
        for (let n = 0; n < own; n += 1) {
          const [allG, allH] = [sumG[n]!, sumH[n]!];
          if (allH < 1e-3) continue;
          let [leftG, leftH] = [0, 0];
          for (let b = 0; b < cuts[f]!.length; b += 1) {
            leftG += histG[n * BINS + b]!;
            leftH += histH[n * BINS + b]!;
            const [restG, restH] = [allG - leftG, allH - leftH];
            if (leftH < 0.8 || restH < 0.8) continue;
            const gain =
              (leftG * leftG) / (leftH + 1) + (restG * restG) / (restH + 1) - (allG * allG) / (allH + 1);
            if (gain > bestGain[n]!) {
              bestGain[n] = gain;
              bestFeature[n] = f;
              bestBin[n] = b;
            }
          }
        }
      }
      for (let n = 0; n < own; n += 1) {
        if (bestFeature[n]! < 0 || bestGain[n]! < 0.5) continue;
        model.features[t * size + first + n] = bestFeature[n]!;
        model.thresholds[t * size + first + n] = cuts[bestFeature[n]!]![bestBin[n]!]!;
        cutAt[first + n] = bestBin[n]!;
      }
      for (let i = 0; i < count; i += 1) {
        const n = node[i]!;
        const f = n >= first ? model.features[t * size + n]! : LEAF;
        if (f !== LEAF) node[i] = bins[f]![i]! <= cutAt[n]! ? 2 * n + 1 : 2 * n + 2;
      }
    }
    const leafG = new Float64Array(size);
    const leafH = new Float64Array(size);
    for (let i = 0; i < count; i += 1) {
      leafG[node[i]!]! += slopes[i]!;
      leafH[node[i]!]! += bends[i]!;
    }
    for (let n = 0; n < size; n += 1)
      if (leafH[n]! > 0) model.values[t * size + n] = (rate * leafG[n]!) / (leafH[n]! + 1);
    for (let i = 0; i < count; i += 1) scores[i]! += model.values[t * size + node[i]!]!;
  }
  return model;
}

/** Thresholds of each feature by its quantiles, and between which of them each row is. */
function binned(
  rows: readonly ArrayLike<number>[],
  features: number,
): { cuts: number[][]; bins: Uint8Array[] } {
  const cuts: number[][] = [];
  const bins: Uint8Array[] = [];
  const step = Math.max(1, Math.floor(rows.length / SAMPLE));
  for (let f = 0; f < features; f += 1) {
    const sample: number[] = [];
    for (let i = 0; i < rows.length; i += step) sample.push(rows[i]![f]!);
    sample.sort((a, b) => a - b);
    const different = [...new Set(sample)];
    const own: number[] = [];
    if (different.length <= BINS)
      for (let i = 0; i + 1 < different.length; i += 1) own.push((different[i]! + different[i + 1]!) / 2);
    else
      for (let b = 1; b < BINS; b += 1) {
        const value = sample[Math.floor((b * sample.length) / BINS)]!;
        if (own.at(-1) !== value) own.push(value);
      }
    // The same precision as in the file, so that a row falls to the same side there.
    const cut = own.map((value) => Math.fround(value));
    cuts.push(cut);
    const bin = new Uint8Array(rows.length);
    for (const [i, row] of rows.entries()) {
      let [low, high] = [0, cut.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (row[f]! <= cut[middle]!) high = middle;
        else low = middle + 1;
      }
      bin[i] = low;
    }
    bins.push(bin);
  }
  return { cuts, bins };
}

function pointwise(
  scores: Float64Array,
  right: ArrayLike<number>,
  slopes: Float64Array,
  bends: Float64Array,
): void {
  for (let i = 0; i < scores.length; i += 1) {
    const p = 1 / (1 + Math.exp(-scores[i]!));
    slopes[i] = right[i]! - p;
    bends[i] = Math.max(1e-6, p * (1 - p));
  }
}

/** The share of the right ones among the rows of one question. */
function listwise(
  scores: Float64Array,
  right: ArrayLike<number>,
  groups: ArrayLike<number>,
  slopes: Float64Array,
  bends: Float64Array,
): void {
  for (let from = 0; from < scores.length; ) {
    let to = from;
    let most = Number.NEGATIVE_INFINITY;
    for (; to < scores.length && groups[to] === groups[from]; to += 1) most = Math.max(most, scores[to]!);
    let [all, good] = [0, 0];
    for (let i = from; i < to; i += 1) {
      const weight = Math.exp(scores[i]! - most);
      bends[i] = weight;
      all += weight;
      if (right[i]! > 0) good += weight;
    }
    for (let i = from; i < to; i += 1) {
      const p = bends[i]! / all;
      const target = good > 0 ? (right[i]! > 0 ? bends[i]! / good : 0) : p;
      slopes[i] = target - p;
      bends[i] = Math.max(1e-4, p * (1 - p));
    }
    from = to;
  }
}
