import { AppError } from "../../../kernel/errors.ts";
import type { Column } from "../../data/index.ts";
import {
  AGGREGATE_WORDS,
  AGGREGATES,
  type Aggregate,
  COMPARISONS,
  type Comparison,
  OPENINGS,
  ROW_NOUNS,
} from "./words.ts";

/** A condition that was understood: C9QL, and what it says in words. */
export interface Understood {
  c9ql: string;
  sentence: string;
}

interface Source {
  name: string;
  columns: readonly Column[];
}

/** What is compared: a column of each row, an aggregate of one, or how many rows there are. */
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
export function readPlainLanguage(text: string, source: Source): Understood | undefined {
  let rest = text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/[.!?]+$/, "");
  const isOfRows = OPENINGS[2]?.test(opened(rest, 2)) ?? false;
  rest = opened(rest, OPENINGS.length);
  const found = firstComparison(rest);
  if (found === undefined) return undefined;
  const measure = readMeasure(found.before, source, isOfRows);
  if (measure === undefined) return undefined;
  const original = text
    .trim()
    .replace(/\s+/g, " ")
    .replace(/[.!?]+$/, "");
  const values = original.slice(original.length - found.after.length);
  return write(measure, found.comparison, values);
}

/** Without what is said before the condition. */
function opened(text: string, openings: number): string {
  return OPENINGS.slice(0, openings).reduce((rest, opening) => rest.replace(opening, ""), text);
}

/** The comparison that stands first; of several at one place the one that is named first. */
function firstComparison(
  text: string,
): { before: string; comparison: Comparison; after: string } | undefined {
  const padded = ` ${text} `;
  const found = COMPARISONS.flatMap(([pattern, comparison]) => {
    const match = pattern.exec(padded);
    return match === null ? [] : [{ match, comparison }];
  });
  const [first] = found.sort((a, b) => a.match.index - b.match.index);
  if (first === undefined) return undefined;
  const before = padded.slice(0, first.match.index).trim();
  const after = padded.slice(first.match.index + first.match[0].length).trim();
  return { before, comparison: first.comparison, after };
}

function readMeasure(text: string, { name, columns }: Source, isOfRows: boolean): Measure | undefined {
  const exact = columnCalled(text, columns);
  if (exact !== undefined) return { aggregate: undefined, column: exact, daily: undefined };
  const aggregated = AGGREGATES.find(([pattern]) => pattern.test(`${text} `));
  const isDaily = /^(?:the )?daily /.test(text) || / (?:per|a|each) day$/.test(text);
  const noun = text
    .replace(/^(?:the )?daily /, "")
    .replace(/ (?:per|a|each) day$/, "")
    .replace(aggregated?.[0] ?? /^$/, "")
    .replace(/^(?:the|our) /, "");
  const dates = columns.filter(({ type }) => DATED.test(type));
  const daily = isDaily && dates.length === 1 ? dates[0] : undefined;
  const column = columnCalled(noun, columns);
  const aggregate = aggregated?.[1];
  if (column !== undefined) return { aggregate, column, daily: aggregate === undefined ? undefined : daily };
  if (isOfRows) return undefined;
  const isRows = ROW_NOUNS.has(noun) || same(noun, name);
  if (!isRows || (aggregate !== undefined && aggregate !== "count")) return undefined;
  return { aggregate: "count", column: undefined, daily };
}

/** The column of that name, or the only one that has all of these words in its name. */
function columnCalled(text: string, columns: readonly Column[]): Column | undefined {
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
): Understood | undefined {
  const isNumber = aggregate === "count" || aggregate === "sum" || aggregate === "avg" || isNumeric(column);
  if (aggregate !== undefined && aggregate !== "count" && !isNumeric(column) && !isDated(column))
    throw new AppError("bad_request", `${column?.name} is no number.`, {
      hint: "Choose a column of numbers.",
    });
  const field = column === undefined ? "*" : quoted(column.name);
  const said = column === undefined ? "rows" : column.name;
  const subject = aggregate === undefined ? said : `${AGGREGATE_WORDS[aggregate]} ${said}`;
  const left = aggregate === undefined ? field : "`value`";
  const condition = compare(left, comparison, values, {
    isNumber,
    isText: isText(column) && aggregate === undefined,
  });
  if (condition === undefined) return undefined;
  const per = daily === undefined ? "" : " of a day";
  const sentence = `${aggregate === undefined ? "any row where " : ""}${subject}${per} ${condition.words}`;
  if (aggregate === undefined) return { c9ql: `where ${condition.c9ql}`, sentence };
  const day = daily === undefined ? "" : `date_format(${quoted(daily.name)}, yyyy-MM-dd) as day, `;
  const by = daily === undefined ? "" : " group by day";
  return { c9ql: `select ${day}${aggregate}(${field}) as value${by}; where ${condition.c9ql}`, sentence };
}

interface ValueKind {
  isNumber: boolean;
  isText: boolean;
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
  left: string,
  comparison: Comparison,
  values: string,
  kind: ValueKind,
): { c9ql: string; words: string } | undefined {
  if (comparison === "empty")
    return values === "" ? { c9ql: `${left} is null`, words: "is empty" } : undefined;
  if (comparison === "filled")
    return values === "" ? { c9ql: `${left} is not null`, words: "is not empty" } : undefined;
  if (comparison === "between") {
    const [low, high] = values.split(/ and | to /i).map((value) => literalOf(value, kind));
    if (low === undefined || high === undefined) return undefined;
    return { c9ql: `${left} between ${low} and ${high}`, words: `is between ${low} and ${high}` };
  }
  const value = literalOf(values, kind);
  if (value === undefined) return undefined;
  if (comparison === "like")
    return kind.isText ? { c9ql: `${left} like ${value}`, words: `contains ${value}` } : undefined;
  const words = `${WORDS[comparison]} ${value}`;
  const isEquality = comparison === "=" || comparison === "!=";
  if (!kind.isText) return { c9ql: `${left} ${comparison} ${value}`, words };
  // Who writes a condition in words does not mind upper and lower case.
  return isEquality ? { c9ql: `lower(${left}) ${comparison} ${value.toLowerCase()}`, words } : undefined;
}

const SCALES: Readonly<Record<string, number>> = { k: 1e3, thousand: 1e3, m: 1e6, million: 1e6 };

function literalOf(text: string, { isNumber, isText }: ValueKind): string | undefined {
  const bare = text.trim().replace(/^["'](.*)["']$/, "$1");
  if (bare === "") return undefined;
  if (isText) return `'${bare.replaceAll("'", "''")}'`;
  const number = /^[$€£]?\s*(-?\d+(?:,\d{3})*(?:\.\d+)?)\s*(k|m|thousand|million)?\s*[$€£%]?$/i.exec(bare);
  if (number !== null) {
    const scaled = Number(number[1]?.replaceAll(",", "")) * (SCALES[number[2]?.toLowerCase() ?? ""] ?? 1);
    return Number.isFinite(scaled) ? String(scaled) : undefined;
  }
  if (isNumber) return undefined;
  if (/^(?:true|false)$/i.test(bare)) return bare.toLowerCase();
  if (/^\d{4}-\d{2}-\d{2}$/.test(bare)) return `'${bare}'`;
  return /^(?:today|yesterday)$/i.test(bare) ? `$c9_${bare.toLowerCase()}` : undefined;
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

function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}
