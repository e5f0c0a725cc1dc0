import { AppError } from "./errors.ts";

/** A name in SQL, whatever characters it has but NUL. */
export function quoteName(name: string): string {
  return `"${withoutNul(name).replaceAll('"', '""')}"`;
}

/** A text literal in SQL. DuckDB knows no escapes in plain literals but the doubled quote. */
export function quoteText(text: string): string {
  return `'${withoutNul(text).replaceAll("'", "''")}'`;
}

export function quoteList(texts: readonly string[]): string {
  return `[${texts.map(quoteText).join(", ")}]`;
}

/** A text that LIKE takes as it is, whatever signs it has. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

/** DuckDB's texts end at a NUL, so one could cut a statement short. */
function withoutNul(text: string): string {
  if (text.includes("\u0000")) throw new AppError("bad_request", "A name or text contains a NUL character.");
  return text;
}
