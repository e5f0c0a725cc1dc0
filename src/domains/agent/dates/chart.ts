import type { Calendar } from "./profile.ts";
import type { Value, ValueOf } from "./values.ts";
import type { Token } from "./words.ts";

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
}

/** A place as it stands in a rule; what it takes is one of the parts that the rule is made of. */
interface Slot extends Place<unknown> {
  isOptional: boolean;
  part?: number;
}

export interface Rule {
  slots: readonly Slot[];
  make: (parts: readonly unknown[], calendar: Calendar) => Value | undefined;
  /** No space between the tokens. */
  tight: boolean;
}

type Places = Readonly<Record<string, Place<unknown>>>;

/** What a pattern hands to its rule: the values of its places, and the words in round brackets. */
type Parts<S extends string, P extends Places> = S extends `${infer First} ${infer Rest}`
  ? [...PartOf<First, P>, ...Parts<Rest, P>]
  : PartOf<S, P>;
type PartOf<S extends string, P extends Places> = S extends `[${infer Inner}]`
  ? PartOf<Inner, P> extends [infer T]
    ? [T | undefined]
    : []
  : S extends `(${infer Words})`
    ? [OneOf<Words>]
    : S extends keyof P
      ? [P[S] extends Place<infer T> ? T : never]
      : [];
type OneOf<S extends string> = S extends `${infer First}|${infer Rest}` ? First | OneOf<Rest> : S;

type Make<S extends string, P extends Places> = (parts: Parts<S, P>, calendar: Calendar) => Value | undefined;

/**
 * Makes rules of patterns such as `(last|next) [only] Duration`: words, places by their names, and in square brackets
 * what may be left out. Parts of a tight rule touch each other.
 */
export function rulesOf<P extends Places>(places: P) {
  const make = <S extends string>(pattern: S, of: Make<S, P>, tight: boolean): Rule => ({
    slots: slotsOf(pattern, places),
    make: of as Rule["make"],
    tight,
  });
  return {
    rule: <S extends string>(pattern: S, of: Make<S, P>) => make(pattern, of, false),
    tight: <S extends string>(pattern: S, of: Make<S, P>) => make(pattern, of, true),
  };
}

function slotsOf(pattern: string, places: Places): Slot[] {
  let parts = 0;
  return pattern.split(" ").map((token) => {
    const isOptional = token.startsWith("[");
    const name = isOptional ? token.slice(1, -1) : token;
    const isSaid = name.startsWith("(");
    const place = places[name] ?? word(...(isSaid ? name.slice(1, -1) : name).split("|"));
    if (!isSaid && places[name] === undefined) return { ...place, isOptional };
    parts += 1;
    return { ...place, isOptional, part: parts - 1 };
  });
}

function word(...words: string[]): Place<string> {
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
    for (const key of variant.slots[0]?.keys ?? []) {
      const rules = this.#starting.get(key);
      if (rules === undefined) this.#starting.set(key, [variant]);
      else rules.push(variant);
    }
  }
}

function variants(rule: Rule): Rule[] {
  let kept: Slot[][] = [[]];
  for (const slot of rule.slots)
    kept = kept.flatMap((each) => (slot.isOptional ? [[...each, slot], each] : [[...each, slot]]));
  return kept.map((slots) => ({ ...rule, slots }));
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
  { slots, make, tight }: Rule,
  first: Item,
  calendar: Calendar,
  keep: (to: number, value: Value) => void,
): void {
  const parts: unknown[] = [];
  const step = (k: number, item: Item): void => {
    if (item.to - first.from > MAX_ITEM_TOKENS) return;
    if (tight && k > 0 && tokens[item.from]?.glued !== true) return;
    const { take, part } = slots[k] as Slot;
    const value = take(item.value);
    if (value === undefined) return;
    if (part !== undefined) parts[part] = value;
    if (k + 1 === slots.length) {
      const made = make(parts, calendar);
      if (made !== undefined) keep(item.to, made);
      return;
    }
    for (const next of chart[item.to] ?? []) step(k + 1, next);
  };
  step(0, first);
}
