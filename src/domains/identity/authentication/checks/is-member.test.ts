import { expect, test } from "vitest";
import { circumstancesWith, grantWith } from "../../../../../test/support/grants.ts";
import { isMember } from "./is-member.ts";

test("who left the workspace cannot use a token made there", () => {
  expect(isMember(grantWith(), circumstancesWith())).toBeNull();
  expect(isMember(grantWith({ owner: { membership: null } }), circumstancesWith())).toBe("not_a_member");
});
