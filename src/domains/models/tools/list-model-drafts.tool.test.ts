import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf, saveModel, shopModel, shopServer } from "../../../../test/support/models.ts";

interface Listed {
  drafts: { name: string; asset_id: number; version: number | null; saved_by: string | null }[];
}

const { server, shop } = await shopServer();
const list = (token: string) => resultOf<Listed>(server, token, "list_model_drafts", {});

describe("list_model_drafts", () => {
  it("lists what waits to be published, whether or not an earlier version is", async () => {
    expect((await list(shop.contributor)).drafts).toEqual([]);
    await saveModel(server, shop.admin, shopModel({ description: "Next" }), { publish: false });
    await saveModel(server, shop.admin, shopModel({ name: "proposed" }), { publish: false });
    const { drafts } = await list(shop.contributor);
    expect(drafts).toMatchObject([
      { name: "proposed", version: null },
      { name: "shop", version: 1, asset_id: shop.model.asset_id },
    ]);
    await resultOf(server, shop.admin, "publish_semantic_model", { modelName: "shop" });
    expect((await list(shop.contributor)).drafts).toMatchObject([{ name: "proposed" }]);
  });

  it("lists nothing of another workspace", async () => {
    await server.app.identity.workspaces.create({ slug: "globex" });
    expect(await list(await server.token({ workspace: "globex" }))).toEqual({ drafts: [] });
  });

  it("is for those who write models", async () => {
    expect(await refusalsOf(server, shop.viewer, "list_model_drafts", {})).toEqual({
      anonymous: 401,
      wrong: expect.stringContaining("ontologies:write"),
    });
  });
});
