import type { Column } from "../../data/index.ts";
import { isAdditive, type Measure } from "../query/plan.ts";
import type { Aggregate } from "../shapes.ts";
import { wordsOf } from "./finding.ts";

/** How the number is called and written. */
export interface Naming {
  /** Within a sentence: "revenue", "average price". */
  name: string;
  format: string;
  locale: string;
  /** Whether it is so much a day, a month, a year. */
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
