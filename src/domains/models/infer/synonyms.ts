import { measureOf, unitCalled } from "../quantities/index.ts";

/** Numbers that are named after their unit are asked for by what they measure. Other words are the questions' own matter. */
const MEASURED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    duration: ["duration", "length", "time"],
    data: ["size"],
    distance: ["distance"],
    weight: ["weight"],
  }),
);

/** What a number in a unit measures, in place of the unit, and its name without it: of `body_mass_g` the body mass. */
export function measuredBy(words: readonly string[]): string[] {
  const measure = measureOf(words.join(" "));
  const last = words.at(-1) ?? "";
  const unit = unitCalled(last);
  if (measure?.unit === undefined || unit === undefined || unit.sign !== measure.unit.sign) return [];
  const rest = words.slice(0, words.at(-2) === "in" ? -2 : -1);
  const hasNoun = measureOf(rest.join(" ")) !== undefined;
  const named = hasNoun ? [] : (MEASURED.get(measure.quantity) ?? []);
  return [...named.map((word) => [...rest, word].join(" ")), ...(rest.length > 0 ? [rest.join(" ")] : [])];
}

/** What is asked for where a dataset is about selling. */
export const SALES = ["sales", "turnover", "spend", "spending"];
const SELLING = new Set(
  `order sale sales invoice transaction purchase item line detail booking payment receipt rechnung bestellung auftrag
  verkauf umsatz kauf einkauf buchung kassenbon`.split(/\s+/),
);

/** And where it is about spending. */
export const SPENDING = ["spend", "spending", "expense", "cost", "ausgaben", "kosten"];
const SPENT = new Set("expense cost spend spending expenditure ausgabe spesen kosten".split(" "));

export function isSpending(thing: readonly string[]): boolean {
  return thing.some((word) => SPENT.has(word));
}

export function isSelling(thing: readonly string[]): boolean {
  return thing.some((word) => SELLING.has(word));
}
