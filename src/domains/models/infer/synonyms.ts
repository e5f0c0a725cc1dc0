/** Words that people use for the same thing; the first of a group is how tables mostly call it. */
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
book publication
user member
department division
company firm business
salary pay wage
price cost
revenue turnover income
quantity units
phone telephone
email mail
apartment flat
game match
flight trip
author writer
actor performer
song track
school university
hospital clinic
area surface
population inhabitants people residents
height tallness
length duration
rating score
gender sex
birth born
category type genre kind
title name
status state
`
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

/** Only these words of a group stand for a whole table or column; the others would say too much. */
const LOOSE = new Set([
  "category type genre kind",
  "title name",
  "status state",
  "length duration",
  "price cost",
]);

/** Other words for what a phrase says, by its last word. */
export function otherWords(words: readonly string[]): string[] {
  const last = words.at(-1) ?? "";
  const group = GROUPS.find((each) => each.includes(last) && !LOOSE.has(each.join(" ")));
  return (group ?? []).filter((word) => word !== last).map((word) => [...words.slice(0, -1), word].join(" "));
}

/** What sales are called, where a dataset is about selling. */
export const SALES = ["sales", "revenue", "turnover"];
const SELLING = new Set([
  "order",
  "sale",
  "sales",
  "invoice",
  "transaction",
  "purchase",
  "item",
  "line",
  "detail",
  "booking",
  "payment",
]);

export function isSelling(thing: readonly string[]): boolean {
  return thing.some((word) => SELLING.has(word));
}
