import { expect, it } from "vitest";
import { ferryContext } from "../../../../test/support/ferry-line.ts";
import { say } from "../explain/say.ts";
import { asksOf } from "./context.ts";
import { inContext } from "./whole.ts";

const CONTEXT = ferryContext();

/** What a whole question may mean after another one, the likeliest first. */
it.for<[before: string, text: string, ...asks: string[]]>([
  ["takings by ship in 2025", "what is the average delay?", "average delay by ship in 2025"],
  ["takings in 2025", "passengers by flag", "passengers by flag in 2025"],
  ["takings in 2025", "passengers by flag in 2024", "passengers by flag in 2024"],
  ["takings in 2025", "how many ships do we have?", "number of ships"],
  [
    "takings of Danish ships in 2025",
    "passengers by weather",
    "passengers by weather where ship flag is Danish in 2025",
    "passengers by weather in 2025",
  ],
  ["takings of Danish ships in 2025", "total passengers by weather", "passengers by weather in 2025"],
])("%s: %s", async ([before, text, ...asks]) => {
  const [ask] = await asksOf(before, CONTEXT);
  const whole = ask && (await inContext(text, ask, false, CONTEXT));
  expect(whole?.asks.map(say)).toEqual(asks);
});
