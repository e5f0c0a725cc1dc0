import { both, type Column, call, column, compare, constant, countRows, rowQuery } from "../../data/index.ts";
import { isAdditive, type Measure } from "../query/plan.ts";
import type { Source } from "../query/source.ts";
import type { Analysis } from "./analyse.ts";
import { beginning, type Finding, impactOf, isTotal, type Naming, NONE, partOf, wordsOf } from "./finding.ts";
import { LIMITS } from "./limits.ts";
import { followingPeriod, type Series } from "./read-series.ts";
import { writers } from "./series-findings.ts";
import { differences, median, robustSd, twoSided } from "./statistics.ts";

/** Two stretches of time of equal length that are compared. */
interface Compared {
  before: readonly [number, number];
  after: readonly [number, number];
  /** Periods of each. */
  length: number;
  p: number;
}

const LONGEST_STRETCH = 12;

/** The last change of the level; without one, the last step, if it is larger than steps are. */
export function comparedOf(
  { periods, values, grain, every }: Series,
  { changes, season }: Analysis,
): Compared | undefined {
  const ends = [...periods.slice(1), followingPeriod(periods.at(-1) ?? 0, { grain, every })];
  const stretch = (from: number, length: number) =>
    [periods[from] ?? 0, ends[from + length - 1] ?? 0] as const;
  const last = changes.at(-1);
  if (last !== undefined) {
    const length = Math.min(LONGEST_STRETCH, last.at - (changes.at(-2)?.at ?? 0), values.length - last.at);
    return { before: stretch(last.at - length, length), after: stretch(last.at, length), length, p: last.p };
  }
  const lag = season?.length ?? 1;
  const steps =
    lag === 1 ? differences(values) : values.slice(lag).map((value, i) => value - (values[i] ?? 0));
  const sd = robustSd(steps);
  const step = steps.at(-1);
  if (sd === 0 || step === undefined) return undefined;
  const at = values.length - 1;
  return {
    before: stretch(at - lag, 1),
    after: stretch(at, 1),
    length: 1,
    p: twoSided((step - median(steps)) / sd),
  };
}

/** Which parts account for a change: of all fields, the one whose parts have moved the least alike. */
export async function driverFindings(
  source: Source,
  { time, measure, fields }: { time: Column; measure: Measure; fields: readonly Column[] },
  { before, after, length, p }: Compared,
  naming: Naming & Pick<Series, "grain" | "every">,
): Promise<Finding[]> {
  const taken = await Promise.all(
    fields.map(async (field) => ({
      field,
      segments: await segmentsOf(source, { time, field, measure, before, after }),
    })),
  );
  const { step, plainShare, period } = writers(naming, naming);
  const stretch = `${length * naming.every} ${naming.grain}s`;
  const when =
    length === 1
      ? `from ${period(before[0])} to ${period(after[0])}`
      : `in the ${stretch} since ${period(after[0])} against the ${stretch} before`;
  if (!isAdditive(measure)) return averageFindings(taken, { when, at: after[0], p }, naming);
  const [best] = taken
    .flatMap(({ field, segments }) => {
      const drivers = driversOf(segments);
      return drivers === undefined ? [] : [{ field, segments, ...drivers }];
    })
    .sort((a, b) => b.surprise - a.surprise);
  if (best === undefined) return [];
  const sum = (key: "before" | "after") => best.segments.reduce((all, each) => all + each[key], 0);
  const change = sum("after") - sum("before");
  const parts = best.leading.map(
    ({ name, before, after }) => `${partOf(best.field, name)} (${step(after - before)})`,
  );
  const verb = parts.length === 1 ? "accounts" : "account";
  // Where others went the other way, a few make more than what is left of it.
  const share = best.share > 1 ? "more than all" : plainShare(best.share);
  return [
    {
      kind: "driver",
      sentence: `${beginning(parts.join(", "))} ${verb} for ${share} of the ${change > 0 ? "rise" : "fall"} in ${naming.name} (${step(change)}) ${when}.`,
      numbers: {
        field: best.field.name,
        change,
        share: best.share,
        leading: best.leading.map(({ name }) => name).join(", "),
      },
      p,
      impact: impactOf(change, sum("before")),
      next: `Filter by ${wordsOf(best.field.name)} ${best.leading[0]?.name ?? ""} and look closer.`,
      at: after[0],
      change,
    },
  ];
}

function averageFindings(
  taken: readonly { field: Column; segments: WeightedSegment[] }[],
  { when, at, p }: { when: string; at: number; p: number },
  naming: Naming & Pick<Series, "grain">,
): Finding[] {
  const { step } = writers(naming, naming);
  const [best] = taken
    .filter(({ segments }) => segments.length > 1)
    .map(({ field, segments }) => ({ field, ...mixAndRate(segments) }))
    .filter(
      ({ mix, rate }) => Number.isFinite(mix) && Number.isFinite(rate) && Math.abs(mix) > Math.abs(rate),
    )
    .sort((a, b) => Math.abs(b.mix) - Math.abs(a.mix));
  if (best === undefined) return [];
  const { field, mix, rate } = best;
  return [
    {
      kind: "driver",
      sentence: `${beginning(naming.name)} changed by ${step(mix + rate)} ${when}: ${step(mix)} by another mix of ${wordsOf(field.name)}, ${step(rate)} within its values.`,
      numbers: { field: field.name, change: mix + rate, mix, rate },
      p,
      impact: impactOf(mix, rate),
      next: `Compare the values of ${wordsOf(field.name)} one by one: the average hides that there is more of some.`,
      at,
      change: mix + rate,
    },
  ];
}

async function segmentsOf(
  source: Source,
  {
    time,
    field,
    measure,
    before,
    after,
  }: { time: Column; field: Column; measure: Measure } & Pick<Compared, "before" | "after">,
): Promise<WeightedSegment[]> {
  const read = async ([from, to]: readonly [number, number]) => {
    const x = column(time.name);
    const moment = (ms: number) => constant(new Date(ms).toISOString().slice(0, 19).replace("T", " "));
    const query = rowQuery({
      select: [
        ["k9s", column(field.name)],
        ["k9v", measure.value],
        ["k9n", countRows()],
      ],
      where: both(compare(x, ">=", moment(from)), compare(x, "<", moment(to))),
      groupBy: 1,
    });
    const { rows } = await source.read(query, LIMITS.insights.segments * 2);
    return new Map(
      rows
        .map(
          (row) => [String(row.k9s ?? NONE), { value: Number(row.k9v ?? 0), rows: Number(row.k9n) }] as const,
        )
        .filter(([name]) => !isTotal(name)),
    );
  };
  const [was, is] = await Promise.all([read(before), read(after)]);
  return [...new Set([...was.keys(), ...is.keys()])].map((name) => ({
    name,
    before: was.get(name)?.value ?? 0,
    after: is.get(name)?.value ?? 0,
    weightBefore: was.get(name)?.rows ?? 0,
    weightAfter: is.get(name)?.rows ?? 0,
  }));
}

/** Fields with a few values each, by which a number can be taken apart. */
export async function dimensionsOf(
  source: Source,
  except: readonly (string | undefined)[],
): Promise<Column[]> {
  const texts = source.columns
    .filter(({ name, type }) => type === "VARCHAR" && !except.includes(name))
    .slice(0, LIMITS.insights.dimensions);
  if (texts.length === 0) return [];
  const select = texts.map(({ name }, i) => [`k9d${i}`, call("distinct", column(name))] as const);
  const { rows } = await source.read(rowQuery({ select }), 1);
  return texts.filter((_, i) => {
    const values = Number(rows[0]?.[`k9d${i}`] ?? 0);
    return values >= 2 && values <= LIMITS.insights.segments;
  });
}

/** A part of a number: by its value of some dimension, before and after. */
interface Segment {
  name: string;
  before: number;
  after: number;
}

interface Drivers {
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

interface WeightedSegment extends Segment {
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

interface Concentration {
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
