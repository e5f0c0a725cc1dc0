import {
  fold,
  isStop,
  isUnspaced,
  languageOf,
  stemOf,
  withoutAsking,
  wordsIn,
} from "../../../platform/retrieval/index.ts";
import type { Passage } from "../knowledge.ts";
import { sentencesOf } from "../reading/split.ts";

/** A sentence of a passage that may hold the answer. */
export interface Quote {
  passage: Passage;
  text: string;
  /** Where it begins in its passage. */
  at: number;
  features: Features;
  score: number;
}

/** What speaks for a sentence, each 0 to 1. */
export interface Features {
  /** Of the question's words, in the sentence. */
  own: number;
  /** In what stands around it, and not in itself. */
  around: number;
  hasType: number;
  rank: number;
  /** What the words of its passage say. */
  passage: number;
  /** What the tokens of its passage say; not known before it has been embedded. */
  tokens?: number | undefined;
  /** 1 where the question names something that none of the passages mentions, by a name or, in German, a noun. */
  unknownName: number;
  unknownNoun: number;
}

/** Passages that are looked at. */
const PASSAGES = 3;
/** Longer ones are cut: nobody wants a page quoted. */
const SENTENCE_CHARACTERS = 600;
const WEIGHTS = { own: 3.2, around: 1.6, hasType: 0.5, rank: 0.8 };

/** A sentence and where it stands. */
interface Sentence {
  passage: Passage;
  text: string;
  /** Where it begins in its passage. */
  at: number;
  /** 0 for those of the best passage. */
  rank: number;
}

/** The sentences among which an answer is looked for. */
function sentencesIn(passages: readonly Passage[]): Sentence[] {
  return passages
    .slice(0, PASSAGES)
    .flatMap((passage, rank) =>
      withValues(plainSentences(passage.content)).map((each) => ({ ...each, passage, rank })),
    );
}

/** Longer lines are no labels. */
const LABEL_CHARACTERS = 80;

/** A few numbers, signs and names. */
const VALUE = /^(?:[^\p{Ll}\s]\S*\s*){1,6}$/u;

/** A label and the value below it are one saying: neither answers alone. */
function withValues(sentences: readonly { text: string; at: number }[]): { text: string; at: number }[] {
  return sentences.flatMap((sentence, i) => {
    const next = sentences[i + 1]?.text ?? "";
    const isLabel = sentence.text.length <= LABEL_CHARACTERS && !/\d|[.!?|]$/.test(sentence.text);
    if (!isLabel || !VALUE.test(next)) return [sentence];
    return [sentence, { text: `${sentence.text} ${next}`, at: sentence.at }];
  });
}

/** Sentences of the best passages that have what is asked for, by how well they answer, the best first. */
export function rankSentences(question: Question, passages: readonly Passage[]): Quote[] {
  const sentences = sentencesIn(passages);
  const unknown = namesUnknown(question, passages) ? 1 : 0;
  const isNoun = question.language === "de";
  const total = question.words.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const weighed = (shares: readonly number[]) =>
    shares.reduce((sum, share, i) => sum + share * (question.words[i]?.weight ?? 0), 0) / total;
  const covered = sentences.map(({ text }) => coverage(question, text));
  const titles = new Map<Passage, number[]>();
  const titleOf = (passage: Passage): number[] => {
    const known = titles.get(passage);
    if (known !== undefined) return known;
    const title = coverage(question, titleText(passage));
    titles.set(passage, title);
    return title;
  };
  const quotes = sentences.map(({ passage, text, at, rank }, i) => {
    const own = covered[i] ?? [];
    const neighbours = [i - 1, i + 1].filter((n) => sentences[n]?.passage === passage);
    const beside = [titleOf(passage), ...neighbours.map((n) => covered[n] ?? [])];
    const near = own.map((share, w) => Math.max(0, ...beside.map((other) => (other[w] ?? 0) - share)));
    const features: Features = {
      own: weighed(own),
      around: weighed(near),
      hasType: holds(question, text) ? 1 : 0,
      rank: 1 / (rank + 1),
      passage: passage.legs.lexical,
      tokens: passage.legs.tokens,
      unknownName: isNoun ? 0 : unknown,
      unknownNoun: isNoun ? unknown : 0,
    };
    return { passage, text, at, features, score: scoreOf(features) };
  });
  quotes.sort((a, b) => b.score - a.score);
  // Where these words stand without what is asked for, what merely stands beside them tells of something else.
  const { hasType, own = 0 } = quotes[0]?.features ?? {};
  const least = hasType === 1 ? 0 : LEAST_OWN * own;
  return quotes.filter(({ features }) => features.hasType === 1 && features.own >= least);
}

/** So much of what the best sentence has of the question, another one has that answers in its place. */
const LEAST_OWN = 0.25;

/** Less of a name than this, and it is another one. */
const SAME_NAME = 0.5;

/** True if something that the question names stands in no passage: were it anywhere, that would be among the best. */
function namesUnknown(question: Question, passages: readonly Passage[]): boolean {
  const covered = passages.map((passage) => coverage(question, `${passage.content} ${titleText(passage)}`));
  return question.words.some(({ isNamed }, i) => isNamed && covered.every((each) => each[i]! < SAME_NAME));
}

function titleText({ titlePath, documentName }: Passage): string {
  return `${titlePath.join(" ")} ${documentName}`;
}

function scoreOf(features: Features): number {
  let score = 0;
  for (const name of Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[])
    score += WEIGHTS[name] * features[name];
  return score;
}

/**
 * Weights of logistic models, fitted to 1,188 questions of XQuAD in English and German, each asked with and without the
 * paragraph that answers it, with a name in it exchanged for one that nobody mentions, and beside questions for what no
 * paragraph tells of those that they mention (`bench/retrieval/answers.ts`).
 */
const BY_WORDS = {
  bias: -5.58,
  own: 3.36,
  around: 2.49,
  hasType: 0.87,
  passage: 8.71,
  tokens: 0,
  unknownName: -2.46,
  unknownNoun: -0.84,
};
const BY_TOKENS = {
  bias: -12.56,
  own: 2.93,
  around: 1.48,
  hasType: 0.64,
  passage: 4.51,
  tokens: 13.69,
  unknownName: -2.42,
  unknownNoun: -1.15,
};
export const FEATURES = [
  "own",
  "around",
  "hasType",
  "passage",
  "tokens",
  "unknownName",
  "unknownNoun",
] as const;

/** How sure it is that the best sentence answers, 0 to 1. */
export function confidenceOf(features: Features): number {
  const weights = features.tokens === undefined ? BY_WORDS : BY_TOKENS;
  let sum = weights.bias;
  for (const name of FEATURES) sum += weights[name] * (features[name] ?? 0);
  return 1 / (1 + Math.exp(-sum));
}

function plainSentences(content: string): { text: string; at: number }[] {
  return sentencesOf(content, 0, content.length)
    .map(({ start, end }) => ({
      text: content.slice(start, end).trim().slice(0, SENTENCE_CHARACTERS),
      at: start,
    }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text) && !/^#{1,6} /.test(text));
}

/** A word of the question that says something, with the parts by which its other forms are known. */
interface AskedWord {
  stem: string;
  grams: ReadonlySet<string>;
  /** A name or a number; in German any noun, which is written like one. */
  isNamed: boolean;
  /** What is named says more than other words. */
  weight: number;
}

type AnswerType = "number" | "date" | "person" | "place" | undefined;

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
