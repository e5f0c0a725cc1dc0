import { expect, test } from "vitest";
import { grantWith } from "../../../../test/support/grants.ts";
import { openTestIdentity, proofOf } from "../../../../test/support/identity.ts";
import { randomText } from "../../../kernel/text.ts";
import { MS } from "../../../kernel/time.ts";
import { createMemoryState } from "../../../platform/state/index.ts";
import { type Caller, type CallMeta, SURFACES, type SurfaceName } from "../../../registry/caller.ts";
import type { OperationKind } from "../../../registry/ports.ts";
import { callerFrom } from "../authentication/authentication.ts";
import { createLimiter, DEFAULT_RATE_LIMITS } from "./limiter.ts";

const ada = callerFrom(grantWith());
const bob: Caller = { ...ada, user: { ...ada.user, id: 99 } };
const meta = (surface: SurfaceName): CallMeta => ({
  surface,
  requestId: "r",
  address: "203.0.113.7",
  tokenHash: "hash",
  sessionId: null,
  client: { name: "test", version: "1" },
});

/** How often something is allowed before it is refused. */
async function allowed(work: () => Promise<void>, most: number): Promise<number> {
  for (let count = 0; count < most; count++) {
    try {
      await work();
    } catch (error) {
      expect(error).toMatchObject({ code: "rate_limited", data: { retryAfterMs: expect.any(Number) } });
      return count;
    }
  }
  return most;
}

function openLimiter(settings = {}) {
  return createLimiter(createMemoryState(), { ...DEFAULT_RATE_LIMITS, ...settings });
}

test.for([
  { surface: "agent", kind: "tool", name: "ask_question", most: 5 },
  { surface: "agent", kind: "tool", name: "another_tool", most: 50 },
  { surface: "agent", kind: "resource", name: "knecta://ontologies", most: 30 },
  { surface: "agent", kind: "prompt", name: "p", most: 50 },
  { surface: "all", kind: "tool", name: "ask_question", most: 50 },
  { surface: "memory", kind: "tool", name: "knowmind.recall", most: 50 },
] as const)("one person on $surface: $kind $name $most times", async ({ surface, kind, name, most }) => {
  const limiter = openLimiter();
  const operation: { kind: OperationKind; name: string } = { kind, name };
  expect(await allowed(() => limiter.take(operation, ada, meta(surface)), 50)).toBe(most);
  // Somebody else has a window of their own.
  await limiter.take(operation, bob, meta(surface));
});

test("resources of one window count together, whatever their address", async () => {
  const limiter = openLimiter();
  let i = 0;
  expect(
    await allowed(() => limiter.take({ kind: "resource", name: `knecta://${i++}` }, ada, meta("agent")), 50),
  ).toBe(30);
});

test.for([
  ...SURFACES.filter((surface) => surface !== "memory").map((surface) => ({
    surface,
    plan: "self-hosted",
    most: 700,
  })),
  { surface: "memory", plan: "self-hosted", most: 600 },
  { surface: "memory", plan: "private", most: 60 },
  { surface: "memory", plan: undefined, most: 600 },
  { surface: "all", plan: "private", most: 700 },
] as { surface: SurfaceName; plan?: string; most: number }[])(
  "one token on $surface with the plan $plan: $most requests a minute",
  async ({ surface, plan, most }) => {
    const limiter = openLimiter({ tokenRequests: { points: 700, windowMs: MS.minute } });
    let address = 0;
    const admit = (tokenHash: string) => () =>
      limiter.admit({
        surface,
        tokenHash,
        address: `10.0.${(address >> 8) & 255}.${address++ & 255}`,
        ...(plan && { plan }),
      });
    expect(await allowed(admit("a"), 1_000)).toBe(most);
    await admit("b")();
  },
);

test("one person, however many tokens they have: five times what one of them may", async () => {
  const limiter = openLimiter({ tokenRequests: { points: 20, windowMs: MS.minute } });
  let i = 0;
  const by = (userId: number, surface: SurfaceName, plan?: string) => () =>
    limiter.admit({
      surface,
      tokenHash: `t${i++}`,
      userId,
      address: `10.1.${(i >> 8) & 255}.${i & 255}`,
      ...(plan && { plan }),
    });
  expect(await allowed(by(1, "all"), 200)).toBe(100);
  // Those of all endpoints are counted together, and others by themselves.
  expect(await allowed(by(1, "bi"), 200)).toBe(0);
  expect(await allowed(by(2, "bi"), 200)).toBe(100);
  expect(await allowed(by(1, "memory", "private"), 400)).toBe(300);
  expect(await allowed(by(3, "memory"), 3_100)).toBe(3_000);
});

test("one address, however many tokens it has, and one network of IPv6 addresses", async () => {
  const limiter = openLimiter({ addressRequests: { points: 100, windowMs: MS.minute } });
  let i = 0;
  const from = (address: () => string) => () =>
    limiter.admit({ surface: "all", tokenHash: `t${i++}`, address: address() });
  expect(
    await allowed(
      from(() => "203.0.113.7"),
      200,
    ),
  ).toBe(100);
  expect(
    await allowed(
      from(() => `2001:db8::${(i % 9_000).toString(16)}`),
      200,
    ),
  ).toBe(100);
});

test("windows can be set by the operator, or switched off", async () => {
  const ask = { kind: "tool", name: "ask_question" } as const;
  const custom = openLimiter({ questions: { points: 2, windowMs: 1_000 } });
  expect(await allowed(() => custom.take(ask, ada, meta("agent")), 10)).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await allowed(() => custom.take(ask, ada, meta("agent")), 10)).toBe(2);
  const off = openLimiter({
    enabled: false,
    addressRequests: { points: 1, windowMs: MS.minute },
    failedAttempts: { points: 1, windowMs: MS.minute },
  });
  expect(await allowed(() => off.take(ask, ada, meta("agent")), 50)).toBe(50);
  expect(await allowed(() => off.admit({ surface: "all", tokenHash: "t", address: "10.0.0.1" }), 50)).toBe(
    50,
  );
  // Guessing is slowed down in any case.
  await off.failedAttempt("10.0.0.1");
  await off.failedAttempt("10.0.0.1");
  await expect(off.admitAttempt("10.0.0.1")).rejects.toMatchObject({ code: "rate_limited" });
});

test("commands of the operator are exempt", async () => {
  const limiter = openLimiter();
  const operator: Caller = { ...ada, token: { ...ada.token, kind: "operator" } };
  expect(
    await allowed(() => limiter.take({ kind: "tool", name: "ask_question" }, operator, meta("agent")), 50),
  ).toBe(50);
});

test("asking whether there were too many failures is no failure", async () => {
  const limiter = openLimiter({ failedAttempts: { points: 3, windowMs: MS.minute } });
  for (let i = 0; i < 20; i++) await limiter.admitAttempt("10.0.0.1");
  for (let i = 0; i < 4; i++) await limiter.failedAttempt("10.0.0.1");
  await expect(limiter.admitAttempt("10.0.0.1")).rejects.toMatchObject({ code: "rate_limited" });
  await limiter.admitAttempt("10.0.0.2");
});

test("wrong tokens are slowed down; a good one from the same address is served all the same", async () => {
  await using world = await openTestIdentity({
    rateLimits: { failedAttempts: { points: 5, windowMs: MS.minute } },
  });
  const { identity } = world;
  const { token } = await identity.tokens.create({
    email: "viewer@acme.test",
    workspace: "acme",
    kind: "api",
  });
  const codes: string[] = [];
  for (let i = 0; i < 8; i++) {
    await identity.authenticate(proofOf(`kapi_${randomText(32)}`)).catch(({ code }) => codes.push(code));
  }
  expect(codes).toEqual([...Array(6).fill("unauthorized"), "rate_limited", "rate_limited"]);
  await identity.authenticate(proofOf(token));
  for (let i = 0; i < 20; i++) {
    await expect(identity.authenticate(proofOf(null, { address: "10.1.1.1" }))).rejects.toMatchObject({
      code: "unauthorized",
    });
  }
});

test("no raw token and no address is a key of the shared state", async () => {
  const keys: string[] = [];
  const state = createMemoryState();
  const watched = {
    ...state,
    limiter: (name: string, rule: { points: number; windowMs: number }) => {
      const limiter = state.limiter(name, rule);
      const consume = (key: string, cost?: number) => {
        keys.push(key);
        return limiter.consume(key, cost);
      };
      return { consume };
    },
  };
  const limiter = createLimiter(watched, DEFAULT_RATE_LIMITS);
  await limiter.admit({ surface: "all", tokenHash: "f00d", address: "203.0.113.7" });
  await limiter.failedAttempt("203.0.113.7");
  expect(keys.length).toBe(3);
  for (const key of keys) expect(key).not.toMatch(/f00d|203/);
});

test("a batch counts as the messages in it", async () => {
  const limiter = openLimiter({ memoryRequests: { points: 10, windowMs: MS.minute } });
  const batch = { surface: "memory", tokenHash: "hash", address: "203.0.113.7", cost: 4 } as const;
  expect(await allowed(() => limiter.admit(batch), 5)).toBe(2);
});
