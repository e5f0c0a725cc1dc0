import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { digestOf, refusalsOf, saveModel, shopServer } from "../../../../test/support/models.ts";

const { server, shop } = await shopServer();

const set = (items_per_page: unknown, token = shop.admin) =>
  resultOf(server, token, "set_model_page_size", { items_per_page });

describe("set_model_page_size", () => {
  it("sets how much a page shows, in this workspace alone", async () => {
    expect(await digestOf(server, shop.viewer)).toContain('"customers"');
    expect(await set(1)).toEqual({ items_per_page: 1 });
    expect(await digestOf(server, shop.viewer)).not.toContain('- "customers"');
    expect(await digestOf(server, shop.viewer, { scope: "datasets", page: 2 })).toContain('- "customers"');

    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    const names = ["a", "b"];
    for (const name of names) await makeDataset(server, foreign, name, [{ id: 1 }]);
    const datasets = names.map((name) => ({
      name,
      source: name,
      fields: [{ name: "id", expression: "id" }],
    }));
    await saveModel(server, foreign, JSON.stringify({ semantic_model: [{ name: "shop", datasets }] }));
    expect(await digestOf(server, foreign)).toContain('- "b"');
    await set(2);
    expect(await digestOf(server, shop.viewer)).toContain('- "customers"');
  });

  it("has bounds", async () => {
    expect(await set(500)).toEqual({ items_per_page: 500 });
    for (const wrong of [0, 501, 1.5, "many"]) await expect(set(wrong)).rejects.toThrow(/items_per_page/);
  });

  it("is for admins", async () => {
    expect(await refusalsOf(server, shop.contributor, "set_model_page_size", { items_per_page: 9 })).toEqual({
      anonymous: 401,
      wrong: expect.stringContaining("admin"),
    });
  });
});
