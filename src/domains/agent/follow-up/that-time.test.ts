import { expect, it } from "vitest";
import { ferryContext } from "../../../../test/support/ferry-line.ts";
import { asksOf } from "./context.ts";
import { inTheirYear, isTime, withNames, withTimes } from "./that-time.ts";

const CONTEXT = ferryContext(["Baltica", "Mistral"]);

async function askOf(text: string) {
  const [ask] = await asksOf(text, CONTEXT);
  if (ask === undefined) throw new Error(`Nobody reads "${text}".`);
  return ask;
}

/** What a text says after "takings in March 2025"; what cannot be told is in brackets. */
it.for([
  ["passengers in that month", "passengers between 2025-03-01 and 2025-03-31"],
  ["how many crossings were there then", "how many crossings were there between 2025-03-01 and 2025-03-31"],
  ["Fahrgäste in dem Monat", "Fahrgäste zwischen 2025-03-01 und 2025-03-31"],
  ["the month after it", "between 2025-04-01 and 2025-04-30"],
  ["the week before that", "the week before"],
  ["passengers since then", "passengers since 2025-03-01"],
  ["passengers in that year", "passengers between 2025-01-01 and 2025-12-31"],
  ["passengers in that week", "[that week]"],
  ["passengers by ship", "passengers by ship"],
])("%s", async ([text = "", said]) => {
  const timed = await withTimes(text, await askOf("takings in March 2025"), CONTEXT);
  expect("open" in timed ? `[${timed.open}]` : timed.text).toBe(said);
});

it("takes a month for one of the year that is spoken of, and a place for the name that stands there", async () => {
  expect(inTheirYear("in March", await askOf("takings in May 2024"), CONTEXT)).toBe("in March 2024");
  expect(inTheirYear("in this March", await askOf("takings in May 2024"), CONTEXT)).toBe("in this March");
  const shown = [await askOf("takings by ship in 2025")];
  expect(await withNames("how many crossings did the second one have", shown, CONTEXT)).toBe(
    "how many crossings did Mistral have",
  );
});

it.for([
  ["last week day by day", true],
  ["in March 2025", true],
  ["takings last week", false],
  ["the second one", false],
] as const)("%s is nothing but a time: %s", ([text, isOne]) => {
  expect(isTime(text, CONTEXT)).toBe(isOne);
});
