import { isSameField } from "../../query/parts.ts";
import type { Ask } from "../../query/semantic-query.ts";
import { isShown } from "../candidates/empty-words.ts";
import { LEFT_COST, type Weighed } from "../candidates/said.ts";
import { namesakesOf } from "../readings/finish.ts";
import type { Query } from "../readings/queries.ts";
import type { Leaf } from "../senses/fragment.ts";
import { formCost } from "./form.ts";
import { unaskedParts, unheldWords, unsaidWords } from "./unsaid.ts";

/** A query that was held against the words of its question, both ways. */
export interface Held {
  ask: Ask;
  leaves: readonly Leaf[];
  cost: number;
  /** What it costs beside its words. */
  loose: number;
  /** Words that carry meaning and that it says nothing of. */
  left: readonly number[];
}

/** Readings that are held against the question; those behind them cost more by far. */
const CHECKED = 16;
/** What a value of the data costs as a word. */
const PLAIN_COST = 0.5;
/** A part of a query that nobody asked for. */
const UNASKED_COST = 0.8;
/** An amount is not told apart by itself. */
const COUNTED_COST = 2;
/** What tells two values of one name apart is the question that asks which. */
const NAMESAKE_COST = 0.1;

/** Each of the likeliest queries with what its question misses in it, and it in its question; the best first. */
export function heldAgainst(said: Weighed, queries: readonly Query[]): Held[] {
  const held = queries.slice(0, CHECKED).map((query) => hold(query, said));
  held.sort((a, b) => a.cost - b.cost);
  for (const rival of namesakesOf(held))
    rival.cost = Math.min(rival.cost, (held[0]?.cost ?? 0) + NAMESAKE_COST);
  return held.sort((a, b) => a.cost - b.cost);
}

function hold({ ask, leaves, skipped, cost: made }: Query, said: Weighed): Held {
  const { all, kept, knowledge, grammar } = said;
  const left = skipped.map((i) => kept[i] as number).filter((i) => isMissed(i, said));
  const unsaid = unsaidWords(all, { found: said.found, leaves }, ask, { knowledge, grammar });
  const told = [...[...unsaid].filter((i) => isTold(i, said)), ...unheldWords(all, ask, leaves)];
  const dropped = told.filter((i) => !left.includes(i));
  const cost = made + oddCost(ask, leaves, said) + dropped.length * LEFT_COST;
  const words = leaves.reduce((sum, leaf) => sum + wordCost(leaf), 0);
  return { ask, leaves, cost, loose: cost - words, left: [...left, ...dropped].toSorted((a, b) => a - b) };
}

/** What a word costs by itself. */
function wordCost({ cost }: Leaf): number {
  return Math.min(Math.max(cost, 0), PLAIN_COST);
}

/** Whatever carries meaning and was left over makes an answer to another question. */
export function isMissed(at: number, { skipCosts }: Weighed): boolean {
  return (skipCosts[at] as number) >= LEFT_COST;
}

/** Whether a word says something of the query, and is not only a part of how one asks. */
export function isTold(at: number, { all, empty, language: { grammar, people } }: Weighed): boolean {
  const { norm = "" } = all[at] ?? {};
  return (!empty.has(at) || grammar.has(norm)) && (!people.has(norm) || isShown(all, at));
}

/** What speaks against a query that is of another kind than its question. */
function oddCost(ask: Ask, leaves: readonly Leaf[], said: Weighed): number {
  const { question, language, grammar } = said;
  return (
    spanCost(ask) +
    listCost(language.listOpener.test(question.text) || isNumberNamed(ask, leaves), ask) +
    formCost(ask, leaves, said) +
    (isByItself(ask, said) ? COUNTED_COST : 0) +
    unaskedParts(leaves, ask, { grammar }) * UNASKED_COST
  );
}

/** "ticket numbers" are wanted as such. */
function isNumberNamed(ask: Ask, leaves: readonly Leaf[]): boolean {
  const [key] = ask.k === "list" ? ask.show : [];
  return leaves.some(({ sense }) => sense.t === "field" && isSameField(sense.key, key));
}

/** Whether an amount is told apart by the same amount. */
function isByItself(ask: Ask, { grammar }: Weighed): boolean {
  if (ask.k === "list") return false;
  const columns = ask.cols.flatMap((num) => grammar.columnsOf(num));
  return ask.by.some((key) => grammar.isNumber(key) && columns.includes(`${key.ds}.${key.field}`));
}

/** "Which orders" wants the orders, "orders last week" their number. */
function listCost(wantsList: boolean, ask: Ask): number {
  if (ask.k === "table") return wantsList && ask.by.length === 0 ? 0.8 : 0;
  const [key] = ask.show;
  const isNumbered = ask.show.length === 1 && key !== undefined && /(^|_)id$/.test(key.field);
  return isNumbered && !wantsList && ask.rel.k !== "top" ? 1.3 : 0;
}

/** Growth over the year before is that of one year, or of each. */
function spanCost(ask: Ask): number {
  if (ask.k === "list" || ask.by.some(({ bucket }) => bucket !== undefined)) return 0;
  const { win } = ask.scope ?? {};
  const lags = ask.cols.flatMap((num) =>
    num.k === "calc" && num.op === "growth" && num.b.k === "lag" ? [num.b.grain] : [],
  );
  if (lags.length === 0 || !win?.from || !win.to) return 0;
  const days = (Date.parse(win.to) - Date.parse(win.from)) / 86_400_000;
  return lags.some((grain) => days > DAYS[grain]) ? 1.5 : 0;
}

const DAYS = { day: 1, week: 7, month: 31, quarter: 92, year: 366 } as const;
