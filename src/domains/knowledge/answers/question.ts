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
}

const GRAM = 4;

const TYPES: readonly (readonly [RegExp, AnswerType])[] = [
  [
    /\b(how (?:many|much|long|old|far|large|big|tall|often)|what (?:percentage|number|amount)|wie ?viele?|wie (?:lange|alt|hoch|groß|oft|weit))\b/i,
    "number",
  ],
  [
    /\b(when|what (?:year|date|day|month|century|decade)|in which year|wann|in welchem jahr|welches jahr)\b/i,
    "date",
  ],
  [/\b(who|whom|whose|wer|wen|wem|wessen)\b/i, "person"],
  [
    /\b(where|what (?:city|country|state|place)|wo|woher|wohin|in welche[rm]? (?:stadt|land|staat))\b/i,
    "place",
  ],
];

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
  return { language, words, type: TYPES.find(([pattern]) => pattern.test(text))?.[1] };
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

/** Whether a text has what the question asks for: a number, a date, a name. */
export function hasType(type: AnswerType, text: string): boolean {
  switch (type) {
    case "number":
      return /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|half|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|hundert|tausend|Millionen|Hälfte)\b/i.test(
        text,
      );
    case "date":
      return /\b(?:1\d{3}|20\d{2})\b|\d{1,2}\.|century|jahrhundert|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i.test(
        text,
      );
    case "person":
    case "place":
      return /(?:^|[^.!?]\s)\p{Lu}\p{Ll}+/u.test(text);
    default:
      return true;
  }
}

function gramsOf(word: string): Set<string> {
  const grams = new Set<string>();
  for (let i = 0; i + GRAM <= word.length; i += 1) grams.add(word.slice(i, i + GRAM));
  return grams;
}
