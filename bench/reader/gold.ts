import type { Condition, KINDS } from "../../src/domains/agent/reader/draft.ts";
import type { LinkSchema } from "../../src/domains/agent/reader/schema.ts";
import { HEADS, type Head } from "../../src/domains/agent/reader/sketch.ts";
import type { Collected } from "./collect.ts";

/** Parts of a gold query that parts of drafts are learned from. */
export interface Gold {
  select: GoldItem[];
  isDistinct: boolean;
  tables: number[];
  where: GoldCondition[];
  isAny: boolean;
  group: number[];
  having: GoldCondition[];
  order: GoldItem[];
  direction: "" | "asc" | "desc";
  limit: number;
  set?: { op: string; right: Gold };
}

interface GoldItem {
  agg: string;
  isDistinct: boolean;
  /** -1 is every column. */
  column: number;
}

interface GoldCondition {
  agg: string;
  column: number;
  op: string;
  isDenied: boolean;
  value?: string | number;
  value2?: string | number;
  sub?: Gold;
}

/** What of SQL no draft is learned from. */
class Unread extends Error {}

const TOKEN =
  /"[^"]*"|'(?:[^']|'')*'|[A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|\*))?|\d+\.?\d*|<=|>=|!=|<>|[(),*<>=;+\-/]|\S/g;

/** Reads a query of one of the sets; undefined where it says more than a draft can. */
export function goldOf(
  sql: string,
  schema: LinkSchema,
  { columns }: Pick<Collected, "columns">,
): Gold | undefined {
  try {
    return new GoldReader(sql, schema, columns).read();
  } catch (error) {
    if (error instanceof Unread) return undefined;
    throw error;
  }
}

const KEYWORDS = new Set(
  "where group order limit intersect union except having join on as and inner left".split(" "),
);

class GoldReader {
  readonly #tokens: string[];
  readonly #schema: LinkSchema;
  readonly #columns: Collected["columns"];
  #at = 0;

  constructor(sql: string, schema: LinkSchema, columns: Collected["columns"]) {
    this.#tokens = sql.match(TOKEN) ?? [];
    this.#schema = schema;
    this.#columns = columns;
  }

  read(): Gold {
    const gold = this.#query();
    this.#eat(";");
    if (this.#at < this.#tokens.length) throw new Unread();
    return gold;
  }

  get #word(): string {
    return (this.#tokens[this.#at] ?? "").toLowerCase();
  }

  #eat(word: string): boolean {
    if (this.#word !== word) return false;
    this.#at += 1;
    return true;
  }

  #need(word: string): void {
    if (!this.#eat(word)) throw new Unread();
  }

  #take(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? "";
  }

  #query(): Gold {
    const start = this.#at;
    const aliases = this.#from();
    const behind = this.#at;
    this.#at = start;
    this.#need("select");
    const isDistinct = this.#eat("distinct");
    const tables = [...new Set(aliases.values())];
    const gold: Gold = {
      ...{ select: [this.#item(aliases)], isDistinct, tables: tables.map((name) => this.#table(name)) },
      ...{ where: [], isAny: false, group: [], having: [], order: [], direction: "", limit: 0 },
    };
    while (this.#eat(",")) gold.select.push(this.#item(aliases));
    this.#at = behind;
    if (this.#eat("where")) this.#conditions(gold.where, gold, aliases);
    if (this.#eat("group")) {
      this.#need("by");
      do gold.group.push(this.#column(this.#take(), aliases));
      while (this.#eat(","));
    }
    if (this.#eat("having")) this.#conditions(gold.having, gold, aliases);
    if (this.#eat("order")) {
      this.#need("by");
      do {
        gold.order.push(this.#item(aliases));
        if (this.#eat("desc")) gold.direction = "desc";
        else {
          this.#eat("asc");
          gold.direction ||= "asc";
        }
      } while (this.#eat(","));
    }
    if (this.#eat("limit")) gold.limit = Number(this.#take());
    for (const op of ["intersect", "union", "except"])
      if (this.#eat(op)) gold.set = { op, right: this.#query() };
    return gold;
  }

  /** Names of tables by what they are called in the query. */
  #from(): Map<string, string> {
    let depth = 0;
    for (; this.#at < this.#tokens.length; this.#at += 1) {
      if (this.#word === "(") depth += 1;
      if (this.#word === ")") depth -= 1;
      if (depth < 0 || (depth === 0 && this.#word === "from")) break;
    }
    this.#need("from");
    if (this.#word === "(") throw new Unread();
    const aliases = new Map<string, string>();
    do {
      const name = this.#take().toLowerCase();
      this.#table(name);
      aliases.set(name, name);
      this.#eat("as");
      if (/^[a-z_]\w*$/.test(this.#word) && !KEYWORDS.has(this.#word))
        aliases.set(this.#take().toLowerCase(), name);
      if (this.#eat("on"))
        do this.#at += 3;
        while (this.#eat("and"));
    } while (this.#eat("join") || this.#eat(","));
    return aliases;
  }

  #table(name: string): number {
    const ds = this.#columns.find(({ table }) => table.toLowerCase() === name)?.ds;
    const found = this.#schema.tables.findIndex((table) => table.ds === ds);
    if (ds === undefined || found === -1) throw new Unread();
    return found;
  }

  #column(word: string, aliases: ReadonlyMap<string, string>): number {
    const name = word.toLowerCase().replaceAll('"', "");
    if (name === "*" || name.endsWith(".*")) return -1;
    const [alias, own] = name.includes(".") ? (name.split(".") as [string, string]) : [undefined, name];
    const tables = alias === undefined ? [...new Set(aliases.values())] : [aliases.get(alias)];
    for (const table of tables) {
      const known = this.#columns.find(
        (each) => each.table.toLowerCase() === table && each.column.toLowerCase() === own,
      );
      const found = this.#schema.columns.find(({ ds, field }) => ds === known?.ds && field === known.field);
      if (found !== undefined) return found.index;
    }
    throw new Unread();
  }

  #item(aliases: ReadonlyMap<string, string>): GoldItem {
    const isCall = /^(count|sum|avg|min|max)$/.test(this.#word) && this.#tokens[this.#at + 1] === "(";
    const item: GoldItem = { agg: isCall ? this.#word : "", isDistinct: false, column: -1 };
    if (isCall) {
      this.#at += 2;
      item.isDistinct = this.#eat("distinct");
    }
    item.column = this.#column(this.#take(), aliases);
    if (isCall) this.#need(")");
    if (/^[-+*/]$/.test(this.#word)) throw new Unread();
    return item;
  }

  #value(): string | number {
    const sign = this.#eat("-") ? -1 : 1;
    const text = this.#take();
    if (/^["']/.test(text)) return text.slice(1, -1);
    if (/^\d/.test(text)) return sign * Number(text);
    throw new Unread();
  }

  #conditions(out: GoldCondition[], gold: Gold, aliases: ReadonlyMap<string, string>): void {
    for (;;) {
      const { agg, column } = this.#item(aliases);
      const isDenied = this.#eat("not");
      const sign = this.#take().toLowerCase();
      const condition: GoldCondition = { agg, column, op: sign === "<>" ? "!=" : sign, isDenied };
      if (sign === "between") {
        condition.value = this.#value();
        this.#need("and");
        condition.value2 = this.#value();
      } else if (this.#eat("(")) {
        condition.sub = this.#query();
        this.#need(")");
      } else if (/^[a-z_]/.test(this.#word)) this.#column(this.#take(), aliases);
      else condition.value = this.#value();
      out.push(condition);
      if (this.#eat("and")) continue;
      if (!this.#eat("or")) return;
      gold.isAny = true;
    }
  }
}

/** A query and those inside of it. */
export function allIn(gold: Gold): Gold[] {
  const inside = [...gold.where, ...gold.having].flatMap(({ sub }) => (sub === undefined ? [] : allIn(sub)));
  return [gold, ...(gold.set === undefined ? [] : allIn(gold.set.right)), ...inside];
}

/** The kind of draft that would say it. */
export function kindOf(gold: Gold): (typeof KINDS)[number] {
  if (gold.set !== undefined) return gold.set.op as "except" | "intersect" | "union";
  if (gold.where.some(({ sub, isDenied, op }) => sub !== undefined && (isDenied || op === "!=")))
    return "except";
  const nested = gold.where.find(({ sub }) => sub !== undefined);
  if (nested !== undefined) {
    const agg = nested.sub?.select[0]?.agg ?? "";
    if (agg === "") return "sub";
    return /max|min/.test(agg) && nested.op === "=" ? "top" : "cmpagg";
  }
  if (gold.having.length > 0) return "having";
  const [isGrouped, isOrdered] = [gold.group.length > 0, gold.order.length > 0];
  if (isOrdered && gold.limit > 0) return isGrouped ? "gtop" : "top";
  if (isGrouped) return isOrdered ? "grouporder" : "group";
  if (isOrdered) return "order";
  return gold.select.some(({ agg }) => agg !== "") ? "agg" : "plain";
}

/** The right choice of each head. */
export function headsOf(gold: Gold): Record<Head, number> {
  const conditions = allIn(gold).flatMap(({ where }) => where.filter(({ sub }) => sub === undefined));
  const [order] = gold.order;
  const [having] = gold.having;
  const most = (count: number, last: number) => String(Math.min(last, count));
  const said: Record<Head, string> = {
    kind: kindOf(gold),
    counts: gold.select.some(({ agg }) => agg === "count") ? "1" : "0",
    shown: most(gold.select.filter(({ agg }) => agg !== "count").length, 4),
    distinct: gold.isDistinct || gold.select.some((item) => item.isDistinct) ? "1" : "0",
    direction: order === undefined ? "" : gold.direction,
    tables: most(gold.tables.length, 3),
    conditions: most(conditions.length, 3),
    any: gold.isAny ? "1" : "0",
    order:
      order === undefined ? "none" : order.agg === "count" ? "count" : order.agg === "" ? "column" : "agg",
    limit: gold.limit === 0 ? "0" : gold.limit === 1 ? "1" : "n",
    having: having?.op ?? "",
    denied: conditions.some(({ op, isDenied }) => op === "!=" || isDenied) ? "1" : "0",
    all: gold.select.some(({ column, agg }) => column < 0 && agg === "") ? "1" : "0",
  };
  const place = (head: Head) => Math.max(0, (HEADS[head] as readonly string[]).indexOf(said[head]));
  return Object.fromEntries(Object.keys(HEADS).map((head) => [head, place(head as Head)])) as Record<
    Head,
    number
  >;
}

export function operatorOf({ op, isDenied }: GoldCondition): string {
  if (!isDenied) return op;
  return op === "like" ? "like" : "!=";
}

/** The condition of the gold that a column and value are in. */
export function conditionFor(
  gold: Gold,
  { columns }: LinkSchema,
  { column, value }: Pick<Condition, "column" | "value">,
  how: { isPart: boolean; isDate: boolean },
): GoldCondition | undefined {
  const isSameColumn = (a: number, b: number) => {
    const [one, other] = [columns[a], columns[b]];
    if (a === b) return true;
    if (one === undefined || other === undefined) return false;
    return one.foreign === b || other.foreign === a || (one.foreign >= 0 && one.foreign === other.foreign);
  };
  const text = (each: unknown) => String(each).replaceAll("%", "").toLowerCase();
  return allIn(gold)
    .flatMap(({ where }) => where)
    .find((each) => {
      if (each.sub !== undefined || each.value === undefined || !isSameColumn(each.column, column))
        return false;
      if (how.isPart) return each.op === "like" && text(each.value) === text(value);
      if (how.isDate) return text(each.value).includes(text(value));
      if (each.op === "like") return false;
      return [each.value, each.value2].some(
        (own) =>
          own !== undefined &&
          (typeof value === "number" ? Number(own) === value : text(own) === text(value)),
      );
    });
}
