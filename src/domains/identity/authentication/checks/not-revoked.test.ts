import { expect, test } from "vitest";
import { circumstancesWith, grantWith, NOW } from "../../../../../test/support/grants.ts";
import { notRevoked } from "./not-revoked.ts";

test("a revoked token is over, whenever that was", () => {
  expect(notRevoked(grantWith(), circumstancesWith())).toBeNull();
  expect(notRevoked(grantWith({ token: { revokedAt: new Date(0) } }), circumstancesWith())).toBe("revoked");
  // The clocks of two servers differ: a revocation "in the future" counts at once.
  const later = new Date(NOW.getTime() + 5_000);
  expect(notRevoked(grantWith({ token: { revokedAt: later } }), circumstancesWith())).toBe("revoked");
});
