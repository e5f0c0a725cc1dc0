import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import {
  digestOf,
  refusalsOf,
  SHOP_PROBLEMS,
  saveModel,
  shopModel,
  shopServer,
  textOf,
} from "../../../../test/support/models.ts";

const { server, shop } = await shopServer();

const DRAFT = { publish: false };
const publish = (token: string, args: Record<string, unknown> = {}) =>
  resultOf(server, token, "publish_semantic_model", { modelName: "shop", ...args });

describe("publish_semantic_model", () => {
  it("publishes the draft of anyone in the workspace, and uses it up", async () => {
    await saveModel(server, shop.admin, shopModel({ description: "Second" }), DRAFT);
    expect(await digestOf(server, shop.viewer)).toContain("A small shop");
    expect(await publish(shop.contributor)).toEqual({
      name: "shop",
      id: shop.model.id,
      version: 2,
      draft_saved_by: expect.stringMatching(/^admin-/),
      warnings: [expect.objectContaining(SHOP_PROBLEMS[0])],
    });
    expect(await digestOf(server, shop.viewer)).toContain("Second");
    await expect(publish(shop.contributor)).rejects.toThrow(/^shop has no draft to publish/);
  });

  it("rolls back by publishing an earlier version anew, without touching the draft's author", async () => {
    expect(await publish(shop.contributor, { version: 1 })).toMatchObject({ version: 3 });
    expect(await digestOf(server, shop.viewer)).toContain("A small shop");
    await expect(publish(shop.contributor, { version: 99 })).rejects.toThrow(
      /^shop has no version 99\. read_semantic_model lists/,
    );
    await expect(publish(shop.contributor, { version: 0 })).rejects.toThrow(/version/);
  });

  it("takes the place of a model about other data only where that is meant", async () => {
    await makeDataset(server, shop.admin, "Weather", [{ day: 1 }]);
    const content =
      "semantic_model: [{ name: shop, datasets: [{ name: weather, source: Weather, fields: [{ name: day, expression: day }] }] }]";
    await saveModel(server, shop.admin, content, DRAFT);
    await expect(publish(shop.admin)).rejects.toThrow(
      /^shop is published already, about other data: [\s\S]*about weather, would take its place\. Give it another name/,
    );
    expect(await digestOf(server, shop.viewer)).toContain("A small shop");
    expect(await publish(shop.admin, { replace: true })).toMatchObject({ version: 4 });
    expect(await publish(shop.admin, { version: 1 })).toMatchObject({ version: 5 });
  });

  it("refuses errors, also those that came since, and leaves what is published as it is", async () => {
    await saveModel(
      server,
      shop.admin,
      shopModel({ description: "Broken", fields: { x: "nothing + 1" } }),
      DRAFT,
    );
    await expect(publish(shop.admin)).rejects.toThrow(
      /was not published, because of an error:[\s\S]*nothing/,
    );
    expect(await digestOf(server, shop.viewer)).toContain("A small shop");
    const id = await makeDataset(server, shop.admin, "Brief", [{ id: 1 }]);
    const content =
      "semantic_model: [{ name: brief, datasets: [{ name: brief, source: Brief, fields: [{ name: id, expression: id }] }] }]";
    await saveModel(server, shop.admin, content);
    const asset = { asset_type: "dataset", asset_id: id };
    await resultOf(server, shop.admin, "delete_asset", { ...asset, confirm: true });
    await expect(publish(shop.admin, { modelName: "brief", version: 1 })).rejects.toThrow(
      /There is no dataset "Brief"/,
    );
    await resultOf(server, shop.admin, "restore_asset", asset);
    expect(await publish(shop.admin, { modelName: "brief", version: 1 })).toMatchObject({ version: 2 });
  });

  it("tells nobody by its checks what policies hide from them", async () => {
    const policies = [{ name: "costs", roles: ["contributor"], hide: ["cost"] }];
    await resultOf(server, shop.admin, "set_dataset_policies", { dataset_id: shop.orders, policies });
    const answer = await callTool(server, shop.contributor, "publish_semantic_model", {
      modelName: "shop",
      version: 1,
    });
    expect(textOf(answer)).toMatch(/^Policies hide a part of orders from you/);
    expect(textOf(answer)).not.toContain("cost");
    await resultOf(server, shop.admin, "set_dataset_policies", { dataset_id: shop.orders, policies: [] });
  });

  it("is for those with ontologies:write, for their models, in their workspace", async () => {
    expect(await refusalsOf(server, shop.viewer, "publish_semantic_model", { modelName: "shop" })).toEqual({
      anonymous: 401,
      wrong: expect.stringContaining("ontologies:write"),
    });
    const reader = await server.token({ limits: { readOnly: true } });
    await expect(publish(reader, { version: 1 })).rejects.toThrow(/ontologies:write/);
    const limited = await server.token({ limits: { models: ["other"] } });
    await expect(publish(limited, { version: 1 })).rejects.toThrow(/reaches more than the semantic models/);
    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    await expect(publish(foreign, { version: 1 })).rejects.toThrow(/^There is no semantic model "shop"/);
  });

  it("uses up no draft but the one that it publishes", async () => {
    const modelName = "kept";
    const content = (description: string) => shopModel({ name: modelName, description });
    await saveModel(server, shop.contributor, content("One"));
    await saveModel(server, shop.contributor, content("Two"), DRAFT);
    await publish(shop.contributor, { modelName, version: 1 });
    await saveModel(server, shop.contributor, content("Three"));
    const read = () =>
      resultOf<{ has_draft: boolean; source: string }>(server, shop.contributor, "read_semantic_model", {
        modelName,
      });
    expect(await read()).toMatchObject({ has_draft: true, source: expect.stringContaining("Two") });
    expect(await publish(shop.contributor, { modelName })).toMatchObject({ version: 4 });
    expect(await read()).toMatchObject({ has_draft: false, source: expect.stringContaining("Two") });
  });

  it("lets only admins change the policies of a published model, by whichever way", async () => {
    const modelName = "guarded";
    const policies = [{ name: "costs", roles: ["viewer"], hide: ["cost"] }];
    const open = shopModel({ name: modelName, description: "Open" });
    const closed = (description: string, hide = ["cost"]) =>
      shopModel({ name: modelName, description, orders: { policies: [{ ...policies[0], hide }] } });
    const refusal = /^Only an admin can change the policies of a published model: those of orders differ/;
    await saveModel(server, shop.admin, open);
    await expect(saveModel(server, shop.contributor, closed("Closed"))).rejects.toThrow(refusal);
    await saveModel(server, shop.admin, closed("Closed"));
    for (const content of [open, closed("Other", ["net"]), open.replaceAll("orders", "sales")]) {
      await expect(saveModel(server, shop.contributor, content)).rejects.toThrow(refusal);
    }
    await expect(publish(shop.contributor, { modelName, version: 1 })).rejects.toThrow(refusal);
    await saveModel(server, shop.contributor, open, DRAFT);
    await expect(publish(shop.contributor, { modelName })).rejects.toThrow(refusal);
    expect(await saveModel(server, shop.contributor, closed("Reworded"))).toMatchObject({ version: 3 });
    expect(await publish(shop.admin, { modelName })).toMatchObject({ version: 4 });
  });

  it("lets nobody replace a model of which something is hidden from them", async () => {
    const modelName = "hidden";
    const policies = [{ name: "costs", roles: ["contributor"], hide: ["cost"] }];
    const content = shopModel({ name: modelName, orders: { policies } });
    await saveModel(server, shop.admin, shopModel({ name: modelName }));
    await saveModel(server, shop.admin, content);
    for (const attempt of [
      () => saveModel(server, shop.contributor, shopModel({ name: modelName })),
      () => publish(shop.contributor, { modelName, version: 1 }),
    ]) {
      await expect(attempt()).rejects.toThrow(/^Policies hide a part of orders from you/);
    }
  });
});
