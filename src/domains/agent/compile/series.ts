import { quoteText } from "../../../kernel/sql-text.ts";
import { LIMITS } from "../limits.ts";
import { days, lastDayBefore, MISSING, periodEnd } from "../phases/periods.ts";
import { isEqual, isSameField } from "../query/parts.ts";
import { type DataPeriod, daysOf, type Schema } from "../query/schema.ts";
import type { DatePart, Key } from "../query/semantic-query.ts";
import { bucketStart, startOf } from "./buckets.ts";
import { PARTS } from "./rows.ts";
import type { TimeLimits } from "./time-limits.ts";

/** Periods one after the other, whether or not anything happened in them. */
export interface Series {
  key: Key;
  /** The first and the last day that they are of. */
  first: string;
  last: string;
  parts: TimeLimits["parts"];
}

/** The periods of numbers that go by these dates; undefined where each is of other ones. */
export function seriesOf(
  schema: Schema,
  key: Key,
  told: readonly { date: Key; limits: TimeLimits | undefined }[],
): Series | undefined {
  const [limits] = told.map((each) => each.limits);
  if (limits === undefined || told.some((each) => !isEqual(each.limits, limits))) return undefined;
  return seriesWithin(
    key,
    limits,
    told.map(({ date }) => daysOf(schema, date)),
  );
}

/** The periods within what conditions leave and within the data: before and after these nothing is known. */
function seriesWithin(
  key: Key,
  { windows, parts }: TimeLimits,
  data: readonly (DataPeriod | undefined)[],
): Series | undefined {
  const known = data.filter((each) => each !== undefined);
  const isKnown = known.length > 0 && known.length === data.length;
  const firsts = windows.flatMap(({ from }) => (from === null ? [] : [from.slice(0, 10)]));
  const lasts = windows.flatMap(({ to }) => (to === null ? [] : [lastDayBefore(to)]));
  if (isKnown) {
    const begin = known.map((each) => each.first).toSorted()[0] as string;
    if (!isSoonAfter(begin, firsts, lasts)) firsts.push(begin);
    lasts.push(
      known
        .map((each) => each.last)
        .toSorted()
        .at(-1) as string,
    );
  }
  const [first, last] = [firsts.toSorted().at(-1), lasts.toSorted()[0]];
  if (first === undefined || last === undefined || last < first || !areTellable(key, parts)) return undefined;
  const isLong = days(first, last) / DAYS[key.bucket ?? "day"] > LIMITS.agent.seriesPeriods;
  return isLong
    ? undefined
    : { key, first, last, parts: parts.filter(({ part }) => isWithin(key, { ...key, part })) };
}

/** Nobody sells on every day: a year whose first row is of the third of January begins on the first. */
function isSoonAfter(begin: string, firsts: readonly string[], lasts: readonly string[]): boolean {
  const [first, last] = [firsts.toSorted().at(-1), lasts.toSorted()[0]];
  return first !== undefined && last !== undefined && days(first, begin) <= MISSING * days(first, last);
}

const DAYS = { day: 1, week: 7, month: 28, quarter: 90, year: 365 } as const;

/** Each week, month and year has all days of the week, and each year all months; a quarter has not. */
function areTellable({ bucket }: Key, parts: TimeLimits["parts"]): boolean {
  return (bucket !== "week" && bucket !== "quarter") || parts.every(({ part }) => part !== "month");
}

/** The first day of each period. */
export function startsOf(schema: Schema, { key, first, last, parts }: Series): string[] {
  const { bucket: grain = "day", fiscal: isFiscal = false } = key;
  const starts: string[] = [];
  for (let day = startOf(schema, first, { grain, isFiscal }); day <= last; day = periodEnd(day, grain)) {
    const isLeft = parts.every(({ part, values, isNot }) => values.includes(nameOf(day, part)) !== isNot);
    if (isLeft) starts.push(day);
  }
  return starts;
}

function nameOf(day: string, part: DatePart): string {
  return new Intl.DateTimeFormat("en-US", { [part]: "long", timeZone: "UTC" }).format(new Date(day));
}

/** Whether a period of the one key lies in one of the other, so that this follows from it. */
export function isWithin(key: Key, other: Key): boolean {
  if (!isSameField(key, other) || other.part === "hour") return false;
  if (key.bucket === "day") return other.bucket !== undefined || other.part !== undefined;
  if (key.bucket === "month")
    return other.bucket === "quarter" || other.bucket === "year" || other.part === "month";
  return key.bucket === "quarter" && other.bucket === "year" && key.fiscal === other.fiscal;
}

/** SQL of the periods, each with the keys that follow from it. */
export function seriesSql(
  schema: Schema,
  { key, first, last, parts }: Series,
  columns: readonly { name: string; key: Key }[],
): string {
  const start = (day: string, { bucket: grain = "day", fiscal: isFiscal = false }: Key) =>
    `CAST(${bucketStart(schema, day, { grain, isFiscal })} AS DATE)`;
  const step = `INTERVAL 1 ${(key.bucket ?? "day").toUpperCase()}`;
  const all = `SELECT unnest(generate_series(${start(`DATE '${first}'`, key)}, DATE '${last}', ${step})) AS period`;
  const shown = columns.map(({ name, key: of }) =>
    of.part === undefined ? `${start("period", of)} AS ${name}` : `${PARTS[of.part]}(period) AS ${name}`,
  );
  const conds = parts.map(({ part, values, isNot }) => {
    const listed = values.map((value) => quoteText(String(value))).join(", ");
    return `${PARTS[part]}(period) ${isNot ? "NOT " : ""}IN (${listed})`;
  });
  const where = conds.length === 0 ? "" : ` WHERE ${conds.join(" AND ")}`;
  return `SELECT ${shown.join(", ")} FROM (${all}) AS series${where}`;
}
