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

/** JSON types that a decimal with this many digits can have in DuckDB. */
const MOST_DIGITS = 38;

/** The type of a decimal, and how it is read. */
export function decimalColumn(precision: number, scale: number): { type: string; read: ReadText } {
  const fits = precision >= 1 && precision <= MOST_DIGITS && scale >= 0 && scale <= precision;
  return fits
    ? { type: `DECIMAL(${precision},${scale})`, read: decimal }
    : { type: "DOUBLE", read: freeDecimal };
}
