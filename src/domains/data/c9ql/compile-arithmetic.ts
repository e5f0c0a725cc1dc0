import type { Expression, ExpressionOf } from "./ast.ts";
import { asMoment, asNumber } from "./coerce.ts";
import { compileExpression } from "./compile-expression.ts";
import { writtenDate } from "./date-text.ts";
import { complain, type Scope } from "./scope.ts";
import { constantValue, derived, type Value } from "./value.ts";
import { BIGINT, DATE, DOUBLE, isMoment, isNumber, NUMBER, TIMESTAMP } from "./value-type.ts";

const DAY_MICROS = 86_400_000_000;

export function compileNegation(scope: Scope, { operand }: ExpressionOf<"negate">): Value {
  const value = asNumber(scope, operand, compileExpression(scope, operand));
  if (value.constant?.kind === "number" && !value.constant.text.startsWith("-")) {
    return constantValue({ kind: "number", text: `-${value.constant.text}` }, scope.environment);
  }
  return derived([value], `(- ${value.sql})`, NUMBER);
}

export function compileArithmetic(scope: Scope, node: ExpressionOf<"arithmetic">): Value {
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
  throw complain(scope, node.span, {
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
    throw complain(scope, nodes.days.span, { message: "a number of days is needed." });
  }
  const whole = `CAST(${number.sql} AS INTEGER)`;
  if (moment.type.kind === "date")
    return derived([moment, number], `(${moment.sql} ${operator} ${whole})`, DATE);
  return derived([moment, number], `(${moment.sql} ${operator} to_days(${whole}))`, TIMESTAMP);
}
