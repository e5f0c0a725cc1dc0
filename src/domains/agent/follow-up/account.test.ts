import { expect, it } from "vitest";
import { ferryContext } from "../../../../test/support/ferry-line.ts";
import type { Change } from "./change.ts";
import { asksOf, isBroken, keptOf } from "./context.ts";

const CONTEXT = ferryContext();
const { schema } = CONTEXT.knowledge;

async function askOf(text: string) {
  const [ask] = await asksOf(text, CONTEXT);
  if (ask === undefined) throw new Error(`Nobody reads "${text}".`);
  return ask;
}

const TOTAL: Change = { k: "total" };

/** Whether something is gone that no change took away. */
it.for<[before: string, after: string, changes: Change[], isGone: boolean]>([
  ["takings by ship in 2025", "takings by ship in 2024", [], false],
  ["takings by ship in 2025", "takings by ship", [], true],
  ["takings by ship in 2025", "takings in 2025", [], true],
  ["takings by ship in 2025", "takings in 2025", [TOTAL], false],
  ["takings of Danish ships", "takings", [TOTAL], true],
  ["takings of Danish ships", "takings of Swedish ships", [], false],
  ["top 2 ships by takings", "takings by ship", [TOTAL], true],
  ["top 2 ships by takings", "takings by ship", [{ k: "all" }], false],
])("%s: %s", async ([before, after, changes, isGone]) => {
  expect(isBroken(await askOf(before), await askOf(after), changes, schema)).toBe(isGone);
});

it.for([
  ["takings by ship in 2025", "takings by ship in 2024", "takings, by ship"],
  ["takings of Danish ships in 2025", "passengers of Danish ships in 2025", "2025, Danish"],
  ["top 2 ships by takings in 2025", "top 2 ships by takings in 2024", "takings, by ship, the first 2"],
  ["takings in 2025", "passengers in 2024", ""],
])("%s, then %s keeps %s", async ([before = "", after = "", kept]) => {
  expect(keptOf(await askOf(before), await askOf(after)).join(", ")).toBe(kept);
});
