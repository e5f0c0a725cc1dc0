import { HOLIDAY_WORDS } from "./calendar.ts";
import type { Unit, Value } from "./values.ts";
import * as table from "./word-table.ts";

const ENDINGS = ["e", "en", "er", "es", "em"];

/** The form in which words are looked up: no capitals, no accents; umlauts may be written out. */
function fold(text: string): string {
  return text.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll("ß", "ss");
}

const lexicon = new Map<string, Value[]>();
addTable();
for (const each of new Set(HOLIDAY_WORDS.flatMap(([, phrase]) => wordsOf(phrase))))
  add(each, { t: "word", word: `holiday:${each}` });

/** The tokens of a phrase. */
export function wordsOf(phrase: string): string[] {
  return phrase.split(/ |(?=')/);
}

/** Every meaning that a word or mark may have in a date. */
export function lookUp(folded: string): readonly Value[] {
  return lexicon.get(folded) ?? [];
}

function addTable(): void {
  for (const [word, marks] of Object.entries(table.MARKS))
    for (const mark of marks.split(" ")) add(mark, { t: "word", word });
  for (const word of table.THEMSELVES.split(" ")) add(word, { t: "word", word });
  for (const [word, said] of Object.entries(table.WORDS)) each(said, () => ({ t: "word", word }));
  for (const fiscal of [undefined, true])
    for (const [unit, said] of Object.entries(fiscal ? table.FISCAL_UNITS : table.UNITS))
      numbered(said, (i) => ({ t: "unit", unit: unit as Unit, plural: i === 1, fiscal }));
  const weak = (form: string) => table.WEAK.includes(form);
  numbered(table.MONTHS, (i, form) => ({ t: "month", month: i + 1, weak: weak(form) }));
  numbered(table.WEEKDAYS, (i, form) => ({
    t: "time",
    unit: "day",
    weekday: i,
    weak: weak(form),
    latent: true,
  }));
  numbered(table.SEASONS, (i) => ({ t: "time", unit: "season", n: i + 1, weak: true }));
  numbered(table.NUMBERS, (i) => ({ t: "int", n: i, digits: 0 }));
  numbered(table.TENS, (i) => ({ t: "int", n: 20 + 10 * i, digits: 0 }));
  addCompounds(table.NUMBERS, table.TENS);
  numbered(table.ORDINALS, (i) => ({ t: "ord", n: i + 1 }));
  numbered(table.DECADES, (i) => ({ t: "word", word: `decade:${i + 2}` }));
}

/** Fünfundzwanzig is one word. */
function addCompounds([, numbers = ""]: table.Said, [, tens = ""]: table.Said): void {
  for (const [i, unit] of numbers.split("|").slice(0, 10).entries())
    numbered([tens.replaceAll(/[^|]+/g, (ten) => `${unit.split(" ")[0]}und${ten}`)], (k) => ({
      t: "int",
      n: 20 + 10 * k + i,
      digits: 0,
    }));
}

function numbered(said: table.Said, value: (index: number, form: string) => Value): void {
  for (const forms of said)
    for (const [i, group] of (forms ?? "").split("|").entries()) each([group], (form) => value(i, form));
}

function each(said: table.Said, value: (form: string) => Value): void {
  for (const form of said.flatMap((forms) => spellings(forms ?? ""))) add(form, value(form));
}

function spellings(forms: string): string[] {
  const words = forms.split(/\s+/).filter((form) => form !== "");
  const inflected = words.flatMap((form) =>
    form.endsWith("*") ? ENDINGS.map((ending) => form.slice(0, -1) + ending) : [form],
  );
  const transcribed = inflected.map((form) =>
    form.replaceAll("ä", "ae").replaceAll("ö", "oe").replaceAll("ü", "ue"),
  );
  return [...new Set([...inflected, ...transcribed].map(fold))];
}

function add(form: string, value: Value): void {
  const values = lexicon.get(form);
  if (values === undefined) lexicon.set(form, [value]);
  else values.push(value);
}

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
