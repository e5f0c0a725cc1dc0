import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../test/support/datasets.ts";
import { callTool } from "../../../test/support/mcp.ts";
import { digestOf, openShop, type Shop, saveModel, shopModel, textOf } from "../../../test/support/models.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";
import { systemClock } from "../../kernel/time.ts";
import { type Catalog, openCatalog } from "../../platform/catalog/index.ts";
import { readModels } from "./format/read-models.ts";
import { LIMITS } from "./limits.ts";
import type { SemanticModel } from "./model.ts";
import { ModelsStore } from "./models.store.ts";

/** So many versions of a model are kept and no more, and each of those can be gone back to. */

const KEPT = LIMITS.models.versions;

let server: TestServer;
let shop: Shop;
let home: string;
let catalog: Catalog;

beforeAll(async () => {
  server = await startTestServer();
  shop = await openShop(server, { description: "Number 1" });
  home = mkdtempSync(join(tmpdir(), "kenning-versions-"));
  catalog = await openCatalog({ home, databaseUrl: server.databaseUrl, log: pino({ level: "silent" }) });
  await publishUpTo(KEPT);
});
afterAll(async () => {
  await catalog.close();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

/** By the store itself, without the checks against the data, which would take minutes for so many. */
async function publishUpTo(version: number): Promise<void> {
  const store = new ModelsStore(catalog, systemClock);
  const { rows } = await catalog.db.execute(
    sql`SELECT workspace_id, created_by FROM semantic_models WHERE id = ${shop.model.asset_id}`,
  );
  const [workspace, user] = [Number(rows[0]?.workspace_id), Number(rows[0]?.created_by)];
  const model = readModels([{ name: "m.yaml", text: shopModel() }]).models[0]?.model as SemanticModel;
  for (let next = 2; next <= version; next++) {
    const document = { ...model, description: `Number ${next}` };
    await store.publishAll(workspace, user, [{ document, warnings: [] }], () => {});
  }
}

async function versions(): Promise<number[]> {
  const args = { modelName: "shop" };
  const read = await resultOf<{ versions: { version: number }[] }>(
    server,
    shop.admin,
    "read_semantic_model",
    args,
  );
  return read.versions.map(({ version }) => version);
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => to - i);
const failure = async (tool: string, args: object) =>
  textOf(await callTool(server, shop.admin, tool, { modelName: "shop", ...args }));

describe("the versions of a model", () => {
  it("are all kept as long as there is room", async () => {
    expect(await versions()).toEqual(numbers(1, KEPT));
  });

  it("make room from the oldest on, one for each that is published", async () => {
    expect(await saveModel(server, shop.admin, shopModel({ description: "Newest" }))).toMatchObject({
      version: KEPT + 1,
    });
    expect(await versions()).toEqual(numbers(2, KEPT + 1));
    expect(await digestOf(server, shop.viewer)).toContain("Newest");
  });

  it("can be gone back to, also to the oldest, which is kept as the newest then", async () => {
    const args = { modelName: "shop", version: 2 };
    const published = await resultOf(server, shop.admin, "publish_semantic_model", args);
    expect(published).toMatchObject({ version: KEPT + 2 });
    expect(await digestOf(server, shop.viewer)).toContain("Number 2");
    expect(await versions()).toEqual(numbers(3, KEPT + 2));
  });

  it("say so when they are gone", async () => {
    for (const version of [1, 2]) {
      expect(await failure("publish_semantic_model", { version })).toMatch(
        new RegExp(`^shop has no version ${version}\\.`),
      );
      expect(await failure("read_semantic_model", { version })).toMatch(
        new RegExp(`^shop has no version ${version}\\. read_semantic_model without a version shows`),
      );
    }
    expect(await digestOf(server, shop.viewer)).toContain("Number 2");
  });
});
