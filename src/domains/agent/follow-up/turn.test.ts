import { expect, it } from "vitest";
import { isGoingOn, isYielding, turnOf } from "./turn.ts";

/** What a text says without the words that lead to it, and what these say of it. */
it.for([
  ["and in 2024?", "in 2024", "on"],
  ["Ok, and only Danish ones please", "Danish ones", "polite on limits"],
  ["no, I meant passengers", "passengers", "corrects"],
  ["also by month", "by month", "adds"],
  ["split 2025 into its quarters", "2025 by quarters", "adds"],
  ["by ship instead of flag", "by ship", "instead"],
  ["not Baltica but Mistral", "Mistral", "corrects"],
  ["the same top 5 but for 2024", "for 2024", "corrects ranked"],
  ["of those, how many are new?", "how many of those are new", ""],
  ["back to this year", "this year", "back"],
  ["Got it. Next: how many ships are there?", "how many ships are there", "polite afresh"],
  ["Alles klar, neue Frage: Einnahmen 2025", "Einnahmen 2025", "polite afresh"],
  ["the next 5", "the next 5", ""],
  ["by month then", "by month", "polite"],
  ["how many crossings were there then?", "how many crossings were there then", ""],
])("%s", ([text = "", said, marks = ""]) => {
  const turn = turnOf(text);
  expect(turn.said).toBe(said);
  expect([...turn.marks].sort()).toEqual(marks.split(" ").filter(Boolean).sort());
});

it("goes on from what was said, or gives up what was asked in between", () => {
  expect(
    ["and 2024", "please, 2024", "different topic: ships"].map((text) => isGoingOn(turnOf(text))),
  ).toEqual([true, false, false]);
  expect(["ok, by month then", "by month", "units instead"].map((text) => isYielding(turnOf(text)))).toEqual([
    true,
    false,
    true,
  ]);
});
