import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestIdentity, proofOf, type TestIdentity } from "../../../../test/support/identity.ts";
import { randomText } from "../../../kernel/text.ts";
import { MS } from "../../../kernel/time.ts";

let world: TestIdentity;
beforeAll(async () => {
  const unlimited = { points: 1_000_000, windowMs: MS.minute };
  world = await openTestIdentity({ rateLimits: { failedAttempts: unlimited } });
});
afterAll(() => world[Symbol.asyncDispose]());

const owner = { email: "contributor@acme.test", workspace: "acme" };
const address = "203.0.113.7";

test("client id and secret give a bearer that is good for an hour, everywhere", async () => {
  const { identity, clock } = world;
  const client = await identity.clients.create(owner);
  const { token, expiresInSeconds } = await identity.clients.login({ ...client, address });
  expect(token).toMatch(/^kbt_[\w-]{43}$/);
  expect(expiresInSeconds).toBe(3_600);
  const { caller } = await identity.authenticate(proofOf(token, { surface: "bi" }));
  expect(caller).toMatchObject({
    role: "contributor",
    token: { kind: "bearer" },
    user: { email: owner.email },
  });
  expect(caller.permissions).toEqual(caller.rolePermissions);
  clock.advance(MS.hour - 1);
  await identity.authenticate(proofOf(token));
  clock.advance(1);
  await expect(identity.authenticate(proofOf(token))).rejects.toMatchObject({ data: { reason: "expired" } });
});

test("whatever is wrong, the answer is the same", async () => {
  const { identity } = world;
  const client = await identity.clients.create(owner);
  const other = await identity.clients.create(owner);
  await identity.users.create({ email: "off@acme.test", workspace: "acme", role: "viewer" });
  const off = await identity.clients.create({ email: "off@acme.test", workspace: "acme" });
  await identity.users.disable("off@acme.test");
  const attempts = [
    { ...client, clientSecret: `kcs_${randomText(32)}` },
    { ...client, clientSecret: other.clientSecret },
    { ...client, clientSecret: "" },
    { ...client, clientSecret: "\u0000" },
    { ...client, clientId: other.clientId },
    { ...client, clientId: `kci_${randomText(16)}` },
    { ...client, clientId: "" },
    { ...client, clientId: "' OR 1=1 --" },
    { ...client, clientId: "kci_\u0000" },
    off,
  ];
  const seen = new Set<string>();
  for (const attempt of attempts) {
    const error = await identity.clients.login({ ...attempt, address }).catch((thrown) => thrown);
    seen.add(JSON.stringify([error.code, error.message, error.hint, error.data]));
  }
  expect([...seen]).toHaveLength(1);
  expect([...seen][0]).toContain("unauthorized");
});

test("the secret is not in the database, and a client belongs to a member", async () => {
  const { identity, catalog } = world;
  const { clientSecret } = await identity.clients.create(owner);
  const { rows } = await catalog.pool.query(
    "SELECT string_agg(login_clients::text, '') AS text FROM login_clients",
  );
  expect(rows[0].text).not.toContain(clientSecret);
  const stranger = { email: "boss@globex.test", workspace: "acme" };
  await expect(identity.clients.create(stranger)).rejects.toMatchObject({ code: "not_found" });
});

test("who left the workspace cannot sign in to it", async () => {
  const { identity, catalog } = world;
  await identity.users.create({ email: "gone@acme.test", workspace: "acme", role: "viewer" });
  const client = await identity.clients.create({ email: "gone@acme.test", workspace: "acme" });
  await catalog.pool.query(
    "DELETE FROM members USING accounts WHERE accounts.id = account_id AND email = 'gone@acme.test'",
  );
  await expect(identity.clients.login({ ...client, address })).rejects.toMatchObject({
    code: "unauthorized",
  });
});

test("bearers that ended are cleared away in time", async () => {
  const { identity, catalog, clock } = world;
  const client = await identity.clients.create({ email: "viewer@acme.test", workspace: "acme" });
  await identity.clients.login({ ...client, address });
  clock.advance(2 * MS.day);
  await identity.clients.login({ ...client, address });
  const { rows } = await catalog.pool.query(
    "SELECT count(*)::int FROM tokens JOIN accounts ON accounts.id = account_id WHERE kind = 'bearer' AND email = 'viewer@acme.test'",
  );
  expect(rows[0].count).toBe(1);
});

test("guessing is slowed down, and both sign-ins and failures are on record", async () => {
  await using other = await openTestIdentity({
    rateLimits: { failedAttempts: { points: 3, windowMs: MS.minute } },
  });
  const { identity } = other;
  const client = await identity.clients.create(owner);
  await identity.clients.login({ ...client, address });
  for (let guess = 0; guess < 4; guess++) {
    const wrong = identity.clients.login({ ...client, clientSecret: `guess ${guess}`, address });
    await expect(wrong).rejects.toMatchObject({ code: "unauthorized" });
  }
  const more = identity.clients.login({ ...client, clientSecret: "guess", address });
  await expect(more).rejects.toMatchObject({ code: "rate_limited" });
  // A good secret comes in, whoever guesses behind the same address.
  await identity.clients.login({ ...client, address });
  await identity.audit.flush();
  const { id } = await identity.workspaces.bySlug("acme");
  const { events } = await identity.audit.list(id, { action: "auth.login", limit: 10 });
  expect(events.map(({ success }) => success)).toEqual([true, false, false, false, false, true]);
  expect(JSON.stringify(events)).not.toContain(client.clientSecret);
});
