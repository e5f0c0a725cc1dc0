import type { Column, DatasetInfo, Inventory } from "./inventory.ts";
import { AskBack } from "./plan.ts";
import { without } from "./references.ts";
import {
  AGGREGATE_WORDS,
  CHART_WORDS,
  formsOf,
  GRAIN_WORDS,
  isFiller,
  keyOf,
  numberOf,
  periodIn,
  wordsIn,
} from "./words.ts";

/** A widget, as `create_widget` takes it. */
export interface ChartWish {
  name: string;
  dataset_id: number;
  chart_type: string;
  x_axis?: string;
  y_axis?: string[];
  group_by?: string;
  options?: Record<string, unknown>;
}

export interface Filter {
  field: string;
  operator: string;
  value: string | string[];
}

/** What a phrase says, before it is known of which dataset. */
interface Phrase {
  text: string;
  chart: string | undefined;
  aggregate: string | undefined;
  grain: string | undefined;
  top: number | undefined;
  target: number | undefined;
  period: ReturnType<typeof periodIn>;
  isTrend: boolean;
  /** What is left, for fields and values. */
  words: { word: string; role: Role; key?: string }[];
}

type Role = "measure" | "by" | "against" | "filter";

/** What a phrase comes to on one dataset. */
export interface Fit {
  dataset: DatasetInfo;
  score: number;
  measures: Column[];
  /** It is about the rows themselves, which are counted. */
  ofRows: boolean;
  dims: Column[];
  /** Names of those of them that stand behind "by": what it is shown by stays, also where only some values are meant. */
  by: Set<string>;
  against: Column | undefined;
  unknown: string[];
}

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|BIGNUM|FLOAT|REAL|DOUBLE|DECIMAL|NUMERIC)/i;
const DATED = /^(?:DATE|TIMESTAMP)/i;
const KEY = /(?:^|_)id$/i;
/** What sells is what people want to see where they name no number. */
const USUAL = ["revenue", "sale", "amount", "turnover", "total", "value"];
const LONGEST_TERM = 4;
const NAME_CHARACTERS = 100;

export function isNumeric({ type, name }: Column): boolean {
  return NUMERIC.test(type) && !KEY.test(name);
}

export function dateOf({ columns }: DatasetInfo): Column | undefined {
  return columns.find(({ type }) => DATED.test(type));
}

/** "top 5 products by quantity in Austria" as a chart. What cannot be found is asked about. */
export async function readChart(
  text: string,
  inventory: Inventory,
  assumptions: string[],
): Promise<ChartWish> {
  const fit = bestFit((each) => readPhrase(text, each).words, await inventory.datasets(), text);
  const phrase = readPhrase(text, fit.dataset);
  const filters = await filtersOf(fit, inventory);
  const { dataset } = fit;
  const date = dateOf(dataset);
  const isOverTime =
    phrase.grain !== undefined || phrase.isTrend || phrase.chart === "area" || phrase.chart === "line";
  const { measures, dims } = inRoles(fit, phrase);
  const x = fit.against ?? (isOverTime && date !== undefined && !dims.some(isDate) ? date : dims.shift());
  const [group] = dims;
  const chart = phrase.chart ?? usualChart(x, phrase);
  // Rows are counted; what is averaged or added up of them is the number that is usually meant.
  const isCount = phrase.aggregate === "count" || (fit.ofRows && phrase.aggregate === undefined);
  const y = measures.length > 0 || isCount ? measures : usualMeasure(dataset, assumptions);
  const aggregate = y.length === 0 ? "count" : phrase.aggregate;
  const options = {
    ...(aggregate !== undefined && { aggregate }),
    ...(phrase.grain !== undefined && { grain: phrase.grain }),
    ...(phrase.top !== undefined && { top: phrase.top }),
    ...(phrase.target !== undefined && { target: phrase.target }),
    ...(filters.length > 0 && { filters }),
    ...(phrase.period !== undefined && date !== undefined && { c9ql: during(date, phrase.period) }),
  };
  return {
    name: nameOf(text),
    dataset_id: dataset.id,
    chart_type: chart,
    ...(x !== undefined && { x_axis: x.name }),
    ...(y.length > 0 && { y_axis: y.map(({ name }) => name) }),
    ...(group !== undefined && { group_by: group.name }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

function readPhrase(text: string, dataset: DatasetInfo): Phrase {
  const { rest: plain, names } = withoutFields(` ${text} `, dataset);
  let rest = plain;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = pattern.exec(rest);
    if (found !== null) rest = rest.replace(found[0], " ");
    return found;
  };
  const oneOf = (list: readonly (readonly [RegExp, string])[]): string | undefined =>
    list.find(([pattern]) => take(pattern) !== null)?.[1];
  const period = periodIn(rest);
  if (period !== undefined) rest = rest.replace(period.said, " ");
  const goal = take(
    /\b(?:with |mit )?(?:a |an |the |einem )?(?:target|goal|ziel)(?: of| von)? ([\d.,]+)\s*(thousand|million(?:en)?|tausend|mio\.?|tsd\.?|k\b|m\b)?/i,
  );
  const chart = oneOf(CHART_WORDS);
  const grain = oneOf(GRAIN_WORDS);
  const aggregate = oneOf(AGGREGATE_WORDS);
  const isTrend = take(/\b(?:trends?|over time|development|verlauf|entwicklung|zeitverlauf)\b/i) !== null;
  const counted = take(/\b(?:top|best|largest|biggest|die besten|größten)\s+(\d+)\b/i);
  const isTop = counted !== null || take(/\b(?:top|best[- ]selling|best)\b/i) !== null;
  return {
    text,
    chart,
    aggregate,
    grain,
    top: counted !== null ? Number(counted[1]) : isTop ? 10 : undefined,
    target: goal === null ? undefined : numberOf(goal[1] as string, goal[2]),
    period,
    isTrend,
    words: rolesIn(rest, names),
  };
}

const ROLES: Record<string, Role> = Object.fromEntries([
  ...["by", "per", "nach", "pro", "je"].map((word) => [word, "by"]),
  ...["against", "versus", "vs", "gegen"].map((word) => [word, "against"]),
  ...["in", "for", "from", "only", "where", "für", "aus", "nur"].map((word) => [word, "filter"]),
]);

const FIELD = "ℵ";

/** Names of fields are taken out whole first: in "US Gross" and "Cost Total $" no word is a pronoun or a sum. */
function withoutFields(text: string, { columns }: DatasetInfo): { rest: string; names: string[] } {
  const names = columns
    .map(({ name }) => name)
    .filter((name) => wordsIn(name).length > 1)
    .toSorted((a, b) => b.length - a.length);
  const rest = names.reduce((left, name, i) => without(left, name, ` ${FIELD}${i} `), text);
  return { rest, names };
}

function rolesIn(text: string, names: readonly string[] = []): Phrase["words"] {
  let role: Role = "measure";
  const words: Phrase["words"] = [];
  for (const word of wordsIn(text)) {
    const next = ROLES[word.toLowerCase()];
    const name = word.startsWith(FIELD) ? names[Number(word.slice(1))] : undefined;
    if (next !== undefined) role = next;
    else if (name !== undefined) words.push({ word: name, role, key: keyOf(name) });
    else if (!isFiller(word)) words.push({ word, role });
  }
  return words;
}

/** The dataset that carries most of the words. */
function bestFit(
  wordsFor: (dataset: DatasetInfo) => Phrase["words"],
  datasets: readonly DatasetInfo[],
  text: string,
): Fit {
  const fits = datasets
    .map((dataset) => fitOf(wordsFor(dataset), dataset))
    .toSorted((a, b) => b.score - a.score);
  const [best, next] = fits;
  if (best === undefined) throw new AskBack("There are no datasets yet. Which data should it show?");
  if (best.score <= 0)
    throw new AskBack(
      `Which data do you mean by “${text.trim()}”?`,
      datasets.map(({ name }) => name),
    );
  const tied = fits.filter(({ score }) => score === best.score);
  const selling = tied.filter(({ dataset }) => usualOf(dataset) !== undefined);
  if (tied.length > 1 && selling.length === 1) return selling[0] as Fit;
  if (next !== undefined && next.score === best.score)
    throw new AskBack(`Is “${text.trim()}” about ${best.dataset.name} or about ${next.dataset.name}?`, [
      best.dataset.name,
      next.dataset.name,
    ]);
  return best;
}

/** A text without roles, such as a condition. */
export function fitText(text: string, datasets: readonly DatasetInfo[]): Fit {
  const wordsFor = (dataset: DatasetInfo) => {
    const { rest, names } = withoutFields(text, dataset);
    return rolesIn(rest, names);
  };
  return bestFit(wordsFor, datasets, text);
}

function fitOf(words: Phrase["words"], dataset: DatasetInfo): Fit {
  const fit: Fit = {
    dataset,
    score: 0,
    measures: [],
    ofRows: false,
    dims: [],
    by: new Set(),
    against: undefined,
    unknown: [],
  };
  let isPart = false;
  for (let at = 0; at < words.length; ) {
    const found = longestTerm(words.slice(at, at + LONGEST_TERM), dataset);
    const { role, word } = words[at] as Phrase["words"][number];
    // "contact channel" for contact_by: what only goes on with the name of a field says nothing more.
    if (found === undefined && isPart && words[at - 1]?.role === role) {
      isPart = false;
      at += 1;
      continue;
    }
    isPart = found !== undefined && found.score < 1 + found.length;
    if (found === undefined) {
      fit.unknown.push(word);
      fit.score -= 1;
      at += 1;
      continue;
    }
    fit.score += found.score;
    at += found.length;
    const { column } = found;
    if (column === null) fit.ofRows = true;
    else if (role === "against") fit.against = column;
    else if (role === "measure" && isNumeric(column)) fit.measures.push(column);
    else if (!fit.dims.includes(column)) fit.dims.push(column);
    if (column !== null && role === "by") fit.by.add(column.name);
  }
  // What happened is meant sooner than a list of what there is.
  if (fit.score > 0 && dateOf(dataset) !== undefined) fit.score += 0.25;
  return fit;
}

interface Term {
  /** Null for the rows of the dataset. */
  column: Column | null;
  score: number;
  length: number;
}

function longestTerm(words: Phrase["words"], dataset: DatasetInfo): Term | undefined {
  for (let length = words.length; length > 0; length -= 1) {
    const said = words.slice(0, length);
    const forms = combinations(said.map(({ word, key }) => (key === undefined ? formsOf(word) : [key])));
    const exact = dataset.columns.find(({ name }) => forms.includes(keyOf(name)));
    // A name of several words counts as many.
    const weight = said.reduce((sum, { key }) => sum + (key?.split(" ").length ?? 1), 0);
    if (exact !== undefined) return { column: exact, score: 2 + weight, length };
    const own = keyOf(dataset.name);
    if (forms.some((form) => form === own || own.endsWith(` ${form}`)))
      return { column: null, score: 1.5 + length, length };
    const partly = dataset.columns.filter(({ name }) => forms.some((form) => has(keyOf(name), form)));
    const [column] = partly;
    if (column !== undefined && partly.length === 1) return { column, score: 0.5 + length, length };
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
  const found = new Map<string, string[]>();
  const said = ` ${unknown.map((word) => keyOf(word)).join(" ")} `;
  for (const { name, type } of dataset.columns) {
    if (left.size === 0) break;
    if (!/^VARCHAR/i.test(type) || KEY.test(name)) continue;
    for (const value of await inventory.valuesOf(dataset, name)) {
      const key = keyOf(value);
      const words = [...left].filter(
        (word) => (said.includes(` ${key} `) && has(key, keyOf(word))) || formsOf(word).includes(key),
      );
      if (words.length === 0) continue;
      found.set(name, [...(found.get(name) ?? []), value]);
      for (const word of words) left.delete(word);
    }
  }
  if (left.size > 0)
    throw new AskBack(
      `“${[...left].join(" ")}” is neither a field nor a value of ${dataset.name}. What do you mean by it?`,
      dataset.columns.map(({ name }) => name),
    );
  // A field that only says of what its value is stands for no axis: "the topics Battery and Brakes".
  for (const field of found.keys()) {
    const at = dims.findIndex(({ name }) => name === field && !by.has(name));
    if (at !== -1) dims.splice(at, 1);
  }
  return [...found].map(([field, values]) =>
    values.length === 1
      ? { field, operator: "=", value: values[0] as string }
      : { field, operator: "in", value: values },
  );
}

/** In "top products by quantity" the number stands behind the "by". */
function inRoles(fit: Fit, { top, chart }: Phrase): { measures: Column[]; dims: Column[] } {
  const { measures, dims } = fit;
  if (measures.length > 0 || (top === undefined && chart !== "scatter")) return { measures, dims };
  return { measures: dims.filter(isNumeric), dims: dims.filter((column) => !isNumeric(column)) };
}

function isDate({ type }: Column): boolean {
  return DATED.test(type);
}

function usualChart(x: Column | undefined, { top }: Phrase): string {
  if (x === undefined) return "singletext";
  return isDate(x) ? "line" : top !== undefined ? "bar" : "column";
}

export function usualOf({ columns }: DatasetInfo): Column | undefined {
  return USUAL.flatMap((word) =>
    columns.filter((each) => isNumeric(each) && keyOf(each.name) === keyOf(word)),
  )[0];
}

function usualMeasure(dataset: DatasetInfo, assumptions: string[]): Column[] {
  const column = usualOf(dataset);
  assumptions.push(
    column === undefined ? `Rows of ${dataset.name} are counted.` : `It is about ${column.name}.`,
  );
  return column === undefined ? [] : [column];
}

export function during({ name }: Column, { from, to }: { from: string; to?: string }): string {
  const field = `\`${name.replaceAll("`", "``")}\``;
  return `where ${field} >= ${from}${to === undefined ? "" : ` and ${field} < ${to}`}`;
}

function nameOf(text: string): string {
  const bare = text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(?:a|an|the|ein|eine|einen|der|die|das|den|with|mit|of|von)\s+/i, "")
    .replace(/[.!,;]+$/, "");
  return (bare.charAt(0).toUpperCase() + bare.slice(1)).slice(0, NAME_CHARACTERS);
}
