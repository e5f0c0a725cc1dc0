import { a, maybe, word } from "./chart.ts";
import { lacksYear } from "./resolve.ts";
import type { Unit } from "./values.ts";

/** Places that many rules have. */
export const the = maybe(word("the"));
export const inside = word("in", "of");
/** A unit in the singular. */
export const one = a("unit", ({ plural }) => !plural);
/** How many: no year, and no zero. */
export const count = a("int", ({ n, digits }) => n > 0 && n < 1000 && digits < 4);
export const day = a("time", ({ unit }) => unit === "day");
export const year = a("time", (time) => time.unit === "year" && time.part === undefined && !lacksYear(time));

export function ordinal(high: number) {
  return a("ord", ({ n }) => n >= 1 && n <= high);
}

export function unitOf(...units: Unit[]) {
  return a("unit", ({ unit }) => units.includes(unit));
}
