import { expect, it } from "vitest";
import { AppError } from "../../kernel/errors.ts";
import { PlanThreads } from "./plan-threads.ts";

const GIVEN = { text: "Pause the alert Sales", dashboardId: undefined, widgetId: undefined, me: "a@b.cc" };
const { signal } = new AbortController();
const sight = (call: () => Promise<never>, scope = "1/1") => ({
  call,
  aliases: async () => new Map(),
  scope,
  signal,
});

it("gives up after its time, and says how long that was", async () => {
  const planning = new PlanThreads(300);
  const planned = planning.plan(
    GIVEN,
    sight(() => new Promise(() => undefined)),
  );
  await expect(planned).rejects.toMatchObject({
    code: "timeout",
    message: "Planning the instruction took longer than 0.3 s.",
    hint: expect.stringContaining("Nothing was done"),
  });
});

it("passes on what a lookup refuses, and throws what nobody expected as it was", async () => {
  const planning = new PlanThreads();
  const refused = new AppError("rate_limited", "Too many of them.", { hint: "Wait." });
  await expect(
    planning.plan(
      GIVEN,
      sight(() => Promise.reject(refused)),
    ),
  ).rejects.toMatchObject({
    code: "rate_limited",
    message: "Too many of them.",
    hint: "Wait.",
  });
  const bug = new TypeError("a bug");
  await expect(
    planning.plan(
      GIVEN,
      sight(() => Promise.reject(bug)),
    ),
  ).rejects.toBe(bug);
});
