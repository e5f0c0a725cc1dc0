import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Window } from "../query/semantic-query.ts";
import { datesIn } from "../understand/candidates/dates.ts";
import { sensesIn } from "../understand/candidates/said.ts";
import type { Language } from "../understand/languages/language.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { type Word, wordsOf } from "../understand/languages/words.ts";

interface Moment {
  now: string;
  timeZone: string;
}

/** Words that mean something: neither of grammar, nor of time, nor numbers. */
export function contentWords(text: string, moment: Moment, knowledge: Knowledge): string[] {
  const [language] = languagesOf(text) as [Language];
  const dates = datesIn({ text, ...moment }, knowledge);
  return wordsOf(text, language)
    .filter(({ start, end }) => !dates.some((date) => date.start < end && start < date.end))
    .filter((word) => isContent(word, language))
    .map((word) => word.text);
}

export function isContent({ norm, stem }: Word, language: Language): boolean {
  if (!/\p{L}/u.test(norm) || /\d/.test(norm)) return false;
  const { fillers, evaluative, grammar, superlatives, comparatives, grains, scales, measures, how } =
    language;
  if (NUMBERS.has(norm)) return false;
  return ![fillers, evaluative, grammar, superlatives, comparatives, grains, scales, measures, how].some(
    (words) => words.has(norm) || words.has(stem),
  );
}

const NUMBERS = new Set(
  "zero one two three four five six seven eight nine ten eleven twelve null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf".split(
    " ",
  ),
);

/** The periods that a question names, as the rules read it: all that an answer to it can be about. */
export function periodsIn(question: { text: string } & Moment, knowledge: Knowledge): Window[] {
  const [language] = languagesOf(question.text) as [Language];
  const read = sensesIn(language, question, knowledge).found.flatMap(({ sense }): Window[] => {
    if (sense.t === "window" || sense.t === "than") return sense.win === null ? [] : [sense.win];
    return sense.t === "windows" ? sense.wins : [];
  });
  const others = datesIn(question, knowledge).flatMap((each) =>
    "alternatives" in each ? (each.alternatives ?? []).map(({ window, said }) => ({ ...window, said })) : [],
  );
  return [...new Map([...others, ...read].map((win) => [`${win.from} ${win.to}`, win])).values()];
}
