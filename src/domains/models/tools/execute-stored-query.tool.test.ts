import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import {
  query,
  type Rows,
  refusalsOf,
  saveModel,
  shopModel,
  shopServer,
  textOf,
} from "../../../../test/support/models.ts";
import { PATHS } from "../../../../test/support/rpc.ts";

const { server, shop } = await shopServer();

const run = (token: string, args: Record<string, unknown>, path: string = PATHS.models) =>
  resultOf<Rows>(server, token, "execute_stored_query", args, path);
const NOT_FOUND = /^There is no stored query with that id/;

async function stored(sql: string, args: Record<string, unknown> = {}, token = shop.admin): Promise<string> {
  return (await query(server, token, sql, args)).storedQueryId as string;
}

describe("execute_stored_query", () => {
  it.each([PATHS.all, PATHS.models])(
    "[models.stored.run] [models.stored.params] runs again, with the stored parameters or with others (%s)",
    async (path) => {
      const storedQueryId = await stored("SELECT id FROM orders WHERE region = $1 ORDER BY id", {
        params: ["North"],
      });
      const again = await run(shop.admin, { storedQueryId }, path);
      expect(again).toMatchObject({ columns: ["id"], rows: [{ id: 1 }, { id: 3 }], rowCount: 2 });
      expect(again).toHaveProperty("columns.length", 1);
      expect("types" in again).toBe(path === PATHS.all);
      expect((await run(shop.admin, { storedQueryId, params: ["South"] }, path)).rows).toEqual([{ id: 2 }]);
      expect((await run(shop.admin, { storedQueryId }, path)).rowCount).toBe(2);
      const none = run(shop.admin, { storedQueryId, params: [] }, path);
      await expect(none).rejects.toThrow(/1 parameter/);
    },
  );

  it("[models.stored.limits] cuts off where execute_query does", async () => {
    const storedQueryId = await stored("SELECT * FROM range(1001)");
    expect(await run(shop.admin, { storedQueryId })).toMatchObject({ rowCount: 1_000, truncated: true });
  });

  it("runs on the model as it is now", async () => {
    await saveModel(server, shop.admin, shopModel({ name: "moving", fields: { price: "net" } }));
    const storedQueryId = await stored("SELECT max(price) AS top FROM orders", { modelName: "moving" });
    await saveModel(server, shop.admin, shopModel({ name: "moving", fields: { price: "net * 100" } }));
    expect((await run(shop.admin, { storedQueryId })).rows).toEqual([{ top: 3_000 }]);
  });

  it("runs under the rights of whoever asks now", async () => {
    const storedQueryId = await stored("SELECT id, region FROM orders ORDER BY id");
    const policies = [
      { name: "north", roles: ["viewer"], rows: [{ field: "region", operator: "=", value: "North" }] },
      { name: "costs", roles: ["viewer"], hide: ["cost"] },
    ];
    const costs = await stored("SELECT sum(cost) AS costs FROM orders");
    await resultOf(server, shop.admin, "set_dataset_policies", { dataset_id: shop.orders, policies });
    expect((await run(shop.admin, { storedQueryId })).rowCount).toBe(3);
    expect((await run(shop.viewer, { storedQueryId })).rows.map(({ id }) => id)).toEqual([1, 3]);
    await expect(run(shop.viewer, { storedQueryId: costs })).rejects.toThrow(/somebody else's/);
    const refused = textOf(
      await callTool(server, shop.viewer, "execute_stored_query", { storedQueryId: costs }),
    );
    expect(refused).not.toMatch(/LINE|SELECT|cost/);
    await resultOf(server, shop.admin, "set_dataset_policies", { dataset_id: shop.orders, policies: [] });
  });

  it("does not know queries of other workspaces, of models that the token is not for, or of none", async () => {
    const storedQueryId = await stored("SELECT 1 AS one");
    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    await expect(run(foreign, { storedQueryId }, PATHS.all)).rejects.toThrow(NOT_FOUND);
    for (const id of [randomUUID(), "made-up", `${storedQueryId}'`]) {
      await expect(run(shop.admin, { storedQueryId: id })).rejects.toThrow(NOT_FOUND);
    }
    const limited = await server.token({ limits: { models: ["other"] } });
    await expect(run(limited, { storedQueryId })).rejects.toThrow(NOT_FOUND);
  });

  it("does not run what is deleted, or whose model is", async () => {
    const storedQueryId = await stored("SELECT 2 AS two");
    await resultOf(server, shop.admin, "update_stored_query", { storedQueryId, delete: true });
    await expect(run(shop.admin, { storedQueryId })).rejects.toThrow(NOT_FOUND);
    const { asset_id } = await saveModel(server, shop.admin, shopModel({ name: "brief" }));
    const orphan = await stored("SELECT 1 AS one", { modelName: "brief" });
    const asset = { asset_type: "semantic_model", asset_id };
    await resultOf(server, shop.admin, "delete_asset", { ...asset, confirm: true });
    await expect(run(shop.admin, { storedQueryId: orphan })).rejects.toThrow(NOT_FOUND);
    await resultOf(server, shop.admin, "restore_asset", asset);
    expect((await run(shop.admin, { storedQueryId: orphan })).rows).toEqual([{ one: 1 }]);
  });

  it("is for those with ontologies:read, also with a read-only token", async () => {
    const storedQueryId = await stored("SELECT 1 AS one");
    const reader = await server.token({ limits: { readOnly: true } });
    expect((await run(reader, { storedQueryId })).rows).toEqual([{ one: 1 }]);
    const wrong = await server.token({ scopes: ["bi:read"] });
    for (const path of [PATHS.all, PATHS.models]) {
      expect(await refusalsOf(server, wrong, "execute_stored_query", { storedQueryId }, path)).toEqual({
        anonymous: 401,
        wrong: expect.stringContaining("ontologies:read"),
      });
    }
    const missing = await callTool(server, shop.viewer, "execute_stored_query", {}, PATHS.models);
    expect(textOf(missing)).toMatch(/storedQueryId is required/);
  });
});
