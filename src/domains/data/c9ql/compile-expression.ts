import type { CallNode, DateTokenNode, Expression, ExpressionOf, NameNode } from "./ast.ts";
import { Arguments, asCondition, asMoment, asNumber, unify, writtenDate } from "./coerce.ts";
import { compileBetween, compileComparison, compileIn, compileLike } from "./compare.ts";
import { formatTime, javaPattern } from "./date-functions.ts";
import { findFunction, type Over, type RowFunctionSpec } from "./functions.ts";
import { argumentOf, tokenTime } from "./parameters.ts";
import { bindName, errorAt, followSteps, type Scope, unknownField } from "./scope.ts";
import {
  BIGINT,
  BOOLEAN,
  constantValue,
  DATE,
  DOUBLE,
  derived,
  isMoment,
  isNumber,
  NUMBER,
  TIMESTAMP,
  type Value,
} from "./value.ts";

/** An expression in SQL. What is grouped by counts as no field that is read. */
export function compileExpression(scope: Scope, node: Expression): Value {
  const value = compileNode(scope, node);
  if (value.free === undefined || scope.groupKeys?.has(value.sql) !== true) return value;
  const { free: _, ...grouped } = value;
  return grouped;
}

function compileNode(scope: Scope, node: Expression): Value {
  const { environment } = scope;
  switch (node.kind) {
    case "text":
      return constantValue({ kind: "text", value: node.value }, environment);
    case "number":
      return compileNumber(scope, node);
    case "boolean":
      return constantValue({ kind: "boolean", value: node.value }, environment);
    case "null":
      return constantValue({ kind: "null" }, environment);
    case "star":
      throw errorAt(scope, node.span, {
        message: "* stands for all fields only on its own or in count(*).",
      });
    case "name":
      return compileName(scope, node);
    case "access":
      return compileAccess(scope, node);
    case "token":
      return compileToken(scope, node);
    case "parameter":
      return compileParameter(scope, node);
    case "call":
      return compileCall(scope, node);
    case "window":
      return compileWindow(scope, node);
    case "negate":
      return compileNegation(scope, node);
    case "arithmetic":
      return compileArithmetic(scope, node);
    case "comparison":
      return compileComparison(scope, node);
    case "like":
      return compileLike(scope, node);
    case "in":
      return compileIn(scope, node);
    case "between":
      return compileBetween(scope, node);
    case "isnull": {
      const operand = compileExpression(scope, node.operand);
      return derived([operand], `(${operand.sql} IS ${node.negated ? "NOT " : ""}NULL)`, BOOLEAN);
    }
    case "not": {
      const operand = compileCondition(scope, node.operand);
      return derived([operand], `(NOT ${operand.sql})`, BOOLEAN);
    }
    case "and":
    case "or": {
      const operands = node.operands.map((each) => compileCondition(scope, each));
      const sql = operands.map((each) => each.sql).join(node.kind === "and" ? " AND " : " OR ");
      return derived(operands, `(${sql})`, BOOLEAN);
    }
    case "case":
      return compileCase(scope, node);
  }
}

export function compileCondition(scope: Scope, node: Expression): Value {
  return asCondition(scope, node, compileExpression(scope, node));
}

/** Digits beyond what any number holds would come out as infinity. */
function compileNumber(scope: Scope, { text, span }: ExpressionOf<"number">): Value {
  if (!Number.isFinite(Number(text))) throw errorAt(scope, span, { message: "this number is too large." });
  return constantValue({ kind: "number", text }, scope.environment);
}

/** True if a name resolves to a column or an alias. */
export function isKnownName(scope: Scope, node: NameNode | ExpressionOf<"access">): boolean {
  return aliased(scope, node) !== undefined || bindName(scope, node) !== undefined;
}

function aliased(scope: Scope, node: NameNode | ExpressionOf<"access">): Expression | undefined {
  return node.kind === "name" ? scope.aliases?.get(node.text.toLowerCase()) : undefined;
}

function compileName(scope: Scope, node: NameNode): Value {
  const bound = bindName(scope, node);
  if (bound !== undefined) return bound;
  const meant = aliased(scope, node);
  if (meant === undefined) throw unknownField(scope, node);
  // An alias of an alias would let a short text become a long query.
  const { aliases: _, ...without } = scope;
  return compileExpression(without, meant);
}

function compileAccess(scope: Scope, node: ExpressionOf<"access">): Value {
  if (node.target.kind === "call") {
    return followSteps(scope, node, compileExpression(scope, node.target), node.steps);
  }
  const bound = bindName(scope, node);
  if (bound === undefined) throw unknownField(scope, node);
  return bound;
}

function compileToken(scope: Scope, node: DateTokenNode): Value {
  const { time, hasClock } = tokenTime(node, scope.environment.now);
  if (node.format === undefined)
    return constantValue({ kind: "moment", time, hasClock, isStart: true }, scope.environment);
  const pattern = javaPattern(node.format);
  if (!pattern.ok) throw errorAt(scope, node.span, { message: pattern.problem });
  return constantValue({ kind: "text", value: formatTime(pattern.format, time) }, scope.environment);
}

function compileParameter(scope: Scope, node: ExpressionOf<"parameter">): Value {
  const argument = argumentOf(node, scope.environment);
  const only = argument.kind === "list" && argument.values.length === 1 ? argument.values[0] : undefined;
  const constant = argument.kind === "single" ? argument.value : only;
  if (constant !== undefined) return constantValue(constant, scope.environment);
  throw errorAt(scope, node.span, {
    message: `the parameter "${node.name}" holds ${argument.kind === "range" ? "a range" : "several values"}.`,
    hint: "Use a list with in, a range with between.",
  });
}

function compileCall(scope: Scope, node: CallNode): Value {
  const found = findFunction(scope, node);
  if (found.kind === "rows") return compileAlongRows(scope, node, found.spec);
  const isAggregate = found.kind === "aggregate";
  const values = compileArguments(scope, node, isAggregate);
  const { sql, type } = found.spec.compile(new Arguments(scope, node, values));
  const value = derived(values, sql, type);
  if (!isAggregate) return value;
  const nested = values.find(({ hasAggregate, hasWindow }) => hasAggregate || hasWindow);
  if (nested !== undefined) {
    throw errorAt(scope, node.span, {
      message: `${node.name} cannot be taken of another aggregate.`,
      hint: "Do it in two statements: select …, sum(x) as total group by …; select avg(total)",
    });
  }
  const { free: _, ...aggregate } = value;
  return { ...aggregate, hasAggregate: true };
}

/** A value that depends on the rows before, in the order that the statement gives them. */
function compileAlongRows(
  scope: Scope,
  node: CallNode,
  spec: RowFunctionSpec,
  partitionBy: readonly Expression[] = [],
): Value {
  const values = compileArguments(scope, node, false);
  const keys = partitionBy.map((key) => compileExpression(scope, key));
  const parts = [...values, ...keys];
  if (parts.some(({ hasWindow }) => hasWindow)) {
    throw errorAt(scope, node.span, {
      message: `${node.name} cannot be taken of what looks at other rows itself.`,
      hint: "Use two statements: select *, accumulate(x) as total; select *, delta(total)",
    });
  }
  const { order: rowOrder = "", groups: rowGroups = [] } = scope.rows ?? {};
  const own = spec.groupsFrom === undefined ? [] : values.slice(spec.groupsFrom);
  const groups = [...own, ...keys].map(({ sql }) => sql);
  const partition = [...groups, ...rowGroups].join(", ");
  const over: Over = (frame, order = rowOrder) => {
    const clauses = [partition && `PARTITION BY ${partition}`, order && `ORDER BY ${order}`, frame];
    return ` OVER (${clauses.filter((clause) => clause !== "").join(" ")})`;
  };
  const { sql, type } = spec.compile(new Arguments(scope, node, values), over);
  return { ...derived(parts, sql, type), hasWindow: true, alongRows: true };
}

function compileArguments(scope: Scope, node: CallNode, isAggregate: boolean): Value[] {
  return node.args.map((arg) => {
    // count(*) counts rows, whatever they hold.
    if (arg.kind === "star" && isAggregate && node.name === "count")
      return constantValue({ kind: "null" }, scope.environment);
    return compileExpression(scope, arg);
  });
}

/** An aggregate over the rows of a partition; each row keeps its own. Its argument may be an aggregate of a group. */
function compileWindow(scope: Scope, { call, partitionBy, span }: ExpressionOf<"window">): Value {
  const found = findFunction(scope, call);
  if (found.kind === "rows") return compileAlongRows(scope, call, found.spec, partitionBy);
  if (found.kind !== "aggregate") {
    throw errorAt(scope, span, { message: `${call.name} is no aggregate and takes no over (…).` });
  }
  const values = compileArguments(scope, call, true);
  const keys = partitionBy.map((key) => compileExpression(scope, key));
  if ([...values, ...keys].some(({ hasWindow }) => hasWindow)) {
    throw errorAt(scope, span, { message: "over (…) cannot be nested.", hint: "Use two statements." });
  }
  const { sql, type, over } = found.spec.compile(new Arguments(scope, call, values));
  const partition = keys.length === 0 ? "" : `PARTITION BY ${keys.map((key) => key.sql).join(", ")}`;
  const window = ` OVER (${partition})`;
  return { ...derived([...values, ...keys], over?.(window) ?? `${sql}${window}`, type), hasWindow: true };
}

function compileCase(scope: Scope, { branches, otherwise }: ExpressionOf<"case">): Value {
  const conditions = branches.map(({ condition }) => compileCondition(scope, condition));
  const nodes = [...branches.map(({ value }) => value), ...(otherwise === undefined ? [] : [otherwise])];
  const compiled = nodes.map((node) => compileExpression(scope, node));
  const [values, type] = unify(scope, nodes, compiled);
  const whens = conditions.map(({ sql }, index) => `WHEN ${sql} THEN ${values[index]?.sql}`);
  const last = otherwise === undefined ? "" : ` ELSE ${values.at(-1)?.sql}`;
  return derived([...conditions, ...values], `CASE ${whens.join(" ")}${last} END`, type);
}

const DAY_MICROS = 86_400_000_000;

function compileNegation(scope: Scope, { operand }: ExpressionOf<"negate">): Value {
  const value = asNumber(scope, operand, compileExpression(scope, operand));
  if (value.constant?.kind === "number" && !value.constant.text.startsWith("-")) {
    return constantValue({ kind: "number", text: `-${value.constant.text}` }, scope.environment);
  }
  return derived([value], `(- ${value.sql})`, NUMBER);
}

function compileArithmetic(scope: Scope, node: ExpressionOf<"arithmetic">): Value {
  const [left, right] = compileSides(scope, node);
  if (isMoment(left.type) || isMoment(right.type)) return compileDates(scope, node, left, right);
  const a = asNumber(scope, node.left, left);
  const b = asNumber(scope, node.right, right);
  switch (node.operator) {
    case "^":
      return derived([a, b], `pow(${a.sql}, ${b.sql})`, DOUBLE);
    case "/":
      return derived([a, b], `(${a.sql} / ${divisor(b)})`, { kind: "float" });
    case "%":
      return derived([a, b], `(${a.sql} % ${divisor(b)})`, NUMBER);
    default:
      return derived([a, b], `(${a.sql} ${node.operator} ${b.sql})`, NUMBER);
  }
}

/** In a difference with a date, `10/15/2026` is one. */
function compileSides(scope: Scope, node: ExpressionOf<"arithmetic">): [left: Value, right: Value] {
  const left = compileExpression(scope, node.left);
  const right = compileExpression(scope, node.right);
  const isWritten = (side: Expression) => writtenDate(side, scope.environment.timezone) !== undefined;
  if (node.operator !== "-" || isMoment(left.type) === isMoment(right.type)) return [left, right];
  if (isWritten(node.left)) return [asMoment(scope, node.left, left), right];
  return isWritten(node.right) ? [left, asMoment(scope, node.right, right)] : [left, right];
}

/** Division by zero is null, not infinity. */
function divisor({ sql, constant }: Value): string {
  const isSafe = constant?.kind === "number" && Number(constant.text) !== 0;
  return isSafe ? sql : `nullif(${sql}, 0)`;
}

/** A date plus or minus days, or the days between two dates. */
function compileDates(scope: Scope, node: ExpressionOf<"arithmetic">, left: Value, right: Value): Value {
  const { operator } = node;
  if (operator === "-" && isMoment(left.type) && isMoment(right.type))
    return compileDifference(scope, node, left, right);
  if (isMoment(left.type) && !isMoment(right.type) && (operator === "+" || operator === "-")) {
    return shiftDays(scope, { date: node.left, days: node.right }, left, right, operator);
  }
  if (isMoment(right.type) && !isMoment(left.type) && operator === "+") {
    return shiftDays(scope, { date: node.right, days: node.left }, right, left, operator);
  }
  throw errorAt(scope, node.span, {
    message: `dates cannot be computed with ${operator}.`,
    hint: "Add days to a date, subtract two dates, or use date_add and date_delta.",
  });
}

function compileDifference(scope: Scope, node: ExpressionOf<"arithmetic">, left: Value, right: Value): Value {
  const a = asMoment(scope, node.left, left);
  const b = asMoment(scope, node.right, right);
  if (a.type.kind === "date" && b.type.kind === "date")
    return derived([a, b], `(${a.sql} - ${b.sql})`, BIGINT);
  return derived([a, b], `((epoch_us(${a.sql}) - epoch_us(${b.sql})) / ${DAY_MICROS})`, DOUBLE);
}

function shiftDays(
  scope: Scope,
  nodes: { date: Expression; days: Expression },
  date: Value,
  days: Value,
  operator: "+" | "-",
): Value {
  const moment = asMoment(scope, nodes.date, date);
  const number = asNumber(scope, nodes.days, days);
  if (!isNumber(number.type) && number.type.kind !== "null" && number.type.kind !== "other") {
    throw errorAt(scope, nodes.days.span, { message: "a number of days is needed." });
  }
  const whole = `CAST(${number.sql} AS INTEGER)`;
  if (moment.type.kind === "date")
    return derived([moment, number], `(${moment.sql} ${operator} ${whole})`, DATE);
  return derived([moment, number], `(${moment.sql} ${operator} to_days(${whole}))`, TIMESTAMP);
}
