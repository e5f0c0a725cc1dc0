import { describe, expect, it } from "vitest";
import { fitsName } from "./offers.ts";

function fits(text: string, word: string, name: string, isValue = false): boolean {
  const start = text.indexOf(word);
  return fitsName(text, { start, end: start + word.length }, { name, isValue });
}

describe("the place of a name", () => {
  it.each([
    ["number of boats by captains", "captains", "skipper"],
    ["average wattage of boats", "wattage", "engine power"],
    ["which captain has the most boats", "captain", "skipper"],
    ["Anzahl Boote pro Kapitän", "Kapitän", "skipper"],
  ])("is that of a noun: %s", (text, word, name) => {
    expect(fits(text, word, name)).toBe(true);
  });

  it.each([
    ["a verb", "which boats have anchored this year", "anchored", "anchor"],
    ["a deed behind a noun", "number of boats by chartering", "chartering", "purpose"],
    ["an adverb", "all recently sold boats", "recently", "age"],
    ["behind a pronoun", "how many boats did we moor", "moor", "harbour"],
    ["before another noun", "boats of dockyard skippers", "dockyard", "harbour"],
    ["behind a value", "boats in Kiel and ports", "ports", "harbour"],
    ["beside the same words", "number of boats by first answers", "answers", "first answer hours"],
  ])("is not that of %s: %s", (_, text, word, name) => {
    expect(fits(text, word, name)).toBe(false);
  });

  it("is another one for values of the data", () => {
    expect(fits("number of boats in Kile", "Kile", "Kiel", true)).toBe(true);
    expect(fits("number of boats by Kile", "Kile", "Kiel", true)).toBe(false);
    expect(fits("boats came from dealers", "dealers", "purpose")).toBe(false);
  });
});
