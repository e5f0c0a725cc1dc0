import { AppError } from "../../../kernel/errors.ts";
import { uniqueNames } from "./column-names.ts";
import type { RowDecoder } from "./row-queue.ts";
import { type ReadText, WrongValue } from "./value-text.ts";

export interface TextColumn {
  name: string;
  type: string;
  read: ReadText;
}

/** Rows of a database that sends all values as text. */
export function textRows(columns: readonly TextColumn[]): RowDecoder<readonly (string | null)[]> {
  const names = uniqueNames(columns.map(({ name }) => name));
  return {
    columns: columns.map(({ type }, index) => ({ name: names[index]!, type })),
    decode(row) {
      if (row.length !== columns.length) throw wrongWidth();
      return row.map((text, index) => (text === null ? null : readValue(text, columns[index]!)));
    },
  };
}

function readValue(text: string, { name, type, read }: TextColumn): unknown {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw new AppError(
      "unavailable",
      `The server sent a value in the column ${name.slice(0, 100)} that is not a ${type}, as it says itself.`,
      { hint: "Cast the column to text in the query." },
    );
  }
}

function wrongWidth(): AppError {
  return new AppError(
    "unavailable",
    "The server sent a row with another number of columns than it announced.",
  );
}
