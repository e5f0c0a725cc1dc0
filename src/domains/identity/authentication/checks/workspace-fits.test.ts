import { expect, test } from "vitest";
import { circumstancesWith, grantWith } from "../../../../../test/support/grants.ts";
import { workspaceFits } from "./workspace-fits.ts";

test.for(["globex", "nowhere", "ACME", "acme ", "acme\u0000", "", "%61cme"])(
  "a token of acme under %j",
  (workspaceSlug) => {
    expect(workspaceFits(grantWith(), circumstancesWith({ workspaceSlug }))).toBe("wrong_workspace");
  },
);

test("a token is good in its own workspace, and where the path names none", () => {
  expect(workspaceFits(grantWith(), circumstancesWith({ workspaceSlug: "acme" }))).toBeNull();
  expect(workspaceFits(grantWith(), circumstancesWith())).toBeNull();
});
