import type { VisibleModel } from "../../models/index.ts";
import { LIMITS } from "../limits.ts";
import type { Schema, SchemaRules } from "../query/schema.ts";
import type { Comparison, Cond, Key } from "../query/semantic-query.ts";
import { COMPARATIVES } from "./english.ts";
import { dimensionField, foreignLink } from "./model-words.ts";
import { fold, phraseKey } from "./words.ts";

/** What the author's instructions say, as rules. */
export interface Definitions {
  rules: SchemaRules;
  /** Words that stand for a condition: "major" of cities. */
  adjectives: { word: string; ds: string; cond: Cond }[];
  /** Nouns for some of a dataset's entities: "sales reps". */
  nouns: { phrase: string; ds: string; cond: Cond }[];
  /** Other words for a metric. */
  aliases: { phrase: string; metric: string }[];
  /** Nouns that ask for a number of entities: "new customers". */
  counts: { phrase: string; ds: string }[];
  /** Verbs that mean an event: "bought" is an order item of a completed order. */
  events: { verbs: string[]; ds: string; cond: Cond | null }[];
  /** The months up to today that a metric is about when no period is named. */
  defaultMonths: ReadonlyMap<string, number>;
  /** Sentences of which nothing was made; the author should know. */
  unread: string[];
}

interface Reader {
  model: VisibleModel;
  schema: Schema;
  into: Definitions & {
    rules: { dates: Map<string, Key>; preferredLinks: Set<string>; fiscalMonth?: number };
    defaultMonths: Map<string, number>;
  };
  /** The metric that the sentences are about: a definition may take several. */
  subject: string | undefined;
}

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);

/** Compiles the sentences of a model's instructions; what is not understood is listed, never guessed. */
export function readDefinitions(model: VisibleModel, schema: Schema): Definitions {
  const into: Reader["into"] = {
    rules: { dates: new Map(), preferredLinks: new Set() },
    adjectives: [],
    nouns: [],
    aliases: [],
    counts: [],
    events: [],
    defaultMonths: new Map(),
    unread: [],
  };
  const reader: Reader = { model, schema, into, subject: undefined };
  readDescriptions(reader);
  const { instructionCharacters, sentenceCharacters } = LIMITS.agent;
  for (const sentence of sentencesOf((model.ai.instructions ?? "").slice(0, instructionCharacters))) {
    // The frames take the square of a sentence's length, and nobody defines a word in that many.
    const isRead =
      sentence.length <= sentenceCharacters && FRAMES.map((frame) => frame(reader, sentence)).some(Boolean);
    if (!isRead) into.unread.push(sentence);
  }
  return into;
}

/** "empty while it is open": what has no such value is open. */
function readDescriptions({ model, into }: Reader): void {
  for (const { name: ds, fields } of model.datasets) {
    for (const { name: field, description } of fields) {
      const word = /empty while (?:it|the \p{L}+) is (\p{L}+)/iu.exec(description ?? "")?.[1];
      if (word !== undefined)
        into.adjectives.push({ word: fold(word), ds, cond: { k: "null", key: { ds, field } } });
    }
  }
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.;])\s+|\n+/)
    .map((sentence) => sentence.trim().replace(/[.;]$/, ""))
    .filter((sentence) => sentence !== "");
}

type Frame = (reader: Reader, sentence: string) => boolean;

const FRAMES: Frame[] = [
  countsAs,
  areThose,
  fiscalYear,
  means,
  datesGoBy,
  place,
  defaultPeriod,
  event,
  convention,
];

/** "A city counts as major when its population exceeds 150000." */
function countsAs({ model, schema, into }: Reader, sentence: string): boolean {
  const match = /^an? (.+?) (?:counts as|is|is called) (\p{L}+) (?:when|if) (?:its|it|the) (.+)$/iu.exec(
    sentence,
  );
  if (match === null) return false;
  const [, noun, word, rest] = match as unknown as [string, string, string, string];
  const ds = datasetNamed(model, noun);
  const number = /(-?\d[\d.,]*)/.exec(rest)?.[1];
  if (ds === undefined || number === undefined) return false;
  const compared = /is (\p{L}+) than/iu.exec(rest)?.[1];
  const [sign, dim] = (COMPARATIVES.get(fold(compared ?? "")) ?? "").split(":");
  const named = fieldNamed(model, ds, rest);
  const field = dim ? dimensionField(model, schema, ds, dim) : named;
  const op = (sign || comparisonIn(rest)) as Comparison | undefined;
  if (field === undefined || op === undefined) return false;
  const value = Number(number.replaceAll(",", ""));
  const cond: Cond = { k: "cmp", a: { ds, field }, op, b: { k: "lit", v: value } };
  into.adjectives.push({ word: fold(word), ds, cond });
  return true;
}

function comparisonIn(text: string): Comparison | undefined {
  if (/exceeds?|more than|over|above|greater than/i.test(text)) return ">";
  if (/at least|or more|from/i.test(text)) return ">=";
  if (/less than|below|under|fewer than/i.test(text)) return "<";
  return /at most|up to|or less/i.test(text) ? "<=" : undefined;
}

/** "Sales reps are the employees with the job title A or B." */
function areThose({ model, into }: Reader, sentence: string): boolean {
  const match = /^(.+?) are (?:the )?(\p{L}+) (?:with|whose) (?:the )?(.+)$/iu.exec(sentence);
  if (match === null) return false;
  const [, phrase, noun, rest] = match as unknown as [string, string, string, string];
  const ds = datasetNamed(model, noun);
  if (ds === undefined) return false;
  const dataset = model.datasets.find(({ name }) => name === ds);
  for (const { name, ai, label } of dataset?.fields ?? []) {
    const called = [name.replaceAll("_", " "), label ?? "", ...ai.synonyms].find(
      (text) => text !== "" && rest.toLowerCase().startsWith(`${text.toLowerCase()} `),
    );
    if (called === undefined) continue;
    const values = rest
      .slice(called.length)
      .split(/,| or | and /)
      .map((value) => value.trim())
      .filter((value) => value !== "");
    into.nouns.push({ phrase, ds, cond: { k: "is", key: { ds, field: name }, values, match: "equal" } });
    return true;
  }
  return false;
}

/** "Fiscal year: starts on 1 February …" */
function fiscalYear({ into }: Reader, sentence: string): boolean {
  if (!/fiscal/i.test(sentence)) return false;
  const month = MONTHS.findIndex((name) =>
    new RegExp(`starts? (?:on|in) (?:the )?(?:\\d+\\.? )?${name}`, "i").test(sentence),
  );
  if (month === -1) return false;
  into.rules.fiscalMonth = month + 1;
  return true;
}

/** "Sales, without more, means revenue." */
function means({ model, into }: Reader, sentence: string): boolean {
  const match = /^(.+?)(?:, without more,)? means? (.+)$/i.exec(sentence);
  if (match === null) return false;
  const metric = metricNamed(model, match[2] as string);
  if (metric === undefined) return false;
  into.aliases.push({ phrase: match[1] as string, metric });
  return true;
}

/** "Dates: revenue and orders go by order date; returns by return date." Sentences are split at semicolons. */
function datesGoBy({ model, schema, into }: Reader, sentence: string): boolean {
  const match = /^(?:dates?: )?(.+?) (?:(?:go|goes|is|are|counted|measured) )*by (?:the )?(.+)$/i.exec(
    sentence,
  );
  if (match === null) return false;
  const said = fold(match[2] as string);
  const key = dateNamed(model, schema, said);
  if (key === undefined) return false;
  let isRead = false;
  for (const name of (match[1] as string).split(/,| and /).map((part) => part.trim().replace(/^the /i, ""))) {
    const metric = metricNamed(model, name);
    const ds = datasetNamed(model, name);
    if (metric !== undefined) into.rules.dates.set(metric, key);
    if (ds !== undefined) into.rules.dates.set(ds, key);
    const fresh = /^new (.+)$/i.exec(name)?.[1];
    const counted = fresh === undefined ? undefined : datasetNamed(model, fresh);
    if (counted !== undefined) {
      into.rules.dates.set(counted, key);
      into.counts.push({ phrase: name, ds: counted });
    }
    isRead ||= metric !== undefined || ds !== undefined || counted !== undefined;
  }
  return isRead;
}

/** "the region of an order is that of the customer" */
function place({ model, schema, into }: Reader, sentence: string): boolean {
  const match = /of an? (\p{L}+).* is that of the (\p{L}+)/iu.exec(sentence);
  if (match === null) return false;
  const from = datasetNamed(model, match[1] as string);
  const to = datasetNamed(model, match[2] as string);
  const links = [...schema.links.values()].filter((link) => link.from === from && link.to === to);
  for (const { name } of links) into.rules.preferredLinks.add(name);
  return links.length > 0;
}

/** "if no period is named, in the 12 months up to today" */
function defaultPeriod(reader: Reader, sentence: string): boolean {
  const months = /if no period is named, (?:in )?the (?:last )?(\d+) months/i.exec(sentence)?.[1];
  if (months === undefined) {
    const subject = /^(.+?): /.exec(sentence)?.[1];
    reader.subject = subject === undefined ? undefined : metricNamed(reader.model, subject);
    return reader.subject !== undefined;
  }
  if (reader.subject === undefined) return false;
  reader.into.defaultMonths.set(reader.subject, Number(months));
  return true;
}

/** "A customer bought something if it is in a completed order." */
function event({ model, schema, into }: Reader, sentence: string): boolean {
  const match =
    /^an? (\p{L}+) (\p{L}+) (?:something|it) if it is in an? (?:(\p{L}+) )?(\p{L}+)(?: of any status)?$/iu.exec(
      sentence,
    );
  if (match === null) return false;
  const [, , verb, adjective, noun] = match as unknown as [
    string,
    string,
    string,
    string | undefined,
    string,
  ];
  const holder = datasetNamed(model, noun);
  const items = [...schema.links.values()].find(
    ({ to, from }) => to === holder && foreignCount(schema, from) > 1,
  );
  if (holder === undefined || items === undefined) return false;
  const status = adjective === undefined ? undefined : fieldWithValue(model, holder, adjective);
  const cond: Cond | null =
    adjective === undefined || status === undefined
      ? null
      : { k: "is", key: { ds: holder, field: status }, values: [adjective.toLowerCase()], match: "equal" };
  const verbs = SAME_EVENT.find((group) => group.includes(verb.toLowerCase())) ?? [verb.toLowerCase()];
  into.events.push({ verbs, ds: items.from, cond });
  const money =
    metricNamed(model, "revenue") ?? metricNamed(model, "sales") ?? metricNamed(model, "turnover");
  if (cond !== null && money !== undefined) into.aliases.push({ phrase: "spend", metric: money });
  return true;
}

const SAME_EVENT = [
  ["bought", "buy", "sold", "sell", "sale"],
  ["ordered", "order", "placed"],
];

/** Sentences on how to count that the engine keeps to anyway. */
function convention(_reader: Reader, sentence: string): boolean {
  return /fractions|weeks start on monday|complete calendar period|end today|year to date|calendar ones|is \(new - old\)/i.test(
    sentence,
  );
}

function foreignCount(schema: Schema, ds: string): number {
  return [...(schema.datasets.get(ds)?.fields.keys() ?? [])].filter(
    (field) => foreignLink(schema, ds, field) !== undefined,
  ).length;
}

function fieldWithValue(model: VisibleModel, ds: string, value: string): string | undefined {
  const fields = model.datasets.find(({ name }) => name === ds)?.fields ?? [];
  return fields.find(
    ({ distinctValues, description }) =>
      distinctValues.some((each) => fold(String(each)) === fold(value)) ||
      fold(description ?? "")
        .split(/\W+/)
        .includes(fold(value)),
  )?.name;
}

function datasetNamed(model: VisibleModel, text: string): string | undefined {
  const key = phraseKey(text);
  return model.datasets.find(({ name, ai }) => [name, ...ai.synonyms].some((word) => phraseKey(word) === key))
    ?.name;
}

function metricNamed(model: VisibleModel, text: string): string | undefined {
  const key = phraseKey(text);
  return model.metrics.find(({ name, ai }) => [name, ...ai.synonyms].some((word) => phraseKey(word) === key))
    ?.name;
}

function fieldNamed(model: VisibleModel, ds: string, text: string): string | undefined {
  const key = ` ${phraseKey(text)} `;
  const fields = model.datasets.find(({ name }) => name === ds)?.fields ?? [];
  return fields.find(({ name, ai }) =>
    [name, ...ai.synonyms].some((word) => key.includes(` ${phraseKey(word)} `)),
  )?.name;
}

/** "order date", "the time the ticket was opened" */
function dateNamed(model: VisibleModel, schema: Schema, said: string): Key | undefined {
  const dates = model.datasets.flatMap(({ name: ds, fields }) =>
    fields
      .filter(({ name }) => schema.datasets.get(ds)?.fields.get(name)?.kind === "date")
      .map((field) => ({ ds, field })),
  );
  const key = phraseKey(said);
  const exact = dates.find(({ field }) =>
    [field.name, ...field.ai.synonyms].some((text) => phraseKey(text) === key),
  );
  const words = new Set(key.split(" "));
  const near = dates.find(({ ds, field }) => {
    const own = [
      ...phraseKey(field.name).split(" "),
      ...field.ai.synonyms.flatMap((text) => phraseKey(text).split(" ")),
    ];
    const noun = phraseKey(ds)
      .split(" ")
      .some((word) => words.has(word));
    return noun && own.some((word) => words.has(word) && word !== "date" && word !== "at");
  });
  const found = exact ?? near;
  return found === undefined ? undefined : { ds: found.ds, field: found.field.name };
}
