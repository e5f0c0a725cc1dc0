import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestIdentity, type TestIdentity } from "../../../../test/support/identity.ts";
import { requireSlug } from "./names.ts";

let world: TestIdentity;
beforeAll(async () => {
  world = await openTestIdentity();
});
afterAll(() => world[Symbol.asyncDispose]());

test.for(["ab", "acme", "acme-eu", "2026-sales", "a1", "x".repeat(63)])("%s is a slug", (slug) => {
  expect(requireSlug(slug)).toBe(slug);
});

test.for([
  ...[
    "",
    "a",
    "A",
    "Acme",
    "a_b",
    "a--b",
    "-ab",
    "ab-",
    "a b",
    "ab\n",
    "42",
    "x".repeat(64),
    "äb",
    "a/b",
    "..",
    "a.b",
    "ab\u0000",
  ],
  ...["knowledge-external", "mcp", "api", "sse", "admin", "health", "null"],
])("%j is no slug for a workspace", (slug) => {
  expect(() => requireSlug(slug)).toThrow(/slug/);
});

test("a workspace is made once", async () => {
  const { workspaces } = world.identity;
  const made = await workspaces.create({ slug: "initech", name: "Initech GmbH" });
  expect(made).toMatchObject({ slug: "initech", name: "Initech GmbH", plan: "self-hosted" });
  await expect(workspaces.create({ slug: "initech" })).rejects.toMatchObject({ code: "conflict" });
  expect(await workspaces.bySlug("initech")).toEqual(made);
  expect((await workspaces.list()).map(({ slug }) => slug)).toEqual(["acme", "globex", "initech"]);
});

test.for(["nowhere", "", "Acme", "acme\u0000", "' OR 1=1 --", "x".repeat(10_000)])(
  "%j is not found",
  async (slug) => {
    await expect(world.identity.workspaces.bySlug(slug)).rejects.toMatchObject({ code: "not_found" });
  },
);
