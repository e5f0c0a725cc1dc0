import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestIdentity, TEST_PASSWORD, type TestIdentity } from "../../../../test/support/identity.ts";
import { MS } from "../../../kernel/time.ts";
import type { Users } from "../identity.ts";

let world: TestIdentity;
beforeAll(async () => {
  world = await openTestIdentity();
});
afterAll(() => world[Symbol.asyncDispose]());

let lastAddress = 0;
/** Each time from another address, where it is not said which. */
function signIn(users: Users, email: string, password: string, address = `10.0.0.${++lastAddress}`) {
  return users.signIn(email, password, { address, requestId: "r" });
}

describe("creating people", () => {
  test("a new account gets a password that is shown once", async () => {
    const { users } = world.identity;
    const { member, generatedPassword } = await users.create({
      email: " Ada@Acme.TEST ",
      workspace: "acme",
      role: "viewer",
    });
    expect(member).toMatchObject({
      email: "ada@acme.test",
      name: "ada",
      workspace: "acme",
      role: "viewer",
      disabled: false,
    });
    expect(await signIn(users, "ADA@acme.test", generatedPassword ?? "")).toMatchObject({
      userId: member.userId,
    });
  });

  test("an account can belong to several workspaces and keeps its password", async () => {
    const { users } = world.identity;
    const joined = await users.create({
      email: "viewer@acme.test",
      workspace: "globex",
      role: "contributor",
    });
    expect(joined.generatedPassword).toBeNull();
    expect(joined.member).toMatchObject({ workspace: "globex", role: "contributor", name: "viewer" });
    expect(await signIn(users, "viewer@acme.test", TEST_PASSWORD)).not.toBeNull();
    const again = { email: "viewer@acme.test", workspace: "globex", role: "admin" } as const;
    await expect(users.create(again)).rejects.toMatchObject({ code: "conflict" });
    await expect(users.create({ ...again, password: "another long password" })).rejects.toThrow(
      /already has an account/,
    );
  });

  test("two who create the same account at once make one", async () => {
    const { users } = world.identity;
    const input = { email: "twin@acme.test", workspace: "acme", role: "viewer" } as const;
    const made = await Promise.allSettled([users.create(input), users.create(input), users.create(input)]);
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test.for([
    [{ email: "not an e-mail" }, /not an e-mail/],
    [{ email: "a@b\u0000.test" }, /not an e-mail/],
    [{ email: `${"x".repeat(300)}@acme.test` }, /not an e-mail/],
    [{ email: "ada@аcme.test" }, /not an e-mail/],
    [{ workspace: "nowhere" }, /no workspace/],
    [{ workspace: "' OR 1=1 --" }, /no workspace/],
    [{ workspace: "acme\u0000" }, /no workspace/],
    [{ role: "superuser" }, /not a role/],
    [{ password: "short" }, /at least 12/],
    [{ name: "Ada\u202eevil" }, /nobody sees/],
    [{ name: "two\nlines" }, /nobody sees/],
  ] as const)("%j is refused", async ([input, message]) => {
    const good = { email: "eve@acme.test", workspace: "acme", role: "viewer" } as const;
    await expect(world.identity.users.create({ ...good, ...input } as never)).rejects.toThrow(message);
  });
});

describe("passwords", () => {
  test("only the right one of an enabled account fits", async () => {
    const { users } = world.identity;
    expect(await signIn(users, "admin@acme.test", TEST_PASSWORD)).toMatchObject({
      email: "admin@acme.test",
    });
    expect(await signIn(users, "admin@acme.test", `${TEST_PASSWORD} `)).toBeNull();
    expect(await signIn(users, "nobody@acme.test", TEST_PASSWORD)).toBeNull();
    expect(await signIn(users, "\u0000", TEST_PASSWORD)).toBeNull();
    expect(await signIn(users, "admin@acme.test", "")).toBeNull();
    await users.disable("admin@acme.test");
    expect(await signIn(users, "admin@acme.test", TEST_PASSWORD)).toBeNull();
    await users.enable("admin@acme.test");
    expect(await signIn(users, "admin@acme.test", TEST_PASSWORD)).not.toBeNull();
  });

  test("a text that begins with the password is not the password", async () => {
    const { users } = world.identity;
    const longest = "0123456789abcdef".repeat(16);
    await users.setPassword("admin@acme.test", longest);
    expect(await signIn(users, "admin@acme.test", longest)).not.toBeNull();
    expect(await signIn(users, "admin@acme.test", `${longest}x`)).toBeNull();
    await users.setPassword("admin@acme.test", TEST_PASSWORD);
    await expect(users.setPassword("nobody@acme.test", TEST_PASSWORD)).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("a hash of an older cost is renewed at sign-in", async () => {
    const { identity, catalog } = world;
    const { argon2Sync } = await import("node:crypto");
    const nonce = Buffer.alloc(16, 3);
    const tag = argon2Sync("argon2id", {
      message: TEST_PASSWORD,
      nonce,
      memory: 64,
      passes: 1,
      parallelism: 1,
      tagLength: 32,
    });
    const text = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
    const older = `$argon2id$v=19$m=64,t=1,p=1$${text(nonce)}$${text(tag)}`;
    const hash = async () =>
      (await catalog.pool.query("SELECT password_hash FROM accounts WHERE email = 'contributor@acme.test'"))
        .rows[0].password_hash;
    await catalog.pool.query("UPDATE accounts SET password_hash = $1 WHERE email = 'contributor@acme.test'", [
      older,
    ]);
    expect(await signIn(identity.users, "contributor@acme.test", "wrong password")).toBeNull();
    expect(await hash()).toBe(older);
    expect(await signIn(identity.users, "contributor@acme.test", TEST_PASSWORD)).not.toBeNull();
    expect(await hash()).toContain("m=19456,t=2,p=1");
    expect(await signIn(identity.users, "contributor@acme.test", TEST_PASSWORD)).not.toBeNull();
  });

  test("an unknown e-mail takes as long as a known one", async () => {
    const { users } = world.identity;
    const time = async (email: string) => {
      const started = performance.now();
      await signIn(users, email, "a wrong password");
      return performance.now() - started;
    };
    const median = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1] as number;
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 15; round++) {
      known.push(await time("admin@acme.test"));
      unknown.push(await time("nobody@acme.test"));
    }
    const ratio = median(known) / median(unknown);
    expect(ratio).toBeGreaterThan(0.4);
    expect(ratio).toBeLessThan(2.5);
  });

  test("guessing from one address is slowed down, and locks nobody else out", async () => {
    await using other = await openTestIdentity({
      rateLimits: { failedPasswords: { points: 3, windowMs: 15 * MS.minute } },
    });
    const { users } = other.identity;
    const [attacker, owner] = ["198.51.100.1", "203.0.113.5"];
    for (let guess = 0; guess < 4; guess++) {
      expect(await signIn(users, "admin@acme.test", `guess number ${guess}`, attacker)).toBeNull();
    }
    const refused = { code: "rate_limited", data: { retryAfterMs: expect.any(Number) } };
    await expect(signIn(users, "admin@acme.test", TEST_PASSWORD, attacker)).rejects.toMatchObject(refused);
    expect(await signIn(users, "admin@acme.test", TEST_PASSWORD, owner)).not.toBeNull();
    expect(await signIn(users, "viewer@acme.test", TEST_PASSWORD, attacker)).not.toBeNull();
  });

  test("many wrong passwords from one address keep out nobody whose account is not guessed at", async () => {
    await using other = await openTestIdentity({
      rateLimits: { failedAttempts: { points: 4, windowMs: MS.minute } },
    });
    const { users } = other.identity;
    const office = "198.51.100.1";
    const tried = [
      "admin@acme.test",
      "admin@acme.test",
      "admin@acme.test",
      "nobody@acme.test",
      "a@acme.test",
    ];
    for (const email of tried) expect(await signIn(users, email, "a guess at it", office)).toBeNull();
    const refused = { code: "rate_limited" };
    await expect(signIn(users, "admin@acme.test", TEST_PASSWORD, office)).rejects.toMatchObject(refused);
    expect(await signIn(users, "viewer@acme.test", TEST_PASSWORD, office)).not.toBeNull();
    // One slip of one's own does not change that.
    expect(await signIn(users, "viewer@acme.test", "a slip of mine", office)).toBeNull();
    expect(await signIn(users, "viewer@acme.test", TEST_PASSWORD, office)).not.toBeNull();
  });
});

test("roles, states and listings", async () => {
  const { users } = world.identity;
  await users.create({ email: "eve@acme.test", workspace: "acme", role: "viewer" });
  expect(await users.setRole({ email: "Eve@acme.test", workspace: "acme", role: "admin" })).toMatchObject({
    role: "admin",
  });
  await expect(
    users.setRole({ email: "eve@acme.test", workspace: "globex", role: "admin" }),
  ).rejects.toMatchObject({
    code: "not_found",
  });
  await users.disable("eve@acme.test");
  await users.disable("eve@acme.test");
  const acme = await users.list({ workspace: "acme" });
  expect(acme.find(({ email }) => email === "eve@acme.test")).toMatchObject({
    disabled: true,
    role: "admin",
  });
  expect(acme.every(({ workspace }) => workspace === "acme")).toBe(true);
  expect((await users.list()).length).toBeGreaterThan(acme.length);
  await expect(users.list({ workspace: "nowhere" })).rejects.toMatchObject({ code: "not_found" });
  await expect(users.disable("nobody@acme.test")).rejects.toMatchObject({ code: "not_found" });
});

test("every change to an account is on record in each of its workspaces, with who made it", async () => {
  await using fresh = await openTestIdentity();
  const { identity } = fresh;
  const email = "viewer@acme.test";
  const { member } = await identity.users.create({ email, workspace: "globex", role: "viewer" });
  await identity.users.disable(email);
  await identity.users.disable(email);
  await identity.users.enable(email);
  await identity.users.setRole({ email, workspace: "globex", role: "admin" });
  await identity.users.setPassword(email, "another good password", { userId: member.userId });
  await identity.clients.create({ email, workspace: "globex" });
  await identity.audit.flush();
  const told = async (workspace: string, limit: number) => {
    const { id } = await identity.workspaces.bySlug(workspace);
    const { events } = await identity.audit.list(id, { limit });
    return events.toReversed().map(({ action, userId, metadata }) => [action, userId ?? metadata.by]);
  };
  const account = [
    ["account.disabled", "operator"],
    ["account.enabled", "operator"],
  ];
  const password = ["account.password_changed", member.userId];
  expect(await told("acme", 3)).toEqual([...account, password]);
  expect(await told("globex", 6)).toEqual([
    ["member.added", "operator"],
    ...account,
    ["member.role_changed", "operator"],
    password,
    ["login_client.created", "operator"],
  ]);
});
