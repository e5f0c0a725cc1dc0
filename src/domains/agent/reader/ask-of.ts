import { allOf, isEqual, whereAll } from "../query/parts.ts";
import type { Ask, Comparison, Cond, Key, Num, Rel, Window } from "../query/semantic-query.ts";
import { type Condition, type Draft, type Item, type JoinTree, joinTree, tablesOf } from "./draft.ts";
import type { Column, Edge, LinkSchema } from "./schema.ts";

/** The product's own query for a draft; undefined where it has none. */
export function askOf(schema: LinkSchema, draft: Draft): Ask | undefined {
  try {
    return new Drafting(schema, draft).ask();
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}

/** No query of the product says this. */
class Inexpressible extends Error {}

const COMPARISONS: ReadonlySet<string> = new Set([">", "<", ">=", "<="]);

class Drafting {
  readonly #schema: LinkSchema;
  readonly #draft: Draft;
  readonly #tree: JoinTree;

  constructor(schema: LinkSchema, draft: Draft) {
    const tree = joinTree(schema, [...tablesOf(schema, draft), ...namedTable(schema, draft)]);
    if (tree === undefined) throw new Inexpressible();
    this.#schema = schema;
    this.#draft = draft;
    this.#tree = tree;
  }

  ask(): Ask {
    const { kind } = this.#draft;
    if (kind === "except") return this.#except();
    if (kind === "intersect" || kind === "union") return this.#both();
    const isTable = this.#draft.select.some(({ agg }) => agg !== "") || this.#draft.group !== undefined;
    return isTable ? this.#table() : this.#list();
  }

  #column(index: number): Column {
    const column = this.#schema.columns[index];
    if (column === undefined) throw new Inexpressible();
    return column;
  }

  #ds(table: number): string {
    return this.#schema.tables[table]?.ds ?? "";
  }

  /** Where several links lead to a dataset, the one that was chosen is named. */
  #key(index: number, tree = this.#tree): Key {
    const { ds, field, table } = this.#column(index);
    const into = tree.edges.find(({ to }) => to === table);
    const isOneOfSeveral =
      into !== undefined &&
      this.#schema.edges.some((edge) => edge !== into && edge.from === into.from && edge.to === into.to);
    return isOneOfSeveral ? { ds, field, path: [{ link: into.link.name, dir: "one" }] } : { ds, field };
  }

  /** The rows of a table, with all that is said of them. */
  #rel(root: number, where = this.#draft.where, tree = this.#tree): Rel {
    return whereAll({ k: "all", ds: this.#ds(root) }, this.#conds(root, where, tree));
  }

  #conds(root: number, where: readonly Condition[], tree: JoinTree): Cond[] {
    const { isAny = false } = this.#draft;
    if (isAny && where.length > 1) return this.#anyOf(root, where, tree);
    return this.#walk(root, undefined, where, tree);
  }

  #anyOf(root: number, where: readonly Condition[], tree: JoinTree): Cond[] {
    const all = where.map((each) => this.#cond(each, tree));
    const [first] = all;
    const isOneKey = all.every(
      (each) =>
        each.k === "is" && first?.k === "is" && isEqual(each.key, first.key) && each.match === "equal",
    );
    const either: Cond =
      isOneKey && first?.k === "is"
        ? { ...first, values: all.flatMap((each) => (each.k === "is" ? each.values : [])) }
        : { k: "or", of: all };
    const tables = new Set(where.map(({ column }) => this.#column(column).table));
    const reached = upward(tree, root);
    if ([...tables].every((table) => reached.has(table)))
      return [either, ...this.#walk(root, undefined, [], tree)];
    const [only, ...others] = tables;
    if (only === undefined || others.length > 0) throw new Inexpressible();
    return this.#walk(root, undefined, [], tree, new Map([[only, either]]));
  }

  /** What holds of a row, and of what it is linked with along the tree: through `many` links one partner is enough. */
  #walk(
    table: number,
    from: Edge | undefined,
    where: readonly Condition[],
    tree: JoinTree,
    more: ReadonlyMap<number, Cond> = new Map(),
  ): Cond[] {
    const own = where.filter(({ column }) => this.#column(column).table === table);
    const conds = [...own.map((each) => this.#cond(each, tree))];
    const extra = more.get(table);
    if (extra !== undefined) conds.push(extra);
    for (const edge of tree.edges) {
      if (edge === from || (edge.from !== table && edge.to !== table)) continue;
      const isOne = edge.from === table;
      const next = isOne ? edge.to : edge.from;
      const inside = this.#walk(next, edge, where, tree, more);
      if (isOne) {
        conds.push(...inside);
        continue;
      }
      const to = whereAll({ k: "all", ds: this.#ds(next) }, inside);
      conds.push({ k: "link", at: this.#ds(table), path: [{ link: edge.link.name, dir: "many" }], to });
    }
    return conds;
  }

  #cond(condition: Condition, tree: JoinTree): Cond {
    const { op, value, value2, against, inner } = condition;
    const column = this.#column(condition.column);
    const key = this.#key(condition.column, tree);
    if (against !== undefined) return this.#againstItself(column, key, op, against, inner);
    if (value === undefined) throw new Inexpressible();
    if (column.kind === "date") return duringOf(key, op, value, value2);
    if (op === "between") {
      if (typeof value !== "number" || typeof value2 !== "number") throw new Inexpressible();
      const side = (of: Comparison, v: number): Cond => ({ k: "cmp", a: key, op: of, b: { k: "lit", v } });
      return { k: "and", of: [side(">=", value), side("<=", value2)] };
    }
    if (COMPARISONS.has(op)) {
      if (column.kind !== "number" || typeof value !== "number") throw new Inexpressible();
      return { k: "cmp", a: key, op: op as Comparison, b: { k: "lit", v: value } };
    }
    const isLike = op === "like" || op === "not like";
    if (isLike && column.kind !== "text") throw new Inexpressible();
    const text = isLike ? String(value).replaceAll("%", "") : value;
    const literal = column.kind === "number" ? Number(text) : column.kind === "text" ? String(text) : text;
    if (typeof literal === "number" && Number.isNaN(literal)) throw new Inexpressible();
    const is: Cond = { k: "is", key, values: [literal], match: isLike ? "contains" : "equal" };
    return op === "!=" || op === "not like" ? { k: "not", of: is } : is;
  }

  #againstItself(
    { table, kind, ds, field }: Column,
    key: Key,
    op: string,
    fn: "avg" | "min" | "max",
    inner: readonly Condition[] = [],
  ): Cond {
    if (kind !== "number" || !COMPARISONS.has(op)) throw new Inexpressible();
    const tree = joinTree(this.#schema, [table, ...inner.map(({ column }) => this.#column(column).table)]);
    if (tree === undefined) throw new Inexpressible();
    const rel = whereAll({ k: "all", ds }, this.#walk(table, undefined, inner, tree));
    const b: Num = { k: "agg", fn, of: { ds, field }, in: rel };
    return { k: "cmp", a: key, op: op as Comparison, b };
  }

  /** Rows that each belong to one row of every wanted table: the nearest such, or those of the most others. */
  #root(wanted: Iterable<number>, prefer: "near" | "fine", tree = this.#tree): number {
    const needed = [...new Set(wanted)];
    const fitting = tree.tables
      .map((table) => ({ table, reached: upward(tree, table) }))
      .filter(({ reached }) => needed.every((each) => reached.has(each)));
    const sign = prefer === "near" ? 1 : -1;
    const [best] = fitting.toSorted((a, b) => sign * (a.reached.size - b.reached.size));
    if (best === undefined) throw new Inexpressible();
    return best.table;
  }

  #tableOf(column: number): number {
    return this.#column(column).table;
  }

  #list(): Ask {
    const { select, order, direction = "asc", limit, isDistinct, kind } = this.#draft;
    const shownTables = select.map(({ column }) => this.#tableOf(column));
    const ordered = order === undefined ? [] : [this.#tableOf(order.column)];
    const root = this.#root([...shownTables, ...ordered], "near");
    const show = select.map(({ column }) => this.#key(column));
    let rel = this.#rel(root);
    const by = order && this.#key(order.column);
    if (by !== undefined && kind === "top") rel = topOf(rel, by, direction, limit ?? 1);
    const isOnce = isDistinct || !shownTables.includes(root);
    return {
      k: "list",
      rel,
      show,
      ...(by !== undefined && kind === "order" && { order: [{ by, dir: direction }] }),
      ...(isOnce && { distinct: true as const }),
    };
  }

  /** A number of rows that each belong to one of each group. */
  #num({ agg, column, isDistinct }: Item, by: readonly number[], where = this.#draft.where): Num {
    if (agg === "") throw new Inexpressible();
    if (column < 0) return { k: "agg", fn: "count", in: this.#rel(this.#root(by, "fine"), where) };
    const of = this.#key(column);
    const own = this.#tableOf(column);
    const root = this.#root([own, ...by], isDistinct ? "fine" : "near");
    const fn = agg === "count" ? "distinct" : agg;
    return { k: "agg", fn, of, in: this.#rel(root, where) };
  }

  #table(): Ask {
    const { select, group, having, order, direction = "asc", limit, kind } = this.#draft;
    const shown = select.filter(({ agg }) => agg === "").map(({ column }) => column);
    const byColumns = this.#withNames(shown.length > 0 ? shown : group === undefined ? [] : [group]);
    const byTables = byColumns.map((column) => this.#tableOf(column));
    // Entities are grouped, and not what several of them are called.
    if (group !== undefined && shown.length > 0) byTables.push(this.#tableOf(group));
    const cols = select.filter(({ agg }) => agg !== "").map((item) => this.#num(item, byTables));
    const by = byColumns.map((column) => this.#key(column));
    const withNum = (num: Num) => {
      if (!cols.some((each) => isEqual(each, num))) cols.push(num);
      return num;
    };
    const held = having && this.#num(having, byTables);
    if (held !== undefined) withNum(held);
    const orderBy =
      order === undefined
        ? undefined
        : order.agg === ""
          ? this.#key(order.column)
          : withNum(this.#num(order, byTables));
    if (cols.length === 0) cols.push(this.#num({ agg: "count", column: -1 }, byTables));
    const isTop = kind === "gtop" && orderBy !== undefined && "k" in orderBy;
    const n = limit ?? 1;
    return {
      k: "table",
      by,
      cols,
      ...(held !== undefined &&
        having !== undefined && {
          having: {
            k: "cmp" as const,
            a: held,
            op: comparisonOf(having.op),
            b: { k: "lit" as const, v: having.value },
          },
        }),
      ...(isTop && {
        top: {
          n,
          by: orderBy,
          dir: direction === "desc" ? ("max" as const) : ("min" as const),
          ties: tiesOf(n),
        },
      }),
      ...(!isTop && orderBy !== undefined && { order: [{ by: orderBy, dir: direction }] }),
    };
  }

  /** Nobody knows rows by a number alone: beside it stands what they are called. */
  #withNames(columns: readonly number[]): number[] {
    const [table] = namedTable(this.#schema, this.#draft);
    const label = table === undefined ? -1 : (this.#schema.tables[table]?.label ?? -1);
    return label < 0 ? [...columns] : [...columns, label];
  }

  #except(): Ask {
    const { except, select, where } = this.#draft;
    if (except === undefined) throw new Inexpressible();
    const { of, table, tables } = except;
    const outTables = except.where.map(({ column }) => this.#tableOf(column));
    const outTree = joinTree(this.#schema, [table, ...tables, ...outTables]);
    if (outTree === undefined) throw new Inexpressible();
    const left = allOf(this.#walk(table, undefined, except.where, outTree));
    if (left === undefined) throw new Inexpressible();
    const shown = select.filter(({ agg }) => agg === "").map(({ column }) => column);
    if (of === "value") {
      const all: Num = { k: "agg", fn: "count", in: this.#rel(table) };
      const out: Num = { k: "agg", fn: "count", in: whereAll(this.#rel(table), [left]) };
      const none: Cond = { k: "cmp", a: out, op: "=", b: { k: "lit", v: 0 } };
      return { k: "table", by: shown.map((each) => this.#key(each)), cols: [all], having: none };
    }
    const rel = whereAll(this.#rel(table, where), [{ k: "not", of: left }]);
    if (shown.length === 0) return { k: "table", by: [], cols: [{ k: "agg", fn: "count", in: rel }] };
    const reached = upward(this.#tree, table);
    if (!shown.every((column) => reached.has(this.#tableOf(column)))) throw new Inexpressible();
    const isOnce = !shown.some((column) => this.#tableOf(column) === table);
    return {
      k: "list",
      rel,
      show: shown.map((each) => this.#key(each)),
      ...(isOnce && { distinct: true as const }),
    };
  }

  /** What has partners of both sorts, or of one of them; of single rows that share a value, the value. */
  #both(): Ask {
    const { kind, select, where, other = [] } = this.#draft;
    const shown = select.map(({ column }) => column);
    const root = this.#root(
      shown.map((column) => this.#tableOf(column)),
      "near",
    );
    const sides = [where, other].map((conditions) => {
      const tree = joinTree(this.#schema, [
        root,
        ...this.#draft.tables,
        ...shown.map((column) => this.#tableOf(column)),
        ...conditions.map(({ column }) => this.#tableOf(column)),
      ]);
      if (tree === undefined) throw new Inexpressible();
      return allOf(this.#walk(root, undefined, conditions, tree));
    });
    const [a, b] = sides;
    if (a === undefined || b === undefined) throw new Inexpressible();
    const all: Rel = { k: "all", ds: this.#ds(root) };
    const show = shown.map((column) => this.#key(column));
    if (kind === "union")
      return { k: "list", rel: whereAll(all, [{ k: "or", of: [a, b] }]), show, distinct: true };
    if (hasMany(a) && hasMany(b)) return { k: "list", rel: whereAll(all, [a, b]), show };
    const some = (cond: Cond): Cond => ({
      k: "cmp",
      a: { k: "agg", fn: "count", in: whereAll(all, [cond]) },
      op: ">",
      b: { k: "lit", v: 0 },
    });
    const cols: Num[] = [{ k: "agg", fn: "count", in: all }];
    return { k: "table", by: show, cols, having: { k: "and", of: [some(a), some(b)] } };
  }
}

/** The table whose rows a lone number of groups means, where these are called something else. */
function namedTable({ columns, tables }: LinkSchema, { select, group, kind }: Draft): number[] {
  const isGrouped = group !== undefined && kind !== "except";
  const shown = select.filter(({ agg }) => agg === "").map(({ column }) => column);
  const [only = group ?? -1, ...others] = shown;
  const column = columns[only];
  if (!isGrouped || others.length > 0 || column === undefined || column.foreign < 0) return [];
  const table = columns[column.foreign]?.table ?? -1;
  const label = columns[tables[table]?.label ?? -1];
  const isOther = label?.kind === "text" && !label.isId && label.index !== column.foreign;
  return isOther ? [table] : [];
}

/** The tables of which each row of `root` belongs to one row. */
function upward({ edges }: JoinTree, root: number): Set<number> {
  const reached = new Set([root]);
  for (const table of reached) for (const edge of edges) if (edge.from === table) reached.add(edge.to);
  return reached;
}

function hasMany(cond: Cond): boolean {
  if (cond.k === "and") return cond.of.some(hasMany);
  return cond.k === "link";
}

function comparisonOf(op: string): Comparison {
  if (op === "!=") return "<>";
  if (op === "=" || COMPARISONS.has(op)) return op as Comparison;
  throw new Inexpressible();
}

/** Who shares the first place has it as well; of a number that was named, no more are shown. */
function tiesOf(n: number): "keep" | "cut" {
  return n === 1 ? "keep" : "cut";
}

function topOf(rel: Rel, by: Key, direction: "asc" | "desc", n: number): Rel {
  return { k: "top", in: rel, by, dir: direction === "desc" ? "max" : "min", n, ties: tiesOf(n) };
}

/** Years and days as periods. */
function duringOf(key: Key, op: string, value: string | number, value2?: string | number): Cond {
  const [from, to] = [startOf(value), endOf(value2 ?? value)];
  if (from === undefined || to === undefined) throw new Inexpressible();
  const said = value2 === undefined ? String(value) : `${value} to ${value2}`;
  const win = (a: string | null, b: string | null, words: string): Cond => ({
    k: "during",
    win: { from: a, to: b, on: key, said: words } satisfies Window,
  });
  switch (op) {
    case "=":
    case "like":
    case "between":
      return win(from, to, said);
    case "!=":
      return { k: "not", of: win(from, to, said) };
    case ">":
      return win(to, null, `after ${said}`);
    case ">=":
      return win(from, null, `since ${said}`);
    case "<":
      return win(null, from, `before ${said}`);
    case "<=":
      return win(null, to, `until ${said}`);
    default:
      throw new Inexpressible();
  }
}

const DAY_MS = 86_400_000;

function startOf(value: string | number): string | undefined {
  if (typeof value === "number") return value >= 1_000 && value < 9_999 ? `${value}-01-01` : undefined;
  return /^\d{4}-\d\d-\d\d/.exec(value)?.[0];
}

function endOf(value: string | number): string | undefined {
  if (typeof value === "number") return startOf(value + 1);
  const start = startOf(value);
  const day = start === undefined ? Number.NaN : Date.parse(start);
  return Number.isNaN(day) ? undefined : new Date(day + DAY_MS).toISOString().slice(0, 10);
}
