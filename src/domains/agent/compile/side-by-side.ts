import type { Schema } from "../query/schema.ts";
import type { Key } from "../query/semantic-query.ts";
import { startOf } from "./buckets.ts";
import type { Shift } from "./row-compiler.ts";
import { isWithin, type Series, seriesSql } from "./series.ts";

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
