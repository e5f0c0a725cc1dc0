import { expect, test } from "vitest";
import { silentLog } from "../../../../test/support/database.ts";
import { identityOn, openTestIdentity, proofOf } from "../../../../test/support/identity.ts";
import { MS } from "../../../kernel/time.ts";
import { LastUsed } from "./last-used.store.ts";

test("the last use of a token is noted when the server stops, with the client", async () => {
  await using world = await openTestIdentity();
  const { identity, catalog, clock } = world;
  const server = identityOn(catalog, { clock });
  const { token, info } = await identity.tokens.create({
    email: "viewer@acme.test",
    workspace: "acme",
    kind: "mcp",
  });
  await server.authenticate(proofOf(token, { client: "claude-code/2.1\u0000" }));
  const usedAt = clock.now();
  await server.close();
  const [listed] = await identity.tokens.list({ email: "viewer@acme.test" });
  expect(listed).toMatchObject({ id: info.id, lastUsedAt: usedAt, lastUsedClient: "claude-code/2.1" });
});

test("one token is written at most once a minute, and time never runs backwards", async () => {
  await using world = await openTestIdentity();
  const { identity, catalog, clock } = world;
  const { info } = await identity.tokens.create({
    email: "viewer@acme.test",
    workspace: "acme",
    kind: "mcp",
  });
  const lastUsedAt = async () => (await identity.tokens.list())[0]?.lastUsedAt;
  const lastUsed = new LastUsed(catalog.db, silentLog);
  const first = clock.now();
  lastUsed.touch(info.id, first, undefined);
  await lastUsed.flush();
  expect(await lastUsedAt()).toEqual(first);
  clock.advance(59 * MS.second);
  lastUsed.touch(info.id, clock.now(), undefined);
  await lastUsed.flush();
  expect(await lastUsedAt()).toEqual(first);
  clock.advance(MS.second);
  lastUsed.touch(info.id, clock.now(), undefined);
  await lastUsed.flush();
  expect(await lastUsedAt()).toEqual(clock.now());
  lastUsed.touch(info.id, first, undefined);
  await lastUsed.close();
  expect(await lastUsedAt()).toEqual(clock.now());
});

test("noting it never fails a request and never makes a remembered token stale", async () => {
  await using world = await openTestIdentity();
  const { catalog } = world;
  const warnings: string[] = [];
  const lastUsed = new LastUsed(catalog.db, { warn: (_fields, message) => void warnings.push(message) });
  lastUsed.touch(1, new Date(Number.NaN), undefined);
  await lastUsed.close().catch((error) => warnings.push(String(error)));
  expect(warnings).toHaveLength(1);
});
