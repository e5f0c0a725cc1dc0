/** Texts by their number, each once: equal expressions stay equal. */
class Numbered {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}

/** The values that are bound, as the compiler comes across them; not all of them end up in the query. */
export class Bindings {
  readonly #met = new Numbered();

  /** The place of a text. */
  place(text: string): string {
    return `\u0000${this.#met.numberOf(text)}\u0000`;
  }

  /** The query with $1, $2 and so on in their places, and their values. */
  resolve(sql: string, first: number): { sql: string; params: readonly string[] } {
    const used = new Numbered();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: nothing else can contain a NUL
    const resolved = sql.replace(/\u0000(\d+)\u0000/g, (_, number: string) => {
      return `$${first + used.numberOf(this.#met.texts[Number(number)] as string)}`;
    });
    return { sql: resolved, params: used.texts };
  }
}
