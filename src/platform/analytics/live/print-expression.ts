import { clip } from "../../../kernel/text.ts";
import type { Column, QueryParam } from "../analytics-options.ts";
import { RESULT_TYPES } from "./dialects/common.ts";
import type { Dialect, Printed, SpanPart, SpanUnit } from "./dialects/dialect.ts";
import { child, type Node, nodes, type Scope, text, typeOf, untranslatable } from "./tree.ts";

/** What whoever prints expressions needs of whoever prints SELECTs. */
export interface Printing {
  dialect: Dialect;
  params: readonly QueryParam[];
  /** Counts what was written: arguments that a dialect writes twice double it at each level of nesting. */
  spend(characters: number): void;
  /** A SELECT inside of an expression. */
  subquery(node: Node, outer: Scope): { sql: string; columns: readonly Column[] };
}

/** Folded by DuckDB itself: `value` and `valueType` stand in the place of the expression (`fold-constants.ts`). */
export const FOLDED = "FOLDED";

export function printExpression(node: Node, scope: Scope, printing: Printing): Printed {
  const printed = printNode(node, scope, printing);
  printing.spend(printed.sql.length);
  return printed;
}

function printNode(node: Node, scope: Scope, printing: Printing): Printed {
  const print = (each: unknown) => printExpression(each as Node, scope, printing);
  const { dialect } = printing;
  switch (node.class) {
    case FOLDED:
      return literal(node.value, text(node.valueType), dialect);
    case "CONSTANT":
      return constant(node, dialect);
    case "PARAMETER":
      return parameter(text(node.identifier), printing);
    case "COLUMN_REF":
      return columnRef(node, scope, printing);
    case "CAST": {
      const value = print(node.child);
      const type = typeOf(child(node, "cast_type"));
      const sql = node.try_cast === true ? undefined : dialect.cast(value, type);
      if (sql === undefined)
        throw untranslatable(`${node.try_cast ? "TRY_CAST" : "CAST"} to ${type}`, dialect.title);
      return { sql, type };
    }
    case "COMPARISON":
      return comparison(text(node.type), print(node.left), print(node.right), dialect);
    case "BETWEEN": {
      const [input, lower, upper] = [print(node.input), print(node.lower), print(node.upper)];
      const both = [
        comparison("COMPARE_GREATERTHANOREQUALTO", input, lower, dialect),
        comparison("COMPARE_LESSTHANOREQUALTO", input, upper, dialect),
      ];
      return truth(`(${both.map(({ sql }) => sql).join(" AND ")})`);
    }
    case "CONJUNCTION": {
      const word = node.type === "CONJUNCTION_OR" ? " OR " : " AND ";
      return truth(
        `(${nodes(node.children)
          .map((each) => print(each).sql)
          .join(word)})`,
      );
    }
    case "OPERATOR":
      return operator(node, print, dialect);
    case "CASE": {
      const checks = nodes(node.case_checks).map((each) => ({
        when: print(each.when_expr),
        value: print(each.then_expr),
      }));
      const other = print(node.else_expr);
      const cases = checks.map(({ when, value }) => `WHEN ${when.sql} THEN ${value.sql}`).join(" ");
      return {
        sql: `CASE ${cases} ELSE ${other.sql} END`,
        type: commonType([...checks.map(({ value }) => value), other]),
      };
    }
    case "FUNCTION":
      return call(node, scope, printing);
    case "WINDOW":
      return window(node, scope, printing);
    case "SUBQUERY":
      return subquery(node, scope, printing);
    case "COLLATE":
      throw untranslatable("COLLATE", dialect.title);
    default:
      throw untranslatable(`${clip(text(node.class).toLowerCase())} expressions`, dialect.title);
  }
}

function truth(sql: string): Printed {
  return { sql, type: "BOOLEAN" };
}

function constant(node: Node, dialect: Dialect): Printed {
  const value = child(node, "value") ?? {};
  const type = typeOf(child(value, "type"));
  if (value.is_null === true) return { sql: "NULL", type: "" };
  if (type.startsWith("DECIMAL")) {
    const scale = Number(/,(\d+)\)/.exec(type)?.[1] ?? 0);
    if (!Number.isSafeInteger(value.value)) throw longNumber(dialect);
    const digits = String(Math.abs(value.value as number)).padStart(scale + 1, "0");
    const sign = (value.value as number) < 0 ? "-" : "";
    const sql = `${sign}${digits.slice(0, digits.length - scale)}${scale === 0 ? "" : `.${digits.slice(-scale)}`}`;
    return { sql, type, constant: Number(sql) };
  }
  return literal(value.value, type, dialect);
}

function longNumber({ title }: Dialect): Error {
  return untranslatable("A whole number of more than 15 digits", title, "Write it as a text that is cast.");
}

/** A known value; texts have no type of their own, as in DuckDB. */
function literal(value: unknown, type: string, dialect: Dialect): Printed {
  if (value === null) return { sql: "NULL", type: "" };
  if (type === "INTERVAL") return spanOf(isoSpan(String(value)), dialect);
  if (typeof value === "boolean") return { sql: value ? "TRUE" : "FALSE", type, constant: value };
  if (typeof value === "number" && type !== "DOUBLE" && type !== "FLOAT") {
    if (!Number.isSafeInteger(value) && /INT/.test(type)) throw longNumber(dialect);
    return { sql: String(value), type, constant: value };
  }
  if (type === "VARCHAR") return { sql: dialect.quoteText(String(value)), type, constant: value };
  if (typeof value === "object") throw untranslatable(`A value of the type ${type}`, dialect.title);
  const sql = dialect.cast({ sql: dialect.quoteText(plainMoment(String(value))), type: "VARCHAR" }, type);
  if (sql === undefined) throw untranslatable(`A value of the type ${type}`, dialect.title);
  return { sql, type, constant: value };
}

function plainMoment(value: string): string {
  return value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d+)?)Z?$/, "$1 $2");
}

/** Values from outside stand as literals of their own, which every database understands. */
function parameter(identifier: string, { dialect, params }: Printing): Printed {
  const param = params[Number(identifier) - 1];
  if (param === undefined || param === null) return { sql: "NULL", type: "" };
  if (typeof param === "string") return literal(param, "VARCHAR", dialect);
  if (typeof param === "boolean") return literal(param, "BOOLEAN", dialect);
  if (typeof param === "number")
    return literal(param, Number.isInteger(param) ? "BIGINT" : "DOUBLE", dialect);
  if (typeof param === "bigint") return { sql: String(param), type: "BIGINT" };
  if (param instanceof Date) return literal(param.toISOString(), "TIMESTAMP WITH TIME ZONE", dialect);
  if ("fit" in param) return fitted(param.fit, dialect);
  if ("type" in param) return literal(param.value, param.type.toUpperCase(), dialect);
  throw untranslatable("A list as a parameter", dialect.title);
}

/** Becomes what it stands beside: without quotes where it is a number, so that no database compares texts. */
function fitted(value: string, dialect: Dialect): Printed {
  const sql = dialect.quoteText(value);
  return { sql, type: "", constant: value };
}

function columnRef(node: Node, scope: Scope, printing: Printing): Printed {
  const { dialect } = printing;
  const parts = (node.column_names as string[] | undefined) ?? [];
  const [first = "", second] = parts;
  if (parts.length > 2) throw untranslatable(`${parts.join(".")} (a field inside of a value)`, dialect.title);
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const found = second === undefined ? columnIn(at, first) : columnOf(at, first, second);
    if (found !== undefined) {
      const name = dialect.quoteName(found.column.name);
      const isShared = second === undefined && found.isShared;
      return { sql: isShared ? name : `${dialect.quoteName(found.source)}.${name}`, type: found.column.type };
    }
    const alias = second === undefined ? at.aliases.get(key(first)) : undefined;
    if (alias !== undefined) {
      const { sql, ...rest } = printExpression(alias, at, printing);
      return { ...rest, sql: `(${sql})` };
    }
  }
  throw untranslatable(
    `The name ${clip(parts.join("."))}`,
    dialect.title,
    "Name columns as they are called, each with its table.",
  );
}

export function key(name: string): string {
  return name.toLowerCase();
}

interface Found {
  source: string;
  column: Column;
  /** It stands for the columns of two sources. */
  isShared: boolean;
}

function columnIn({ sources }: Scope, name: string): Found | undefined {
  const all = sources.flatMap((source) => {
    const column = source.columns.find((each) => key(each.name) === key(name));
    return column === undefined
      ? []
      : [{ source: source.name, column, isMerged: source.merged?.has(key(name)) === true }];
  });
  const [first] = all;
  return first && { ...first, isShared: all.some(({ isMerged }) => isMerged) };
}

function columnOf({ sources }: Scope, table: string, name: string): Found | undefined {
  const source = sources.find((each) => key(each.name) === key(table));
  const column = source?.columns.find((each) => key(each.name) === key(name));
  return source && column && { source: source.name, column, isShared: false };
}

const COMPARED: Readonly<Record<string, string>> = {
  COMPARE_EQUAL: "=",
  COMPARE_NOTEQUAL: "<>",
  COMPARE_LESSTHAN: "<",
  COMPARE_GREATERTHAN: ">",
  COMPARE_LESSTHANOREQUALTO: "<=",
  COMPARE_GREATERTHANOREQUALTO: ">=",
};

function comparison(type: string, a: Printed, b: Printed, dialect: Dialect): Printed {
  if (type === "COMPARE_NOT_DISTINCT_FROM") return truth(`(${dialect.isSame(a.sql, b.sql)})`);
  if (type === "COMPARE_DISTINCT_FROM") return truth(`(NOT (${dialect.isSame(a.sql, b.sql)}))`);
  const sign = COMPARED[type];
  if (sign === undefined) throw untranslatable(type, dialect.title);
  const isOrder = sign.startsWith("<") !== (sign === "<>") || sign.startsWith(">");
  const isText = a.type === "VARCHAR" || b.type === "VARCHAR";
  return truth(`(${isOrder && isText ? dialect.binary(a.sql) : a.sql} ${sign} ${b.sql})`);
}

function operator(node: Node, print: (each: unknown) => Printed, dialect: Dialect): Printed {
  const args = nodes(node.children).map(print);
  const [first, ...rest] = args.map(({ sql }) => sql);
  switch (node.type) {
    case "OPERATOR_NOT":
      return truth(`(NOT ${first})`);
    case "OPERATOR_IS_NULL":
      return truth(`(${first} IS NULL)`);
    case "OPERATOR_IS_NOT_NULL":
      return truth(`(${first} IS NOT NULL)`);
    case "OPERATOR_COALESCE":
      return { sql: `coalesce(${args.map(({ sql }) => sql).join(", ")})`, type: commonType(args) };
    case "COMPARE_IN":
    case "COMPARE_NOT_IN":
      return truth(`(${first} ${node.type === "COMPARE_IN" ? "IN" : "NOT IN"} (${rest.join(", ")}))`);
    case "GROUPING_FUNCTION":
      return { sql: `GROUPING(${args.map(({ sql }) => sql).join(", ")})`, type: "BIGINT" };
    default:
      throw untranslatable(text(node.type).replaceAll("_", " ").toLowerCase(), dialect.title);
  }
}

/** `to_days(CAST(trunc(CAST(n AS DOUBLE)) AS INTEGER))` is how the parser writes INTERVAL (n) DAY. */
const SPANS: Readonly<Record<string, readonly [factor: number, unit: SpanUnit]>> = {
  ...{ to_years: [12, "MONTH"], to_quarters: [3, "MONTH"], to_months: [1, "MONTH"], to_weeks: [7, "DAY"] },
  ...{ to_days: [1, "DAY"], to_hours: [1, "HOUR"], to_minutes: [1, "MINUTE"], to_seconds: [1, "SECOND"] },
};

function call(node: Node, scope: Scope, printing: Printing): Printed {
  const { dialect } = printing;
  const name = text(node.function_name).toLowerCase();
  const args = nodes(node.children).map((each) => printExpression(each, scope, printing));
  const [a, b] = args;
  const spanned = SPANS[name];
  if (spanned !== undefined && a !== undefined) {
    const [factor, unit] = spanned;
    return spanOf([{ n: factor === 1 ? a.sql : `(${a.sql}) * ${factor}`, unit }], dialect);
  }
  const arithmetic = a === undefined ? undefined : calculated(name, a, b, dialect);
  if (arithmetic !== undefined) return arithmetic;
  const filter = child(node, "filter");
  const condition = filter && printExpression(filter, scope, printing).sql;
  const orders = ordersOf(child(node, "order_bys"), scope, printing);
  if (orders.length > 0 && !["string_agg", "list", "array_agg", "group_concat", "listagg"].includes(name))
    throw untranslatable(`ORDER BY inside of ${name}`, dialect.title);
  const isFiltered = condition !== undefined && dialect.filter === undefined;
  const given = isFiltered ? filtered(args, condition) : args;
  const isBinary = (name === "min" || name === "max") && a?.type === "VARCHAR";
  const shown = isBinary ? given.map((arg) => ({ ...arg, sql: dialect.binary(arg.sql) })) : given;
  const { inner, around } = peeled(
    functionSql(isFiltered && args.length === 0 ? "count" : name, shown, dialect),
  );
  const isPlain = /^\w+\(.*\)(?: WITHIN GROUP \(.*\))?$/s.test(inner);
  if (!isPlain && (node.distinct === true || orders.length > 0 || condition !== undefined))
    throw untranslatable(`FILTER, DISTINCT or ORDER BY with ${name}`, dialect.title);
  const distinct = node.distinct === true ? inner.replace("(", "(DISTINCT ") : inner;
  // Put together by hand: in what replaces something, "$`" of a caller's text would stand for a part of the statement.
  const ordered = orders.length > 0 ? `${distinct.slice(0, -1)} ORDER BY ${orders.join(", ")})` : distinct;
  const sql = around(
    condition !== undefined && dialect.filter !== undefined ? dialect.filter(ordered, condition) : ordered,
  );
  return { sql: isPlain ? sql : `(${sql})`, type: resultType(name, args) };
}

/** An aggregate that is cast: what says of which rows it is belongs to the aggregate itself. */
function peeled(sql: string): { inner: string; around: (inner: string) => string } {
  const [, inner, type] = /^CAST\((\w+\(.*\)) AS ([\w ]+)\)$/s.exec(sql) ?? [];
  return inner === undefined
    ? { inner: sql, around: (each) => each }
    : { inner, around: (each) => `CAST(${each} AS ${type})` };
}

function filtered(args: readonly Printed[], condition: string): Printed[] {
  if (args.length === 0) return [{ sql: `CASE WHEN ${condition} THEN 1 END`, type: "INTEGER" }];
  return args.map((arg, i) =>
    i === 0 ? { ...arg, sql: `CASE WHEN ${condition} THEN ${arg.sql} END` } : arg,
  );
}

function functionSql(name: string, args: readonly Printed[], dialect: Dialect): string {
  const { functions, title } = dialect;
  const lookUp = (wanted: string) => (Object.hasOwn(functions, wanted) ? functions[wanted] : undefined);
  const found = lookUp(`${name}/${args.length}`) ?? lookUp(name);
  const sql = typeof found === "function" ? found(args, dialect) : found && filledIn(found, args);
  if (sql === undefined || sql === "")
    throw untranslatable(`The function ${clip(name)} with ${args.length} values`, title);
  return sql;
}

/** In one pass, so that nothing inside of an argument is taken for a place. */
function filledIn(template: string, args: readonly Printed[]): string | undefined {
  const places = [...template.matchAll(/\$(\d)/g)].map(([, place]) => Number(place));
  const needed = Math.max(0, ...places);
  if (needed > args.length || (!template.includes("$*") && needed < args.length)) return undefined;
  return template.replace(/\$(\d|\*)/g, (_, place: string) =>
    place === "*" ? args.map(({ sql }) => sql).join(", ") : (args[Number(place) - 1] as Printed).sql,
  );
}

function calculated(name: string, a: Printed, b: Printed | undefined, dialect: Dialect): Printed | undefined {
  if (b === undefined) {
    if (name === "-" && a.span !== undefined)
      return spanOf(
        a.span.map(({ n, unit }) => ({ n: `-(${n})`, unit })),
        dialect,
      );
    return name === "-" || name === "+" ? { sql: `(${name}${a.sql})`, type: a.type } : undefined;
  }
  if (name === "/") return { sql: `(${dialect.divide(a, b)})`, type: "DOUBLE" };
  if (name !== "+" && name !== "-" && name !== "*") return undefined;
  const isDay = (each: Printed) => each.type === "DATE";
  const isMoment = (each: Printed) => isDay(each) || each.type.startsWith("TIMESTAMP");
  if (b.span !== undefined && name !== "*") {
    const type = a.type.startsWith("TIMESTAMP") ? a.type : "TIMESTAMP";
    return { sql: `(${dialect.addSpan(a, b.span, name)})`, type };
  }
  if (a.span !== undefined && name === "+")
    return { sql: `(${dialect.addSpan(b, a.span, "+")})`, type: "TIMESTAMP" };
  if (name === "-" && isDay(a) && isDay(b)) return { sql: dialect.daysBetween(b, a), type: "BIGINT" };
  if (name === "-" && isMoment(a) && isMoment(b))
    return {
      sql: dialect.span === undefined ? NO_VALUE : `(${a.sql} - ${b.sql})`,
      type: "INTERVAL",
      between: [b, a],
    };
  if (name !== "*" && isDay(a)) {
    const days: SpanPart[] = [{ n: b.sql, unit: "DAY" }];
    const sql = dialect.cast({ sql: dialect.addSpan(a, days, name), type: "TIMESTAMP" }, "DATE");
    return sql === undefined ? undefined : { sql, type: "DATE" };
  }
  return { sql: `(${a.sql} ${name} ${b.sql})`, type: numberType([a, b]) };
}

/** Stands for a span of time where a dialect has no values of that kind: no statement with it is run. */
export const NO_VALUE = "\u0000span";

function spanOf(span: readonly SpanPart[], dialect: Dialect): Printed {
  return { sql: dialect.span?.(span) ?? NO_VALUE, type: "INTERVAL", span };
}

/** `P1Y2M3DT4H5M6.7S`, as results show spans of time. */
function isoSpan(value: string): SpanPart[] {
  const [, years = "0", months = "0", days = "0", hours = "0", minutes = "0", seconds = "0"] =
    /^P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?)?$/.exec(
      value,
    ) ?? [];
  const micros = Math.round((Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000_000);
  const parts: SpanPart[] = [
    { n: String(Number(years) * 12 + Number(months)), unit: "MONTH" },
    { n: days, unit: "DAY" },
    micros % 1_000_000 === 0
      ? { n: String(micros / 1_000_000), unit: "SECOND" }
      : { n: String(micros), unit: "MICROSECOND" },
  ];
  const some = parts.filter(({ n }) => Number(n) !== 0);
  return some.length > 0 ? some : [{ n: "0", unit: "DAY" }];
}

function ordersOf(modifier: Node | undefined, scope: Scope, printing: Printing): string[] {
  return nodes(modifier?.orders).map((order) => {
    const printed = printExpression(child(order, "expression") ?? {}, scope, printing);
    return printing.dialect.order({ key: printed, ...directionOf(order) });
  });
}

export function directionOf(order: Node): { isDescending: boolean; isNullsFirst: boolean } {
  return { isDescending: order.type === "DESCENDING", isNullsFirst: /FIRST/.test(text(order.null_order)) };
}

const FRAMES: Readonly<Record<string, string>> = {
  UNBOUNDED_PRECEDING: "UNBOUNDED PRECEDING",
  UNBOUNDED_FOLLOWING: "UNBOUNDED FOLLOWING",
  CURRENT_ROW: "CURRENT ROW",
  EXPR_PRECEDING: "PRECEDING",
  EXPR_FOLLOWING: "FOLLOWING",
};

function window(node: Node, scope: Scope, printing: Printing): Printed {
  const { dialect } = printing;
  const name = text(node.function_name).toLowerCase();
  if (node.ignore_nulls === true || (text(node.exclude_clause) !== "" && node.exclude_clause !== "NO_OTHER"))
    throw untranslatable("IGNORE NULLS or EXCLUDE in a window", dialect.title);
  const print = (each: Node) => printExpression(each, scope, printing);
  const more = [child(node, "offset_expr"), child(node, "default_expr")].filter((each) => each !== undefined);
  const args = [...nodes(node.children), ...more].map(print);
  const filter = child(node, "filter_expr");
  const given = filter === undefined ? args : filtered(args, print(filter).sql);
  const called = functionSql(filter !== undefined && args.length === 0 ? "count" : name, given, dialect);
  const partitions = nodes(node.partitions).map((each) => print(each).sql);
  const orders = ordersOf({ orders: node.orders }, scope, printing);
  const clauses = [
    ...(partitions.length === 0 ? [] : [`PARTITION BY ${partitions.join(", ")}`]),
    ...(orders.length === 0 ? [] : [`ORDER BY ${orders.join(", ")}`]),
    ...frameOf(node, print, dialect),
  ];
  const over = ` OVER (${clauses.join(" ")})`;
  const { inner, around } = peeled(called);
  return { sql: around(`${inner}${over}`), type: resultType(name, args) };
}

function frameOf(node: Node, print: (each: Node) => Printed, dialect: Dialect): string[] {
  const ends = (["start", "end"] as const).map((end) => {
    const bound = /^(.*?)(?:_(ROWS|RANGE|GROUPS))?$/.exec(text(node[end])) ?? [];
    const [, place = "", unit] = bound;
    const expr = child(node, `${end}_expr`);
    const words = FRAMES[place];
    if (words === undefined) throw untranslatable("Such a window frame", dialect.title);
    return { unit, words: place.startsWith("EXPR") && expr ? `${print(expr).sql} ${words}` : words };
  });
  const [from, to] = ends as [{ unit?: string; words: string }, { unit?: string; words: string }];
  const unit = from.unit ?? to.unit ?? "RANGE";
  // The default frame, which functions without a frame may not even name.
  if (from.words === "UNBOUNDED PRECEDING" && to.words === "CURRENT ROW" && unit === "RANGE") return [];
  return [`${unit} BETWEEN ${from.words} AND ${to.words}`];
}

function subquery(node: Node, scope: Scope, printing: Printing): Printed {
  const { dialect } = printing;
  const inner = printing.subquery(child(child(node, "subquery") ?? {}, "node") ?? {}, scope);
  switch (node.subquery_type) {
    case "SCALAR":
      return { sql: `(${inner.sql})`, type: inner.columns[0]?.type ?? "" };
    case "EXISTS":
      return truth(`EXISTS (${inner.sql})`);
    case "NOT_EXISTS":
      return truth(`NOT EXISTS (${inner.sql})`);
    case "ANY": {
      const tested = child(node, "child") ?? {};
      const isRow = tested.class === "FUNCTION" && tested.function_name === "row";
      const values = (isRow ? nodes(tested.children) : [tested]).map(
        (each) => printExpression(each, scope, printing).sql,
      );
      const left = values.length === 1 ? values[0] : `(${values.join(", ")})`;
      if (node.comparison_type === "COMPARE_EQUAL") return truth(`(${left} IN (${inner.sql}))`);
      const sign = COMPARED[text(node.comparison_type)];
      if (sign === undefined) throw untranslatable("Such a comparison with a SELECT", dialect.title);
      return truth(`(${left} ${sign} ANY (${inner.sql}))`);
    }
    default:
      throw untranslatable("Such a SELECT inside of an expression", dialect.title);
  }
}

function resultType(name: string, args: readonly Printed[]): string {
  const type = RESULT_TYPES[name] ?? "";
  if (type === "=1") return args[0]?.type ?? "";
  if (type === "=sum") return /INT/.test(args[0]?.type ?? "") ? "HUGEINT" : (args[0]?.type ?? "");
  return type === "=arithmetic" ? numberType(args) : type;
}

function numberType(args: readonly Printed[]): string {
  const types = args.map(({ type }) => type);
  if (types.some((type) => type === "")) return types.find((type) => type === "DOUBLE") ?? "";
  if (types.some((type) => type === "DOUBLE" || type === "FLOAT")) return "DOUBLE";
  if (types.some((type) => type.startsWith("DECIMAL"))) return "DECIMAL";
  return types.every((type) => /INT/.test(type)) ? "BIGINT" : "";
}

/** Of several values in one place. */
export function commonType(values: readonly Printed[]): string {
  const types = [...new Set(values.map(({ type }) => type).filter((type) => type !== ""))];
  if (types.length <= 1) return types[0] ?? "";
  return numberType(types.map((type) => ({ sql: "", type })));
}
