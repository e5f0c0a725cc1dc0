import type { Value } from "./values.ts";
import { fold, lookUp } from "./words.ts";

/** A question is far shorter; what comes after is not read. */
const MAX_TEXT_CHARS = 10_000;
const MAX_TOKENS = 1_000;
const MAX_DIGITS = 4;

export interface Token {
  start: number;
  end: number;
  text: string;
  /** Nothing stands between this and the token before it. */
  glued: boolean;
  values: readonly Value[];
}

const TOKEN = /['’]s\b|\p{L}[\p{L}\p{M}]*|\d+|\.{2,3}|--|[^\s\p{L}\d]/gu;
/** Letters that may touch a number: quarters, halves, weeks, fiscal years, ordinals, decades, times of day. */
const BEFORE_DIGITS = /^(q|h|w|kw|fy|cy|gj)$/;
const AFTER_DIGITS = /^(q|h|s|st|nd|rd|th|er|ern|kw|w|t)$/;
const MONEY = /^(\p{Sc}|%|#|usd|eur|euro|euros|dollar|dollars|pounds)$/u;

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.slice(0, MAX_TEXT_CHARS).matchAll(TOKEN)) {
    if (tokens.length === MAX_TOKENS) break;
    const start = match.index;
    const end = start + match[0].length;
    const token = { start, end, text: fold(match[0]), glued: tokens.at(-1)?.end === start };
    // A capital inside a sentence: May is the month.
    const named = start > 0 && /^\p{Lu}\p{Ll}/u.test(match[0]);
    tokens.push({ ...token, values: named ? lookUp(token.text).map(asName) : lookUp(token.text) });
  }
  for (const [i, token] of tokens.entries()) if (/^\d/.test(token.text)) token.values = numberAt(tokens, i);
  return tokens;
}

function asName(value: Value): Value {
  return "weak" in value && value.weak === true ? { ...value, weak: false } : value;
}

/** Digits that are part of a name, an amount or a decimal number are no date. */
function numberAt(tokens: readonly Token[], i: number): readonly Value[] {
  const { text, glued } = tokens[i] as Token;
  const before = tokens[i - 1]?.text ?? "";
  const after = tokens[i + 1];
  const touches = after?.glued === true ? after.text : "";
  if (text.length > MAX_DIGITS || MONEY.test(after?.text ?? "")) return [];
  if (
    glued &&
    ((/^\p{L}/u.test(before) && !BEFORE_DIGITS.test(before)) || MONEY.test(before) || before === "_")
  )
    return [];
  // INV-2025-03 is a number of an invoice.
  const code = tokens[i - 2];
  if (
    glued &&
    /^[-/]$/.test(before) &&
    tokens[i - 1]?.glued &&
    /^\p{L}/u.test(code?.text ?? "") &&
    code?.values.length === 0
  )
    return [];
  if ((/^\p{L}/u.test(touches) && !mayTouch(touches)) || touches === "_") return [];
  return [{ t: "int", n: Number(text), digits: text.length }];
}

function mayTouch(word: string): boolean {
  return AFTER_DIGITS.test(word) || lookUp(word).some(({ t }) => t === "unit" || t === "month");
}
