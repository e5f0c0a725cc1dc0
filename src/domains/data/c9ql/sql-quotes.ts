import { AppError } from "../../../kernel/errors.ts";
import { quoteName, quoteText } from "../sql-text.ts";

/**
 * Names and texts in SQL. A NUL is refused: DuckDB's texts end at one, so it could cut the query short, and the
 * compiler marks the places of bound values with it.
 */
export function sqlName(name: string): string {
  refuseNul(name);
  return quoteName(name);
}

export function sqlText(text: string): string {
  refuseNul(text);
  return quoteText(text);
}

function refuseNul(text: string): void {
  if (text.includes("\u0000")) {
    throw new AppError("bad_request", "A name or text in the C9QL query contains a NUL character.");
  }
}

/** The values that are bound, as the compiler comes across them; not all of them end up in the query. */
export class Bindings {
  readonly #texts: string[] = [];

  /** The place of a text. The same text has one place, so that equal expressions stay equal. */
  place(text: string): string {
    const known = this.#texts.indexOf(text);
    return `\u0000${known === -1 ? this.#texts.push(text) - 1 : known}\u0000`;
  }

  /** The query with $1, $2 and so on in their places, and their values. */
  resolve(sql: string, first: number): { sql: string; params: string[] } {
    const params: string[] = [];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: nothing else can contain a NUL
    const resolved = sql.replace(/\u0000(\d+)\u0000/g, (_, index: string) => {
      const text = this.#texts[Number(index)] as string;
      const known = params.indexOf(text);
      return `$${first + (known === -1 ? params.push(text) - 1 : known)}`;
    });
    return { sql: resolved, params };
  }
}
