import { AppError } from "../../../../kernel/errors.ts";
import type { SourceColumn } from "../connector.ts";
import {
  asText,
  type ColumnReader,
  decimalColumn,
  floatingPoint,
  json,
  largeInteger,
  smallInteger,
  uniqueNames,
  WrongValue,
} from "../value-text.ts";

/** A column of an answer in JSON: its type in DuckDB's words, and how a value that is not null is read. */
export interface ApiColumn {
  type: string;
  read(value: unknown): unknown;
}

/** A reader of texts for values that come as text or as JSON numbers. */
const ofText = ({ type, read }: ColumnReader): ApiColumn => ({ type, read: (value) => read(textOf(value)) });

export const INTEGER = ofText({ type: "INTEGER", read: smallInteger });
export const BIGINT = ofText({ type: "BIGINT", read: largeInteger });
export const UBIGINT = ofText({ type: "UBIGINT", read: largeInteger });
export const HUGEINT: ApiColumn = { type: "HUGEINT", read: (value) => textOf(value) };
export const VARCHAR = ofText({ type: "VARCHAR", read: asText });
export const DATE = ofText({ type: "DATE", read: asText });
export const TIME = ofText({ type: "TIME", read: asText });
export const TIMESTAMP = ofText({ type: "TIMESTAMP", read: (text) => text.replace(" ", "T") });
export const decimalOf = (precision: number, scale: number): ApiColumn =>
  ofText(decimalColumn(precision, scale));

export const DOUBLE: ApiColumn = {
  type: "DOUBLE",
  read: (value) => (typeof value === "number" ? value : floatingPoint(infinityOf(textOf(value)))),
};

export const BOOLEAN: ApiColumn = {
  type: "BOOLEAN",
  read(value) {
    if (typeof value === "boolean") return value;
    const text = textOf(value).toLowerCase();
    if (text === "true" || text === "1") return true;
    if (text === "false" || text === "0") return false;
    throw new WrongValue();
  },
};

/** An instant; texts with an offset become UTC, with all their digits of a second. */
export const TIMESTAMPTZ: ApiColumn = {
  type: "TIMESTAMP WITH TIME ZONE",
  read: (value) => instantOf(textOf(value)),
};

/** Lists and records, as values or as their text. */
export const JSON_VALUE: ApiColumn = {
  type: "JSON",
  read: (value) => (typeof value === "string" ? json(value) : value),
};

/** The same, where a text is a text and not JSON. */
export const JSON_TREE: ApiColumn = { type: "JSON", read: (value) => value };

export interface ApiRows {
  columns: readonly SourceColumn[];
  rowOf(values: readonly unknown[]): unknown[];
}

/** Rows of an answer whose columns are told before them. */
export function apiRows(columns: readonly (ApiColumn & { name: string })[]): ApiRows {
  const names = uniqueNames(columns.map(({ name }) => name));
  return {
    columns: columns.map(({ type }, index) => ({ name: names[index]!, type })),
    rowOf(values) {
      if (values.length !== columns.length) throw wrongRow("a row with another number of columns");
      return values.map((value, index) => {
        if (value === null || value === undefined) return null;
        try {
          return columns[index]!.read(value);
        } catch (error) {
          if (!(error instanceof WrongValue)) throw error;
          throw wrongRow(
            `a value in the column ${names[index]!.slice(0, 100)} that is no ${columns[index]!.type}`,
          );
        }
      });
    },
  };
}

function wrongRow(what: string): AppError {
  return new AppError("unavailable", `The server sent ${what}, against what it announced.`, {
    hint: "Cast the column to text in the query.",
  });
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  return JSON.stringify(value);
}

function infinityOf(text: string): string {
  if (/^nan$/i.test(text)) return "NaN";
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? "-Infinity" : "Infinity";
  return text;
}

/** `2026-01-31 10:00:00.123456 +02:00`, with UTC or Z or nothing (which is UTC) behind it. */
const INSTANT = /^(\d{4,6}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(\.\d+)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i;

function instantOf(text: string): string {
  const [, date, time, fraction = "", zone = "Z"] = INSTANT.exec(text) ?? [];
  if (date === undefined) throw new WrongValue();
  const offset = /^[+-]/.test(zone) ? zone.replace(/^([+-]\d{2}):?(\d{2})$/, "$1:$2") : "Z";
  const at = new Date(`${date}T${time}${offset}`);
  if (Number.isNaN(at.getTime())) throw new WrongValue();
  return `${at.toISOString().slice(0, -5)}${fraction}Z`;
}
