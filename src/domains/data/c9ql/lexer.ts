import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";
import { type DateTokenNode, type ParameterNode, queryError, type Span } from "./ast.ts";
import { readVariable } from "./parameters.ts";

type TokenKind =
  | "word"
  | "number"
  /** 'text', and a date as it is usually written: 2024-01-31 10:00. */
  | "text"
  /** "name or text". */
  | "loose"
  /** `name`, [name], or a known name that is no plain word. */
  | "exact"
  | "variable"
  /** [0] right after what it belongs to. */
  | "index"
  | "sign"
  | "end";

export interface Token extends Span {
  readonly kind: TokenKind;
  /** Text of the token: without quotes, as written otherwise. */
  readonly text: string;
  /** `text` in lower case, for keywords and signs. */
  readonly lower: string;
  readonly variable?: DateTokenNode | ParameterNode;
}

const STARTS_NUMBER = /[\d.]/;
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const DOTTED = /\d+(?:\.\d+){2,}/y;
const DATE = /\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/y;
const SIGN = /<>|<=|>=|!=|==|[=<>+\-*/^%~(),;.]/y;
const INDEX = /\[\s*(\d{1,9})\s*\]/y;
const SPACE = /\s+/y;
const LINE_COMMENT = /--(?=\s|$)[^\n]*/y;
const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', "`": "`", "[": "]" };
const QUOTED_KIND: Readonly<Record<string, TokenKind>> = {
  "'": "text",
  '"': "loose",
  "`": "exact",
  "[": "exact",
};

/** All tokens of a text, with an `end` token at the end. */
export function tokenise(text: string, names?: KnownNames): Token[] {
  refuseUnusable(text);
  const tokens: Token[] = [];
  let offset = skipSpace(text, 0);
  while (offset < text.length) {
    const token = readToken(text, offset, tokens.at(-1), names);
    tokens.push(token);
    if (tokens.length > LIMITS.c9ql.tokens) throw tooMany(text, token);
    offset = skipSpace(text, token.end);
  }
  tokens.push({ kind: "end", text: "", lower: "", start: text.length, end: text.length });
  return tokens;
}

function refuseUnusable(text: string): void {
  if (text.length > LIMITS.c9ql.textCharacters) {
    throw new AppError("too_large", `The C9QL query has ${text.length} characters.`, {
      hint: `At most ${LIMITS.c9ql.textCharacters} are allowed.`,
    });
  }
  const unusable = text.isWellFormed() ? text.indexOf("\u0000") : 0;
  if (unusable !== -1) {
    throw new AppError("bad_request", "The C9QL query contains a character that is no text.", {
      hint: "Remove NUL characters and halves of surrogate pairs.",
    });
  }
}

function tooMany(text: string, token: Token): AppError {
  return queryError(text, token, {
    code: "too_large",
    message: `the query has more than ${LIMITS.c9ql.tokens} words and signs.`,
  });
}

/** Over white space and comments. */
function skipSpace(text: string, offset: number): number {
  for (let at = offset; ; ) {
    const end = match(SPACE, text, at)?.end ?? match(LINE_COMMENT, text, at)?.end ?? commentEnd(text, at);
    if (end === undefined) return at;
    at = end;
  }
}

function commentEnd(text: string, offset: number): number | undefined {
  if (!text.startsWith("/*", offset)) return undefined;
  const end = text.indexOf("*/", offset + 2);
  if (end !== -1) return end + 2;
  throw queryError(
    text,
    { start: offset, end: offset + 2 },
    {
      message: "the comment is never closed.",
      hint: "Add */ where it ends.",
    },
  );
}

function readToken(text: string, offset: number, previous: Token | undefined, names?: KnownNames): Token {
  const known = names?.at(text, offset);
  if (known !== undefined) return token("exact", offset, offset + known.length, known.name);
  const character = text[offset] as string;
  if (character === "[" && previous?.end === offset && endsOperand(previous)) {
    const index = match(INDEX, text, offset);
    if (index !== undefined) return token("index", offset, index.end, index.groups[1] as string);
  }
  if (character in CLOSING) return readQuoted(text, offset, character);
  const variable = readVariable(text, offset);
  if (variable !== undefined) {
    const { start, end } = variable.span;
    return { ...token("variable", start, end, text.slice(start, end)), variable };
  }
  // The dot of a path: `version.2` is no number .2 after a name.
  const isDot = character === "." && previous?.end === offset && endsOperand(previous);
  const number = isDot ? undefined : readNumber(text, offset);
  return number ?? readWord(text, offset) ?? readSign(text, offset);
}

function endsOperand({ kind, text }: Token): boolean {
  return ["word", "number", "loose", "exact", "index"].includes(kind) || text === ")";
}

/** A quote inside is written twice. */
function readQuoted(text: string, offset: number, opening: string): Token {
  const closing = CLOSING[opening] as string;
  let end = text.indexOf(closing, offset + 1);
  while (end !== -1 && text[end + 1] === closing) end = text.indexOf(closing, end + 2);
  if (end === -1) {
    throw queryError(
      text,
      { start: offset, end: offset + 1 },
      {
        message: `the quote ${opening} is never closed.`,
        hint: `Add ${closing} where the text or name ends; write it twice where it belongs to the text.`,
      },
    );
  }
  const inside = text.slice(offset + 1, end).replaceAll(closing + closing, closing);
  return token(QUOTED_KIND[opening] as TokenKind, offset, end + 1, inside);
}

function readNumber(text: string, offset: number): Token | undefined {
  if (!STARTS_NUMBER.test(text[offset] as string)) return undefined;
  const date = match(DATE, text, offset);
  if (date !== undefined && !continuesWord(text, date.end)) return token("text", offset, date.end, date.text);
  const dotted = match(DOTTED, text, offset);
  if (dotted !== undefined && !continuesWord(text, dotted.end))
    return token("word", offset, dotted.end, dotted.text);
  const number = match(NUMBER, text, offset);
  if (number === undefined || continuesWord(text, number.end)) return undefined;
  return token("number", offset, number.end, number.text.toLowerCase());
}

function continuesWord(text: string, offset: number): boolean {
  return offset < text.length && WORD_CHARACTER.test(text[offset] as string);
}

function readWord(text: string, offset: number): Token | undefined {
  const word = match(WORD, text, offset);
  if (word === undefined) return undefined;
  const apostrophe = word.text.indexOf("'");
  if (apostrophe !== -1 && OPENS_TEXT.has(word.text.slice(0, apostrophe).toLowerCase())) {
    return token("word", offset, offset + apostrophe, word.text.slice(0, apostrophe));
  }
  return token("word", offset, word.end, word.text);
}

function readSign(text: string, offset: number): Token {
  const sign = match(SIGN, text, offset);
  if (sign === undefined) {
    throw queryError(
      text,
      { start: offset, end: offset + 1 },
      {
        message: `"${text[offset]}" cannot stand here.`,
        hint: "Put names in double quotes and texts in single quotes.",
      },
    );
  }
  return token("sign", offset, sign.end, sign.text);
}

function token(kind: TokenKind, start: number, end: number, text: string): Token {
  return { kind, text, lower: text.toLowerCase(), start, end };
}

function match(pattern: RegExp, text: string, offset: number) {
  pattern.lastIndex = offset;
  const found = pattern.exec(text);
  return found === null ? undefined : { text: found[0], end: offset + found[0].length, groups: found };
}

/** Characters that never belong to an unquoted word. Everything else may: `E-mail` needs quotes, `E_mail#1` does not. */
const SPECIAL = "\\s'\"`\\[\\](),;=!<>+\\-*/^%~.{}";

const WORD_CHARACTER = new RegExp(`[^${SPECIAL}]`, "u");

/** One word, with apostrophes inside (`O'Brien`) and full stops at its end (`Mr. Smith`). */
const WORD = new RegExp(`[^${SPECIAL}]+(?:'[^${SPECIAL}]+)*(?:\\.+(?=[\\s,;)]|$))?`, "uy");

/** A word before an apostrophe that opens a text rather than belonging to the word: `like'a'`. */
const OPENS_TEXT = new Set("like and or not then else when between in as".split(" "));

/**
 * Words that mean something somewhere. Most are keywords only in their place (`order` before `by`, `in` before a
 * bracket), so that fields may have such names; the printer puts all of them in quotes.
 */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "select distinct where group order by limit as and or not like in between is null true false " +
    "case when then else end asc desc over partition from having"
  ).split(" "),
);

const PLAIN_WORDS = new RegExp(`^[^${SPECIAL}]+(?: [^${SPECIAL}]+)*$`, "u");

/** True for an identifier that needs no quotes anywhere. */
export function isPlain(text: string): boolean {
  if (!PLAIN_WORDS.test(text) || text.includes("$")) return false;
  const words = text.split(" ");
  if (words.length === 1 && /^\d/.test(text)) return false;
  return !words.some((word) => KEYWORDS.has(word.toLowerCase()));
}

/** Finds known names in a text that could not be read as plain words: `Sub-Category`, `Terms and Conditions`. */
interface KnownNames {
  /** The longest known name that stands at this offset, with the length of its text. */
  at(text: string, offset: number): { name: string; length: number } | undefined;
}

/** Names with the same first character, by their text in lower case; and their lengths, longest first. */
interface Bucket {
  names: Map<string, string>;
  lengths: number[];
}

export function knownNames(names: Iterable<string>): KnownNames | undefined {
  const buckets = new Map<string, Bucket>();
  for (const name of names) {
    const key = name.toLowerCase();
    // A name whose length changes in lower case cannot be cut out of the text by its length.
    if (name.trim() === "" || isPlain(name) || key.length !== name.length) continue;
    const bucket = buckets.get(key[0] as string) ?? { names: new Map(), lengths: [] };
    buckets.set(key[0] as string, bucket);
    if (!bucket.names.has(key)) bucket.names.set(key, name);
  }
  if (buckets.size === 0) return undefined;
  for (const bucket of buckets.values()) {
    bucket.lengths = [...new Set([...bucket.names.keys()].map((key) => key.length))].sort((a, b) => b - a);
  }
  return { at: (text, offset) => find(buckets, text, offset) };
}

function find(buckets: ReadonlyMap<string, Bucket>, text: string, offset: number) {
  const bucket = buckets.get((text[offset] as string).toLowerCase());
  if (bucket === undefined || joins(text, offset - 1, offset)) return undefined;
  for (const length of bucket.lengths) {
    const written = text.slice(offset, offset + length);
    const key = written.toLowerCase();
    if (written.length !== length || joins(text, offset + length - 1, offset + length)) continue;
    const name = bucket.names.get(key);
    if (name !== undefined) return { name, length };
  }
  return undefined;
}

/** True if two neighbouring characters belong to one word. */
function joins(text: string, left: number, right: number): boolean {
  if (left < 0 || right >= text.length) return false;
  return WORD_CHARACTER.test(text[left] as string) && WORD_CHARACTER.test(text[right] as string);
}
