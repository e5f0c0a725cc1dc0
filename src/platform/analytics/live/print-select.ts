import { AppError } from "../../../kernel/errors.ts";
import type { Column, QueryParam } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";
import type { Dialect, Printed } from "./dialects/dialect.ts";
import {
  commonType,
  directionOf,
  FOLDED,
  key,
  NO_VALUE,
  type Printing,
  printExpression,
} from "./print-expression.ts";
import {
  child,
  holds,
  isSameNode,
  type Node,
  nodes,
  type Scope,
  type Source,
  text,
  untranslatable,
} from "./tree.ts";

/** A view as a SELECT in the dialect. */
export interface PrintedView {
  name: string;
  sql: string;
  columns: readonly Column[];
}

interface Select {
  sql: string;
  columns: readonly Column[];
}

interface PrintOptions {
  dialect: Dialect;
  params: readonly QueryParam[];
  /** By their names in lower case; those that a schema hides have it before their names. */
  views: ReadonlyMap<string, PrintedView>;
  isAggregate(name: string): boolean;
}

type Tables = Scope["tables"];

/** Writes a statement in the dialect of a database, from the tree that DuckDB's own parser has made of it. */
export function printSelect(statement: Node, options: PrintOptions): Select {
  const select = new SelectPrinter(options).query(child(statement, "node") ?? {}, new Map(), undefined);
  if (select.sql.includes(NO_VALUE)) throw untranslatable("A span of time as a value", options.dialect.title);
  return select;
}

class SelectPrinter {
  readonly #options: PrintOptions;
  readonly #dialect: Dialect;
  #last = 0;
  #written = 0;

  constructor(options: PrintOptions) {
    this.#options = options;
    this.#dialect = options.dialect;
  }

  #spend(characters: number): void {
    const { sqlCharacters, liveCharactersWritten } = LIMITS.analytics;
    this.#written += characters;
    if (characters <= sqlCharacters && this.#written <= liveCharactersWritten) return;
    throw new AppError("too_large", `In ${this.#dialect.title}, this statement becomes too long.`, {
      hint: "Nest fewer divisions and casts, or compute them in a subquery of their own.",
    });
  }

  query(node: Node, tables: Tables, outer: Scope | undefined): Select {
    const { ctes, known } = this.#commonTables(node, tables, outer);
    const select = this.#body(node, known, outer);
    return ctes.length === 0 ? select : { ...select, sql: `WITH ${ctes.join(", ")} ${select.sql}` };
  }

  #body(node: Node, tables: Tables, outer: Scope | undefined): Select {
    if (node.type === "SET_OPERATION_NODE") return this.#setOperation(node, tables, outer);
    if (node.type === "SELECT_NODE") return this.#select(node, tables, outer);
    throw this.#cannot(node.type === "RECURSIVE_CTE_NODE" ? "WITH RECURSIVE" : text(node.type));
  }

  #commonTables(node: Node, tables: Tables, outer: Scope | undefined): { ctes: string[]; known: Tables } {
    const known = new Map(tables);
    const ctes: string[] = [];
    for (const entry of nodes(child(node, "cte_map")?.map)) {
      const value = child(entry, "value") ?? {};
      const body = child(child(value, "query") ?? {}, "node") ?? {};
      const { sql, columns } = this.query(body, known, outer);
      const names = (value.aliases as string[] | undefined) ?? [];
      const shown = columns.map((column, i) => ({ ...column, name: names[i] ?? column.name }));
      // A name of its own: one that is also the name of a table would be taken for that.
      const name = `${text(entry.key)}_${this.#next()}`;
      const list =
        names.length === 0 ? "" : ` (${shown.map((column) => this.#quote(column.name)).join(", ")})`;
      ctes.push(`${this.#quote(name)}${list} AS (${sql})`);
      known.set(key(text(entry.key)), { name, columns: shown });
    }
    return { ctes, known };
  }

  #select(node: Node, tables: Tables, outer: Scope | undefined): Select {
    const sources: Source[] = [];
    const scope: Scope = { sources, aliases: new Map(), outer, tables };
    const from = this.#from(child(node, "from_table"), scope);
    const items = nodes(node.select_list).flatMap((each) => this.#expanded(each, scope));
    const series = this.#series(items, from);
    if (series !== undefined) return series;
    for (const { node: item } of items)
      if (text(item.alias) !== "" && !scope.aliases.has(key(text(item.alias))))
        scope.aliases.set(key(text(item.alias)), { ...item, alias: "" });
    const print = (each: Node) => this.#expression(each, scope);
    const printed = items.map(({ node: item }) => print(item));
    const columns = named(items.map(({ name }) => name)).map((name, i) => ({
      name,
      type: printed[i]?.type ?? "",
    }));
    const list = printed.map(({ sql }, i) => `${sql} AS ${this.#quote(columns[i]?.name ?? "")}`);
    const where = child(node, "where_clause");
    const having = child(node, "having");
    const clauses = [
      ...(from === "" ? [] : [`FROM ${from}`]),
      ...(where === undefined ? [] : [`WHERE ${print(where).sql}`]),
      ...this.#groups(
        node,
        items.map(({ node: item }) => item),
        scope,
      ),
      ...(having === undefined ? [] : [`HAVING ${print(having).sql}`]),
    ].join(" ");
    if (child(node, "sample") !== undefined) throw this.#cannot("A sample");
    const modifiers = nodes(node.modifiers);
    const distinct = modifiers.find(({ type }) => type === "DISTINCT_MODIFIER");
    if (nodes(distinct?.distinct_on_targets).length > 0) throw this.#cannot("DISTINCT ON");
    const orders = this.#orders(
      modifiers,
      items.map(({ node: item }) => item),
      scope,
    );
    const limit = this.#limit(modifiers, scope);
    const qualify = child(node, "qualify");
    if (qualify === undefined && (distinct === undefined || orders.length === 0)) {
      const by = orders.map(({ order, printed: each }) => this.#dialect.order({ key: each, ...order }));
      const order = by.length === 0 ? "" : ` ORDER BY ${by.join(", ")}`;
      const word = distinct === undefined ? "SELECT" : "SELECT DISTINCT";
      return { sql: `${word} ${list.join(", ")} ${clauses}${order}${limit}`, columns };
    }
    const hidden = orders.map(({ printed: each, at }, i) =>
      at === undefined ? `${each.sql} AS ${this.#quote(`_o${i}`)}` : "",
    );
    if (distinct !== undefined && hidden.some((each) => each !== ""))
      throw this.#cannot("DISTINCT with an order by something else");
    const chosen = qualify === undefined ? [] : [`${print(qualify).sql} AS ${this.#quote("_q")}`];
    const all = [...list, ...hidden.filter((each) => each !== ""), ...chosen].join(", ");
    const isDistinctBelow = distinct !== undefined && qualify === undefined;
    const inner = `SELECT ${isDistinctBelow ? "DISTINCT " : ""}${all} ${clauses}`;
    const outside = orders.map(({ at, printed: each, order }, i) => ({
      order,
      key: { ...each, sql: this.#quote(at === undefined ? `_o${i}` : (columns[at]?.name ?? "")) },
    }));
    const word = distinct !== undefined && !isDistinctBelow ? "SELECT DISTINCT" : "SELECT";
    return this.#around(inner, columns, {
      word,
      where: qualify === undefined ? "" : ` WHERE ${this.#quote("_q")}`,
      orders: outside,
      limit,
    });
  }

  /** A SELECT over another one that has already got its columns. */
  #around(
    inner: string,
    columns: readonly Column[],
    {
      word = "SELECT",
      where = "",
      orders,
      limit,
    }: {
      word?: string;
      where?: string;
      orders: readonly { key: Printed; order: Direction }[];
      limit: string;
    },
  ): Select {
    const names = columns.map(({ name }) => this.#quote(name)).join(", ");
    const by = orders.map(({ key: printed, order }) => this.#dialect.order({ key: printed, ...order }));
    const order = by.length === 0 ? "" : ` ORDER BY ${by.join(", ")}`;
    return {
      sql: `${word} ${names} FROM (${inner}) AS ${this.#quote(`q_${this.#next()}`)}${where}${order}${limit}`,
      columns,
    };
  }

  #setOperation(node: Node, tables: Tables, outer: Scope | undefined): Select {
    const sides = [child(node, "left"), child(node, "right")].map((side) =>
      this.query(side ?? {}, tables, outer),
    );
    const [left, right] = sides as [Select, Select];
    const kind = text(node.setop_type);
    const word = { UNION: "UNION", UNION_BY_NAME: "UNION", EXCEPT: "EXCEPT", INTERSECT: "INTERSECT" }[kind];
    if (word === undefined) throw this.#cannot(kind);
    const isByName = kind === "UNION_BY_NAME";
    const names = isByName
      ? named([...new Set([...left.columns, ...right.columns].map(({ name }) => name))])
      : [];
    const typeOf = ({ columns }: Select, name: string) =>
      columns.find((each) => key(each.name) === key(name))?.type;
    const columns = isByName
      ? names.map((name) => ({ name, type: typeOf(left, name) || typeOf(right, name) || "" }))
      : left.columns.map(({ name, type }, i) => ({
          name,
          type: commonType([
            { sql: "", type },
            { sql: "", type: right.columns[i]?.type ?? "" },
          ]),
        }));
    const written = sides.map((side) => {
      // Some databases allow neither brackets nor an order there.
      const items = isByName
        ? columns.map(({ name, type }) => {
            const has = typeOf(side, name) !== undefined;
            const empty = this.#dialect.cast({ sql: "NULL", type: "" }, type) ?? "NULL";
            return has ? this.#quote(name) : `${empty} AS ${this.#quote(name)}`;
          })
        : side.columns.map(({ name }) => this.#quote(name));
      return `SELECT ${items.join(", ")} FROM (${side.sql}) AS ${this.#quote(`q_${this.#next()}`)}`;
    });
    const sql = written.join(node.setop_all === true ? ` ${word} ALL ` : ` ${word} `);
    const modifiers = nodes(node.modifiers);
    if (modifiers.length === 0) return { sql, columns };
    const scope: Scope = { sources: [{ name: "", columns }], aliases: new Map(), outer, tables };
    const orders = nodes(modifiers.find(({ type }) => type === "ORDER_MODIFIER")?.orders).map((order) => {
      const expression = child(order, "expression") ?? {};
      const at =
        ordinal(expression) ?? columns.findIndex(({ name }) => key(name) === key(nameOf(expression)));
      const column = columns[at];
      if (column === undefined) throw this.#cannot("An order of a UNION by something else than its columns");
      return { key: { sql: this.#quote(column.name), type: column.type }, order: directionOf(order) };
    });
    return this.#around(sql, columns, { orders, limit: this.#limit(modifiers, scope) });
  }

  #from(node: Node | undefined, scope: Scope): string {
    switch (node?.type) {
      case undefined:
      case "EMPTY":
        return "";
      case "BASE_TABLE":
        return this.#table(node, scope);
      case "SUBQUERY": {
        const inner = this.query(
          child(child(node, "subquery") ?? {}, "node") ?? {},
          scope.tables,
          scope.outer,
        );
        return this.#derived(node, inner, scope);
      }
      case "JOIN":
        return this.#join(node, scope);
      case "EXPRESSION_LIST":
        return this.#derived(node, this.#values(node, scope), scope);
      case "TABLE_FUNCTION":
        return this.#tableFunction(node, scope);
      default:
        throw this.#cannot(text(node?.type));
    }
  }

  #table(node: Node, scope: Scope): string {
    if (child(node, "sample") !== undefined) throw this.#cannot("A sample");
    const name = text(node.table_name);
    const schema = text(node.schema_name);
    const alias = text(node.alias) || name;
    const cte = schema === "" ? scope.tables.get(key(name)) : undefined;
    if (cte !== undefined) {
      const name = this.#quote(cte.name);
      if (nodes(node.column_name_alias).length > 0)
        return this.#derived(
          { ...node, alias },
          { sql: `SELECT * FROM ${name}`, columns: cte.columns },
          scope,
        );
      scope.sources.push({ name: alias, columns: cte.columns });
      return `${name} AS ${this.#quote(alias)}`;
    }
    const view = this.#options.views.get(key(schema === "" ? name : `${schema}.${name}`));
    if (view === undefined) throw this.#cannot(`The table ${name}`);
    return this.#derived({ ...node, alias }, view, scope);
  }

  #derived(node: Node, { sql, columns }: Select, scope: Scope): string {
    const alias = text(node.alias) || `t_${this.#next()}`;
    const names = (node.column_name_alias as string[] | undefined) ?? [];
    const shown = columns.map((column, i) => ({ ...column, name: names[i] ?? column.name }));
    scope.sources.push({ name: alias, columns: shown });
    if (names.length === 0) return `(${sql}) AS ${this.#quote(alias)}`;
    // Not all databases take a list of names behind an alias.
    const items = columns.map(
      ({ name }, i) => `${this.#quote(name)} AS ${this.#quote(shown[i]?.name ?? name)}`,
    );
    return `(SELECT ${items.join(", ")} FROM (${sql}) AS ${this.#quote(`q_${this.#next()}`)}) AS ${this.#quote(alias)}`;
  }

  #join(node: Node, scope: Scope): string {
    const kind = text(node.ref_type);
    if (kind !== "REGULAR" && kind !== "CROSS" && kind !== "NATURAL") throw this.#cannot(`${kind} JOIN`);
    const left = this.#from(child(node, "left"), scope);
    const before = scope.sources.length;
    const right = this.#from(child(node, "right"), scope);
    if (kind === "CROSS") return `${left} CROSS JOIN ${right}`;
    const type = {
      INNER: "JOIN",
      LEFT: "LEFT JOIN",
      RIGHT: "RIGHT JOIN",
      OUTER: "FULL JOIN",
      FULL: "FULL JOIN",
    }[text(node.join_type)];
    if (type === undefined || (type === "FULL JOIN" && !this.#dialect.hasFullJoin))
      throw this.#cannot(`${text(node.join_type)} JOIN`);
    const condition = child(node, "condition");
    if (condition !== undefined) {
      // What stands to the right in brackets is one source to the left.
      const on = this.#expression(condition, scope).sql;
      return `${left} ${type} ${child(node, "right")?.type === "JOIN" ? `(${right})` : right} ON ${on}`;
    }
    const using = (node.using_columns as string[] | undefined) ?? this.#sharedNames(scope, before);
    if (using.length === 0) throw this.#cannot("A JOIN without a condition");
    const shared = new Set(using.map(key));
    for (const [i, source] of scope.sources.entries())
      if (i >= before)
        scope.sources[i] = { ...source, merged: new Set([...(source.merged ?? []), ...shared]) };
    const names = using.map((name) => this.#quote(this.#ownName(scope, name)));
    return `${left} ${type} ${right} USING (${names.join(", ")})`;
  }

  #ownName({ sources }: Scope, name: string): string {
    return (
      sources.flatMap(({ columns }) => columns).find((column) => key(column.name) === key(name))?.name ?? name
    );
  }

  #sharedNames({ sources }: Scope, before: number): string[] {
    const names = (some: readonly Source[]) => some.flatMap(({ columns }) => columns.map(({ name }) => name));
    const right = new Set(names(sources.slice(before)).map(key));
    return names(sources.slice(0, before)).filter((name) => right.has(key(name)));
  }

  #values(node: Node, scope: Scope): Select {
    const rows = (node.values as Node[][] | undefined) ?? [];
    const printed = rows.map((row) => row.map((each) => this.#expression(each, scope)));
    const given = (node.expected_names as string[] | undefined) ?? [];
    const columns = (rows[0] ?? []).map((_, i) => ({
      name: given[i] ?? `col${i}`,
      type: commonType(printed.map((row) => row[i] ?? { sql: "", type: "" })),
    }));
    const typed = (each: Printed, type: string) =>
      type === "" ? each.sql : (this.#dialect.cast(each, type) ?? each.sql);
    const selects = printed.map(
      (row) =>
        `SELECT ${row.map((each, i) => `${typed(each, columns[i]?.type ?? "")} AS ${this.#quote(columns[i]?.name ?? "")}`).join(", ")}`,
    );
    return { sql: selects.join(" UNION ALL "), columns };
  }

  #tableFunction(node: Node, scope: Scope): string {
    const called = child(node, "function");
    const [folded] =
      called?.class === FOLDED
        ? [called]
        : nodes(called?.children).filter((each) => each.class === FOLDED && Array.isArray(each.value));
    if (folded === undefined) throw this.#cannot(`The table function ${text(called?.function_name)}`);
    const name = text(called?.function_name) || "generate_series";
    const type = itemType(text(folded.valueType));
    const sql = this.#dialect.unnest(folded.value as unknown[], type, name);
    return this.#derived(
      { ...node, alias: text(node.alias) || name },
      { sql, columns: [{ name, type }] },
      scope,
    );
  }

  /** SELECT unnest(…) of known values and of nothing else. */
  #series(items: readonly Item[], from: string): Select | undefined {
    const called = items.find(({ node }) => node.class === "FUNCTION" && node.function_name === "unnest");
    if (called === undefined) return undefined;
    const [list] = nodes(called.node.children);
    if (items.length > 1 || from !== "" || list?.class !== FOLDED || !Array.isArray(list.value))
      throw this.#cannot("unnest of what the rows hold");
    const type = itemType(text(list.valueType));
    const { name } = called;
    return { sql: this.#dialect.unnest(list.value, type, name), columns: [{ name, type }] };
  }

  #expanded(node: Node, scope: Scope): Item[] {
    if (node.class !== "STAR") return [{ node, name: text(node.alias) || nameOf(node) || defaultName(node) }];
    if (node.columns === true || child(node, "expr") !== undefined || nodes(node.rename_list).length > 0)
      throw this.#cannot("COLUMNS(…)");
    const relation = text(node.relation_name);
    const excluded = new Set(
      ((node.exclude_list as unknown[] | undefined) ?? []).map((each) => key(excludedName(each))),
    );
    const replaced = new Map(
      nodes(node.replace_list).map((each) => [key(text(each.key)), child(each, "value")]),
    );
    const sources =
      relation === "" ? scope.sources : scope.sources.filter(({ name }) => key(name) === key(relation));
    return sources.flatMap(({ name: source, columns, merged }) =>
      columns.flatMap(({ name }): Item[] => {
        if (excluded.has(key(name)) || (relation === "" && merged?.has(key(name)))) return [];
        const isShared = relation === "" && scope.sources.some((each) => each.merged?.has(key(name)));
        const own: Node = { class: "COLUMN_REF", column_names: isShared ? [name] : [source, name] };
        return [{ node: replaced.get(key(name)) ?? own, name }];
      }),
    );
  }

  #groups(node: Node, items: readonly Node[], scope: Scope): string[] {
    if (node.aggregate_handling === "FORCE_AGGREGATES") {
      const places = items.flatMap((item, i) => (this.#isAggregated(item) ? [] : [String(i + 1)]));
      return places.length === 0 ? [] : [`GROUP BY ${places.join(", ")}`];
    }
    const groups = nodes(node.group_expressions).map((each) => this.#group(each, items, scope));
    if (groups.length === 0) return [];
    const sets = (node.group_sets as number[][] | undefined) ?? [];
    if (sets.length <= 1) return [`GROUP BY ${groups.join(", ")}`];
    if (!this.#dialect.hasGroupingSets) throw this.#cannot("Several sets of groups (ROLLUP, CUBE)");
    return [
      `GROUP BY GROUPING SETS (${sets.map((set) => `(${set.map((i) => groups[i]).join(", ")})`).join(", ")})`,
    ];
  }

  /** By its place where it is one of the items, so that both are the same for every database. */
  #group(node: Node, items: readonly Node[], scope: Scope): string {
    const place = ordinal(node);
    if (place !== undefined) return String(place + 1);
    const name = nameOf(node);
    const isColumn = scope.sources.some(({ columns }) =>
      columns.some((column) => key(column.name) === key(name)),
    );
    const at = items.findIndex(
      (item) => isSameNode(item, node) || (!isColumn && name !== "" && key(text(item.alias)) === key(name)),
    );
    return at === -1 ? this.#expression(node, scope).sql : String(at + 1);
  }

  #isAggregated(node: Node): boolean {
    return holds(
      node,
      (each) => each.class === "FUNCTION" && this.#options.isAggregate(text(each.function_name)),
    );
  }

  #orders(
    modifiers: readonly Node[],
    items: readonly Node[],
    scope: Scope,
  ): { printed: Printed; at: number | undefined; order: Direction }[] {
    const found = nodes(modifiers.find(({ type }) => type === "ORDER_MODIFIER")?.orders);
    return found.flatMap((order) => {
      const expression = child(order, "expression") ?? {};
      if (expression.class === "STAR")
        return items.map((item, i) => ({
          printed: this.#expression(item, scope),
          at: i,
          order: directionOf(order),
        }));
      const name = nameOf(expression);
      const place = ordinal(expression);
      const byName = name === "" ? -1 : items.findIndex((item) => key(text(item.alias)) === key(name));
      const same = byName === -1 ? items.findIndex((item) => isSameNode(item, expression)) : byName;
      const at = place ?? (same === -1 ? undefined : same);
      const meant = at === undefined ? expression : items[at];
      if (meant === undefined) throw this.#cannot(`ORDER BY ${(place ?? 0) + 1}`);
      return [{ printed: this.#expression(meant, scope), at, order: directionOf(order) }];
    });
  }

  #limit(modifiers: readonly Node[], scope: Scope): string {
    const limit = modifiers.find(({ type }) => type === "LIMIT_MODIFIER");
    if (modifiers.some(({ type }) => type === "LIMIT_PERCENT_MODIFIER"))
      throw this.#cannot("A LIMIT in percent");
    const [most, first] = [child(limit ?? {}, "limit"), child(limit ?? {}, "offset")].map(
      (each) => each && this.#wholeNumber(this.#expression(each, scope)),
    );
    return `${most === undefined ? "" : ` LIMIT ${most}`}${first === undefined || first === 0 ? "" : ` OFFSET ${first}`}`;
  }

  #wholeNumber({ constant }: Printed): number {
    const number = Number(constant ?? Number.NaN);
    if (Number.isSafeInteger(number) && number >= 0) return number;
    throw this.#cannot("A LIMIT that is no whole number");
  }

  #expression(node: Node, scope: Scope): Printed {
    const printing: Printing = {
      dialect: this.#dialect,
      params: this.#options.params,
      spend: (characters) => this.#spend(characters),
      subquery: (inner, outer) => this.query(inner, outer.tables, outer),
    };
    return printExpression(node, scope, printing);
  }

  #quote(name: string): string {
    return this.#dialect.quoteName(name);
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  #cannot(what: string): Error {
    return untranslatable(what, this.#dialect.title);
  }
}

interface Item {
  node: Node;
  name: string;
}

type Direction = ReturnType<typeof directionOf>;

/** What the parser calls a column that has no other name. */
function nameOf(node: Node): string {
  return node.class === "COLUMN_REF" ? ((node.column_names as string[] | undefined)?.at(-1) ?? "") : "";
}

function defaultName(node: Node): string {
  return node.class === "FUNCTION" && node.function_name === "count_star"
    ? "count_star()"
    : text(node.function_name) || "value";
}

/** Names that come again get a number: a subquery has each once. */
function named(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = seen.get(key(name)) ?? 0;
    seen.set(key(name), count + 1);
    return count === 0 ? name : `${name}_${count}`;
  });
}

/** The place that a whole number means in GROUP BY and ORDER BY. */
function ordinal(node: Node): number | undefined {
  const value = node.class === "CONSTANT" ? child(node, "value")?.value : undefined;
  return typeof value === "number" && Number.isInteger(value) ? value - 1 : undefined;
}

function excludedName(value: unknown): string {
  return typeof value === "string"
    ? value
    : text((value as Node | null)?.column ?? (value as Node | null)?.name);
}

function itemType(list: string): string {
  return list.replace(/\[\d*\]$/, "");
}
