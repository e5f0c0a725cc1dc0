import { AppError } from "../../../kernel/errors.ts";

/** A name as SQL text. DuckDB's texts end at a NUL, so one could cut a statement short. */
export function quoteName(name: string): string {
  refuseNul(name);
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  refuseNul(text);
  return `'${text.replaceAll("'", "''")}'`;
}

export function quoteList(texts: readonly string[]): string {
  return `[${texts.map(quoteText).join(", ")}]`;
}

function refuseNul(text: string): void {
  if (text.includes("\u0000")) throw new AppError("bad_request", "A name or text contains a NUL character.");
}
