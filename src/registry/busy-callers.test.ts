import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AppError } from "../kernel/errors.ts";
import { LIMITS } from "../kernel/limits.ts";
import { BusyCallers } from "./busy-callers.ts";
import type { Caller } from "./caller.ts";

const someone = (user: number) => ({ workspace: { id: 1 }, user: { id: user } }) as Caller;
const [ann, bob] = [someone(1), someone(2)];
const query = { name: "execute_query" };
const tooMany = () =>
  new AppError("rate_limited", "Too many queries of yours are waiting.", { data: { retryAfterMs: 1_000 } });
const isRefused = (work: () => void) => {
  try {
    work();
    return false;
  } catch {
    return true;
  }
};

let busy: BusyCallers;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  busy = new BusyCallers();
});
afterEach(() => vi.useRealTimers());

it("refuses the next calls of a tool by whom one was refused, for a moment, and nobody else's", () => {
  busy.note(query, ann, tooMany());
  expect(() => busy.assertMayCall(query, ann)).toThrow(tooMany());
  expect(isRefused(() => busy.assertMayCall({ name: "whoami" }, ann))).toBe(false);
  expect(isRefused(() => busy.assertMayCall(query, bob))).toBe(false);
  expect(isRefused(() => busy.assertMayEnter(ann))).toBe(false);
  vi.advanceTimersByTime(LIMITS.call.refusedAgainMs);
  expect(isRefused(() => busy.assertMayCall(query, ann))).toBe(false);
});

it("refuses at the door whoever goes on and on, until the moment is over", () => {
  busy.note(query, ann, tooMany());
  for (let call = 1; call < LIMITS.call.refusalsInARow; call += 1)
    isRefused(() => busy.assertMayCall(query, ann));
  expect(() => busy.assertMayEnter(ann)).toThrow(tooMany());
  expect(isRefused(() => busy.assertMayEnter(bob))).toBe(false);
  vi.advanceTimersByTime(LIMITS.call.refusedAgainMs);
  expect(isRefused(() => busy.assertMayEnter(ann))).toBe(false);
});

it("is about nothing but too much at once", () => {
  for (const error of [new AppError("rate_limited", "Later."), new AppError("bad_request", "What?"), "?"])
    busy.note(query, ann, error);
  expect(isRefused(() => busy.assertMayCall(query, ann))).toBe(false);
});
