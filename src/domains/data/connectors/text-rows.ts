import { AppError } from "../../../kernel/errors.ts";
import { uniqueNames } from "./column-names.ts";
import type { RowDecoder } from "./row-queue.ts";
import { type ColumnReader, WrongValue } from "./value-text.ts";

interface TextColumn extends ColumnReader {
  name: string;
}

/** Rows of a database that sends all values as text. */
export function textRows(columns: readonly TextColumn[]): RowDecoder<readonly (string | null)[]> {
  const names = uniqueNames(columns.map(({ name }) => name));
  let current = columns.map(({ type }, index) => ({ name: names[index]!, type }));
  const widen = (index: number): void => {
    if (current[index]!.type === "DOUBLE") return;
    // A new list: batches that were handed out keep theirs.
    current = current.with(index, { name: names[index]!, type: "DOUBLE" });
  };
  return {
    columns: () => current,
    decode(row) {
      if (row.length !== columns.length) throw wrongWidth();
      return row.map((text, index) => {
        if (text === null) return null;
        const column = columns[index]!;
        if (column.isTooLarge?.(text)) widen(index);
        return readValue(text, column);
      });
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
