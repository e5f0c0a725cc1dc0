import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { asc } from "drizzle-orm";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, compose } from "../../src/app/compose.ts";
import { loadConfig } from "../../src/app/config.ts";
import { openCatalog } from "../../src/platform/catalog/index.ts";
import { outboxEvents } from "../../src/platform/catalog/outbox.tables.ts";
import { freePort } from "../support/command-line.ts";
import { silentLog } from "../support/database.ts";
import { makeDataset, resultOf } from "../support/datasets.ts";
import { callTool } from "../support/mcp.ts";
import { ORDERS, openShop, type Shop, saveModel, shopModel } from "../support/models.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** Who watches a resource is told when it changes, in whichever process that happens. */

const home = mkdtempSync(join(tmpdir(), "kenning-two-"));
let server: TestServer;
let other: App;
let otherUrl: string;
let shop: Shop;

beforeAll(async () => {
  server = await startTestServer({ env: { KENNING_HOME: home } });
  shop = await openShop(server);
  const port = String(await freePort());
  const env = { KENNING_HOME: home, DATABASE_URL: server.databaseUrl, PORT: port };
  other = await compose(loadConfig({ env, cwd: home }), { log: pino({ level: "silent" }) });
  otherUrl = (await other.listen()).url;
});
afterAll(async () => {
  await other.close();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

const ERAS = ["legacy", "modern"] as const;
const MODELS = "kenning://models";
const model = () => `${MODELS}/${shop.model.id}`;

/** The official client with what it has been told so far. */
async function connect(era: (typeof ERAS)[number], token: string, url = server.url) {
  const versionNegotiation = { mode: era === "legacy" ? ("legacy" as const) : { pin: "2026-07-28" } };
  const client = new Client({ name: "watcher", version: "1.0.0" }, { versionNegotiation });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  const told: string[] = [];
  client.setNotificationHandler(
    "notifications/resources/updated",
    ({ params }) => void told.push(params.uri),
  );
  const watch = async (uris: string[]) => {
    if (era === "modern") await client.listen({ resourceSubscriptions: uris });
    else for (const uri of uris) await client.subscribeResource({ uri });
  };
  return { client, told, watch };
}

const push = (rows: object[] = [ORDERS[0] as object]) => makeDataset(server, shop.admin, "Orders", rows);

describe.each(ERAS)("a client that watches (%s)", (era) => {
  it("is told of new rows, of a published model and of a deleted one", async () => {
    const { client, told, watch } = await connect(era, shop.viewer);
    await watch([MODELS, model(), `${model()}/datasets/orders`, `${MODELS}/SHOP/datasets/customers`]);
    // An older client opens the stream for what the server says by itself a moment after it subscribed.
    await expect
      .poll(async () => {
        await push();
        return told;
      })
      .toContain(`${model()}/datasets/orders`);
    expect(new Set(told)).toEqual(new Set([`${model()}/datasets/orders`]));
    await saveModel(server, shop.admin, shopModel({ description: `Published for ${era}` }));
    await expect
      .poll(() => new Set(told))
      .toEqual(new Set([`${model()}/datasets/orders`, `${MODELS}/SHOP/datasets/customers`, MODELS, model()]));
    told.length = 0;
    const asset = { asset_type: "semantic_model", asset_id: shop.model.asset_id };
    await resultOf(server, shop.admin, "delete_asset", { ...asset, confirm: true });
    await expect.poll(() => told).toContain(MODELS);
    told.length = 0;
    await resultOf(server, shop.admin, "restore_asset", asset);
    await expect.poll(() => told).toContain(model());
    await client.close();
  });

  it("is told of a new column and of policies, which change what the model shows", async () => {
    const { client, told, watch } = await connect(era, shop.viewer);
    await watch([MODELS, model()]);
    let column = 0;
    await expect
      .poll(async () => {
        column += 1;
        await push([{ id: 9, [`${era}_${column}`]: 1 }]);
        return told;
      })
      .toContain(model());
    told.length = 0;
    const policies = { dataset_id: shop.orders, policies: [] };
    await resultOf(server, shop.admin, "set_dataset_policies", policies);
    await expect.poll(() => told).toContain(MODELS);
    await client.close();
  });

  it("is told of what another process on the same database did", async () => {
    const { client, told, watch } = await connect(era, shop.viewer, otherUrl);
    await watch([`${model()}/datasets/orders`]);
    await expect
      .poll(async () => {
        await push();
        return told;
      })
      .toContain(`${model()}/datasets/orders`);
    await client.close();
  });

  it("hears nothing of another workspace", async () => {
    const workspace = `other-${era}`;
    await server.app.identity.workspaces.create({ slug: workspace });
    const stranger = await server.token({ workspace });
    await makeDataset(server, stranger, "Orders", ORDERS);
    const foreign = await connect(era, stranger);
    const own = await connect(era, shop.viewer);
    await expect(foreign.watch([model()])).rejects.toThrow();
    await foreign.watch([MODELS]);
    await own.watch([MODELS]);
    await expect
      .poll(async () => {
        await saveModel(server, shop.admin, shopModel());
        return own.told;
      })
      .toContain(MODELS);
    // What happens in its own workspace comes after what was not for it.
    await makeDataset(server, stranger, "Customers", [{ id: 1, name: "Ada", city: "Bern" }]);
    expect(foreign.told).toEqual([]);
    await saveModel(server, stranger, shopModel());
    await expect.poll(() => foreign.told).toContain(MODELS);
    await Promise.all([foreign.client.close(), own.client.close()]);
  });

  it.each([
    ["without the scope", { scopes: ["bi:read"] }],
    ["for other models", { limits: { models: ["another"] } }],
    ["for other toolsets", { limits: { toolsets: ["data"] } }],
  ])("may not watch with a token %s", async (_, wish) => {
    const { client, watch } = await connect(era, await server.token({ role: "viewer", ...wish }));
    await expect(watch([model()])).rejects.toThrow();
    await client.close();
  });
});

describe("the outbox", () => {
  const eventsOf = async (topic: string) => {
    const catalog = await openCatalog({ home, log: silentLog, databaseUrl: server.databaseUrl });
    try {
      const rows = await catalog.db.select().from(outboxEvents).orderBy(asc(outboxEvents.id));
      return rows
        .filter((row) => row.topic === topic)
        .map(({ payload, state }) => ({ ...(payload as object), state }));
    } finally {
      await catalog.close();
    }
  };

  it("has every change of a dataset once, and all of it is delivered", async () => {
    const name = "Watched";
    const id = await makeDataset(server, shop.admin, name, [{ a: 1 }]);
    await makeDataset(server, shop.admin, name, [{ a: 2 }]);
    const content = "a,b\n1,2\n";
    await resultOf(server, shop.admin, "import_file", { dataset_name: name, content, file_type: "csv" });
    await resultOf(server, shop.admin, "restore_asset", { asset_type: "dataset", asset_id: id, version: 2 });
    const asset = { asset_type: "dataset", asset_id: id };
    await resultOf(server, shop.admin, "delete_asset", { ...asset, confirm: true });
    await resultOf(server, shop.admin, "restore_asset", asset);
    const failed = await callTool(server, shop.admin, "push_data", { dataset_name: name, rows: [{ a: {} }] });
    expect(failed.result?.isError).toBe(true);
    const mine = async () =>
      (await eventsOf("dataset.changed")).filter(
        (event) => (event as { datasetId?: number }).datasetId === id,
      );
    await expect.poll(async () => (await mine()).filter(({ state }) => state !== "delivered")).toEqual([]);
    const workspaceId = (await server.app.identity.workspaces.bySlug("acme")).id;
    const common = { workspaceId, datasetId: id, name, state: "delivered" };
    expect(await mine()).toEqual([
      { ...common, version: 1, change: "existence" },
      { ...common, version: 2, change: "rows" },
      { ...common, version: 3, change: "columns" },
      { ...common, version: 4, change: "columns" },
      { ...common, version: 4, change: "existence" },
      { ...common, version: 4, change: "existence" },
    ]);
  });
});
