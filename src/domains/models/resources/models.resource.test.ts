import { beforeAll, describe, expect, it } from "vitest";
import { openShop, readResource, saveModel, shopModel } from "../../../../test/support/models.ts";
import { PATHS, rpc } from "../../../../test/support/rpc.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

let bare: string;
const server = await serverOfFile();
const shop = await openShop(server);
beforeAll(async () => {
  const content =
    "semantic_model: [{ name: Bare, datasets: [{ name: c, source: Customers, fields: [{ name: id, expression: id }] }] }]";
  bare = (await saveModel(server, shop.admin, content)).id;
  await saveModel(server, shop.admin, shopModel({ name: "unfinished" }), { publish: false });
});

const ADDRESSES = [
  ["knecta://ontologies", PATHS.agent],
  ["kenning://models", PATHS.all],
] as const;

describe.each(ADDRESSES)("%s", (uri, path) => {
  it("[agent.resource.ontologies] [agent.resource.ontologies.ready] lists what is ready, exactly so", async () => {
    const { content } = await readResource(server, shop.viewer, uri, path);
    expect(content).toMatchObject({ uri, mimeType: "application/json" });
    expect(JSON.parse(content?.text ?? "")).toEqual([
      { id: bare, name: "Bare", description: null, datasetCount: 1, fieldCount: 1 },
      { id: shop.model.id, name: "shop", description: "A small shop", datasetCount: 2, fieldCount: 10 },
    ]);
    expect(Object.keys((JSON.parse(content?.text ?? "") as object[])[0] ?? {})).toEqual([
      "id",
      "name",
      "description",
      "datasetCount",
      "fieldCount",
    ]);
  });

  it("[agent.resource.ontologies.everyone] is the same for everyone with ontologies:read", async () => {
    const texts = [];
    for (const token of [shop.admin, shop.contributor, shop.viewer]) {
      texts.push((await readResource(server, token, uri, path)).content?.text);
    }
    expect(new Set(texts).size).toBe(1);
    expect((await readResource(server, undefined, uri, path)).status).toBe(401);
    const wrong = await server.token({ scopes: ["bi:read", "data_agent:read"] });
    const { status, content } = await readResource(server, wrong, uri, path);
    expect({ status, content }).toEqual({ status: 403, content: undefined });
  });

  it("shows a token for some models only those", async () => {
    const limited = await server.token({ limits: { models: ["bare"] } });
    const { content } = await readResource(server, limited, uri, path);
    expect(JSON.parse(content?.text ?? "")).toMatchObject([{ name: "Bare" }]);
  });

  it("[agent.resource.listed] is listed beside what it lists", async () => {
    const { body } = await rpc<{
      resources: { uri: string; name: string; mimeType: string; description?: string }[];
    }>(server, path, "resources/list", { token: shop.viewer });
    const ofModels = body.result?.resources.filter((each) => each.uri.startsWith(uri)) ?? [];
    expect(ofModels.map((each) => [each.uri, each.name, each.mimeType])).toEqual([
      [uri, path === PATHS.agent ? "Available Ontologies" : "semantic_models", "application/json"],
      [`${uri}/${bare}`, "Bare", "application/json"],
      [`${uri}/${shop.model.id}`, "shop", "application/json"],
      [`${uri}/${bare}/datasets/c`, "Bare: c", "text/yaml"],
      [`${uri}/${shop.model.id}/datasets/orders`, "shop: orders", "text/yaml"],
      [`${uri}/${shop.model.id}/datasets/customers`, "shop: customers", "text/yaml"],
    ]);
    if (path === PATHS.agent) expect(ofModels[0]?.description).toBe("List all ready ontologies");
  });

  it("[agent.resource.templates] has templates for the parts", async () => {
    const model = path === PATHS.agent ? "ontology" : "semantic_model";
    const { body } = await rpc<{ resourceTemplates: { uriTemplate: string; mimeType: string }[] }>(
      server,
      path,
      "resources/templates/list",
      { token: shop.viewer },
    );
    const ofModels = body.result?.resourceTemplates.filter((each) => each.uriTemplate.startsWith(uri));
    expect(ofModels).toMatchObject([
      { name: model, uriTemplate: `${uri}/{id}`, mimeType: "application/json" },
      { uriTemplate: `${uri}/{id}/datasets/{name}`, mimeType: "text/yaml" },
    ]);
  });
});
