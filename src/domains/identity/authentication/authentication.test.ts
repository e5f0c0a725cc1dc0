import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, silentLog } from "../../../../test/support/database.ts";
import {
  APP_URL,
  identityOn,
  openTestIdentity,
  proofOf,
  type TestIdentity,
} from "../../../../test/support/identity.ts";
import { StallingProxy } from "../../../../test/support/stalling-proxy.ts";
import { AppError } from "../../../kernel/errors.ts";
import { PERMISSIONS, type Role } from "../../../kernel/permissions.ts";
import { randomText } from "../../../kernel/text.ts";
import { MS } from "../../../kernel/time.ts";
import { openCatalog } from "../../../platform/catalog/index.ts";
import { SURFACES, type SurfaceName } from "../../../registry/caller.ts";
import type { JobOwner, MadeTokenKind, Proof } from "../identity.ts";
import { LIMITS } from "../limits.ts";
import { ownerOf } from "./authentication.ts";

let world: TestIdentity;
beforeAll(async () => {
  const unlimited = { points: 1_000_000, windowMs: MS.minute };
  world = await openTestIdentity({ rateLimits: { failedAttempts: unlimited } });
});
afterAll(() => world[Symbol.asyncDispose]());

const make = async (kind: MadeTokenKind = "api", more: object = {}) =>
  world.identity.tokens.create({ email: "contributor@acme.test", workspace: "acme", kind, ...more });

async function failure(proof: Proof): Promise<AppError> {
  const error = await world.identity.authenticate(proof).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error(`expected a refusal, not ${error}`);
  return error;
}

async function reasonOf(proof: Proof): Promise<unknown> {
  const { code, data } = await failure(proof);
  return code === "unauthorized" ? data.reason : code;
}

describe("which token where", () => {
  const everywhere: readonly SurfaceName[] = SURFACES;
  const good: Record<MadeTokenKind | "bearer", readonly SurfaceName[]> = {
    api: everywhere,
    mcp: everywhere,
    bearer: everywhere,
    memory: ["memory", "all"],
    knowledge: ["knowledge", "all"],
  };
  const tokens = new Map<string, string>();
  beforeAll(async () => {
    for (const kind of ["api", "mcp", "memory", "knowledge"] as const)
      tokens.set(kind, (await make(kind)).token);
    const client = await world.identity.clients.create({ email: "contributor@acme.test", workspace: "acme" });
    tokens.set("bearer", (await world.identity.clients.login({ ...client, address: "203.0.113.7" })).token);
  });

  const table = Object.entries(good).flatMap(([kind, surfaces]) =>
    SURFACES.map((surface) => ({ kind, surface, fits: surfaces.includes(surface) })),
  );
  test.for(table)("$kind on $surface: $fits", async ({ kind, surface, fits }) => {
    const token = tokens.get(kind) as string;
    // Once from the database, once from memory.
    for (let round = 0; round < 2; round++) {
      if (fits)
        expect((await world.identity.authenticate(proofOf(token, { surface }))).caller.token.kind).toBe(kind);
      else expect(await reasonOf(proofOf(token, { surface }))).toBe("wrong_kind");
    }
  });
});

test("every refusal of a token looks the same from outside", async () => {
  const { identity, clock, catalog } = world;
  const revoked = await make();
  await identity.tokens.revoke(revoked.info.id);
  const short = await make("api", { expiresInMs: MS.minute });
  clock.advance(2 * MS.minute);
  const good = await make();
  await identity.users.create({ email: "gone@acme.test", workspace: "acme", role: "viewer" });
  const gone = await identity.tokens.create({ email: "gone@acme.test", workspace: "acme", kind: "api" });
  await catalog.pool.query(
    "DELETE FROM members USING accounts WHERE accounts.id = account_id AND email = 'gone@acme.test'",
  );
  await identity.users.create({ email: "off@acme.test", workspace: "acme", role: "viewer" });
  const off = await identity.tokens.create({ email: "off@acme.test", workspace: "acme", kind: "api" });
  await identity.users.disable("off@acme.test");
  const memory = await make("memory");

  const refusals: [string, Proof][] = [
    ["malformed", { ...proofOf(null), authorization: "Bearer a b" }],
    ["unknown", proofOf(`kapi_${randomText(32)}`)],
    ["unknown", proofOf("not-even-close")],
    ["revoked", proofOf(revoked.token)],
    ["expired", proofOf(short.token)],
    ["not_a_member", proofOf(gone.token)],
    ["account_disabled", proofOf(off.token)],
    ["wrong_kind", proofOf(memory.token, { surface: "bi" })],
    ["wrong_workspace", proofOf(good.token, { surface: "models", workspaceSlug: "globex" })],
    ["wrong_workspace", proofOf(good.token, { surface: "models", workspaceSlug: "no-such-workspace" })],
  ];
  const seen = new Set<string>();
  for (const [reason, proof] of refusals) {
    const { code, message, hint, data } = await failure(proof);
    expect(data).toEqual({ reason });
    seen.add(JSON.stringify({ code, message, hint }));
  }
  expect(seen.size).toBe(1);
});

test.for([
  ...[
    null,
    "",
    "Bearer",
    "bearer ",
    "Basic abc",
    "Bearer \u0000",
    "Bearer \ud800",
    "Bearer ' OR '1'='1",
    "Bearer kapi_' OR 1=1--",
  ],
  ...[`Bearer kapi_${"a".repeat(42)}`, `Bearer kapi_${"a".repeat(44)}`, `Bearer KAPI_${"a".repeat(43)}`],
  ...[
    `Bearer ${"x".repeat(8_000)}`,
    `Bearer ${"x".repeat(100_000)}`,
    "Bearer kapi_%00%00",
    "Bearer 🐘🐘🐘",
    "Bearer ..",
    "Bearer eyJ.e30.",
  ],
])("hostile header %#", async (authorization) => {
  const { code, data } = await failure({ ...proofOf(null), authorization });
  expect(code).toBe("unauthorized");
  expect(["missing", "malformed", "unknown"]).toContain(data.reason);
});

test("a token expires while it is remembered", async () => {
  const { token } = await make("api", { expiresInMs: MS.hour });
  await world.identity.authenticate(proofOf(token));
  world.clock.advance(MS.hour - 1);
  await world.identity.authenticate(proofOf(token));
  world.clock.advance(1);
  expect(await reasonOf(proofOf(token))).toBe("expired");
});

test("the hash of a token is no token", async () => {
  const { token } = await make();
  const { tokenHash } = await world.identity.authenticate(proofOf(token));
  expect(await reasonOf(proofOf(tokenHash))).toBe("unknown");
  expect(await reasonOf(proofOf(`kapi_${tokenHash.slice(0, 43)}`))).toBe("unknown");
});

test("neither the token nor its like is in the database", async () => {
  const { token, info } = await make();
  const { rows } = await world.catalog.pool.query("SELECT tokens::text AS text FROM tokens WHERE id = $1", [
    info.id,
  ]);
  expect(rows[0].text).not.toContain(token);
  expect(rows[0].text).not.toContain(token.slice(10));
});

describe("tokens of another making", () => {
  test("are read by their verifier and pass the same checks", async () => {
    const { identity, catalog, clock } = world;
    const { rows } = await catalog.pool.query(
      `SELECT account_id::int AS account, workspace_id::int AS workspace FROM members
       JOIN accounts ON accounts.id = account_id WHERE email = 'contributor@acme.test'`,
    );
    const facts = {
      accountId: rows[0].account,
      workspaceId: rows[0].workspace,
      scopes: ["bi:read", "admin"] as const,
    };
    const expiresAt = new Date(clock.now().getTime() + MS.minute);
    let verified = 0;
    identity.addVerifier({
      recognises: (token) => token.startsWith("signed."),
      async verify(token) {
        verified++;
        if (token === "signed.bad") return null;
        if (token === "signed.nobody")
          return { ...facts, accountId: 999_999, audience: [APP_URL], expiresAt };
        return { ...facts, audience: [token.slice("signed.".length) || APP_URL], expiresAt };
      },
    });
    const { caller } = await identity.authenticate(proofOf("signed."));
    expect(caller).toMatchObject({
      token: { kind: "oauth" },
      permissions: ["bi:read"],
      user: { email: "contributor@acme.test" },
    });
    expect(await reasonOf(proofOf("signed.bad"))).toBe("unknown");
    expect(await reasonOf(proofOf("signed.nobody"))).toBe("unknown");
    expect(await reasonOf(proofOf("signed.elsewhere"))).toBe("wrong_audience");
    expect(await reasonOf(proofOf("signed.", { surface: "models", workspaceSlug: "globex" }))).toBe(
      "wrong_workspace",
    );
    expect(await reasonOf(proofOf("unsigned."))).toBe("unknown");
    expect(verified).toBe(5);
    await identity.users.disable("contributor@acme.test");
    expect(await reasonOf(proofOf("signed."))).toBe("account_disabled");
    await identity.users.enable("contributor@acme.test");
    clock.advance(MS.minute);
    expect(await reasonOf(proofOf("signed."))).toBe("expired");
  });
});

describe("work that goes on after the request", () => {
  test("has the power that its owner and token have now", async () => {
    const { identity } = world;
    const { token, info } = await make("api", { scopes: ["memory:write"], expiresInMs: MS.hour });
    const { caller } = await identity.authenticate(proofOf(token));
    const job = { workspaceId: caller.workspace.id, userId: caller.user.id, tokenId: info.id };
    expect(JSON.parse(JSON.stringify(caller))).toEqual(caller);
    expect(await identity.callerFor(job)).toEqual(caller);
    await identity.users.setRole({ email: "contributor@acme.test", workspace: "acme", role: "viewer" });
    expect((await identity.callerFor(job)).permissions).toEqual([]);
    await identity.users.setRole({ email: "contributor@acme.test", workspace: "acme", role: "contributor" });
    world.clock.advance(2 * MS.hour);
    expect((await identity.callerFor(job)).permissions).toEqual(["memory:write"]);
    await identity.tokens.revoke(info.id);
    await expect(identity.callerFor(job)).rejects.toMatchObject({
      code: "forbidden",
      data: { reason: "revoked" },
    });
  });

  test("without a token it has all that its owner may, and is the operator's only if it says so", async () => {
    const { identity } = world;
    const { token } = await make();
    const { caller } = await identity.authenticate(proofOf(token));
    const job = { workspaceId: caller.workspace.id, userId: caller.user.id };
    const own = await identity.callerFor(job);
    expect(own.token.kind).toBe("oauth");
    expect(own.permissions).toEqual(own.rolePermissions);
    const operator = await identity.callerFor({ ...job, operator: true });
    expect(operator.token.kind).toBe("operator");
    expect(ownerOf(operator)).toEqual({ ...job, operator: true });
  });

  test("of an OAuth caller never becomes more than its scopes, whatever becomes of its owner", async () => {
    const { identity, catalog } = world;
    const { token } = await make();
    const { workspace, user } = (await identity.authenticate(proofOf(token))).caller;
    const other = identityOn(catalog);
    other.addVerifier({
      recognises: (text) => text === "signed",
      verify: async () => ({
        workspaceId: workspace.id,
        accountId: user.id,
        scopes: ["memory:read"],
        audience: [APP_URL],
        expiresAt: new Date(Date.now() + MS.hour),
      }),
    });
    const { caller } = await other.authenticate(proofOf("signed"));
    const job = JSON.parse(JSON.stringify(ownerOf(caller))) as JobOwner;
    expect(await identity.callerFor(job)).toEqual(caller);
    const setRole = (role: Role) =>
      identity.users.setRole({ email: "contributor@acme.test", workspace: "acme", role });
    await setRole("admin");
    expect(await identity.callerFor(job)).toMatchObject({
      role: "admin",
      permissions: ["memory:read"],
      token: { id: 0, kind: "oauth" },
    });
    await setRole("contributor");
    const limits = { ...caller.token.limits, toolsets: ["memory"] };
    expect((await identity.callerFor({ ...job, limits })).token.limits).toEqual(limits);
    expect((await identity.callerFor({ ...job, scopes: [] })).permissions).toEqual([]);
    await other.close();
  });

  test("is told in plain data whose it is", async () => {
    const { identity } = world;
    const { token, info } = await make();
    const { caller } = await identity.authenticate(proofOf(token));
    const person = { workspaceId: caller.workspace.id, userId: caller.user.id };
    expect(ownerOf(caller)).toEqual({ ...person, tokenId: info.id });
    const { scopes, ...rest } = ownerOf(await identity.callerFor(person));
    expect(rest).toMatchObject(person);
    expect(scopes).toEqual(PERMISSIONS);
  });

  test("never becomes somebody else's", async () => {
    const { identity } = world;
    const { token, info } = await make();
    const { caller } = await identity.authenticate(proofOf(token));
    const boss = await identity.tokens.create({
      email: "boss@globex.test",
      workspace: "globex",
      kind: "api",
    });
    const globex = (await identity.authenticate(proofOf(boss.token))).caller;
    const [userId, workspaceId, tokenId] = [caller.user.id, caller.workspace.id, info.id];
    for (const job of [
      { userId: globex.user.id, workspaceId, tokenId },
      { userId, workspaceId: globex.workspace.id, tokenId },
      { userId, workspaceId: globex.workspace.id },
      { userId, workspaceId, tokenId: 0 },
      { userId, workspaceId, tokenId: boss.info.id },
      { userId: 999_999, workspaceId },
    ]) {
      await expect(identity.callerFor(job)).rejects.toMatchObject({ code: "forbidden" });
    }
  });
});

test("a database that hangs turns a request away instead of keeping it", async () => {
  const database = await createTestDatabase();
  const proxy = await StallingProxy.open(database.url);
  const catalog = await openCatalog({ home: "", databaseUrl: proxy.url, log: silentLog });
  const identity = identityOn(catalog);
  const unknown = proofOf(`kapi_${randomText(32)}`);
  await expect(identity.authenticate(unknown)).rejects.toMatchObject({ code: "unauthorized" });
  proxy.stall();
  const startedAt = performance.now();
  await expect(identity.authenticate(unknown)).rejects.toMatchObject({ code: "unavailable" });
  expect(performance.now() - startedAt).toBeLessThan(LIMITS.identity.tokenLookupMs + 20_000);
  await identity.close();
  await catalog.close();
  proxy.close();
  await database.drop();
});

test("each denial is on record, for the workspace that it concerns", async () => {
  const { identity } = world;
  const { token, info } = await make();
  const { caller } = await identity.authenticate(proofOf(token));
  await identity.tokens.revoke(info.id);
  await reasonOf(proofOf(token, { address: "198.51.100.9" }));
  await reasonOf(proofOf(null));
  await identity.audit.flush();
  const { events } = await identity.audit.list(caller.workspace.id, { action: "auth.denied", limit: 1 });
  expect(events[0]).toMatchObject({
    email: "contributor@acme.test",
    success: false,
    outcome: "unauthorized",
    address: "198.51.100.9",
    tokenId: info.id,
    metadata: { reason: "revoked" },
  });
});
