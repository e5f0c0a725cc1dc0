import { AppError } from "../../kernel/errors.ts";
import { hasLongNumbers } from "../../kernel/json.ts";
import { LIMITS } from "../../kernel/limits.ts";

/** Where in a request the arguments of a tool are, and which of them may be long lists. */
export interface DataArguments {
  /** Names of fields from the message to its arguments. */
  path: readonly string[];
  lists: readonly string[];
}

/** An argument that is to be read apart. */
export interface Cut {
  start: number;
  end: number;
  /** Of a list. */
  items: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

const SPLIT = "Send them in several requests.";

/** A container that leads to no arguments. */
const ASIDE = -1;

/**
 * Counts names, values and levels of a JSON text without parsing it, and finds the arguments that are large. It takes
 * a nanosecond or two for a byte and keeps nothing, whatever the text is: a parser makes objects of it, a million of
 * which take seconds. A text whose brackets and quotes do not match is refused; whether the rest is JSON it does not
 * say, but it has counted at least as much as a parser would read.
 */
export class JsonScan {
  readonly #bytes: Uint8Array;
  readonly #path: readonly Uint8Array[];
  readonly #lists: readonly Uint8Array[];
  readonly #rootSteps: number;
  readonly cuts: Cut[] = [];
  fields = 0;
  values = 0;
  #at = 0;
  #whiteBytes = 0;
  #cutBytes = 0;
  #depth = 0;
  readonly #isObject = new Uint8Array(LIMITS.request.bodyDepth + 1);
  /** How many names of the path lead to each open container. */
  readonly #steps = new Int8Array(LIMITS.request.bodyDepth + 1).fill(ASIDE);
  /** Fields of each open container. */
  readonly #fieldsOf = new Uint32Array(LIMITS.request.bodyDepth + 1);
  #isInText = false;
  #isInWord = false;
  #isNameNext = false;
  #textStart = 0;
  #nameStart = 0;
  #nameEnd = 0;
  /** The argument that is being scanned: where it starts, and how deep the arguments are. */
  #argumentStart = -1;
  #argumentDepth = 0;
  #isInList = false;
  #items = 0;
  #listFields = 0;
  #listValues = 0;

  constructor(bytes: Uint8Array, data?: DataArguments) {
    this.#bytes = bytes;
    this.#path = (data?.path ?? []).map((name) => Buffer.from(name));
    this.#lists = (data?.lists ?? []).map((name) => Buffer.from(name));
    this.#rootSteps = data === undefined ? ASIDE : 0;
  }

  /** Goes on for so many bytes; true at the end. Throws when there is too much of anything, or an end is missing. */
  run(byteCount: number): boolean {
    const bytes = this.#bytes;
    const stop = Math.min(bytes.length, this.#at + byteCount);
    let at = this.#at;
    while (at < stop) at = this.#isInText ? this.#skipText(at, stop) : this.#step(bytes[at]!, at);
    this.#at = at;
    this.#check();
    if (at < bytes.length) return false;
    // What an open list holds is counted nowhere yet, and a parser would read all of it to find that it has no end.
    if (this.#depth > 0 || this.#isInText) throw notJson();
    return true;
  }

  #skipText(from: number, stop: number): number {
    const bytes = this.#bytes;
    for (let at = from; ; at += 1) {
      if (at >= stop) return at;
      const byte = bytes[at];
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) {
        this.#endText(at + 1);
        return at + 1;
      }
    }
  }

  #step(byte: number, at: number): number {
    if (byte <= SPACE) {
      if (!this.#isInList) this.#whiteBytes += 1;
      this.#isInWord = false;
      return at + 1;
    }
    switch (byte) {
      case QUOTE:
        this.#isInWord = false;
        this.#isInText = true;
        this.#textStart = at;
        if (!this.#isNameNext) this.#startValue(at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        this.#startValue(at);
        this.#open(byte === OPEN_OBJECT);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        this.#close(at + 1, byte === CLOSE_OBJECT);
        break;
      case COMMA:
        this.#isInWord = false;
        this.#isNameNext = this.#isObject[this.#depth] === 1;
        break;
      case COLON:
        this.#isInWord = false;
        break;
      default:
        if (!this.#isInWord) this.#startValue(at);
        this.#isInWord = true;
    }
    return at + 1;
  }

  #startValue(at: number): void {
    const depth = this.#depth;
    if (this.#isInList) {
      this.#countListValue();
      return;
    }
    this.values += 1;
    const isArgument = this.#steps[depth] === this.#path.length && this.#isObject[depth] === 1;
    if (!isArgument) return;
    this.#argumentStart = at;
    this.#argumentDepth = depth;
    if (this.#bytes[at] !== OPEN_LIST || !this.#lists.some((name) => this.#isName(name))) return;
    this.#isInList = true;
    this.#items = 0;
    this.#listFields = 0;
    this.#listValues = 0;
  }

  #endText(end: number): void {
    this.#isInText = false;
    if (this.#isNameNext) {
      this.#isNameNext = false;
      this.#nameStart = this.#textStart + 1;
      this.#nameEnd = end - 1;
      if (this.#isInList) this.#countListField();
      else this.fields += 1;
      return;
    }
    if (this.#argumentStart !== this.#textStart) return;
    this.#argumentStart = -1;
    this.#cutIfLarger(LIMITS.request.largeTextBytes, { start: this.#textStart, end, items: 0 });
  }

  #countListValue(): void {
    this.#listValues += 1;
    if (this.#depth === this.#argumentDepth + 1) this.#items += 1;
    if (this.#listValues <= LIMITS.request.rowValues) return;
    throw tooMuch(`The rows have more than ${count(LIMITS.request.rowValues)} values.`, SPLIT);
  }

  #countListField(): void {
    this.#listFields += 1;
    this.#fieldsOf[this.#depth]! += 1;
    if (this.#fieldsOf[this.#depth]! <= LIMITS.request.objectFields) return;
    throw tooMuch(`An object in the rows has more than ${count(LIMITS.request.objectFields)} fields.`, SPLIT);
  }

  #open(isObject: boolean): void {
    const parent = this.#depth;
    const steps = this.#stepsBelow(parent, isObject);
    this.#depth += 1;
    if (this.#depth > LIMITS.request.bodyDepth) throw tooDeep();
    this.#isInWord = false;
    this.#isObject[this.#depth] = isObject ? 1 : 0;
    this.#steps[this.#depth] = steps;
    this.#fieldsOf[this.#depth] = 0;
    this.#isNameNext = isObject;
  }

  /** The messages of a batch stand one level deeper. */
  #stepsBelow(parent: number, isObject: boolean): number {
    if (!isObject) return ASIDE;
    if (parent === 0 || (parent === 1 && this.#isObject[1] === 0)) return this.#rootSteps;
    const steps = this.#steps[parent]!;
    const next = steps === ASIDE ? undefined : this.#path[steps];
    return next !== undefined && this.#isObject[parent] === 1 && this.#isName(next) ? steps + 1 : ASIDE;
  }

  #close(end: number, isObject: boolean): void {
    if (this.#depth === 0 || (this.#isObject[this.#depth] === 1) !== isObject) throw notJson();
    this.#isInWord = false;
    this.#isNameNext = false;
    this.#depth -= 1;
    if (!this.#isInList || this.#depth > this.#argumentDepth) return;
    this.#isInList = false;
    const cut = { start: this.#argumentStart, end, items: this.#items };
    if (this.#cutIfLarger(LIMITS.request.largeRowsBytes, cut)) return;
    this.fields += this.#listFields;
    this.values += this.#listValues;
    const text = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + cut.start, end - cut.start);
    // Parsed with the rest, they would lose digits.
    if (hasLongNumbers(text.toString("latin1"))) this.#cutIfLarger(0, cut);
  }

  #cutIfLarger(most: number, cut: Cut): boolean {
    const bytes = cut.end - cut.start;
    if (bytes <= most) return false;
    this.cuts.push(cut);
    this.#cutBytes += bytes;
    return true;
  }

  /** The name of the field whose value is next; an escaped one is not looked through, and so gets no exception. */
  #isName(name: Uint8Array): boolean {
    if (this.#nameEnd - this.#nameStart !== name.length) return false;
    return name.every((byte, i) => byte === this.#bytes[this.#nameStart + i]);
  }

  #check(): void {
    const { fields, values, plainBytes } = LIMITS.request;
    const hint =
      "Rows are sent as rows of {tool:push_data}, files as content or by URL of {tool:import_file}.";
    if (this.fields > fields)
      throw tooMuch(`The request has more than ${count(fields)} fields besides its data.`, hint);
    if (this.values > values)
      throw tooMuch(`The request has more than ${count(values)} values besides its data.`, hint);
    if (this.#plainBytes() > plainBytes)
      throw tooMuch(`The request has more than ${count(plainBytes)} bytes besides its data.`, hint);
  }

  /** Not what is inside of an argument that may turn out to be read apart. */
  #plainBytes(): number {
    const isOpen = this.#isInList || (this.#isInText && this.#argumentStart === this.#textStart);
    const end = isOpen ? this.#argumentStart : this.#at;
    return end - this.#whiteBytes - this.#cutBytes;
  }
}

export function notJson(cause?: unknown): AppError {
  return new AppError("bad_request", "Parse error: the request body is not valid JSON.", { cause });
}

function count(most: number): string {
  return most.toLocaleString("en");
}

function tooDeep(): AppError {
  const sentence = `the request body is nested more than ${LIMITS.request.bodyDepth} levels deep.`;
  return new AppError("bad_request", `Parse error: ${sentence}`);
}

function tooMuch(message: string, hint: string): AppError {
  return new AppError("too_large", message, { hint });
}
