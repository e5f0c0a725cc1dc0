import { BSON, Decimal128, Long, ObjectId } from "mongodb";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";

export type CallValue = unknown;

export interface ShellCall {
  name: string;
  args: CallValue[];
}

export type ShellText = { collection: string; calls: ShellCall[] } | { value: CallValue };

/** `db.NAME.call(…).call(…)`, or one value. What stands in the brackets are literals; nothing is run. */
export function parseShell(text: string, hint: string): ShellText {
  const reader = new ShellReader(text, hint);
  const start =
    /^db\s*(?:\.\s*getCollection\s*\(\s*(["'])(.*?)\1\s*\)|\.\s*([\w$-]+(?:\.[\w$-]+)*?))(?=\s*\.\s*\w+\s*\()/s.exec(
      text,
    );
  if (start === null) {
    if (/^db\b/.test(text)) reader.fail();
    const value = reader.value(0);
    reader.end();
    return { value };
  }
  reader.at = start[0].length;
  const calls: ShellCall[] = [];
  while (!reader.isAtEnd()) calls.push(reader.call());
  return { collection: start[2] ?? start[3] ?? "", calls };
}

/** How the shell writes values that JSON has no form for. */
const CONSTRUCTORS: Readonly<Record<string, (text: string) => unknown>> = {
  ObjectId: (text) => new ObjectId(text),
  ISODate: dateOf,
  Date: dateOf,
  NumberLong: (text) => Long.fromString(text),
  NumberInt: Number,
  NumberDecimal: (text) => Decimal128.fromString(text),
};

function dateOf(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new Error("no date");
  return date;
}

class ShellReader {
  at = 0;
  readonly #text: string;
  readonly #hint: string;

  constructor(text: string, hint: string) {
    this.#text = text;
    this.#hint = hint;
  }

  isAtEnd(): boolean {
    this.#skip();
    return this.at >= this.#text.length;
  }

  end(): void {
    if (!this.isAtEnd()) this.fail();
  }

  fail(): never {
    const near = this.#text.slice(this.at, this.at + 30);
    throw new AppError(
      "bad_request",
      `The query cannot be read${near === "" ? " to its end" : ` at "${near}"`}.`,
      {
        hint: this.#hint,
      },
    );
  }

  call(): ShellCall {
    this.#skip();
    const [whole, name = ""] = this.#match(/\.\s*(\w+)\s*\(/y) ?? this.fail();
    void whole;
    const args: CallValue[] = [];
    for (this.#skip(); !this.#take(")"); this.#skip()) {
      args.push(this.value(0));
      this.#skip();
      if (!this.#take(",") && this.#text[this.at] !== ")") this.fail();
    }
    return { name, args };
  }

  value(depth: number): CallValue {
    this.#skip();
    if (depth > LIMITS.datasources.jsonDepth) this.fail();
    const sign = this.#text[this.at];
    if (sign === "{") return this.#object(depth);
    if (sign === "[") return this.#list(depth);
    if (sign === '"' || sign === "'") return this.#string();
    if (sign === "/") return this.#pattern();
    const number = this.#match(/[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y);
    if (number !== null) return Number(number[0]);
    const word = this.#match(/(?:new\s+)?([A-Za-z_$][\w$]*)/y)?.[1];
    if (word === "true" || word === "false") return word === "true";
    if (word === "null" || word === "undefined") return null;
    return this.#constructed(word);
  }

  #constructed(word: string | undefined): CallValue {
    const make = word !== undefined && Object.hasOwn(CONSTRUCTORS, word) ? CONSTRUCTORS[word] : undefined;
    const text = this.#match(/\s*\(\s*(?:"([^"]*)"|'([^']*)'|([+-]?[\d.]+))\s*\)/y);
    if (make === undefined || text === null) this.fail();
    try {
      return make(text[1] ?? text[2] ?? text[3] ?? "");
    } catch {
      return this.fail();
    }
  }

  #object(depth: number): CallValue {
    this.at += 1;
    const entries: [string, CallValue][] = [];
    for (this.#skip(); !this.#take("}"); this.#skip()) {
      const sign = this.#text[this.at];
      const key = sign === '"' || sign === "'" ? this.#string() : this.#match(/[A-Za-z_$][\w$]*/y)?.[0];
      this.#skip();
      if (key === undefined || !this.#take(":")) this.fail();
      entries.push([key, this.value(depth + 1)]);
      this.#skip();
      if (!this.#take(",") && this.#text[this.at] !== "}") this.fail();
    }
    const value = Object.fromEntries(entries);
    const isExtended =
      entries.length <= 2 &&
      /^\$(oid|date|numberLong|numberDecimal|numberInt|numberDouble|uuid|binary)$/.test(
        entries[0]?.[0] ?? "",
      );
    if (!isExtended) return value;
    try {
      return BSON.EJSON.deserialize(value);
    } catch {
      return this.fail();
    }
  }

  #list(depth: number): CallValue {
    this.at += 1;
    const items: CallValue[] = [];
    for (this.#skip(); !this.#take("]"); this.#skip()) {
      items.push(this.value(depth + 1));
      this.#skip();
      if (!this.#take(",") && this.#text[this.at] !== "]") this.fail();
    }
    return items;
  }

  #string(): string {
    const quote = this.#text[this.at]!;
    const found = this.#match(quote === '"' ? /"((?:[^"\\]|\\.)*)"/sy : /'((?:[^'\\]|\\.)*)'/sy);
    if (found === null) this.fail();
    const inner = found[1]!.replace(/\\'/g, "'");
    try {
      return JSON.parse(`"${quote === '"' ? inner : inner.replace(/(?<!\\)"/g, '\\"')}"`);
    } catch {
      return this.fail();
    }
  }

  /** MongoDB's own form of a pattern: it is matched there, not here. */
  #pattern(): CallValue {
    const [, pattern, flags] = this.#match(/\/((?:[^/\\\n]|\\.)+)\/([imsx]*)/y) ?? this.fail();
    return { $regex: pattern, ...(flags === "" ? {} : { $options: flags }) };
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  #take(sign: string): boolean {
    if (this.#text[this.at] !== sign) return false;
    this.at += 1;
    return true;
  }

  #skip(): void {
    this.#match(/(?:\s|\/\/[^\n]*|\/\*.*?\*\/)*/sy);
  }
}
