import { LIMITS } from "../../limits.ts";
import { type ReadText, WrongValue } from "../value-text.ts";

/** Reads an array as PostgreSQL writes it (`{1,NULL,"a b"}`, nested, with bounds in front) into nested arrays. */
export function readArray(text: string, readItem: ReadText): unknown[] {
  const reader = new ArrayReader(text.replace(/^(\[-?\d+:-?\d+\])+=/, ""), readItem);
  return reader.readAll();
}

class ArrayReader {
  readonly #text: string;
  readonly #readItem: ReadText;
  #at = 0;

  constructor(text: string, readItem: ReadText) {
    this.#text = text;
    this.#readItem = readItem;
  }

  readAll(): unknown[] {
    const array = this.#readArray(0);
    if (this.#at !== this.#text.length) throw new WrongValue();
    return array;
  }

  #readArray(depth: number): unknown[] {
    if (this.#text[this.#at] !== "{" || depth > LIMITS.datasources.jsonDepth) throw new WrongValue();
    this.#at += 1;
    const items: unknown[] = [];
    if (this.#text[this.#at] === "}") {
      this.#at += 1;
      return items;
    }
    for (;;) {
      items.push(this.#text[this.#at] === "{" ? this.#readArray(depth + 1) : this.#readOne());
      const sign = this.#text[this.#at];
      this.#at += 1;
      if (sign === "}") return items;
      if (sign !== ",") throw new WrongValue();
    }
  }

  #readOne(): unknown {
    if (this.#text[this.#at] === '"') return this.#readItem(this.#readQuoted());
    const start = this.#at;
    while (this.#at < this.#text.length && !",}".includes(this.#text[this.#at]!)) this.#at += 1;
    const item = this.#text.slice(start, this.#at);
    return item === "NULL" ? null : this.#readItem(item);
  }

  #readQuoted(): string {
    let item = "";
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at]!;
      if (sign === '"') {
        this.#at += 1;
        return item;
      }
      if (sign === "\\") this.#at += 1;
      item += this.#text[this.#at] ?? "";
      this.#at += 1;
    }
    throw new WrongValue();
  }
}
