import type { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";
import type { Span } from "./ast.ts";
import type { Token } from "./lexer.ts";
import { type Complaint, queryError } from "./query-error.ts";

/** Where an expression stands decides which words end a name. */
export interface Place {
  /** Inside `case … end`. */
  inCase: boolean;
  /** In an `order by` that no bracket hides. */
  inOrder: boolean;
}

/** A place in the tokens of a query. */
export class Cursor {
  readonly text: string;
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(text: string, tokens: readonly Token[]) {
    this.text = text;
    this.#tokens = tokens;
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#index + ahead, this.#tokens.length - 1)] as Token;
  }

  /** The token before this one. */
  get last(): Token {
    return this.#tokens[Math.max(0, this.#index - 1)] as Token;
  }

  take(): Token {
    const token = this.peek();
    this.#index = Math.min(this.#index + 1, this.#tokens.length - 1);
    return token;
  }

  /** A place to come back to. */
  mark(): number {
    return this.#index;
  }

  reset(mark: number): void {
    this.#index = mark;
  }

  isSign(sign: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === "sign" && token.text === sign;
  }

  isWord(word: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === "word" && token.lower === word;
  }

  takeSign(sign: string): boolean {
    const isThere = this.isSign(sign);
    if (isThere) this.take();
    return isThere;
  }

  /** Several words in a row, as in `group by`. */
  takeWords(...words: readonly string[]): boolean {
    const isThere = words.every((word, ahead) => this.isWord(word, ahead));
    if (isThere) for (const _ of words) this.take();
    return isThere;
  }

  expectSign(sign: string, complaint: Complaint): Token {
    if (!this.isSign(sign)) throw this.error(complaint);
    return this.take();
  }

  from(start: number): Span {
    return { start, end: Math.max(start, this.last.end) };
  }

  error(complaint: Complaint, span: Span = this.#here()): AppError {
    return queryError(this.text, span, complaint);
  }

  /** At the end of the text there is nothing to point at but the character before. */
  #here(): Span {
    const { kind, start, end } = this.peek();
    if (kind !== "end") return { start, end };
    return { start: Math.max(0, this.last.end - 1), end: Math.max(1, this.last.end) };
  }

  /** Runs one level deeper, so that no text can exhaust the stack. */
  deeper<Result>(read: () => Result): Result {
    this.#depth += 1;
    if (this.#depth > LIMITS.c9ql.depth) throw this.tooDeep(this.#here());
    const result = read();
    this.#depth -= 1;
    return result;
  }

  tooDeep(span: Span): AppError {
    const complaint: Complaint = {
      code: "too_large",
      message: `the expression is nested more than ${LIMITS.c9ql.depth} levels deep.`,
      hint: "Compute a part of it in a statement of its own: select …; select …",
    };
    return this.error(complaint, span);
  }

  /** Whether the token ahead is a keyword in its place, so that a name ends before it. */
  isKeyword(place: Place, ahead = 0): boolean {
    const token = this.peek(ahead);
    if (token.kind !== "word") return false;
    switch (token.lower) {
      case "where":
      case "and":
      case "or":
      case "as":
      case "like":
      case "between":
        return true;
      case "group":
      case "order":
        return this.isWord("by", ahead + 1);
      case "limit":
        return this.peek(ahead + 1).kind === "number";
      case "in":
        return this.isSign("(", ahead + 1) || this.peek(ahead + 1).kind === "variable";
      case "not":
        return ["like", "in", "between"].some((word) => this.isWord(word, ahead + 1));
      case "is":
        return (
          this.isWord("null", ahead + 1) || (this.isWord("not", ahead + 1) && this.isWord("null", ahead + 2))
        );
      case "when":
      case "then":
      case "else":
      case "end":
        return place.inCase;
      case "asc":
      case "desc":
        return place.inOrder && this.#endsOrdering(ahead + 1);
      default:
        return false;
    }
  }

  #endsOrdering(ahead: number): boolean {
    const { kind } = this.peek(ahead);
    const ends = kind === "end" || this.isSign(",", ahead) || this.isSign(";", ahead);
    return ends || (this.isWord("limit", ahead) && this.peek(ahead + 1).kind === "number");
  }
}
