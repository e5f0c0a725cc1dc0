import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Schema, SchemaDataset } from "../../query/schema.ts";
import type { Hop, Key } from "../../query/semantic-query.ts";
import { HOW } from "../languages/english/english.ts";
import { type Folding, phraseKey, type Word } from "../languages/words.ts";
import {
  foreignLink,
  isSpan,
  measuresOf,
  peopleOf,
  personOf,
  personsOf,
  worths,
} from "../model/model-words.ts";
import { roleWords } from "../rules/roles.ts";
import type { Sense } from "../senses/fragment.ts";
import { EMPTY_TABLE } from "../senses/make.ts";
import { commonValues, yesIn } from "./common-values.ts";
import { deedsOf } from "./deeds.ts";
import { namesOf } from "./names.ts";
import { allWith, codedValues, put, valueEntries, valuesWith } from "./values.ts";

export interface Entry {
  sense: Sense;
  cost: number;
}

/** The words of a model: what each phrase can mean in it. */
export interface Lexicon {
  /** By the stems of its words. */
  phrases: ReadonlyMap<string, readonly Entry[]>;
  /** By their letters alone, for words that are written together or apart. */
  joined: ReadonlyMap<string, readonly Entry[]>;
  /** Values of the data, by their folded words. */
  values: ReadonlyMap<string, readonly Entry[]>;
  /** Dates by what was done then, by folded words. */
  deeds: ReadonlyMap<string, readonly Entry[]>;
  /** The words of phrases as the author wrote them. */
  spelt: ReadonlySet<string>;
  /** The single words of phrases, and of values. */
  words: { names: ReadonlySet<string>; values: ReadonlySet<string> };
  /** The values of one field that contain a word, where only that one has such. */
  valuesWith: (word: string) => Entry | undefined;
  /** All entities whose names contain a word. */
  parts: (word: string) => Entry[];
  /** The names that have all of these words in them, by what is called so. */
  namesWith: (words: readonly Word[]) => { ds: string; names: readonly string[] }[];
  /** Whether somebody is called so: the "Eva" and the "Köhler" of a person, and the first word of "Orbis Bau AG". */
  isOfPeople: (ds: string, word: Word) => boolean;
  /** By the last word of what numbers are called: "rate" of return rate and cancellation rate. */
  heads: ReadonlyMap<string, readonly string[]>;
  /** The datasets whose entities have names. */
  named: ReadonlySet<string>;
  /** The datasets of people, and the one column of them, where there is only one. */
  people: readonly string[];
  /** Fields that say who did something. */
  persons: readonly Key[];
  person: Key | undefined;
  /** The longest phrase or value, in words. */
  longest: number;
}

const COST = { name: 0, synonym: 0.1, verb: 0.3, part: 0.7, partial: 2 };

/** What was done: "won", "sold", "delivered". */
const PARTICIPLE = /^(\p{L}{3,}ed|won|sold|bought|made|paid|lost|held|given|taken|shot|led|run)$/iu;

/** Last words of a name that say nothing by themselves. */
const NO_PART = new Set(["name", "id", "key", "code", "number", "date", "at", "type", "total"]);

export function lexiconOf(knowledge: Knowledge, folding: Folding): Lexicon {
  const { model, schema, values } = knowledge;
  const phrases = new Map<string, Entry[]>();
  const deeds = new Map<string, Entry[]>();
  const spelt = new Set<string>();
  const add = (text: string, sense: Sense, cost: number) => {
    spelt.add(folding.fold(text));
    put(phrases, phraseKey(text, folding), { sense, cost });
  };
  // Of "runs through", the verb stands alone in "through which it runs".
  const addLink = (text: string, sense: Sense) => {
    add(text, sense, COST.synonym);
    const [verb, ...more] = text.split(" ");
    if (more.length === 1 && verb !== undefined) add(verb, sense, COST.verb);
  };
  // What the author defined is meant, and not all of the dataset that it is a part of.
  const some = new Set(
    knowledge.definitions.nouns.flatMap(({ phrase, ds }) =>
      [phrase, phrase.split(" ").at(-1) as string].map((text) => `${ds} ${phraseKey(text, folding)}`),
    ),
  );
  for (const dataset of model.datasets) {
    const { name } = dataset;
    const bridge = bridgePaths(schema, name);
    const sense: Sense =
      bridge === undefined
        ? { t: "rel", rel: { k: "all", ds: name }, ds: name, form: "noun", isTopped: false }
        : { t: "link", paths: bridge };
    add(name, sense, COST.name);
    for (const synonym of dataset.ai.synonyms)
      if (!some.has(`${name} ${phraseKey(synonym, folding)}`)) add(synonym, sense, COST.synonym);
    if (bridge !== undefined) continue;
    for (const field of dataset.fields) {
      const only = onlyValue(values, name, field.name);
      const texts = [field.name, ...(field.label === null ? [] : [field.label]), ...field.ai.synonyms];
      const foreign = foreignLink(schema, name, field.name);
      if (foreign !== undefined) {
        const sense: Sense = { t: "link", paths: bothWays(schema, [foreign]) };
        for (const synonym of field.ai.synonyms) addLink(synonym, sense);
        for (const { text, sense } of roleWords(schema, foreign, texts))
          add(text, sense, sense.t === "op" ? COST.synonym : COST.part);
        continue;
      }
      const key = { ds: name, field: field.name };
      for (const [i, text] of texts.entries()) {
        // `state` is the entity, not the field that holds its name.
        if (only !== undefined && i > 0) {
          add(text, { t: "all", field: field.name, value: only }, COST.synonym);
          continue;
        }
        // "big" asks how big something is, and is no name for it.
        if (HOW.has(phraseKey(text, folding))) continue;
        const isEntity = field.name === schema.datasets.get(name)?.nameField && saysDataset(dataset, text);
        if (!isEntity) add(text, { t: "field", key }, i === 0 ? COST.name : COST.synonym);
      }
      const kind = schema.datasets.get(name)?.fields.get(field.name)?.kind;
      const yes = kind === "boolean" ? true : yesIn(values, key);
      if (yes !== undefined) {
        const cond = { k: "is" as const, key, values: [yes], match: "equal" as const };
        for (const text of texts) add(text, { t: "cond", ds: name, cond }, 0);
      }
      if (kind === "date") {
        const { verbs, nouns } = deedsOf(field.name);
        for (const verb of verbs)
          put(deeds, folding.fold(verb), { sense: { t: "field", key, isDone: true }, cost: COST.verb });
        for (const noun of nouns)
          put(deeds, folding.fold(noun), { sense: { t: "field", key }, cost: COST.verb });
      }
      if (kind === "text") add(`${field.name} number`, { t: "field", key }, COST.part);
      const parts = field.name.split("_");
      // "opened in 2022": of an `opened_date`.
      if (kind === "date" && parts.length > 1) add(parts[0] as string, { t: "field", key }, COST.verb);
      const last = parts.at(-1) as string;
      if (parts.length > 1 && !NO_PART.has(last.toLowerCase()) && !isSpan(field.name))
        add(last, { t: "field", key }, COST.partial);
      // "stores by type"
      if (last === "type" && name.startsWith(parts[0] as string)) add(last, { t: "field", key }, COST.part);
    }
  }
  for (const { name, from, to, ai } of model.relationships) {
    const one: Hop = { link: name, dir: "one" };
    for (const synonym of ai.synonyms) {
      const role = from === to && !DIRECTED.test(synonym) ? roleOf(schema, from, one) : undefined;
      if (role === undefined) addLink(synonym, { t: "link", paths: bothWays(schema, [one]) });
      else for (const sense of role) add(synonym, sense, COST.synonym);
    }
  }
  for (const { phrases: texts, metric, ds } of worths(model, schema)) {
    const sense: Sense = { t: "worth", metric, ds };
    for (const text of texts) {
      add(text, sense, -0.3);
      const last = text.split(" ").at(-1) as string;
      if (last !== text) add(last, sense, COST.verb);
    }
    add("worth", sense, COST.verb);
    // The author may say of a field that it is the value of one: it counts whatever the metric leaves out.
    for (const { name, fields } of model.datasets)
      for (const field of fields)
        if (field.ai.synonyms.some((text) => texts.includes(text)))
          for (const word of ["worth", ...texts.map((text) => text.split(" ").at(-1) as string)])
            add(word, { t: "field", key: { ds: name, field: field.name } }, COST.synonym);
  }
  for (const { phrases: texts, metric } of measuresOf(model, schema)) {
    const table = { ...EMPTY_TABLE, cols: [{ k: "metric" as const, name: metric }] };
    for (const text of texts) add(text, { t: "table", table }, -0.2);
  }
  const defined = new Set(knowledge.definitions.events.flatMap(({ verbs }) => verbs));
  for (const { name, ai } of model.metrics) {
    if (!schema.metrics.has(name)) continue;
    const table = { ...EMPTY_TABLE, cols: [{ k: "metric" as const, name }] };
    add(name, { t: "table", table }, COST.name);
    for (const synonym of ai.synonyms) {
      const words = synonym.split(" ");
      const verb = words.at(-1) as string;
      // "hours to finished" are no deed.
      const isVerb = PARTICIPLE.test(verb) && !/^(to|until)$/.test(words.at(-2) ?? "");
      const said: Sense = { t: "table", table: isVerb ? { ...table, isVerb } : table };
      add(synonym, words.length === 1 ? said : { t: "table", table }, COST.synonym);
      if (isVerb && words.length > 1 && !defined.has(verb)) add(verb, said, COST.part);
    }
  }
  // What a metric is called is meant before a field of the same name.
  for (const entries of phrases.values()) {
    const isMetric = entries.some(({ sense, cost }) => sense.t === "table" && cost <= COST.synonym);
    for (const entry of isMetric ? entries : []) if (entry.sense.t === "field") entry.cost += COST.verb;
  }
  const { definitions } = knowledge;
  for (const { phrase, ds, cond } of definitions.nouns) {
    const rel = { k: "where" as const, in: { k: "all" as const, ds }, if: cond };
    const sense: Sense = { t: "rel", rel, ds, form: "noun", isTopped: false };
    for (const text of [phrase, phrase.split(" ").at(-1) as string]) add(text, sense, -0.2);
  }
  for (const { phrase, ds } of definitions.names) {
    const rel = { k: "all" as const, ds };
    add(phrase, { t: "rel", rel, ds, form: "noun", isTopped: false }, COST.synonym);
  }
  for (const { phrase, ds } of definitions.counts) {
    const counted = { k: "agg" as const, fn: "count" as const, in: { k: "all" as const, ds } };
    add(phrase, { t: "table", table: { ...EMPTY_TABLE, cols: [counted] } }, 0);
  }
  for (const { phrase, metric } of definitions.aliases) {
    add(phrase, { t: "table", table: { ...EMPTY_TABLE, cols: [{ k: "metric", name: metric }] } }, 0);
  }
  for (const { verbs, ds, cond, times } of definitions.events) {
    const all = { k: "all" as const, ds };
    const rel = cond === null ? all : { k: "where" as const, in: all, if: cond };
    // "how many were sold": the number that is called so.
    const metric =
      model.metrics.find(({ name }) => verbs.some((verb) => name.endsWith(`_${verb}`)))?.name ?? null;
    const done = { metric, ...(times === undefined ? {} : { times }) };
    for (const verb of verbs)
      add(verb, { t: "rel", rel, ds, form: "made", isTopped: false, verb: done }, 0.2);
  }
  const found = valueEntries(schema, values, folding);
  for (const { word, ds, cond } of codedValues(knowledge, folding))
    put(found, word, { sense: { t: "cond", ds, cond }, cost: 0.3 });
  for (const { word, ds, cond } of commonValues(knowledge.values, schema))
    put(found, folding.fold(word), { sense: { t: "cond", ds, cond }, cost: 0.3 });
  // As written: what is "opened" is not "open".
  for (const { word, ds, cond } of definitions.adjectives)
    put(found, word, { sense: { t: "cond", ds, cond }, cost: -0.5 });
  const longest = Math.max(1, ...[...phrases.keys(), ...found.keys()].map((key) => key.split(" ").length));
  return {
    phrases,
    values: found,
    deeds,
    spelt,
    longest: Math.min(longest, 12),
    people: peopleOf(model),
    persons: personsOf(model, schema),
    person: personOf(schema),
    joined: joinedOf(phrases),
    words: { names: singles(phrases), values: singles(found) },
    valuesWith: (word) => valuesWith(knowledge, word, folding),
    parts: (word) => allWith(knowledge, word, folding),
    heads: headsOf(knowledge, folding),
    ...namesOf(knowledge, folding),
  };
}

/** Verbs end with the preposition that their object stands behind; "manager" is a noun. */
const DIRECTED = / (to|by|of|under|for|from|with)$/i;

/** What somebody is to others of the same kind: whoever has such others, and of each the one. */
function roleOf(schema: Schema, ds: string, hop: Hop): Sense[] | undefined {
  const field = schema.datasets.get(ds)?.nameField;
  if (field === null || field === undefined) return undefined;
  const all = { k: "all" as const, ds };
  const path: Hop[] = [{ ...hop, dir: "many" }];
  const having = { k: "where" as const, in: all, if: { k: "link" as const, at: ds, path, to: all } };
  return [
    { t: "field", key: { ds, field, path: [hop] } },
    { t: "rel", rel: having, ds, form: "made", isTopped: false },
  ];
}

function singles(map: ReadonlyMap<string, unknown>): Set<string> {
  return new Set([...map.keys()].flatMap((key) => key.split(" ")));
}

function joinedOf(phrases: ReadonlyMap<string, Entry[]>): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const [key, entries] of phrases) {
    const letters = key.replaceAll(/[\s-]/g, "");
    if (letters.length < 5) continue;
    for (const entry of entries) put(found, letters, { ...entry });
  }
  return found;
}

function saysDataset({ name, ai }: { name: string; ai: { synonyms: string[] } }, text: string): boolean {
  const key = phraseKey(text);
  return [name, ...ai.synonyms].some((word) => phraseKey(word) === key);
}

function headsOf({ model, schema }: Knowledge, folding: Folding): Map<string, string[]> {
  const heads = new Map<string, string[]>();
  const said = new Set<string>();
  const fields = model.datasets.flatMap(({ name, fields }) =>
    fields.filter(
      (field) =>
        schema.datasets.get(name)?.fields.get(field.name)?.kind === "number" &&
        foreignLink(schema, name, field.name) === undefined,
    ),
  );
  for (const { name, ai } of [...model.metrics.filter((each) => schema.metrics.has(each.name)), ...fields]) {
    const texts = [name.replaceAll("_", " "), ...ai.synonyms];
    const keys = texts.map((text) => phraseKey(text, folding).split(" "));
    for (const head of new Set(keys.map((key) => key.at(-1) as string))) {
      const own = texts.filter((_, i) => (keys[i]?.length ?? 0) > 1 && keys[i]?.at(-1) === head);
      const known = heads.get(head) ?? [];
      // What a metric and its field share is the metric.
      const isShared = own.some((text) => said.has(text));
      for (const text of own) said.add(text);
      const [first] = own;
      if (first !== undefined && !isShared && !NO_PART.has(head)) heads.set(head, [...known, first]);
    }
  }
  return heads;
}

function onlyValue(all: Knowledge["values"], ds: string, field: string): string | undefined {
  const found = all.find((each) => each.ds === ds && each.field === field);
  return found?.values.length === 1 ? found.values[0] : undefined;
}

/** A dataset that says nothing but what is linked to what. */
function bridgePaths(schema: Schema, ds: string): { from: string; path: Hop[] }[] | undefined {
  const dataset = schema.datasets.get(ds) as SchemaDataset;
  const links = [...dataset.fields.keys()].map((field) => foreignLink(schema, ds, field));
  const [a, b] = links;
  if (links.length !== 2 || a === undefined || b === undefined) return undefined;
  return bothWays(schema, [{ link: a.link, dir: "many" }, b]);
}

function bothWays(schema: Schema, path: Hop[]): { from: string; path: Hop[] }[] {
  const back = path
    .toReversed()
    .map(({ link, dir }) => ({ link, dir: dir === "one" ? ("many" as const) : ("one" as const) }));
  const start = (hops: Hop[]) => {
    const [first] = hops as [Hop];
    const link = schema.links.get(first.link);
    return first.dir === "one" ? (link?.from ?? "") : (link?.to ?? "");
  };
  const ways = [path, back].map((hops) => ({ from: start(hops), path: hops }));
  // A link of a dataset with itself that stands in both directions is the same both ways.
  return ways[0]?.from === ways[1]?.from ? [ways[0] as (typeof ways)[number]] : ways;
}
