import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { refusalsOf, saveModel, shopModel, shopServer, textOf } from "../../../../test/support/models.ts";

interface Source {
  name: string;
  asset_id: number;
  source?: string;
  diff?: string;
  has_draft: boolean;
  versions: { version: number; published: boolean }[];
}

const { server, shop } = await shopServer();

const read = (token: string, args: Record<string, unknown> = {}) =>
  resultOf<Source>(server, token, "read_semantic_model", { modelName: "shop", ...args });

describe("read_semantic_model", () => {
  it("gives a source that can be saved again and means the same", async () => {
    const { source = "", ...rest } = await read(shop.contributor);
    expect(rest).toMatchObject({
      name: "shop",
      asset_id: shop.model.asset_id,
      has_draft: false,
      versions: [{ version: 1, published: true }],
    });
    expect(source).toMatch(/^version: /);
    await saveModel(server, shop.contributor, source, { publish: false });
    expect((await read(shop.contributor, { version: "draft", compare_with: "published" })).diff).not.toMatch(
      /orders/,
    );
    expect((await read(shop.contributor, { version: "draft" })).source).toBe(source);
  });

  it("gives the draft if there is one, and any version", async () => {
    await saveModel(server, shop.admin, shopModel({ description: "Second" }));
    await saveModel(server, shop.admin, shopModel({ description: "Third" }), { publish: false });
    expect((await read(shop.contributor)).source).toContain("Third");
    expect(await read(shop.contributor, { version: "published" })).toMatchObject({
      source: expect.stringContaining("Second"),
      has_draft: true,
      versions: [
        { version: 2, published: true },
        { version: 1, published: false },
      ],
    });
    expect((await read(shop.contributor, { version: 1 })).source).toContain("A small shop");
    for (const version of [9, "latest", 0])
      await expect(read(shop.contributor, { version })).rejects.toThrow(/version/);
  });

  it("shows what differs", async () => {
    const added = shopModel({ description: "Second", metrics: { orders_count: "COUNT(orders.id)" } });
    await saveModel(server, shop.admin, added, { publish: false });
    const { diff, source } = await read(shop.contributor, { compare_with: "published" });
    expect(source).toBeUndefined();
    expect(diff).toContain("orders_count");
    expect(diff).not.toContain("revenue");
    expect((await read(shop.contributor, { version: 2, compare_with: 1 })).diff).toContain("Second");
  });

  it("is refused to those from whom policies hide something, also of what it is compared with", async () => {
    const view = "SELECT id, customer_id, net, cost, region, note FROM Orders";
    await saveModel(server, shop.admin, shopModel({ name: "viewed", orders: { view_query: view } }));
    for (const policy of [
      { hide: ["cost"] },
      { hide: ["id", "customer_id", "net", "cost", "region", "note"] },
      { rows: [{ field: "region", operator: "=", value: "North" }] },
    ]) {
      const policies = [{ name: "p", roles: ["contributor"], ...policy }];
      await resultOf(server, shop.admin, "set_dataset_policies", { dataset_id: shop.orders, policies });
      for (const modelName of ["shop", "viewed"]) {
        const answer = await callTool(server, shop.contributor, "read_semantic_model", { modelName });
        expect(textOf(answer)).toMatch(/^Policies hide a part of orders from you/);
      }
      expect((await read(shop.admin)).source).toContain("cost");
    }
    await resultOf(server, shop.admin, "set_dataset_policies", { dataset_id: shop.orders, policies: [] });
    const own = [{ name: "p", roles: ["contributor"], hide: ["cost"] }];
    await saveModel(server, shop.admin, shopModel({ name: "compared", orders: { policies: own } }));
    await saveModel(server, shop.admin, shopModel({ name: "compared" }));
    expect((await read(shop.contributor, { modelName: "compared" })).source).toBeDefined();
    for (const args of [{ version: 1 }, { compare_with: 1 }]) {
      await expect(read(shop.contributor, { modelName: "compared", ...args })).rejects.toThrow(
        /^Policies hide/,
      );
    }
  });

  it("is for those with ontologies:write, for their models, in their workspace", async () => {
    expect(await refusalsOf(server, shop.viewer, "read_semantic_model", { modelName: "shop" })).toEqual({
      anonymous: 401,
      wrong: expect.stringContaining("ontologies:write"),
    });
    const limited = await server.token({ limits: { models: ["other"] } });
    await expect(read(limited)).rejects.toThrow(/^There is no semantic model "shop"/);
    await server.app.identity.workspaces.create({ slug: "globex" });
    await expect(read(await server.token({ workspace: "globex" }))).rejects.toThrow(
      /^There is no semantic model/,
    );
  });

  it("of a deleted model is there again once that is restored", async () => {
    const { asset_id } = await saveModel(server, shop.admin, shopModel({ name: "brief" }));
    const asset = { asset_type: "semantic_model", asset_id };
    const remove = (token: string) => resultOf(server, token, "delete_asset", { ...asset, confirm: true });
    const restore = (token: string) => resultOf(server, token, "restore_asset", asset);
    await expect(remove(shop.viewer)).rejects.toThrow(/bi:write/);
    const writer = await server.token({ scopes: ["bi:read", "bi:write", "ontologies:read"] });
    await expect(remove(writer)).rejects.toThrow(/You may see semantic_model \d+ but not change it/);
    const limited = await server.token({ limits: { models: ["shop"] } });
    await expect(remove(limited)).rejects.toThrow(/bi:write is missing/);
    expect(await remove(shop.contributor)).toMatchObject({ deleted: true });
    await expect(read(shop.admin, { modelName: "brief" })).rejects.toThrow(/^There is no semantic model/);

    await expect(restore(writer)).rejects.toThrow(/ontologies:write/);
    await expect(restore(limited)).rejects.toThrow(/bi:write is missing/);
    const foreign = await server.token({ workspace: "globex" });
    await expect(restore(foreign)).rejects.toThrow(/There is no deleted semantic model/);
    expect(await restore(shop.contributor)).toMatchObject({ restored: true });
    expect((await read(shop.admin, { modelName: "brief" })).versions).toHaveLength(1);

    await remove(shop.admin);
    const next = await saveModel(server, shop.admin, shopModel({ name: "BRIEF" }));
    expect(next).toMatchObject({ version: 1, asset_id: expect.any(Number) });
    expect(next.asset_id).not.toBe(asset_id);
    await expect(restore(shop.admin)).rejects.toThrow(/another semantic model called brief/);
  });
});
