import { AsyncLocalStorage } from "node:async_hooks";
import { languagesOf } from "../understand/languages/languages.ts";
import type { Understanding } from "../understand/reading.ts";
import { GERMAN, PERIODS, READ, WORDS } from "./german.ts";

/** An answer is written in many places, all of them in the language of the question: it goes with the call, as its deadline does. */
const current = new AsyncLocalStorage<{ isGerman: boolean; names?: ReadonlyMap<string, string> }>();

/**
 * Does the work on a question, so that whatever is written meanwhile is in the language that the question is read in. One
 * that has no word of grammar ("2024?") is in that of what was said before it.
 */
export function inLanguageOf<T>(said: readonly (string | undefined)[], work: () => T): T {
  const sure = said.map((text) => languagesOf(text ?? "")).find((languages) => languages.length === 1);
  return current.run({ isGerman: sure?.[0]?.isForeign === true }, work);
}

export function isGerman(): boolean {
  return current.getStore()?.isGerman === true;
}

/** Lets numbers and fields be called as their author calls them in German, where no two are called the same. */
export function callAsAuthor({ metrics, datasets }: Named): void {
  const speech = current.getStore();
  if (speech?.isGerman !== true) return;
  const fields = datasets.flatMap(({ name: ds, fields }) =>
    fields.map(({ name, label, ai }) => [`${ds}.${name}`, nounIn([label ?? "", ...ai.synonyms])] as const),
  );
  const numbers = metrics.map(({ name, ai }) => [name, nounIn(ai.synonyms)] as const);
  speech.names = new Map([...distinct(fields), ...distinct(numbers)]);
}

interface Called {
  name: string;
  label?: string | null;
  ai: { synonyms: readonly string[] };
}

interface Named {
  metrics: readonly Called[];
  datasets: readonly { name: string; fields: readonly Called[] }[];
}

/** German nouns are written with a capital, and names and words of a model in English are not. */
function nounIn(names: readonly string[]): string | undefined {
  return names.find((name) => /^\p{Lu}\p{Ll}/u.test(name));
}

function distinct(all: readonly (readonly [string, string | undefined])[]): [string, string][] {
  const nouns = all.map(([, noun]) => noun);
  return all.flatMap(([of, noun]) =>
    noun !== undefined && nouns.indexOf(noun) === nouns.lastIndexOf(noun) ? [[of, noun]] : [],
  );
}

/** What a number, or a field as `dataset.field`, is called in the language of the question, if it has a name of its own there. */
export function calledIn(of: string): string | undefined {
  return current.getStore()?.names?.get(of);
}

/** Within a sentence; German nouns keep their capital. */
export function within(label: string): string {
  return isGerman() ? label : label.toLowerCase();
}

/** For numbers. */
export function locale(): string {
  return isGerman() ? "de-DE" : "en-US";
}

/**
 * A sentence in the language of the question. The key is the English text with {0}, {1} … in place of values, so that a
 * sentence can be read where it is written, and what is not translated is said in English.
 */
export function t(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  const key = strings.reduce((text, piece, i) => `${text}{${i - 1}}${piece}`);
  return filled((isGerman() ? GERMAN[key] : undefined) ?? key, values);
}

/** A sentence without values that is kept in English. */
export function sentence(english: string): string {
  return (isGerman() ? GERMAN[english] : undefined) ?? english;
}

/** A single word of ours, such as the name of a unit. */
export function word(english: string): string {
  return (isGerman() ? WORDS[english] : undefined) ?? english;
}

/** What a period is called: its words are ours alone, and kept in English within queries. */
export function period(said: string): string {
  return isGerman() ? PERIODS.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), said) : said;
}

/** Whether a sentence is this one, in whichever language it was said. */
export function isSentence(sentence: string, english: string): boolean {
  return sentence === english || sentence === GERMAN[english];
}

/** What the reader says and asks, which it does in English wherever it runs, in the language of the question. */
export function readIn(understood: Understanding): Understanding {
  if (!isGerman()) return understood;
  return {
    ...understood,
    readings: understood.readings.map((reading) => ({
      ...reading,
      assumptions: reading.assumptions.map((each) => ({ ...each, choice: sentenceOf(each.choice) })),
    })),
    unclear: understood.unclear.map((each) => ({
      ...each,
      question: sentenceOf(each.question),
      suggestions: each.suggestions.map((suggestion) => READ[suggestion] ?? suggestion),
    })),
  };
}

const PATTERNS = Object.entries(READ).map(([english, german]) => {
  const escaped = english.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll(/\{\d\}/g, "(.+?)");
  return [new RegExp(`^${escaped}$`, "su"), german] as const;
});

function sentenceOf(english: string): string {
  for (const [pattern, german] of PATTERNS) {
    const [, ...values] = pattern.exec(english) ?? [];
    if (pattern.test(english)) return filled(german, values);
  }
  return english;
}

function filled(text: string, values: readonly (string | number)[]): string {
  return text.replaceAll(/\{(\d)\}/g, (_, at: string) => String(values[Number(at)] ?? ""));
}
