import { AskBack } from "./plan.ts";
import { isFunctionWord, wordsIn } from "./reader.ts";
import type { Column, DatasetInfo, Inventory } from "./references.ts";
import { formsOf, keyOf, sortedKeyOf } from "./words.ts";

/** What a word is there for: a number, what it is by, the other axis, the legend, or which rows. */
export type Role = "measure" | "by" | "per" | "against" | "group" | "filter" | "without";

export interface Said {
  word: string;
  role: Role;
  /** It is the whole name of a field. */
  key?: string;
}

export interface Filter {
  field: string;
  operator: string;
  value: string | string[];
}

/** What words come to on one dataset. */
export interface Fit {
  dataset: DatasetInfo;
  score: number;
  measures: Column[];
  /** What the author of a model says that the measure is. */
  aggregate: string | undefined;
  /** It is about the rows themselves, which are counted. */
  ofRows: boolean;
  dims: Column[];
  /** Names of those of them that stand behind "by": what it is shown by stays, also where only some values are meant. */
  by: Set<string>;
  /** Names of those behind "per". */
  per: Set<string>;
  against: Column | undefined;
  group: Column | undefined;
  unknown: Said[];
}

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|BIGNUM|FLOAT|REAL|DOUBLE|DECIMAL|NUMERIC)/i;
const DATED = /^(?:DATE|TIMESTAMP)/i;
const KEY = /(?:^|_)id$/i;
/** What sells is what people want to see where they name no number. */
const USUAL = ["revenue", "sale", "amount", "turnover", "total", "value"];
const LONGEST_TERM = 4;
const LONGEST_GLOSSED = 2;
const MOST_WORDS = 40;
const ANY_FIELD = /^(?:channel|type|kind|name|way|method|code|field|kanal|art|typ|weg|name|feld)s?$/i;

export function isNumeric({ type, name }: Column): boolean {
  return NUMERIC.test(type) && !KEY.test(name);
}

export function isDate({ type }: Column): boolean {
  return DATED.test(type);
}

export function dateOf({ columns }: DatasetInfo): Column | undefined {
  return columns.find(isDate);
}

export function usualOf({ columns }: DatasetInfo): Column | undefined {
  return USUAL.flatMap((word) =>
    columns.filter((each) => isNumeric(each) && keyOf(each.name) === keyOf(word)),
  )[0];
}

const ROLES: Record<string, Role> = Object.fromEntries(
  (
    [
      ["by", "by nach across"],
      ["per", "per pro je"],
      ["against", "against versus vs gegen"],
      ["filter", "in for from only just where für aus nur zum about zu about regarding concerning"],
      ["without", "without excluding except ohne außer excl exclude not"],
    ] as const
  ).flatMap(([role, all]) => all.split(" ").map((word) => [word, role])),
);
const GROUPS =
  /(?:split|broken(?: down)?|grouped|colou?red|stacked|separated|aufgeteilt|gruppiert|aufgeschlüsselt|unterteilt|getrennt)\s+(?:by|nach)|one (?:line|bar|color) (?:for|per) (?:each|every)/giu;
const GROUP_MARK = "ℵgroup";
const FIELD = "ℵ";

/** Names of fields are taken whole first: in "US Gross" and "Cost Total $" no word is a pronoun or a sum. */
export function withoutFields(text: string, { columns }: DatasetInfo): { rest: string; names: string[] } {
  const names = columns
    .map(({ name }) => name)
    .filter((name) => wordsIn(name).length > 1)
    .toSorted((a, b) => b.length - a.length);
  const rest = names.reduce((left, name, i) => without(left, name, ` ${FIELD}${i} `), text);
  return { rest, names };
}

/** The text without a name, however it is punctuated. */
function without(text: string, name: string, instead: string): string {
  const all = wordsIn(name).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(
    `["“„']?(?<![\\p{L}\\p{N}])${all.join("[^\\p{L}\\p{N}]+")}(?![\\p{L}\\p{N}])[?!)"”“'.]*`,
    "iu",
  );
  return text.replace(pattern, instead);
}

/** Each word that says something, with what it is there for. */
export function rolesIn(text: string, names: readonly string[], first: Role = "measure"): Said[] {
  let role: Role = first;
  const said: Said[] = [];
  for (const word of wordsIn(text.replaceAll(GROUPS, ` ${GROUP_MARK} `))) {
    const next = word === GROUP_MARK ? "group" : ROLES[word.toLowerCase()];
    const name = word.startsWith(FIELD) && word !== GROUP_MARK ? names[Number(word.slice(1))] : undefined;
    if (next !== undefined) role = next;
    else if (name !== undefined) said.push({ word: name, role, key: keyOf(name) });
    else if (!isFunctionWord(word)) said.push({ word, role });
  }
  return said;
}

const LIKELIEST = 4;

/** The dataset that carries the words best, with the values among them: one that carries them all, if there is one. */
export async function bestFit(
  saidFor: (dataset: DatasetInfo) => Said[],
  inventory: Inventory,
  text: string,
  near: readonly number[] = [],
): Promise<{ fit: Fit; filters: Filter[] }> {
  const datasets = await inventory.datasets();
  if (wordsIn(text).length > MOST_WORDS)
    throw new AskBack("That is much at once. Which numbers do you mean, and by what?", [], MOST_WORDS);
  const fits = datasets
    .map((dataset) => {
      const fit = fitOf(saidFor(dataset), dataset);
      return fit.score > 0 && near.includes(dataset.id) ? { ...fit, score: fit.score + 1 } : fit;
    })
    .toSorted((a, b) => b.score - a.score);
  const [best] = fits;
  if (best === undefined) throw new AskBack("There are no datasets yet. Which data should it show?");
  const likely = fits.filter(({ score }) => score > 0).slice(0, LIKELIEST);
  const questions: AskBack[] = [];
  const whole: { fit: Fit; filters: Filter[] }[] = [];
  for (const fit of likely) {
    if (whole[0] !== undefined && whole[0].fit.score > fit.score) break;
    try {
      whole.push({ fit, filters: await filtersOf(fit, inventory) });
    } catch (error) {
      if (!(error instanceof AskBack)) throw error;
      questions.push(error);
    }
  }
  const selling = whole.filter(({ fit }) => usualOf(fit.dataset) !== undefined);
  const [first, second] = whole.length > 1 && selling.length === 1 ? selling : whole;
  const said = text.replaceAll(/\s+/g, " ").trim();
  if (first !== undefined && second !== undefined) {
    const names = [first.fit.dataset.name, second.fit.dataset.name];
    throw new AskBack(`Is “${said}” about ${names.join(" or about ")}?`, names);
  }
  if (first !== undefined) return first;
  if (questions[0] !== undefined) throw questions[0];
  throw new AskBack(
    `Which data do you mean by “${said}”?`,
    datasets,
    Math.max(3, ...fits.map(({ unknown }) => unknown.length)),
  );
}

/** A text without roles, such as a condition. */
export function saidIn(text: string, first: Role = "measure") {
  return (dataset: DatasetInfo): Said[] => {
    const { rest, names } = withoutFields(text, dataset);
    return rolesIn(rest, names, first);
  };
}

/** The same, of one dataset. */
export function fitText(text: string, dataset: DatasetInfo, first: Role = "measure"): Fit {
  return fitOf(saidIn(text, first)(dataset), dataset);
}

function fitOf(said: readonly Said[], dataset: DatasetInfo): Fit {
  const fit: Fit = {
    dataset,
    score: 0,
    measures: [],
    aggregate: undefined,
    ofRows: false,
    dims: [],
    by: new Set(),
    per: new Set(),
    against: undefined,
    group: undefined,
    unknown: [],
  };
  let isPart = false;
  let open: Said | undefined;
  let before: Column | null = null;
  for (let at = 0; at < said.length; ) {
    const one = said[at] as Said;
    const found = longestTerm(said.slice(at, at + LONGEST_TERM), dataset);
    // "contact channel" for contact_by, "test rides are booked": what goes on with the name of a field says nothing more.
    const goesOn = (isPart && ANY_FIELD.test(one.word)) || (before !== null && isPartOf(one, before));
    if (found === undefined && goesOn && said[at - 1]?.role === one.role) {
      isPart = false;
      at += 1;
      continue;
    }
    isPart = found?.isPart === true;
    if (found === undefined) {
      fit.unknown.push(one);
      fit.score -= 1;
      at += 1;
      open = one;
      continue;
    }
    // "gebuchte Probefahrten" for test_rides_booked: the word before may be a part of the name.
    if (open?.role === one.role && found.column !== null && isPartOf(open, found.column)) {
      fit.unknown.pop();
      fit.score += 1;
    }
    open = undefined;
    before = found.column;
    fit.score += found.score;
    at += found.length;
    const { column } = found;
    fit.aggregate ??= found.aggregate;
    if (column === null) fit.ofRows = true;
    else if (one.role === "against") fit.against = column;
    else if (one.role === "group") fit.group = column;
    else if ((one.role === "measure" || one.role === "filter") && isNumeric(column))
      fit.measures = [...new Set([...fit.measures, column])];
    else if (!fit.dims.includes(column)) fit.dims.push(column);
    if (column !== null && (one.role === "by" || one.role === "per")) fit.by.add(column.name);
    if (column !== null && one.role === "per") fit.per.add(column.name);
  }
  // What happened is meant sooner than a list of what there is.
  if (fit.score > 0 && dateOf(dataset) !== undefined) fit.score += 0.25;
  return fit;
}

function isPartOf({ word }: Said, { name }: Column): boolean {
  return formsOf(word).some((form) => has(keyOf(name), form));
}

interface Term {
  /** Null for the rows of the dataset. */
  column: Column | null;
  aggregate: string | undefined;
  score: number;
  length: number;
  isPart: boolean;
}

const sorted = (key: string) => key.split(" ").toSorted().join(" ");

/** The most words that are a column or the rows: by name, by the words of an author, by another word for it, or in part. */
function longestTerm(said: readonly Said[], dataset: DatasetInfo): Term | undefined {
  const { columns, aliases } = dataset;
  for (let length = said.length; length > 0; length -= 1) {
    const some = said.slice(0, length);
    const text = some.map(({ word }) => word).join(" ");
    const own = sorted(some.map(({ word, key }) => key ?? keyOf(word)).join(" "));
    const weight = some.reduce((sum, { key }) => sum + (key?.split(" ").length ?? 1), 0);
    const term = (column: Column | null, score: number, isPart = false, aggregate?: string): Term => ({
      column,
      aggregate,
      score: score * weight,
      length,
      isPart,
    });
    const exact = columns.find(({ name }) => sortedKeyOf(name) === own);
    if (exact !== undefined) return term(exact, 3);
    // Other words for each of many words would be very many phrases.
    const glossed = (word: string) => (length <= LONGEST_GLOSSED ? formsOf(word) : [keyOf(word)]);
    const forms = [
      ...combinations(some.map(({ word, key }) => (key === undefined ? glossed(word) : [key]))),
      ...formsOf(text),
    ];
    const alias = [own, ...forms].map((form) => aliases.get(form)).find((each) => each !== undefined);
    const aliased = columns.find(({ name }) => name === alias?.column);
    if (alias !== undefined && (alias.column === null || aliased !== undefined))
      return term(aliased ?? null, aliased === undefined ? 2.5 : 2.9, false, alias.aggregate);
    const orders = new Set(forms.map(sorted));
    const other = columns.find(({ name }) => orders.has(sortedKeyOf(name)));
    if (other !== undefined) return term(other, 2.2);
    const rows = keyOf(dataset.name);
    const usual = forms.includes(`${rows} value`) ? usualOf(dataset) : undefined;
    if (usual !== undefined) return term(usual, 2.2);
    if (forms.some((form) => form === rows || rows.endsWith(` ${form}`))) return term(null, 2.5);
    // A key is nothing to show, and "open" is no date, although a column is called opened_on.
    const partly = columns.filter(
      (column) =>
        !KEY.test(column.name) &&
        (!isDate(column) || forms.some((form) => /^(?:date|dai|day|time)$/.test(form))) &&
        forms.some((form) => has(keyOf(column.name), form)),
    );
    if (partly[0] !== undefined && partly.length === 1) return term(partly[0], 1.5, true);
  }
  return undefined;
}

function has(key: string, form: string): boolean {
  return ` ${key} `.includes(` ${form} `);
}

/** Every way to put one form of each word behind the other. */
function combinations(forms: readonly (readonly string[])[]): string[] {
  return forms.reduce<string[]>(
    (all, next) => all.flatMap((before) => next.map((form) => (before === "" ? form : `${before} ${form}`))),
    [""],
  );
}

/** Words that are no fields may be values; what is neither is asked about. */
export async function filtersOf(
  { dataset, unknown, dims, by }: Fit,
  inventory: Inventory,
): Promise<Filter[]> {
  if (unknown.length === 0) return [];
  const left = new Set(unknown);
  const found = new Map<string, { field: string; isWithout: boolean; values: string[] }>();
  const said = ` ${unknown.map(({ word }) => keyOf(word)).join(" ")} `;
  for (const { name, type } of dataset.columns) {
    if (left.size === 0) break;
    if (!/^VARCHAR/i.test(type) || KEY.test(name)) continue;
    for (const value of await inventory.valuesOf(dataset, name)) {
      const key = keyOf(value);
      const own = [...left].filter(
        ({ word }) => (has(said, key) && has(key, keyOf(word))) || formsOf(word).includes(key),
      );
      if (own.length === 0) continue;
      const isWithout = own.some(({ role }) => role === "without");
      const kept = found.get(`${name} ${isWithout}`) ?? { field: name, isWithout, values: [] };
      found.set(`${name} ${isWithout}`, { ...kept, values: [...kept.values, value] });
      for (const word of own) left.delete(word);
    }
  }
  if (left.size > 0)
    throw new AskBack(
      `“${[...left].map(({ word }) => word).join(" ")}” is neither a field nor a value of ${dataset.name}. What do you mean by it?`,
      dataset.columns,
      left.size,
    );
  // A field that only says of what its value is stands for no axis: "the topics Battery and Brakes".
  for (const { field } of found.values()) {
    const at = dims.findIndex(({ name }) => name === field && !by.has(name));
    if (at !== -1) dims.splice(at, 1);
  }
  return [...found.values()].flatMap(({ field, isWithout, values }): Filter[] => {
    if (isWithout) return values.map((value) => ({ field, operator: "!=", value }));
    return values.length === 1
      ? [{ field, operator: "=", value: values[0] as string }]
      : [{ field, operator: "in", value: values }];
  });
}
