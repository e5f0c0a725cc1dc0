import type { Key, Window } from "../query/semantic-query.ts";
import { CompileError } from "./compile-error.ts";
import type { RowCompiler } from "./row-compiler.ts";
import type { Rows } from "./rows.ts";

interface Beside {
  /** The rows of the numbers beside it, and the dates that these go by. */
  parts: readonly { rows: Rows; date: Key | null }[];
  win: Window | undefined;
}

/** What happened, such as the orders of a day, is in a period as the number beside it is; a store is there always. */
export function isOfEvents(compiler: RowCompiler, ds: string, { parts, win }: Beside): boolean {
  const { date, nameField, fields } = compiler.dataset(ds);
  if (date === null) return false;
  const homes = parts.flatMap((part) => [
    part.rows.ds,
    part.date?.ds,
    compiler.dataset(part.rows.ds).date?.ds,
  ]);
  if (homes.includes(ds)) return true;
  if (parts.length === 0 && win !== undefined)
    throw new CompileError(`Whether ${ds} are to be limited to ${win.said} cannot be told.`);
  return fields.get(nameField ?? "")?.kind !== "text" || /(^|_)id$/i.test(nameField ?? "");
}
