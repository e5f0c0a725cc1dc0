import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { makeDataset } from "../../../../test/support/datasets.ts";
import { openShop, readResource, saveModel } from "../../../../test/support/models.ts";
import { PATHS, rpc } from "../../../../test/support/rpc.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

/** The dataset of the contract's example. */
const SALES = `
semantic_model:
  - name: Sales Analytics
    description: Sales and customer data
    datasets:
      - name: orders
        source: public.orders_2
        description: Customer orders
        fields:
          - { name: order_id, expression: order_id, description: Unique order identifier }
          - { name: customer_id, expression: customer_id, description: Reference to customer }
          - { name: order_date, expression: order_date, description: Date order was placed }
          - { name: total_amount, expression: total_amount, description: Total order value in USD }
`;
const EXAMPLE = `name: orders
description: Customer orders
source:
  table: public.orders_2
fields:
  - name: order_id
    type: number
    description: Unique order identifier
    source_column: order_id
  - name: customer_id
    type: number
    description: Reference to customer
    source_column: customer_id
  - name: order_date
    type: date
    description: Date order was placed
    source_column: order_date
  - name: total_amount
    type: number
    description: Total order value in USD
    source_column: total_amount
`;

const server = await serverOfFile();
const shop = await openShop(server);
const row = { order_id: 1, customer_id: 2, order_date: "2024-03-31", total_amount: 9.99 };
await makeDataset(server, shop.admin, "orders_2", [row]);
const sales = (await saveModel(server, shop.admin, SALES)).id;

const ADDRESSES = [
  ["knecta://ontologies", PATHS.agent],
  ["kenning://models", PATHS.all],
] as const;

describe.each(ADDRESSES)("%s/{id}/datasets/{name}", (base, path) => {
  const read = (id: string, name: string, token: string | undefined = shop.viewer) =>
    readResource(server, token, `${base}/${id}/datasets/${name}`, path);

  it("[agent.resource.dataset] is YAML in the very form of the contract", async () => {
    const { content } = await read(sales, "orders");
    const uri = `${base}/${sales}/datasets/orders`;
    expect(content).toEqual({ uri, mimeType: "text/yaml", text: EXAMPLE });
  });

  it("tells more where the model says more: expressions, values, synonyms; and null for no description", async () => {
    const orders = parse((await read(shop.model.id, "orders")).content?.text ?? "") as { fields: object[] };
    expect(orders.fields).toEqual(
      expect.arrayContaining([
        { name: "total", type: "number", description: "With tax", expression: "net * 2" },
        {
          name: "region",
          type: "string",
          source_column: "region",
          values: ["North", "South"],
          synonyms: ["area"],
          examples: ["Northern"],
        },
      ]),
    );
    const customers = parse((await read(shop.model.id, "customers")).content?.text ?? "");
    expect(customers).toMatchObject({
      name: "customers",
      description: null,
      source: { table: "acme.Customers" },
    });
  });

  it("is found by names in any case of letters, and by that of the model", async () => {
    const text = (await read(sales, "orders")).content?.text;
    expect((await read("sales%20analytics", "ORDERS")).content?.text).toBe(text);
  });

  it("completes names of datasets, of the model that was chosen", async () => {
    const complete = async (value: string, id?: string) => {
      const ref = { type: "ref/resource", uri: `${base}/{id}/datasets/{name}` };
      const context = id === undefined ? {} : { context: { arguments: { id } } };
      const params = { ref, argument: { name: "name", value }, ...context };
      const { body } = await rpc<{ completion: { values: string[] } }>(server, path, "completion/complete", {
        token: shop.viewer,
        params,
      });
      return body.result?.completion.values;
    };
    expect(await complete("", sales)).toEqual(["orders"]);
    expect(await complete("", shop.model.id)).toEqual(["orders", "customers"]);
    expect(await complete("cu")).toEqual(["customers"]);
    expect(await complete("x")).toEqual([]);
  });

  it("is for those with ontologies:read, of all roles", async () => {
    for (const token of [shop.admin, shop.contributor]) {
      expect((await read(sales, "orders", token)).content).toBeDefined();
    }
    expect((await readResource(server, undefined, `${base}/${sales}/datasets/orders`, path)).status).toBe(
      401,
    );
    const wrong = await server.token({ scopes: ["bi:read", "data_agent:read"] });
    expect((await read(sales, "orders", wrong)).status).toBe(403);
  });
});

describe("knecta://ontologies/{id}/datasets/{name}", () => {
  it("[agent.resource.dataset.missing] an unknown dataset is not found, nor one of an unknown ontology", async () => {
    const { status, error } = await readResource(
      server,
      shop.viewer,
      `knecta://ontologies/${sales}/datasets/nonexistent_table`,
    );
    expect(status).toBe(200);
    expect(error).toEqual({
      code: -32002,
      message: "Dataset not found in ontology",
      data: {
        datasetName: "nonexistent_table",
        ontologyId: sales,
        detail: expect.any(String),
        knecta_code: "DATASET_NOT_FOUND",
      },
    });
    const nowhere = await readResource(server, shop.viewer, "knecta://ontologies/nowhere/datasets/orders");
    expect(nowhere.error).toMatchObject({ code: -32002, data: { knecta_code: "ONTOLOGY_NOT_FOUND" } });
  });

  it("is missing from a semantic model, not from an ontology, at the other endpoint", async () => {
    const uri = `kenning://models/${sales}/datasets/nonexistent_table`;
    const { error } = await readResource(server, shop.viewer, uri, PATHS.all);
    expect(error?.message).toMatch(/^Dataset not found in semantic model/);
  });
});
