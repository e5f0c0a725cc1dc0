import { isAppError } from "../../../kernel/errors.ts";
import { isIdName, keyThing, thingOf } from "../../../kernel/name-words.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import { LIMITS } from "../limits.ts";
import type { Span } from "./durations.ts";
import { isCalled, type Keys } from "./keys.ts";
import { ask, type ColumnProfile, type Looking, type Profile, type Sureness } from "./profile.ts";
import type { TotalRows } from "./totals.ts";

export interface Looked {
  profile: Profile;
  keys: Keys;
  spans: readonly Span[];
  totals: readonly TotalRows[];
}

/** Rows of `from` belong to one row of `to`. */
export interface Join {
  from: Looked;
  column: string;
  to: Looked;
  key: string;
  sure: Sureness;
  why: string;
}

interface Candidate extends Omit<Join, "sure" | "why"> {
  /** How much the names speak for it, up to 1. */
  score: number;
}

/** Share of the values of a column that have to occur in the key that it means. */
const CONTAINED = 0.9;
/** And where nothing but the values speaks for it. */
const CODED_CONTAINED = 0.98;
const CODED_SCORE = 0.2;
const CODED_VALUES = 10;
/** A short form has to be borne out by every value. */
const SHORT_SCORE = 0.4;
const CODE_CHARACTERS = 40;
/** Statements look at this many pairs at once. */
const TOGETHER = 20;

/** Words for people that a column is named after by what they do. */
const PERSON_ROLES = new Set(
  `manager supervisor boss lead leader rep representative agent owner assignee author creator seller salesperson
  approver reporter teacher instructor advisor mentor head contact sponsor director coach trainer captain driver by
  reports chief handler technician doctor physician nurse`.split(/\s+/),
);
const PEOPLE = new Set(
  "employee staff person user member worker people personnel teacher student player".split(" "),
);

/** Which columns mean rows of another dataset: by their names, and because their values occur there. */
export async function joinsOf(looking: Looking, all: readonly Looked[]): Promise<Join[]> {
  const candidates = all
    .flatMap((from) => from.profile.columns.flatMap((column) => candidatesFor(from, column, all)))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, LIMITS.models.inferredPairs);
  const shares = await containments(looking, candidates);
  const measured = candidates.map((candidate, i) => ({ candidate, share: shares[i] ?? 0 }));
  const fitting = measured.filter(({ share, candidate: { score } }) => share >= leastShare(score));
  const best = new Map<string, (typeof fitting)[number]>();
  for (const each of fitting) {
    const { from, column } = each.candidate;
    const place = JSON.stringify([from.profile.dataset.id, column]);
    const known = best.get(place);
    if (known === undefined || rank(each) > rank(known)) best.set(place, each);
  }
  return withoutReturns([...best.values()]).map(({ candidate: { score, ...join }, share }) => ({
    ...join,
    sure: score >= 0.8 && share === 1 ? "sure" : score >= 0.6 ? "likely" : "guess",
    why: `${share === 1 ? "all" : `${Math.floor(share * 100)} %`} of its values occur in ${join.to.profile.dataset.name}.${join.key}`,
  }));
}

function leastShare(score: number): number {
  if (score === SHORT_SCORE) return 1;
  return score === CODED_SCORE ? CODED_CONTAINED : CONTAINED;
}

function rank({ candidate: { score }, share }: { candidate: Candidate; share: number }): number {
  return score + share / 10;
}

function candidatesFor(from: Looked, column: ColumnProfile, all: readonly Looked[]): Candidate[] {
  if (column.filled === 0 || !["number", "text"].includes(column.kind)) return [];
  if (column.kind === "number" && !column.isWhole) return [];
  return all.flatMap((to) =>
    to.keys.unique.flatMap((key): Candidate[] => {
      const target = to.profile.columns.find(({ name }) => name === key);
      const isSelf = to === from;
      // Two tables of orders are parts or copies of one another, and no rows of one belong to the other.
      if (!isSelf && isSameThing(from, to)) return [];
      if (target === undefined || target.kind !== column.kind || (isSelf && key === column.name)) return [];
      const named = nameScore(column.name, to, key, isSelf);
      const isTold =
        named === 0 && !isSelf && (isCoded(from, column, to, target) || isLong(column, to, target));
      const score = isTold ? CODED_SCORE : named;
      return score === 0 ? [] : [{ from, column: column.name, to, key, score }];
    }),
  );
}

/**
 * Whether many different short texts may mean the rows that have them for a key, whatever both are called: `origin` and
 * `iata`. Numbers are found in one another by chance.
 */
function isCoded({ profile }: Looked, column: ColumnProfile, to: Looked, key: ColumnProfile): boolean {
  const isShort = ({ kind, length }: ColumnProfile) => kind === "text" && length <= CODE_CHARACTERS;
  return (
    to.keys.primary.length === 1 &&
    to.keys.primary[0] === key.name &&
    isShort(column) &&
    isShort(key) &&
    column.distinct >= CODED_VALUES &&
    column.distinct < profile.rows
  );
}

/** Whole numbers of so many digits are found in one another by no chance, if they are many and the key is called one. */
function isLong(column: ColumnProfile, to: Looked, key: ColumnProfile): boolean {
  const isNumber = ({ kind, isWhole, min }: ColumnProfile) =>
    kind === "number" && isWhole && (min ?? 0) >= LONG_NUMBER;
  return (
    to.keys.primary[0] === key.name &&
    isIdName(key.name) &&
    isNumber(column) &&
    isNumber(key) &&
    column.distinct >= LONG_VALUES
  );
}

const LONG_NUMBER = 100_000;
const LONG_VALUES = 30;

function isSameThing(a: Looked, b: Looked): boolean {
  return same(thingOf(a.profile.dataset.name), thingOf(b.profile.dataset.name));
}

/** How much a column is called like the key of a dataset. */
function nameScore(column: string, to: Looked, key: string, isSelf: boolean): number {
  const words = keyThing(column);
  const thing = thingOf(to.profile.dataset.name);
  const own = keyThing(key);
  const full = own.length === 0 ? thing : own;
  const isPrimary = to.keys.primary.length === 1 && to.keys.primary[0] === key;
  if (isSelf) return isPrimary && isAbove(words, thing) ? 0.7 : 0;
  // The dataset that a key is named after owns it; others may have it only once by chance.
  const isOwner = own.length === 0 || isCalled(key, to.profile.dataset.name);
  if (same(words, full)) return isOwner ? 1 : isPrimary ? 0.75 : 0.3;
  if (isPrimary && same(words, thing)) return 0.9;
  if (isPrimary && words.length > full.length && same(words.slice(-full.length), full))
    return isOwner ? 0.8 : 0.3;
  if (isPrimary && words.length > thing.length && same(words.slice(-thing.length), thing)) return 0.8;
  if (isPrimary && words.length > 0 && thing.length > 1 && same(words, thing.slice(-1))) return 0.6;
  if (isShortFor(words, thing) && isIdName(key)) return SHORT_SCORE;
  if (isPrimary && isIdName(column) && isPerson(words) && PEOPLE.has(thing.at(-1) ?? "")) return 0.5;
  return 0;
}

/** A `bez` means the `bezirksgrenzen`, if all of its values are numbers of these. */
function isShortFor(words: readonly string[], thing: readonly string[]): boolean {
  const [word = "", ...others] = words;
  return others.length === 0 && word.length >= 3 && (thing[0] ?? "").startsWith(word) && thing[0] !== word;
}

/** Employees have managers among themselves, and anything may have a parent of its kind. */
function isAbove(words: readonly string[], thing: readonly string[]): boolean {
  return words[0] === "parent" || (isPerson(words) && PEOPLE.has(thing.at(-1) ?? ""));
}

function isPerson(words: readonly string[]): boolean {
  return words.some((word) => PERSON_ROLES.has(word));
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

/** Of two datasets with one row for each other, one belongs to the other and not both to each other. */
function withoutReturns(found: { candidate: Candidate; share: number }[]) {
  return found.filter((each) => {
    const { from, column, to, key } = each.candidate;
    const back = found.find(
      ({ candidate }) =>
        candidate.from === to &&
        candidate.column === key &&
        candidate.to === from &&
        candidate.key === column,
    );
    if (back === undefined || from === to) return true;
    return (
      rank(each) > rank(back) || (rank(each) === rank(back) && found.indexOf(each) < found.indexOf(back))
    );
  });
}

/** Of the different values of each column, the share that occurs in the key; none where it cannot be compared. */
async function containments(looking: Looking, candidates: readonly Candidate[]): Promise<number[]> {
  const shares: number[] = [];
  for (let at = 0; at < candidates.length; at += TOGETHER) {
    shares.push(...(await sharesOf(looking, candidates.slice(at, at + TOGETHER))));
  }
  return shares;
}

async function sharesOf(looking: Looking, some: readonly Candidate[]): Promise<number[]> {
  const datasets = new Map(
    some.flatMap(({ from, to }) => [from, to]).map(({ profile: { dataset } }) => [dataset.id, dataset]),
  );
  try {
    const tableViews = await Promise.all(
      [...datasets.values()].map(async (dataset) => {
        const name = `d${dataset.id}`;
        const { visible: _, ...view } = await looking.data.tableView(looking.caller, dataset, name);
        return view;
      }),
    );
    const rows = await ask(looking, tableViews, some.map(containmentSql).join(" UNION ALL "));
    const found = new Map(rows.map(([i, all, hits]) => [Number(i), Number(hits) / Math.max(1, Number(all))]));
    return some.map((_, i) => found.get(i) ?? 0);
  } catch (error) {
    // One pair that cannot be compared does not take the others with it.
    if (!isAppError(error) || looking.signal.aborted) throw error;
    if (some.length === 1) return [0];
    const shares: number[] = [];
    for (const each of some) shares.push(...(await sharesOf(looking, [each])));
    return shares;
  }
}

function containmentSql({ from, column, to, key }: Candidate, index: number): string {
  const most = LIMITS.models.inferenceValuesCompared;
  const source = `SELECT DISTINCT ${quoteName(column)} AS v FROM d${from.profile.dataset.id} WHERE ${quoteName(column)} IS NOT NULL LIMIT ${most}`;
  const target = `SELECT ${quoteName(key)} FROM d${to.profile.dataset.id}`;
  return `SELECT ${index}, count(*), count(*) FILTER (WHERE v IN (${target})) FROM (${source})`;
}
