import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Key } from "../../query/semantic-query.ts";
import { type Folding, phraseKey, type Word, wordsOf } from "../languages/words.ts";
import { foreignLink, peopleOf, personsOf } from "../model/model-words.ts";
import { moneyMetrics, salesIn } from "../model/usual-sales.ts";
import type { Sense } from "../senses/fragment.ts";
import { noun, table } from "../senses/make.ts";
import { NO_PART, Phrases } from "./phrases.ts";
import { allWith, codedValues, commonValues, type Entry, put, valueEntries, valuesWith } from "./values.ts";

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

/** What entities are called, by the words of their names; made when somebody first asks for a part of one. */
function namesOf(
  { model, schema, values: all }: Knowledge,
  folding: Folding,
): Pick<Lexicon, "namesWith" | "isOfPeople" | "named"> {
  const names = all.filter(({ ds, field }) => schema.datasets.get(ds)?.nameField === field);
  const called = names.filter(({ values }) => values.filter(isOfPerson).length >= values.length * PERSONS);
  const people = new Set([...peopleOf(model), ...called.map(({ ds }) => ds)]);
  let index: Map<string, Map<string, Set<string>>> | undefined;
  const indexed = () => {
    if (index !== undefined) return index;
    index = new Map(names.map(({ ds }) => [ds, new Map<string, Set<string>>()]));
    for (const { ds, values } of names)
      for (const value of values)
        for (const { norm } of wordsOf(value, folding)) {
          const words = index.get(ds) as Map<string, Set<string>>;
          words.set(spelling(norm), (words.get(spelling(norm)) ?? new Set()).add(value));
        }
    return index;
  };
  const having = (ds: string, { norm }: Word) => indexed().get(ds)?.get(spelling(norm)) ?? new Set<string>();
  return {
    named: new Set(names.map(({ ds }) => ds)),
    namesWith: (words) =>
      [...indexed().keys()].flatMap((ds) => {
        const [first, ...others] = words.map((word) => having(ds, word));
        const found = [...(first ?? [])].filter((name) => others.every((each) => each.has(name)));
        return found.length === 0 ? [] : [{ ds, names: found }];
      }),
    isOfPeople: (ds, word) =>
      people.has(ds) &&
      [...having(ds, word)].some((name) => {
        const [first, ...others] = wordsOf(name, folding);
        return others.length === 1 || first?.norm === word.norm;
      }),
  };
}

/** Where most names are of persons, all are. */
const PERSONS = 0.8;

function isOfPerson(name: string): boolean {
  return /^\p{Lu}\p{Ll}+ (?:\p{Ll}+ )?\p{Lu}\p{L}+$/u.test(name);
}

/** "Mueller" is Müller. */
function spelling(norm: string): string {
  return norm.replaceAll(/([aou])e/g, "$1");
}

/**
 * What everybody says for things of a kind; behind the colon, what the one dataset of that kind may be called. Where a
 * model has several of a kind, or something of its own by such a name, nobody knows which is meant.
 */
const KINDS = `
staff, employee, colleague, coworker, team member, staff member, member of staff, personnel, worker, crew: employee, staff, librarian, mechanic, technician, doctor, physician, nurse, driver, waiter, cashier, agent, consultant, engineer, teacher, instructor, trainer, therapist, sales rep, salesperson, seller, clerk, advisor, stylist, guide, dentist, vet, lawyer, broker, pilot, chef, cleaner, guard, operator
customer, client, clientele, buyer, shopper, patron, consumer, guest, account: customer, client, member, patient, guest, student, subscriber, user, borrower, visitor, tenant, passenger, policyholder, donor, buyer, account, patron, shopper, pet owner, owner
member, subscriber, user: customer, member, subscriber, user
reader, borrower: member, borrower, reader, customer, patron
patient, sufferer: patient
pupil, learner, trainee: student, pupil, participant
tenant, renter, lodger: tenant, renter, customer
traveller, traveler, flyer: passenger, traveller, customer
product, item, article, sku, thing, thing we sell, thing we offer, thing we have, what we sell, merchandise: product, item, article, part, book, film, movie, track, album, plant, dish, menu item, sku, game, course, drug, medicine, bike, vehicle, toy, tool, garment, wine
spare part, component, part: part, spare part, component, product
film, movie, clip, flick, motion picture, picture, dvd, video: film, movie
book, title, volume, publication: book, title
song, tune, piece: track, song
writer, novelist: author, writer
actor, actress, star, cast member, performer: actor, performer, artist
vendor, supplier, wholesaler, distributor, provider, manufacturer we buy from: supplier, vendor, provider, distributor
carrier, courier, forwarder, haulier, delivery company, delivery service, freight company, parcel service, shipping company: shipper, carrier, courier
shop, store, branch, outlet, location, site, premises: store, shop, branch, outlet, location, site, restaurant, clinic, garage, library
warehouse, depot, storehouse, storage: warehouse, depot
department, division, unit, team: department, division
category, product group, kind, sort, genre: category, genre
vehicle, car, van, truck: vehicle, car, van, truck
rental, hire, hiring: rental, hire
loan, lending, checkout, borrowing: loan, lending, checkout
repair, job, work order, service job: job, repair, work order, service order
appointment, visit, consultation, session: appointment, visit, consultation, session, encounter
stay, reservation, booking: stay, reservation, booking
order, purchase, sale, deal: order, purchase, sale
invoice, bill: invoice, bill
shipment, parcel, delivery, consignment: shipment, parcel, delivery
complaint, ticket, case, request, issue: ticket, case, request, complaint, issue
class, lesson, course: course, class, lesson
room, unit, suite: room
animal, pet: pet, animal
dish, meal, food: dish, meal, menu item
policy, contract: policy, contract
claim, case of damage: claim
project, engagement, assignment: project
`;

/** What is earned, where one metric says it. */
const MONEY = "revenue, sales, turnover, takings, income, proceeds, earnings, receipts";

interface Kind {
  words: readonly string[];
  names: ReadonlySet<string>;
}

const ALL: readonly Kind[] = KINDS.trim()
  .split("\n")
  .map((line) => {
    const [words = "", names = ""] = line.split(": ");
    return { words: words.split(", "), names: new Set(names.split(", ").map((name) => phraseKey(name))) };
  });

/** A word that nobody gave to anything, and what it stands for in this model. */
interface KindWord {
  text: string;
  sense: Sense;
  taken: string;
}

/** What is said for the one dataset of a kind, and for the one metric of what is earned. */
function kindWords({ model, schema }: Knowledge): KindWord[] {
  const called = model.datasets.map(({ name, ai }) => ({
    ds: name,
    names: new Set([name, ...ai.synonyms].map((text) => phraseKey(text))),
  }));
  const nouns = ALL.flatMap(({ words, names }) => {
    const [only, ...others] = called.filter((each) => [...each.names].some((name) => names.has(name)));
    if (only === undefined || others.length > 0) return [];
    return words.map((text) => ({ text, sense: noun(only.ds), taken: only.ds }));
  });
  const [metric, ...more] = moneyMetrics(schema);
  const isEarned = metric !== undefined && more.length === 0 && salesIn(model, schema).length <= 1;
  const money = isEarned ? MONEY.split(", ") : [];
  return [
    ...nouns,
    ...money.map((text) => ({
      text,
      sense: table({ k: "metric", name: metric as string }),
      taken: metric as string,
    })),
  ];
}
