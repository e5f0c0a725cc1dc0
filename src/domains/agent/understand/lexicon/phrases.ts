import type { VisibleModel } from "../../../models/index.ts";
import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Schema, SchemaDataset } from "../../query/schema.ts";
import type { Cond, Hop, Key, Num } from "../../query/semantic-query.ts";
import { HOW } from "../languages/english/english.ts";
import { type Folding, phraseKey } from "../languages/words.ts";
import { foreignLink, isSpan, measuresOf, worths } from "../model/model-words.ts";
import { countOf, soldFor, soldMetric } from "../model/usual-sales.ts";
import { roleWords } from "../rules/roles.ts";
import type { Sense, TableSense } from "../senses/fragment.ts";
import { count, entities, table, tableOf } from "../senses/make.ts";
import { deedsOf } from "./deeds.ts";
import { type Entry, flagWords, put, yesOf } from "./values.ts";

type Dataset = VisibleModel["datasets"][number];
type Field = Dataset["fields"][number];

const COST = { sold: -0.15, name: 0, synonym: 0.1, verb: 0.3, count: 0.5, part: 0.7, partial: 2 };

/** What was done: "won", "sold", "delivered". */
const PARTICIPLE = /^(\p{L}{3,}ed|won|sold|bought|made|paid|lost|held|given|taken|shot|led|run)$/iu;

const MANAGER = /^(?:line )?(?:manager|boss|supervisor|superior)$/i;

/** What says that something is a name or a number, and not whose. */
const OF_NAMES =
  /(^| )((full ?)?(names?|titles?|labels?)|numbers?|no|nr|ids?|bezeichnung|titel|nummer)$|(name|bezeichnung|nummer)$/i;

/** Last words of a name that say nothing by themselves. */
export const NO_PART: ReadonlySet<string> = new Set("name id key code number date at type total".split(" "));

/** What the names of a model and the author's definitions mean, by the stems of their words. */
export class Phrases {
  readonly all = new Map<string, Entry[]>();
  /** Dates by what was done then, by folded words. */
  readonly deeds = new Map<string, Entry[]>();
  /** The words as the author wrote them. */
  readonly spelt = new Set<string>();
  readonly #knowledge: Knowledge;
  readonly #schema: Schema;
  readonly #folding: Folding;

  constructor(knowledge: Knowledge, folding: Folding) {
    this.#knowledge = knowledge;
    this.#schema = knowledge.schema;
    this.#folding = folding;
    for (const dataset of knowledge.model.datasets) this.#addDataset(dataset);
    this.#addRelationships();
    this.#addWorths();
    this.#addMetrics();
    this.#addDefinitions();
    this.#addSales();
    this.#addEvents();
  }

  #add(text: string, sense: Sense, cost: number): void {
    this.spelt.add(this.#folding.fold(text));
    put(this.all, this.#key(text), { sense, cost });
  }

  #key(text: string): string {
    return phraseKey(text, this.#folding);
  }

  /** Of "runs through", the verb stands alone in "through which it runs". */
  #addLink(text: string, sense: Sense): void {
    this.#add(text, sense, COST.synonym);
    const [verb, ...more] = text.split(" ");
    if (more.length === 1 && verb !== undefined) this.#add(verb, sense, COST.verb);
  }

  #addDataset(dataset: Dataset): void {
    const { name, ai, fields } = dataset;
    const bridge = bridgePaths(this.#schema, name);
    const sense: Sense = bridge === undefined ? nounOf(name) : { t: "link", paths: bridge };
    this.#add(name, sense, COST.name);
    for (const synonym of ai.synonyms)
      if (!this.#isDefined(name, synonym)) this.#add(synonym, sense, COST.synonym);
    if (bridge !== undefined) return;
    for (const field of fields) {
      const foreign = foreignLink(this.#schema, name, field.name);
      if (foreign === undefined) this.#addField(dataset, field);
      else this.#addForeign(field, foreign);
    }
  }

  /** What the author defined is meant, and not all of the dataset that it is a part of. */
  #isDefined(ds: string, synonym: string): boolean {
    return this.#knowledge.definitions.nouns.some(
      (noun) =>
        noun.ds === ds &&
        [noun.phrase, lastOf(noun.phrase)].some((text) => this.#key(text) === this.#key(synonym)),
    );
  }

  #addForeign(field: Field, hop: Hop): void {
    const link: Sense = { t: "link", paths: bothWays(this.#schema, [hop]) };
    const name = field.name.replaceAll("_", " ");
    // A column `reports_to` says itself how it links.
    for (const text of [...(DIRECTED.test(name) ? [name] : []), ...field.ai.synonyms])
      this.#addLink(text, link);
    for (const { text, sense } of roleWords(this.#schema, hop, textsOf(field)))
      this.#add(text, sense, sense.t === "op" ? COST.synonym : COST.part);
  }

  #addField(dataset: Dataset, field: Field): void {
    const key = { ds: dataset.name, field: field.name };
    const { values } = this.#knowledge;
    const { nameField, fields } = this.#schema.datasets.get(key.ds) ?? {};
    const only = onlyValue(values, key);
    const kind = fields?.get(field.name)?.kind;
    for (const [i, text] of textsOf(field).entries()) {
      if (only !== undefined && i > 0) {
        this.#add(text, { t: "all", field: field.name, value: only }, COST.synonym);
        continue;
      }
      // "big" asks how big something is, and is no name for it.
      if (HOW.has(this.#key(text))) continue;
      // `state` is the entity, not the field that holds its name.
      const isName = field.name === nameField;
      if (isName && saysDataset(dataset, text)) continue;
      const isNoun = isName && i > 0 && !OF_NAMES.test(text);
      const own = kind === "date" ? dateCalled(text, key) : { t: "field" as const, key };
      const sense = isNoun ? nounOf(key.ds, this.#sortOf(key.ds, text)) : own;
      this.#add(text, sense, i === 0 ? COST.name : COST.synonym);
    }
    const yes = yesOf(key.ds, field, values);
    if (yes !== undefined) this.#addFlag(field, { k: "is", key, values: [yes], match: "equal" });
    if (kind === "date") this.#addDeeds(key);
    const numbered =
      dataset.primaryKey.length === 1 && dataset.primaryKey[0] === field.name
        ? NUMBERED.exec(field.name)
        : null;
    if (numbered !== null)
      for (const what of new Set([numbered[1] || dataset.name, dataset.name]))
        for (const word of ["number", "no", "nr", "id"])
          this.#add(`${what} ${word}`, { t: "field", key }, COST.part);
    // Both as questions are written out: a "phone-number" is one thing.
    for (const text of kind === "text"
      ? [`${field.name} number`, `${field.name}-number`, `${field.name}-address`]
      : [])
      this.#add(text, { t: "field", key }, COST.part);
    // "visits": of a `visit_count`.
    const counted = kind === "number" ? /^(.+)_count$/i.exec(field.name)?.[1] : undefined;
    if (counted !== undefined && !this.all.has(this.#key(counted)))
      this.#add(counted, { t: "field", key }, COST.verb);
    this.#addParts(key, kind === "date");
  }

  /** "discontinued" and "still sold", of what says yes or no. */
  #addFlag(field: Field, cond: Extract<Cond, { k: "is" }>): void {
    const { ds } = cond.key;
    const { yes, no } = flagWords(field);
    for (const text of textsOf(field)) this.#add(text, { t: "cond", ds, cond }, 0);
    for (const text of yes) this.#add(text, { t: "cond", ds, cond }, COST.synonym);
    for (const text of no) this.#add(text, { t: "cond", ds, cond: { k: "not", of: cond } }, COST.synonym);
  }

  /** What the author calls a product "bike" by is no helmet, where some categories of products are called so. */
  #sortOf(ds: string, text: string): Cond | null {
    const [word = "", ...others] = this.#key(text).split(" ");
    const nameField = this.#schema.datasets.get(ds)?.nameField;
    const sorts = this.#knowledge.values.flatMap(({ ds: own, field, values }) => {
      if (own !== ds || field === nameField) return [];
      const some = values.filter((value) => this.#key(value).split(" ").includes(word));
      return some.length === 0 || some.length === values.length ? [] : [{ field, some }];
    });
    const [sort, ...more] = sorts;
    if (sort === undefined || others.length + more.length > 0) return null;
    return { k: "is", key: { ds, field: sort.field }, values: sort.some, match: "equal" };
  }

  /** On a delivery date something was "delivered". */
  #addDeeds(key: Key): void {
    const { verbs, nouns } = deedsOf(key.field);
    const addDeed = (text: string, sense: Sense) =>
      put(this.deeds, this.#folding.fold(text), { sense, cost: COST.verb });
    for (const verb of verbs) addDeed(verb, { t: "field", key, isDone: true });
    for (const noun of nouns) addDeed(noun, { t: "field", key });
  }

  #addParts(key: Key, isDate: boolean): void {
    const parts = key.field.split("_");
    const [first] = parts as [string];
    const last = parts.at(-1) as string;
    // "opened in 2022": of an `opened_date`.
    if (isDate && parts.length > 1) this.#add(first, dateCalled(first, key), COST.verb);
    if (parts.length > 1 && !NO_PART.has(last.toLowerCase()) && !isSpan(key.field))
      this.#add(last, { t: "field", key }, COST.partial);
    // "stores by type"
    if (last === "type" && key.ds.startsWith(first)) this.#add(last, { t: "field", key }, COST.part);
  }

  #addRelationships(): void {
    for (const { name, from, to, ai } of this.#knowledge.model.relationships) {
      const one: Hop = { link: name, dir: "one" };
      // Whoever has a manager reports to them.
      if (from === to && ai.synonyms.some((text) => MANAGER.test(text)))
        this.#addLink("reports to", { t: "link", paths: bothWays(this.#schema, [one]) });
      for (const synonym of ai.synonyms) {
        const role =
          from === to && !DIRECTED.test(synonym) ? roleOf(this.#schema, from, one, synonym) : undefined;
        if (role === undefined) this.#addLink(synonym, { t: "link", paths: bothWays(this.#schema, [one]) });
        else for (const sense of role) this.#add(synonym, sense, COST.synonym);
      }
    }
  }

  /** What one entity is worth. */
  #addWorths(): void {
    const { model } = this.#knowledge;
    for (const { phrases, metric, ds } of worths(model, this.#schema)) {
      const sense: Sense = { t: "worth", metric, ds };
      for (const text of phrases) {
        this.#add(text, sense, -0.1);
        if (lastOf(text) !== text) this.#add(lastOf(text), sense, COST.verb);
      }
      this.#add("worth", sense, COST.verb);
      // The author may say of a field that it is the value of one: it counts whatever the metric leaves out.
      for (const { name, fields } of model.datasets)
        for (const field of fields)
          if (field.ai.synonyms.some((text) => phrases.includes(text)))
            for (const word of ["worth", ...phrases.map(lastOf)])
              this.#add(word, { t: "field", key: { ds: name, field: field.name } }, COST.synonym);
    }
    for (const { phrases, metric } of measuresOf(model, this.#schema))
      for (const text of phrases) this.#add(text, table({ k: "metric", name: metric }), -0.2);
  }

  #addMetrics(): void {
    const { model, definitions } = this.#knowledge;
    const defined = new Set(definitions.events.flatMap(({ verbs }) => verbs));
    for (const { name, ai } of model.metrics) {
      if (!this.#schema.metrics.has(name)) continue;
      const plain: TableSense = tableOf({ k: "metric", name });
      this.#add(name, { t: "table", table: plain }, COST.name);
      for (const synonym of ai.synonyms) {
        const words = synonym.split(" ");
        const verb = words.at(-1) as string;
        // "hours to finished" are no deed.
        const isVerb = PARTICIPLE.test(verb) && !/^(to|until)$/.test(words.at(-2) ?? "");
        const said: Sense = { t: "table", table: isVerb ? { ...plain, isVerb } : plain };
        this.#add(synonym, words.length === 1 ? said : { t: "table", table: plain }, COST.synonym);
        if (isVerb && words.length > 1 && !defined.has(verb)) this.#add(verb, said, COST.part);
      }
    }
    this.#addCounts();
    // What a metric is called is meant before a field of the same name.
    for (const entries of this.all.values()) {
      const isMetric = entries.some(({ sense, cost }) => sense.t === "table" && cost <= COST.synonym);
      for (const entry of isMetric ? entries : []) if (entry.sense.t === "field") entry.cost += COST.verb;
    }
  }

  /** "the most loans", "by loans": of what happened, how many there were, as the author counts them. */
  #addCounts(): void {
    for (const { name, ai } of this.#knowledge.model.datasets) {
      const { nameField, fields } = this.#schema.datasets.get(name) ?? {};
      const isThing = fields?.get(nameField ?? "")?.kind === "text";
      const counted = isThing ? undefined : countOf(this.#schema, name);
      if (counted === undefined) continue;
      for (const text of [name, ...ai.synonyms])
        this.#add(text, table({ k: "metric", name: counted }), COST.count);
    }
  }

  #addDefinitions(): void {
    const { nouns, names, counts, aliases } = this.#knowledge.definitions;
    for (const { phrase, ds, cond } of nouns)
      for (const text of [phrase, lastOf(phrase)]) this.#add(text, nounOf(ds, cond), -0.2);
    for (const { phrase, ds } of names) this.#add(phrase, nounOf(ds), COST.synonym);
    for (const { phrase, ds } of counts) {
      const counted: Num = count({ k: "all", ds });
      this.#add(phrase, table(counted), 0);
    }
    for (const { phrase, metric } of aliases) this.#add(phrase, table({ k: "metric", name: metric }), 0);
  }

  /** "sales by shop": what was earned, also where the rows are called so; how many there are has to be asked for. */
  #addSales(): void {
    for (const { name, ai } of this.#knowledge.model.datasets) {
      const key = [name, ...ai.synonyms].filter((text) => SOLD.test(text)).map((text) => this.#key(text))[0];
      const own = this.all.get(key ?? "") ?? [];
      // What the author calls so comes first.
      if (key === undefined || own.some(({ sense, cost }) => sense.t === "table" && cost < COST.count))
        continue;
      for (const { num, taken } of soldFor(this.#schema, name))
        put(this.all, key, { sense: table(num), cost: COST.sold, taken, isOfMany: true });
    }
  }

  #addEvents(): void {
    const { model, definitions } = this.#knowledge;
    for (const { verbs, ds, cond, times, isUsual, isCounted } of definitions.events) {
      // "how many were sold": the number that is called so.
      const own = model.metrics.find(({ name }) => verbs.some((verb) => name.endsWith(`_${verb}`)))?.name;
      const counted = isUsual === undefined ? undefined : soldMetric(model, this.#schema, ds);
      const metric = own ?? counted ?? (isCounted ? countOf(this.#schema, ds) : undefined) ?? null;
      const verb = { metric, ...(times && { times }), ...(isUsual && { isUsual }) };
      for (const text of verbs) this.#add(text, { ...nounOf(ds, cond), form: "made", verb }, 0.2);
    }
  }
}

/** Rows whose name is also that of what they bring. */
const SOLD = /^sales$/i;

/** What rows are numbered by: an `order_id` is the number of an order. */
const NUMBERED = /^(.*?)_?(?:id|key|no|nr|number|nummer)$/i;

/** A date by its name, or by what was done then. */
function dateCalled(text: string, key: Key): Sense {
  return { t: "field", key, isDone: PARTICIPLE.test(text) || undefined };
}

/** Entities of a dataset: all, or those of which something is true. */
function nounOf(ds: string, cond: Cond | null = null): Extract<Sense, { t: "rel" }> {
  const all = { k: "all" as const, ds };
  const rel = cond === null ? all : { k: "where" as const, in: all, if: cond };
  return entities(rel, ds, "noun");
}

function textsOf({ name, label, ai }: Field): string[] {
  return [name, ...(label === null ? [] : [label]), ...ai.synonyms];
}

function lastOf(phrase: string): string {
  return phrase.split(" ").at(-1) as string;
}

function saysDataset({ name, ai }: Dataset, text: string): boolean {
  const key = phraseKey(text);
  return [name, ...ai.synonyms].some((word) => phraseKey(word) === key);
}

function onlyValue(all: Knowledge["values"], { ds, field }: Key): string | undefined {
  const found = all.find((each) => each.ds === ds && each.field === field);
  return found?.values.length === 1 ? found.values[0] : undefined;
}

/** Verbs end with the preposition that their object stands behind; "manager" is a noun. */
const DIRECTED = / (to|by|of|under|for|from|with)$/i;

/** What somebody is to others of the same kind: whoever has such others, and of each the one. */
function roleOf(schema: Schema, ds: string, hop: Hop, as: string): Sense[] | undefined {
  const field = schema.datasets.get(ds)?.nameField;
  if (field === null || field === undefined) return undefined;
  const all = { k: "all" as const, ds };
  const path: Hop[] = [{ ...hop, dir: "many" }];
  const having = { k: "where" as const, in: all, if: { k: "link" as const, at: ds, path, to: all } };
  return [{ t: "field", key: { ds, field, path: [{ ...hop, as, isNoun: true }] } }, entities(having, ds)];
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
