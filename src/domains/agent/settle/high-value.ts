import { compile } from "../compile/compile.ts";
import { ifCarried } from "../compile/paths.ts";
import { formatOf, numberIn } from "../explain/format.ts";
import { t, word } from "../explain/words.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Query } from "../phases/execute.ts";
import type { Preferences } from "../preferences/preferences.ts";
import type { Ask, Cond } from "../query/semantic-query.ts";
import { fold } from "../understand/languages/words.ts";
import type { Clarification } from "../understand/reading.ts";
import { amount, readThreshold, type Threshold, usualMetric, wordsOf } from "./measure.ts";

const QUALIFIER =
  /(?<!\p{L})(?:high(?:est)?[- ]valued?|valuable|big[- ]spending|wertvoll(?:e[nrs]?)?|hochwertig(?:e[nrs]?)?)(?!\p{L})/giu;
/** What it is called when the rules read it. */
const WORD = "high-value";
/** Above this part of all is a lot. */
const UPPER_PART = 0.8;

/** A word that says that something is worth a lot, where the model does not say how much that is. */
export function qualifierIn(text: string, knowledge: Knowledge): string | undefined {
  const found = text.match(QUALIFIER)?.[0];
  return found === undefined || isKnown(fold(found), knowledge) ? undefined : found;
}

/** Whether a folded phrase is in a name or a value of the model. */
export function isKnown(phrase: string, { model, definitions, values }: Knowledge): boolean {
  const names = [
    ...model.datasets.flatMap(({ name, ai, fields }) => [
      name,
      ...ai.synonyms,
      ...fields.flatMap((field) => [field.name, field.label ?? "", ...field.ai.synonyms]),
    ]),
    ...model.metrics.flatMap(({ name, ai }) => [name, ...ai.synonyms]),
    ...[...definitions.adjectives.map(({ word }) => word), ...definitions.nouns.map(({ phrase }) => phrase)],
  ];
  const plain = phrase.replaceAll("-", " ");
  const has = (text: string) => fold(text).replaceAll(/[-_]/g, " ").includes(plain);
  return names.some(has) || values.some((field) => field.values.some(has));
}

export interface HighValue {
  text: string;
  knowledge: Knowledge;
  /** Said back, where nobody has answered it in this question. */
  assumed?: string;
}

/** The question with the word as the rules know it then, and what it means. */
export function withThreshold(text: string, knowledge: Knowledge, threshold: Threshold): HighValue {
  return { text: text.replaceAll(QUALIFIER, WORD), knowledge: meaning(knowledge, threshold) };
}

export function sayThreshold({ metric, op, value }: Threshold, knowledge: Knowledge): string {
  return `${word("lifetime")} ${wordsOf(metric)} ${op} ${amount(metric, value, knowledge)}`;
}

export function preferredThreshold(
  { highValueThreshold: value, highValueMetric }: Preferences,
  knowledge: Knowledge,
): Threshold | undefined {
  const metric = usualMetric(knowledge, highValueMetric);
  return value === undefined || metric === undefined ? undefined : { metric, op: ">", value };
}

export function answeredThreshold(
  answers: readonly string[],
  knowledge: Knowledge,
  preferences: Preferences,
): { threshold: Threshold; answer: string } | undefined {
  const usual = usualMetric(knowledge, preferences.highValueMetric);
  for (const answer of answers) {
    const threshold = readThreshold(answer, knowledge, usual);
    if (threshold !== undefined) return { threshold, answer };
  }
  return undefined;
}

const made = new WeakMap<Knowledge, Map<string, Knowledge>>();
const MOST_MEANINGS = 20;

/** The word as an adjective of everything that has such a number. */
function meaning(knowledge: Knowledge, { metric, op, value }: Threshold): Knowledge {
  const known = made.get(knowledge) ?? new Map<string, Knowledge>();
  made.set(knowledge, known);
  const key = JSON.stringify([metric, op, value]);
  const cond: Cond = { k: "cmp", a: { k: "metric", name: metric }, op, b: { k: "lit", v: value } };
  const { schema, definitions } = knowledge;
  const adjectives = [...schema.datasets.values()]
    .filter(({ name: ds, key: [id] }) => {
      const list: Ask = {
        k: "list",
        rel: { k: "where", in: { k: "all", ds }, if: cond },
        show: [{ ds, field: id ?? "" }],
      };
      return id !== undefined && ifCarried(() => compile(schema, list)) !== undefined;
    })
    .map(({ name: ds }) => ({ word: WORD, ds, cond }));
  const theirs = known.get(key) ?? {
    ...knowledge,
    definitions: { ...definitions, adjectives: [...definitions.adjectives, ...adjectives] },
  };
  known.set(key, theirs);
  const [oldest] = known.keys();
  if (known.size > MOST_MEANINGS && oldest !== undefined) known.delete(oldest);
  return theirs;
}

/** What to ask, with amounts that tell the largest of those that there are from the others. */
export async function thresholdQuestion(
  qualifier: string,
  text: string,
  { knowledge, query, preferences }: { knowledge: Knowledge; query: Query; preferences: Preferences },
): Promise<Clarification> {
  const usual = usualMetric(knowledge, preferences.highValueMetric);
  const average = knowledge.model.metrics.find(
    ({ name, type }) =>
      /average|avg|durchschnitt/i.test(name) &&
      knowledge.schema.metrics.has(name) &&
      formatOf({ k: "metric", name }, type ?? "DOUBLE", knowledge).kind === "money",
  )?.name;
  const noun = /^\s*(\p{L}+)/u.exec(text.slice(text.indexOf(qualifier) + qualifier.length))?.[1] ?? "";
  const suggestions: string[] = [];
  for (const metric of new Set([usual, average])) {
    const value = metric === undefined ? undefined : await upperPart(metric, noun, knowledge, query);
    if (metric === undefined || value === undefined) continue;
    const said =
      metric === usual ? capital(`${word("lifetime")} ${wordsOf(metric)}`) : capital(wordsOf(metric));
    suggestions.push(`${said} > ${amount(metric, value, knowledge)}`);
  }
  const named = noun === "" ? "" : ` ${noun}`;
  return { question: t`How do you define '${qualifier}'${named}?`, suggestions };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A round number below which most of those that the noun stands for are. */
async function upperPart(
  metric: string,
  noun: string,
  knowledge: Knowledge,
  query: Query,
): Promise<number | undefined> {
  const stem = fold(noun).replace(/(e?s|en|n)$/, "");
  const datasets = [...knowledge.schema.datasets.values()].filter(({ key }) => key.length > 0);
  const meant = stem === "" ? [] : datasets.filter(({ name }) => fold(name).startsWith(stem));
  for (const { name: ds, key } of [...meant, ...datasets]) {
    const by = [{ ds, field: key[0] as string }];
    const ask: Ask = { k: "table", by, cols: [{ k: "metric", name: metric }] };
    const compiled = ifCarried(() => compile(knowledge.schema, ask));
    if (compiled === undefined) continue;
    const { rows } = await query(compiled.sql);
    const numbers = rows.map((row) => numberIn(row[1]) ?? 0).toSorted((a, b) => a - b);
    const upper = numbers[Math.floor(numbers.length * UPPER_PART)] ?? 0;
    const value = upper > 0 ? round(upper) : undefined;
    // Nobody is above the end of a scale.
    return value !== undefined && (numbers.at(-1) ?? 0) > value ? value : undefined;
  }
  return undefined;
}

/** 1, 2 or 5 and zeros. */
function round(number: number): number {
  const power = 10 ** Math.floor(Math.log10(number));
  const step = [5, 2, 1].find((each) => each * power <= number) ?? 1;
  return step * power;
}
