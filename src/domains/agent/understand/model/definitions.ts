import type { VisibleModel } from "../../../models/index.ts";
import { LIMITS } from "../../limits.ts";
import type { Schema, SchemaRules } from "../../query/schema.ts";
import type { Comparison, Cond, Key } from "../../query/semantic-query.ts";
import { COMPARATIVES } from "../languages/english/english.ts";
import { fold, phraseKey } from "../languages/words.ts";
import { deedsOf } from "../lexicon/deeds.ts";
import { dimensionFields, foreignLink } from "./model-words.ts";
import { usualDeeds, usualSales } from "./usual-sales.ts";

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
  /** Each row is one of what it was done to. */
  isCounted?: true;
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
      sentence.length <= sentenceCharacters &&
      FRAMES.map((frame) => isIn(frame, reader, sentence)).some(Boolean);
    if (!isRead) into.unread.push(sentence);
  }
  const isDefined = into.events.some(({ verbs }) => verbs.includes("bought") || verbs.includes("sold"));
  if (!isDefined) into.events.push(...usualSales(model, schema));
  const said = new Set(into.events.flatMap(({ verbs }) => verbs));
  into.events.push(...usualDeeds(schema).filter(({ verbs }) => !verbs.some((verb) => said.has(verb))));
  return into;
}

function isIn([said, read]: Frame, reader: Reader, sentence: string): boolean {
  const parts = said.exec(sentence)?.slice(1);
  return parts !== undefined && read(reader, ...(parts as [string, string, string, string]));
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

/** A sentence that an author may write, and what is made of its parts; false where they name nothing of the model. */
type Frame = readonly [
  said: RegExp,
  read: (reader: Reader, first: string, second: string, third: string, fourth: string) => boolean,
];

const FRAMES: readonly Frame[] = [
  // "A city counts as major when its population exceeds 150000." "A plan or a drug is active (current) if it has no end."
  [/^an? (.+?) (?:counts as|is called|is) (.+?) (?:when|if) (.+)$/iu, define],
  // "A patient with a death date is deceased."
  [
    /^(?:an? |all )?(.+?) ((?:with|without|whose) .+?) (?:is|are|counts? as) (\p{L}+(?: \(.+\))?)$/iu,
    (reader, nouns, rest, words) => define(reader, nouns, words, rest),
  ],
  // "All others are alive."
  [/^all others are (.+)$/iu, allOthers],
  // "Sales reps are the employees with the job title A or B." "A rep (or agent) is an employee with the title A."
  [/^(?:an? )?(.+?) (?:are|is) (?:the |an? )?(\p{L}+) ((?:with|whose|without) .+)$/iu, areThose],
  // "Team means constructor."
  [/^(?:an? )?(.+?) (?:means|is) (?:an? )?(.+)$/iu, otherName],
  // "Fiscal year: starts on 1 February …"
  [
    new RegExp(`^(?=.*fiscal).*?starts? (?:on|in) (?:the )?(?:\\d+\\.? )?(${MONTHS.join("|")})`, "i"),
    ({ into }, month) => {
      into.rules.fiscalMonth = MONTHS.indexOf(month.toLowerCase()) + 1;
      return true;
    },
  ],
  // "Sales, without more, means revenue."
  [/^(.+?)(?:, without more,)? means? (.+)$/i, meansMetric],
  // "Dates: revenue and orders go by order date; returns by return date." Sentences are split at semicolons.
  [/^(?:dates?: )?(.+?) (?:(?:go|goes|is|are|counted|measured) )*by (?:the )?(.+)$/i, datesGoBy],
  // "the region of an order is that of the customer"
  [
    /of an? (\p{L}+).* is that of the (\p{L}+)(?:.*unless (?:the question|it|one) (?:speaks|talks|asks) (?:of|about) (.+)$)?/iu,
    place,
  ],
  // "Active customer: …", of which the sentences after it speak
  [
    /^(?!.*if no period is named, (?:in )?the (?:last )?\d+ months)(?:(.+?): )?/i,
    (reader, subject: string | undefined) => {
      reader.subject = subject === undefined ? undefined : metricNamed(reader.model, subject);
      return reader.subject !== undefined;
    },
  ],
  // "if no period is named, in the 12 months up to today"
  [
    /if no period is named, (?:in )?the (?:last )?(\d+) months/i,
    ({ subject, into }, months) => {
      if (subject !== undefined) into.defaultMonths.set(subject, Number(months));
      return subject !== undefined;
    },
  ],
  // "A customer bought something if it is in a completed order."
  [
    /^an? \p{L}+ (\p{L}+) (?:something|it) if it is in an? (?:(\p{L}+) )?(\p{L}+)(?: of any status)?$/iu,
    event,
  ],
  // "A track was sold if it is on at least one invoice line."
  [/^an? (.+?) (?:was|is|has been) (\p{L}+) if it is (?:on|in) (?:at least one|an?) (.+)$/iu, wasDone],
  // "In disasters, entity "All disasters" is the total of the others."
  [/^in (.+?), (.+?) ["“](.+)["”] is (?:the|a) total of the others$/iu, isTotal],
  // How to count, as the engine does anyway.
  [
    /fractions|weeks start on monday|complete calendar period|end today|year to date|calendar ones|is \(new - old\)/i,
    () => true,
  ],
];

function isTotal({ model, into }: Reader, dataset: string, field: string, value: string): boolean {
  const found = model.datasets.find(({ name }) => fold(name) === fold(dataset));
  const named = found?.fields.find(({ name }) => fold(name) === fold(field));
  if (found === undefined || named === undefined) return false;
  into.totals.push({ key: { ds: found.name, field: named.name }, value });
  return true;
}

function allOthers({ into }: Reader, words: string): boolean {
  const last = into.adjectives.at(-1);
  if (last === undefined) return false;
  const { ds, cond } = last;
  for (const word of namesIn(words))
    into.adjectives.push({ word: fold(word), ds, cond: { k: "not", of: cond } });
  return true;
}

/** Adjectives for what some entities have, or have not. */
function define({ model, schema, into }: Reader, nouns: string, words: string, rest: string): boolean {
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

function areThose({ model, schema, into }: Reader, phrases: string, noun: string, rest: string): boolean {
  const ds = datasetNamed(model, noun);
  const cond = ds === undefined ? undefined : conditionIn(model, schema, ds, rest);
  if (ds === undefined || cond === undefined) return false;
  for (const phrase of namesIn(phrases)) into.nouns.push({ phrase, ds, cond });
  return true;
}

function otherName({ model, into }: Reader, phrases: string, noun: string): boolean {
  const ds = datasetNamed(model, noun);
  if (ds === undefined) return false;
  for (const phrase of namesIn(phrases)) into.names.push({ phrase, ds });
  return true;
}

function meansMetric({ model, into }: Reader, phrase: string, name: string): boolean {
  const metric = metricNamed(model, name);
  if (metric !== undefined) into.aliases.push({ phrase, metric });
  return metric !== undefined;
}

function datesGoBy({ model, schema, into }: Reader, names: string, date: string): boolean {
  const key = dateNamed(model, schema, fold(date));
  if (key === undefined) return false;
  let isRead = false;
  for (const name of names.split(/,| and /).map((part) => part.trim().replace(/^the /i, ""))) {
    const fresh = /^new (.+)$/i.exec(name)?.[1];
    const counted = fresh === undefined ? undefined : datasetNamed(model, fresh);
    const dated = [metricNamed(model, name), datasetNamed(model, name), counted];
    for (const each of dated) if (each !== undefined) into.rules.dates.set(each, key);
    if (counted !== undefined) into.counts.push({ phrase: name, ds: counted });
    isRead ||= dated.some((each) => each !== undefined);
  }
  return isRead;
}

function place(
  { model, schema, into }: Reader,
  of: string,
  owner: string,
  spoken: string | undefined,
): boolean {
  const [from, to] = [datasetNamed(model, of), datasetNamed(model, owner)];
  const links = [...schema.links.values()].filter((link) => link.from === from && link.to === to);
  for (const { name } of links) into.rules.preferredLinks.add(name);
  for (const name of namesIn((spoken ?? "").replaceAll(/\bof\b/g, "")))
    into.ownPlaces.push(...[datasetNamed(model, name)].filter((ds) => ds !== undefined));
  return links.length > 0;
}

function event(
  { model, schema, into }: Reader,
  verb: string,
  adjective: string | undefined,
  noun: string,
): boolean {
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

function wasDone({ model, schema, into }: Reader, noun: string, verb: string, where: string): boolean {
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

/** "a rep (or agent, seller)": each of the names. */
function namesIn(text: string): string[] {
  return text
    .split(/[(),]|\b(?:or|and)\b/)
    .map((name) => name.trim().replace(/^(?:an?|the) /i, ""))
    .filter((name) => name !== "");
}

/** What a clause of a definition says of an entity. */
function conditionIn(model: VisibleModel, schema: Schema, ds: string, clause: string): Cond | undefined {
  const without = /^(?:it |they )?(?:has|have|with) no (.+)$|^without (?:an? |any )?(.+)$/i.exec(clause);
  const named = (text: string) => {
    const field = fieldNamed(model, ds, text);
    return field === undefined ? undefined : { ds, field };
  };
  if (without !== null) {
    const key = named(without[1] ?? (without[2] as string));
    return key && { k: "null", key };
  }
  const apart = BEFORE_OR_AFTER.exec(clause);
  if (apart !== null) {
    const [a, b] = [apart[1], apart[3]].map((text) => dateIn(model, schema, ds, text as string));
    const op = /after|later/i.test(apart[2] as string) ? ">" : "<";
    return a && b && { k: "cmp", a, op, b };
  }
  const number = /(-?\d[\d.,]*)/.exec(clause)?.[1];
  if (number !== undefined) return measured(model, schema, ds, { clause, number });
  const having = /^(?:it |they )?(?:has|have|with) an? (.+)$/i.exec(clause)?.[1];
  if (having !== undefined) {
    const key = named(having);
    return key && { k: "not", of: { k: "null", key } };
  }
  return valued(model, ds, clause);
}

/** "it was shipped after its required date" */
const BEFORE_OR_AFTER =
  /^(?:(?:it|they) (?:was|were|is|are|has been|have been) |its |their |the )?(.+?)(?: (?:is|was|lies))? (after|later than|before|earlier than) (?:its |the |their )?(.+)$/i;

/** A date of a dataset by its name, or by what was done then. */
function dateIn(model: VisibleModel, schema: Schema, ds: string, text: string): Key | undefined {
  const dates = [...(schema.datasets.get(ds)?.fields.values() ?? [])].filter(({ kind }) => kind === "date");
  const named = fieldNamed(model, ds, text);
  const field =
    dates.find(({ name }) => name === named) ??
    dates.find(({ name }) => deedsOf(name).verbs.includes(fold(text)));
  return field && { ds, field: field.name };
}

/** "its population exceeds 150000", "it is longer than 750 kilometres" */
function measured(
  model: VisibleModel,
  schema: Schema,
  ds: string,
  { clause, number }: { clause: string; number: string },
): Cond | undefined {
  const compared = /is (\p{L}+) than/iu.exec(clause)?.[1];
  const [sign, dim] = (COMPARATIVES.get(fold(compared ?? "")) ?? "").split(":");
  const field = dim ? dimensionFields(model, schema, ds, dim)[0] : fieldNamed(model, ds, clause);
  const op = (sign || comparisonIn(clause)) as Comparison | undefined;
  if (field === undefined || op === undefined) return undefined;
  return { k: "cmp", a: { ds, field }, op, b: { k: "lit", v: Number(number.replaceAll(",", "")) } };
}

function comparisonIn(text: string): Comparison | undefined {
  if (/exceeds?|more than|over|above|greater than/i.test(text)) return ">";
  if (/at least|or more|from/i.test(text)) return ">=";
  if (/less than|below|under|fewer than/i.test(text)) return "<";
  return /at most|up to|or less/i.test(text) ? "<=" : undefined;
}

/** "with the job title A or B", "its status is A" */
function valued(model: VisibleModel, ds: string, clause: string): Cond | undefined {
  const rest = clause.replace(/^(?:with|whose|its|the) (?:the )?/i, "");
  const dataset = model.datasets.find(({ name }) => name === ds);
  for (const { name, ai, label } of dataset?.fields ?? []) {
    const called = [name.replaceAll("_", " "), label ?? "", ...ai.synonyms].find(
      (text) => text !== "" && rest.toLowerCase().startsWith(`${text.toLowerCase()} `),
    );
    if (called === undefined) continue;
    const values = rest
      .slice(called.length)
      .replace(/^ (?:is|equals) /i, "")
      .split(/,| or | and /)
      .map((value) => value.trim())
      .filter((value) => value !== "");
    return { k: "is", key: { ds, field: name }, values, match: "equal" };
  }
  return undefined;
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
