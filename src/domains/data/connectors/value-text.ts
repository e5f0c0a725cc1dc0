import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";

/**
 * Readers of values that a database sends as text. Each gives the JSON value for the column's type, or throws
 * WrongValue when the text is not of that type: then the server does not say the truth about its columns.
 */
export type ReadText = (text: string) => unknown;

export class WrongValue extends Error {}

export const asText: ReadText = (text) => text;

/** Up to 32 bits: exact as a number. */
export const smallInteger: ReadText = (text) => {
  if (!/^-?\d{1,10}$/.test(text)) throw new WrongValue();
  return Number(text);
};

/** As text, because not all digits of 64 bits fit into a number. */
export const largeInteger: ReadText = (text) => {
  if (!/^-?\d{1,20}$/.test(text)) throw new WrongValue();
  return text;
};

/** A decimal of a known scale; what has no place in such a type (NaN) is nothing. */
const decimal: ReadText = (text) => {
  if (/^-?\d+(\.\d+)?$/.test(text)) return text;
  if (/^(NaN|-?Infinity)$/i.test(text)) return null;
  throw new WrongValue();
};

/** A decimal of unknown scale, which only floating point can hold; all its digits are kept in the text. */
export const freeDecimal: ReadText = (text) => {
  if (/^-?\d+(\.\d+)?$/.test(text)) return text;
  return floatingPoint(text);
};

export const floatingPoint: ReadText = (text) => {
  const number = Number(text);
  if (Number.isFinite(number) && text !== "") return number;
  if (/^(NaN|-?Infinity)$/.test(text)) return text;
  throw new WrongValue();
};

/** JSON as the value itself. */
export const json: ReadText = (text) => {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof SyntaxError ? new WrongValue() : error;
  }
};

/** The digits that a decimal can have in DuckDB. */
const MOST_DIGITS = 38;

/** A column's type in DuckDB's words, and how the text of a value is read. */
export interface ColumnReader {
  type: string;
  read: ReadText;
  /** For a type that not all values of the column need fit: the first that does not makes it floating point. */
  isTooLarge?: (text: string) => boolean;
}

/**
 * The type of a decimal, and how it is read. Databases promise more digits than there ever are, in sums above all,
 * so that more than fit are no reason to give up the ones that do.
 */
export function decimalColumn(precision: number, scale: number): ColumnReader {
  const isPossible = precision >= 1 && scale >= 0 && scale <= Math.min(precision, MOST_DIGITS);
  if (!isPossible) return { type: "DOUBLE", read: freeDecimal };
  if (precision <= MOST_DIGITS) return { type: `DECIMAL(${precision},${scale})`, read: decimal };
  const isTooLarge = (text: string): boolean => wholeDigits(text) > MOST_DIGITS - scale;
  return { type: `DECIMAL(${MOST_DIGITS},${scale})`, read: decimal, isTooLarge };
}

function wholeDigits(text: string): number {
  return /^-?0*(\d*)/.exec(text)?.[1]?.length ?? 0;
}

/** Whole numbers with more digits may not survive as a JavaScript number. */
const LONG_NUMBER = /\d{16}/;

/**
 * JSON as a value; whole numbers that a JavaScript number cannot hold become text, so that no digit is lost.
 * Throws SyntaxError.
 */
export function parseJson(text: string): unknown {
  const value: unknown = LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  checkDepth(value, 0);
  return value;
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? source : value;
}

/** Bounds nesting, because later code walks the value recursively. */
function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth >= LIMITS.datasources.jsonDepth) {
    throw new AppError(
      "too_large",
      `A JSON value is nested more than ${LIMITS.datasources.jsonDepth} levels deep.`,
    );
  }
  for (const item of Object.values(value)) checkDepth(item, depth + 1);
}

/** About as many bytes as the value takes as JSON. */
function sizeOfValue(value: unknown): number {
  if (typeof value === "string") return value.length;
  return typeof value === "object" && value !== null ? JSON.stringify(value).length : 8;
}

export function sizeOfRow(row: readonly unknown[]): number {
  let size = 0;
  for (const value of row) size += sizeOfValue(value);
  return size;
}

/**
 * Names that can stand side by side in a dataset, where case does not count: a name that is taken or missing
 * gets a number.
 */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, index) => takeName(name, index, taken));
}

/** The name of the column at this place, beside those that are taken; it is taken itself then. */
export function takeName(name: string, place: number, taken: Set<string>): string {
  const wanted = name === "" ? `column_${place + 1}` : name;
  let free = wanted;
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${wanted}_${number}`;
  taken.add(free.toLowerCase());
  return free;
}
