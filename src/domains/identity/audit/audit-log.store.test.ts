import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createTestDatabase } from "../../../../test/support/database.ts";
import { identityOn, openTestIdentity, type TestIdentity } from "../../../../test/support/identity.ts";
import { MS, systemClock } from "../../../kernel/time.ts";
import { openCatalog } from "../../../platform/catalog/index.ts";
import type { AuditEvent } from "../../../registry/ports.ts";
import { createAuditLog } from "./audit-log.store.ts";

let world: TestIdentity;
let acme: number;
beforeAll(async () => {
  world = await openTestIdentity();
  acme = (await world.identity.workspaces.bySlug("acme")).id;
});
afterAll(() => world[Symbol.asyncDispose]());

function event(more: Partial<AuditEvent> = {}): AuditEvent {
  return {
    action: "mcp.tool.call",
    workspaceId: acme,
    userId: null,
    resourceType: "mcp_tool",
    resourceId: "recall",
    success: true,
    outcome: "ok",
    durationMs: 1.6,
    metadata: {},
    ...more,
  };
}

/** An action that no other test has, nor an earlier try of this one: what it counts is its own. */
let actions = 0;
const newAction = (word: string) => `${word} ${++actions}`;
async function countOf(action: string): Promise<number> {
  const text = "SELECT count(*)::int FROM audit_events WHERE action = $1";
  const { rows } = await world.catalog.pool.query(text, [action]);
  return rows[0].count;
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const openLog = (more: Partial<Parameters<typeof createAuditLog>[0]> = {}) =>
  createAuditLog({ catalog: world.catalog, clock: world.clock, log: quiet, retentionDays: 0, ...more });

describe("writing", () => {
  test("an event is kept with everything it says", async () => {
    const { identity, clock } = world;
    const [person] = await identity.users.list({ workspace: "acme" });
    identity.audit.record(
      event({
        userId: person?.userId ?? 0,
        tokenId: 7,
        applicationId: "app-1",
        address: "198.51.100.7",
        datasets: [3, 9],
        metadata: { sessionId: "s-1", arguments: '{"k":5}' },
      }),
    );
    await identity.audit.flush();
    const { events } = await identity.audit.list(acme, { limit: 1 });
    const { workspaceId: _, ...told } = event({ metadata: { sessionId: "s-1", arguments: '{"k":5}' } });
    const facts = {
      id: expect.any(Number),
      at: clock.now(),
      userId: person?.userId,
      email: person?.email,
      durationMs: 2,
      tokenId: 7,
      applicationId: "app-1",
      address: "198.51.100.7",
      datasets: [3, 9],
    };
    expect(events).toEqual([{ ...told, ...facts }]);
  });

  test("it comes by itself, within a moment, in few statements", async () => {
    const log = openLog();
    const action = newAction("burst");
    using statements = vi.spyOn(world.catalog.pool, "query");
    for (let i = 0; i < 1_200; i++) log.record(event({ action }));
    await vi.waitFor(async () => expect(await countOf(action)).toBe(1_200), {
      timeout: 30_000,
      interval: 20,
    });
    const inserts = statements.mock.calls.filter(([text]) => /^INSERT INTO audit_events/.test(String(text)));
    expect(inserts.length).toBeGreaterThan(0);
    expect(inserts.length).toBeLessThanOrEqual(4);
    await log.close();
  });

  test("none is lost on a normal stop", async () => {
    const server = identityOn(world.catalog);
    const action = newAction("last words");
    for (let i = 0; i < 1_234; i++) server.audit.record(event({ action }));
    await server.close();
    expect(await countOf(action)).toBe(1_234);
  });

  test("whatever is in it, an event can be stored, and secrets cannot be read from it", async () => {
    const { identity } = world;
    const log = openLog();
    log.record(
      event({
        action: `hostile\u0000${"x".repeat(500)}`,
        resourceId: `knecta://\ud800/${"y".repeat(100_000)}`,
        durationMs: Number.POSITIVE_INFINITY,
        metadata: {
          "nul\u0000": "\u0000\ud800",
          password: "hunter2",
          nested: { apiKey: "hunter2", list: [{ client_secret: "hunter2" }] },
          text: `kmt_${"h".repeat(43)}`,
          big: "z".repeat(100_000),
          when: new Date(Number.NaN),
          count: 10n,
          nothing: undefined,
          call: () => 1,
        },
      }),
    );
    log.record(event({ action: "after", durationMs: -5 }));
    await log.close();
    const { events } = await identity.audit.list(acme, { limit: 2 });
    expect(events.map(({ action, durationMs }) => [action.slice(0, 7), durationMs])).toEqual([
      ["after", 0],
      ["hostile", 0],
    ]);
    const text = JSON.stringify(events[1]);
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain("hhhhhh");
    expect(text.length).toBeLessThan(5_000);
  });

  test("one row that cannot be stored does not hold up the others", async () => {
    const lost = vi.fn();
    const log = openLog({ onLost: lost });
    const action = newAction("mixed");
    for (let i = 0; i < 20; i++) log.record(event({ action, workspaceId: i === 7 ? 2 ** 70 : acme }));
    await log.flush();
    expect(await countOf(action)).toBe(19);
    expect(lost).toHaveBeenCalledExactlyOnceWith(1);
    await log.close();
  });
});

describe("room", () => {
  test("whoever waits for it loses nothing, however fast they come", async () => {
    const lost = vi.fn();
    const log = openLog({ onLost: lost, closeTimeoutMs: 60_000 });
    const action = newAction("flood");
    const metadata = { surface: "all", requestId: "r".repeat(36), arguments: "a".repeat(300) };
    for (let i = 0; i < 50_000; i++) {
      await log.room();
      log.record(event({ action, metadata }));
    }
    await log.close();
    expect(await countOf(action)).toBe(50_000);
    expect(lost).not.toHaveBeenCalled();
  });

  test("is waited for while half of the bound is used, and not for ever", async () => {
    const catalog = { ...world.catalog, pool: { query: () => new Promise(() => {}) } } as never;
    const log = openLog({ catalog, waitingEvents: 10, roomMs: 2_000, closeTimeoutMs: 1 });
    const timed = async () => {
      const startedAt = performance.now();
      await Promise.all([log.room(), log.room()]);
      return performance.now() - startedAt;
    };
    for (let i = 0; i < 4; i++) log.record(event());
    expect(await timed()).toBeLessThan(1_500);
    log.record(event());
    expect(await timed()).toBeGreaterThan(1_900);
    const held = log.room();
    await log.close();
    await held;
    expect(await timed()).toBeLessThan(1_500);
  });
});

describe("while the database is away", () => {
  test("events wait, come through in order, and those beyond the bound are counted", async () => {
    const database = await createTestDatabase();
    const catalog = await openCatalog({ home: "", databaseUrl: database.url, log: quiet });
    const messages: string[] = [];
    const note = (_fields: object, message: string) => void messages.push(message);
    const lost = vi.fn();
    const log = openLog({
      catalog,
      log: { warn: note, error: note },
      waitingEvents: 100,
      onLost: lost,
      batchMs: 10,
    });
    await catalog.pool.query("ALTER TABLE audit_events RENAME TO audit_events_away");
    for (let i = 0; i < 130; i++) log.record(event({ resourceId: String(i) }));
    await expect(log.flush()).rejects.toThrow(/audit_events/);
    await catalog.pool.query("ALTER TABLE audit_events_away RENAME TO audit_events");
    await vi.waitFor(
      async () => {
        const { rows } = await catalog.pool.query("SELECT resource_id FROM audit_events ORDER BY id");
        expect(rows.map((row) => row.resource_id)).toEqual(Array.from({ length: 100 }, (_, i) => String(i)));
      },
      { timeout: 30_000 },
    );
    expect(lost).toHaveBeenCalledTimes(30);
    expect(messages.filter((message) => /dropped/.test(message))).toHaveLength(2);
    await log.close();
    await catalog.close();
    await database.drop();
  });

  test("connections that break lose nothing", async () => {
    const database = await createTestDatabase();
    const catalog = await openCatalog({ home: "", databaseUrl: database.url, log: quiet });
    const log = openLog({ catalog, batchMs: 5 });
    const killer = setInterval(() => {
      const kill =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()";
      world.catalog.pool.query(kill, [new URL(database.url).pathname.slice(1)]).catch(() => undefined);
    }, 15);
    for (let i = 0; i < 200; i++) {
      log.record(event({ resourceId: String(i) }));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    clearInterval(killer);
    await log.close();
    // The last connection may have been broken after its work was done.
    const count = "SELECT count(DISTINCT resource_id)::int FROM audit_events";
    const { rows } = await vi.waitFor(() => catalog.pool.query(count), 20_000);
    expect(rows[0].count).toBe(200);
    await catalog.close();
    await database.drop();
  });

  test("a stop does not wait for ever, and says what was lost", async () => {
    const lost = vi.fn();
    const catalog = { ...world.catalog, pool: { query: () => new Promise(() => {}) } } as never;
    const log = openLog({ catalog, closeTimeoutMs: 50, onLost: lost });
    log.record(event());
    await log.close();
    expect(lost).toHaveBeenCalledWith(1);
  });
});

describe("reading", () => {
  test("pages and filters, in one workspace only", async () => {
    await using fresh = await openTestIdentity();
    const { identity, clock } = fresh;
    const own = (await identity.workspaces.bySlug("acme")).id;
    const foreign = (await identity.workspaces.bySlug("globex")).id;
    const [person] = await identity.users.list({ workspace: "acme" });
    await identity.audit.flush();
    await fresh.catalog.pool.query("DELETE FROM audit_events");
    for (let i = 0; i < 25; i++) {
      const failed = i % 5 === 0;
      identity.audit.record(
        event({
          workspaceId: i % 2 ? own : foreign,
          userId: i % 3 ? null : (person?.userId ?? 0),
          resourceId: String(i),
          success: !failed,
          action: failed ? "auth.denied" : "mcp.tool.call",
          durationMs: i * 10,
          tokenId: i % 4,
          address: `198.51.100.${i % 4}`,
          datasets: i % 7 === 0 ? [i, 7] : [],
          ...(i === 9 && { applicationId: "https://app.example/id", metadata: { applicationName: "App" } }),
        }),
      );
      clock.advance(MS.second);
    }
    identity.audit.record(event({ workspaceId: null, resourceId: "nobody's" }));
    await identity.audit.flush();
    const ids = async (filter: object) => {
      const found: string[] = [];
      for (let before: number | null | undefined; before !== null; ) {
        const page = await identity.audit.list(own, {
          limit: 4,
          ...filter,
          ...(before !== undefined && { before }),
        });
        found.push(...page.events.map(({ resourceId }) => resourceId ?? ""));
        before = page.nextBefore;
      }
      return found.map(Number);
    };
    const odd = Array.from({ length: 25 }, (_, i) => 24 - i).filter((i) => i % 2 === 1);
    expect(await ids({})).toEqual(odd);
    expect(await ids({ success: false })).toEqual([15, 5]);
    expect(await ids({ action: "auth.denied" })).toEqual([15, 5]);
    expect(await ids({ userId: person?.userId })).toEqual([21, 15, 9, 3]);
    expect(await ids({ since: new Date(clock.now().getTime() - 6.5 * MS.second) })).toEqual([23, 21, 19]);
    expect(await ids({ until: new Date(clock.now().getTime() - 20.5 * MS.second) })).toEqual([3, 1]);
    expect(await ids({ tokenId: 3 })).toEqual([23, 19, 15, 11, 7, 3]);
    expect(await ids({ address: "198.51.100.1", datasetId: 7 })).toEqual([21]);
    expect(await ids({ datasetId: 7 })).toEqual([21, 7]);
    expect(await ids({ slowerThanMs: 210 })).toEqual([23]);
    for (const application of ["App", "https://app.example/id"])
      expect(await ids({ application })).toEqual([9]);
    expect((await identity.audit.list(own, { limit: 1_000_000 })).events).toHaveLength(12);
    expect((await identity.audit.list(null, { limit: 1_000_000 })).events).toHaveLength(26);
    // Sign-ins are of no workspace; those of members, failed ones too, can be asked for.
    await identity.users.signIn(person?.email ?? "", "wrong password", { address: "a", requestId: "r" });
    await identity.audit.flush();
    const signIns = { action: "auth.sign_in", success: false, limit: 9 };
    const failed = await identity.audit.list(own, signIns);
    expect(failed.events).toMatchObject([{ email: person?.email, address: "a", success: false }]);
    expect((await identity.audit.list(foreign, signIns)).events).toEqual([]);
  });
});

describe("retention", () => {
  test("what is older is removed, in bounded steps; 0 keeps everything", async () => {
    await using fresh = await openTestIdentity({ auditRetentionDays: 30 });
    const { identity, catalog, clock } = fresh;
    await catalog.pool.query(
      `INSERT INTO audit_events (at, action, success, outcome, duration_ms, metadata)
       SELECT $1::timestamptz - make_interval(days => i % 60), 'old', true, 'ok', 0, '{}' FROM generate_series(1, 24000) i`,
      [clock.now()],
    );
    const keeper = createAuditLog({ catalog, clock: systemClock, log: quiet, retentionDays: 0 });
    expect(await keeper.sweep()).toBe(0);
    expect(await identity.audit.sweep()).toBe(24_000 - 31 * 400);
    expect(await identity.audit.sweep()).toBe(0);
  });
});
