/** Numbers that are named after their unit are asked for by what they measure. Other words are the questions' own matter. */
const UNITS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    milliseconds: ["duration", "length", "time"],
    seconds: ["duration", "length", "time"],
    minutes: ["duration", "length", "time"],
    hours: ["duration", "time"],
    bytes: ["size"],
    kilometers: ["distance"],
    km: ["distance"],
    miles: ["distance"],
    kg: ["weight"],
  }),
);

/** What a number in this unit measures, in place of its last word. */
export function measuredBy(words: readonly string[]): string[] {
  const measures = UNITS.get(words.at(-1) ?? "") ?? [];
  return measures.map((word) => [...words.slice(0, -1), word].join(" "));
}

/** What is asked for where a dataset is about selling. */
export const SALES = ["sales", "turnover", "spend", "spending"];
const SELLING = new Set(
  "order sale sales invoice transaction purchase item line detail booking payment receipt".split(" "),
);

export function isSelling(thing: readonly string[]): boolean {
  return thing.some((word) => SELLING.has(word));
}
