import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Schema, SchemaDataset } from "../query/schema.ts";
import type { Cond, Hop } from "../query/semantic-query.ts";
import { HOW } from "./english.ts";
import type { Sense } from "./fragment.ts";
import { EMPTY_TABLE, means } from "./make.ts";
import { foreignLink, measuresOf, peopleOf, worths } from "./model-words.ts";
import { type Folding, phraseKey, wordsOf } from "./words.ts";

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
  /** The words of phrases as the author wrote them. */
  spelt: ReadonlySet<string>;
  /** The single words of phrases, and of values. */
  words: { names: ReadonlySet<string>; values: ReadonlySet<string> };
  /** Entities whose names contain a word; of which one may be meant. */
  parts: (word: string, isOne: boolean) => Entry[];
  /** The datasets of people. */
  people: readonly string[];
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
      if (kind === "boolean") {
        const cond = { k: "is" as const, key, values: [true], match: "equal" as const };
        for (const text of texts) add(text, { t: "cond", ds: name, cond }, 0);
      }
      if (kind === "text") add(`${field.name} number`, { t: "field", key }, COST.part);
      const parts = field.name.split("_");
      // "opened in 2022": of an `opened_date`.
      if (kind === "date" && parts.length > 1) add(parts[0] as string, { t: "field", key }, COST.verb);
      const last = parts.at(-1) as string;
      if (parts.length > 1 && !NO_PART.has(last.toLowerCase())) add(last, { t: "field", key }, COST.partial);
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
      const isVerb = PARTICIPLE.test(verb);
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
  // As written: what is "opened" is not "open".
  for (const { word, ds, cond } of definitions.adjectives)
    put(found, word, { sense: { t: "cond", ds, cond }, cost: -0.5 });
  const longest = Math.max(1, ...[...phrases.keys(), ...found.keys()].map((key) => key.split(" ").length));
  return {
    phrases,
    values: found,
    spelt,
    longest: Math.min(longest, 12),
    people: peopleOf(model),
    joined: joinedOf(phrases),
    words: { names: singles(phrases), values: singles(found) },
    parts: (word, isOne) => namesWith(knowledge, word, isOne, folding),
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

/** "M (male) or F (female)": what the values of a field stand for. */
function codedValues(
  { model, values: all }: Knowledge,
  folding: Folding,
): { word: string; ds: string; cond: Cond }[] {
  return all.flatMap(({ ds, field, values }) => {
    const dataset = model.datasets.find(({ name }) => name === ds);
    const text = dataset?.fields.find(({ name }) => name === field)?.description ?? "";
    return [...text.matchAll(CODED)].flatMap(([, code = "", meaning = ""]) =>
      values.includes(code)
        ? [
            {
              word: valueKey(meaning, folding),
              ds,
              cond: { k: "is" as const, key: { ds, field }, values: [code], match: "equal" as const },
            },
          ]
        : [],
    );
  });
}

const CODED = /([\p{L}\p{N}_-]{1,20})\s*(?:\(|=)\s*(\p{L}{3,}(?: \p{L}{3,})?)\s*(?:\)|,|;|$)/gu;

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

/** The entries of a phrase by their senses: hundreds of fields may have the same value. */
const bySense = new WeakMap<Entry[], Map<string, Entry>>();

function put(map: Map<string, Entry[]>, key: string, entry: Entry): void {
  if (key === "") return;
  const known = map.get(key) ?? [];
  const senses = bySense.get(known) ?? new Map<string, Entry>();
  const text = JSON.stringify(entry.sense);
  const same = senses.get(text);
  if (same !== undefined) {
    same.cost = Math.min(same.cost, entry.cost);
    return;
  }
  known.push(entry);
  map.set(key, known);
  bySense.set(known, senses.set(text, entry));
}

function saysDataset({ name, ai }: { name: string; ai: { synonyms: string[] } }, text: string): boolean {
  const key = phraseKey(text);
  return [name, ...ai.synonyms].some((word) => phraseKey(word) === key);
}

/** Values that name an entity are the entity; others are a condition. Copies in other datasets mean their owner. */
function valueEntries(schema: Schema, all: Knowledge["values"], folding: Folding): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const { ds, field, values } of all) {
    if (foreignLink(schema, ds, field) !== undefined) continue;
    const dataset = schema.datasets.get(ds);
    const isName = dataset?.nameField === field;
    // A whole key names one entity; a part of one may name several.
    const isWhole = dataset?.key.length === 1 && dataset.key[0] === field;
    const [only] = values;
    if (values.length === 1 && only !== undefined && !isName) {
      put(found, valueKey(only, folding), { sense: { t: "all", field, value: only }, cost: 0 });
      continue;
    }
    for (const value of values) {
      const cond = { k: "is" as const, key: { ds, field }, values: [value], match: "equal" as const };
      const sense: Sense = isName
        ? { t: "rel", rel: { k: "where", in: { k: "all", ds }, if: cond }, ds, form: "name", isTopped: false }
        : { t: "cond", ds, cond };
      const cost = isWhole ? 0 : isName && dataset.isKeyed ? 0.3 : 0.5;
      put(found, valueKey(value, folding), { sense, cost });
      // People leave out what sort of company it is.
      const short = isName ? value.replace(LEGAL_FORM, "").trim() : value;
      if (short !== value && short !== "") put(found, valueKey(short, folding), { sense, cost: cost + 0.1 });
    }
  }
  return found;
}

const LEGAL_FORM =
  /(?:[\s,]+(?:&|und|and)?\s*(?:gmbh|ag|se|kg|kgaa|ohg|gbr|e\.?\s?v\.?|ug|ltd\.?|limited|inc\.?|llc|plc|corp\.?|s\.?a\.?|s\.?r\.?l\.?|s\.?p\.?a\.?|b\.?v\.?|n\.?v\.?|a\/s|aps|s\.?r\.?o\.?|sp\.? z o\.?o\.?|co\.?))+$/i;

function namesWith(
  { schema, values: all }: Knowledge,
  word: string,
  isOne: boolean,
  folding: Folding,
): Entry[] {
  return all.flatMap(({ ds, field, values }): Entry[] => {
    if (schema.datasets.get(ds)?.nameField !== field) return [];
    const hits = values.filter((value) => valueKey(value, folding).split(" ").includes(word));
    if (hits.length === 0) return [];
    const one = isOne ? { isOne: true as const } : {};
    const cond = { k: "is" as const, key: { ds, field }, values: [word], match: "contains" as const, ...one };
    const rel = { k: "where" as const, in: { k: "all" as const, ds }, if: cond };
    return means({ t: "rel", rel, ds, form: "name", isTopped: false });
  });
}

function valueKey(value: string, folding: Folding): string {
  return wordsOf(value, folding)
    .map(({ norm }) => norm)
    .filter((norm) => !/^[.,&]$/.test(norm))
    .join(" ");
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
