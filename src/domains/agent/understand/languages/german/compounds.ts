import { lookUp } from "../../../dates/words.ts";
import type { Vocabulary } from "../language.ts";
import { GLOSSARY } from "./glossary.ts";
import { foldGerman, stemGerman } from "./stem.ts";

/** Words of grammar that form one word with a number or with a noun. */
const GRAMMAR_PARTS = new Set(
  "gesamt durchschnitt anteil wachstum zuwachs steiger verander summe anzahl zahl median vergleich entwickl verlauf".split(
    " ",
  ),
);
const COUNTS = new Set(["anzahl", "zahl"]);

/** Periods at the beginning of a word: revenue of a month is monthly, but of a year it is that of the year. */
const PERIODS = new Map([
  ["tages", "täglich"],
  ["wochen", "wöchentlich"],
  ["monats", "monatlich"],
  ["quartals", "quartalsweise"],
  ["jahres", ""],
]);

const SUPERLATIVE = /^(.{3,}?)(starkst|schwachst|reichst|armst|hochst|niedrigst)(?:e[nrsm]?)?$/;
const SHORTEST = 3;

/** Writes compounds as their parts where the model knows these: `Monatsumsätze` are `monatlich Umsätze`. */
export function withParts(
  text: string,
  vocabulary: Vocabulary,
  isGrammar: (norm: string) => boolean,
): string {
  return withNumbersLast(text, vocabulary).replaceAll(
    /\p{L}[\p{L}\p{M}]*(?:[-–]\p{L}[\p{L}\p{M}]*)*/gu,
    (word) => {
      const whole = foldGerman(word);
      if (isKnown(whole, vocabulary) || vocabulary.words.values.has(whole)) return word;
      if (isGrammar(whole) || lookUp(whole).length > 0) return word;
      if (/[-–]/.test(word)) {
        const parts = word.split(/[-–]/);
        return parts.some(
          (part) => isKnown(foldGerman(part), vocabulary) || vocabulary.words.values.has(foldGerman(part)),
        )
          ? parts.map((part) => withParts(part, vocabulary, isGrammar)).join(" ")
          : word;
      }
      return partsOf(whole, vocabulary)?.join(" ") ?? word;
    },
  );
}

/** "der umsatzstärkste Monat" is the month with the highest revenue. */
function withNumbersLast(text: string, vocabulary: Vocabulary): string {
  return text.replaceAll(
    /(?<!\p{L})(\p{Ll}{6,})\s+(\p{Lu}\p{L}{3,})(?!\p{L})/gu,
    (said, word: string, noun: string) => {
      const [, of = "", end = ""] = SUPERLATIVE.exec(foldGerman(word)) ?? [];
      return isKnown(of, vocabulary) ? `${noun} mit ${degreeOf(end)} ${of}` : said;
    },
  );
}

function degreeOf(end: string): string {
  return /^(schwach|arm|niedrig)/.test(end) ? "niedrigste" : "höchste";
}

function partsOf(word: string, vocabulary: Vocabulary): string[] | undefined {
  const first = SUPERLATIVE.exec(word);
  // `umsatzstärkste`: of the highest revenue.
  if (first !== null && isKnown(first[1] as string, vocabulary))
    return [degreeOf(first[2] as string), first[1] as string];
  if (/^(meist|best)verkauft/.test(word) && isKnown("absatz", vocabulary)) return ["höchste", "Absatz"];
  if (/^meist(?=.{5})/.test(word)) return ["meiste", word.slice(5)];
  for (const [prefix, adjective] of PERIODS) {
    const rest = word.slice(prefix.length);
    if (word.startsWith(prefix) && isKnown(rest, vocabulary)) return [adjective, rest];
  }
  const parts = split(word, vocabulary, 3);
  const last = stemGerman(parts?.at(-1) ?? "");
  if (parts === undefined || !COUNTS.has(last)) return parts;
  // `Kundenzahl`: a metric by that name, or the number of customers.
  const isName = (GLOSSARY.get(stemGerman(parts[0] as string)) ?? []).some(({ stems }) =>
    vocabulary.phrases.has(`${stems} count`),
  );
  return isName ? parts : ["Anzahl", ...parts.slice(0, -1)];
}

/** The fewest parts that are all known; of those, the longest first. Endings between them are part of the stem. */
function split(word: string, vocabulary: Vocabulary, most: number): string[] | undefined {
  if (most > 1) {
    for (let end = word.length - SHORTEST; end >= SHORTEST; end -= 1) {
      const head = word.slice(0, end);
      const rest = word.slice(end);
      if (isPart(head, vocabulary) && isPart(rest, vocabulary)) return [head, rest];
    }
    for (let end = word.length - SHORTEST; end >= SHORTEST; end -= 1) {
      const head = word.slice(0, end);
      const rest = isPart(head, vocabulary) ? split(word.slice(end), vocabulary, most - 1) : undefined;
      if (rest !== undefined) return [head, ...rest];
    }
  }
  return undefined;
}

function isPart(norm: string, vocabulary: Vocabulary): boolean {
  return GRAMMAR_PARTS.has(stemGerman(norm)) || isKnown(norm, vocabulary);
}

/** Whether the model has the word, in German or in English. */
function isKnown(norm: string, { words, values }: Vocabulary): boolean {
  const stem = stemGerman(norm);
  if (words.names.has(stem) || (norm.length > SHORTEST && values.has(norm))) return true;
  return (GLOSSARY.get(stem) ?? []).some(
    ({ stems, norms }) => stems.split(" ").every((word) => words.names.has(word)) || values.has(norms),
  );
}
