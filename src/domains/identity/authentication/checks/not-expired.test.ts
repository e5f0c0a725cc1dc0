import { expect, test } from "vitest";
import { circumstancesWith, grantWith, NOW } from "../../../../../test/support/grants.ts";
import { notExpired } from "./not-expired.ts";

test.for([
  { leftMs: 1, reason: null },
  { leftMs: 0, reason: "expired" },
  { leftMs: -1, reason: "expired" },
])("with $leftMs ms left: $reason", ({ leftMs, reason }) => {
  const grant = grantWith({ token: { expiresAt: new Date(NOW.getTime() + leftMs) } });
  expect(notExpired(grant, circumstancesWith())).toBe(reason);
});

test("a token without an end does not expire", () => {
  expect(notExpired(grantWith({ token: { expiresAt: null } }), circumstancesWith())).toBeNull();
});
