import type { VisibleModel } from "../../../models/index.ts";
import { LIMITS } from "../../limits.ts";
import type { Schema, SchemaRules } from "../../query/schema.ts";
import type { Cond, Key } from "../../query/semantic-query.ts";
import { fold } from "../languages/words.ts";
import { conditionIn, datasetNamed, dateNamed, metricNamed, namesIn } from "./definition-words.ts";
import { foreignLink } from "./model-words.ts";
import { usualSales } from "./usual-sales.ts";

/** What the author's instructions say, as rules. */
export interface Definitions {
  rules: SchemaRules;
  /** Words that stand for a condition: "major" of cities. */
  adjectives: { word: string; ds: string; cond: Cond }[];
  /** Nouns for some of a dataset's entities: "sales reps". */
  nouns: { phrase: string; ds: string; cond: Cond }[];
  /** Other words for a dataset. */
  names: { phrase: string; ds: string }[];
  /** Other words for a metric. */
  aliases: { phrase: string; metric: string }[];
  /** Nouns that ask for a number of entities: "new customers". */
  counts: { phrase: string; ds: string }[];
  /** Verbs that mean an event: "bought" is an order item of a completed order. */
  events: Event[];
  /** The months up to today that a metric is about when no period is named. */
  defaultMonths: ReadonlyMap<string, number>;
  /** Datasets whose own place counts where they are spoken of. */
  ownPlaces: string[];
  /** Rows that are sums of the other ones of their dataset. */
  totals: { key: Key; value: string }[];
  /** Sentences of which nothing was made; the author should know. */
  unread: string[];
}

interface Event {
  verbs: string[];
  ds: string;
  cond: Cond | null;
  /** What it was done in: each is one time. */
  times?: Key;
  /** Nobody says so, but the tables do; in doubt where rows have a status. */
  isUsual?: "plain" | "doubtful";
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
    names: [],
    aliases: [],
    counts: [],
    events: [],
    defaultMonths: new Map(),
    ownPlaces: [],
    totals: [],
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
  const isDefined = into.events.some(({ verbs }) => verbs.includes("bought") || verbs.includes("sold"));
  if (!isDefined) into.events.push(...usualSales(model, schema));
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
  withIs,
  allOthers,
  areThose,
  otherName,
  fiscalYear,
  means,
  datesGoBy,
  place,
  defaultPeriod,
  event,
  wasDone,
  isTotal,
  convention,
];

/** "In disasters, entity "All disasters" is the total of the others." */
function isTotal({ model, into }: Reader, sentence: string): boolean {
  const match = /^in (.+?), (.+?) ["“](.+)["”] is (?:the|a) total of the others$/iu.exec(sentence);
  if (match === null) return false;
  const [, dataset, field, value] = match as unknown as [string, string, string, string];
  const found = model.datasets.find(({ name }) => fold(name) === fold(dataset));
  const named = found?.fields.find(({ name }) => fold(name) === fold(field));
  if (found === undefined || named === undefined) return false;
  into.totals.push({ key: { ds: found.name, field: named.name }, value });
  return true;
}

/** "A city counts as major when its population exceeds 150000." "A plan or a drug is active (current) if it has no end." */
function countsAs(reader: Reader, sentence: string): boolean {
  const match = /^an? (.+?) (?:counts as|is called|is) (.+?) (?:when|if) (.+)$/iu.exec(sentence);
  if (match === null) return false;
  const [, nouns, words, rest] = match as unknown as [string, string, string, string];
  return define(reader, { nouns, words, rest });
}

/** "A patient with a death date is deceased." */
function withIs(reader: Reader, sentence: string): boolean {
  const match =
    /^(?:an? |all )?(.+?) ((?:with|without|whose) .+?) (?:is|are|counts? as) (\p{L}+(?: \(.+\))?)$/iu.exec(
      sentence,
    );
  if (match === null) return false;
  const [, nouns, rest, words] = match as unknown as [string, string, string, string];
  return define(reader, { nouns, words, rest });
}

/** "All others are alive." */
function allOthers({ into }: Reader, sentence: string): boolean {
  const words = /^all others are (.+)$/iu.exec(sentence)?.[1];
  const last = into.adjectives.at(-1);
  if (words === undefined || last === undefined) return false;
  const { ds, cond } = last;
  for (const word of namesIn(words))
    into.adjectives.push({ word: fold(word), ds, cond: { k: "not", of: cond } });
  return true;
}

/** Adjectives for what some entities have, or have not. */
function define(
  { model, schema, into }: Reader,
  { nouns, words, rest }: { nouns: string; words: string; rest: string },
): boolean {
  const found = namesIn(nouns).flatMap((noun) => {
    const ds = datasetNamed(model, noun);
    const cond = ds === undefined ? undefined : conditionIn(model, schema, ds, rest);
    return ds === undefined || cond === undefined ? [] : [{ ds, cond }];
  });
  const adjectives = namesIn(words).filter((word) => /^\p{L}+$/u.test(word));
  for (const { ds, cond } of found)
    for (const word of adjectives) into.adjectives.push({ word: fold(word), ds, cond });
  return found.length > 0 && adjectives.length > 0;
}

/** "Sales reps are the employees with the job title A or B." "A rep (or agent) is an employee with the title A." */
function areThose({ model, schema, into }: Reader, sentence: string): boolean {
  const match = /^(?:an? )?(.+?) (?:are|is) (?:the |an? )?(\p{L}+) ((?:with|whose|without) .+)$/iu.exec(
    sentence,
  );
  if (match === null) return false;
  const [, phrases, noun, rest] = match as unknown as [string, string, string, string];
  const ds = datasetNamed(model, noun);
  const cond = ds === undefined ? undefined : conditionIn(model, schema, ds, rest);
  if (ds === undefined || cond === undefined) return false;
  for (const phrase of namesIn(phrases)) into.nouns.push({ phrase, ds, cond });
  return true;
}

/** "Team means constructor." */
function otherName({ model, into }: Reader, sentence: string): boolean {
  const match = /^(?:an? )?(.+?) (?:means|is) (?:an? )?(.+)$/iu.exec(sentence);
  const ds = match === null ? undefined : datasetNamed(model, match[2] as string);
  if (ds === undefined) return false;
  for (const phrase of namesIn(match?.[1] as string)) into.names.push({ phrase, ds });
  return true;
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
  const spoken = /unless (?:the question|it|one) (?:speaks|talks|asks) (?:of|about) (.+)$/iu.exec(
    sentence,
  )?.[1];
  for (const name of namesIn((spoken ?? "").replaceAll(/\bof\b/g, "")))
    into.ownPlaces.push(...[datasetNamed(model, name)].filter((ds) => ds !== undefined));
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
  const [id, ...others] = schema.datasets.get(holder)?.key ?? [];
  const times = id === undefined || others.length > 0 ? {} : { times: { ds: holder, field: id } };
  into.events.push({ verbs: sameVerbs(verb), ds: items.from, cond, ...times });
  const money =
    metricNamed(model, "revenue") ?? metricNamed(model, "sales") ?? metricNamed(model, "turnover");
  if (cond !== null && money !== undefined) into.aliases.push({ phrase: "spend", metric: money });
  return true;
}

/** "A track was sold if it is on at least one invoice line." */
function wasDone({ model, schema, into }: Reader, sentence: string): boolean {
  const match =
    /^an? (.+?) (?:was|is|has been) (\p{L}+) if it is (?:on|in) (?:at least one|an?) (.+)$/iu.exec(sentence);
  if (match === null) return false;
  const [, noun, verb, where] = match as unknown as [string, string, string, string];
  const [ds, holder] = [datasetNamed(model, noun), datasetNamed(model, where)];
  const isLinked = [...schema.links.values()].some(({ from, to }) => from === holder && to === ds);
  if (holder === undefined || !isLinked) return false;
  into.events.push({ verbs: sameVerbs(verb), ds: holder, cond: null });
  return true;
}

function sameVerbs(verb: string): string[] {
  const said = verb.toLowerCase();
  return SAME_EVENT.find((group) => group.includes(said)) ?? [said];
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
