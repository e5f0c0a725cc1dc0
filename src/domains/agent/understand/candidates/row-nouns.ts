import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Schema, SchemaDataset } from "../../query/schema.ts";
import type { Language } from "../languages/language.ts";
import { normsOf, phraseKey, type Word } from "../languages/words.ts";
import { mainDataset, peopleOf } from "../model/model-words.ts";
import { type Found, isOver } from "./candidates.ts";

/** A noun that nobody gave to anything, and the dataset whose rows it stands for. */
export interface RowNoun {
  at: number;
  ds: string;
  /** Nothing but its place speaks for it: rather ask. */
  isDoubtful: boolean;
}

/** Rows are called so whatever they tell. */
const ROWS =
  /^(record|row|entry|line|measurement|reading|observation|sample|datensatz|datensatze|zeile|eintrag|eintrage|messung|beobachtung|probe)$/;
/** And so where they tell what happened. */
const HAPPENED =
  /^(case|incident|event|occurrence|occurence|fall|falle|vorfall|vorfalle|vorgang|vorgange|ereignis|ereignisse|meldung)$/;
/** Somebody, somewhere or something else that rows may belong to: only a table of such is meant. */
const PEOPLE =
  /^(people|person|human|passenger|victim|patient|guest|visitor|customer|client|buyer|member|user|student|employee|worker|player|driver|rider|tenant|resident|candidate|applicant|respondent|survivor|mensch|leute|passagier|opfer|patient|gast|besucher|kund|mitglied|nutzer|schuler|student|mitarbeiter|spieler|fahrer|bewerber|einwohner)$/;
/** Some of them, by what else is said: without an age nobody knows who is a child. */
const SOME =
  /^(woman|man|child|kid|boy|girl|adult|teenager|senior|baby|minor|frau|mann|kind|kinder|junge|madchen|erwachsene|jugendliche|senioren)$/;
const OTHERS =
  /^(store|shop|branch|outlet|country|city|town|state|region|place|location|warehouse|company|firm|supplier|vendor|manufacturer|brand|product|item|article|category|department|team|school|hospital|airport|airline|station|hotel|restaurant|author|artist|director|doctor|teacher|manager|agent|seller|salesperson|cashier|pilot|owner|account|page|minute|hour|second|dollar|euro|filial|geschaft|laden|land|stadt|ort|firma|unternehmen|lieferant|hersteller|marke|produkt|artikel|kategorie|abteilung|schule|krankenhaus|flughafen|fluggesellschaft|autor|regisseur|arzt|lehrer|verkaufer|kassierer|pilot|konto|seite|stund|minut)$/;

/** Words before what is counted; any noun may stand there for rows. */
const COUNTED = /(?:^| )(?:how many(?: of)?|number of|count of|wie vielen?|anzahl)$/;
/** And where only a noun that fits them does. */
const CHOSEN =
  /(?:^|^(?:list|show|zeige?)(?: me| mir)?| )(?:of|most|fewest|more|fewer|mehr|which|per|each|every|all|alle|meisten|welche[rs]?|pro|je|jede[rns]?|anteil|prozent)?$/;
const ARTICLES = /^(?:the|our|these|those|different|der|die|das|den|unsere|aller|von)$/;
const OF_PEOPLE = /(^|_)(age|sex|gender|birth\w*|dob|born|alter|geschlecht|geburts\w*)(_|$)/i;

/** A noun in the place of what is counted that nothing in the model is called: the rows are meant. */
export function rowNoun(
  words: readonly Word[],
  found: readonly Found[],
  knowledge: Knowledge,
  language: Language,
): RowNoun | undefined {
  const ds = mainDataset(knowledge.schema);
  // Who names the rows means something else by another noun.
  const isNamed = found.some(
    ({ sense, cost }) => sense.t === "rel" && sense.form === "noun" && sense.ds === ds && cost < 0.6,
  );
  if (ds === undefined || isNamed) return undefined;
  const known = (i: number, least = Infinity) => found.some((each) => isOver(each, i) && each.cost < least);
  for (const [at, word] of words.entries()) {
    const isNoun =
      /^\p{L}{3,}(?<!ed|ing)$/u.test(word.norm) && !language.fillers.has(word.norm) && !known(at, 0.6);
    if (!isNoun) continue;
    const place = placeOf(words, at, found);
    const isAged = found.some(({ sense, start }) => sense.t === "quantity" && start === at + 1);
    const kind = kindOf(word, ds, { ...knowledge, ...language, isAged, place });
    if (kind === "theirs") return { at, ds, isDoubtful: false };
    if (kind === "any" && !known(at) && place === "counted" && language.isMany(word.norm))
      return { at, ds, isDoubtful: true };
  }
  return undefined;
}

/** Whether a word stands where what is counted stands, maybe behind what is said of it: "how many yellow trips". */
function placeOf(
  words: readonly Word[],
  at: number,
  found: readonly Found[],
): "counted" | "chosen" | undefined {
  let first = at;
  const isSaid = () => found.some(({ sense, end }) => sense.t === "cond" && end === first);
  while (first > 0 && (ARTICLES.test(words[first - 1]?.norm ?? "") || isSaid())) first -= 1;
  const said = normsOf(words.slice(0, first));
  if (COUNTED.test(said)) return "counted";
  const isFirst = found.some(({ sense, end }) => sense.t === "sup" && end === first);
  const isOfThem = first < at && /^(?:the|our|der|unsere|aller|von)$/.test(words[at - 1]?.norm ?? "");
  return isFirst || isOfThem || CHOSEN.test(said) ? "chosen" : undefined;
}

interface Place extends Pick<Knowledge, "schema" | "model">, Pick<Language, "isForeign"> {
  /** A number follows that may be an age. */
  isAged: boolean;
  place: "counted" | "chosen" | undefined;
}

/** What rows of a dataset can be called, as far as a few classes of nouns tell. */
function kindOf(
  { norm, stem }: Word,
  ds: string,
  { schema, model, isForeign, isAged, place }: Place,
): "theirs" | "any" | undefined {
  const { fields } = schema.datasets.get(ds) ?? {};
  const names = [ds, ...(fields?.keys() ?? [])];
  const forms = [stem, norm, norm.replace(/(?:e?n|e|innen|s)$/, ""), norm.replace(/n$/, "")];
  const isOf = (nouns: RegExp) => forms.some((each) => nouns.test(each));
  const isPerson = isOf(PEOPLE) || (isOf(SOME) && isAged);
  if (isPerson && (peopleOf(model).includes(ds) || names.some((name) => OF_PEOPLE.test(name))))
    return "theirs";
  if (isOf(PEOPLE) || isOf(SOME) || place === undefined) return undefined;
  if (stem.length > 4 && ds.replaceAll("_", "").includes(stem)) return "theirs";
  if (isOf(ROWS) || (isOf(HAPPENED) && isOfEvents(schema, ds)) || startsName(stem, fields)) return "theirs";
  const kind = ROW_KINDS.find(({ nouns }) => forms.some((each) => nouns.has(each)));
  if (kind !== undefined) return speaksFor(names, kind) ? "theirs" : "any";
  // A German word as long as that is made of several, of which one says which rows.
  return isOf(OTHERS) || /(?:ed|ing)$/.test(norm) || (isForeign && norm.length > 9) ? undefined : "any";
}

/** Whether rows have a date, or at least no name of their own: they are no list of things. */
function isOfEvents(schema: Schema, ds: string): boolean {
  const { fields, nameField, date } = schema.datasets.get(ds) ?? {};
  return (
    date?.ds === ds || fields?.get(nameField ?? "")?.kind !== "text" || /(^|_)id$/i.test(nameField ?? "")
  );
}

/** When and where something happened is told under its name: a `Tat` has a `tatzeit` and a `tatort`. */
function startsName(stem: string, fields: ReadonlyMap<string, { kind: string }> | undefined): boolean {
  if (!/^\p{L}{3,}$/u.test(stem)) return false;
  const told = new RegExp(
    `^${stem}(?:en|s)?_?(?:zeit|ort|datum|tag|time|date|start|end|place|location)`,
    "iu",
  );
  return [...(fields?.keys() ?? [])].some((name) => told.test(name));
}

/** How it is said that a noun was taken for rows, and which one that was. */
export function takenAs(text: string, ds: string): string {
  return `"${text}" are the rows of ${ds.replaceAll("_", " ")}`;
}

export function rowNounIn(choice: string): string | undefined {
  return /^["„]([^"“]+)["“] (?:are the rows of|sind die Zeilen von) /.exec(choice)?.[1];
}

/** Whether a dataset is called by a noun, in whichever number. */
export function isCalledLike(name: string, noun: string): boolean {
  return phraseKey(name).split(" ").includes(phraseKey(noun));
}

/**
 * What rows are about, as their columns tell it: what they are called, what is said of them when they happened, and
 * what is in the names of their columns. There an underscore is where a word of the name begins or ends.
 */
const KINDS = `
trip ride journey drive tour flight fahrt reise flug; driven travelled traveled flown gefahren gereist geflogen; pickup dropoff origin destination depart arriv distance taxi trip ride flight route fahrt strecke abfahrt
order purchase sale transaction booking payment invoice receipt bestellung kauf einkauf verkauf transaktion buchung zahlung rechnung beleg; transacted abgewickelt; price total quantity payment invoice product amount order sale preis betrag menge produkt artikel
theft burglary robbery crime offence offense diebstahl einbruch raub straftat delikt tat; stolen stole committed gestohlen geklaut entwendet begangen verubt; theft stolen burglar robber crime offence offense diebst einbruch straftat delikt tatzeit tatort
incident accident crash strike collision attack vorfall unfall zusammenstoss; crashed collided verungluckt; damage injur severity death strike crash accident collision incident schaden unfall verletzt
ticket request call inquiry enquiry anfrage anruf meldung vorgang; raised filed logged reported gemeldet eingereicht; priority ticket assignee channel reply subject prioritat priorität kanal betreff
visit stay appointment admission treatment besuch aufenthalt termin behandlung; visited visit seen treated attended besucht behandelt gesehen; visit checkin check_in arriv doctor admission diagnos guest patient referral clinic hospital besuch arzt aufnahme klinik
match game fixture spiel partie begegnung; played gespielt ausgetragen; _home_ _away_ _heim_ _gast_ _opponent_ _gegner_ _score_ _kickoff_ _match_ _spiel_
inspection check test audit prufung kontrolle untersuchung; inspected checked tested audited gepruft kontrolliert untersucht; inspect audit violation check kontroll prüf pruef beanstand test
unit device machine installation vehicle car turbine plant anlage gerat maschine fahrzeug auto wagen; installed manufactured installiert hergestellt; manufacturer _make_ model serial engine horsepower hersteller baujahr errichtung leistung modell
house home property apartment flat listing haus hauser wohnung immobilie; listed rented vermietet; bedroom bathroom _room_ _rooms_ sqft square_f listing wohnfl zimmer kaltmiete
animal pet dog cat tier hund katze; adopted kept gehalten; breed _species rasse tierart`;

export interface RowKind {
  nouns: ReadonlySet<string>;
  verbs: ReadonlySet<string>;
  columns: ReadonlySet<string>;
}

const ROW_KINDS: readonly RowKind[] = KINDS.trim()
  .split("\n")
  .map((line) => {
    const [nouns, verbs, columns] = line.split("; ").map((words) => new Set(words.split(" ")));
    return { nouns, verbs, columns } as RowKind;
  });

/** Whether one of these names speaks for rows of a kind. */
function speaksFor(names: readonly string[], { columns }: RowKind): boolean {
  return names.some((name) => [...columns].some((word) => `_${name.toLowerCase()}_`.includes(word)));
}

/** Less likely than anything that somebody gave the word to. */
const COST = 0.5;

interface EventVerbs {
  /** What verbs stand for where something else is spoken of first: what the rows are of. */
  found: Found[];
  /** Where the rows are spoken of already, they say nothing more. */
  empty: ReadonlySet<number>;
}

/**
 * Verbs that say only that what rows tell happened: bikes were stolen in a table of thefts. Whatever a column, a value or
 * the author is called by such a verb is meant before.
 */
export function eventVerbs(
  words: readonly Word[],
  found: readonly Found[],
  { schema }: Knowledge,
): EventVerbs {
  const isNoun = ({ sense }: Found) => sense.t === "cond" || (sense.t === "rel" && sense.form === "noun");
  const [first] = found.filter(isNoun).toSorted((a, b) => a.start - b.start || a.cost - b.cost);
  const verbs = words.flatMap((word, start) => {
    const isKnown = found.some((each) => each.sense.t !== "op" && isOver(each, start));
    const ds = isKnown ? undefined : datasetOf(word, schema);
    return ds === undefined ? [] : [{ ds, start }];
  });
  const isSaid = (ds: string) => first !== undefined && "ds" in first.sense && first.sense.ds === ds;
  return {
    empty: new Set(verbs.filter(({ ds }) => isSaid(ds)).map(({ start }) => start)),
    found: verbs
      .filter(({ ds }) => !isSaid(ds))
      .map(({ ds, start }) => ({
        sense: { t: "rel", rel: { k: "all", ds }, ds, form: "made", isTopped: false, verb: { metric: null } },
        start,
        end: start + 1,
        cost: COST,
      })),
  };
}

/** What happens at all begins at some time. */
const HAPPENS = /^(begins?|began|beginnen|beginnt|begann|begannen)$/;

/** The dataset whose rows tell what a verb says: one that is called by it, or the one that all others belong to. */
function datasetOf({ norm, stem }: Word, schema: Schema): string | undefined {
  const main = mainDataset(schema);
  if (HAPPENS.test(norm))
    return main !== undefined && schema.datasets.get(main)?.date?.ds === main ? main : undefined;
  const kind = ROW_KINDS.find(({ verbs }) => verbs.has(norm));
  if (kind === undefined) return undefined;
  const speaks = ({ name, fields }: SchemaDataset) => speaksFor([name, ...fields.keys()], kind);
  const all = [...schema.datasets.values()];
  const named = all.filter(({ name }) => name.includes(stem));
  const [only, ...others] =
    named.length > 0 ? named : all.filter((each) => each.name === main && speaks(each));
  return others.length === 0 ? only?.name : undefined;
}
