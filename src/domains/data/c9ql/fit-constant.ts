import type { AppError } from "../../../kernel/errors.ts";
import { quoteText } from "../../../kernel/sql-text.ts";
import type { Expression } from "./ast.ts";
import { nearestField } from "./bind-name.ts";
import { asMoment, asNumber, asText, momentIn, numberIn } from "./coerce.ts";
import { isDateText, writtenDate } from "./date-text.ts";
import { isMidnight } from "./local-time.ts";
import { printExpression } from "./print.ts";
import { complain, type Scope } from "./scope.ts";
import { type Constant, constantValue, timestampSql, timestamptzSql, type Value } from "./value.ts";
import { describeKind, isMoment, isNested, isNumber, isOpaque, type ValueType } from "./value-type.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A value with the place it came from. */
export interface Side {
  readonly node: Expression;
  readonly value: Value;
}

/** `order` asks which comes first; `listed` is one of several texts that are not all dates. */
export type Comparing = "equality" | "order" | "listed";

/** Both sides made comparable: the constant is fitted to the other side, so that the column stays bare. */
export function reconcile(scope: Scope, one: Side, other: Side, comparing: Comparing): [Value, Value] {
  const left = dateBeside(scope, one, other);
  const right = dateBeside(scope, other, one);
  if (right.value.constant !== undefined) return fitConstant(scope, left, right, comparing);
  if (left.value.constant !== undefined) {
    const [b, a] = fitConstant(scope, right, left, comparing);
    return [a, b];
  }
  const { type: a } = left.value;
  const { type: b } = right.value;
  refuseNested(scope, left);
  refuseNested(scope, right);
  if ((isOpaque(a) || isOpaque(b)) && a.sql !== b.sql) return [asText(left.value), asText(right.value)];
  if (isNumber(a) !== isNumber(b) && (isNumber(a) || isNumber(b)) && canBeNumber(a) && canBeNumber(b)) {
    return [asNumber(scope, left.node, left.value), asNumber(scope, right.node, right.value)];
  }
  if ((isMoment(a) && isNumber(b)) || (isNumber(a) && isMoment(b))) {
    throw dateMisfit(scope, isNumber(a) ? left.node : right.node);
  }
  if (isMoment(a) !== isMoment(b)) {
    return [asMoment(scope, left.node, left.value), asMoment(scope, right.node, right.value)];
  }
  if (a.kind === "timestamptz" && b.kind === "timestamptz") return [left.value, right.value];
  if (isMoment(a) && isMoment(b)) {
    return [asMoment(scope, left.node, left.value), asMoment(scope, right.node, right.value)];
  }
  if (a.kind === b.kind || (isNumber(a) && isNumber(b)) || a.kind === "other" || b.kind === "other") {
    return [left.value, right.value];
  }
  return [asText(left.value), asText(right.value)];
}

/** `10/15/2026` next to a date, or to a text that may be one, is no division. */
function dateBeside(scope: Scope, side: Side, { value: { type } }: Side): Side {
  const isExpected = isMoment(type) || isReadable(type);
  if (side.value.constant !== undefined || !isExpected) return side;
  const date = writtenDate(side.node, scope.environment.timezone);
  if (date === undefined) return side;
  return { node: side.node, value: constantValue({ kind: "moment", ...date }, scope.environment) };
}

function isReadable({ kind }: ValueType): boolean {
  return kind === "text" || kind === "json";
}

function canBeNumber(type: ValueType): boolean {
  return isNumber(type) || isReadable(type) || type.kind === "boolean";
}

export function refuseNested(scope: Scope, { node, value }: Side): void {
  if (!isNested(value.type)) return;
  throw complain(scope, node.span, {
    message: `this is ${describeKind(value.type)} and cannot be compared.`,
    hint: "Follow a path to one value (items[0].price), or make rows of it first: select expand(items); select …",
  });
}

/** A constant in the form that suits the other side. */
export function fitConstant(
  scope: Scope,
  subject: Side,
  constant: Side,
  comparing: Comparing,
): [Value, Value] {
  const value = constant.value.constant as Constant;
  const { type } = subject.value;
  if (value.kind === "null" || (type.kind === "other" && !isOpaque(type)))
    return [subject.value, constant.value];
  refuseNested(scope, subject);
  if (type.sql === "UUID" && value.kind === "text" && UUID.test(value.value)) {
    return [subject.value, { ...constant.value, sql: `CAST(${quoteText(value.value)} AS UUID)` }];
  }
  if (isNumber(type)) return [subject.value, fitNumber(scope, subject, constant, value)];
  if (isMoment(type)) return [subject.value, fitMoment(scope, type, constant, value)];
  if (type.kind === "boolean") return [subject.value, fitBoolean(scope, constant, value)];
  if (type.kind === "time") return [subject.value, fitClock(scope, constant, value)];
  if (value.kind === "moment" && !isOpaque(type))
    return [asMoment(scope, subject.node, subject.value), constant.value];
  if (value.kind === "text" && comparing !== "listed" && meansDate(scope, subject.value, value)) {
    const moment = momentIn(scope, constant.node, value.value);
    return [asMoment(scope, subject.node, subject.value), constantValue(moment, scope.environment)];
  }
  const text = asText(subject.value);
  if (value.kind === "number" && comparing === "order")
    return [asNumber(scope, subject.node, text), constant.value];
  return [text, asWrittenText(scope, constant.value, value)];
}

/** A text in the query that is a date, next to texts in the data: they are compared as dates, however written. */
export function meansDate(scope: Scope, subject: Value, constant: Constant): boolean {
  const isData = isReadable(subject.type) && subject.constant === undefined;
  return isData && constant.kind === "text" && isDateText(constant.value, scope.environment.timezone);
}

/** A number keeps its digits as they are written: `007` is another text than `7`. */
function asWrittenText(scope: Scope, value: Value, constant: Constant): Value {
  if (constant.kind === "text") return value;
  const written = constant.kind === "number" ? constant.text : undefined;
  return written === undefined
    ? asText(value)
    : constantValue({ kind: "text", value: written }, scope.environment);
}

function fitNumber(scope: Scope, subject: Side, { node }: Side, constant: Constant): Value {
  const number = constant.kind === "text" ? numberIn(constant.value) : constant;
  if (number?.kind === "number") return constantValue(number, scope.environment);
  if (number?.kind === "boolean") {
    return constantValue({ kind: "number", text: number.value ? "1" : "0" }, scope.environment);
  }
  throw misfit(scope, node, `${printExpression(subject.node)} is a number, and this is none.`);
}

function fitMoment(scope: Scope, type: ValueType, { node }: Side, constant: Constant): Value {
  const moment = constant.kind === "text" ? momentIn(scope, node, constant.value) : constant;
  if (moment.kind !== "moment") {
    throw dateMisfit(scope, node);
  }
  const value = constantValue(moment, scope.environment);
  if (type.kind === "timestamptz")
    return { ...value, sql: timestamptzSql(moment.time, scope.environment.timezone) };
  if (type.kind === "timestamp") return { ...value, sql: timestampSql(moment.time) };
  // Midnight as a date keeps the column free of a cast, and the filter near the data.
  const bare: Constant = { ...moment, hasClock: !isMidnight(moment.time) };
  return constantValue(bare, scope.environment);
}

function dateMisfit(scope: Scope, node: Expression): AppError {
  const message = "a date cannot be compared with this.";
  return complain(scope, node.span, { message, hint: "Write dates like 2024-01-31 or '2024-01-31'." });
}

const BOOLEAN_WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  "1": true,
  false: false,
  no: false,
  "0": false,
};

function fitBoolean(scope: Scope, { node }: Side, constant: Constant): Value {
  if (constant.kind === "boolean") return constantValue(constant, scope.environment);
  const word = constant.kind === "text" ? constant.value.trim().toLowerCase() : "";
  const key = constant.kind === "number" ? constant.text : word;
  if (!Object.hasOwn(BOOLEAN_WORDS, key)) throw misfit(scope, node, "this is neither true nor false.");
  return constantValue({ kind: "boolean", value: BOOLEAN_WORDS[key] as boolean }, scope.environment);
}

function fitClock(scope: Scope, { node, value }: Side, constant: Constant): Value {
  const text = constant.kind === "text" ? constant.value.trim() : "";
  if (!/^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?$/.test(text)) {
    throw misfit(scope, node, "this is no time of day.", "Write times like '10:30' or '10:30:00'.");
  }
  return { ...value, sql: `CAST(${quoteText(text)} AS TIME)` };
}

function misfit(scope: Scope, node: Expression, message: string, hint?: string): AppError {
  const meant = node.kind === "name" ? nearestField(scope, node.text) : undefined;
  const advice = meant === undefined ? hint : `Did you mean the field ${meant}?`;
  return complain(scope, node.span, { message, ...(advice === undefined ? {} : { hint: advice }) });
}
