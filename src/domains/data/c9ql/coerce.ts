import { AppError, isAppError } from "../../../kernel/errors.ts";
import { quoteText } from "../../../kernel/sql-text.ts";
import type { CallNode, Expression, ExpressionOf } from "./ast.ts";
import { printExpression } from "./print.ts";
import { errorAt, type Scope } from "./scope.ts";
import {
  BOOLEAN,
  type Constant,
  calendarTime,
  constantValue,
  converted,
  DATE,
  DOUBLE,
  derived,
  describeKind,
  isMoment,
  isNested,
  isNumber,
  isOpaque,
  type LocalTime,
  NUMBER,
  OTHER,
  TEXT,
  TIMESTAMP,
  type Value,
  type ValueType,
} from "./value.ts";

/** A plain number: what a text must look like to be taken for one. */
const NUMBER_TEXT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

export function numberIn(text: string): Constant | undefined {
  const trimmed = text.trim();
  if (!NUMBER_TEXT.test(trimmed) || !Number.isFinite(Number(trimmed))) return undefined;
  return { kind: "number", text: trimmed.replace(/^\+/, "").replace(/\.(?!\d)/, "") };
}

/**
 * The value as a number. A text that is none is an error, in the query and in the data, unless it is said what is meant
 * then.
 */
export function asNumber(scope: Scope, node: Expression, value: Value, otherwise?: Value): Value {
  const { type, constant } = value;
  if (isNumber(type) || isUnknown(type)) return value;
  // A bare NULL leaves DuckDB to guess which function is meant.
  if (type.kind === "null") return converted(value, `CAST(${value.sql} AS DOUBLE)`, DOUBLE);
  if (constant?.kind === "text") {
    const number = numberIn(constant.value);
    if (number !== undefined) return constantValue(number, scope.environment);
    if (otherwise !== undefined) return otherwise;
    throw errorAt(scope, node.span, {
      message: `"${constant.value}" is no number.`,
      hint: "To put texts together, use concat(a, b).",
    });
  }
  if (type.kind === "text" || type.kind === "json") {
    const parts = otherwise === undefined ? [value] : [value, otherwise];
    return derived(parts, numberSql(node, asText(value).sql, otherwise?.sql), DOUBLE);
  }
  if (type.kind === "boolean") return converted(value, `CAST(${value.sql} AS INTEGER)`, NUMBER);
  throw errorAt(scope, node.span, { message: `this is ${describeKind(type)}, but a number is needed.` });
}

export function asText(value: Value): Value {
  if (value.type.kind === "text") return value;
  if (value.type.kind === "json") return converted(value, jsonText(value), TEXT);
  return converted(value, `CAST(${value.sql} AS VARCHAR)`, TEXT);
}

/** JSON strings without their quotes. */
function jsonText({ sql }: Value): string {
  return `json_extract_string(${sql}, '$')`;
}

/** The value as a date or a timestamp on the wall clock of the query's time zone. */
export function asMoment(scope: Scope, node: Expression, value: Value): Value {
  const { type, constant } = value;
  if (type.kind === "date" || type.kind === "timestamp") return value;
  if (type.kind === "null") return converted(value, `CAST(${value.sql} AS TIMESTAMP)`, TIMESTAMP);
  if (type.kind === "timestamptz") {
    return converted(value, `timezone(${quoteText(scope.environment.timezone)}, ${value.sql})`, TIMESTAMP);
  }
  if (constant?.kind === "text")
    return constantValue(momentIn(scope, node, constant.value), scope.environment);
  if (type.kind === "text" || type.kind === "json") {
    return converted(value, momentSql(node, asText(value).sql), TIMESTAMP);
  }
  const written = isNumber(type) ? writtenDate(node, scope.environment.timezone) : undefined;
  if (written !== undefined) return constantValue({ kind: "moment", ...written }, scope.environment);
  if (isUnknown(type)) return converted(value, `TRY_CAST(${value.sql} AS TIMESTAMP)`, TIMESTAMP);
  throw errorAt(scope, node.span, {
    message: `this is ${describeKind(type)}, but a date is needed.`,
    hint: "Use str_to_date(text, 'yyyy-MM-dd') for dates in another form.",
  });
}

export function momentIn(scope: Scope, node: Expression, text: string): Constant {
  const read = readDateText(text, scope.environment.timezone);
  if (read !== undefined) return { kind: "moment", ...read };
  throw errorAt(scope, node.span, {
    message: `"${text}" is no date.`,
    hint: "Write dates like '2024-01-31' or '2024-01-31 10:00', or use a token such as $c9_today.",
  });
}

export function asCondition(scope: Scope, node: Expression, value: Value): Value {
  if (value.type.kind === "boolean" || value.type.kind === "null") return value;
  if (isUnknown(value.type)) return converted(value, `CAST(${value.sql} AS BOOLEAN)`, BOOLEAN);
  throw errorAt(scope, node.span, {
    message: `this is ${describeKind(value.type)}, not a condition.`,
    hint: "A condition compares: field = value, field > 10, field like text, field is not null.",
  });
}

/** Values that stand for each other (the branches of `case`, the arguments of `ifnull`), made the same kind. */
export function unify(
  scope: Scope,
  nodes: readonly Expression[],
  values: readonly Value[],
): [Value[], ValueType] {
  const types = values.filter(({ constant }) => constant?.kind !== "null").map(({ type }) => type);
  const first = types[0];
  if (first === undefined) return [[...values], { kind: "null" }];
  const same = sameType(types);
  if (same !== undefined) return [[...values], same];
  if (types.every(isNumber)) return [[...values], NUMBER];
  if (types.every(isUnknown)) return [[...values], OTHER];
  if (types.some(isMoment)) {
    const moments = values.map((value, index) => momentOrNothing(scope, nodes[index] as Expression, value));
    if (moments.every((moment) => moment !== undefined)) {
      return [moments, moments.every(({ type }) => type.kind === "date") ? DATE : TIMESTAMP];
    }
  }
  const isOneKind =
    types.every(({ kind }) => kind === first.kind) && !isNested(first) && first.kind !== "other";
  if (isOneKind) return [[...values], { kind: first.kind }];
  return [values.map((value) => (value.type.kind === "null" ? value : asText(value))), TEXT];
}

function momentOrNothing(scope: Scope, node: Expression, value: Value): Value | undefined {
  const { type, constant } = value;
  if (isMoment(type) || type.kind === "null") return asMoment(scope, node, value);
  const { timezone } = scope.environment;
  const isDate =
    constant?.kind === "text"
      ? readDateText(constant.value, timezone) !== undefined
      : isNumber(type) && writtenDate(node, timezone) !== undefined;
  return isDate ? asMoment(scope, node, value) : undefined;
}

function isUnknown(type: ValueType): boolean {
  return type.kind === "other" && !isOpaque(type);
}

function sameType(types: readonly ValueType[]): ValueType | undefined {
  const [first] = types;
  return types.every(({ sql }) => sql !== undefined && sql === first?.sql) ? first : undefined;
}

/**
 * How texts in the data are read as numbers and dates. Nulls and empty texts count as nothing. Any other text that
 * cannot be read fails the query: left out without a word, it would make a total wrong that looks right.
 */

/** Most of a field's name and of a text that an error shows. */
const SHOWN_FIELD = 100;
const SHOWN_TEXT = 40;

/** Prefix that tells our errors from the engine's. */
const DATA_ERROR = "C9QL: ";
const ENGINE_WORDS = `Invalid Input Error: ${DATA_ERROR}`;

/** The SQL of a text as a number; `otherwise` is the SQL of what an unreadable text gives. */
function numberSql(node: Expression, text: string, otherwise = notNumbers(node, text)): string {
  const number = `TRY_CAST(${text} AS DOUBLE)`;
  // A single text nan or inf would make the whole sum one.
  return `CASE WHEN isfinite(${number}) THEN ${number} WHEN trim(${text}) <> '' THEN ${otherwise} END`;
}

function notNumbers(node: Expression, text: string): string {
  const field = shown(node);
  return failure(
    `${field} has texts that are not numbers, such as "`,
    text,
    `". Take away what is too much with regex_replace(${field}, ',', ''), leave such texts out with ` +
      `number(${field}, null), or import the data again with its number format.`,
  );
}

/** The SQL of a text as a timestamp. */
function momentSql(node: Expression, text: string): string {
  const bare = `trim(${text})`;
  const shapes = Object.entries(DATE_TEXT_FORMATS).map(([sign, formats]) => {
    const list = formats.map(quoteText).join(", ");
    const when = sign === "" ? "ELSE" : `WHEN contains(${bare}, ${quoteText(sign)}) THEN`;
    return `${when} try_strptime(${bare}, [${list}])`;
  });
  // Reading a text in vain takes ten times as long, so its sign tells which patterns are tried.
  const read = `TRY_CAST(${bare} AS TIMESTAMP), CASE ${shapes.join(" ")} END`;
  return `CASE WHEN ${bare} <> '' THEN coalesce(${read}, ${notDates(node, text)}) END`;
}

function notDates(node: Expression, text: string): string {
  const field = shown(node);
  return failure(
    `${field} has texts that are not understood as dates, such as "`,
    text,
    `". Say how they are written with str_to_date(${field}, 'dd/MM/yy'), which is null where it does not fit; ` +
      "to look for a text, use like.",
  );
}

/**
 * The largest or smallest text. Of numbers it would be the wrong one ("999" comes after "1000"), so it is refused
 * where that can happen: if the last text is a number, and the texts are neither all the same nor all digits of the
 * same length.
 */
export function extremeText(name: "min" | "max", node: Expression, text: string, over: string): string {
  const last = `max(${text})${over}`;
  const filled = `nullif(${text}, '')`;
  const size = `length(${filled})`;
  const digits = `bool_and(regexp_full_match(${text}, '[0-9]*'))${over}`;
  const lengths = `min(${size})${over} <> max(${size})${over}`;
  const differ = `min(${filled})${over} <> ${last} AND (${lengths} OR NOT ${digits})`;
  const field = shown(node);
  const refusal = failure(
    `${field} is a text column that holds numbers, such as "`,
    last,
    `". Write ${name}(number(${field})).`,
  );
  const isMisleading = `isfinite(TRY_CAST(${last} AS DOUBLE)) AND ${differ}`;
  return `CASE WHEN ${isMisleading} THEN ${refusal} ELSE ${name}(${text})${over} END`;
}

function shown(node: Expression): string {
  const printed = printExpression(node);
  return printed.length > SHOWN_FIELD ? `${printed.slice(0, SHOWN_FIELD - 1).toWellFormed()}…` : printed;
}

/** DuckDB does not evaluate this before it must, nor for rows that another condition leaves out. */
function failure(before: string, text: string, after: string): string {
  return `error(concat(${quoteText(DATA_ERROR + before)}, left(${text}, ${SHOWN_TEXT}), ${quoteText(after)}))`;
}

/** An error of the engine; if it is what a query says of its data, without the engine's words. */
export function asQueryError(error: unknown): unknown {
  if (!isAppError(error) || !error.message.startsWith(ENGINE_WORDS)) return error;
  const message = DATA_ERROR + error.message.slice(ENGINE_WORDS.length);
  return new AppError("bad_request", message, { cause: error });
}

interface DateTextTime {
  time: LocalTime;
  hasClock: boolean;
}

const CLOCK =
  "(?:[ T](?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:\\.(?<fraction>\\d{1,9}))?)?)?";
const ZONE = "(?<zone>Z|[+-]\\d{2}:?\\d{2})?";

/** How dates may be written in a query. Month before day with slashes, day before month with dots. */
const SHAPES = [
  `(?<year>\\d{4})-(?<month>\\d{1,2})-(?<day>\\d{1,2})${CLOCK}\\s?${ZONE}`,
  `(?<year>\\d{4})/(?<month>\\d{1,2})/(?<day>\\d{1,2})${CLOCK}`,
  `(?<month>\\d{1,2})/(?<day>\\d{1,2})/(?<year>\\d{4})${CLOCK}`,
  `(?<day>\\d{1,2})\\.(?<month>\\d{1,2})\\.(?<year>\\d{4})${CLOCK}`,
  `(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})`,
  `(?<day>\\d{1,2})[ -](?<name>[A-Za-z]{3,9})[ -](?<year>\\d{4})${CLOCK}`,
  `(?<name>[A-Za-z]{3,9}) (?<day>\\d{1,2}),? (?<year>\\d{4})${CLOCK}`,
].map((shape) => new RegExp(`^${shape}$`, "i"));

/**
 * The same shapes for texts in the data, in DuckDB's patterns, by a sign that they contain (the last one by none). ISO
 * dates need none: a cast reads them.
 */
const DATE_TEXT_FORMATS = {
  "/": ["%m/%d/%Y", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%Y/%m/%d", "%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S"],
  ".": ["%d.%m.%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S"],
  "": [
    "%d-%b-%Y",
    "%d %b %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d %B %Y",
    "%d-%B-%Y",
    "%b %d %Y",
    "%Y%m%d",
    "%d-%b-%Y %H:%M",
    "%d-%b-%Y %H:%M:%S",
    "%d %b %Y %H:%M",
    "%d %b %Y %H:%M:%S",
  ],
} as const;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** A date as people write it; undefined when it is none. A zone in the text is turned into the wall clock's. */
export function readDateText(text: string, timezone: string): DateTextTime | undefined {
  const trimmed = text.trim();
  for (const shape of SHAPES) {
    const groups = shape.exec(trimmed)?.groups;
    if (groups === undefined) continue;
    const time = timeOf(groups);
    if (time === undefined) return undefined;
    const hasClock = groups.hour !== undefined;
    return groups.zone === undefined
      ? { time, hasClock }
      : { time: inZone(time, groups.zone, timezone), hasClock };
  }
  return undefined;
}

function timeOf(groups: Record<string, string | undefined>): LocalTime | undefined {
  const name = groups.name?.slice(0, 3).toLowerCase();
  const month = name === undefined ? Number(groups.month) : MONTHS.indexOf(name) + 1;
  const year = Number(groups.year);
  if (month < 1 || year < 1) return undefined;
  const fraction = (groups.fraction ?? "").padEnd(6, "0");
  return calendarTime({
    year,
    month,
    day: Number(groups.day),
    hour: Number(groups.hour ?? 0),
    minute: Number(groups.minute ?? 0),
    second: Number(groups.second ?? 0),
    millisecond: Number(fraction.slice(0, 3)),
    microsecond: Number(fraction.slice(3, 6)),
  });
}

function inZone(time: LocalTime, zone: string, timezone: string): LocalTime {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const offset = sign === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return time.toZonedDateTime("UTC").subtract({ minutes: offset }).withTimeZone(timezone).toPlainDateTime();
}

/**
 * True if a text in a query is a date literal for certain. Eight digits may as well be a number of something.
 */
export function isDateText(text: string, timezone: string): boolean {
  return !/^\s*\d*\s*$/.test(text) && readDateText(text, timezone) !== undefined;
}

/**
 * The date that `10/15/2026` is where a date is expected. It reads as two divisions, because elsewhere it may be meant
 * so.
 */
export function writtenDate(node: Expression, timezone: string): DateTextTime | undefined {
  if (!isDivision(node) || !isDivision(node.left)) return undefined;
  const parts = [node.left.left, node.left.right, node.right];
  const digits = parts.map((part) => (part.kind === "number" ? part.text : ""));
  return readDateText(digits.join("/"), timezone);
}

function isDivision(node: Expression): node is ExpressionOf<"arithmetic"> {
  return node.kind === "arithmetic" && node.operator === "/";
}

/** SQL fragment that a function compiles to. */
export interface Fragment {
  readonly sql: string;
  readonly type: ValueType;
  /** Of an aggregate that is more than one call: the same with ` OVER (…)` after each. */
  over?(window: string): string;
}

export interface FunctionSpec {
  /** How it is called, for errors and the reference. */
  readonly usage: string;
  readonly atLeast: number;
  readonly atMost: number;
  compile(args: Arguments): Fragment;
}

/** A function that takes this many arguments. */
export function taking(
  [atLeast, atMost]: readonly [number, number],
  usage: string,
  compile: FunctionSpec["compile"],
): FunctionSpec {
  return { usage, atLeast, atMost, compile };
}

export function takingOne(usage: string, compile: FunctionSpec["compile"]): FunctionSpec {
  return taking([1, 1], usage, compile);
}

/** The arguments of one call, each in the form that a function asks for. */
export class Arguments {
  readonly scope: Scope;
  readonly node: CallNode;
  readonly values: readonly Value[];

  constructor(scope: Scope, node: CallNode, values: readonly Value[]) {
    this.scope = scope;
    this.node = node;
    this.values = values;
  }

  get count(): number {
    return this.values.length;
  }

  value(index: number): Value {
    return this.values[index] as Value;
  }

  nodeAt(index: number): Expression {
    return this.node.args[index] as Expression;
  }

  numberValue(index: number): Value {
    return asNumber(this.scope, this.nodeAt(index), this.value(index));
  }

  number(index: number): string {
    return this.numberValue(index).sql;
  }

  /** DuckDB takes positions and digits as whole numbers only. */
  integer(index: number): string {
    const { constant } = this.value(index);
    const isWhole = constant?.kind === "number" && /^-?\d{1,9}$/.test(constant.text);
    return isWhole ? this.number(index) : `CAST(${this.number(index)} AS INTEGER)`;
  }

  text(index: number): string {
    return asText(this.value(index)).sql;
  }

  moment(index: number): Value {
    return asMoment(this.scope, this.nodeAt(index), this.value(index));
  }

  /** A text that must be known before the query runs, such as a format. */
  constantText(index: number, what: string): string {
    const { constant } = this.value(index);
    if (constant?.kind === "text") return constant.value;
    throw errorAt(this.scope, this.nodeAt(index).span, {
      message: `${this.node.name} takes ${what} as a text in quotes, not from a field.`,
    });
  }

  constantNumber(index: number, what: string): number {
    const { constant } = this.numberValue(index);
    if (constant?.kind === "number") return Number(constant.text);
    throw errorAt(this.scope, this.nodeAt(index).span, {
      message: `${this.node.name} takes ${what} as a number, not from a field.`,
    });
  }

  flag(index: number): boolean {
    if (index >= this.count) return false;
    const { constant } = this.value(index);
    if (constant?.kind === "boolean") return constant.value;
    throw errorAt(this.scope, this.nodeAt(index).span, {
      message: `${this.node.name} takes true or false here.`,
    });
  }
}
