import { HOLIDAY_WORDS } from "./calendar.ts";
import type { Unit, Value } from "./values.ts";
import * as table from "./word-table.ts";

const ENDINGS = ["e", "en", "er", "es", "em"];

/** The form in which words are looked up: no capitals, no accents; umlauts may be written out. */
export function fold(text: string): string {
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
