import { HOLIDAY_WORDS } from "./calendar.ts";
import type { Unit, Value } from "./values.ts";
import { GERMAN } from "./words-de.ts";
import { ENGLISH } from "./words-en.ts";

/** Words of one language. Bars part the numbered ones; in units they part singular and plural. */
export interface WordTable {
  words: Record<string, string>;
  units: Partial<Record<Unit, string>>;
  fiscal: Partial<Record<Unit, string>>;
  /** One word for the start or the end of the present period, and for the period before it. */
  startOf: Partial<Record<Unit, string>>;
  endOf: Partial<Record<Unit, string>>;
  prior: Partial<Record<Unit, string>>;
  months: string;
  weekdays: string;
  seasons: string;
  /** Names of months, days and seasons that are other words as well. */
  weak: string;
  numbers: string;
  tens: string;
  /** What stands between units and tens where the units come first. */
  unitsFirst?: string;
  ordinals: string;
  decades: string;
}

const ENDINGS = ["e", "en", "er", "es", "em"];
const PUNCTUATION: Record<string, string[]> = {
  "-": ["dash", "to"],
  "–": ["dash", "to"],
  "—": ["dash", "to"],
  "~": ["to"],
  "/": ["slash"],
  ".": ["dot"],
  "--": ["to"],
  "..": ["to"],
  "...": ["to"],
  "…": ["to"],
  ",": ["comma"],
  "'": ["apostrophe"],
  "’": ["apostrophe"],
  "'s": ["of", "possessive", "s"],
  "’s": ["of", "possessive", "s"],
  "<": ["below"],
  ">": ["above"],
  "=": ["equal"],
  "≤": ["upto"],
  "≥": ["atleast"],
  "(": ["open"],
  ")": ["close"],
};

/** The form in which words are looked up: no capitals, no accents; umlauts may be written out. */
export function fold(text: string): string {
  return text.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll("ß", "ss");
}

const lexicon = new Map<string, Value[]>();
for (const [mark, words] of Object.entries(PUNCTUATION))
  for (const word of words) add(mark, { t: "word", word });
for (const table of [ENGLISH, GERMAN]) addTable(table);
for (const each of new Set(HOLIDAY_WORDS.flatMap(([, phrase]) => wordsOf(phrase))))
  add(each, { t: "word", word: `holiday ${each}` });

/** The tokens of a phrase. */
export function wordsOf(phrase: string): string[] {
  return phrase.split(/ |(?=')/);
}

/** Every meaning that a word or mark may have in a date. */
export function lookUp(folded: string): readonly Value[] {
  return lexicon.get(folded) ?? [];
}

function addTable(table: WordTable): void {
  const weak = new Set(spellings(table.weak));
  for (const [word, forms] of Object.entries(table.words)) each(forms, () => ({ t: "word", word }));
  for (const [kind, fiscal] of [
    ["units", false],
    ["fiscal", true],
  ] as const)
    for (const [unit, forms] of Object.entries(table[kind]))
      numbered(forms, (i) => ({ t: "unit", unit: unit as Unit, plural: i === 1, ...(fiscal && { fiscal }) }));
  for (const kind of ["startOf", "endOf", "prior"] as const)
    for (const [unit, forms] of Object.entries(table[kind]))
      each(forms, () => ({ t: "word", word: `${kind} ${unit}` }));
  numbered(table.months, (i, form) => ({ t: "month", month: i + 1, weak: weak.has(form) }));
  numbered(table.weekdays, (i, form) => ({
    t: "time",
    unit: "day",
    weekday: i,
    weak: weak.has(form),
    latent: true,
  }));
  numbered(table.seasons, (i) => ({ t: "time", unit: "season", n: i + 1, weak: true }));
  numbered(table.numbers, (i) => ({ t: "int", n: i, digits: 0 }));
  numbered(table.tens, (i) => ({ t: "int", n: 20 + 10 * i, digits: 0 }));
  if (table.unitsFirst !== undefined) addCompounds(table, table.unitsFirst);
  numbered(table.ordinals, (i) => ({ t: "ord", n: i + 1 }));
  numbered(table.decades, (i) => ({ t: "word", word: `decade ${i + 2}` }));
}

/** Fünfundzwanzig is one word. */
function addCompounds({ numbers, tens }: WordTable, joint: string): void {
  for (const [i, unit] of numbers.split("|").slice(0, 10).entries())
    numbered(
      tens.replaceAll(/[^|]+/g, (ten) => `${unit.split(" ")[0]}${joint}${ten}`),
      (k) => ({ t: "int", n: 20 + 10 * k + i, digits: 0 }),
    );
}

function numbered(forms: string, value: (index: number, form: string) => Value): void {
  for (const [i, group] of forms.split("|").entries()) each(group, (form) => value(i, form));
}

function each(forms: string, value: (form: string) => Value): void {
  for (const form of spellings(forms)) add(form, value(form));
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
