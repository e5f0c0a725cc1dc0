import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../test/support/datasets.ts";
import {
  ALLOW_LOOPBACK,
  makeDatasource,
  makeQuery,
  type RunAnswer,
} from "../../../test/support/datasources.ts";
import { callTool } from "../../../test/support/mcp.ts";
import { type PostgresSource, startPostgresSource } from "../../../test/support/postgres-source.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";
import { systemClock } from "../../kernel/time.ts";
import { openCatalog } from "../../platform/catalog/index.ts";
import { QueriesStore } from "./queries.store.ts";

let server: TestServer;
let source: PostgresSource;
let admin: string;
let contributor: string;
let viewer: string;
let datasource_id: number;

beforeAll(async () => {
  [server, source] = await Promise.all([startTestServer(ALLOW_LOOPBACK), startPostgresSource()]);
  admin = await server.token({ role: "admin" });
  contributor = await server.token({ role: "contributor" });
  viewer = await server.token({ role: "viewer" });
  datasource_id = await makeDatasource(server, contributor, "Shop", source);
});
afterAll(async () => {
  await server.stop();
  await source.stop();
});

const POLICY = {
  name: "own",
  roles: ["contributor", "viewer"],
  rows: [{ field: "region", operator: "=", value: "West" }],
  hide: ["salary_hidden"],
};

const restrict = (dataset_id: number | null) =>
  resultOf(server, admin, "set_dataset_policies", { dataset_id, policies: [POLICY] });
const asset = (asset_type: string, asset_id: number | null) => ({ asset_type, asset_id });
const remove = (who: string, type: string, id: number | null) =>
  resultOf(server, who, "delete_asset", { ...asset(type, id), confirm: true });

describe("a query whose dataset has policies", () => {
  const text =
    "SELECT CASE WHEN i > 9 THEN 'East' ELSE 'West' END AS region, i AS salary_hidden FROM generate_series(1, 4321) i";

  it("tells those whom they restrict neither rows, errors, text nor columns", async () => {
    const made = await makeQuery(server, contributor, { name: "Pay", datasource_id, query: text });
    expect(made).toMatchObject({ run: { rows: 4321 }, message: expect.stringContaining("4321 rows") });
    await restrict(made.dataset_id);
    const { query_id } = made;
    await makeQuery(server, admin, {
      name: "Pay",
      datasource_id,
      query: "SELECT salary_hidden FROM nowhere_4321",
      replace: true,
    });
    const failed = await resultOf<RunAnswer>(server, contributor, "run", { query_id });
    expect(failed.run).toMatchObject({ status: "failed", error: expect.stringMatching(/told only to/) });
    const { run_id } = failed.run;
    const replaced = { name: "Pay", datasource_id, query: text, replace: true };
    await expect(makeQuery(server, contributor, replaced)).rejects.toThrow(/only an admin may replace/);
    const { host, port, user, password, database } = source;
    const elsewhere = {
      name: "Shop",
      type: "postgresql",
      host,
      port,
      user,
      password,
      database: `${database}2`,
    };
    const move = resultOf(server, contributor, "create_datasource", {
      ...elsewhere,
      replace: true,
      connection_test: "skip",
    });
    await expect(move).rejects.toThrow(/Pay has policies, so only an admin may replace/);
    await makeQuery(server, admin, { ...replaced, run_now: false });
    const again = await resultOf<RunAnswer>(server, contributor, "run", { query_id });
    expect(again).toMatchObject({
      run: { status: "succeeded", rows: null },
      message: "The dataset Pay has new rows.",
    });
    for (const who of [contributor, viewer]) {
      const answers = [
        failed,
        again,
        await resultOf(server, who, "list_queries", {}),
        await resultOf(server, who, "get_details", asset("query", query_id)),
        await resultOf(server, who, "get_details", asset("dataset", made.dataset_id)),
        await resultOf(server, who, "get_query_run", { run_id }),
        await resultOf(server, who, "get_query_run", { run_id: again.run.run_id }),
        await resultOf(server, contributor, "cancel_query_run", { run_id: again.run.run_id }),
        await resultOf(server, contributor, "run", { query_id }),
        (await callTool(server, who, "push_data", { dataset_name: "Pay", rows: [] })).result,
      ];
      expect(JSON.stringify(answers)).not.toMatch(/4321|salary_hidden|nowhere/);
    }
    const all = await resultOf(server, admin, "get_details", asset("query", query_id));
    expect(all).toMatchObject({
      details: { query: text, runs: [{ rows: 4321 }, { rows: 4321 }, {}, {}, {}] },
    });
  });

  it("is kept from them also while the dataset has no hidden column", async () => {
    const args = { name: "Narrow", datasource_id, query: "SELECT 1 AS salary_hidden" };
    const { dataset_id, query_id } = await makeQuery(server, contributor, args);
    const policies = [{ name: "hide", roles: ["contributor"], hide: ["salary_hidden"] }];
    await resultOf(server, admin, "set_dataset_policies", { dataset_id, policies });
    await makeQuery(server, admin, { ...args, query: "SELECT 1 AS other -- salary_hidden", replace: true });
    const seen = await resultOf(server, contributor, "get_details", asset("query", query_id));
    expect(JSON.stringify(seen)).not.toContain("salary_hidden");
  });

  it("tells viewers without a restriction the rows, but no error", async () => {
    const { query_id, run } = await makeQuery(server, contributor, {
      name: "Wrong",
      datasource_id,
      query: "SELECT nme FROM nowhere",
    });
    expect(run.error).toMatch(/nowhere/);
    const { details } = await resultOf<{ details: object }>(
      server,
      viewer,
      "get_details",
      asset("query", query_id),
    );
    expect(details).toMatchObject({ last_error: expect.stringMatching(/told only to/) });
    expect(JSON.stringify(details)).not.toContain("nowhere");
  });
});

describe("answers of changes to a restricted dataset", () => {
  it.each([
    ["push_data", { rows: [] }],
    ["push_data", { rows: [{ region: "East" }] }],
  ])("of %s %j have neither totals nor hidden columns", async (tool, args) => {
    const dataset_name = `People ${tool} ${JSON.stringify(args).length}`;
    const id = await makeDataset(server, contributor, dataset_name, [{ region: "West", salary_hidden: 1 }]);
    await restrict(id);
    expect(await resultOf(server, contributor, tool, { dataset_name, ...args })).toMatchObject({
      dataset_id: id,
      total_rows: null,
      columns: [{ name: "region", type: "VARCHAR" }],
    });
    const seen = await resultOf<{ columns: unknown[] }>(server, admin, "push_data", {
      dataset_name,
      rows: [],
    });
    expect(seen).toMatchObject({ total_rows: expect.any(Number) });
    expect(seen.columns).toHaveLength(2);
  });
});

describe("a dataset with policies", () => {
  it("is deleted by admins alone", async () => {
    const id = await makeDataset(server, contributor, "Guarded", [{ region: "West", salary_hidden: 1 }]);
    await restrict(id);
    await expect(remove(contributor, "dataset", id)).rejects.toThrow(/has policies, so only an admin/);
    expect(await remove(admin, "dataset", id)).toMatchObject({ deleted: true });
  });

  it("is not made anew by its query while it can be restored", async () => {
    const args = { name: "Back", datasource_id, query: "SELECT 'East' AS region, 1 AS salary_hidden" };
    const { query_id, dataset_id } = await makeQuery(server, contributor, args);
    await restrict(dataset_id);
    await remove(admin, "dataset", dataset_id);
    const hint = new RegExp(`was deleted.*restore_asset.*asset_id ${dataset_id}`, "s");
    await expect(resultOf(server, contributor, "run", { query_id })).rejects.toThrow(hint);
    await expect(makeQuery(server, contributor, { ...args, replace: true })).rejects.toThrow(hint);
    await resultOf(server, admin, "restore_asset", asset("dataset", dataset_id));
    await expect(makeQuery(server, contributor, { ...args, replace: true })).rejects.toThrow(/only an admin/);
    await resultOf(server, contributor, "run", { query_id });
    expect(await resultOf(server, contributor, "get_data", { dataset_id })).toMatchObject({
      columns: [{ name: "region" }],
      rows: [],
    });
  });
});

describe("the dataset of a query", () => {
  it("takes neither pushes nor imports", async () => {
    const args = { name: "Filled", datasource_id, query: "SELECT 1 AS a" };
    const { query_id, dataset_id } = await makeQuery(server, contributor, args);
    const dataset_name = "filled";
    for (const [tool, more] of [
      ["push_data", { rows: [{ a: 2 }] }],
      ["push_data", { rows: [] }],
      ["import_file", { content: "a\n5\n" }],
    ] as const) {
      const changed = resultOf(server, contributor, tool, { dataset_name, ...more });
      await expect(changed).rejects.toThrow(/Filled is filled by a query.*another name/s);
    }
    expect(await resultOf(server, contributor, "run", { query_id })).toMatchObject({
      dataset_id,
      run: { status: "succeeded" },
    });
  });

  it("is looked at before the datasource is asked", async () => {
    const made = await makeQuery(server, contributor, {
      name: "Early",
      datasource_id,
      query: "SELECT pg_sleep(60)::text AS s",
      run_now: false,
    });
    await makeDataset(server, contributor, "Early", [{ a: 1 }]);
    await expect(resultOf(server, contributor, "run", { query_id: made.query_id })).rejects.toThrow(
      /already a dataset called Early/,
    );
  });
});

describe("a change of a query", () => {
  it("comes too late for a deleted one, and reaches none of another workspace", async () => {
    const args = { name: "Late", datasource_id, query: "SELECT 1 AS a", run_now: false };
    const { query_id } = await makeQuery(server, contributor, args);
    const log = pino({ level: "silent" });
    const catalog = await openCatalog({ home: "", databaseUrl: server.databaseUrl, log });
    try {
      const store = new QueriesStore(catalog, systemClock);
      const { rows } = await catalog.pool.query("SELECT workspace_id FROM queries WHERE id = $1", [query_id]);
      const query = await store.find(Number(rows[0].workspace_id), query_id);
      const text = { datasourceId: datasource_id, queryText: "SELECT 2", c9ql: null, parameters: {} };
      const foreign = { ...query!, workspaceId: query!.workspaceId + 1 };
      await expect(store.change(foreign, text)).rejects.toMatchObject({ code: "not_found" });
      await remove(contributor, "query", query_id);
      await expect(store.change(query!, text)).rejects.toMatchObject({ code: "not_found" });
    } finally {
      await catalog.close();
    }
  });
});
