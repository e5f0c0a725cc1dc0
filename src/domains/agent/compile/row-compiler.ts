import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import type { AggregateFormula } from "../query/metric-formula.ts";
import { condsOf } from "../query/parts.ts";
import type { Schema, SchemaDataset, SchemaMetric } from "../query/schema.ts";
import {
  type Aggregate,
  type Cond,
  datasetOf,
  type Grain,
  type Hop,
  isKey,
  type Key,
  type Literal,
  type Num,
  type Rel,
  type Scope,
  type Top,
  type Window,
} from "../query/semantic-query.ts";
import { earlierWindow } from "./earlier.ts";
import { areAlike } from "./of-nothing.ts";
import { CompileError, endOf, homesIn, linkOf, reversed, toOnePath } from "./paths.ts";
import { Aliases, type Averaged, columnOf, matches, Rows, type SpreadOver, type Used } from "./rows.ts";

/** Periods by which a number is read earlier than it is shown. */
export interface Shift {
  n: number;
  grain: Grain;
}

/** Compiles an aggregate of aggregates that stands alone; the table compiler knows how. */
export type CompileEach = (each: Extract<Num, { k: "each" }>) => string;

/** Compiles what is said of single rows: sets, conditions, and numbers of a row. */
export class RowCompiler {
  readonly schema: Schema;
  readonly #aliases: Aliases;
  readonly #each: CompileEach;

  constructor(schema: Schema, each: CompileEach) {
    this.schema = schema;
    this.#aliases = new Aliases(schema);
    this.#each = each;
  }

  get used(): Used {
    return this.#aliases;
  }

  /** Remembers which periods an average was made over. */
  note(average: Averaged): void {
    this.#aliases.averages.push(average);
  }

  /** Remembers that rows may be in several groups. */
  noteSpread(spread: SpreadOver): void {
    this.#aliases.spreads.push(spread);
  }

  alias(ds: string): string {
    return this.#aliases.next(ds);
  }

  dataset(name: string): SchemaDataset {
    const found = this.schema.datasets.get(name);
    if (found === undefined) throw new CompileError(`There is no dataset ${name}.`);
    return found;
  }

  metric(name: string): SchemaMetric {
    const found = this.schema.metrics.get(name);
    if (found === undefined) throw new CompileError(`There is no metric ${name}.`);
    return found;
  }

  datasetOf(rel: Rel): string {
    return datasetOf(rel, (path) => endOf(this.schema, path));
  }

  all(ds: string): Rows {
    return new Rows(this.schema, this.#aliases, { ds });
  }

  rows(rel: Rel): Rows {
    switch (rel.k) {
      case "all":
        return this.all(rel.ds);
      case "where": {
        const rows = this.rows(rel.in);
        return rows.where(this.condition(rows, rel.if));
      }
      case "via": {
        const ds = endOf(this.schema, rel.path);
        const link: Cond = { k: "link", at: ds, path: reversed(rel.path), to: rel.from };
        return this.rows({ k: "where", in: { k: "all", ds }, if: link });
      }
      case "top":
        return this.#top(rel);
      case "set": {
        const word = { union: "UNION", intersect: "INTERSECT", minus: "EXCEPT" }[rel.op];
        const source = `(${this.#select(this.rows(rel.a))} ${word} ${this.#select(this.rows(rel.b))})`;
        return new Rows(this.schema, this.#aliases, { ds: this.datasetOf(rel.a), source });
      }
    }
  }

  #select(rows: Rows): string {
    return `SELECT ${quoteName(rows.alias)}.* ${rows.from()}`;
  }

  /** The first ones by a number. Where an entity has several rows, entities are ranked and not rows. */
  #top(top: Extract<Rel, { k: "top" }>): Rows {
    const rows = this.rows(top.in);
    const by = this.operand(rows, top.by);
    const per = (top.per ?? []).map((key) => rows.column(key));
    const direction = top.dir === "max" ? "DESC" : "ASC";
    const { isKeyed } = this.dataset(rows.ds);
    rows.where(`${by} IS NOT NULL`);
    const names = this.#keysOf(rows);
    const order = top.ties === "keep" ? "" : names.map((name) => `, ${name}`).join("");
    if (isKeyed || top.n === 1) {
      const rank = ranking(isKeyed ? top : { ...top, ties: "keep" });
      const window = over(per, `${by} ${direction}${isKeyed ? order : ""}`);
      const source = `(${this.#select(rows)} QUALIFY ${rank} ${window} ${places(top)})`;
      return new Rows(this.schema, this.#aliases, { ds: rows.ds, source });
    }
    const grouped = `SELECT ${names.map((name, i) => `${name} AS e${i}`).join(", ")} ${rows.from()} GROUP BY ALL`;
    const window = over([], `max(${by}) ${direction}${order}`);
    const first = `${grouped} QUALIFY ${ranking(top)} ${window} ${places(top)}`;
    const again = this.rows(top.in);
    return again.where(`(${this.#keysOf(again).join(", ")}) IN (${first})`);
  }

  /** What tells the entities of these rows apart. */
  #keysOf({ ds, alias }: Rows): string[] {
    return this.dataset(ds).key.map((field) => columnOf(alias, field));
  }

  /** Keeps those that are one entity with another row. */
  #areOne(rows: Rows, ds: string, [one, other]: [string, string]): void {
    for (const field of this.dataset(ds).key)
      rows.where(`${columnOf(one, field)} = ${columnOf(other, field)}`);
  }

  condition(rows: Rows, cond: Cond): string {
    switch (cond.k) {
      case "and":
      case "or":
        return `(${cond.of.map((each) => this.condition(rows, each)).join(cond.k === "and" ? " AND " : " OR ")})`;
      case "not":
        // What is not known is not the case.
        return `NOT coalesce(${this.condition(rows, cond.of)}, false)`;
      case "is":
        return isOneOf(rows.column(cond.key), cond.values, cond.match);
      case "null":
        return `${rows.column(cond.key)} IS NULL`;
      case "during":
        return this.during(rows, cond.win, { date: null });
      case "cmp":
        return this.#compared(rows, cond);
      case "link":
        return this.#link(rows, cond);
    }
  }

  #compared(rows: Rows, { a, op, b }: Extract<Cond, { k: "cmp" }>): string {
    const sides = [this.operand(rows, a), this.operand(rows, b)];
    return comparison(sides, op, areAlike(this.schema, a, b));
  }

  #link(rows: Rows, { at, path, to, count }: Extract<Cond, { k: "link" }>): string {
    const start = rows.aliasOf(at);
    const target = this.#linked(start, at, path, to);
    if (count === undefined) return `EXISTS (SELECT 1 ${target.from()})`;
    return `(SELECT ${this.#count(target)} ${target.from()}) ${count.op} ${count.n}`;
  }

  /** The rows of `to` that the row named `start` reaches. */
  #linked(start: string, at: string, path: readonly Hop[], to: Rel): Rows {
    const target = this.rows(to);
    if (path.length === 0) {
      if (target.ds !== at) throw new CompileError(`${target.ds} is not ${at}.`);
      this.#areOne(target, at, [target.alias, start]);
      return target;
    }
    // An entity of several rows reaches what any of them reaches.
    if (!this.dataset(at).isKeyed) {
      this.#areOne(target, at, [this.joinBack(target, path), start]);
      return target;
    }
    const [{ link: name, dir } = { link: "", dir: "one" }, ...rest] = path;
    const link = linkOf(this.schema, name);
    const alias = this.joinBack(target, rest);
    this.#aliases.links.add(link);
    return target.where(dir === "one" ? matches(link, start, alias) : matches(link, alias, start));
  }

  /** Joins rows with what leads to them along a path, and gives the name of where it begins. */
  joinBack(target: Rows, path: readonly Hop[]): string {
    let { alias } = target;
    for (const { link: name, dir } of path.toReversed()) {
      const link = linkOf(this.schema, name);
      const ds = dir === "one" ? link.from : link.to;
      const near = this.#aliases.next(ds);
      const on = dir === "one" ? matches(link, near, alias) : matches(link, alias, near);
      target.innerJoin(`JOIN ${quoteName(ds)} AS ${quoteName(near)} ON ${on}`);
      alias = near;
      this.#aliases.links.add(link);
    }
    return alias;
  }

  #count(rows: Rows): string {
    const names = this.#keysOf(rows);
    if (names.length === 0) return "count(*)";
    return `count(DISTINCT ${names.length === 1 ? names[0] : `(${names.join(", ")})`})`;
  }

  /** Whether rows have the partner that a key is a field of. */
  isThere(rows: Rows, { ds, path }: Key): string {
    const alias = rows.aliasOf(ds, path);
    const keys = this.dataset(ds).key.map((field) => `${columnOf(alias, field)} IS NOT NULL`);
    return keys.join(" AND ") || "true";
  }

  /** The date of these rows that a period goes by. */
  dateOf(rows: Rows, win: Window, date: Key | null): Key | null {
    const all = [win.on ?? null, date, this.dataset(rows.ds).date];
    return all.find((key) => key !== null && rows.reaches(key)) ?? null;
  }

  during(rows: Rows, win: Window, { date, shift }: { date: Key | null; shift?: Shift | undefined }): string {
    const wanted = this.dateOf(rows, win, date);
    if (wanted === null) {
      if (win.from === null && win.to === null) return "true";
      throw new CompileError(`${rows.ds} has no date, so it cannot be limited to ${win.said}.`);
    }
    const { finest } = this.dataset(wanted.ds).fields.get(wanted.field) ?? {};
    if (finest !== undefined && !isWhole(win, finest))
      throw new CompileError(
        `Of ${rows.ds.replaceAll("_", " ")} only the ${finest} is known, so it cannot be limited to ${win.said}.`,
      );
    const column = rows.column(wanted);
    if (shift === undefined) this.#aliases.windows.push({ date: wanted, win });
    else this.#aliases.earlier.push({ date: wanted, win: earlierWindow(win, shift) });
    const bounds = [
      ...(win.from === null ? [] : [`${column} >= ${moment(win.from, shift)}`]),
      ...(win.to === null ? [] : [`${column} < ${moment(win.to, shift)}`]),
    ];
    return bounds.length === 0 ? "true" : bounds.join(" AND ");
  }

  /** Keeps the rows that a number is made of. */
  within(rows: Rows, scope: Scope, { date, shift }: { date: Key | null; shift?: Shift | undefined }): Rows {
    for (const cond of condsOf(scope.if)) {
      // When rows were dated is as much earlier as the number is.
      const isThen = cond.k === "during" && shift !== undefined;
      rows.where(isThen ? this.during(rows, cond.win, { date: null, shift }) : this.condition(rows, cond));
    }
    if (scope.win !== undefined) rows.where(this.during(rows, scope.win, { date, shift }));
    return rows;
  }

  operand(rows: Rows, value: Num | Key): string {
    return isKey(value) ? rows.column(value) : this.number(rows, value);
  }

  /** A number that each row has, or that is the same for all of them. */
  number(rows: Rows, num: Num): string {
    switch (num.k) {
      case "lit":
        return String(num.v);
      case "day":
        return endSql(num.win);
      case "field":
        return rows.column(num.key);
      case "metric":
        return this.#metricOfRow(rows, num.name, num.scope ?? {});
      case "agg":
        return this.#aggregate(rows, num);
      case "calc":
        return calculate(num.op, this.number(rows, num.a), this.number(rows, num.b), {
          isNoneZero: areAlike(this.schema, num.a, num.b),
        });
      case "each":
        return `(${this.#each(num)})`;
      case "lag":
      case "running":
        throw new CompileError("An earlier period or a running total needs periods to stand in.");
    }
  }

  /** A metric of one entity: of the rows that belong to it. */
  #metricOfRow(rows: Rows, name: string, scope: Scope): string {
    const { formula, date } = this.metric(name);
    const values = formula.aggregates.map((aggregate) => {
      const leaf = this.leafRows(aggregate);
      if (toOnePath(this.schema, leaf.ds, rows.ds) === undefined) {
        throw new CompileError(`${name} cannot be told for each row of ${rows.ds}.`);
      }
      this.#areOne(leaf, rows.ds, [leaf.aliasOf(rows.ds), rows.alias]);
      const sql = aggregateSql(leaf, aggregate);
      return `(SELECT ${sql} ${this.within(leaf, scope, { date }).from()})`;
    });
    return fillIn(formula.texts, values);
  }

  #aggregate(rows: Rows, { fn, of, in: rel, path, scope = {} }: Extract<Num, { k: "agg" }>): string {
    const target =
      path === undefined
        ? this.rows(rel ?? { k: "all", ds: of?.ds ?? rows.ds })
        : this.#linked(rows.alias, rows.ds, path, rel ?? { k: "all", ds: endOf(this.schema, path) });
    this.within(target, scope, { date: null });
    return `(SELECT ${this.aggregateOf(target, fn, of)} ${target.from()})`;
  }

  /** Entities are counted once, however many rows they have. */
  aggregateOf(rows: Rows, fn: Aggregate, of?: Key): string {
    if (of === undefined) return this.#count(rows);
    const column = rows.column(of);
    if (fn === "distinct") return `count(DISTINCT ${column})`;
    const { isKeyed, key } = this.dataset(rows.ds);
    const isRepeated = !isKeyed && key.length > 0 && of.ds === rows.ds && !key.includes(of.field);
    if (isRepeated && (fn === "sum" || fn === "avg" || fn === "median"))
      return `list_${fn}([x.v FOR x IN list(DISTINCT {'k': [${this.#keysOf(rows).join(", ")}], 'v': ${column}})])`;
    return `${functionOf(fn)}(${column})`;
  }

  /** Rows of the dataset to which everything that an aggregate reads belongs. */
  leafRows(aggregate: AggregateFormula): Rows {
    const [home] = homesIn(this.schema, aggregate);
    if (home !== undefined) return this.all(home);
    const named = new Set(aggregate.columns.map(({ ds }) => ds));
    throw new CompileError(`No relationship leads to all of ${[...named].join(", ")} from one of them.`);
  }
}

export function aggregateSql(rows: Rows, { pieces }: AggregateFormula): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : rows.column(piece, true))).join("");
}

/** Those that share a place are all in it; the second place is the next lower number. */
export function ranking({ ties, skip }: Pick<Top, "ties" | "skip">): string {
  if (ties === "cut") return "row_number()";
  return skip === undefined ? "rank()" : "dense_rank()";
}

/** A window over rows in an order, apart for each of what they are told apart by. */
export function over(partition: readonly string[], order: string): string {
  return `OVER (${partition.length === 0 ? "" : `PARTITION BY ${partition.join(", ")} `}ORDER BY ${order})`;
}

/** What DuckDB calls an aggregate of values that are told apart already. */
export function functionOf(fn: Aggregate): string {
  return fn === "distinct" ? "count" : fn === "only" ? "any_value" : fn;
}

export function places({ n, skip = 0 }: Pick<Top, "n" | "skip">): string {
  return skip === 0 ? `<= ${n}` : `BETWEEN ${skip + 1} AND ${skip + n}`;
}

export function fillIn(texts: readonly string[], values: readonly string[]): string {
  // Divided by nothing there is no number, and neither infinity nor NaN is one.
  const value = (i: number) => (/\/\s*$/.test(texts[i] ?? "") ? `nullif(${values[i]}, 0)` : values[i]);
  const filled = texts.map((text, i) => text + (value(i) ?? "")).join("");
  return texts.every((text) => text.trim() === "") ? filled : `(${filled})`;
}

/** What was none is compared as 0, where none is a number of it. */
export function comparison(sides: readonly string[], op: string, isNoneZero: boolean): string {
  return sides.map((side) => (isNoneZero ? `coalesce(${side}, 0)` : side)).join(` ${op} `);
}

/**
 * Of two periods of which one had none, the difference is the other one; none of something is a share of 0. Of two
 * without any there is neither.
 */
export function calculate(
  op: Extract<Num, { k: "calc" }>["op"],
  a: string,
  b: string,
  { isNoneZero }: { isNoneZero: boolean },
): string {
  if (op === "growth") return `((${a}) - (${b})) / nullif(${b}, 0)`;
  if (op === "-" && isNoneZero) return `coalesce((${a}) - (${b}), ${a}, -(${b}))`;
  if (op === "/") return `${isNoneZero ? `coalesce(${a}, 0)` : `(${a})`} / nullif(${b}, 0)`;
  return `((${a}) ${op} (${b}))`;
}

function isOneOf(column: string, values: readonly Literal[], match: "equal" | "contains"): string {
  if (values.length === 0) return "false";
  if (match === "contains") {
    const found = values.map((value) => `contains(lower(${column}), lower(${literal(value)}))`);
    return found.length === 1 ? (found[0] as string) : `(${found.join(" OR ")})`;
  }
  if (values.length === 1) return `${column} = ${literal(values[0] as Literal)}`;
  return `${column} IN (${values.map(literal).join(", ")})`;
}

function literal(value: Literal): string {
  return typeof value === "string" ? quoteText(value) : String(value);
}

/** Whether a period is one of whole years or months, or of all until some day: "since 2018" ends today. */
function isWhole({ from, to }: Window, grain: "year" | "month"): boolean {
  const start = grain === "year" ? "01-01" : "01";
  const isFirst = (day: string | null) => day === null || day.slice(0, 10).endsWith(`-${start}`);
  return isFirst(from) && (isFirst(to) || to?.slice(8, 10) !== "01");
}

/** The end of a period that has only one. */
export function endSql({ from, to }: Window): string {
  return moment((from ?? to) as string, undefined);
}

function moment(iso: string, shift: Shift | undefined): string {
  const at = iso.includes("T") ? `TIMESTAMP ${quoteText(iso)}` : `DATE ${quoteText(iso)}`;
  return shift === undefined ? at : `(${at} - INTERVAL (${shift.n}) ${shift.grain.toUpperCase()})`;
}
