import { quoteText } from "../../../kernel/sql-text.ts";
import { periodStart } from "../phases/data-period.ts";
import { nodesIn } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import { type Grain, isKey, type Key, type Literal, type Num, type Order } from "../query/semantic-query.ts";

/** A column of the answer, and what it shows. */
export interface Column {
  name: string;
  of: Key | Num;
}

export function columnName(of: Key | Num): string {
  return isKey(of) ? keyName(of) : numberName(of);
}

export function keyName({ field, bucket, fiscal, part, since, path }: Key): string {
  const { as = field, isNoun } = path?.at(-1) ?? {};
  if (isNoun === true) return as.replaceAll(" ", "_");
  if (since !== undefined) return `days_from_${since.field}_to_${field}`;
  if (part !== undefined) return part;
  if (bucket === undefined) return field;
  return fiscal === true ? `fiscal_${bucket}` : bucket;
}

/** A group without a value is called as the data call it. */
export function shownKey({ datasets }: Schema, { ds, field, bucket, part }: Key, sql: string): string {
  const { blank } = datasets.get(ds)?.fields.get(field) ?? {};
  const isPlain = blank === undefined || bucket !== undefined || part !== undefined;
  return isPlain ? sql : `coalesce(${sql}, ${quoteText(blank)})`;
}

function numberName(num: Num): string {
  switch (num.k) {
    case "lit":
    case "day":
      return "value";
    case "field":
      return num.key.field;
    case "metric":
      return named(num.name, num.scope?.win?.said);
    case "agg": {
      const name =
        num.of === undefined ? "count" : `${num.fn === "distinct" ? "count" : num.fn}_${keyName(num.of)}`;
      return named(name, num.scope?.win?.said);
    }
    case "each":
      return `${num.fn}_${numberName(num.of)}`;
    case "calc":
      return calcName(num);
    case "lag":
      return `previous_${numberName(num.of)}`;
    case "running":
      return `running_${numberName(num.of)}`;
  }
}

function calcName({ op, a, b }: Extract<Num, { k: "calc" }>): string {
  if (op === "growth") return `${numberName(a)}_growth`;
  if (op === "-") return `${numberName(a)}_difference`;
  if (op !== "/") return numberName(a);
  if (b.k === "lit" && b.unit !== undefined) return `${numberName(a)}_in_${b.unit.replaceAll(" ", "_")}`;
  const isShare = a.k === b.k && (a.k !== "metric" || b.k !== "metric" || a.name === b.name);
  return isShare ? `${numberName(a)}_share` : `${numberName(a)}_per_${numberName(b)}`;
}

function named(name: string, said: string | undefined): string {
  // The days behind the name of a period say nothing more.
  const slug = (said || undefined)
    ?.replaceAll(/(?<=\S)\s*\([^()]*\)/g, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.slice(0, 7)
    .join("_");
  return slug === undefined ? name : `${name}_${slug}`;
}

/** Numbers that would be called the same are told apart by what they are of: `count_open`, `count_visits`. */
export function numberNames(cols: readonly Num[]): string[] {
  const names = cols.map(columnName);
  const isAlone = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  return cols.map((num, i) => {
    const name = names[i] as string;
    return isAlone(name) ? name : named(name, wordsOf(num).join(" "));
  });
}

/** The rows that are counted, and the values that they have. */
function wordsOf(num: Num): string[] {
  const counted = num.k === "agg" && num.of === undefined && num.in?.k === "all" ? [num.in.ds] : [];
  const values = nodesIn(num).flatMap(({ k, values: own }) => (k === "is" ? (own as Literal[]) : []));
  return [...counted, ...values.map(String)];
}

/** Names that occur again get a number. */
export function distinctNames(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = (counts.get(name.toLowerCase()) ?? 0) + 1;
    counts.set(name.toLowerCase(), count);
    return count === 1 ? name : `${name}_${count}`;
  });
}

export function orderBy(order: readonly { sql: string; dir: Order["dir"] }[]): string {
  if (order.length === 0) return "";
  return ` ORDER BY ${order.map(({ sql, dir }) => `${sql} ${dir.toUpperCase()} NULLS LAST`).join(", ")}`;
}

/** Times come in their order, and so do numbers that are labels, such as years; anything else by how much there is. */
export function defaultOrder(
  { datasets }: Schema,
  by: readonly Key[],
  first: string | undefined,
): { sql: string; dir: Order["dir"] }[] {
  const time = by.findIndex(
    ({ ds, field, bucket }) => bucket !== undefined || datasets.get(ds)?.fields.get(field)?.kind === "number",
  );
  const others = by.flatMap((_, i) => (i === time ? [] : [{ sql: `k${i + 1}`, dir: "asc" as const }]));
  if (time !== -1) return [{ sql: `k${time + 1}`, dir: "asc" }, ...others];
  return by.length === 0 || first === undefined ? [] : [{ sql: first, dir: "desc" }, ...others];
}

/** Days by which weeks begin before Monday. */
const EARLIER = { monday: 0, sunday: 1, saturday: 2 } as const;

/** SQL of the first day of the period that a date lies in. */
export function bucketStart(
  { fiscalMonth, weekStart = "monday" }: Pick<Schema, "fiscalMonth" | "weekStart">,
  date: string,
  { grain, isFiscal }: { grain: Grain; isFiscal: boolean },
): string {
  const months = isFiscal && (grain === "year" || grain === "quarter") ? fiscalMonth - 1 : 0;
  const days = grain === "week" ? EARLIER[weekStart] : 0;
  if (months === 0 && days === 0) return `date_trunc('${grain}', ${date})`;
  const [to, back, shift] = days === 0 ? ["-", "+", `${months} MONTH`] : ["+", "-", `${days} DAY`];
  return `date_trunc('${grain}', ${date} ${to} INTERVAL ${shift}) ${back} INTERVAL ${shift}`;
}

/** The same of a day that is known. */
export function startOf(
  { fiscalMonth, weekStart = "monday" }: Pick<Schema, "fiscalMonth" | "weekStart">,
  day: string,
  { grain, isFiscal }: { grain: Grain; isFiscal: boolean },
): string {
  const months = isFiscal && (grain === "year" || grain === "quarter") ? fiscalMonth - 1 : 0;
  const days = grain === "week" ? EARLIER[weekStart] : 0;
  const moved = (from: string, by: 1 | -1) => {
    const date = new Date(`${from.slice(0, 10)}T00:00:00Z`);
    if (months > 0) date.setUTCMonth(date.getUTCMonth() - by * months, 1);
    date.setUTCDate(date.getUTCDate() + by * days);
    return date.toISOString().slice(0, 10);
  };
  return moved(periodStart(moved(day, 1), grain), -1);
}
