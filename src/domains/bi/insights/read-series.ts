import { isYearName } from "../../../kernel/name-words.ts";
import { isIntegerType } from "../../../kernel/values.ts";
import {
  type Column,
  call,
  column,
  compare,
  constant,
  countRows,
  either,
  following,
  isNotNull,
  isNull,
  isOneOf,
  type RowValue,
  rowQuery,
  truncated,
} from "../../data/index.ts";
import { tellsYears } from "../../models/index.ts";
import { allPeriods, momentOf, nextPeriod } from "../query/axis.ts";
import { isAdditive, isTime, type Measure } from "../query/plan.ts";
import { rangeOf } from "../query/points.ts";
import type { Source } from "../query/source.ts";
import { GRAINS, type Grain } from "../shapes.ts";
import { mayBeTotal, wordsOf } from "./finding.ts";
import { LIMITS } from "./limits.ts";
import { differences, median } from "./statistics.ts";

/** A number along time, without periods that are not whole. */
export interface Series {
  grain: Grain;
  /** Every how many periods there is one: 5 where rows are of every fifth year. */
  every: number;
  periods: number[];
  values: number[];
  /** Periods without any rows, by their place. */
  missing: number[];
}

/** A column that tells when; a year that is a number or a text tells no more than the year. */
interface TimeColumn extends Column {
  finest?: Grain;
  every?: number;
  /** The column of the dataset that it was made of. */
  of?: string;
}

/** What the day is called that a year begins with, where years are numbers or texts. */
const YEAR_DAY = "k9year";

/** The column that rows go by in time, and a source that has it: a number or text under the name of a year counts as one. */
export async function withTime(
  source: Source,
  x: Column | undefined,
): Promise<{ source: Source; time: TimeColumn | undefined }> {
  const dated = x !== undefined && isTime(x) ? x : source.columns.find(isTime);
  const isYear = ({ name, type }: Column) => (isIntegerType(type) || type === "VARCHAR") && isYearName(name);
  const year =
    x !== undefined && isYear(x) ? x : dated === undefined ? source.columns.find(isYear) : undefined;
  if (year === undefined) return { source, time: dated };
  const value = column(year.name);
  const counted = rowQuery({
    select: [
      ["k9y", value],
      ["k9n", countRows()],
    ],
    where: isNotNull(value),
    groupBy: 1,
    orderBy: [1],
  });
  const { rows, totalRows } = await source.read(counted, MOST_YEARS);
  const isWhole = totalRows <= rows.length && rows.every(({ k9y }) => /^\d{4}$/.test(String(k9y)));
  const years = rows.map(({ k9y }) => Number(k9y)).sort((a, b) => a - b);
  const [min, max] = [years[0] ?? Number.NaN, years.at(-1) ?? Number.NaN];
  if (!isWhole || !tellsYears(year.name, min, max)) return { source, time: dated };
  const { every, within } = stepOf(years);
  const time: TimeColumn = { name: YEAR_DAY, type: "DATE", finest: "year", every, of: year.name };
  const values = isIntegerType(year.type) ? within : within.map(String);
  const firstDay = call("str_to_date", call("concat", value, constant("-01-01")), constant("yyyy-MM-dd"));
  const days = rowQuery({
    all: true,
    select: [[YEAR_DAY, firstDay]],
    where: within.length === years.length ? undefined : isOneOf(value, values),
  });
  return {
    time,
    source: {
      ...source,
      columns: [...source.columns, time],
      find: (field) => (field === YEAR_DAY ? time : source.find(field)),
      read: (more, limit, isSample) => source.read(following(days, more), limit, isSample),
    },
  };
}

/** More different ones are no years. */
const MOST_YEARS = 1_000;
/** Of years that come in steps, at least so many keep to them; those between are left out. */
const LEAST_IN_STEP = 0.9;

/** Every how many years there are rows, and of which years; where they come without order, of each. */
function stepOf(years: readonly number[]): { every: number; within: readonly number[] } {
  const every = years.length < 3 ? 1 : Math.round(median(differences(years)));
  if (every <= 1) return { every: 1, within: years };
  const groups = Map.groupBy(years, (year) => year % every);
  const [within = []] = [...groups.values()].sort((a, b) => b.length - a.length);
  return within.length >= LEAST_IN_STEP * years.length ? { every, within } : { every: 1, within: years };
}

/** The start of the period after, where there is one every so many. */
export function followingPeriod(start: number, { grain, every }: Pick<Series, "grain" | "every">): number {
  let at = start;
  for (let i = 0; i < every; i += 1) at = nextPeriod(at, grain);
  return at;
}

/** Why nothing can be said of a number along time. */
interface TooLittle {
  why: string;
}

/** Periods of which at least so many have rows; otherwise longer ones are looked at. */
const LEAST_FILLED = 0.7;
/** Of a week or longer, data may begin so late or end so early. */
const SLACK = 0.2;
const DAYS: Record<Grain, number> = { hour: 1 / 24, day: 1, week: 7, month: 30.4, quarter: 91, year: 365 };

/** In the finest periods that have enough rows. */
export async function readSeries(
  source: Source,
  time: TimeColumn,
  measure: Measure,
  now: Date,
): Promise<Series | TooLittle> {
  const x = column(time.name);
  const [from, last] = await rangeOf(x, source);
  if (from === undefined || last === undefined) return { why: "no rows with a time" };
  // The rows of a year that only has its number are of all of it.
  const to = time.finest === undefined ? last : nextPeriod(last, time.finest);
  const days = (to - from) / 86_400_000;
  const { points, leastPoints } = LIMITS.insights;
  const fitting = GRAINS.filter(
    (grain) =>
      days / DAYS[grain] / (time.every ?? 1) <= points &&
      (grain !== "hour" || !/^DATE$/i.test(time.type)) &&
      (time.finest === undefined || GRAINS.indexOf(grain) >= GRAINS.indexOf(time.finest)),
  );
  const { every = 1 } = time;
  let sparse = "too many periods";
  for (const grain of fitting) {
    const series = await readAt(source, x, measure, { grain, every, from, to, now });
    const { length } = series.periods;
    const filled = 1 - series.missing.length / Math.max(1, length);
    const steps = every === 1 ? `${grain}s` : `${grain}s (every ${every} ${grain}s)`;
    if (length < leastPoints)
      return { why: `too few periods: ${length} whole ${steps} of at least ${leastPoints}` };
    if (filled >= LEAST_FILLED) return series;
    sparse = `too many gaps: ${length - series.missing.length} of ${length} ${steps} with rows`;
  }
  return { why: sparse };
}

async function readAt(
  source: Source,
  x: RowValue,
  measure: Measure,
  { grain, every, from, to, now }: { grain: Grain; every: number; from: number; to: number; now: Date },
): Promise<Series> {
  const byPeriod = rowQuery({
    select: [
      ["k9x", truncated(x, grain)],
      ["k9v", measure.value],
    ],
    where: isNotNull(x),
    groupBy: 1,
    orderBy: [1],
  });
  const { rows } = await source.read(byPeriod, LIMITS.insights.points * 2);
  const known = new Map(
    rows.flatMap((row) => {
      const period = momentOf(row.k9x);
      const value = row.k9v === null ? Number.NaN : Number(row.k9v);
      return period === undefined || !Number.isFinite(value) ? [] : [[period, value] as const];
    }),
  );
  const first = Math.min(...known.keys());
  const all = allPeriods([...known.keys()], grain);
  const periods = all.filter((period) => {
    if (every > 1 && yearsBetween(first, period) % every !== 0) return false;
    const end = nextPeriod(period, grain);
    const slack = grain === "hour" || grain === "day" ? Number.POSITIVE_INFINITY : (end - period) * SLACK;
    return end <= now.getTime() && from - period <= slack && end - to <= slack;
  });
  let last = known.get(periods[0] ?? 0) ?? 0;
  const values = periods.map((period) => {
    last = known.get(period) ?? (isAdditive(measure) ? 0 : last);
    return last;
  });
  const missing = periods.flatMap((period, i) => (known.has(period) ? [] : [i]));
  return { grain, every, periods, values, missing };
}

/** Only years come in steps. */
function yearsBetween(from: number, to: number): number {
  return new Date(to).getUTCFullYear() - new Date(from).getUTCFullYear();
}

/** A total may differ this much from the sum of the others, by what was rounded or left away. */
const ROUGHLY = 0.05;

/** The rows without those that are the total of others by name and by number: with them, all would count twice. */
export async function withoutTotals(
  source: Source,
  fields: readonly Column[],
  measures: readonly Measure[],
): Promise<{ source: Source; leftOut: string[] }> {
  const measure = measures.find((each) => each.aggregate === "sum");
  if (measure === undefined) return { source, leftOut: [] };
  for (const field of fields) {
    const segment = column(field.name);
    const query = rowQuery({
      select: [
        ["k9s", segment],
        ["k9v", measure.value],
      ],
      groupBy: 1,
    });
    const { rows } = await source.read(query, LIMITS.insights.segments + 1);
    const total = rows.find(({ k9s }) => mayBeTotal(String(k9s)));
    const others = rows.filter((row) => row !== total);
    const sum = others.reduce((all, { k9v }) => all + Number(k9v ?? 0), 0);
    const isSum = Math.abs(Number(total?.k9v ?? Number.NaN) - sum) <= ROUGHLY * Math.abs(sum);
    if (others.length < 2 || sum === 0 || !isSum) continue;
    const kept = rowQuery({
      where: either(compare(segment, "!=", constant(String(total?.k9s))), isNull(segment)),
    });
    return {
      source: {
        ...source,
        read: (more, limit, isSample) => source.read(following(kept, more), limit, isSample),
      },
      leftOut: [`${total?.k9s} is the total of the others by ${wordsOf(field.name)}, and was left out`],
    };
  }
  return { source, leftOut: [] };
}
