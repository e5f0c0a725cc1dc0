/** Words that people use for the same thing, of tables and of columns. */
const GROUPS: readonly (readonly string[])[] = `
customer client buyer shopper
employee staff worker
product article
store shop branch outlet
order purchase
invoice bill
supplier vendor
movie film
car vehicle
country nation
city town
teacher instructor
doctor physician
student pupil
user member
department division
company firm
salary pay wage
revenue turnover
quantity units
phone telephone
apartment flat
game match
author writer
song track tune
encounter visit
payer insurer
immunization vaccination
medication drug prescription
area surface
population inhabitants residents
gender sex
duration length
`
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

/** Numbers that are named after their unit are asked for by what they measure. */
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

/** Other words for what a phrase says, by its last word. */
export function otherWords(words: readonly string[]): string[] {
  const last = words.at(-1) ?? "";
  const group = GROUPS.find((each) => each.includes(last)) ?? [];
  return [...group, ...(UNITS.get(last) ?? [])]
    .filter((word) => word !== last)
    .map((word) => [...words.slice(0, -1), word].join(" "));
}

/** What is asked for where a dataset is about selling. */
export const SALES = ["sales", "turnover", "spend", "spending"];
const SELLING = new Set(
  "order sale sales invoice transaction purchase item line detail booking payment receipt".split(" "),
);

export function isSelling(thing: readonly string[]): boolean {
  return thing.some((word) => SELLING.has(word));
}
