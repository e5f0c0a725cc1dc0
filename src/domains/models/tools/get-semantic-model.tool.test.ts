import { encode } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import {
  digestOf,
  fieldsOf,
  refusalsOf,
  saveModel,
  shopModel,
  shopServer,
  textOf,
} from "../../../../test/support/models.ts";
import { PATHS } from "../../../../test/support/rpc.ts";

const { server, shop } = await shopServer();

const get = (args: object, token = shop.viewer, path: string = PATHS.models) =>
  callTool(server, token, "get_semantic_model", { modelName: "shop", ...args }, path);

describe("get_semantic_model", () => {
  it.each([PATHS.all, PATHS.models])(
    "[models.model.overview] [models.digest] [models.model.tables] is a digest of everything (%s)",
    async (path) => {
      const { result } = await get({}, shop.viewer, path);
      const text = result?.content[0]?.text ?? "";
      expect(result?.isError).toBe(false);
      expect(text).toContain("# shop — A small shop");
      expect(text).toContain("Amounts are in euros.");
      expect(text).toMatch(/^## Datasets \(2\)\n- "orders" 3 rows, 7 fields, PK id — What was ordered$/m);
      expect(text).toMatch(
        /^## Relationships \(1.*\n- order_customer: orders\.customer_id → customers\.id$/m,
      );
      expect(text).toMatch(
        /^## Metrics \(2, formulas to paste, not columns\)\n- revenue int = `SUM\(orders\.net\)`$/m,
      );
      expect(text).toContain('FROM "orders"');
      expect(text).not.toMatch(/semantic_model:|dialects/);
    },
  );

  it("[models.digest.tokens] costs at most a third of the tokens of the source", async () => {
    const columns = Array.from({ length: 30 }, (_, i) => `amount_${i}`);
    await makeDataset(server, shop.admin, "Wide", [Object.fromEntries(columns.map((name) => [name, 1]))]);
    const fields = columns.map((name) => ({ name, expression: name }));
    const datasets = [{ name: "wide", source: "Wide", fields }];
    await saveModel(server, shop.admin, JSON.stringify({ semantic_model: [{ name: "wide", datasets }] }));
    const modelName = "wide";
    const { source } = await resultOf<{ source: string }>(server, shop.admin, "read_semantic_model", {
      modelName,
    });
    const digests = [
      await digestOf(server, shop.admin, { modelName }),
      await fieldsOf(server, shop.admin, "wide", modelName),
    ];
    expect(encode(digests.join("\n")).length * 3).toBeLessThan(encode(source).length);
  });

  it.each([
    ["datasets", /^## Datasets \(2\)/],
    ["relationships", /^## Relationships \(1/],
    ["metrics", /^## Metrics \(2, /],
  ])("[models.model.scope] gives only the %s", async (scope, heading) => {
    const text = textOf(await get({ scope }));
    expect(text).toMatch(heading);
    expect(text.match(/^## /gm)).toHaveLength(1);
    expect(text).not.toContain("# shop");
  });

  it("[models.model.page] [models.model.page-size] pages a scope, from page 1, as large as the workspace has set", async () => {
    await resultOf(server, shop.admin, "set_model_page_size", { items_per_page: 1 });
    try {
      const first = textOf(await get({ scope: "metrics" }));
      expect(first).toContain("revenue");
      expect(first).not.toContain("profit");
      expect(first).toContain('scope: "metrics", page: 2');
      expect(textOf(await get({ scope: "metrics", page: 1 }))).toBe(first);
      const second = textOf(await get({ scope: "metrics", page: 2 }));
      expect(second).toContain("profit");
      expect(second).not.toContain("revenue");
      const beyond = await get({ scope: "metrics", page: 3 });
      expect(beyond.result?.isError).toBe(true);
      expect(textOf(beyond)).toBe(
        "There is no page 3: the metrics fill 2 pages. Ask for a page from 1 to 2.",
      );
      const overview = textOf(await get({}));
      expect(overview).toContain("revenue");
      expect(overview).not.toContain("profit");
    } finally {
      await resultOf(server, shop.admin, "set_model_page_size", { items_per_page: 50 });
    }
  });

  it("[models.model.page-alone] a page without a scope changes nothing", async () => {
    expect(textOf(await get({ page: 7 }))).toBe(textOf(await get({})));
  });

  it.each([
    [{ scope: "fields" }, /scope/],
    [{ scope: "metrics", page: 0 }, /page/],
    [{ scope: "metrics", page: 1.5 }, /page/],
    [{ modelName: "" }, /modelName/],
    [{ model: "shop" }, /model/],
  ])("refuses %j", async (args, expected) => {
    const answer = await get(args);
    expect(answer.result?.isError).toBe(true);
    expect(textOf(answer)).toMatch(expected);
  });

  it("[models.model.name] finds a model by its name in any case of letters, and knows what was meant", async () => {
    expect(textOf(await get({ modelName: "SHOP" }))).toContain("# shop");
    expect(textOf(await get({ modelName: "shpo" }))).toBe(
      'There is no semantic model "shpo". Did you mean shop?',
    );
  });

  it("knows no drafts, models of other tokens or other workspaces, and suggests none", async () => {
    await saveModel(server, shop.admin, shopModel({ name: "planning" }), { publish: false });
    const unknown = 'There is no semantic model "planning". list_semantic_models shows what there is.';
    const elsewhere = await server.token({ limits: { models: ["other"] } });
    for (const token of [shop.viewer, elsewhere])
      expect(textOf(await get({ modelName: "planning" }, token))).toBe(unknown);
    expect(textOf(await get({ modelName: "plannin" }))).not.toContain("planning");
    const limited = await server.token({ limits: { models: ["other"] } });
    const absent = 'There is no semantic model "shop". list_semantic_models shows what there is.';
    expect(textOf(await get({}, limited))).toBe(absent);
    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    expect(textOf(await get({}, foreign, "/mcp/globex/mcp"))).toBe(absent);
  });

  it("is for those with ontologies:read", async () => {
    const wrong = await server.token({ scopes: ["bi:read"] });
    for (const path of [PATHS.all, PATHS.models]) {
      expect(await refusalsOf(server, wrong, "get_semantic_model", { modelName: "shop" }, path)).toEqual({
        anonymous: 401,
        wrong: expect.stringContaining("ontologies:read"),
      });
    }
  });
});
