import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import {
  digestOf,
  query,
  refusalsOf,
  type SavedModel,
  SHOP_PROBLEMS,
  saveModel,
  shopModel,
  shopServer,
  textOf,
} from "../../../../test/support/models.ts";

const { server, shop } = await shopServer();

const DRAFT = { publish: false };

describe("save_semantic_model", () => {
  it("keeps a draft by default, that readers do not see", async () => {
    const content = shopModel({ name: "planning" });
    const { models } = await resultOf<{ models: SavedModel[] }>(
      server,
      shop.contributor,
      "save_semantic_model",
      {
        content,
      },
    );
    expect(models).toEqual([
      {
        name: "planning",
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        asset_id: expect.any(Number),
        state: "draft",
        version: null,
        draft: { saved_by: expect.stringMatching(/^contributor-/), saved_at: expect.any(String) },
        problems: [expect.objectContaining(SHOP_PROBLEMS[0])],
      },
    ]);
    const unseen = callTool(server, shop.viewer, "get_semantic_model", { modelName: "planning" });
    expect(textOf(await unseen)).toMatch(/^There is no semantic model "planning"/);
    const details = { asset_type: "semantic_model", asset_id: models[0]?.asset_id };
    expect(textOf(await callTool(server, shop.viewer, "get_details", details))).not.toContain("planning");
    expect(textOf(await callTool(server, shop.contributor, "get_details", details))).toContain("planning");
  });

  it("publishes at once on request, and leaves what is published alone in a draft", async () => {
    const saved = await saveModel(server, shop.contributor, shopModel({ name: "live", description: "One" }));
    expect(saved).toMatchObject({ state: "published", version: 1, problems: SHOP_PROBLEMS });
    const changed = shopModel({ name: "LIVE", description: "Two" });
    const draft = await saveModel(server, shop.contributor, changed, DRAFT);
    expect(draft).toMatchObject({ id: saved.id, state: "draft", version: 1 });
    expect(await digestOf(server, shop.viewer, { modelName: "live" })).toContain("One");
    expect(await saveModel(server, shop.contributor, changed)).toMatchObject({ id: saved.id, version: 2 });
    expect(await digestOf(server, shop.viewer, { modelName: "live" })).toContain("Two");
  });

  it("tells every problem with its place, keeps the draft, and publishes none", async () => {
    const broken = shopModel({ fields: { weight: "grams / 1000" }, metrics: { heavy: "SUM(orders.grams)" } });
    const { problems } = await saveModel(server, shop.admin, broken, DRAFT);
    expect(problems).toMatchObject([
      { severity: "error", path: "datasets.orders.fields.weight", line: expect.any(Number) },
      { severity: "error", path: "metrics.heavy" },
    ]);
    await expect(saveModel(server, shop.admin, broken)).rejects.toThrow(
      /^The model shop was not published, because of 2 errors:[\s\S]*What was published before is unchanged/,
    );
    expect((await query(server, shop.viewer, "SELECT count(*) AS n FROM orders")).rows).toEqual([{ n: 3 }]);
  });

  it("publishes with warnings", async () => {
    const content = shopModel({ name: "warned" }).replace('"datatype":"Integer"', '"datatype":"Date"');
    const saved = await saveModel(server, shop.admin, content);
    expect(saved).toMatchObject({
      state: "published",
      problems: [{ severity: "warning" }, SHOP_PROBLEMS[0]],
    });
    expect(saved.problems[0]?.message).toMatch(/total of orders is said to be Date but is/);
  });

  it("warns when what a relationship joins by is not unique", async () => {
    const content = shopModel({ name: "many" }).replace(
      "from: orders, to: customers, from_columns: [customer_id], to_columns: [id]",
      "from: customers, to: orders, from_columns: [id], to_columns: [customer_id]",
    );
    const { problems } = await saveModel(server, shop.admin, content);
    expect(problems.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/many-to-many: customer_id of orders is not unique \(1 values/),
    );
  });

  it("refuses what it cannot read, with the line", async () => {
    for (const [content, expected] of [
      ["semantic_model: [", /^The model cannot be read:[\s\S]*model\.yaml:1/],
      ["just words", /^The model cannot be read/],
      ["semantic_model: [{ description: no name }]", /needs the key name/],
      ["!!js/function 'x'", /^The model cannot be read/],
    ] as const) {
      await expect(saveModel(server, shop.admin, content, DRAFT)).rejects.toThrow(expected);
    }
    const empty = await callTool(server, shop.admin, "save_semantic_model", { content: "" });
    expect(textOf(empty)).toMatch(/content/);
  });

  it("publishes several models together or none", async () => {
    const two = (name: string, source: string) =>
      `  - { name: ${name}, datasets: [{ name: d, source: ${source}, fields: [{ name: id, expression: id }] }] }\n`;
    const good = `semantic_model:\n${two("pair_a", "Orders")}${two("pair_b", "Customers")}`;
    const bad = `semantic_model:\n${two("pair_a", "Orders")}${two("pair_b", "Nothing")}`;
    await expect(saveModel(server, shop.admin, bad)).rejects.toThrow(/There is no dataset "Nothing"/);
    const names = async () =>
      (
        await resultOf<{ models: { name: string }[] }>(server, shop.admin, "list_semantic_models", {})
      ).models.map(({ name }) => name);
    expect(await names()).not.toContain("pair_a");
    const limited = await server.token({ limits: { models: ["pair_a"] } });
    await expect(saveModel(server, limited, good)).rejects.toThrow(/reaches more than the semantic models/);
    await expect(saveModel(server, limited, good, DRAFT)).rejects.toThrow(/reaches more than/);
    expect(await names()).not.toContain("pair_a");
    await saveModel(server, shop.admin, good);
    expect(await names()).toEqual(expect.arrayContaining(["pair_a", "pair_b"]));
  });

  it("is for those with ontologies:write, and not for read-only tokens", async () => {
    const args = { content: shopModel({ name: "theirs" }), publish: true };
    expect(await refusalsOf(server, shop.viewer, "save_semantic_model", args)).toEqual({
      anonymous: 401,
      wrong: expect.stringContaining("ontologies:write"),
    });
    const reader = await server.token({ limits: { readOnly: true } });
    await expect(resultOf(server, reader, "save_semantic_model", args)).rejects.toThrow(/ontologies:write/);
    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    await expect(resultOf(server, foreign, "save_semantic_model", args)).rejects.toThrow(
      /There is no dataset/,
    );
  });

  it("takes so many models at once and no more", async () => {
    const models = (count: number) =>
      JSON.stringify({
        version: "0.1.1",
        semantic_model: Array.from({ length: count }, (_, i) => ({
          name: `one of many ${i}`,
          datasets: [{ name: "d", source: "Nowhere", fields: [{ name: "id", expression: "id" }] }],
        })),
      });
    await expect(saveModel(server, shop.admin, models(51), DRAFT)).rejects.toThrow(
      /^There are 51 models, and at most 50 can be read at once/,
    );
    expect(await saveModel(server, shop.admin, models(50), DRAFT)).toMatchObject({ state: "draft" });
  });

  it("lists so many problems and no more, errors first, and no long SQL in them", async () => {
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`f${i}`, `nothing_${i}`]));
    const long = { name: "many problems", fields: { ...many, long: `'${"x".repeat(5_000)}' / nothing` } };
    const { problems } = await saveModel(server, shop.admin, shopModel(long), DRAFT);
    expect(problems).toHaveLength(201);
    expect(problems.at(-1)?.message).toBe("There are 51 more problems.");
    const sole = { name: "long problem", fields: { long: `'${"x".repeat(5_000)}' / nothing` } };
    const [problem] = (await saveModel(server, shop.admin, shopModel(sole), DRAFT)).problems;
    expect(problem?.message.length).toBeLessThan(1_100);
  });
});
