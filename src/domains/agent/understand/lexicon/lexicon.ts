import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Key } from "../../query/semantic-query.ts";
import { type Folding, phraseKey, type Word } from "../languages/words.ts";
import { foreignLink, peopleOf, personsOf } from "../model/model-words.ts";
import { commonValues } from "./common-values.ts";
import { type Entry, put } from "./entry.ts";
import { kindWords } from "./kinds.ts";
import { namesOf } from "./names.ts";
import { NO_PART, Phrases } from "./phrases.ts";
import { allWith, codedValues, valueEntries, valuesWith } from "./values.ts";

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
  /** The datasets of people, and fields that say who it was. */
  people: readonly string[];
  persons: readonly Key[];
  /** The longest phrase or value, in words. */
  longest: number;
}

export function lexiconOf(knowledge: Knowledge, folding: Folding): Lexicon {
  const { model, schema } = knowledge;
  const { all: phrases, deeds, spelt } = new Phrases(knowledge, folding);
  const values = allValues(knowledge, folding);
  addKinds(phrases, values, knowledge, folding);
  const longest = Math.max(1, ...[...phrases.keys(), ...values.keys()].map((key) => key.split(" ").length));
  return {
    phrases,
    values,
    deeds,
    spelt,
    longest: Math.min(longest, 12),
    people: peopleOf(model),
    persons: personsOf(model, schema),
    joined: joinedOf(phrases),
    words: { names: singles(phrases), values: singles(values) },
    valuesWith: (word) => valuesWith(knowledge, word, folding),
    parts: (word) => allWith(knowledge, word, folding),
    heads: headsOf(knowledge, folding),
    ...namesOf(knowledge, folding),
  };
}

/** Less likely than what the author calls so. */
const KIND_COST = 0.2;

/** Words for the only thing of a kind, where nothing is called by them. */
function addKinds(
  phrases: Map<string, Entry[]>,
  values: ReadonlyMap<string, unknown>,
  knowledge: Knowledge,
  folding: Folding,
): void {
  const own = new Set(phrases.keys());
  for (const { text, sense, taken } of kindWords(knowledge)) {
    const key = phraseKey(text, folding);
    const isOwn = own.has(key) || [text, `${text}s`].some((word) => values.has(folding.fold(word)));
    if (!isOwn) put(phrases, key, { sense, cost: KIND_COST, taken });
  }
}

/** Values of the data, what they are also called, and the author's adjectives. */
function allValues(knowledge: Knowledge, folding: Folding): Map<string, Entry[]> {
  const { schema, values, definitions } = knowledge;
  const found = valueEntries(schema, values, folding);
  for (const { word, ds, cond } of codedValues(knowledge, folding))
    put(found, word, { sense: { t: "cond", ds, cond }, cost: 0.3 });
  for (const { word, ds, cond } of commonValues(values, schema))
    put(found, folding.fold(word), { sense: { t: "cond", ds, cond }, cost: 0.3 });
  // As written: what is "opened" is not "open".
  for (const { word, ds, cond } of definitions.adjectives)
    put(found, word, { sense: { t: "cond", ds, cond }, cost: -0.5 });
  return found;
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
