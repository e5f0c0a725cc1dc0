import { quoteName } from "../../../kernel/sql-text.ts";
import { allOf, condsOf, isEqual } from "../query/parts.ts";
import { daysOf } from "../query/schema.ts";
import {
  type Aggregate,
  type Ask,
  type Cond,
  isKey,
  type Key,
  type Num,
  type Rel,
  type Scope,
  type Window,
} from "../query/semantic-query.ts";
import {
  type Column,
  defaultOrder,
  distinctNames,
  keyName,
  numberNames,
  orderBy,
  shownKey,
} from "./columns.ts";
import { alikeIn, areAlike, isSomething, isZeroOfNothing } from "./of-nothing.ts";
import { hiddenKeys, inner, type Part, type Place } from "./part.ts";
import { CompileError, ifCarried, isOfEvents } from "./paths.ts";
import {
  aggregateSql,
  calculate,
  comparison,
  endSql,
  fillIn,
  functionOf,
  over,
  places,
  type RowCompiler,
  ranking,
  type Shift,
} from "./row-compiler.ts";
import type { Rows } from "./rows.ts";
import { isWithin, type Series, seriesOf, sideBySide } from "./series.ts";
import { limitsOfRows } from "./time-limits.ts";
import { joinSpread, requireAlike, requireEach, requireOneHome, requireTold, toldApart } from "./told-by.ts";

type Table = Extract<Ask, { k: "table" }>;

/** A table of numbers by keys: each aggregate is computed on the rows it is made of, then they are put side by side. */
export function compileTable(
  compiler: RowCompiler,
  ask: Table,
): { sql: string; columns: Column[]; series?: Series | undefined } {
  const builder = new TableBuilder(compiler, ask.by, ask.scope ?? {});
  const numbers = ask.cols.map((num) => builder.number(num));
  const names = distinctNames([...ask.by.map(keyName), ...numberNames(ask.cols)]);
  const shown = [...ask.by.map((key, i) => shownKey(compiler.schema, key, `k${i + 1}`)), ...numbers].map(
    (sql, i) => `${sql} AS ${quoteName(names[i] as string)}`,
  );
  const conditions = ask.having === undefined ? [] : [builder.having(ask.having)];
  const top = ask.top === undefined ? undefined : { ...ask.top, sql: builder.number(ask.top.by) };
  // What has no name is none of the first ones.
  if (top !== undefined && ask.by.length > 0)
    conditions.push(...builder.keys.map((key) => `${key} IS NOT NULL`));
  const ranked = top === undefined ? "" : rank(builder, top);
  const alike = alikeIn(compiler.schema, ask.having);
  const compared = alike.map((num) => builder.number(num));
  const order = ask.order?.map(({ by, dir }) => ({
    sql: isKey(by) ? builder.key(by) : builder.number(by),
    dir,
  }));
  const fallback =
    top === undefined
      ? defaultOrder(compiler.schema, ask.by, numbers[0])
      : [{ sql: top.sql, dir: top.dir === "max" ? ("desc" as const) : ("asc" as const) }];
  // Of those that are alike the same ones come first each time.
  const others = builder.keys.filter((key) => !(order ?? fallback).some(({ sql }) => sql === key));
  const sorted = [...(order ?? fallback), ...others.map((sql) => ({ sql, dir: "asc" as const }))];
  const limit = ask.limit === undefined ? "" : ` LIMIT ${ask.limit}`;
  const time = ask.by.find(({ bucket }) => bucket !== undefined);
  const series = time && builder.series(time);
  const filled = ask.fill === true && ask.by.length === 1 ? series : undefined;
  // A group of which nothing is known is no answer, unless the periods are to be complete.
  if (ask.by.length > 0 && filled === undefined)
    conditions.push(isSomething([...ask.cols, ...alike], [...numbers, ...compared]));
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  const source = builder.source(filled);
  const sql = `${source.with}SELECT ${shown.join(", ")} FROM ${source.from}${where}${ranked}${orderBy(sorted)}${limit}`;
  const columns = [...ask.by, ...ask.cols].map((of, i) => ({ name: names[i] as string, of }));
  return { sql, columns, series };
}

/** An aggregate of aggregates that stands by itself, as one value. */
export function compileEach(
  compiler: RowCompiler,
  { fn, of, per, scope, having }: Extract<Num, { k: "each" }>,
): string {
  // It stands by itself, so it is of the whole anyway.
  const { whole: _, ...within } = scope ?? {};
  return new TableBuilder(compiler, per, within).aggregated(fn, of, having, { per });
}

function rank(builder: TableBuilder, top: NonNullable<Table["top"]> & { sql: string }): string {
  const per = (top.per ?? []).map((key) => builder.key(key));
  const direction = top.dir === "max" ? "DESC" : "ASC";
  const order = [`${top.sql} ${direction} NULLS LAST`, ...(top.ties === "cut" ? builder.keys : [])];
  return ` QUALIFY ${ranking(top)} ${over(per, order.join(", "))} ${places(top)}`;
}

/** Collects the aggregates that the numbers of a table are made of. */
class TableBuilder {
  readonly #compiler: RowCompiler;
  readonly #by: readonly Key[];
  readonly #scope: Scope;
  readonly #parts = new Map<string, Part>();
  readonly #counts = new Set<string>();
  /** Numbers of which there are 0 where nothing is. */
  readonly #sums = new Set<string>();
  #lastNumber = 0;

  constructor(compiler: RowCompiler, by: readonly Key[], scope: Scope) {
    this.#compiler = compiler;
    this.#by = by;
    this.#scope = scope;
  }

  get keys(): string[] {
    return this.#by.map((_, i) => `k${i + 1}`);
  }

  key(wanted: Key): string {
    const found = this.#by.findIndex((key) => isEqual(key, wanted));
    if (found === -1) throw new CompileError(`${keyName(wanted)} is not among the columns.`);
    return `k${found + 1}`;
  }

  number(num: Num): string {
    return this.#number(num, { scope: this.#scope });
  }

  #number(num: Num, place: Place): string {
    switch (num.k) {
      case "lit":
        return String(num.v);
      case "day":
        return endSql(num.win);
      case "metric":
        return this.#metric(num.name, inner(place, num.scope));
      case "agg":
        return this.#aggregate(num, inner(place, num.scope));
      case "field":
        return this.#attribute(num.key, place);
      case "each":
        return this.#each(num, inner(place, num.scope));
      case "calc":
        requireAlike(this.#compiler.schema, [num.a, num.b], this.#by);
        return calculate(num.op, this.#number(num.a, place), this.#number(num.b, place), {
          isNoneZero: areAlike(this.#compiler.schema, num.a, num.b),
        });
      case "lag":
        return this.#number(num.of, { ...place, shift: { n: num.n, grain: num.grain } });
      case "running":
        return this.#running(this.#number(num.of, place));
    }
  }

  #metric(name: string, place: Place): string {
    const { formula, date } = this.#compiler.metric(name);
    if (place.scope.whole !== true) requireOneHome(this.#compiler.schema, name, this.#by);
    const values = formula.aggregates.map((aggregate) => {
      const home = this.#compiler.leafRows(aggregate).ds;
      const rows = { k: "all" as const, ds: home };
      const part = this.#part(place, `metric ${home} ${JSON.stringify(date)}`, { rows, date });
      return this.#reference(part, aggregateSql(part.rows, aggregate), aggregate);
    });
    const [only] = values;
    const isBare = formula.texts.every((text) => text.trim() === "");
    return isBare && only !== undefined ? this.#orZero(only) : fillIn(formula.texts, values);
  }

  #aggregate({ fn, of, in: rel, path }: Extract<Num, { k: "agg" }>, place: Place): string {
    if (path !== undefined) throw new CompileError("A number of one row cannot stand in a table of groups.");
    const source = rel ?? { k: "all" as const, ds: of?.ds ?? this.#by[0]?.ds ?? "" };
    const id = `rows ${JSON.stringify(source)}`;
    const part = this.#part(place, id, { rows: source, of: source, date: null });
    const isCount = fn === "count" || fn === "distinct";
    return this.#orZero(
      this.#reference(part, this.#compiler.aggregateOf(part.rows, fn, of), { fn, isCount }),
    );
  }

  /**
   * A field of entities that a number is divided by, such as the floor area of stores: of each of them once, also of
   * those of which there is no such number. Only what is said of the entities themselves holds for it, and no period.
   */
  #attribute(key: Key, place: Place): string {
    // What it was itself computed on before, for a rank by it, says nothing of it.
    const parts = [...this.#parts].flatMap(([id, part]) => (id.startsWith("field ") ? [] : [part]));
    if (isOfEvents(this.#compiler, key.ds, { parts, win: place.scope.win }))
      return this.#aggregate({ k: "agg", fn: "sum", of: key, in: { k: "all", ds: key.ds } }, place);
    const all = () => this.#compiler.all(key.ds);
    const isOwn = (cond: Cond) => ifCarried(() => this.#compiler.condition(all(), cond)) !== undefined;
    const own = allOf(condsOf(place.scope.if).filter(isOwn));
    const always = { scope: own === undefined ? {} : { if: own } };
    const part = this.#part(always, `field ${key.ds}`, { rows: { k: "all", ds: key.ds }, date: null });
    return this.#reference(part, `sum(${part.rows.column(key)})`, { fn: "of each", isCount: false });
  }

  #each({ fn, of, per, having }: Extract<Num, { k: "each" }>, { scope, shift }: Place): string {
    if (shift !== undefined) throw new CompileError("An average of periods has no earlier one here.");
    const whole = scope.whole === true;
    const by = [...(whole ? [] : this.#by), ...per];
    const { whole: _, ...within } = scope;
    const builder = new TableBuilder(this.#compiler, by, within);
    const name = this.#nextNumber();
    const told = { per, keys: whole ? [] : this.#allKeys, as: ` AS ${name}` };
    const sql = builder.aggregated(fn, of, having, told);
    this.#ready.push({
      name: `part_${this.#parts.size + this.#ready.length + 1}`,
      sql,
      numbers: [name],
      isWhole: whole,
    });
    return whole ? `(SELECT ${name} FROM ${this.#ready.at(-1)?.name})` : name;
  }

  /** An aggregate of these numbers: of all of them, or by some of their keys. */
  aggregated(
    fn: Aggregate,
    of: Num,
    having: Cond | undefined,
    { per, keys = [], as = "" }: { per: readonly Key[]; keys?: readonly string[]; as?: string },
  ): string {
    requireEach(this.#compiler.schema, fn, of, this.#by);
    const shown = [...keys, `${functionOf(fn)}(${this.number(of)})${as}`];
    const chosen = having === undefined ? "" : ` WHERE ${this.having(having)}`;
    const source = this.source(this.#spread(fn, of, per, having !== undefined));
    const group = keys.length === 0 ? "" : " GROUP BY ALL";
    return `${source.with}SELECT ${shown.join(", ")} FROM ${source.from}${chosen}${group}`;
  }

  readonly #ready: { name: string; sql: string; numbers: string[]; isWhole: boolean }[] = [];

  #running(value: string): string {
    const time = this.#by.findIndex(({ bucket }) => bucket !== undefined);
    if (time === -1) throw new CompileError("A running total needs periods to run over.");
    const others = this.keys.filter((_, i) => i !== time);
    const name = this.#nextNumber();
    this.#runnings.push(`sum(${value}) ${over(others, `k${time + 1}`)} AS ${name}`);
    return name;
  }

  /** Running totals, worked out before anything is chosen or ranked by them. */
  readonly #runnings: string[] = [];

  #part(
    { scope, shift }: Place,
    kind: string,
    { rows: from, of, date }: { rows: Rel; of?: Rel; date: Key | null },
  ): Part {
    const id = `${kind} ${JSON.stringify([scope, shift])}`;
    const known = this.#parts.get(id);
    if (known !== undefined) return known;
    const { rows, spread, ...told } = toldApart(this.#compiler, from, scope, this.#by);
    const part: Part = {
      name: `part_${this.#parts.size + this.#ready.length + 1}`,
      rows: this.#compiler.within(rows, told.scope, { date, shift }),
      spread,
      shift,
      date,
      isWhole: scope.whole === true,
      scope,
      of,
      aggregates: [],
    };
    this.#parts.set(id, part);
    return part;
  }

  #reference(part: Part, sql: string, { fn, isCount }: { fn: string; isCount: boolean }): string {
    if (part.spread !== undefined) requireTold(part.spread, { fn, isCount }, part.rows.ds, this.#by);
    const known = part.aggregates.find((each) => each.sql === sql);
    const name = known?.name ?? this.#nextNumber();
    if (known === undefined) part.aggregates.push({ name, sql });
    if (isCount) this.#counts.add(name);
    if (isCount || /^sum/.test(fn)) this.#sums.add(name);
    return part.isWhole ? `(SELECT ${name} FROM ${part.name})` : name;
  }

  #nextNumber(): string {
    this.#lastNumber += 1;
    return `n${this.#lastNumber}`;
  }

  #orZero(reference: string): string {
    return this.#counts.has(reference) ? `coalesce(${reference}, 0)` : reference;
  }

  having(cond: Cond): string {
    switch (cond.k) {
      case "and":
      case "or":
        return `(${cond.of.map((each) => this.having(each)).join(cond.k === "and" ? " AND " : " OR ")})`;
      case "not":
        return `NOT coalesce(${this.having(cond.of)}, false)`;
      case "cmp": {
        const side = (value: Num | Key) => (isKey(value) ? this.key(value) : this.number(value));
        const isNoneZero = areAlike(this.#compiler.schema, cond.a, cond.b);
        return comparison([side(cond.a), side(cond.b)], cond.op, isNoneZero);
      }
      default:
        throw new CompileError("Groups can be chosen by their numbers only.");
    }
  }

  /** All periods that the numbers are of, where it can be told which these are. */
  series(key: Key): Series | undefined {
    const { schema } = this.#compiler;
    const all = [...this.#parts.values()]
      .filter(({ isWhole }) => !isWhole)
      .map((part) => {
        const date = this.#dateOf(part.rows, key, part.date);
        const dateOf = (win: Window) => this.#compiler.dateOf(part.rows, win, part.date);
        return { date, limits: limitsOfRows(part, { schema, date, dateOf }) };
      });
    const dateOf = (win: Window) => win.on ?? key;
    const own = { date: key, limits: limitsOfRows({ scope: this.#scope }, { schema, date: key, dateOf }) };
    return seriesOf(schema, key, all.length > 0 ? all : [own]);
  }

  /** The periods that an aggregate of what each of them has is made over, where it is made over all. */
  #spread(fn: Aggregate, of: Num, per: readonly Key[], isChosen: boolean): Series | undefined {
    const [key, ...more] = per;
    const isOfAll = fn === "avg" || fn === "median" || fn === "min" || (fn === "count" && isChosen);
    if (key?.bucket === undefined || !isOfAll || !isZeroOfNothing(this.#compiler.schema, of))
      return undefined;
    const isOther = (other: Key) => other.bucket !== undefined || (other.part ?? "hour") !== "hour";
    const isApart = more.length > 0 || this.#by.some((by) => by !== key && isOther(by) && !isWithin(key, by));
    const series = isApart ? undefined : this.series(key);
    this.#compiler.note({ fn, key, series });
    return series;
  }

  /** The parts side by side: what stands before the SELECT, and what it reads from. */
  source(series?: Series): { with: string; from: string } {
    const sides = [
      ...[...this.#parts.values()].map((part) => ({
        name: part.name,
        isWhole: part.isWhole,
        shift: part.shift,
        numbers: part.aggregates.map(({ name }) => name),
        sql: this.#selectPart(part),
      })),
      ...this.#ready,
    ];
    const { schema } = this.#compiler;
    const filling = series && {
      schema,
      series,
      since: daysOf(schema, series.key)?.first,
      by: this.#by,
      hidden: hiddenKeys(this.#compiler.schema, this.#by).map(({ name }) => name),
      sums: this.#sums,
    };
    const { ctes, from: groups } = sideBySide(sides, this.#by.length > 0 ? this.#allKeys : [], filling);
    let from = groups === "" ? "(SELECT 1) AS nothing" : groups;
    if (this.#runnings.length > 0) from = `(SELECT *, ${this.#runnings.join(", ")} FROM ${from}) AS running`;
    return { with: ctes.length === 0 ? "" : `WITH ${ctes.join(", ")} `, from };
  }

  #selectPart({ rows, shift, date, isWhole, spread, aggregates }: Part): string {
    const numbers = aggregates.map(({ name, sql }) => `${sql} AS ${name}`);
    if (isWhole || this.#by.length === 0) return `SELECT ${numbers.join(", ")} ${rows.from()}`;
    const all = [
      ...this.#by.map((key, i) => ({ name: `k${i + 1}`, key })),
      ...hiddenKeys(this.#compiler.schema, this.#by),
    ];
    const far = spread === undefined ? undefined : joinSpread(this.#compiler, rows, spread, all);
    const keys = all.map(
      ({ name, key }) => `${far?.get(key) ?? this.#keyOf(rows, key, { date, shift })} AS ${name}`,
    );
    return `SELECT ${[...keys, ...numbers].join(", ")} ${rows.from()} GROUP BY ALL`;
  }

  get #allKeys(): string[] {
    return [...this.keys, ...hiddenKeys(this.#compiler.schema, this.#by).map(({ name }) => name)];
  }

  /** Periods are the same whichever date they are made of; any other key has to be reached. */
  #keyOf(rows: Rows, key: Key, { date, shift }: { date: Key | null; shift: Shift | undefined }): string {
    if (key.part !== undefined) return rows.column({ ...this.#dateOf(rows, key, date), part: key.part });
    if (key.bucket === undefined) {
      const column = rows.column(key);
      // What belongs to no store is in no group of stores.
      if (key.ds !== rows.ds || key.path !== undefined) rows.where(this.#compiler.isThere(rows, key));
      return column;
    }
    const column = rows.column({
      ...this.#dateOf(rows, key, date),
      bucket: key.bucket,
      fiscal: key.fiscal,
    });
    if (shift === undefined) return column;
    return `CAST(${column} + INTERVAL (${shift.n}) ${shift.grain.toUpperCase()} AS DATE)`;
  }

  /** The date by which rows are told apart. */
  #dateOf(rows: Rows, { ds, field, path }: Key, date: Key | null): Key {
    const wanted: Key = { ds, field, ...(path === undefined ? {} : { path }) };
    // Beside a number of another date each goes by its own.
    const isOthers = [...this.#parts.values()].some(
      (part) => part.date !== null && isEqual(part.date, wanted),
    );
    const own = [...(isOthers ? [date] : []), wanted, date, this.#compiler.dataset(rows.ds).date].find(
      (each) => each !== null && rows.reaches(each),
    );
    if (own === undefined || own === null)
      throw new CompileError(`${rows.ds} has no date to tell periods by.`);
    return own;
  }
}
