import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Clickhouse, startClickhouse } from "../support/clickhouse.ts";
import { makeDataset, resultOf } from "../support/datasets.ts";
import { ALLOW_LOOPBACK } from "../support/datasources.ts";
import { HOSTILE, ROWS, STATEMENTS } from "../support/live-statements.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let clickhouse: Clickhouse;
let admin: string;

const ask = async (model: string, sql: string, params: string[] = []) =>
  resultOf<{ rows: unknown[] }>(server, admin, "execute_query", { modelName: model, sql, params });

beforeAll(async () => {
  [server, clickhouse] = await Promise.all([startTestServer(ALLOW_LOOPBACK), startClickhouse()]);
  admin = await server.token();
  await clickhouse.query(
    "CREATE TABLE t (id Int32, name Nullable(String), day Nullable(Date32), price Nullable(Decimal(10, 2)), note Nullable(String)) ENGINE = MergeTree ORDER BY id",
  );
  for (const { id, name, day, price, note } of ROWS) {
    const text = note === null ? "NULL" : `unhex('${Buffer.from(note).toString("hex")}')`;
    await clickhouse.query(`INSERT INTO t VALUES (${id}, '${name}', '${day}', ${price}, ${text})`);
  }
  const { datasource_id } = await resultOf<{ datasource_id: number }>(server, admin, "create_datasource", {
    name: "Events",
    type: "clickhouse",
    host: clickhouse.url,
    database: "default",
  });
  await resultOf(server, admin, "infer_semantic_model", { name: "live", datasource_id, publish: true });
  await makeDataset(server, admin, "copied", ROWS);
  await resultOf(server, admin, "infer_semantic_model", {
    name: "here",
    datasets: ["copied"],
    publish: true,
  });
}, 240_000);
afterAll(async () => {
  await server?.stop();
  await clickhouse?.stop();
});

describe("a live model in ClickHouse", () => {
  it.each(STATEMENTS)("%s", async (_, sql) => {
    const there = await ask("live", sql);
    const here = await ask("here", sql.replaceAll(/\bt\b/g, "copied"));
    expect(there.rows).toEqual(here.rows);
  });

  it("no value ends its text", async () => {
    expect((await ask("live", "SELECT id FROM t WHERE note = $1", [HOSTILE])).rows).toEqual([{ id: 4 }]);
    expect((await ask("live", "SELECT count(*) AS n FROM t")).rows).toEqual([{ n: 4 }]);
  });

  it("nothing is NULL there as well", async () => {
    const sql = "SELECT sum(price) AS s, avg(price) AS a, min(name) AS m, count(*) AS n FROM t WHERE id > 99";
    expect((await ask("live", sql)).rows).toEqual([{ s: null, a: null, m: null, n: 0 }]);
  });
});
