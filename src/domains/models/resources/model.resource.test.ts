import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { openShop, readResource, saveModel, shopModel } from "../../../../test/support/models.ts";
import { PATHS, rpc } from "../../../../test/support/rpc.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

let draft: string;
const server = await serverOfFile();
const shop = await openShop(server);
beforeAll(async () => {
  const content = shopModel({ name: "unfinished" });
  draft = (await saveModel(server, shop.admin, content, { publish: false })).id;
});

const ADDRESSES = [
  ["knecta://ontologies", PATHS.agent],
  ["kenning://models", PATHS.all],
] as const;

describe.each(ADDRESSES)("%s/{id}", (base, path) => {
  const read = (id: string, token = shop.viewer) => readResource(server, token, `${base}/${id}`, path);

  it("[agent.resource.ontology] tells of the model and its datasets, exactly so", async () => {
    const { content } = await read(shop.model.id);
    expect(content).toMatchObject({ uri: `${base}/${shop.model.id}`, mimeType: "application/json" });
    expect(JSON.parse(content?.text ?? "")).toEqual({
      ontology: { id: shop.model.id, name: "shop", description: "A small shop" },
      datasets: [
        { name: "orders", description: "What was ordered", source: "shop.public.Orders" },
        { name: "customers", description: null, source: "acme.Customers" },
      ],
    });
  });

  it("is found by its name too", async () => {
    expect((await read("SHOP")).content?.text).toBe((await read(shop.model.id)).content?.text);
  });

  it("is for those with ontologies:read, of all roles", async () => {
    for (const token of [shop.admin, shop.contributor]) {
      expect((await read(shop.model.id, token)).content).toBeDefined();
    }
    expect((await readResource(server, undefined, `${base}/${shop.model.id}`, path)).status).toBe(401);
    const wrong = await server.token({ scopes: ["bi:read", "data_agent:read"] });
    expect((await read(shop.model.id, wrong)).status).toBe(403);
  });

  it("completes ids", async () => {
    const complete = async (value: string) => {
      const ref = { type: "ref/resource", uri: `${base}/{id}` };
      const params = { ref, argument: { name: "id", value } };
      const { body } = await rpc<{ completion: { values: string[] } }>(server, path, "completion/complete", {
        token: shop.viewer,
        params,
      });
      return body.result?.completion.values;
    };
    expect(await complete("")).toEqual([shop.model.id]);
    expect(await complete(shop.model.id.slice(0, 5))).toEqual([shop.model.id]);
    expect(await complete("zzz")).toEqual([]);
  });
});

describe("knecta://ontologies/{id}", () => {
  it("[agent.resource.ontology.missing] unknown, not ready, of another workspace or token: not found", async () => {
    await server.app.identity.workspaces.create({ slug: "globex" });
    const foreign = await server.token({ workspace: "globex" });
    const limited = await server.token({ limits: { models: ["other"] } });
    const unknown = randomUUID();
    for (const [id, token] of [
      [unknown, shop.viewer],
      [draft, shop.viewer],
      [draft, shop.admin],
      [shop.model.id, foreign],
      [shop.model.id, limited],
      ["unfinished", shop.viewer],
      ["..%2F..", shop.viewer],
    ] as const) {
      const { status, error } = await readResource(server, token, `knecta://ontologies/${id}`);
      expect(status).toBe(200);
      expect(error).toEqual({
        code: -32002,
        message: "Ontology not found or not ready",
        data: {
          ontologyId: decodeURIComponent(id),
          detail: expect.any(String),
          knecta_code: "ONTOLOGY_NOT_FOUND",
        },
      });
      expect(error?.data?.detail).not.toMatch(/unfinished|shop/);
    }
  });

  it("is not found at the other endpoint's address", async () => {
    const { error } = await readResource(server, shop.viewer, `kenning://models/${shop.model.id}`);
    expect(error?.code).toBe(-32002);
    const other = await readResource(server, shop.viewer, `kenning://models/${draft}`, PATHS.all);
    expect(other.error?.message).toMatch(/^Semantic model not found or not published/);
  });
});
