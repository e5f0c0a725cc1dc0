import { afterAll, beforeAll, expect, test } from "vitest";
import { identityOn, openTestIdentity, type TestIdentity } from "../../../../test/support/identity.ts";
import { MS } from "../../../kernel/time.ts";

let world: TestIdentity;
let acme: number;
let globex: number;
beforeAll(async () => {
  world = await openTestIdentity();
  acme = (await world.identity.workspaces.bySlug("acme")).id;
  globex = (await world.identity.workspaces.bySlug("globex")).id;
  await world.catalog.pool.query(`INSERT INTO plans VALUES ('small', '{"memories": 20, "agent_calls": 5}')`);
  await world.catalog.pool.query("UPDATE workspaces SET plan = 'small' WHERE slug = 'acme'");
});
afterAll(() => world[Symbol.asyncDispose]());

const settled = (promises: Promise<void>[]) =>
  Promise.allSettled(promises).then(
    (results) => results.filter(({ status }) => status === "fulfilled").length,
  );

test("of fifty who take the last twenty at once, in two servers, exactly twenty succeed", async () => {
  const { identity, catalog, clock } = world;
  const other = identityOn(catalog, { clock });
  const takes = Array.from({ length: 50 }, (_, i) => (i % 2 ? identity : other).usage.take(acme, "memories"));
  expect(await settled(takes)).toBe(20);
  const refused = identity.usage.take(acme, "memories");
  await expect(refused).rejects.toMatchObject({
    code: "plan_limit",
    message: "Plan limit reached: 20 of 20 memories are used.",
    data: { metric: "memories", used: 20, limit: 20, asked: 1 },
  });
  await identity.usage.giveBack(acme, "memories", 3);
  expect(await settled(Array.from({ length: 10 }, () => identity.usage.take(acme, "memories")))).toBe(3);
  await other.close();
});

test("an amount is taken whole or not at all", async () => {
  const { usage } = world.identity;
  await expect(usage.take(acme, "agent_calls", 6)).rejects.toMatchObject({ code: "plan_limit" });
  await usage.take(acme, "agent_calls", 3);
  await expect(usage.take(acme, "agent_calls", 3)).rejects.toMatchObject({ code: "plan_limit" });
  await usage.take(acme, "agent_calls", 2);
  await usage.take(acme, "agent_calls", 0);
  for (const amount of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    await expect(usage.take(acme, "agent_calls", amount)).rejects.toThrow(TypeError);
  }
});

test("what is done counts by month, what is kept counts on", async () => {
  const { identity, clock } = world;
  await expect(identity.usage.take(acme, "agent_calls")).rejects.toThrow(/this month/);
  clock.advance(32 * MS.day);
  await identity.usage.take(acme, "agent_calls");
  await expect(identity.usage.take(acme, "memories")).rejects.toMatchObject({ code: "plan_limit" });
});

test("without a limit it only counts, and workspaces count for themselves", async () => {
  const { usage } = world.identity;
  await usage.take(globex, "memories", 1_000_000);
  await usage.take(globex, "anything_else", 5);
  await usage.giveBack(globex, "anything_else", 50);
  await usage.giveBack(globex, "never_taken");
  const month = world.clock.now().toISOString().slice(0, 7);
  expect(await usage.report(globex)).toEqual([
    { metric: "anything_else", used: 0, limit: null, period: month },
    { metric: "memories", used: 1_000_000, limit: null, period: "total" },
  ]);
  expect(await usage.report(acme)).toEqual([
    { metric: "agent_calls", used: 1, limit: 5, period: month },
    { metric: "memories", used: 20, limit: 20, period: "total" },
  ]);
});

test("a workspace that does not exist has no plan", async () => {
  await expect(world.identity.usage.take(999_999, "memories")).rejects.toMatchObject({ code: "not_found" });
  await expect(world.identity.usage.report(999_999)).rejects.toMatchObject({ code: "not_found" });
});

test("hostile names of metrics are only names", async () => {
  const { usage } = world.identity;
  await usage.take(acme, "'; DROP TABLE usage; --");
  await usage.take(acme, "__proto__");
  await usage.take(acme, "toString");
  expect((await usage.report(acme)).find(({ metric }) => metric === "toString")?.limit).toBeNull();
});
