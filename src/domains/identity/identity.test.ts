import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestIdentity, proofOf, type TestIdentity } from "../../../test/support/identity.ts";

let world: TestIdentity;
beforeAll(async () => {
  world = await openTestIdentity();
});
afterAll(() => world[Symbol.asyncDispose]());

test("a person with a token becomes a caller", async () => {
  const { identity } = world;
  const { token, info } = await identity.tokens.create({
    email: "viewer@acme.test",
    workspace: "acme",
    kind: "api",
  });
  const { caller, tokenHash, plan } = await identity.authenticate(proofOf(token));
  expect(caller).toMatchObject({
    workspace: { slug: "acme" },
    user: { email: "viewer@acme.test", name: "viewer" },
    role: "viewer",
    token: { id: info.id, kind: "api" },
  });
  expect(caller.permissions).toEqual([
    "data_agent:read",
    "ontologies:read",
    "bi:read",
    "memory:read",
    "knowledge:read",
  ]);
  expect(tokenHash).toMatch(/^[0-9a-f]{64}$/);
  expect(plan).toBe("self-hosted");
});
