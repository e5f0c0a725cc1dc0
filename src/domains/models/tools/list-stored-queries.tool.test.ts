import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { openShop, query, refusalsOf, saveModel, shopModel } from "../../../../test/support/models.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

interface Listed {
  total: number;
  queries: { storedQueryId: string; name: string | null; modelName: string; sql: string; params: string[] }[];
}

const server = await serverOfFile();
const shop = await openShop(server);
await saveModel(server, shop.admin, shopModel({ name: "other" }));
const first = (await query(server, shop.contributor, "SELECT $1 AS a", { params: ["x"] }))
  .storedQueryId as string;
await query(server, shop.contributor, "SELECT 2 AS b", { modelName: "other" });
await query(server, shop.viewer, "SELECT 3 AS c");

const list = (token: string, args: Record<string, unknown> = {}) =>
  resultOf<Listed>(server, token, "list_stored_queries", args);
const texts = async (token: string, args: Record<string, unknown> = {}) =>
  (await list(token, args)).queries.map(({ sql }) => sql);

describe("list_stored_queries", () => {
  it("lists one's own, the last run first, a page at a time", async () => {
    expect(await texts(shop.contributor)).toEqual(["SELECT 2 AS b", "SELECT $1 AS a"]);
    await query(server, shop.contributor, "SELECT $1 AS a", { params: ["x"] });
    expect(await list(shop.contributor, { limit: 1 })).toEqual({
      total: 2,
      queries: [
        {
          storedQueryId: first,
          name: null,
          modelName: "shop",
          sql: "SELECT $1 AS a",
          params: ["x"],
          ran_at: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      ],
    });
    expect(await texts(shop.contributor, { limit: 1, offset: 1 })).toEqual(["SELECT 2 AS b"]);
  });

  it("lists the named ones alone on request", async () => {
    await resultOf(server, shop.contributor, "update_stored_query", {
      storedQueryId: first,
      name: "The first",
    });
    expect((await list(shop.contributor, { named_only: true })).queries).toMatchObject([
      { name: "The first" },
    ]);
    expect((await list(shop.viewer, { named_only: true })).total).toBe(0);
  });

  it("lists everyone's for admins, and for nobody else", async () => {
    expect((await texts(shop.admin, { everyone: true })).toSorted()).toEqual([
      "SELECT $1 AS a",
      "SELECT 2 AS b",
      "SELECT 3 AS c",
    ]);
    expect(await texts(shop.admin)).toEqual([]);
    await expect(list(shop.contributor, { everyone: true })).rejects.toThrow(/^Only an admin/);
  });

  it("lists nothing of models that the token is not for, that are gone, or of another workspace", async () => {
    const limited = await server.token({ limits: { models: ["Shop"] } });
    expect((await texts(limited, { everyone: true })).toSorted()).toEqual([
      "SELECT $1 AS a",
      "SELECT 3 AS c",
    ]);
    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    expect(await list(foreign, { everyone: true })).toEqual({ total: 0, queries: [] });
    const { asset_id } = await saveModel(server, shop.admin, shopModel({ name: "other" }));
    const asset = { asset_type: "semantic_model", asset_id, confirm: true };
    await resultOf(server, shop.admin, "delete_asset", asset);
    expect(await texts(shop.contributor)).toEqual(["SELECT $1 AS a"]);
  });

  it("is for those with ontologies:read", async () => {
    const wrong = await server.token({ scopes: ["bi:read"] });
    expect(await refusalsOf(server, wrong, "list_stored_queries", {})).toEqual({
      anonymous: 401,
      wrong: expect.stringContaining("ontologies:read"),
    });
  });

  it("shows the beginning of what is long, and does not store what is very long", async () => {
    const token = await server.token();
    const sql = `SELECT $1 AS a -- ${"x".repeat(3_000)}`;
    await query(server, token, sql, { params: ["y".repeat(300)] });
    const [listed] = (await list(token)).queries;
    expect(listed).toMatchObject({
      sql: sql.slice(0, 2_000),
      params: [`${"y".repeat(200)}…`],
      clipped: true,
    });
    const huge = await query(server, token, `SELECT 1 AS a -- ${"x".repeat(70_000)}`);
    expect(huge).toMatchObject({ rows: [{ a: 1 }] });
    expect(huge.storedQueryId).toBeUndefined();
    expect((await list(token)).total).toBe(1);
  });
});
