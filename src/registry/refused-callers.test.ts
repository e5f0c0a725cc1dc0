import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AppError } from "../kernel/errors.ts";
import type { Caller } from "./caller.ts";
import { RefusedCallers } from "./refused-callers.ts";

const someone = (email: string, tokenId: number) =>
  ({
    workspace: { id: 1, slug: "acme" },
    user: { id: tokenId, email },
    token: { id: tokenId, application: { id: "app", name: "Nightly" } },
  }) as unknown as Caller;
const tooMany = new AppError("rate_limited", "Too many queries of yours are waiting.");

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("tells at once who is refused because of load, then once a minute, and nothing once it is over", () => {
  const warn = vi.fn();
  const refused = new RefusedCallers({ warn });
  for (let n = 0; n < 500; n += 1)
    refused.note(tooMany, someone("ann@example.com", 1), { address: "1.2.3.4" });
  refused.note(new AppError("forbidden", "No."), someone("eve@example.com", 2), { address: "5.6.7.8" });
  const ann = { workspace: "acme", user: "ann@example.com", tokenId: 1, application: "Nightly" };
  expect(warn.mock.calls).toEqual([
    [
      { refused: 1, callers: [{ ...ann, reason: tooMany.message, address: "1.2.3.4", count: 1 }] },
      expect.any(String),
    ],
  ]);
  vi.advanceTimersByTime(60_000);
  expect(warn).toHaveBeenCalledTimes(2);
  expect(warn.mock.calls[1]?.[0]).toMatchObject({ refused: 499, callers: [{ ...ann, count: 499 }] });
  vi.advanceTimersByTime(600_000);
  expect(warn).toHaveBeenCalledTimes(2);
});
