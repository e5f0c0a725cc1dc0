import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import { silentLog } from "../../../../test/support/database.ts";
import { identityOn, openTestIdentity, proofOf } from "../../../../test/support/identity.ts";
import type { Identity } from "../identity.ts";
import { ChangeListener } from "./change-listener.ts";

/** Far below the time for which tokens are remembered, and kind to a busy machine; usually it is 2 ms. */
const AT_ONCE_MS = 10_000;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Counts the look-ups of tokens that reach the database. */
function watchLookups() {
  const lookups = vi.spyOn(pg.Client.prototype, "query");
  return () =>
    lookups.mock.calls.filter(([query]) =>
      /from "tokens"/.test((query as unknown as { text?: string }).text ?? ""),
    ).length;
}

/** Uses a token until the server answers from memory. */
async function warm(server: Identity, token: string, lookups: () => number): Promise<void> {
  await vi.waitFor(async () => {
    await server.authenticate(proofOf(token));
    const before = lookups();
    await server.authenticate(proofOf(token));
    expect(lookups()).toBe(before);
  }, 20_000);
}

async function untilRefused(server: Identity, token: string): Promise<number> {
  const started = performance.now();
  for (;;) {
    try {
      await server.authenticate(proofOf(token));
    } catch {
      return performance.now() - started;
    }
    await sleep(1);
  }
}

test("a change made in one server is seen by another at once", async () => {
  await using world = await openTestIdentity();
  const { identity, catalog } = world;
  const server = identityOn(catalog);
  const lookups = watchLookups();
  const owner = { email: "contributor@acme.test", workspace: "acme" };
  const { token, info } = await identity.tokens.create({ ...owner, kind: "api" });
  await warm(server, token, lookups);

  await identity.users.setRole({ ...owner, role: "viewer" });
  await vi.waitFor(
    async () => expect((await server.authenticate(proofOf(token))).caller.role).toBe("viewer"),
    AT_ONCE_MS,
  );

  const group = await identity.groups.create({ workspace: "acme", name: "finance" });
  await identity.groups.addMember({ workspace: "acme", group: "finance", email: owner.email });
  await vi.waitFor(
    async () => expect((await server.authenticate(proofOf(token))).caller.groups).toEqual([group.id]),
    AT_ONCE_MS,
  );

  await warm(server, token, lookups);
  await identity.users.disable(owner.email);
  expect(await untilRefused(server, token)).toBeLessThan(AT_ONCE_MS);
  await identity.users.enable(owner.email);
  await vi.waitFor(() => server.authenticate(proofOf(token)), AT_ONCE_MS);

  await warm(server, token, lookups);
  await identity.tokens.revoke(info.id);
  expect(await untilRefused(server, token)).toBeLessThan(AT_ONCE_MS);
  await server.close();
});

test("a change by hand, past all our code, is seen as well", async () => {
  await using world = await openTestIdentity();
  const { identity, catalog } = world;
  const lookups = watchLookups();
  const { token, info } = await identity.tokens.create({
    email: "viewer@acme.test",
    workspace: "acme",
    kind: "api",
  });
  await warm(identity, token, lookups);
  await catalog.pool.query("UPDATE workspaces SET plan = 'private' WHERE slug = 'acme'");
  await vi.waitFor(
    async () => expect((await identity.authenticate(proofOf(token))).plan).toBe("private"),
    AT_ONCE_MS,
  );
  await warm(identity, token, lookups);
  await catalog.pool.query("DELETE FROM tokens WHERE id = $1", [info.id]);
  expect(await untilRefused(identity, token)).toBeLessThan(AT_ONCE_MS);
});

test("a revocation of one's own is seen by the very next request", async () => {
  await using world = await openTestIdentity();
  const { identity } = world;
  const lookups = watchLookups();
  for (let round = 0; round < 20; round++) {
    const { token, info } = await identity.tokens.create({
      email: "viewer@acme.test",
      workspace: "acme",
      kind: "api",
    });
    await warm(identity, token, lookups);
    await identity.tokens.revoke(info.id);
    await expect(identity.authenticate(proofOf(token))).rejects.toMatchObject({
      data: { reason: "revoked" },
    });
  }
});

test("while changes cannot be heard of, each request asks the database", async () => {
  await using world = await openTestIdentity();
  const { identity, catalog } = world;
  const lookups = watchLookups();
  const { token } = await identity.tokens.create({
    email: "viewer@acme.test",
    workspace: "acme",
    kind: "api",
  });
  await warm(identity, token, lookups);
  const { rowCount } = await catalog.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
  );
  expect(rowCount).toBe(1);
  // It listens again soon, so this looks often.
  await vi.waitFor(
    async () => {
      const before = lookups();
      await identity.authenticate(proofOf(token));
      await identity.authenticate(proofOf(token));
      expect(lookups() - before).toBe(2);
    },
    { timeout: AT_ONCE_MS, interval: 5 },
  );
  await warm(identity, token, lookups);
});

test("a connection that is open but deaf is not trusted", async () => {
  await using world = await openTestIdentity();
  const { pool } = world.catalog;
  const heard: string[] = [];
  // Each attempt to listen that fails says again that nothing is heard.
  const hear = (word: string) => void (heard.at(-1) !== word && heard.push(word));
  const listener = new ChangeListener({
    pool,
    log: silentLog,
    onChange: () => {},
    onLive: () => hear("live"),
    onLost: () => hear("lost"),
    pulseEveryMs: 20,
  });
  listener.start();
  await vi.waitFor(() => expect(heard).toEqual(["live"]), 20_000);
  // As a pooler does that hands the connection to somebody else between two statements.
  const query = pool.query.bind(pool);
  const send = vi
    .spyOn(pool, "query")
    .mockImplementation(((text: string, values?: unknown[]) =>
      query(text, /pg_notify/.test(text) ? ["another_channel", ""] : values)) as never);
  await vi.waitFor(() => expect(heard).toEqual(["live", "lost"]), 20_000);
  send.mockRestore();
  await vi.waitFor(() => expect(heard).toEqual(["live", "lost", "live"]), 30_000);
  await listener.close();
});
