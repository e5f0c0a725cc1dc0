import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask } from "../query/semantic-query.ts";
import { datesIn } from "../understand/date-candidates.ts";
import type { Language } from "../understand/language.ts";
import { languagesOf } from "../understand/languages.ts";
import { fold, type Word, wordsOf } from "../understand/words.ts";
import { PlanProblem } from "./check-plan.ts";
import type { ModelPlan } from "./plan-shape.ts";

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

function isContent({ norm, stem }: Word, language: Language): boolean {
  if (!/\p{L}/u.test(norm) || /\d/.test(norm)) return false;
  const { fillers, evaluative, grammar, superlatives, comparatives, grains, scales, measures, how } =
    language;
  if (NUMBERS.has(norm)) return false;
  return ![fillers, evaluative, grammar, superlatives, comparatives, grains, scales, measures, how].some(
    (words) => words.has(norm) || words.has(stem),
  );
}

/**
 * Each content word of the question has to be carried by a name or a value of the query, as the model says which.
 * Gives what was made of words that the rules do not know, so that it can be said back.
 */
export function requireCoverage(
  { words }: ModelPlan,
  ask: Ask,
  { content, missing }: { content: readonly string[]; missing: readonly string[] },
): { word: string; means: string }[] {
  const nodes = new Set(textsOf(ask).map(plain));
  const isMissing = (word: string) => missing.some((each) => plain(each) === plain(word));
  return content.flatMap((word) => {
    const entries = words.filter((entry) => plain(entry.word).split(" ").includes(plain(word)));
    const carried = entries.find(({ means }) => nodes.has(plain(means)));
    if (carried === undefined)
      throw new PlanProblem(
        `The word "${word}" of the question is carried by nothing: name in "words" the dataset, field, metric, relationship or value of the query that stands for it, or answer with query null.`,
      );
    return isMissing(word) ? [{ word, means: carried.means }] : [];
  });
}

/** Every name and value in a query; the kinds of its parts are not among them. */
function textsOf(node: unknown): string[] {
  if (typeof node === "string") return [node];
  if (Array.isArray(node)) return node.flatMap(textsOf);
  if (typeof node !== "object" || node === null) return [];
  const { ds, field } = node as { ds?: string; field?: string };
  const both = ds === undefined || field === undefined ? [] : [`${ds}.${field}`];
  return [
    ...both,
    ...Object.entries(node)
      .filter(([name]) => !PLAIN_PARTS.has(name))
      .flatMap(([, value]) => textsOf(value)),
  ];
}

/** Parts whose texts are neither names nor values. */
const PLAIN_PARTS = new Set(["k", "fn", "op", "dir", "ties", "match", "grain", "bucket", "win", "said"]);

function plain(text: string): string {
  return fold(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const NUMBERS = new Map(
  [
    "zero one two three four five six seven eight nine ten eleven twelve",
    "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
  ].flatMap((line) => line.split(" ").map((word, i) => [word, i] as const)),
);

/** The numbers that some text has in it, as they may be meant. */
export function numbersIn(text: string): Set<number> {
  const [language] = languagesOf(text) as [Language];
  const found = new Set<number>();
  const words = wordsOf(text, language);
  for (const [i, { norm }] of words.entries()) {
    const match = /^[$€£]?(\d[\d.,]*)([km])?(%)?$/.exec(norm);
    const value = match === null ? NUMBERS.get(norm) : language.digits(match[1] as string);
    if (value === undefined) continue;
    const scale = match?.[2] === "k" ? 1e3 : match?.[2] === "m" ? 1e6 : 1;
    for (const by of [1, scale, language.scales.get(words[i + 1]?.norm ?? "") ?? 1]) {
      found.add(value * by);
      found.add((value * by) / 100);
    }
  }
  return found;
}
