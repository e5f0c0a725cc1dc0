import type { Value } from "./values.ts";
import { fold, lookUp } from "./words.ts";

/** A question is far shorter; what comes after is not read. */
export const MAX_TEXT_CHARS = 20_000;
export const MAX_TOKENS = 2_000;
const MAX_DIGITS = 4;

export interface Token {
  start: number;
  end: number;
  text: string;
  /** Nothing stands between this and the token before it. */
  glued: boolean;
  values: readonly Value[];
}

const TOKEN = /['’]s\b|\p{L}[\p{L}\p{M}]*|\d+|[^\s\p{L}\d]/gu;
/** Letters that may touch a number: quarters, halves, weeks, fiscal years, ordinals, decades. */
const BEFORE_DIGITS = /^(q|h|w|kw|fy|cy|gj)$/;
const AFTER_DIGITS = /^(q|h|s|st|nd|rd|th|er|ern|kw|w)$/;
const MONEY = /^(\p{Sc}|%|#|usd|eur|euro|euros|dollar|dollars|pounds)$/u;

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.slice(0, MAX_TEXT_CHARS).matchAll(TOKEN)) {
    if (tokens.length === MAX_TOKENS) break;
    const start = match.index;
    const end = start + match[0].length;
    tokens.push({ start, end, text: fold(match[0]), glued: tokens.at(-1)?.end === start, values: [] });
  }
  for (const [i, token] of tokens.entries())
    token.values = /^\d/.test(token.text) ? numberAt(tokens, i) : lookUp(token.text);
  return tokens;
}

/** Digits that are part of a name, an amount or a decimal number are no date. */
function numberAt(tokens: readonly Token[], i: number): readonly Value[] {
  const { text, glued } = tokens[i] as Token;
  const before = tokens[i - 1]?.text ?? "";
  const after = tokens[i + 1];
  const touches = after?.glued === true ? after.text : "";
  if (text.length > MAX_DIGITS || MONEY.test(after?.text ?? "")) return [];
  if (glued && ((/^\p{L}/u.test(before) && !BEFORE_DIGITS.test(before)) || MONEY.test(before) || before === "_"))
    return [];
  if ((/^\p{L}/u.test(touches) && !AFTER_DIGITS.test(touches)) || touches === "_") return [];
  return [{ t: "int", n: Number(text), digits: text.length }];
}
