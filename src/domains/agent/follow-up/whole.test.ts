import { expect, it } from "vitest";
import { ferryContext } from "../../../../test/support/ferry-line.ts";
import { say } from "../explain/say.ts";
import { asksOf } from "./context.ts";
import { inContext } from "./turn.ts";

const CONTEXT = ferryContext();

/** What a whole question may mean after another one that it goes on from, or not: the likeliest first. */
it.for<[before: string, text: string, goesOn: boolean, ...asks: string[]]>([
  ["takings by ship in 2025", "average delay", false, "average delay by ship in 2025"],
  ["takings in 2025", "passengers by flag", false, "passengers by flag"],
  ["takings of Danish ships in 2025", "passengers by weather", false, "passengers by weather"],
  ["takings in 2025", "passengers by flag", true, "passengers by flag in 2025"],
  ["takings in 2025", "passengers by flag in 2024", true, "passengers by flag in 2024"],
  ["takings in 2025", "how many ships do we have?", true, "number of ships"],
  [
    "takings of Danish ships in 2025",
    "passengers by weather",
    true,
    "passengers by weather where ship flag is Danish in 2025",
  ],
  ["takings of Danish ships in 2025", "total passengers by weather", true, "passengers by weather in 2025"],
])("%s: %s", async ([before, text, goesOn, ...asks]) => {
  const [ask] = await asksOf(before, CONTEXT);
  const whole = ask && (await inContext(text, ask, goesOn, CONTEXT));
  expect(whole?.asks.map(say)).toEqual(asks);
});
