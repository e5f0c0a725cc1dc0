import { AppError, isAppError } from "../../../kernel/errors.ts";
import {
  aggregateOf,
  between,
  type Column,
  call,
  columnsOf,
  column as columnValue,
  compare as comparing,
  constant,
  countRows,
  dateToken,
  isNotNull,
  isNull,
  like,
  parse,
  parseCondition,
  print,
  printExpression,
  type RowQuery,
  type RowValue,
  rowCondition,
  rowQuery,
  selected,
} from "../../data/index.ts";
import { AGGREGATE_WORDS, type Aggregate, type Comparison, ENGLISH, GERMAN, type Lexicon } from "./words.ts";

const SHOWN_COLUMNS = 30;

/** A condition that was understood: C9QL, and what it says in words. */
interface Understood {
  c9ql: string;
  sentence: string;
}

interface Source {
  name: string;
  columns: readonly Column[];
}

/**
 * Parses an alert's condition over these columns into a C9QL query whose rows are those that match. A text that is C9QL
 * is taken as such, any other is read as plain language.
 */
export function readCondition(text: string, source: Source): Understood {
  const trimmed = text.trim();
  const asC9ql = tryC9ql(trimmed, source.columns);
  if (!isAppError(asC9ql)) return { c9ql: print(asC9ql), sentence: sentenceOf(trimmed, asC9ql) };
  const understood = readPlainLanguage(trimmed, source);
  if (understood !== undefined) {
    const { query, sentence } = understood;
    columnsOf(query, source.columns);
    return { c9ql: print(query), sentence };
  }
  if (looksLikeC9ql(trimmed)) throw asC9ql;
  throw notUnderstood(source);
}

/** As a condition in plain language is said back; one on all rows together, or a query, is said as it was given. */
function sentenceOf(text: string, query: RowQuery): string {
  const oneLine = text.replace(/\s+/g, " ").replace(/^where |;$/gi, "");
  const condition = rowCondition(query);
  if (condition !== undefined) return `any row where ${printExpression(condition).replace(/\s+/g, " ")}`;
  return isQuery(text) ? `this finds rows: ${oneLine}` : oneLine;
}

function isQuery(text: string): boolean {
  return /^select\b|;|\b(?:group|order) by\b|\blimit \d+$/i.test(text);
}

/** The query that it is, or why it is no C9QL. */
function tryC9ql(text: string, columns: readonly Column[]): RowQuery | AppError {
  try {
    const query = isQuery(text) ? parse(text, { columns }) : parseCondition(text, { columns });
    columnsOf(query, columns);
    return query;
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
}

function looksLikeC9ql(text: string): boolean {
  return /^(?:select|where)\b|[<>=;(]/i.test(text);
}

function notUnderstood({ columns }: Source): AppError {
  const names = columns.slice(0, SHOWN_COLUMNS).map(({ name }) => name);
  const more = columns.length > SHOWN_COLUMNS ? ", …" : "";
  const measures = columns.filter((column) => (aggregateOf(column) ?? "none") !== "none");
  const measure = measures.find((column) => aggregateOf(column) === "sum") ?? measures[0];
  const numeric = measure?.name;
  const example =
    measure === undefined
      ? "the number of rows is below 50"
      : `${aggregateOf(measure) === "avg" ? "the average" : "the sum"} of ${numeric} is over 1000`;
  return new AppError("bad_request", "The condition was not understood.", {
    hint: `The columns are ${names.join(", ")}${more}. Say one comparison, such as "${example}", or write C9QL, such as ${numeric ?? names[0]} > 50.`,
  });
}

/** A condition that was understood: the query whose rows match, and what it says in words. */
interface PlainCondition {
  query: RowQuery;
  sentence: string;
}

/** Left side of a comparison: a column of each row, an aggregate of one, or the count of rows. */
interface Measure {
  aggregate: Aggregate | undefined;
  column: Column | undefined;
  /** One number for each day of this column. */
  daily: Column | undefined;
}

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|BIGNUM|FLOAT|REAL|DOUBLE|DECIMAL|NUMERIC)/;
const DATED = /^(?:DATE|TIMESTAMP|DATETIME)/;

/**
 * Reads "orders drop below 50" over the columns of a dataset: one measure, one comparison, one value. What it does not
 * understand is undefined; two readings are an error that names both.
 */
function readPlainLanguage(text: string, source: Source): PlainCondition | undefined {
  return readIn(ENGLISH, text, source) ?? readIn(GERMAN, text, source);
}

function readIn(lexicon: Lexicon, given: string, source: Source): PlainCondition | undefined {
  const text = given
    .trim()
    .replace(/\s+/g, " ")
    .replace(/[.!?]+$/, "")
    .replace(lexicon.ending, "");
  let rest = text.toLowerCase();
  const isOfRows = lexicon.openings[2]?.test(opened(rest, lexicon, 2)) ?? false;
  rest = opened(rest, lexicon, lexicon.openings.length);
  const found = firstComparison(rest, lexicon);
  if (found === undefined) return undefined;
  const measure = readMeasure(found.before, source, isOfRows, lexicon);
  if (measure === undefined) return undefined;
  return write(measure, found.comparison, text.slice(text.length - found.after.length), lexicon);
}

/** Without what is said before the condition. */
function opened(text: string, { openings }: Lexicon, count: number): string {
  return openings.slice(0, count).reduce((rest, opening) => rest.replace(opening, ""), text);
}

/** The comparison that stands first; of several at one place the one that is named first. */
function firstComparison(
  text: string,
  { comparisons }: Lexicon,
): { before: string; comparison: Comparison; after: string } | undefined {
  const padded = ` ${text} `;
  const found = comparisons.flatMap(([pattern, comparison]) => {
    const match = pattern.exec(padded);
    return match === null ? [] : [{ match, comparison }];
  });
  const [first] = found.sort((a, b) => a.match.index - b.match.index);
  if (first === undefined) return undefined;
  const before = padded.slice(0, first.match.index).trim();
  const after = padded.slice(first.match.index + first.match[0].length).trim();
  return { before, comparison: first.comparison, after };
}

function readMeasure(
  text: string,
  { name, columns }: Source,
  isOfRows: boolean,
  lexicon: Lexicon,
): Measure | undefined {
  const exact = columnCalled(text, columns, lexicon);
  if (exact !== undefined) return { aggregate: undefined, column: exact, daily: undefined };
  const { aggregates, daily: everyDay, articles, rowNouns, synonyms } = lexicon;
  const isDaily = everyDay.test(text);
  const bare = text.replace(everyDay, "");
  const aggregated = aggregates.find(([pattern]) => pattern.test(`${bare} `));
  const noun = bare.replace(aggregated?.[0] ?? /^$/, "").replace(articles, "");
  const dates = columns.filter(({ type }) => DATED.test(type));
  const daily = isDaily && dates.length === 1 ? dates[0] : undefined;
  const column = columnCalled(noun, columns, lexicon);
  const aggregate = aggregated?.[1];
  if (column !== undefined) return { aggregate, column, daily: aggregate === undefined ? undefined : daily };
  if (isOfRows) return undefined;
  const isRows = rowNouns.has(noun) || [noun, ...(synonyms.get(noun) ?? [])].some((word) => same(word, name));
  if (!isRows || (aggregate !== undefined && aggregate !== "count")) return undefined;
  return { aggregate: "count", column: undefined, daily };
}

/** The column of that name, or the only one that has all of these words in its name. */
function columnCalled(text: string, columns: readonly Column[], { synonyms }: Lexicon): Column | undefined {
  const own = columnNamed(text, columns);
  if (own !== undefined) return own;
  for (const word of synonyms.get(text) ?? []) {
    const found = columnNamed(word, columns);
    if (found !== undefined) return found;
  }
  return undefined;
}

function columnNamed(text: string, columns: readonly Column[]): Column | undefined {
  const exact = columns.filter(({ name }) => same(name, text));
  if (exact.length === 1) return exact[0];
  const words = wordsOf(text);
  if (words.length === 0) return undefined;
  const partly = columns.filter(({ name }) => words.every((word) => wordsOf(name).includes(word)));
  if (partly.length < 2) return partly[0];
  throw new AppError(
    "bad_request",
    `${JSON.stringify(text)} could be ${partly.map(({ name }) => name).join(" or ")}.`,
    {
      hint: "Name one of these columns in full.",
    },
  );
}

function same(name: string, text: string): boolean {
  return wordsOf(name).join(" ") === wordsOf(text).join(" ");
}

/** Words in lower case and in the singular, however the name is put together. */
function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return (spaced.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 ? word.replace(/s$/, "") : word,
  );
}

function write(
  { aggregate, column, daily }: Measure,
  comparison: Comparison,
  values: string,
  lexicon: Lexicon,
): PlainCondition | undefined {
  const isNumber = aggregate === "count" || aggregate === "sum" || aggregate === "avg" || isNumeric(column);
  if (aggregate !== undefined && aggregate !== "count" && !isNumeric(column) && !isDated(column))
    throw new AppError("bad_request", `${column?.name} is no number.`, {
      hint: "Choose a column of numbers.",
    });
  const said = column === undefined ? "rows" : column.name;
  const subject = aggregate === undefined ? said : `${AGGREGATE_WORDS[aggregate]} ${said}`;
  const left = columnValue(aggregate === undefined ? said : "value");
  const condition = compare(left, comparison, values, {
    isNumber,
    isText: isText(column) && aggregate === undefined,
    lexicon,
  });
  if (condition === undefined) return undefined;
  const per = daily === undefined ? "" : " of a day";
  const sentence = `${aggregate === undefined ? "any row where " : ""}${subject}${per} ${condition.words}`;
  const found = { where: condition.value };
  if (aggregate === undefined) return { query: rowQuery(found), sentence };
  const value = column === undefined ? countRows() : call(aggregate, columnValue(column.name));
  const days = daily === undefined ? [] : [["day", dayOf(daily)] as const];
  return {
    query: rowQuery(
      { select: [...days, ["value", value]], groupBy: days.map(([name]) => selected(name)) },
      found,
    ),
    sentence,
  };
}

function dayOf({ name }: Column): RowValue {
  return call("date_format", columnValue(name), constant("yyyy-MM-dd"));
}

interface ValueKind {
  isNumber: boolean;
  isText: boolean;
  lexicon: Lexicon;
}

const WORDS: Readonly<Partial<Record<Comparison, string>>> = {
  "<": "is below",
  ">": "is over",
  "<=": "is at most",
  ">=": "is at least",
  "=": "is",
  "!=": "is not",
};

function compare(
  left: RowValue,
  comparison: Comparison,
  values: string,
  kind: ValueKind,
): { value: RowValue; words: string } | undefined {
  if (comparison === "empty") return values === "" ? { value: isNull(left), words: "is empty" } : undefined;
  if (comparison === "filled")
    return values === "" ? { value: isNotNull(left), words: "is not empty" } : undefined;
  if (comparison === "between") {
    const [low, high] = values.split(kind.lexicon.between).map((value) => literalOf(value, kind));
    if (low === undefined || high === undefined) return undefined;
    return {
      value: between(left, low.value, high.value),
      words: `is between ${low.words} and ${high.words}`,
    };
  }
  const value = literalOf(values, kind);
  if (value === undefined) return undefined;
  if (comparison === "like")
    return kind.isText ? { value: like(left, value.value), words: `contains ${value.words}` } : undefined;
  const words = `${WORDS[comparison]} ${value.words}`;
  const isEquality = comparison === "=" || comparison === "!=";
  if (!kind.isText) return { value: comparing(left, comparison, value.value), words };
  // Conditions in words are case-insensitive.
  const lower = constant(value.text?.toLowerCase());
  return isEquality ? { value: comparing(call("lower", left), comparison, lower), words } : undefined;
}

const SCALES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  tausend: 1e3,
  m: 1e6,
  million: 1e6,
  millionen: 1e6,
  mio: 1e6,
};

/** A value that was named, and how it is said back. */
interface Literal {
  value: RowValue;
  words: string;
  text?: string;
}

function literalOf(text: string, { isNumber, isText, lexicon }: ValueKind): Literal | undefined {
  const bare = text.trim().replace(/^["'](.*)["']$/, "$1");
  if (bare === "") return undefined;
  if (isText) return { value: constant(bare), words: `'${bare.replaceAll("'", "''")}'`, text: bare };
  const digits = lexicon.thousands === "," ? bare : swapSigns(bare);
  const number =
    /^[$€£]?\s*(-?\d+(?:,\d{3})*(?:\.\d+)?)\s*(k|m|thousand|million|tausend|millionen|mio)?\s*(?:[$€£%]|euro)?$/i.exec(
      digits,
    );
  if (number !== null) {
    const scaled = Number(number[1]?.replaceAll(",", "")) * (SCALES[number[2]?.toLowerCase() ?? ""] ?? 1);
    return Number.isFinite(scaled) ? { value: constant(scaled), words: String(scaled) } : undefined;
  }
  if (isNumber) return undefined;
  if (/^(?:true|false)$/i.test(bare))
    return { value: constant(bare.toLowerCase() === "true"), words: bare.toLowerCase() };
  if (/^\d{4}-\d{2}-\d{2}$/.test(bare)) return { value: constant(bare), words: `'${bare}'` };
  const named = { heute: "today", gestern: "yesterday" }[bare.toLowerCase()] ?? bare.toLowerCase();
  return /^(?:today|yesterday)$/.test(named) ? { value: dateToken(named), words: `$c9_${named}` } : undefined;
}

/** 1.000,50 as 1,000.50. */
function swapSigns(text: string): string {
  return text.replace(/[.,]/g, (sign) => (sign === "." ? "," : "."));
}

function isNumeric(column: Column | undefined): boolean {
  return column !== undefined && NUMERIC.test(column.type);
}

function isDated(column: Column | undefined): boolean {
  return column !== undefined && DATED.test(column.type);
}

function isText(column: Column | undefined): boolean {
  return column?.type === "VARCHAR";
}
