import { describe, expect, it } from "vitest";
import { abortError, timeLimit } from "./aborted.ts";
import { FairQueue } from "./fair-queue.ts";

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
