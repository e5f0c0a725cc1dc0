import type { AppError } from "../../../kernel/errors.ts";
import { quoteText } from "../../../kernel/sql-text.ts";
import type { ComparisonOperator, Expression, ExpressionOf } from "./ast.ts";
import { asMoment, asNumber, asText, isDateText, momentIn, numberIn, writtenDate } from "./coerce.ts";
import { compileExpression, isKnownName } from "./compile-expression.ts";
import { argumentOf } from "./parameters.ts";
import { printExpression } from "./print.ts";
import { errorAt, nameAsText, nearestField, type Scope } from "./scope.ts";
import {
  BOOLEAN,
  type Constant,
  constantValue,
  converted,
  DATE,
  derived,
  describeKind,
  isMidnight,
  isMoment,
  isNested,
  isNumber,
  isOpaque,
  type LocalTime,
  timestampSql,
  timestamptzSql,
  type Value,
  type ValueType,
} from "./value.ts";

const SQL_OPERATORS: Readonly<Record<ComparisonOperator, string>> = {
  "=": "=",
  "!=": "<>",
  ">": ">",
  ">=": ">=",
  "<": "<",
  "<=": "<=",
};

export function compileComparison(scope: Scope, node: ExpressionOf<"comparison">): Value {
  const { operator, left, right } = node;
  if (right.kind === "parameter") {
    const argument = argumentOf(right, scope.environment);
    if (argument.kind === "range") return compileRange(scope, node, argument);
    if (argument.kind === "list") return compileList(scope, node, argument.values);
  }
  const subject = { node: left, value: compileExpression(scope, left) };
  return compare(scope, subject, operator, { node: right, value: valueOrText(scope, right) });
}

/** Of a range, `>=` takes the start and `<=` the end; `=` means within. */
function compileRange(
  scope: Scope,
  { operator, left, right }: ExpressionOf<"comparison">,
  { from, to }: { from: Constant; to: Constant },
): Value {
  const subject = { node: left, value: compileExpression(scope, left) };
  const side = (constant: Constant): Side => ({
    node: right,
    value: constantValue(constant, scope.environment),
  });
  if (operator === "=" || operator === "!=") {
    return between(scope, subject, [side(from), side(to)], operator === "!=");
  }
  return compare(scope, subject, operator, side(operator.startsWith(">") ? from : to));
}

/** Several values after `=` mean one of them. */
function compileList(
  scope: Scope,
  { operator, left, right }: ExpressionOf<"comparison">,
  values: Constant[],
): Value {
  if (operator !== "=" && operator !== "!=") {
    throw errorAt(scope, right.span, {
      message: `a parameter with several values cannot be compared with ${operator}.`,
      hint: "Use it with in or =.",
    });
  }
  const subject = { node: left, value: compileExpression(scope, left) };
  const sides = values.map((constant) => ({
    node: right,
    value: constantValue(constant, scope.environment),
  }));
  return within(scope, subject, sides, operator === "!=");
}

/** Operand of a comparison: a name that is no field is a text. */
function valueOrText(scope: Scope, node: Expression): Value {
  if (node.kind === "arithmetic") refuseBareText(scope, node);
  if (node.kind !== "name" && node.kind !== "access") return compileExpression(scope, node);
  const isName = node.kind === "name" || node.target.kind === "name";
  const text = isName ? nameAsText(node) : undefined;
  if (text === undefined) return compileExpression(scope, node);
  return isKnownName(scope, node)
    ? compileExpression(scope, node)
    : constantValue({ kind: "text", value: text }, scope.environment);
}

/** `= Follow-up` reads as a subtraction; if its parts are no fields, a text was meant. */
function refuseBareText(scope: Scope, node: ExpressionOf<"arithmetic">): void {
  const names = [node.left, node.right].filter((each) => each.kind === "name" || each.kind === "access");
  const unknown = names.find((each) => nameAsText(each) !== undefined && !isKnownName(scope, each));
  if (unknown === undefined) return;
  const written = scope.environment.text.slice(node.span.start, node.span.end) || printExpression(node);
  throw errorAt(scope, node.span, {
    message: `there is no field "${printExpression(unknown)}".`,
    hint: `If a text is meant, put it in single quotes: '${written.replaceAll("'", "''")}'.`,
  });
}

function compare(scope: Scope, left: Side, operator: ComparisonOperator, right: Side): Value {
  const isEquality = operator === "=" || operator === "!=";
  if (right.value.constant?.kind === "null" && isEquality) {
    const not = operator === "!=" ? " NOT" : "";
    return derived([left.value], `(${left.value.sql} IS${not} NULL)`, BOOLEAN);
  }
  const [a, b] = reconcile(scope, left, right, isEquality ? "equality" : "order");
  const onDay = compareDay(scope, a, operator, b) ?? compareDay(scope, b, TURNED[operator], a);
  return onDay ?? derived([a, b], `(${a.sql} ${SQL_OPERATORS[operator]} ${b.sql})`, BOOLEAN);
}

/** The same with its sides exchanged. */
const TURNED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  "=": "=",
  "!=": "!=",
  ">": "<",
  ">=": "<=",
  "<": ">",
  "<=": ">=",
};

/** A date next to a time means the whole day: what is on it, before it, after it. */
function compareDay(
  scope: Scope,
  subject: Value,
  operator: ComparisonOperator,
  { constant }: Value,
): Value | undefined {
  if (!isDayBeside(subject, constant)) return undefined;
  const isEquality = operator === "=" || operator === "!=";
  if (constant.isStart && !isEquality) return undefined;
  const at = (time: LocalTime) =>
    subject.type.kind === "timestamptz"
      ? timestamptzSql(time, scope.environment.timezone)
      : timestampSql(time);
  const [start, next] = [at(constant.time), at(constant.time.add({ days: 1 }))];
  const tests: Readonly<Record<ComparisonOperator, string>> = {
    "=": `(${subject.sql} >= ${start} AND ${subject.sql} < ${next})`,
    "!=": `(${subject.sql} < ${start} OR ${subject.sql} >= ${next})`,
    ">": `(${subject.sql} >= ${next})`,
    ">=": `(${subject.sql} >= ${start})`,
    "<": `(${subject.sql} < ${start})`,
    "<=": `(${subject.sql} < ${next})`,
  };
  return derived([subject], tests[operator], BOOLEAN);
}

function isDayBeside(subject: Value, constant: Constant | undefined): constant is Moment {
  const hasTime = subject.type.kind === "timestamp" || subject.type.kind === "timestamptz";
  return hasTime && subject.constant === undefined && constant?.kind === "moment" && !constant.hasClock;
}

type Moment = Extract<Constant, { kind: "moment" }>;

export function compileIn(scope: Scope, { left, values, negated }: ExpressionOf<"in">): Value {
  const subject = { node: left, value: compileExpression(scope, left) };
  const sides = values.flatMap((node): Side[] => {
    if (node.kind !== "parameter") return [{ node, value: valueOrText(scope, node) }];
    const argument = argumentOf(node, scope.environment);
    if (argument.kind === "range") {
      throw errorAt(scope, node.span, {
        message: "a range cannot stand in a list.",
        hint: "Use it with between.",
      });
    }
    const constants = argument.kind === "list" ? argument.values : [argument.value];
    return constants.map((constant) => ({ node, value: constantValue(constant, scope.environment) }));
  });
  return within(scope, subject, sides, negated);
}

/** One of several values. Null is a value here: `in ('a', null)` finds what has none. */
function within(scope: Scope, subject: Side, sides: readonly Side[], negated: boolean): Value {
  const others = sides.filter(({ value }) => value.constant?.kind !== "null");
  const constants = others.filter(({ value }) => value.constant !== undefined);
  const fields = others.filter(({ value }) => value.constant === undefined);
  const tests: Value[] = [];
  if (constants.length > 0) {
    // A list with other texts in it is a list of texts, also those that look like dates.
    const hasOther = constants.some(
      ({ value: { constant } }) => constant?.kind === "text" && !meansDate(scope, subject.value, constant),
    );
    const pairs = constants
      .map((side) => fitConstant(scope, subject, side, hasOther ? "listed" : "equality"))
      .map(([form, constant]) => dayOf(scope, subject, form, constant));
    // The subject has more than one form when the list mixes texts and dates.
    const forms = Map.groupBy(pairs, ([form]) => form.sql);
    for (const [sql, group] of forms) {
      const list = group.map(([, constant]) => constant.sql).join(", ");
      tests.push(derived(group.flat(), `(${sql} IN (${list}))`, BOOLEAN));
    }
  }
  for (const field of fields) tests.push(compare(scope, subject, "=", field));
  if (others.length < sides.length)
    tests.push(derived([subject.value], `(${subject.value.sql} IS NULL)`, BOOLEAN));
  if (tests.length === 0) return derived([subject.value], negated ? "TRUE" : "FALSE", BOOLEAN);
  const any = tests.length === 1 ? (tests[0] as Value).sql : `(${tests.map(({ sql }) => sql).join(" OR ")})`;
  return derived(tests, negated ? `(NOT ${any})` : any, BOOLEAN);
}

/** Days in a list are compared with the day of the subject. */
function dayOf(scope: Scope, { node }: Side, form: Value, value: Value): [Value, Value] {
  const { constant } = value;
  if (!isDayBeside(form, constant)) return [form, value];
  const { sql } = asMoment(scope, node, form);
  return [converted(form, `CAST(${sql} AS DATE)`, DATE), constantValue(constant, scope.environment)];
}

export function compileBetween(scope: Scope, { left, low, high, negated }: ExpressionOf<"between">): Value {
  const subject = { node: left, value: compileExpression(scope, left) };
  if (high !== undefined) {
    const ends = [low, high].map((node) => ({ node, value: valueOrText(scope, node) })) as [Side, Side];
    return between(scope, subject, ends, negated);
  }
  const argument = low.kind === "parameter" ? argumentOf(low, scope.environment) : undefined;
  const pair = argument?.kind === "list" && argument.values.length === 2 ? argument.values : undefined;
  const [from, to] = argument?.kind === "range" ? [argument.from, argument.to] : (pair ?? []);
  if (from === undefined || to === undefined) {
    throw errorAt(scope, low.span, {
      message: "between needs a parameter that holds a range.",
      hint: "Give it as { from, to }, or write between low and high.",
    });
  }
  const ends = [from, to].map((constant) => ({
    node: low,
    value: constantValue(constant, scope.environment),
  }));
  return between(scope, subject, ends as [Side, Side], negated);
}

/** Written as two comparisons, because the ends may differ in kind; DuckDB plans both the same. */
function between(scope: Scope, subject: Side, [low, high]: readonly [Side, Side], negated: boolean): Value {
  const from = compare(scope, subject, ">=", low);
  const to = compare(scope, subject, "<=", high);
  const both = `(${from.sql} AND ${to.sql})`;
  return derived([from, to], negated ? `(NOT ${both})` : both, BOOLEAN);
}

/**
 * `%` is any text, `_` any character, `\` takes their meaning; without `%`, the pattern may stand anywhere. Upper and
 * lower case are the same.
 */
export function compileLike(scope: Scope, { left, pattern, negated }: ExpressionOf<"like">): Value {
  const subject = compileExpression(scope, left);
  refuseNested(scope, { node: left, value: subject });
  const value = valueOrText(scope, pattern);
  const text = asText(subject).sql;
  const not = negated ? "NOT " : "";
  const { constant } = value;
  if (constant?.kind !== "text" && constant?.kind !== "number") {
    // A pattern from a field has no wildcards.
    return derived(
      [subject, value],
      `(${not}contains(lower(${text}), lower(${asText(value).sql})))`,
      BOOLEAN,
    );
  }
  const written = likePattern(constant.kind === "number" ? constant.text : constant.value);
  const bound = constant.kind === "text" && constant.bound === true ? { bound: true as const } : {};
  const fitted = constantValue({ kind: "text", value: written, ...bound }, scope.environment);
  // With an escape, DuckDB cannot turn the pattern into a plain search.
  const suffix = written.includes("\\") ? " ESCAPE '\\'" : "";
  return derived([subject], `(${text} ${not}ILIKE ${fitted.sql}${suffix})`, BOOLEAN);
}

function likePattern(written: string): string {
  const endsInEscape = (/\\*$/.exec(written)?.[0].length ?? 0) % 2 === 1;
  const whole = endsInEscape ? `${written}\\` : written;
  return whole.includes("%") ? whole : `%${whole}%`;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A value with the place it came from. */
interface Side {
  readonly node: Expression;
  readonly value: Value;
}

/** `order` asks which comes first; `listed` is one of several texts that are not all dates. */
type Comparing = "equality" | "order" | "listed";

/** Both sides made comparable: the constant is fitted to the other side, so that the column stays bare. */
function reconcile(scope: Scope, one: Side, other: Side, comparing: Comparing): [Value, Value] {
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

function refuseNested(scope: Scope, { node, value }: Side): void {
  if (!isNested(value.type)) return;
  throw errorAt(scope, node.span, {
    message: `this is ${describeKind(value.type)} and cannot be compared.`,
    hint: "Follow a path to one value (items[0].price), or make rows of it first: select expand(items); select …",
  });
}

/** A constant in the form that suits the other side. */
function fitConstant(scope: Scope, subject: Side, constant: Side, comparing: Comparing): [Value, Value] {
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
function meansDate(scope: Scope, subject: Value, constant: Constant): boolean {
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
  return errorAt(scope, node.span, { message, hint: "Write dates like 2024-01-31 or '2024-01-31'." });
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
  return errorAt(scope, node.span, { message, ...(advice === undefined ? {} : { hint: advice }) });
}
