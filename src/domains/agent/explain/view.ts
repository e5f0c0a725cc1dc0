import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { Result } from "../answer.ts";
import { columnName } from "../compile/columns.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { isEqual } from "../query/parts.ts";
import { isKey, type Key, type Num } from "../query/semantic-query.ts";
import { type Format, formatOf, isNumeric, numberIn, show } from "./format.ts";
import { sayColumn, shortWindow } from "./say.ts";
import { calledIn, isGerman } from "./words.ts";

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
