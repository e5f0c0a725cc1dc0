import { isIntegerType } from "../../../kernel/column-kind.ts";
import type { Column } from "../../data/index.ts";
import { isYearName, tellsYears } from "../../models/index.ts";
import { allPeriods, momentOf, nextPeriod } from "../query/periods.ts";
import { isAdditive, isTime, type Measure } from "../query/plan.ts";
import { quoted, type Source } from "../query/source.ts";
import { GRAINS, type Grain } from "../shapes.ts";
import { LIMITS } from "./limits.ts";

/** A number along time, without periods that are not whole. */
export interface Series {
  grain: Grain;
  periods: number[];
  values: number[];
  /** Periods without any rows, by their place. */
  missing: number[];
}

/** A column that tells when; a year that is a number tells no more than the year. */
export interface TimeColumn extends Column {
  finest?: Grain;
}

/** What the day is called that a year begins with, where years are numbers. */
const YEAR_DAY = "k9year";

/** The column that rows go by in time, and a source that has it: a number under the name of a year counts as one. */
export async function withTime(
  source: Source,
  x: Column | undefined,
): Promise<{ source: Source; time: TimeColumn | undefined }> {
  const dated = x !== undefined && isTime(x) ? x : source.columns.find(isTime);
  const isYear = (column: Column) => isIntegerType(column.type) && isYearName(column.name);
  const year =
    x !== undefined && isYear(x) ? x : dated === undefined ? source.columns.find(isYear) : undefined;
  if (year === undefined) return { source, time: dated };
  const name = quoted(year.name);
  const { rows } = await source.read(`select min(${name}) as k9a, max(${name}) as k9b`, 1);
  const [min, max] = [Number(rows[0]?.k9a ?? Number.NaN), Number(rows[0]?.k9b ?? Number.NaN)];
  if (!tellsYears(year.name, min, max)) return { source, time: dated };
  const time: TimeColumn = { name: YEAR_DAY, type: "DATE", finest: "year" };
  const day = `select *, str_to_date(concat(${name}, '-01-01'), 'yyyy-MM-dd') as ${YEAR_DAY}`;
  return {
    time,
    source: {
      ...source,
      columns: [...source.columns, time],
      find: (field) => (field === YEAR_DAY ? time : source.find(field)),
      read: (more, limit, isSample) => source.read(`${day};\n${more}`, limit, isSample),
    },
  };
}

/** Periods of which at least so many have rows; otherwise longer ones are looked at. */
const LEAST_FILLED = 0.7;
/** Of a week or longer, data may begin so late or end so early. */
const SLACK = 0.2;
const DAYS: Record<Grain, number> = { hour: 1 / 24, day: 1, week: 7, month: 30.4, quarter: 91, year: 365 };

/** In the finest periods that have enough rows; undefined where there is too little to say anything. */
export async function readSeries(
  source: Source,
  time: TimeColumn,
  measure: Measure,
  now: Date,
): Promise<Series | undefined> {
  const x = quoted(time.name);
  const { rows } = await source.read(`select min(${x}) as k9a, max(${x}) as k9b`, 1);
  const [from, last] = [momentOf(rows[0]?.k9a), momentOf(rows[0]?.k9b)];
  if (from === undefined || last === undefined) return undefined;
  // The rows of a year that only has its number are of all of it.
  const to = time.finest === undefined ? last : nextPeriod(last, time.finest);
  const days = (to - from) / 86_400_000;
  const { points, leastPoints } = LIMITS.insights;
  const fitting = GRAINS.filter(
    (grain) =>
      days / DAYS[grain] <= points &&
      (grain !== "hour" || !/^DATE$/i.test(time.type)) &&
      (time.finest === undefined || GRAINS.indexOf(grain) >= GRAINS.indexOf(time.finest)),
  );
  for (const grain of fitting) {
    const series = await readAt(source, x, measure, { grain, from, to, now });
    const filled = 1 - series.missing.length / Math.max(1, series.periods.length);
    if (series.periods.length < leastPoints) return undefined;
    if (filled >= LEAST_FILLED) return series;
  }
  return undefined;
}

async function readAt(
  source: Source,
  x: string,
  measure: Measure,
  { grain, from, to, now }: { grain: Grain; from: number; to: number; now: Date },
): Promise<Series> {
  const text = `select date_trunc(${x}, ${grain}) as k9x, ${measure.formula} as k9v where ${x} is not null group by 1 order by 1`;
  const { rows } = await source.read(text, LIMITS.insights.points * 2);
  const known = new Map(
    rows.flatMap((row) => {
      const period = momentOf(row.k9x);
      const value = row.k9v === null ? Number.NaN : Number(row.k9v);
      return period === undefined || !Number.isFinite(value) ? [] : [[period, value] as const];
    }),
  );
  const periods = allPeriods([...known.keys()], grain).filter((period) => {
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
  return { grain, periods, values, missing };
}
