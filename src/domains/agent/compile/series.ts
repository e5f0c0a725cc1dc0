import { quoteText } from "../../../kernel/sql-text.ts";
import { LIMITS } from "../limits.ts";
import { days, lastDayBefore, MISSING, periodEnd } from "../phases/data-period.ts";
import { isEqual, isSameField } from "../query/parts.ts";
import { type DataPeriod, daysOf, type Schema } from "../query/schema.ts";
import type { DatePart, Key } from "../query/semantic-query.ts";
import { bucketStart, startOf } from "./columns.ts";
import type { Shift } from "./row-compiler.ts";
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
function seriesSql(
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

/** Numbers by keys, as one SELECT of a statement. */
export interface Side {
  name: string;
  sql: string;
  numbers: readonly string[];
  /** It is one row, and stands beside no group. */
  isWhole: boolean;
  shift?: Shift | undefined;
}

/** Numbers for every period of a series. */
export interface Filling {
  schema: Schema;
  series: Series;
  /** Where the data begin, by the date of the series. */
  since: string | undefined;
  /** The keys of the table by their names, and the names of those that are not shown. */
  by: readonly Key[];
  hidden: readonly string[];
  /** Numbers of which there are 0 where nothing is. */
  sums: ReadonlySet<string>;
}

/** The parts of a statement, and what it reads from: its groups with the numbers of all parts. */
export function sideBySide(
  sides: readonly Side[],
  keys: readonly string[],
  filling: Filling | undefined,
): { ctes: string[]; from: string } {
  const ctes = sides.map(({ name, sql }) => `${name} AS (${sql})`);
  const grouped = sides.filter(({ isWhole }) => !isWhole);
  let from = grouped.map(({ name }) => name).join(", ");
  if (grouped.length > 1 && keys.length > 0) {
    const union = grouped.map(({ name }) => `SELECT * FROM ${name}`).join(" UNION ALL BY NAME ");
    const numbers = grouped.flatMap((part) => part.numbers.map((name) => `any_value(${name}) AS ${name}`));
    ctes.push(`groups AS (SELECT ${[...keys, ...numbers].join(", ")} FROM (${union}) AS parts GROUP BY ALL)`);
    from = "groups";
  }
  if (filling === undefined || from === "") return { ctes, from };
  ctes.push(...filled(filling, grouped, from));
  return { ctes, from: "filled" };
}

/** Every group in every period; of sums and counts there is 0 where there are no rows. */
function filled(filling: Filling, sides: readonly Side[], from: string): string[] {
  const { schema, series, by, hidden } = filling;
  const named = by.map((key, i) => ({ name: `k${i + 1}`, key }));
  const isTime = ({ key }: { key: Key }) => key === series.key || isWithin(series.key, key);
  const times = named.filter(isTime);
  const groups = [...named.filter((each) => !isTime(each)).map(({ name }) => name), ...hidden];
  const numbers = sides.flatMap((side) => side.numbers.map((name) => zero(filling, side, name)));
  const shown = [
    ...groups.map((name) => `told.${name}`),
    ...times.map(({ name }) => `periods.${name}`),
    ...numbers,
  ];
  const told =
    groups.length === 0 ? "" : `(SELECT DISTINCT ${groups.join(", ")} FROM ${from}) AS told CROSS JOIN `;
  const on = [
    ...groups.map((name) => `told.${name} IS NOT DISTINCT FROM ${from}.${name}`),
    ...times.map(({ name }) => `periods.${name} = ${from}.${name}`),
  ];
  return [
    `periods AS (${seriesSql(schema, series, times)})`,
    `filled AS (SELECT ${shown.join(", ")} FROM ${told}periods LEFT JOIN ${from} ON ${on.join(" AND ")})`,
  ];
}

/** Of an earlier period there is 0 as well, unless it was before the data. */
function zero({ schema, series: { key }, since, by, sums }: Filling, { shift }: Side, name: string): string {
  if (!sums.has(name)) return name;
  if (shift === undefined) return `coalesce(${name}, 0) AS ${name}`;
  if (since === undefined) return name;
  const { bucket: grain = "day", fiscal: isFiscal = false } = key;
  const begin = `DATE '${startOf(schema, since, { grain, isFiscal })}' + INTERVAL (${shift.n}) ${shift.grain.toUpperCase()}`;
  return `CASE WHEN periods.k${by.indexOf(key) + 1} >= ${begin} THEN coalesce(${name}, 0) ELSE ${name} END AS ${name}`;
}
