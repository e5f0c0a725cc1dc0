import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ToldOnce } from "./told-once.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

it("tells of each thing when it begins, then once a minute how often it was silent, and anew when it was over", () => {
  const told = new ToldOnce();
  const lines: unknown[] = [];
  const tell = (what: string) => told.tell(what, (facts) => lines.push({ what, ...facts }));
  for (let times = 0; times < 100; times += 1) tell("full");
  tell("away");
  expect(lines.splice(0)).toEqual([{ what: "full" }, { what: "away" }]);
  vi.advanceTimersByTime(60_000);
  tell("full");
  tell("away");
  expect(lines.splice(0)).toEqual([{ what: "full", timesSince: 99 }, { what: "away" }]);
  told.forget("full");
  tell("full");
  tell("away");
  expect(lines).toEqual([{ what: "full" }]);
});
