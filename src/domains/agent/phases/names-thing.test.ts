import { expect, it } from "vitest";
import { namesThing } from "./namesakes.ts";

it.each([
  ["Who looks for a new importer for Denmark, and why?", "importer Denmark", "looks new why"],
  ["WHO LOOKS FOR A NEW IMPORTER", "IMPORTER", "LOOKS"],
  ["Which supplier delivers late?", "supplier", "delivers late"],
  ["Which suppliers deliver late?", "suppliers", "deliver late"],
  ["Why did the importer in Denmark leave?", "importer", "Why leave"],
  ["Why do customers in the north complain?", "", "complain"],
  ["customers in Bern who complain", "Bern", "complain"],
  ["customers that complain", "", "complain"],
  ["customers, which complain", "", "complain"],
  ["Who wants to complain to employees?", "employees", "wants complain"],
  ["Do our dealers recommend the bikes?", "", "recommend"],
  ["How often should the chain be oiled?", "chain", "oiled"],
  ["How many dealers signed a contract?", "contract", "signed"],
  ["number of strikes by species and sponsor", "sponsor", ""],
  ["who drives home and sleeps", "", "drives home sleeps"],
  ["average temperature in the warehouse", "temperature warehouse", ""],
  ["stock of batteries by warehouse", "stock warehouse", ""],
  ["the best importer", "importer", "best"],
  ["show me employees who swim", "employees", "swim"],
  ["top 5 employees quickly", "employees", "quickly"],
  ["Forecast revenue for Norway", "Norway", "Forecast"],
  ["asdf qwer zxcv", "", "asdf qwer zxcv"],
  ["Wer sucht einen neuen Importeur für Dänemark?", "Importeur Dänemark", "sucht neuen"],
  ["wer sucht einen neuen importeur für dänemark?", "importeur dänemark", "sucht neuen"],
  ["Welche Lieferanten liefern zu spät?", "Lieferanten", "liefern spät"],
  ["kunden, die kündigen", "", "kündigen"],
  ["Wann wird der Händler beliefert und warum beschwert er sich?", "Händler", "beliefert warum beschwert er"],
  ["Kündigen die Kunden oft?", "Kunden", "Kündigen oft"],
])("%s: things are %s; in doubt are %s", (question, things, others) => {
  const words = `${things} ${others}`.trim().split(/\s+/);
  const found = words.filter((word) => namesThing(word, question));
  expect(found.join(" ")).toBe(things);
});

it.each([
  ["DROP TABLE", "DROP TABLE shops", false],
  ["🇩🇰", "revenue of 🇩🇰", false],
  ["Bern Oslo", "Which cities?", true],
])("%s in %s: %s", (text, question, isThing) => {
  expect(namesThing(text, question)).toBe(isThing);
});
