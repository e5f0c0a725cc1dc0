import type { Fragment, Sense } from "./fragment.ts";

/** What two neighbours mean together. */
export interface Combined {
  sense: Sense;
  cost: number;
  note?: string;
}

export type Combine = (left: Sense, right: Sense) => Combined[];
export type Convert = (sense: Sense) => Combined[];

export interface ChartOptions {
  words: number;
  fragments: readonly Fragment[];
  combine: Combine;
  convert: Convert;
  /** Words that may be left out, with what that costs. */
  skipCost: (word: number) => number;
  beam?: number;
}

const BEAM = 30;
/** Meanings that cost so much more than the best of their stretch are not looked at further. */
const MARGIN = 7;
/** Of a stretch with a word left out, only the best meanings are kept. */
const SKIPPED = 12;

/**
 * Puts neighbouring meanings together until one covers the whole question. Each stretch keeps its cheapest meanings
 * only, so the work is bounded by the number of words and the width of the beam.
 */
export function parse({ words, fragments, combine, convert, skipCost, beam = BEAM }: ChartOptions): Fragment[] {
  const cells = Array.from({ length: words }, () =>
    Array.from({ length: words + 1 }, () => new Map<string, Fragment>()),
  );
  const cell = (start: number, end: number) => cells[start]?.[end] as Map<string, Fragment>;
  const put = (fragment: Fragment, depth = 0): void => {
    const at = cell(fragment.start, fragment.end);
    const key = JSON.stringify(fragment.sense);
    const known = at.get(key);
    if (known !== undefined && known.cost <= fragment.cost) return;
    at.set(key, fragment);
    if (depth === 3) return;
    for (const { sense, cost, note } of convert(fragment.sense)) {
      const notes = note === undefined ? fragment.notes : [...fragment.notes, note];
      put({ ...fragment, sense, cost: fragment.cost + cost, notes }, depth + 1);
    }
  };
  for (const fragment of fragments) put(fragment);
  for (let length = 1; length <= words; length += 1) {
    for (let start = 0; start + length <= words; start += 1) {
      const end = start + length;
      for (let middle = start + 1; middle < end; middle += 1) {
        for (const left of cell(start, middle).values()) {
          for (const right of cell(middle, end).values()) {
            for (const { sense, cost, note } of combine(left.sense, right.sense)) {
              put({
                sense,
                start,
                end,
                cost: left.cost + right.cost + cost,
                skipped: [...left.skipped, ...right.skipped],
                notes: [...left.notes, ...right.notes, ...(note === undefined ? [] : [note])],
              });
            }
          }
        }
      }
      // A word at either end may mean nothing.
      if (length > 1) {
        const skipLeft = skipCost(start);
        for (const each of cheapest(cell(start + 1, end))) {
          put({ ...each, start, end, cost: each.cost + skipLeft, skipped: skipLeft > 0 ? [start, ...each.skipped] : each.skipped });
        }
        const skipRight = skipCost(end - 1);
        for (const each of cheapest(cell(start, end - 1))) {
          put({ ...each, start, end, cost: each.cost + skipRight, skipped: skipRight > 0 ? [...each.skipped, end - 1] : each.skipped });
        }
      }
      prune(cell(start, end), beam);
    }
  }
  return [...cell(0, words).values()].sort((a, b) => a.cost - b.cost);
}

function cheapest(cell: ReadonlyMap<string, Fragment>): Fragment[] {
  return [...cell.values()].sort((a, b) => a.cost - b.cost).slice(0, SKIPPED);
}

function prune(cell: Map<string, Fragment>, beam: number): void {
  const sorted = [...cell].sort(([, a], [, b]) => a.cost - b.cost);
  const best = sorted[0]?.[1].cost ?? 0;
  for (const [i, [key, { cost }]] of sorted.entries()) if (i >= beam || cost > best + MARGIN) cell.delete(key);
}
