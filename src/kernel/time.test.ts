import { describe, expect, it } from "vitest";
import { FairQueue } from "./fair-queue.ts";
import { abortError, parseDuration, timeLimit } from "./time.ts";

describe("parseDuration", () => {
  it.each([
    ["90d", 90 * 86_400_000],
    ["12h", 43_200_000],
    ["30m", 1_800_000],
    ["1y", 365 * 86_400_000],
    ["2w", 14 * 86_400_000],
    ["3600s", 3_600_000],
    [" 5 D ", 5 * 86_400_000],
  ])("reads %j", (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each(["", "90", "d", "-1d", "1.5h", "1h30m", "10 days", "90x", "1mo"])(
    "refuses %j and says how to write it",
    (text) => {
      expect(() => parseDuration(text)).toThrow(
        expect.objectContaining({ code: "bad_request", hint: expect.stringContaining("90d") }),
      );
    },
  );

  it.each(["0d", "101y", "999999999999y"])("refuses %j as out of bounds", (text) => {
    expect(() => parseDuration(text)).toThrow(/between one second and 100 years/);
  });
});

const queue = () =>
  new FairQueue({
    what: "tasks",
    places: 1,
    placesPerScope: 1,
    waiting: 10,
    waitingPerScope: 10,
    waitMs: 60_000,
  });

describe("whoever waits for a turn", () => {
  it("is told that the time ran out, and how long it was, when that is why", async () => {
    const tasks = queue();
    await tasks.enter("1");
    const late = timeLimit(50, "The query");
    await expect(tasks.enter("2", late)).rejects.toMatchObject({
      code: "timeout",
      message: "The query took longer than 0.1 s.",
      data: { timeoutMs: 50 },
    });
    // Also when it comes too late to wait at all.
    await expect(tasks.enter("2", late)).rejects.toMatchObject({ code: "timeout" });
  });

  it("is told of a cancellation when somebody cancelled it", async () => {
    const tasks = queue();
    await tasks.enter("1");
    const controller = new AbortController();
    const waiting = tasks.enter("2", AbortSignal.any([controller.signal, timeLimit(60_000)]));
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "cancelled", message: "The call was cancelled." });
  });
});

it("knows a time limit of the platform's own, which does not say how long it was", () => {
  const reason = new DOMException("late", "TimeoutError");
  expect(abortError(AbortSignal.abort(reason), "The query")).toMatchObject({
    code: "timeout",
    message: "The query took too long.",
  });
});
