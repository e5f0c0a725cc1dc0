import { clip } from "../../../kernel/clip.ts";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { nearest } from "../../../kernel/nearest.ts";
import { quoteName } from "../../../kernel/sql-text.ts";

/** How the engine says that there is no such column where it does not say which there are. */
const MISSING = [
  /does not have a column named "((?:[^"]|"")+)"/,
  /Column "((?:[^"]|"")+)" in (?:EXCLUDE|REPLACE|RENAME) list not found/,
  /Column "((?:[^"]|"")+)" does not exist on (?:left|right) side of join/,
  /Referenced column "((?:[^"]|"")+)" not found/,
];

/** Adds the columns of the datasets to an error of the engine about a column that is not there. */
export function withColumnHelp(error: unknown, columns: ReadonlyMap<string, readonly string[]>): unknown {
  if (!isAppError(error) || error.hint !== undefined) return error;
  const name = MISSING.map((pattern) => pattern.exec(error.message)?.[1]).find((each) => each !== undefined);
  if (name === undefined || error.message.includes("Candidate bindings")) return error;
  const { message, data, cause } = error;
  return new AppError(error.code, message, {
    data,
    cause,
    hint: hintFor(name.replaceAll('""', '"'), columns),
  });
}

function hintFor(name: string, columns: ReadonlyMap<string, readonly string[]>): string {
  const all = [...new Set([...columns.values()].flat())];
  const meant = nearest(name, all);
  if (meant !== undefined) return `Did you mean ${quoteName(meant)}?`;
  const lists = [...columns].map(
    ([dataset, names]) => `${quoteName(dataset)} has ${names.map(quoteName).join(", ")}`,
  );
  return clip(`${lists.join("; ")}.`, 800);
}
