import type { Fragment, Sense } from "../senses/fragment.ts";

/** What two neighbours mean together. */
export interface Combined {
  sense: Sense;
  cost: number;
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

const BEAM = 20;
/** Meanings that cost so much more than the best of their stretch are not looked at further. */
const MARGIN = 4;
/** The longest questions that people ask have half of it. */
const MOST_WORDS = 45;
/** Some fifty milliseconds; a question of twenty words takes a tenth of it. */
const STEPS = 30_000;
/** Of a stretch with a word left out, only the best meanings are kept. */
const SKIPPED = 12;

/**
 * Puts neighbouring meanings together until one covers the whole question. Each stretch keeps its cheapest meanings
 * only, and beyond some work nothing is made of a question: it would keep others waiting.
 */
export function parse(options: ChartOptions): Fragment[] | undefined {
  const { words, fragments } = options;
  if (words === 0) return [];
  if (words > MOST_WORDS) return undefined;
  const chart = new Chart(options);
  for (const fragment of fragments) chart.put(fragment);
  for (let length = 1; length <= words; length += 1)
    for (let start = 0; start + length <= words; start += 1) {
      chart.fill(start, start + length);
      if (chart.stepsLeft < 0) return undefined;
    }
  return chart.cell(0, words).all;
}

/** The meanings of each stretch of a question. */
class Chart {
  stepsLeft: number;
  readonly #cells: Cell[][];
  readonly #options: ChartOptions;
  readonly #convert: Convert;
  /** What two meanings mean together: they meet again wherever a word between them may be left out. */
  readonly #together = new Map<Sense, Map<Sense, Combined[]>>();

  constructor(options: ChartOptions) {
    const { words, convert, beam = BEAM, steps = STEPS } = options;
    this.#options = options;
    this.#convert = remembered(convert);
    this.stepsLeft = steps;
    const keyOf = remembered((sense: Sense) => JSON.stringify(sense));
    this.#cells = Array.from({ length: words }, () =>
      Array.from({ length: words + 1 }, () => new Cell(beam, keyOf)),
    );
  }

  cell(start: number, end: number): Cell {
    return this.#cells[start]?.[end] as Cell;
  }

  /** A meaning, and what it can stand for besides itself. */
  put(fragment: Fragment, depth = 0): void {
    if (!this.cell(fragment.start, fragment.end).add(fragment) || depth === 3) return;
    for (const { sense, cost } of this.#convert(fragment.sense))
      this.put({ ...fragment, sense, cost: fragment.cost + cost }, depth + 1);
  }

  /** What a stretch means by all of its parts, which are filled already. */
  fill(start: number, end: number): void {
    if (end - start > 1) {
      this.#skip(this.cell(start + 1, end), start, [start, end]);
      this.#skip(this.cell(start, end - 1), end - 1, [start, end]);
    }
    for (let middle = start + 1; middle < end; middle += 1)
      this.#combine(this.cell(start, middle), this.cell(middle, end), this.cell(start, end));
    this.cell(start, end).close();
  }

  /** A word at either end may mean nothing. */
  #skip(inner: Cell, word: number, [start, end]: [number, number]): void {
    const cost = this.#options.skipCost(word);
    for (const [key, each] of inner.best(SKIPPED)) {
      const skipped = cost > 0 ? [...each.skipped, word] : each.skipped;
      // What else it can stand for is in the inner cell already.
      this.cell(start, end).add({ ...each, start, end, cost: each.cost + cost, skipped }, key);
    }
  }

  #combine(before: Cell, behind: Cell, both: Cell): void {
    for (const [leftKind, lefts] of before.kinds)
      for (const [rightKind, rights] of behind.kinds) {
        const combine = this.#options.rulesFor(leftKind, rightKind);
        if (combine === undefined) continue;
        for (const left of lefts) {
          const most = both.most - left.cost;
          for (const right of rights) {
            // The others are dearer still.
            if (right.cost > most) break;
            this.stepsLeft -= 1;
            this.#join(combine, left, right, both);
          }
        }
      }
  }

  #join(combine: Combine, left: Fragment, right: Fragment, both: Cell): void {
    for (const { sense, cost: more } of this.#meant(combine, left.sense, right.sense)) {
      const cost = left.cost + right.cost + more;
      if (cost > both.limit) continue;
      const skipped = [...left.skipped, ...right.skipped];
      this.put({ sense, start: left.start, end: right.end, cost, skipped, parts: [left, right] });
    }
  }

  #meant(combine: Combine, left: Sense, right: Sense): Combined[] {
    const behind = this.#together.get(left) ?? new Map<Sense, Combined[]>();
    this.#together.set(left, behind);
    const meant = behind.get(right) ?? combine(left, right);
    behind.set(right, meant);
    return meant;
  }
}

function remembered<Made>(make: (sense: Sense) => Made): (sense: Sense) => Made {
  const known = new Map<Sense, Made>();
  return (sense) => {
    const made = known.get(sense) ?? make(sense);
    known.set(sense, made);
    return made;
  };
}

/** What neighbours save at most by fitting together. */
const MOST_SAVED = 1;

/** The cheapest meanings of one stretch of words. */
class Cell {
  /** Sorted, once the cell is closed. */
  all: Fragment[] = [];
  kinds: Map<Sense["t"], Fragment[]> = new Map();
  /** What costs more is not kept. */
  limit = Number.POSITIVE_INFINITY;
  readonly #beam: number;
  readonly #keyOf: (sense: Sense) => string;
  #known = new Map<string, Fragment>();

  constructor(beam: number, keyOf: (sense: Sense) => string) {
    this.#beam = beam;
    this.#keyOf = keyOf;
  }

  /** What two neighbours may cost, so that what they mean together can be among the cheapest. */
  get most(): number {
    return this.limit + MOST_SAVED;
  }

  /** False when it is known already, or too dear. */
  add(fragment: Fragment, key?: string): boolean {
    if (fragment.cost > this.limit) return false;
    const sense = key ?? this.#keyOf(fragment.sense);
    const known = this.#known.get(sense);
    if (known !== undefined && known.cost <= fragment.cost) return false;
    this.#known.set(sense, fragment);
    this.limit = Math.min(this.limit, fragment.cost + MARGIN);
    if (this.#known.size > this.#beam * 3) this.close();
    return true;
  }

  best(most: number): [string, Fragment][] {
    return this.#known.entries().take(most).toArray();
  }

  close(): void {
    const kept = [...this.#known]
      .filter(([, { cost }]) => cost <= this.limit)
      .sort(([, a], [, b]) => a.cost - b.cost)
      .slice(0, this.#beam);
    this.#known = new Map(kept);
    if (kept.length === this.#beam) this.limit = Math.min(this.limit, kept.at(-1)?.[1].cost ?? this.limit);
    this.all = kept.map(([, fragment]) => fragment);
    this.kinds = Map.groupBy(this.all, ({ sense }) => sense.t);
  }
}
