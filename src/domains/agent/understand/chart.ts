import type { Fragment, Sense } from "./fragment.ts";

/** What two neighbours mean together. */
export interface Combined {
  sense: Sense;
  cost: number;
  note?: string;
}

/** The rules for two kinds of meaning; undefined where there are none. */
export type RulesFor = (left: Sense["t"], right: Sense["t"]) => Combine | undefined;
export type Combine = (left: Sense, right: Sense) => Combined[];
export type Convert = (sense: Sense) => Combined[];

export interface ChartOptions {
  words: number;
  fragments: readonly Fragment[];
  rulesFor: RulesFor;
  convert: Convert;
  /** Words that may be left out, with what that costs. */
  skipCost: (word: number) => number;
  beam?: number;
  /** Pairs that are looked at. */
  steps?: number;
}

const BEAM = 30;
/** Meanings that cost so much more than the best of their stretch are not looked at further. */
const MARGIN = 7;
/** The longest questions that people ask have half of it. */
const MOST_WORDS = 45;
/** Some fifty milliseconds; a question of twenty words takes a tenth of it. */
const STEPS = 40_000;
/** Of a stretch with a word left out, only the best meanings are kept. */
const SKIPPED = 12;

/**
 * Puts neighbouring meanings together until one covers the whole question. Each stretch keeps its cheapest meanings
 * only, and beyond some work nothing is made of a question: it would keep others waiting.
 */
export function parse({
  words,
  fragments,
  rulesFor,
  convert,
  skipCost,
  ...bounds
}: ChartOptions): Fragment[] | undefined {
  const { beam = BEAM, steps = STEPS } = bounds;
  if (words === 0) return [];
  if (words > MOST_WORDS) return undefined;
  let stepsLeft = steps;
  const cells = Array.from({ length: words }, () => Array.from({ length: words + 1 }, () => new Cell(beam)));
  const cell = (start: number, end: number) => cells[start]?.[end] as Cell;
  const put = (fragment: Fragment, depth = 0): void => {
    if (!cell(fragment.start, fragment.end).add(fragment) || depth === 3) return;
    for (const { sense, cost, note } of convert(fragment.sense)) {
      const notes = note === undefined ? fragment.notes : [...fragment.notes, note];
      put({ ...fragment, sense, cost: fragment.cost + cost, notes }, depth + 1);
    }
  };
  const join = (combine: Combine, left: Fragment, right: Fragment): void => {
    for (const { sense, cost, note } of combine(left.sense, right.sense)) {
      put({
        sense,
        start: left.start,
        end: right.end,
        cost: left.cost + right.cost + cost,
        skipped: [...left.skipped, ...right.skipped],
        notes: [...left.notes, ...right.notes, ...(note === undefined ? [] : [note])],
      });
    }
  };
  // A word at either end may mean nothing.
  const skip = (inner: Cell, word: number, [start, end]: [number, number]): void => {
    const cost = skipCost(word);
    for (const each of inner.best(SKIPPED)) {
      const skipped = cost > 0 ? [...each.skipped, word] : each.skipped;
      put({ ...each, start, end, cost: each.cost + cost, skipped });
    }
  };
  for (const fragment of fragments) put(fragment);
  for (let length = 1; length <= words; length += 1) {
    for (let start = 0; start + length <= words; start += 1) {
      const end = start + length;
      if (length > 1) {
        skip(cell(start + 1, end), start, [start, end]);
        skip(cell(start, end - 1), end - 1, [start, end]);
      }
      for (let middle = start + 1; middle < end; middle += 1) {
        for (const [leftKind, lefts] of cell(start, middle).kinds) {
          for (const [rightKind, rights] of cell(middle, end).kinds) {
            const combine = rulesFor(leftKind, rightKind);
            if (combine === undefined) continue;
            stepsLeft -= lefts.length * rights.length;
            for (const left of lefts) for (const right of rights) join(combine, left, right);
          }
        }
      }
      cell(start, end).close();
      if (stepsLeft < 0) return undefined;
    }
  }
  return cell(0, words).all;
}

/** The cheapest meanings of one stretch of words. */
class Cell {
  /** Sorted, once the cell is closed. */
  all: Fragment[] = [];
  kinds: Map<Sense["t"], Fragment[]> = new Map();
  readonly #beam: number;
  readonly #known = new Map<string, Fragment>();
  #limit = Number.POSITIVE_INFINITY;

  constructor(beam: number) {
    this.#beam = beam;
  }

  /** False when it is known already, or too dear. */
  add(fragment: Fragment): boolean {
    if (fragment.cost > this.#limit) return false;
    const key = JSON.stringify(fragment.sense);
    const known = this.#known.get(key);
    if (known !== undefined && known.cost <= fragment.cost) return false;
    this.#known.set(key, fragment);
    if (this.#known.size > this.#beam * 3) this.close();
    return true;
  }

  best(most: number): Fragment[] {
    return this.all.slice(0, most);
  }

  close(): void {
    const sorted = [...this.#known].sort(([, a], [, b]) => a.cost - b.cost);
    const dearest = (sorted[0]?.[1].cost ?? 0) + MARGIN;
    const kept = sorted.filter(([, { cost }], i) => i < this.#beam && cost <= dearest);
    for (const [key] of sorted.slice(kept.length)) this.#known.delete(key);
    if (kept.length === this.#beam) this.#limit = kept.at(-1)?.[1].cost ?? this.#limit;
    this.all = kept.map(([, fragment]) => fragment);
    this.kinds = Map.groupBy(this.all, ({ sense }) => sense.t);
  }
}
