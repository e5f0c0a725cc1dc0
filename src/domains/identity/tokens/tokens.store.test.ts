import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestIdentity, proofOf, type TestIdentity } from "../../../../test/support/identity.ts";
import { excerpt } from "../../../kernel/masking.ts";
import { MS } from "../../../kernel/time.ts";
import type { MadeTokenKind } from "../identity.ts";
import { newTokenText } from "./tokens.ts";

let world: TestIdentity;
beforeAll(async () => {
  world = await openTestIdentity();
});
afterAll(() => world[Symbol.asyncDispose]());

const owner = { email: "contributor@acme.test", workspace: "acme" };
const make = (kind: MadeTokenKind, more: object = {}) =>
  world.identity.tokens.create({ ...owner, kind, ...more });
const YEAR = 365 * MS.day;

test.for([
  { kind: "api", form: /^kapi_[\w-]{43}$/, lifeMs: 90 * MS.day, scopes: null },
  { kind: "mcp", form: /^kmcp_[\w-]{43}$/, lifeMs: YEAR, scopes: null },
  { kind: "memory", form: /^kmt_[\w-]{43}$/, lifeMs: YEAR, scopes: ["memory:read", "memory:write"] },
  { kind: "knowledge", form: /^wg-[\w-]{43}$/, lifeMs: YEAR, scopes: ["knowledge:read", "knowledge:write"] },
] as const)("a $kind token", async ({ kind, form, lifeMs, scopes }) => {
  const { token, info } = await make(kind);
  expect(token).toMatch(form);
  expect(info).toMatchObject({
    kind,
    scopes,
    ...owner,
    name: `${kind} token`,
    revokedAt: null,
    lastUsedAt: null,
  });
  expect(info.expiresAt?.getTime()).toBe(world.clock.now().getTime() + lifeMs);
  expect(token.startsWith(info.hintText.replace("…", ""))).toBe(true);
  expect(info.hintText.length).toBeLessThan(12);
  expect(JSON.stringify(info)).not.toContain(token);
  expect((await world.identity.tokens.list(owner)).find(({ id }) => id === info.id)).toEqual(info);
});

test.for(["api", "mcp", "memory", "knowledge", "bearer"] as const)(
  "a %s token never gets into the audit log",
  (kind) => {
    const { token, hash } = newTokenText(kind);
    expect(excerpt({ text: `use ${token}` })).not.toContain(token.slice(6));
    expect(token).not.toContain(hash);
  },
);

test("people can have several tokens, and revoke each by itself", async () => {
  const { identity } = world;
  const [one, two] = [await make("mcp", { name: "laptop" }), await make("mcp", { name: "phone" })];
  await identity.tokens.revoke(one.info.id);
  await identity.tokens.revoke(one.info.id);
  await expect(identity.authenticate(proofOf(one.token))).rejects.toMatchObject({ code: "unauthorized" });
  expect((await identity.authenticate(proofOf(two.token))).caller.token.id).toBe(two.info.id);
  const names = (await identity.tokens.list({ email: owner.email })).map(({ name }) => name);
  expect(names).toContain("phone");
  expect(names).not.toContain("laptop");
  const all = await identity.tokens.list({ email: owner.email, includeEnded: true });
  expect(all.find(({ name }) => name === "laptop")?.revokedAt).toEqual(world.clock.now());
  for (const id of [0, -1, 999_999, 1.5, Number.NaN]) {
    await expect(identity.tokens.revoke(id)).rejects.toMatchObject({ code: "not_found" });
  }
});

test.for([
  { kind: "mcp", lifeMs: 30 * MS.day, fits: true },
  { kind: "mcp", lifeMs: YEAR, fits: true },
  { kind: "mcp", lifeMs: 30 * MS.day - 1, fits: false },
  { kind: "mcp", lifeMs: YEAR + 1, fits: false },
  { kind: "api", lifeMs: MS.minute, fits: true },
  { kind: "api", lifeMs: YEAR + 1, fits: false },
  { kind: "api", lifeMs: 0, fits: false },
  { kind: "memory", lifeMs: -5, fits: false },
  { kind: "knowledge", lifeMs: Number.NaN, fits: false },
  { kind: "api", lifeMs: Number.POSITIVE_INFINITY, fits: false },
] as const)("a $kind token for $lifeMs ms: $fits", async ({ kind, lifeMs, fits }) => {
  const made = make(kind, { expiresInMs: lifeMs });
  if (fits) expect((await made).info.expiresAt?.getTime()).toBe(world.clock.now().getTime() + lifeMs);
  else
    await expect(made).rejects.toThrow(
      kind === "mcp" ? "A token of kind mcp lives for 30 days to 1 year." : /lives for 1 minute to 1 year/,
    );
});

test.for([
  { kind: "api", words: ["bi:read", "memory:write", "bi:read"], scopes: ["bi:read", "memory:write"] },
  { kind: "api", words: ["admin"], scopes: ["admin"] },
  { kind: "memory", words: ["read"], scopes: ["memory:read"] },
  { kind: "memory", words: ["write"], scopes: ["memory:read", "memory:write"] },
  { kind: "memory", words: ["admin"], scopes: ["memory:read", "memory:write"] },
  { kind: "knowledge", words: ["knowledge:read"], scopes: ["knowledge:read"] },
] as const)("$kind with the scopes $words", async ({ kind, words, scopes }) => {
  expect((await make(kind, { scopes: words })).info.scopes).toEqual(scopes);
});

test.for([
  { kind: "api", words: ["bi:raed"], message: /Unknown scope: "bi:raed".*/ },
  { kind: "api", words: ["*"], message: /Unknown scope/ },
  { kind: "api", words: ["BI:READ"], message: /Unknown scope/ },
  { kind: "api", words: ["__proto__"], message: /Unknown scope/ },
  { kind: "api", words: ["constructor"], message: /Unknown scope/ },
  { kind: "api", words: [], message: /could do nothing/ },
  { kind: "memory", words: ["bi:read"], message: /cannot have the scope bi:read/ },
  { kind: "knowledge", words: ["admin"], message: /cannot have the scope admin/ },
  { kind: "knowledge", words: ["read"], message: /cannot have the scope memory:read/ },
] as const)("$kind cannot have the scopes $words", async ({ kind, words, message }) => {
  await expect(make(kind, { scopes: words })).rejects.toThrow(message);
});

test("a scope beyond the role is stored, has no effect, and works once the role is raised", async () => {
  const { identity } = world;
  await identity.users.create({ email: "junior@acme.test", workspace: "acme", role: "viewer" });
  const junior = { email: "junior@acme.test", workspace: "acme" };
  const { token, info } = await identity.tokens.create({
    ...junior,
    kind: "api",
    scopes: ["memory:read", "memory:write"],
  });
  expect(info.scopes).toEqual(["memory:read", "memory:write"]);
  expect((await identity.authenticate(proofOf(token))).caller.permissions).toEqual(["memory:read"]);
  await identity.users.setRole({ ...junior, role: "contributor" });
  expect((await identity.authenticate(proofOf(token))).caller.permissions).toEqual([
    "memory:read",
    "memory:write",
  ]);
});

test("limits are kept as given and hold at each use", async () => {
  const limits = {
    readOnly: true,
    toolsets: ["memory", "memory"],
    models: ["sales"],
    knowledgeBases: [4, 4, 9],
  };
  const { token, info } = await make("api", { limits });
  const kept = { readOnly: true, toolsets: ["memory"], models: ["sales"], knowledgeBases: [4, 9] };
  expect(info.limits).toEqual(kept);
  const { caller } = await world.identity.authenticate(proofOf(token));
  expect(caller.token.limits).toEqual(kept);
  expect(caller.permissions.every((permission) => permission.endsWith(":read"))).toBe(true);
});

test.for([
  [{ limits: { toolsets: ["memroy"] } }, /Unknown toolset: "memroy"/],
  [{ limits: { toolsets: ["toString"] } }, /Unknown toolset/],
  [{ limits: { toolsets: [] } }, /1 to 100 named toolsets/],
  [{ limits: { models: Array.from({ length: 101 }, (_, i) => `m${i}`) } }, /1 to 100 named models/],
  [{ limits: { models: ["x".repeat(101)] } }, /named models/],
  [{ limits: { knowledgeBases: [0] } }, /not the id/],
  [{ limits: { knowledgeBases: [1.5] } }, /not the id/],
  [{ name: "a\u0000b" }, /nobody sees/],
  [{ name: " " }, /readable/],
  [{ email: "nobody@acme.test" }, /not a member/],
  [{ email: "boss@globex.test" }, /not a member/],
  [{ workspace: "nowhere" }, /not a member/],
  [{ kind: "bearer" }, /not a kind/],
  [{ kind: "oauth" }, /not a kind/],
  [{ kind: "operator" }, /not a kind/],
] as const)("%j is refused", async ([more, message]) => {
  await expect(make("api", more)).rejects.toThrow(message);
});

test("a disabled person gets no token", async () => {
  const { identity } = world;
  await identity.users.create({ email: "off@acme.test", workspace: "acme", role: "viewer" });
  await identity.users.disable("off@acme.test");
  const made = identity.tokens.create({ email: "off@acme.test", workspace: "acme", kind: "api" });
  await expect(made).rejects.toMatchObject({ code: "conflict" });
});

test("the number of tokens is bounded, also when they are made at once", async () => {
  const { identity, catalog } = world;
  await identity.users.create({ email: "many@acme.test", workspace: "acme", role: "viewer" });
  await catalog.pool.query(
    `INSERT INTO tokens (kind, hash, hint_text, name, account_id, workspace_id, limits, expires_at)
     SELECT 'api', 'x' || i, '', '', account_id, workspace_id, '{}', now() + interval '1 day'
     FROM members JOIN accounts ON accounts.id = account_id, generate_series(1, 195) i WHERE email = 'many@acme.test'`,
  );
  const input = { email: "many@acme.test", workspace: "acme", kind: "api" } as const;
  const made = await Promise.allSettled(Array.from({ length: 12 }, () => identity.tokens.create(input)));
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  const [listed] = await identity.tokens.list({ email: "many@acme.test" });
  await identity.tokens.revoke(listed?.id ?? 0);
  await identity.tokens.create(input);
});

test("making and revoking are on record", async () => {
  const { identity } = world;
  const { info } = await make("api", { name: "ci" });
  const [person] = await identity.users.list({ workspace: "acme" });
  const userId = person?.userId ?? 0;
  await identity.tokens.revoke(info.id, { userId });
  await identity.audit.flush();
  const { id: workspaceId } = await identity.workspaces.bySlug("acme");
  const { events } = await identity.audit.list(workspaceId, { limit: 2 });
  const resourceId = String(info.id);
  expect(events).toMatchObject([
    { action: "token.revoked", resourceId, userId, metadata: { name: "ci" } },
    { action: "token.created", resourceId, userId: null, metadata: { name: "ci", by: "operator" } },
  ]);
});
