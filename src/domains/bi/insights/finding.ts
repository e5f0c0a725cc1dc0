import { MS } from "../../../kernel/time.ts";
import type { Column } from "../../data/index.ts";
import { isAdditive, type Measure } from "../query/plan.ts";
import type { Aggregate } from "../shapes.ts";

/** What was found in the data, before it is known which findings hold together. */
export interface Finding {
  kind: "trend" | "change" | "outlier" | "season" | "missing" | "driver" | "concentration" | "correlation";
  sentence: string;
  numbers: Record<string, number | string>;
  /** The chance that noise looks like it; null for what simply is so. */
  p: number | null;
  /** How much it matters, from 0 to 1. */
  impact: number;
  /** What to look at next. */
  next: string;
  /** When it happened, for what happened once; null for what is always so. */
  at: number | null;
  /** Of the number, in its own unit, with its sign: two findings of the same size and time are one. */
  change: number;
  /** The value of a field that it is about, if not the whole. */
  part?: string;
}

/** A field as it is read in a sentence. */
export function wordsOf(field: string): string {
  return field.replaceAll("_", " ");
}

/** A share of something, as far as it says anything: from 0 to 1. */
export function impactOf(change: number, base: number): number {
  const share = Math.abs(change) / Math.max(Math.abs(base), Number.MIN_VALUE);
  return Number.isFinite(share) ? share / (1 + share) : 1;
}

/** After so long, news is half as new. */
const HALF_NEW_MS = 180 * MS.day;
/** What is always so is known to most. */
const ALWAYS = 0.3;

/** Impact times how sure it is and how new, at the end of the data. */
export function scoreOf({ p, impact, at }: Finding, now: number): number {
  const sure = p === null ? 0.7 : Math.min(1, -Math.log10(Math.max(p, 1e-10)) / 5);
  return impact * sure * (at === null ? ALWAYS : 1 / (1 + Math.max(0, now - at) / HALF_NEW_MS));
}

/** Findings of the same happening are at most so far apart. */
const SAME_TIME_MS = 45 * MS.day;
/** And the smaller is at least this much of the larger. */
const SAME_SIZE = 0.6;

/**
 * The best of those that tell the same, from the best to the least. The same is: the same sentence; the same part of
 * the data or the same size of the change, at the same time and in the same direction. What drives a change is told
 * beside it.
 */
export function withoutImplied<T extends Finding & { measure: string; score: number }>(
  all: readonly T[],
): T[] {
  const told: T[] = [];
  for (const one of all.toSorted((a, b) => b.score - a.score))
    if (!told.some((other) => other.sentence === one.sentence || isImplied(one, other))) told.push(one);
  return told;
}

function isImplied(one: Finding & { measure: string }, other: Finding & { measure: string }): boolean {
  if (one.at === null || other.at === null || Math.sign(one.change) !== Math.sign(other.change)) return false;
  if ((one.kind === "driver") !== (other.kind === "driver")) return false;
  if ((one.kind === "outlier") !== (other.kind === "outlier")) return false;
  if (one.part !== undefined && one.part === other.part) return true;
  const isOneTime = Math.abs(one.at - other.at) <= (one.kind === "outlier" ? 0 : SAME_TIME_MS);
  if (!isOneTime) return false;
  if (one.measure !== other.measure) return one.part === other.part;
  if (one.part === undefined && other.part === undefined) return true;
  const [small, large] = [Math.abs(one.change), Math.abs(other.change)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return small >= SAME_SIZE * large;
}

/** How the number is called and written. */
export interface Naming {
  /** Within a sentence: "revenue", "average price". */
  name: string;
  format: string;
  locale: string;
  /** True if it is so much a day, a month, a year. */
  isPerPeriod: boolean;
}

const WORDS: Record<Exclude<Aggregate, "sum">, (name: string) => string> = {
  avg: (name) => `average ${name}`,
  count: (name) => `number of ${name} values`,
  distinct: (name) => `number of different ${name} values`,
  min: (name) => `smallest ${name}`,
  max: (name) => `largest ${name}`,
  median: (name) => `median ${name}`,
};

/** A number as people speak of it: a sum goes by its name alone, and rows by what they are, if their table says it. */
export function namingOf(
  measure: Measure,
  {
    dataset,
    format = measure.format,
    locale,
  }: { dataset: string; format?: string | undefined; locale: string },
): Naming {
  const { field, aggregate } = measure;
  const named = () => {
    if (field === null)
      return `number of ${/^[\p{L} _]+s$/u.test(dataset) ? lowered(wordsOf(dataset)) : "rows"}`;
    return aggregate === "sum" ? wordsOf(field.name) : WORDS[aggregate](wordsOf(field.name));
  };
  return { name: named(), format, locale, isPerPeriod: isAdditive(measure) };
}

function lowered(name: string): string {
  return /^\p{Lu}\p{Ll}/u.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}

/** With a capital where a sentence begins, unless its spelling is its own (pH, iPhone). */
export function beginning(text: string): string {
  return /^\p{Ll}+(?!\p{L})/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** What stands for no value. */
export const NONE = "–";
/** What says nothing without the name of its field: numbers, codes, yes and no. */
const BARE = /^(true|false|yes|no|other|none|unknown)$/i;

/** A value of a field, as it is spoken of: with the name of the field only where it says too little alone. */
export function partOf({ name: field }: Pick<Column, "name">, value: string): string {
  if (value === NONE) return `no ${wordsOf(field)}`;
  return /\p{L}{3}/u.test(value) && !BARE.test(value) ? value : `${wordsOf(field)} ${value}`;
}

const TOTAL = "all|total|grand total|overall|alle|gesamt|insgesamt";

/** A total of the others that stands among them, and is called nothing but that. */
export function isTotal(value: string): boolean {
  return new RegExp(`^(${TOTAL})$`, "i").test(value);
}

/** By its name; there are also All Saints and Total Energies, so its number has to say so too. */
export function mayBeTotal(value: string): boolean {
  return new RegExp(`^(${TOTAL})(?!\\p{L})`, "iu").test(value);
}

/** From less than this part of what it became, a share says nothing. */
const LEAST_BASE = 0.1;

/** A change as a share of what was before; undefined where that is next to nothing, or on the other side of zero. */
export function relativeChange(before: number, after: number): number | undefined {
  const isOneSide = Math.sign(before) * Math.sign(after) >= 0 && before !== 0;
  return isOneSide && Math.abs(before) >= LEAST_BASE * Math.abs(after)
    ? (after - before) / Math.abs(before)
    : undefined;
}
