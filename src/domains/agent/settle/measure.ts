import { formatOf, showNumber } from "../explain/format.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Comparison, Num } from "../query/semantic-query.ts";
import { phraseKey } from "../understand/languages/words.ts";

/** `Lifetime value > $10,000`. */
export interface Threshold {
  metric: string;
  op: Comparison;
  value: number;
}

const OPERATORS: readonly [RegExp, Comparison][] = [
  [/>=|≥|\bat least\b|\bmindestens\b|\bab\b/i, ">="],
  [/<=|≤|\bat most\b|\bhöchstens\b/i, "<="],
  [/<|\bless than\b|\bbelow\b|\bunder\b|\bunter\b|\bweniger als\b/i, "<"],
  [/>|\bmore than\b|\bover\b|\babove\b|\bgreater than\b|\büber\b|\bmehr als\b/i, ">"],
];
const NUMBER = /(\d+(?:[.,]\d+)*)\s*(k|m|tsd|mio|thousand|million)?\b/i;
const SCALES: Readonly<Record<string, number>> = {
  k: 1e3,
  tsd: 1e3,
  thousand: 1e3,
  m: 1e6,
  mio: 1e6,
  million: 1e6,
};
/** Words that say only that a number is meant. */
const PLAIN = /\b(lifetime|life time|total|value|values|worth|spend|spending|gesamt|wert)\b/gi;

/** An amount with the measure that it is of, as people write both; undefined for anything else. */
export function readThreshold(
  text: string,
  knowledge: Knowledge,
  usual: string | undefined,
): Threshold | undefined {
  const number = NUMBER.exec(text);
  if (number === null) return undefined;
  const [whole, digits = "", scale = ""] = number;
  const value = numberOf(digits) * (SCALES[scale.toLowerCase()] ?? 1);
  const rest = text.replace(whole, " ");
  const op = OPERATORS.find(([pattern]) => pattern.test(rest));
  const words = (op === undefined ? rest : rest.replace(op[0], " ")).replaceAll(/[^\p{L}\p{N}]+/gu, " ");
  const metric = words.replaceAll(PLAIN, " ").trim() === "" ? usual : metricNamed(words, knowledge);
  return metric === undefined ? undefined : { metric, op: op?.[1] ?? ">", value };
}

/** `10,000`, `10.000` and `1.5`. */
function numberOf(digits: string): number {
  if (/^\d{1,3}([.,]\d{3})+$/.test(digits)) return Number(digits.replaceAll(/[.,]/g, ""));
  return Number(digits.replace(",", "."));
}

/** The metric that has most of these words in its name or synonyms. */
function metricNamed(words: string, { model, schema }: Knowledge): string | undefined {
  const wanted = new Set(phraseKey(words).split(" "));
  const scored = model.metrics
    .filter(({ name }) => schema.metrics.has(name))
    .map(({ name, ai }) => {
      const hits = [name, ...ai.synonyms].map((text) => {
        const own = phraseKey(text).split(" ");
        const shared = own.filter((word) => wanted.has(word)).length;
        return shared / Math.max(own.length, wanted.size);
      });
      return { name, score: Math.max(...hits) };
    })
    .toSorted((a, b) => b.score - a.score);
  const [best] = scored;
  return best !== undefined && best.score > 0 ? best.name : undefined;
}

const MONEY = /revenue|sales|turnover|spend|amount|umsatz|erlös/i;

/** The number that something is worth, when nobody says which. */
export function usualMetric(knowledge: Knowledge, preferred: string | undefined): string | undefined {
  const named = preferred === undefined ? undefined : metricNamed(preferred, knowledge);
  const known = knowledge.model.metrics
    .map(({ name }) => name)
    .filter((name) => knowledge.schema.metrics.has(name));
  return named ?? known.find((name) => MONEY.test(name)) ?? known[0];
}

export function amount(metric: string, value: number, knowledge: Knowledge): string {
  const num: Num = { k: "metric", name: metric };
  const type = knowledge.model.metrics.find(({ name }) => name === metric)?.type ?? "DOUBLE";
  return showNumber(value, formatOf(num, type, knowledge)).replace(/[.,]00(?=\D*$)/, "");
}

export function wordsOf(name: string): string {
  return name.replaceAll("_", " ");
}
