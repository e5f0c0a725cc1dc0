import { quoteName } from "../../../kernel/sql-text.ts";
import type { Link, Schema, SchemaField } from "../query/schema.ts";
import type { Aggregate, Grain, Key, Window } from "../query/semantic-query.ts";
import { bucketStart } from "./columns.ts";
import { CompileError, type ToOnePath, toOnePath } from "./paths.ts";
import type { Series } from "./series.ts";

/** What a statement reads, for those who have to account for it. */
export interface Used {
  datasets: ReadonlySet<string>;
  links: ReadonlySet<Link>;
  /** Periods, each with the date that it was applied to. */
  windows: readonly { date: Key; win: Window }[];
  /** The earlier periods that numbers are held against. */
  earlier: readonly { date: Key; win: Window }[];
  averages: readonly Averaged[];
  spreads: readonly SpreadOver[];
}

/** Rows that may be in several groups, and SQL that has a row where some are. */
export interface SpreadOver {
  ds: string;
  keys: readonly Key[];
  sql: string;
}

/** An average of sums or counts by periods: over all of the series, or over those alone that have rows. */
export interface Averaged {
  fn: Aggregate;
  key: Key;
  series: Series | undefined;
}

/** Gives every dataset that a statement reads a name of its own there, and remembers what was read. */
export class Aliases implements Used {
  readonly datasets = new Set<string>();
  readonly links = new Set<Link>();
  readonly windows: { date: Key; win: Window }[] = [];
  readonly earlier: { date: Key; win: Window }[] = [];
  readonly averages: Averaged[] = [];
  readonly spreads: SpreadOver[] = [];
  readonly #schema: Schema;
  #last = 0;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  next(ds: string): string {
    this.datasets.add(ds);
    for (;;) {
      this.#last += 1;
      const name = `${ds}_${this.#last}`;
      if (!this.#schema.datasets.has(name)) return name;
    }
  }
}

/** Rows of one dataset in a SELECT. What they belong to is joined when it is asked for, so no row is there twice. */
export class Rows {
  readonly ds: string;
  readonly alias: string;
  readonly #schema: Schema;
  readonly #aliases: Aliases;
  readonly #source: string;
  readonly #joins = new Map<string, { alias: string; sql: string }>();
  readonly #conditions: string[] = [];

  constructor(schema: Schema, aliases: Aliases, { ds, source }: { ds: string; source?: string }) {
    if (!schema.datasets.has(ds)) throw new CompileError(`There is no dataset ${ds}.`);
    this.ds = ds;
    this.alias = aliases.next(ds);
    this.#schema = schema;
    this.#aliases = aliases;
    this.#source = source ?? quoteName(ds);
  }

  /** Adds a condition, which may speak of what these rows belong to. */
  where(condition: string): this {
    if (!this.#conditions.includes(condition)) this.#conditions.push(condition);
    return this;
  }

  /** Adds a join that keeps rows only if they have a partner; it may multiply them. */
  innerJoin(sql: string): this {
    this.#joins.set(`inner ${this.#joins.size}`, { alias: "", sql });
    return this;
  }

  reaches(key: Key): boolean {
    return toOnePath(this.#schema, this.ds, key.ds, key.path) !== undefined;
  }

  /** SQL for a field of these rows, or of what they belong to; a metric may name columns that are no fields. */
  column(key: Key, isOfMetric = false): string {
    const dataset = this.#schema.datasets.get(key.ds);
    if (dataset?.fields.has(key.field) !== true && !isOfMetric) {
      throw new CompileError(`There is no field ${key.field} in ${key.ds}.`);
    }
    const column = columnOf(this.aliasOf(key.ds, key.path), key.field);
    needsNoFiner(key, dataset?.fields.get(key.field)?.finest);
    if (key.since !== undefined) return `date_diff('day', ${this.column(key.since)}, ${column})`;
    if (key.part !== undefined) return `${PARTS[key.part]}(${column})`;
    return key.bucket === undefined ? column : this.#bucket(column, key.bucket, key.fiscal ?? false);
  }

  /** The name under which the row that these rows belong to can be read. */
  aliasOf(ds: string, tail: Key["path"] = []): string {
    const path = toOnePath(this.#schema, this.ds, ds, tail);
    if (path === undefined) {
      throw new CompileError(`Rows of ${this.ds} do not belong to one row of ${ds}.`);
    }
    return this.#join(path);
  }

  from(): string {
    const joins = [...this.#joins.values()].map(({ sql }) => ` ${sql}`);
    const where = this.#conditions.length === 0 ? "" : ` WHERE ${this.#conditions.join(" AND ")}`;
    return `FROM ${this.#source} AS ${quoteName(this.alias)}${joins.join("")}${where}`;
  }

  #join(path: ToOnePath): string {
    let { alias } = this;
    let way = "";
    for (const link of path) {
      way += `/${link.name}`;
      const joined = this.#joins.get(way) ?? this.#leftJoin(alias, link);
      this.#joins.set(way, joined);
      alias = joined.alias;
    }
    return alias;
  }

  #leftJoin(left: string, link: Link): { alias: string; sql: string } {
    this.#aliases.links.add(link);
    const alias = this.#aliases.next(link.to);
    const on = matches(link, left, alias);
    return { alias, sql: `LEFT JOIN ${quoteName(link.to)} AS ${quoteName(alias)} ON ${on}` };
  }

  #bucket(column: string, grain: Grain, isFiscal: boolean): string {
    return `CAST(${bucketStart(this.#schema, column, { grain, isFiscal })} AS DATE)`;
  }
}

/** What is known by its year only is in no month, and it took no days. */
function needsNoFiner({ ds, bucket, part, since }: Key, finest: SchemaField["finest"]): void {
  const asked = since === undefined ? (bucket ?? part) : "day";
  const known = finest === "year" ? ["year"] : ["year", "quarter", "month"];
  if (finest === undefined || asked === undefined || known.includes(asked)) return;
  throw new CompileError(`Of ${ds.replaceAll("_", " ")} only the ${finest} is known, and no ${asked}.`);
}

export const PARTS = { weekday: "dayname", hour: "hour", month: "monthname" } as const;

/** SQL that a row of `from` and a row of `to` belong together. */
export function matches({ columns }: Link, from: string, to: string): string {
  return columns.map((pair) => `${columnOf(from, pair.from)} = ${columnOf(to, pair.to)}`).join(" AND ");
}

export function columnOf(alias: string, field: string): string {
  return `${quoteName(alias)}.${quoteName(field)}`;
}
