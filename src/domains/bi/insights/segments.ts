/** A part of a number: by its value of some dimension, before and after. */
export interface Segment {
  name: string;
  before: number;
  after: number;
}

export interface Drivers {
  /** Those that account for most of the change, the largest first. */
  leading: Segment[];
  /** Of the change, by them together. */
  share: number;
  /** How differently the parts are distributed before and after, from 0 to 1. */
  surprise: number;
}

const LEAST_SHARE = 0.67;
const MOST_LEADING = 3;

/** The fewest segments that account for two thirds of a change (after Adtributor: Bhagwan and others 2014). */
export function driversOf(segments: readonly Segment[]): Drivers | undefined {
  const change = segments.reduce((sum, { before, after }) => sum + after - before, 0);
  if (change === 0 || segments.length < 2) return undefined;
  const shares = segments
    .map((segment) => ({ segment, share: (segment.after - segment.before) / change }))
    .sort((a, b) => b.share - a.share);
  const leading: Segment[] = [];
  let share = 0;
  for (const each of shares) {
    if (share >= LEAST_SHARE || each.share <= 0) break;
    leading.push(each.segment);
    share += each.share;
  }
  const isFew = leading.length <= MOST_LEADING && leading.length <= segments.length / 2;
  return share >= LEAST_SHARE && isFew ? { leading, share, surprise: surpriseOf(segments) } : undefined;
}

/** The divergence of Jensen and Shannon, in bits. */
function surpriseOf(segments: readonly Segment[]): number {
  const total = (key: "before" | "after") => segments.reduce((sum, each) => sum + Math.max(0, each[key]), 0);
  const [before, after] = [total("before"), total("after")];
  if (before === 0 || after === 0) return 1;
  return segments.reduce((sum, each) => {
    const [p, q] = [Math.max(0, each.before) / before, Math.max(0, each.after) / after];
    const middle = (p + q) / 2;
    const part = (x: number) => (x === 0 ? 0 : x * Math.log2(x / middle));
    return sum + (part(p) + part(q)) / 2;
  }, 0);
}

export interface WeightedSegment extends Segment {
  /** How many rows stand behind each. */
  weightBefore: number;
  weightAfter: number;
}

/** An average changes because its parts do, or because there is more of some of them. */
export function mixAndRate(segments: readonly WeightedSegment[]): { mix: number; rate: number } {
  const total = (key: "weightBefore" | "weightAfter") => segments.reduce((sum, each) => sum + each[key], 0);
  const [before, after] = [total("weightBefore"), total("weightAfter")];
  let [mix, rate] = [0, 0];
  for (const each of segments) {
    const [was, is] = [each.weightBefore / before, each.weightAfter / after];
    // What is new has no rate of before: all of it is mix.
    const former = each.weightBefore === 0 ? each.after : each.before;
    mix += (is - was) * former;
    rate += each.weightAfter === 0 ? 0 : is * (each.after - former);
  }
  return { mix, rate };
}

export interface Concentration {
  /** How many lead. */
  leading: number;
  share: number;
  gini: number;
}

/** How much of the whole the top fifth has. */
export function concentrationOf(values: readonly number[]): Concentration | undefined {
  const sorted = values.filter((value) => value > 0).sort((a, b) => b - a);
  const total = sorted.reduce((sum, value) => sum + value, 0);
  if (sorted.length < 3 || total === 0 || values.some((value) => value < 0)) return undefined;
  const leading = Math.max(1, Math.round(sorted.length / 5));
  const share = sorted.slice(0, leading).reduce((sum, value) => sum + value, 0) / total;
  const n = sorted.length;
  const weighted = sorted.reduce((sum, value, i) => sum + (n - i) * value, 0);
  return { leading, share, gini: (2 * weighted) / (n * total) - (n + 1) / n };
}
