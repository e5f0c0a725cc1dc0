import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestIdentity, type TestIdentity } from "../../../test/support/identity.ts";
import { systemClock } from "../../kernel/time.ts";
import type { Caller } from "../../registry/caller.ts";
import { LIMITS } from "./limits.ts";
import { semanticModels } from "./models.tables.ts";
import { StoredQueriesStore } from "./stored-queries.store.ts";

let world: TestIdentity;
let store: StoredQueriesStore;
let caller: Caller;
let modelId: number;

beforeAll(async () => {
  world = await openTestIdentity();
  const { catalog, identity } = world;
  store = new StoredQueriesStore(catalog, systemClock);
  const { rows } = await catalog.db.execute(
    sql`SELECT workspace_id, account_id FROM members ORDER BY workspace_id, account_id LIMIT 1`,
  );
  const [workspaceId, userId] = [Number(rows[0]?.workspace_id), Number(rows[0]?.account_id)];
  caller = await identity.callerFor({ workspaceId, userId });
  const values = { workspaceId, name: "shop", createdAt: new Date() };
  const [model] = await catalog.db.insert(semanticModels).values(values).returning();
  modelId = model!.id;
});
afterAll(() => world[Symbol.asyncDispose]());

const keep = (text: string, params: string[] = []) => store.keep(caller, { modelId, text, params });
const total = async () => {
  const page = { everyone: false, namedOnly: false, limit: 1, offset: 0 };
  return (await store.list(caller, page)).total;
};

describe("a query that ran", () => {
  it("has the same id for the same text and parameters", async () => {
    const first = await keep("SELECT 1", ["a"]);
    expect(await keep("SELECT 1", ["a"])).toBe(first);
    expect(await keep("SELECT 1", ["b"])).not.toBe(first);
  });

  it("takes no other one's place when it is known already", async () => {
    const known = await keep("SELECT 'again'");
    const before = await total();
    const { ranAt } = await store.require(caller, known as string);
    expect(await keep("SELECT 'again'")).toBe(known);
    const after = await store.require(caller, known as string);
    expect(after.ranAt.getTime()).toBeGreaterThanOrEqual(ranAt.getTime());
    expect(after).toMatchObject({ sql: "SELECT 'again'", params: [], modelId, ownerId: caller.user.id });
    expect(await total()).toBe(before);
  });

  it("makes room for newer ones unless it has a name", async () => {
    const [named, oldest] = [await keep("SELECT 'named'"), await keep("SELECT 'oldest'")];
    await store.rename(caller, named as string, "mine");
    const past = new Date(Date.now() - 86_400_000);
    await world.catalog.db.execute(sql`UPDATE stored_queries SET ran_at = ${past}`);
    await world.catalog.db.execute(
      sql`INSERT INTO stored_queries (workspace_id, model_id, owner_id, sql, params, created_at, ran_at)
          SELECT ${caller.workspace.id}, ${modelId}, ${caller.user.id}, 'SELECT ' || n, '[]', now(), now() - interval '1 minute'
          FROM generate_series(1, ${LIMITS.models.storedQueries - 1}) AS s(n)`,
    );
    const newest = await keep("SELECT 'newest'");
    expect(await total()).toBe(LIMITS.models.storedQueries + 1);
    await expect(store.require(caller, oldest as string)).rejects.toMatchObject({ code: "not_found" });
    for (const id of [named, newest]) expect(await store.require(caller, id as string)).toMatchObject({ id });
  });

  it("is not kept when it is too large", async () => {
    expect(await keep(`SELECT '${"x".repeat(LIMITS.models.storedQueryBytes)}'`)).toBeUndefined();
  });
});
