import { beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { openShop, refusalsOf, saveModel, shopModel, textOf } from "../../../../test/support/models.ts";
import { PATHS } from "../../../../test/support/rpc.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const shop = await openShop(server);
beforeAll(async () => {
  await saveModel(server, shop.admin, shopModel({ name: "Audit", description: "For\nauditors" }));
  await saveModel(server, shop.admin, shopModel({ name: "unfinished" }), { publish: false });
});

const list = (token: string, path?: string) =>
  resultOf<{ models: { name: string }[] }>(server, token, "list_semantic_models", {}, path);
const namesFor = async (token: string) => (await list(token)).models.map(({ name }) => name);

describe("list_semantic_models", () => {
  it.each([PATHS.all, PATHS.models])(
    "[models.list.returns] gives names and descriptions of the published models (%s)",
    async (path) => {
      const { models } = await list(shop.viewer, path);
      expect(models).toEqual([
        expect.objectContaining({ name: "Audit", description: "For\nauditors" }),
        {
          name: "shop",
          description: "A small shop",
          id: shop.model.id,
          version: 1,
        },
      ]);
      expect(textOf(await callTool(server, shop.viewer, "list_semantic_models", {}, path))).toBe(
        "- **Audit** — For auditors\n- **shop** — A small shop",
      );
    },
  );

  it("[models.list.parameters] takes no parameters", async () => {
    const answer = await callTool(
      server,
      shop.viewer,
      "list_semantic_models",
      { name: "shop" },
      PATHS.models,
    );
    expect(answer.result?.isError).toBe(true);
  });

  it("[models.list.published] shows no drafts, not even to those who made them", async () => {
    for (const token of [shop.admin, shop.viewer]) expect(await namesFor(token)).toEqual(["Audit", "shop"]);
  });

  it("[models.list.scopes] shows a token for some models only those, in any case of letters", async () => {
    expect(await namesFor(await server.token({ limits: { models: ["SHOP"] } }))).toEqual(["shop"]);
    const none = await server.token({ limits: { models: ["nothing"] } });
    expect(await namesFor(none)).toEqual([]);
    expect(textOf(await callTool(server, none, "list_semantic_models", {}, PATHS.models))).toMatch(
      /no semantic/,
    );
  });

  it("shows nothing of another workspace", async () => {
    await server.app.identity.workspaces.create({ slug: "globex" });
    expect(await namesFor(await server.token({ workspace: "globex" }))).toEqual([]);
  });

  it("is for those with ontologies:read", async () => {
    const wrong = await server.token({ scopes: ["bi:read"] });
    for (const path of [PATHS.all, PATHS.models]) {
      expect(await refusalsOf(server, wrong, "list_semantic_models", {}, path)).toEqual({
        anonymous: 401,
        wrong: expect.stringContaining("ontologies:read"),
      });
    }
  });
});
