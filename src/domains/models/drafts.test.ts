import { describe, expect, it } from "vitest";
import { resultOf } from "../../../test/support/datasets.ts";
import { callTool } from "../../../test/support/mcp.ts";
import {
  digestOf,
  type SavedModel,
  saveModel,
  shopModel,
  shopServer,
  textOf,
} from "../../../test/support/models.ts";

/** Drafts are shared by all who write models: whoever publishes or replaces one knows whose it is. */

const { server, shop } = await shopServer();

type Saved = SavedModel & { draft?: { saved_by: string; saved_at: string }; note?: string };
interface Source {
  has_draft: boolean;
  draft?: { saved_by: string; saved_at: string };
  source: string;
}

const CONTRIBUTOR = expect.stringMatching(/^contributor-\d+@example\.com$/);
const ADMIN = expect.stringMatching(/^admin-\d+@example\.com$/);
const saveDraft = (token: string, name: string, description: string): Promise<Saved> =>
  saveModel(server, token, shopModel({ name, description }), { publish: false });
const read = (token: string, modelName: string) =>
  resultOf<Source>(server, token, "read_semantic_model", { modelName });
const publish = (token: string, modelName: string, more: object = {}) =>
  resultOf(server, token, "publish_semantic_model", { modelName, ...more });
const remove = (token: string, asset_id: number, asset_type = "semantic_model_draft") =>
  resultOf(server, token, "delete_asset", { asset_type, asset_id, confirm: true });

describe("a draft", () => {
  it("tells who saved it and when, and whose place it took", async () => {
    const mine = await saveDraft(shop.contributor, "told", "Mine");
    expect(mine.draft).toEqual({ saved_by: CONTRIBUTOR, saved_at: expect.any(String) });
    expect(mine.note).toBeUndefined();
    expect((await saveDraft(shop.contributor, "told", "Mine again")).note).toBeUndefined();
    const { draft } = await read(shop.admin, "told");
    expect(draft?.saved_by).toEqual(CONTRIBUTOR);
    const theirs = await saveDraft(shop.admin, "told", "Theirs");
    expect(theirs.note).toBe(`This replaced the draft that ${draft?.saved_by} saved at ${draft?.saved_at}.`);
    expect(await read(shop.contributor, "told")).toMatchObject({ has_draft: true, draft: theirs.draft });
  });

  it("that somebody else saved is published under its author's name", async () => {
    await saveDraft(shop.contributor, "named", "Mine");
    expect(await publish(shop.admin, "named")).toMatchObject({ draft_saved_by: CONTRIBUTOR });
    await saveDraft(shop.admin, "named", "Mine");
    expect(await publish(shop.admin, "named")).not.toHaveProperty("draft_saved_by");
    expect(await publish(shop.admin, "named", { version: 1 })).not.toHaveProperty("draft_saved_by");
  });

  it("is published only as long as it is the one that was meant", async () => {
    const { draft: first } = await saveDraft(shop.admin, "marked", "First");
    const { draft: second } = await saveDraft(shop.contributor, "marked", "Second");
    for (const mark of [first?.saved_at, "yesterday"]) {
      await expect(publish(shop.admin, "marked", { draft: mark })).rejects.toThrow(
        `The draft of marked is another one by now: ${second?.saved_by} saved it at ${second?.saved_at}.`,
      );
    }
    expect(await publish(shop.admin, "marked", { draft: second?.saved_at })).toMatchObject({ version: 1 });
    await expect(publish(shop.admin, "marked", { draft: second?.saved_at })).rejects.toThrow(/has no draft/);
  });

  it("has a mark of its own even if two are saved at once", async () => {
    const saved = await Promise.all(["A", "B", "C"].map((text) => saveDraft(shop.admin, "fast", text)));
    expect(new Set(saved.map(({ draft }) => draft?.saved_at)).size).toBe(3);
  });

  it("is told of when another text is published over it", async () => {
    await saveDraft(shop.contributor, "beside", "Draft");
    const saved: Saved = await saveModel(server, shop.admin, shopModel({ name: "beside" }));
    expect(saved).toMatchObject({ state: "published", draft: { saved_by: CONTRIBUTOR } });
  });

  it("can be thrown away, and what is published stays", async () => {
    const { asset_id } = await saveModel(
      server,
      shop.admin,
      shopModel({ name: "tried", description: "Kept" }),
    );
    await saveDraft(shop.contributor, "tried", "Away");
    const details = { asset_type: "semantic_model_draft", asset_id };
    expect(await resultOf(server, shop.admin, "get_details", details)).toMatchObject({
      details: { name: "tried", saved_by: CONTRIBUTOR, saved_at: expect.any(String) },
    });
    const unseen = await callTool(server, shop.viewer, "get_details", details);
    expect(textOf(unseen)).toMatch(/^There is no semantic_model_draft with id/);
    expect(await remove(shop.admin, asset_id)).toMatchObject({ deleted: true });
    expect(await read(shop.admin, "tried")).toMatchObject({
      has_draft: false,
      source: expect.stringContaining("Kept"),
    });
    await expect(remove(shop.admin, asset_id)).rejects.toThrow(/^There is no semantic_model_draft with id/);
    expect(await digestOf(server, shop.viewer, { modelName: "tried" })).toContain("Kept");
  });

  it("that is all there is of a model takes the model with it", async () => {
    const { asset_id } = await saveDraft(shop.contributor, "only", "Only");
    await remove(shop.contributor, asset_id);
    await expect(read(shop.admin, "only")).rejects.toThrow(/^There is no semantic model "only"/);
    const asset = { asset_type: "semantic_model", asset_id };
    await resultOf(server, shop.contributor, "restore_asset", asset);
    expect(await read(shop.admin, "only")).toMatchObject({ source: expect.stringContaining("Only") });
    // Whoever could publish it is told so; to others there is none.
    const ask = (who: string) =>
      resultOf(server, who, "execute_query", { modelName: "only", sql: "SELECT 1" });
    await expect(ask(shop.contributor)).rejects.toThrow(/is a draft\. publish_semantic_model makes it/);
    await expect(ask(shop.viewer)).rejects.toThrow(/^There is no semantic model "only"/);
  });

  it("is nothing that viewers hear of", async () => {
    await saveDraft(shop.admin, "shop", "Next");
    const details = { asset_type: "semantic_model", asset_id: shop.model.asset_id };
    const of = async (token: string) => textOf(await callTool(server, token, "get_details", details));
    expect(await of(shop.contributor)).toContain("has_draft");
    expect(await of(shop.viewer)).not.toContain("draft");
    expect(await read(shop.contributor, "shop")).toMatchObject({ draft: { saved_by: ADMIN } });
  });
});

describe("deleting a published model", () => {
  it("and bringing it back take the same", async () => {
    const policies = [{ name: "costs", roles: ["viewer"], hide: ["cost"] }];
    const guarded = shopModel({ name: "guarded", orders: { policies } });
    const { asset_id } = await saveModel(server, shop.admin, guarded);
    await remove(shop.admin, asset_id, "semantic_model");
    const restore = (token: string) =>
      resultOf(server, token, "restore_asset", { asset_type: "semantic_model", asset_id });
    await expect(restore(shop.contributor)).rejects.toThrow(/^Only an admin can restore a published model/);
    expect(await restore(shop.admin)).toMatchObject({ restored: true });
  });

  it("takes an admin where it has policies, as replacing it does", async () => {
    const policies = [{ name: "costs", roles: ["viewer"], hide: ["cost"] }];
    const closed = shopModel({ name: "closed", orders: { policies } });
    const { asset_id } = await saveModel(server, shop.admin, closed);
    await expect(remove(shop.contributor, asset_id, "semantic_model")).rejects.toThrow(
      /^Only an admin can delete a published model that has policies: orders has some\. Ask an admin/,
    );
    expect(await remove(shop.admin, asset_id, "semantic_model")).toMatchObject({ deleted: true });
  });

  it("is for those from whom nothing of it is hidden, and for admins", async () => {
    const set = (policies: object[]) =>
      resultOf(server, shop.admin, "set_dataset_policies", { dataset_id: shop.orders, policies });
    const { asset_id } = await saveModel(server, shop.admin, shopModel({ name: "partly" }));
    await set([{ name: "costs", hide: ["cost"] }]);
    await expect(remove(shop.contributor, asset_id, "semantic_model")).rejects.toThrow(
      /^Policies hide a part/,
    );
    expect(await remove(shop.admin, asset_id, "semantic_model")).toMatchObject({ deleted: true });
    await set([]);
  });
});

describe("the source of a model whose published version hides something", () => {
  it("is not shown by way of an earlier version or a draft", async () => {
    await saveModel(server, shop.admin, shopModel({ name: "now" }));
    const policies = [{ name: "costs", roles: ["contributor"], hide: ["cost"] }];
    await saveModel(server, shop.admin, shopModel({ name: "now", orders: { policies } }));
    await saveDraft(shop.admin, "now", "Open again");
    for (const version of [1, "draft", undefined]) {
      const args = { modelName: "now", ...(version !== undefined && { version }) };
      const answer = await callTool(server, shop.contributor, "read_semantic_model", args);
      expect(textOf(answer)).toMatch(/^Policies hide a part of orders from you/);
    }
  });
});
