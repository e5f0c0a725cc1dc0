import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { Result } from "../answer.ts";
import { columnName } from "../compile/columns.ts";
import type { Averaged } from "../compile/rows.ts";
import { startsOf } from "../compile/series.ts";
import { isSpread } from "../compile/told-by.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { ColumnRef } from "../query/metric-formula.ts";
import { isEqual } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import { isKey, type Key, type Num, type Rel } from "../query/semantic-query.ts";
import type { Assumption } from "../understand/reading.ts";
import { type Format, formatOf, isNumeric, numberIn, show } from "./format.ts";
import { sayColumn, shortWindow } from "./say.ts";
import { calledIn, isGerman, locale, period, t, word } from "./words.ts";

/** A column of a result with everything that is needed to write about it. */
export interface ShownColumn {
  index: number;
  label: string;
  format: Format;
  of: Key | Num;
}

/** A result, ready to be written about. */
export interface View {
  columns: ShownColumn[];
  /** What tells the rows apart. */
  keys: ShownColumn[];
  numbers: ShownColumn[];
  rows: JsonValue[][];
  /** How many there are, also of those that were not read. */
  totalRows: number;
}

export function viewOf(
  { compiled, types, rows, totalRows }: Pick<Result, "compiled" | "types" | "rows" | "totalRows">,
  knowledge: Knowledge,
): View {
  const columns = compiled.columns.map(({ of, name }, index) => ({
    index,
    of,
    label: besideEarlier(of, compiled) ?? labelOf(of, name, knowledge),
    format: formatOf(of, types[index] ?? "", knowledge),
  }));
  const isNumber = ({ of, format }: ShownColumn) => isNumeric(format) && !isGrouping(of, compiled.columns);
  return {
    columns,
    keys: columns.filter((column) => !isNumber(column)),
    numbers: columns.filter(isNumber),
    rows,
    totalRows,
  };
}

/** Beside numbers that were worked out, a field is what they are told apart by, even if it is a number itself. */
function isGrouping(of: Key | Num, all: Result["compiled"]["columns"]): boolean {
  return isKey(of) && all.some((column) => !isKey(column.of));
}

export function cell(row: readonly JsonValue[], { index, format }: ShownColumn): string {
  return show(row[index], format);
}

export function numberOf(row: readonly JsonValue[], { index }: ShownColumn): number | undefined {
  const value = numberIn(row[index]);
  return value === undefined ? undefined : withoutNoise(value);
}

/** A sum of floating-point numbers ends in digits that mean nothing: 7916288.499999884. */
export function withoutNoise(value: number): number {
  return Number(value.toPrecision(12));
}

/** What a row is called. */
export function rowName(row: readonly JsonValue[], keys: readonly ShownColumn[]): string {
  return keys.map((key) => cell(row, key)).join(", ");
}

function labelOf(of: Key | Num, name: string, { model }: Knowledge): string {
  if (!isKey(of)) return windowed(of) ?? spoken(of, name);
  if (of.bucket !== undefined || of.path?.at(-1)?.isNoun === true) return spoken(of, name);
  const dataset = model.datasets.find((each) => each.name === of.ds);
  const label = dataset?.fields.find((field) => field.name === of.field)?.label;
  return calledIn(`${of.ds}.${of.field}`) ?? label ?? inWords(name.replace(/_name$/i, ""));
}

/** A number and the same one of an earlier year are told apart by their periods. */
function besideEarlier(of: Key | Num, { columns, used }: Result["compiled"]): string | undefined {
  const [{ win } = { win: undefined }, ...others] = used.windows;
  const [{ win: earlier } = { win: undefined }] = used.earlier;
  if (win === undefined || earlier === undefined || isKey(of)) return undefined;
  const isOne = others.every((other) => isEqual(other.win, win)) && !/\d{4}-\d\d/.test(earlier.said);
  const isLag = (num: Key | Num, plain: Num) => !isKey(num) && num.k === "lag" && isEqual(num.of, plain);
  const plain = of.k === "lag" ? of.of : of;
  const isPair =
    columns.some((column) => isLag(column.of, plain)) && columns.some((column) => isEqual(column.of, plain));
  if (!isOne || !isPair || shortWindow(win) === shortWindow(earlier)) return undefined;
  return `${spoken(plain)} (${shortWindow(of.k === "lag" ? earlier : win)})`;
}

/** Numbers of different periods are told apart by these. */
function windowed(num: Num): string | undefined {
  if ((num.k !== "metric" && num.k !== "agg") || num.scope?.win === undefined) return undefined;
  const { win: _, ...scope } = num.scope;
  return `${spoken({ ...num, scope })} (${shortWindow(num.scope.win)})`;
}

/** A column by its name, which is English; in another language by what it shows. */
function spoken(of: Key | Num, name = columnName(of)): string {
  return inWords(isGerman() ? sayColumn(of) : name);
}

export function inWords(name: string): string {
  const words = name.replaceAll(/[_\s]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether the numbers of all groups that these keys make are together the number of the whole. */
export function isAdditive(num: Num, schema: Schema, by: readonly Key[]): boolean {
  if (num.k !== "metric" && num.k !== "agg") return false;
  if (num.scope?.whole === true || isSpread(schema, num, by)) return false;
  if (num.k === "metric") return isAdditiveMetric(num.name, schema);
  if (num.path !== undefined) return false;
  // What stands in the rows of several groups is in each of them.
  if (num.fn === "sum") return num.of === undefined || isKeyed(num.in ?? { k: "all", ds: num.of.ds }, schema);
  // An entity belongs to one group, so it is counted in one.
  return num.fn === "count" && (num.of !== undefined || isKeyed(num.in, schema));
}

function isAdditiveMetric(name: string, schema: Schema): boolean {
  const { only } = schema.metrics.get(name)?.formula ?? {};
  const [column, ...others] = only?.columns ?? [];
  const opening = String(only?.pieces[0] ?? "");
  if (/^\s*(sum|count)\s*\((?!\s*distinct\b)/i.test(opening)) return true;
  // Nothing belongs to rows that are only numbered, so that each of them is in one group.
  const isRows = column !== undefined && others.length === 0 && isRowNumber(column, schema);
  return isRows && /^\s*count\s*\(\s*distinct\s*$/i.test(opening);
}

function isRowNumber({ ds, field }: ColumnRef, { datasets }: Schema): boolean {
  const { key = [], isNumbered } = datasets.get(ds) ?? {};
  return isNumbered === true && key[0] === field;
}

function isKeyed(rel: Rel | undefined, schema: Schema): boolean {
  if (rel === undefined) return false;
  if (rel.k === "where" || rel.k === "top") return isKeyed(rel.in, schema);
  return rel.k === "all" && schema.datasets.get(rel.ds)?.isKeyed === true;
}

/** What averages by periods were divided by: a day without sales is one, wherever it can be told which days there were. */
export function averagedOver(averages: readonly Averaged[], schema: Schema): Assumption[] {
  const choices = averages.map(({ fn, key, series }) => {
    const name = word(`${key.fiscal === true ? "fiscal " : ""}${key.bucket}s`);
    if (series === undefined) return t`only ${name} that have any are counted`;
    const [first, last] = [series.first, series.last].map(period) as [string, string];
    const count = startsOf(schema, series).length.toLocaleString(locale());
    const all = t`all ${count} ${name} from ${first} to ${last}`;
    const none = t`those without any counted as 0`;
    return fn === "avg" ? t`divided by ${all}, ${none}` : t`${all} are looked at, ${none}`;
  });
  return [...new Set(choices)].map((choice) => ({ at: null, choice, others: [] }));
}
