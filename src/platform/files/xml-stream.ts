import { TextDecoder } from "node:util";
import { SaxesParser } from "saxes";
import { AppError, isAppError, messageOf } from "../../kernel/errors.ts";
import { excerptOf, megabytes } from "./excerpts.ts";
import { LIMITS } from "./limits.ts";

export interface XmlEvents {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  /** Of the element that is open; it may come in pieces. */
  text(text: string): void;
  close(name: string): void;
}

export interface XmlOptions {
  /** Instead of what the file says of itself. */
  encoding?: string | undefined;
  /** What the file is called in errors. */
  what?: string;
  /** Whether an error can say where it is. */
  countLines?: boolean;
}

/**
 * Reads XML as it comes, without ever holding more than one tag or text of it. Document types are refused, and
 * with them every entity but the five of XML itself: no file or address is ever looked at, and nothing grows.
 */
export class XmlStream {
  readonly #parser: SaxesParser;
  readonly #countsLines: boolean;
  readonly #what: string;
  readonly #encoding: string | undefined;
  #decoder: TextDecoder | undefined;
  #start: Buffer | undefined = Buffer.alloc(0);
  #depth = 0;
  #attributes = 0;
  /** Bytes since the last event: a tag or text that does not end. */
  #quietBytes = 0;

  constructor(events: XmlEvents, { encoding, what = "The XML", countLines = true }: XmlOptions = {}) {
    this.#what = what;
    this.#encoding = encoding;
    this.#countsLines = countLines;
    this.#parser = new SaxesParser({ position: countLines });
    this.#listen(events);
  }

  /** Known after the first bytes. */
  get encoding(): string {
    return this.#decoder?.encoding ?? "utf-8";
  }

  write(chunk: Uint8Array): void {
    let bytes = chunk;
    if (this.#start !== undefined) {
      bytes = Buffer.concat([this.#start, chunk]);
      this.#start = Buffer.from(bytes);
      if (bytes.length < DECLARATION_BYTES) return;
    }
    this.#parse(bytes, false);
  }

  end(): void {
    this.#parse(this.#start ?? new Uint8Array(0), true);
    this.#guarded(() => this.#parser.close());
  }

  #parse(bytes: Uint8Array, isLast: boolean): void {
    this.#decoder ??= this.#makeDecoder(bytes);
    this.#start = undefined;
    this.#quietBytes += bytes.length;
    if (this.#quietBytes > LIMITS.files.rowBytes) {
      const most = megabytes(LIMITS.files.rowBytes);
      throw new AppError(
        "too_large",
        `${this.#what} has a tag or a text of more than ${most}${this.#place()}.`,
      );
    }
    const text = this.#decode(bytes, isLast);
    this.#guarded(() => this.#parser.write(text));
  }

  #makeDecoder(bytes: Uint8Array): TextDecoder {
    const label = this.#encoding ?? encodingOf(bytes);
    try {
      return new TextDecoder(label, { fatal: true });
    } catch {
      throw new AppError(
        "unsupported",
        `${this.#what} has the encoding "${excerptOf(label)}", which is not known.`,
        {
          hint: "Save it as UTF-8.",
        },
      );
    }
  }

  #decode(bytes: Uint8Array, isLast: boolean): string {
    try {
      return this.#decoder!.decode(bytes, { stream: !isLast });
    } catch {
      const encoding = this.#decoder!.encoding;
      throw new AppError("bad_request", `${this.#what} has bytes that are not ${encoding}${this.#place()}.`, {
        hint: "Say its encoding, or save it as UTF-8.",
      });
    }
  }

  /** Errors of the parser begin with the place: `12:5: unclosed tag`. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (isAppError(error)) throw error;
      const [, line, , problem] = /^(?:(\d+):(\d+): )?([\s\S]*)$/.exec(messageOf(error))!;
      const place = line === undefined ? "" : ` (line ${line})`;
      const clause = excerptOf(problem!).replace(/\.$/, "");
      throw new AppError("bad_request", `${this.#what} is not well-formed${place}: ${clause}.`, {
        hint: "Check that the file is complete.",
      });
    }
  }

  #place(): string {
    return this.#countsLines ? ` near line ${this.#parser.line}` : "";
  }

  #listen({ open, text, close }: XmlEvents): void {
    const parser = this.#parser;
    parser.on("doctype", () => {
      throw new AppError("unsupported", `${this.#what} has a document type declaration, which is not read.`, {
        hint: "Remove the <!DOCTYPE …> line and the entities that it defines.",
      });
    });
    parser.on("attribute", () => {
      this.#attributes += 1;
      if (this.#attributes <= LIMITS.files.xmlAttributes) return;
      const most = LIMITS.files.xmlAttributes.toLocaleString("en");
      throw new AppError("too_large", `${this.#what} has an element with more than ${most} attributes.`);
    });
    parser.on("opentag", (tag) => {
      this.#quietBytes = 0;
      this.#attributes = 0;
      this.#depth += 1;
      if (this.#depth > LIMITS.files.xmlDepth) {
        throw new AppError(
          "too_large",
          `${this.#what} is nested more than ${LIMITS.files.xmlDepth} levels deep.`,
        );
      }
      open(tag.name, tag.attributes as Record<string, string>);
    });
    parser.on("closetag", (tag) => {
      this.#quietBytes = 0;
      this.#depth -= 1;
      close(tag.name);
    });
    const onText = (piece: string): void => {
      this.#quietBytes = 0;
      if (this.#depth > 0) text(piece);
    };
    parser.on("text", onText);
    parser.on("cdata", onText);
    parser.on("comment", () => {
      this.#quietBytes = 0;
    });
  }
}

/** The declaration stands at the very beginning, in letters that are the same in most encodings. */
const DECLARATION_BYTES = 256;

function encodingOf(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, DECLARATION_BYTES));
  const hex = start.toString("hex", 0, 4);
  if (hex.startsWith("fffe") || hex === "3c003f00") return "utf-16le";
  if (hex.startsWith("feff") || hex === "003c003f") return "utf-16be";
  if (hex.startsWith("efbbbf")) return "utf-8";
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']{1,40})["']/.exec(
    start.toString("latin1"),
  )?.[1];
  // A file cannot say in single bytes that it has double ones.
  return declared === undefined || /^utf-?16/i.test(declared) ? "utf-8" : declared;
}

/** A name without its namespace prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
