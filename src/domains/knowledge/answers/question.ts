import {
  fold,
  isStop,
  isUnspaced,
  languageOf,
  stemOf,
  withoutAsking,
  wordsIn,
} from "../../../platform/retrieval/index.ts";

/** A word of the question that says something, with the parts by which its other forms are known. */
export interface AskedWord {
  stem: string;
  grams: ReadonlySet<string>;
  /** A name or a number; in German any noun, which is written like one. */
  isNamed: boolean;
  /** What is named says more than other words. */
  weight: number;
}

export type AnswerType = "number" | "date" | "person" | "place" | undefined;

export interface Question {
  language: string;
  words: readonly AskedWord[];
  type: AnswerType;
  /** Every word of it: an answer has something that the question has not. */
  said: ReadonlySet<string>;
}

const GRAM = 4;

/** What begins a question, and the words after it that tell what is asked for. */
const ASKS =
  /(?<!\p{L})(?:(?<number>how (?:many|much|long|old|far|large|big|tall|high|wide|deep|heavy|fast|often)|(?:what|which) (?:percent(?:age)?|number|amount|sum|share|fraction|proportion)|wie ?viele?[nrs]?|wie (?:lange|alt|hoch|gro(?:ß|ss)|oft|weit|schwer|tief|breit|schnell)|welche[rnm]? (?:anzahl|anteil|betrag|prozentsatz|zahl))|(?<date>when|(?:what|which) (?:year|date|day|month|century|decade|time)|wann|welche[rnms]? (?:jahr|tag|datum|monat|jahrhundert|jahrzehnt))|(?<person>who|whom|whose|wer|wen|wem|wessen)|(?<place>where|(?:what|which) (?:city|country|state|place|town|continent)|wo|woher|wohin|welche[rnms]? (?:stadt|land|staat|ort|kontinent))|(?<other>what|which|why|how|was|welche[rnms]?|warum|weshalb|wie|wof[üu]r|womit|wozu))(?!\p{L})/giu;
/** A clause that a question may begin with before it asks: "When the king died, who ruled?". */
const CLAUSE = /^(?:when|where)\b[^,?]*,\s*/i;

/** What the main clause asks for, by its first asking word. */
function askedFor(text: string): AnswerType {
  const main = text.replace(CLAUSE, "");
  for (const part of main === text ? [text] : [main, text]) {
    const [first] = part.matchAll(ASKS);
    const name = Object.entries(first?.groups ?? {}).find(([, found]) => found !== undefined)?.[0];
    if (name !== undefined) return name === "other" ? undefined : (name as AnswerType);
  }
  return undefined;
}

export function readQuestion(text: string): Question {
  const all = wordsIn(withoutAsking(text.normalize("NFKC")));
  const language = languageOf(all.map(fold)) || "en";
  const meant = all.filter((word) => !isStop(fold(word), language) && !ASKING.has(word.toLowerCase()));
  const words = (meant.length > 0 ? meant : all).map((word) => {
    const hasNumber = /\d/.test(word);
    const isNamed = hasNumber || (/^\p{Lu}/u.test(word) && word !== all[0]);
    return {
      stem: stemOf(fold(word), language),
      grams: gramsOf(fold(word)),
      isNamed,
      weight: hasNumber ? 1.5 : isNamed ? 1.3 : 1,
    };
  });
  return { language, words, type: askedFor(text), said: new Set(wordsIn(text.normalize("NFKC")).map(fold)) };
}

const ASKING = new Set(
  "who what when where which why how wer was wann wo welche welcher welches welchem wie viele viel many much did does".split(
    " ",
  ),
);

/** How much of each word of the question a text has, 0 to 1. */
export function coverage({ words, language }: Question, text: string): number[] {
  const found = wordsIn(text.normalize("NFKC")).map(fold);
  const stems = new Set(
    found.flatMap((word) => (isUnspaced(word) ? [word, ...word] : stemOf(word, language))),
  );
  const grams = new Set(found.flatMap((word) => [...gramsOf(word)]));
  return words.map(({ stem, grams: asked }) => {
    if (stems.has(stem)) return 1;
    let shared = 0;
    for (const gram of asked) if (grams.has(gram)) shared += 1;
    const share = asked.size === 0 ? 0 : shared / asked.size;
    return share >= 0.5 ? share * 0.9 : 0;
  });
}

const NUMBER =
  /\d|(?<!\p{L})(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\p{L}+)?|hundreds?|thousands?|[mb]illions?|dozens?|half|thirds?|quarters?|once|twice|thrice|both|none|no|single|daily|weekly|monthly|yearly|annual(?:ly)?|eins|kein\p{L}*|beide\p{L}*|(?:\p{L}*(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|(?:ß|z)ig|hundert\p{L}*|tausend\p{L}*|million\p{L}*|milliarde\p{L}*|dutzend\p{L}*|hälfte|drittel\p{L}*|mal))|täglich\p{L}*|wöchentlich\p{L}*|monatlich\p{L}*|jährlich\p{L}*)(?!\p{L})/iu;
const TIME =
  /(?<![\d.,])\d{3,4}(?![.,]?\d)|\d{1,2}[.:]\d{2}(?!\d)|\d{1,2}\.(?=\s)|\d{1,2}(?:st|nd|rd|th)\b|(?<!\p{L})(?:\p{L}+(?:teenth|tieth|zehnte[nrs]?|zigste[nrs]?)|\p{L}*(?:centur(?:y|ies)|decades?|years?|months?|weeks?|days?|hours?|minutes?|jahrhundert\p{L}*|jahrzehnt\p{L}*|jahr(?:e[ns]?|s)?|monat\p{L}*|woche\p{L}*|tag(?:e[ns]?|s)?|stunden?|minuten?|zeit(?:alter\p{L}*)?)|january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|spring|summer|autumn|winter|frühlings?|sommers?|herbst\p{L}*|winters?|noon|midnight|morning|evening|night|mittags?|mitternacht|morgens?|abends?|today|yesterday|tomorrow|heute|gestern|daily|weekly|ago|after|before|during|until|since|later|once|nach|vor|während|seit|bis|später|als|dann)(?!\p{L})/iu;

/**
 * Whether a text has what the question asks for, beside the question's own words: a number, a time, or for people and
 * places something that is written like a name. "New jobs created" does not tell how many were created.
 */
export function holds({ type, said, language }: Question, text: string): boolean {
  if (type === undefined) return true;
  const own = text
    .normalize("NFKC")
    .replace(/[\p{L}\p{M}\p{N}]+(?:[.,:'’-][\p{L}\p{N}]+)*/gu, (word, at: number) => {
      if (wordsIn(word).every((part) => said.has(fold(part)))) return " ";
      // The first word of a sentence is capitalised whatever it is.
      return at === 0 && isStop(fold(word), language) ? word.toLowerCase() : word;
    });
  if (type === "number") return NUMBER.test(own);
  if (type === "date") return TIME.test(own);
  return /\p{Lu}|(?=\p{L})[\p{Lo}]/u.test(own);
}

function gramsOf(word: string): Set<string> {
  const grams = new Set<string>();
  for (let i = 0; i + GRAM <= word.length; i += 1) grams.add(word.slice(i, i + GRAM));
  return grams;
}
