import { makeDataset, resultOf } from "./datasets.ts";
import { callTool, type ToolAnswer } from "./mcp.ts";
import { PATHS, rpc } from "./rpc.ts";
import { serverOfFile, type TestServer } from "./server.ts";

/** A small shop: two datasets, what a model says about them, and ways to ask for it through the public door. */

export const ORDERS = [
  { id: 1, customer_id: 1, net: 10, cost: 4, region: "North", note: "1" },
  { id: 2, customer_id: 2, net: 20, cost: 9, region: "South", note: "hush-hush" },
  { id: 3, customer_id: 1, net: 30, cost: 11, region: "North", note: "3" },
];
export const CUSTOMERS = [
  { id: 1, name: "Ada", city: "Bern", email: "ada@example.com" },
  { id: 2, name: "Bob", city: "Rome", email: "bob@example.com" },
];

/** All that there is to be said against the shop's model: a sentence of which no rule was made. */
export const SHOP_PROBLEMS = [
  {
    severity: "warning",
    message: 'No rule was made of this sentence of the instructions: "Amounts are in euros"',
    path: "ai_context",
  },
];

export interface ShopWish {
  name?: string;
  description?: string;
  /** Where orders come from, if not from the dataset of that name. */
  source?: string;
  /** What the model's own extension says about orders: `policies`, `view_query`. */
  orders?: Record<string, unknown>;
  /** Further fields of orders: names and expressions. */
  fields?: Record<string, string>;
  /** Further metrics: names and expressions. */
  metrics?: Record<string, string>;
}

export function shopModel({ name = "shop", description = "A small shop", ...wish }: ShopWish = {}): string {
  const extension = wish.orders && [{ vendor_name: "KENNING", data: JSON.stringify(wish.orders) }];
  const named = (all: Record<string, string> = {}) =>
    Object.entries(all).map(([name, expression]) => ({ name, expression: dialects(expression) }));
  // JSON is YAML, so that what a test adds needs no indentation.
  const fields = [
    { name: "id", expression: dialects("id"), description: "Number of the order" },
    { name: "customer_id", expression: dialects("customer_id") },
    { name: "total", expression: dialects("net * 2"), description: "With tax", datatype: "Integer" },
    {
      name: "region",
      expression: dialects("region"),
      ai_context: { synonyms: ["area"], examples: ["Northern"] },
      custom_extensions: [
        { vendor_name: "COMMON", data: JSON.stringify({ distinct_values: ["North", "South"] }) },
      ],
    },
    { name: "cost", expression: dialects("cost") },
    { name: "margin", expression: dialects("net - cost") },
    { name: "note", expression: dialects("note") },
    ...named(wish.fields),
  ];
  return `
version: "0.1.1"
semantic_model:
  - name: ${JSON.stringify(name)}
    description: ${JSON.stringify(description)}
    ai_context: { instructions: Amounts are in euros. }
    datasets:
      - name: orders
        source: ${wish.source ?? "shop.public.Orders"}
        primary_key: [id]
        description: What was ordered
        fields: ${JSON.stringify(fields)}
        ${extension === undefined ? "" : `custom_extensions: ${JSON.stringify(extension)}`}
      - name: customers
        source: Customers
        primary_key: [id]
        fields:
          - { name: id, expression: id }
          - { name: name, expression: name }
          - { name: city, expression: city, dimension: { is_time: false }, ai_context: Where they live. }
    relationships:
      - { name: order_customer, from: orders, to: customers, from_columns: [customer_id], to_columns: [id] }
    metrics: ${JSON.stringify(named({ revenue: "SUM(orders.net)", profit: "SUM(orders.net - orders.cost)", ...wish.metrics }))}
`;
}

function dialects(expression: string) {
  return { dialects: [{ dialect: "ANSI_SQL", expression }] };
}

export interface SavedModel {
  name: string;
  id: string;
  asset_id: number;
  state: "draft" | "published";
  version: number | null;
  problems: { severity: string; message: string; path: string; line?: number }[];
}

export async function saveModel(
  server: TestServer,
  token: string,
  content: string,
  { publish = true } = {},
): Promise<SavedModel> {
  const args = { content, publish };
  const { models } = await resultOf<{ models: SavedModel[] }>(server, token, "save_semantic_model", args);
  return models[0] as SavedModel;
}

export interface Shop {
  admin: string;
  contributor: string;
  viewer: string;
  /** Ids of the datasets. */
  orders: number;
  customers: number;
  model: SavedModel;
}

/** People of all roles, the datasets, and the model as published. */
export async function openShop(server: TestServer, wish: ShopWish = {}): Promise<Shop> {
  const admin = await server.token({ role: "admin" });
  const contributor = await server.token({ role: "contributor" });
  const viewer = await server.token({ role: "viewer" });
  const orders = await makeDataset(server, admin, "Orders", ORDERS);
  const customers = await makeDataset(server, admin, "Customers", CUSTOMERS);
  return {
    admin,
    contributor,
    viewer,
    orders,
    customers,
    model: await saveModel(server, admin, shopModel(wish)),
  };
}

/** A server with the shop, for all tests of a file. */
export async function shopServer(wish: ShopWish = {}): Promise<{ server: TestServer; shop: Shop }> {
  const server = await serverOfFile();
  return { server, shop: await openShop(server, wish) };
}

export interface Rows {
  columns: string[];
  rows: Record<string, unknown>[];
  rowCount: number;
  truncated?: true;
  storedQueryId?: string;
}

export async function query(
  server: TestServer,
  token: string,
  sql: string,
  args: Record<string, unknown> = {},
): Promise<Rows> {
  return resultOf<Rows>(server, token, "execute_query", { modelName: "shop", sql, ...args });
}

/** The text of a tool's answer, whether it is a result or an error. */
export function textOf({ result, error }: ToolAnswer): string {
  return result?.content[0]?.text ?? error?.message ?? "";
}

export async function digestOf(
  server: TestServer,
  token: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  return (
    await resultOf<{ digest: string }>(server, token, "get_semantic_model", { modelName: "shop", ...args })
  ).digest;
}

export async function fieldsOf(server: TestServer, token: string, name = "orders", modelName = "shop") {
  const args = { modelName, datasets: [{ name }] };
  return (await resultOf<{ digest: string }>(server, token, "get_datasets", args)).digest;
}

/** What those get who may not: nobody at all, and somebody without the permission. */
export async function refusalsOf(
  server: TestServer,
  wrong: string,
  tool: string,
  args: Record<string, unknown>,
  path?: string,
): Promise<{ anonymous: number; wrong: string }> {
  const { status } = await callTool(server, undefined, tool, args, path);
  const answer = await callTool(server, wrong, tool, args, path);
  if (answer.result?.isError === false) throw new Error(`${tool} was not refused`);
  return { anonymous: status, wrong: textOf(answer) };
}

/** One resource as text, or the error that there is instead. */
export async function readResource(
  server: TestServer,
  token: string | undefined,
  uri: string,
  path = PATHS.agent,
) {
  const { status, body } = await rpc<{ contents: { uri: string; mimeType: string; text: string }[] }>(
    server,
    path,
    "resources/read",
    { token, params: { uri } },
  );
  return { status, content: body.result?.contents[0], error: body.error };
}
