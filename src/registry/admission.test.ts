import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AppError, type ErrorCode } from "../kernel/errors.ts";
import { LIMITS } from "../kernel/limits.ts";
import { Admission, type Gate } from "./admission.ts";
import type { Caller } from "./caller.ts";

const someone = (id: number, email: string) =>
  ({
    workspace: { id: 1, slug: "acme" },
    user: { id, email },
    token: { id, application: { id: "app", name: "Nightly" } },
  }) as unknown as Caller;
const ann = { caller: someone(1, "ann@example.com"), address: "1.2.3.4" };
const bob = { caller: someone(2, "bob@example.com"), address: "5.6.7.8" };
const query = { name: "execute_query" };
const tooMany = (data: Record<string, unknown> = { retryAfterMs: 1_000 }) =>
  new AppError("rate_limited", "Too many queries of yours are waiting.", { data });
const isRefused = async (work: () => unknown) => {
  try {
    await work();
    return false;
  } catch {
    return true;
  }
};
const mayEnter = async (who: typeof ann) => {
  try {
    (await admission.enter(who, async () => undefined))();
    return true;
  } catch {
    return false;
  }
};

const warn = vi.fn();
let refused: Gate[];
let admission: Admission;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  warn.mockClear();
  refused = [];
  admission = new Admission({ log: { warn }, onRefused: (gate) => refused.push(gate) });
});
afterEach(() => vi.useRealTimers());

it("refuses the next calls of a tool by whom one was refused, for a moment, and nobody else's", async () => {
  admission.noteRun(query, ann, tooMany());
  expect(() => admission.checkBackOff(query, ann)).toThrow(tooMany());
  expect(await isRefused(() => admission.checkBackOff({ name: "whoami" }, ann))).toBe(false);
  expect(await isRefused(() => admission.checkBackOff(query, bob))).toBe(false);
  expect(await mayEnter(ann)).toBe(true);
  vi.advanceTimersByTime(LIMITS.call.refusedAgainMs);
  expect(await isRefused(() => admission.checkBackOff(query, ann))).toBe(false);
  expect(refused).toEqual(["queue", "tool_backing_off"]);
});

it("refuses at the door whoever goes on and on, until the moment is over", async () => {
  admission.noteRun(query, ann, tooMany());
  for (let call = 1; call < LIMITS.call.refusalsInARow; call += 1)
    await isRefused(() => admission.checkBackOff(query, ann));
  expect(await mayEnter(ann)).toBe(false);
  expect(refused.at(-1)).toBe("backing_off");
  expect(await mayEnter(bob)).toBe(true);
  vi.advanceTimersByTime(LIMITS.call.refusedAgainMs);
  expect(await mayEnter(ann)).toBe(true);
});

it("backs off after nothing but too much at once", async () => {
  for (const error of [tooMany({}), new AppError("bad_request", "What?"), "?"])
    admission.noteRun(query, ann, error);
  expect(await isRefused(() => admission.checkBackOff(query, ann))).toBe(false);
  expect(refused).toEqual(["queue"]);
});

it("lets go of a request that its rate limit refuses", async () => {
  const refuse = () => admission.enter(ann, () => Promise.reject(tooMany({ limit: "user" })));
  for (let n = 0; n <= LIMITS.request.inFlightPerUser; n += 1) await expect(refuse()).rejects.toThrow();
  expect(new Set(refused)).toEqual(new Set(["request_rate"]));
  const leave = [];
  for (let n = 0; n < LIMITS.request.inFlightPerUser; n += 1)
    leave.push(await admission.enter(ann, async () => undefined));
  expect(await mayEnter(ann)).toBe(false);
  expect(refused.at(-1)).toBe("in_flight");
  leave[0]?.();
  expect(await mayEnter(ann)).toBe(true);
});

it("counts a refusal once, by the gate that refused first, whoever hands it on", async () => {
  const error = tooMany();
  expect(() =>
    admission.check("permission", ann, () => {
      throw error;
    }),
  ).toThrow(error);
  admission.noteRun(query, ann, error);
  expect(refused).toEqual(["permission"]);
});

it("counts a body that finds no memory", () => {
  const lease = admission.openBody(ann, "line", "hash");
  expect(() => lease.grow(LIMITS.request.bytesInFlightPerToken + 1)).toThrow("at once");
  expect(refused).toEqual(["body_memory"]);
});

it("tells at once who is refused because of load, then once a minute, and nothing once it is over", () => {
  const refuse = (code: ErrorCode, who: typeof ann) =>
    expect(() =>
      admission.check("call_rate", who, () => {
        throw new AppError(code, "Too many calls.");
      }),
    ).toThrow();
  for (let n = 0; n < 500; n += 1) refuse("rate_limited", ann);
  refuse("forbidden", bob);
  const told = { workspace: "acme", user: "ann@example.com", tokenId: 1, application: "Nightly" };
  const first = { ...told, gate: "call_rate", reason: "Too many calls.", address: "1.2.3.4", count: 1 };
  expect(warn.mock.calls).toEqual([[{ refused: 1, callers: [first] }, expect.any(String)]]);
  vi.advanceTimersByTime(60_000);
  expect(warn).toHaveBeenCalledTimes(2);
  expect(warn.mock.calls[1]?.[0]).toMatchObject({ refused: 499, callers: [{ ...told, count: 499 }] });
  vi.advanceTimersByTime(600_000);
  expect(warn).toHaveBeenCalledTimes(2);
});
