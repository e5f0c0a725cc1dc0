import { deniedAll, fieldsWith } from "../denied.ts";
import { eitherOr, isValue } from "../either.ts";
import type { Language, Vocabulary } from "../language.ts";
import { isSomebody, saysWhy } from "../occasion.ts";
import { fold, phraseKey, wordsOf } from "../words.ts";
import { withGoals } from "./goals.ts";
import { type IsNoun, rewritten } from "./rewrites.ts";

const NUMBERS = new Map(
  "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    .split(" ")
    .map((word, i) => [word, String(i + 2)]),
);
NUMBERS.set("dozen", "12");

/** "… - how many?", "…, how many were there in 2025" */
const COUNT_LAST =
  /^(?<what>[^?]{3,}?)\s*[,:–-]\s*how many(?:\s+(?:are|were|was|is|do we have|did we have|have we)(?:\s+there)?)?\b(?<rest>[^,?]*)\??\s*$/i;
/** What customers spend is what they bring in; what is spent on something is another number. */
const SPENT =
  /(?<=\b(?:did|does|do|has|have|who|that|customers?|clients?|buyers?)\b[^?.]*)(?<!\bwe (?:have |had |ever )?)\bspen[dt]\b(?! on\b)(?: with us\b)?/gi;
/** "did we spend on marketing": the marketing spend. */
const SPENT_ON = /\b(?:did |do |have |has )?(?:we )?(?:spen[dt]|spending) (?:on|for) (\p{L}+)/giu;
/** What stands before a question may say only who asks, or what for. */
const PREAMBLE = [
  {
    pattern:
      /^([^,]{2,80}),\s+(?=(?:how|what|which|who|when|where|show|give|list|i|we|can|could|tell|please)\b)/i,
    isIdle: saysWhy,
  },
  {
    // What asks how much is needed leads to nothing.
    pattern:
      /^((?:(?!\b(?:how (?:much|many)|what)\b).){0,80}?)\b(?:(?:i|we)(?: would|'d)? (?:need|want|like)|wants?|needs?|asks?|is asking|would like|is wondering)(?: (?:us|me))?(?: (?:to (?:know|see|have)|for|about))?\s+/i,
    isIdle: (before: string, rest: string) => saysWhy(before, rest) || isSomebody(before),
  },
];

/** Words that do something to a number, wherever they stand. */
const OPERATES =
  /\b(?:average|avg|mean|median|total|most|least|per|each|every|by|not|without|only|share|percent(?:age)?|within|among|excluding|except)\b/i;

/** Writes out what is said shortly, and leaves out why it is asked. */
export const phrase: Language["prepare"] = (text, vocabulary, datesIn) => {
  const { phrases, values } = vocabulary;
  const isNoun: IsNoun = (word, kinds) => isNounIn(phrases, word, kinds);
  const denied = deniedAll(text, (words) => fieldsWith([fold(words)], values));
  const compared = eitherOr(
    denied,
    { isValue: (word) => isValue(word, values), isRows: isNoun },
    { compare: "compare", of: "of", and: "and", count: "number of" },
  );
  const aimed = withGoals(compared, phrases);
  const spent = aimed.replaceAll(SPENT_ON, (said, what: string) =>
    phrases.has(
      wordsOf(`${what} spend`)
        .map(({ stem }) => stem)
        .join(" "),
    )
      ? `${what} spend`
      : isNoun(what, ["field", "table"])
        ? what
        : said,
  );
  const full = rewritten(phrases.has("spend") ? spent : spent.replaceAll(SPENT, "brought in"), isNoun);
  const rows = full.replaceAll(PER_ROW, (said, number: string, what: string, of: string) =>
    isOfRows(phrases, what, of) ? `${number} of ${of}` : said,
  );
  const bare = withoutPreamble(apart(inDigits(rows, vocabulary), vocabulary), vocabulary, datesIn);
  return bare.replace(COUNT_LAST, (_, what: string, rest: string) => `how many ${what} ${rest}`);
};

/** "average freight per order", which is a number of each order: what it is on average anyway. */
const PER_ROW = /\b((?:average|avg|mean|median) ((?:\p{L}+ ){0,2}\p{L}+)) per (\p{L}+)\b/giu;

function isOfRows(phrases: Vocabulary["phrases"], what: string, of: string): boolean {
  const sensesOf = (text: string) =>
    (
      (phrases.get(phraseKey(text)) ?? []) as { sense: { t: string; ds?: string; key?: { ds: string } } }[]
    ).map(({ sense }) => sense);
  const own = sensesOf(what).flatMap(({ t, key }) => (t === "field" && key !== undefined ? [key.ds] : []));
  return sensesOf(of).some(({ t, ds = "" }) => t === "rel" && own.includes(ds));
}

function isNounIn(
  phrases: Vocabulary["phrases"],
  word: string,
  kinds: readonly string[] = ["rel", "field"],
): boolean {
  const entries = (phrases.get(wordsOf(word)[0]?.stem ?? "") ?? []) as { sense: { t: string } }[];
  return entries.length > 0 && entries.every(({ sense }) => kinds.includes(sense.t));
}

function inDigits(text: string, { words }: Vocabulary): string {
  return text.replaceAll(/(?<!\ba )\b\p{L}+\b/gu, (word) =>
    words.values.has(fold(word)) ? word : (NUMBERS.get(word.toLowerCase()) ?? word),
  );
}

/** "high-priority": written together, but meant apart. */
function apart(text: string, { phrases, values, words }: Vocabulary): string {
  const isKnown = (word: string) => {
    const stem = wordsOf(word)[0]?.stem ?? "";
    return words.values.has(fold(word)) || phrases.has(stem) || values.has(fold(word));
  };
  return text.replaceAll(
    /(?<![\p{L}\p{N}-])(\p{L}{3,})-(\p{L}{3,})(?![\p{L}\p{N}-])/gu,
    (whole, a: string, b: string) => (!isKnown(whole) && isKnown(a) && isKnown(b) ? `${a} ${b}` : whole),
  );
}

function withoutPreamble(
  text: string,
  { phrases, values, words }: Vocabulary,
  datesIn: (text: string) => readonly unknown[],
): string {
  const means = (before: string) =>
    OPERATES.test(before) ||
    datesIn(before).length > 0 ||
    wordsOf(before).some(({ norm, stem }) => values.has(norm) || words.values.has(norm) || phrases.has(stem));
  return PREAMBLE.reduce((said, { pattern, isIdle }) => {
    const [whole = "", before = ""] = pattern.exec(said) ?? [];
    const rest = said.slice(whole.length);
    return !means(before) && isIdle(before, rest) ? rest : said;
  }, text);
}
