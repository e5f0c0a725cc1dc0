import { expect, test } from "vitest";
import { circumstancesWith, grantWith, NOW } from "../../../../../test/support/grants.ts";
import { accountEnabled } from "./account-enabled.ts";

test("a disabled account has no power through any token", () => {
  expect(accountEnabled(grantWith(), circumstancesWith())).toBeNull();
  const account = { id: 2, email: "ada@acme.test", name: "Ada", disabledAt: NOW };
  expect(accountEnabled(grantWith({ owner: { account } }), circumstancesWith())).toBe("account_disabled");
});
