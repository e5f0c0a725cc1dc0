import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../test/support/datasets.ts";
import { ALLOW_LOOPBACK, makeDatasource } from "../../../test/support/datasources.ts";
import { HOSTILE, ROWS, STATEMENTS } from "../../../test/support/live-statements.ts";
import { hasMariadb, type Mariadb, needsMariadb, startMariadb } from "../../../test/support/mariadb.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";

let server: TestServer;
let mariadb: Mariadb;
let admin: string;

const ask = async (model: string, sql: string, params: string[] = []) =>
  resultOf<{ rows: unknown[] }>(server, admin, "execute_query", { modelName: model, sql, params });

beforeAll(async () => {
  if (!hasMariadb()) return;
  [server, mariadb] = await Promise.all([startTestServer(ALLOW_LOOPBACK), startMariadb()]);
  admin = await server.token();
  await mariadb.query("USE shop");
  await mariadb.query(
    "CREATE TABLE t (id int PRIMARY KEY, name varchar(40), day date, price decimal(10,2), note varchar(80))",
  );
  for (const { id, name, day, price, note } of ROWS) {
    const text = note === null ? "NULL" : `x'${Buffer.from(note).toString("hex")}'`;
    await mariadb.query(`INSERT INTO t VALUES (${id}, '${name}', '${day}', ${price}, ${text})`);
  }
  const datasource_id = await makeDatasource(server, admin, "Shop", mariadb, "mariadb");
  await resultOf(server, admin, "infer_semantic_model", { name: "live", datasource_id, publish: true });
  await makeDataset(server, admin, "copied", ROWS);
  const args = { name: "here", datasets: ["copied"], publish: true };
  await resultOf(server, admin, "infer_semantic_model", args);
}, 120_000);
afterAll(async () => {
  await server?.stop();
  await mariadb?.stop();
});

describe("a live model in MariaDB", () => {
  beforeEach(needsMariadb);

  it.each(STATEMENTS)("%s", async (_, sql) => {
    const there = await ask("live", sql);
    const here = await ask("here", sql.replaceAll(/\bt\b(?! <)/g, "copied"));
    expect(there.rows).toEqual(here.rows);
  });

  it("no value ends its text", async () => {
    expect((await ask("live", "SELECT id FROM t WHERE note = $1", [HOSTILE])).rows).toEqual([{ id: 4 }]);
    expect((await ask("live", `SELECT '${HOSTILE.replaceAll("'", "''")}' AS x FROM t LIMIT 1`)).rows).toEqual(
      [{ x: HOSTILE }],
    );
    expect((await ask("live", "SELECT count(*) AS n FROM t")).rows).toEqual([{ n: 4 }]);
  });
});
