import type { Calendar } from "./profile.ts";
import type { Token } from "./tokens.ts";
import type { Value, ValueOf } from "./values.ts";

/** The longest date that is read, and how much may be tried at one place: both keep the work linear in the text. */
const MAX_ITEM_TOKENS = 24;
const MAX_ITEMS_AT = 300;

export interface Item {
  from: number;
  to: number;
  value: Value;
}

/** One place of a rule. The keys say in advance which values are worth a look. */
export interface Place<T> {
  keys: readonly string[];
  take: (value: Value) => T | undefined;
  optional?: boolean;
}

export interface Rule {
  places: readonly Place<unknown>[];
  make: (parts: readonly unknown[], calendar: Calendar) => Value | undefined;
  /** No space between the tokens. */
  tight: boolean;
}

type Parts<P extends readonly Place<unknown>[]> = { [K in keyof P]: P[K] extends Place<infer T> ? T : never };

export function rule<const P extends readonly Place<unknown>[]>(
  places: P,
  make: (parts: Parts<P>, calendar: Calendar) => Value | undefined,
): Rule {
  return { places, make: make as Rule["make"], tight: false };
}

/** A rule whose tokens touch each other. */
export function tightRule<const P extends readonly Place<unknown>[]>(
  places: P,
  make: (parts: Parts<P>, calendar: Calendar) => Value | undefined,
): Rule {
  return { ...rule(places, make), tight: true };
}

export function word(...words: string[]): Place<string> {
  return {
    keys: words.map((each) => `word ${each}`),
    take: (value) => (value.t === "word" && words.includes(value.word) ? value.word : undefined),
  };
}

export function a<T extends Value["t"]>(t: T, fits?: (value: ValueOf<T>) => boolean): Place<ValueOf<T>> {
  return {
    keys: [t],
    take: (value) =>
      value.t === t && (fits === undefined || fits(value as ValueOf<T>)) ? (value as ValueOf<T>) : undefined,
  };
}

export function maybe<T>(place: Place<T>): Place<T | undefined> {
  return { ...place, optional: true };
}

/** A rule with optional places is several rules; each is kept under what its first place begins with. */
export class Grammar {
  readonly #starting = new Map<string, Rule[]>();

  constructor(rules: readonly Rule[]) {
    for (const each of rules) for (const variant of variants(each)) this.#add(variant);
  }

  startingWith(value: Value): readonly Rule[] {
    return this.#starting.get(keyOf(value)) ?? [];
  }

  #add(variant: Rule): void {
    for (const key of variant.places[0]?.keys ?? []) {
      const rules = this.#starting.get(key);
      if (rules === undefined) this.#starting.set(key, [variant]);
      else rules.push(variant);
    }
  }
}

function variants({ places, make, tight }: Rule): Rule[] {
  let kept: number[][] = [[]];
  for (const [i, place] of places.entries())
    kept = kept.flatMap((each) => (place.optional === true ? [[...each, i], each] : [[...each, i]]));
  return kept.map((indexes) => ({
    places: indexes.map((i) => places[i] as Place<unknown>),
    tight,
    make: (parts, calendar) => {
      const all: unknown[] = places.map(() => undefined);
      for (const [k, i] of indexes.entries()) all[i] = parts[k];
      return make(all, calendar);
    },
  }));
}

function keyOf(value: Value): string {
  return value.t === "word" ? `word ${value.word}` : value.t;
}

/**
 * Everything that the rules make of the tokens. Goes from right to left: when a place is filled, everything to its
 * right is complete, so that a rule needs one look.
 */
export function fillChart(tokens: readonly Token[], grammar: Grammar, calendar: Calendar): Item[][] {
  const chart: Item[][] = tokens.map(() => []);
  for (let start = tokens.length - 1; start >= 0; start--) {
    const here = chart[start] as Item[];
    const known = new Set<string>();
    const keep = (to: number, value: Value): void => {
      const key = `${to} ${JSON.stringify(value)}`;
      if (here.length >= MAX_ITEMS_AT || known.has(key)) return;
      known.add(key);
      here.push({ from: start, to, value });
    };
    for (const value of tokens[start]?.values ?? []) keep(start + 1, value);
    // Grows while it is walked through: what a rule makes may begin another.
    for (const item of here)
      for (const each of grammar.startingWith(item.value)) follow(tokens, chart, each, item, calendar, keep);
  }
  return chart;
}

function follow(
  tokens: readonly Token[],
  chart: readonly Item[][],
  { places, make, tight }: Rule,
  first: Item,
  calendar: Calendar,
  keep: (to: number, value: Value) => void,
): void {
  const parts: unknown[] = [];
  const step = (k: number, item: Item): void => {
    if (item.to - first.from > MAX_ITEM_TOKENS) return;
    if (tight && k > 0 && tokens[item.from]?.glued !== true) return;
    const part = places[k]?.take(item.value);
    if (part === undefined) return;
    parts[k] = part;
    if (k + 1 === places.length) {
      const value = make(parts, calendar);
      if (value !== undefined) keep(item.to, value);
      return;
    }
    for (const next of chart[item.to] ?? []) step(k + 1, next);
  };
  step(0, first);
}
