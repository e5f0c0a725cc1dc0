import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../test/support/datasets.ts";
import { type Sourced, startSourced } from "../../../test/support/datasources.ts";
import { callTool } from "../../../test/support/mcp.ts";
import { saveModel, textOf } from "../../../test/support/models.ts";
import {
  CONDITIONS,
  HIDDEN,
  PLACES,
  POLICIES,
  peopleModel,
  STATISTICS,
  VISIBLE,
} from "../../../test/support/policy-attacks.ts";

/** The sweep of policy-barrier.test.ts, where the rows are in PostgreSQL: once by a policy of the dataset, once by the model's. */
const VIEWS: [way: string, view: ((raw: string) => string) | undefined][] = [
  ["dataset", undefined],
  ["model", undefined],
  ["query", (raw) => `SELECT p.* FROM ${raw} p JOIN teams t ON t.team = p.team`],
  ["group", (raw) => `SELECT id, team, min(salary) AS salary, min(note) AS note FROM ${raw} GROUP BY ALL`],
  ["union", (raw) => `SELECT * FROM ${raw} UNION ALL SELECT p.* FROM ${raw} p`],
  ["window", (raw) => `SELECT * FROM ${raw} QUALIFY row_number() OVER (PARTITION BY id) = 1`],
];

let sourced: Sourced;
let admin: string;
let viewer: string;

const sqlOf = (rows: typeof VISIBLE) =>
  rows.map(({ id, team, salary, note }) => `(${id}, '${team}', ${salary}, '${note}')`).join(", ");

beforeAll(async () => {
  sourced = await startSourced();
  const { server, source, datasource_id } = sourced;
  admin = await server.token();
  viewer = sourced.viewer;
  for (const [table, rows] of [
    ["everyone", [...VISIBLE, ...HIDDEN]],
    ["limited", [...VISIBLE, ...HIDDEN]],
    ["visible", VISIBLE],
  ] as const)
    await source.query(
      `CREATE TABLE ${table} (id int, team text, salary int, note text); INSERT INTO ${table} VALUES ${sqlOf([...rows])}`,
    );
  await source.query("CREATE TABLE teams (team text); INSERT INTO teams VALUES ('a'), ('b')");
  await resultOf(server, admin, "infer_semantic_model", { name: "all of it", datasource_id, publish: true });
  const { datasets } = await resultOf<{ datasets: { id: number; name: string }[] }>(
    server,
    admin,
    "list_datasets",
    {},
  );
  const dataset_id = datasets.find(({ name }) => name === "limited")?.id;
  await resultOf(server, admin, "set_dataset_policies", { dataset_id, policies: POLICIES });
  for (const [way, view] of VIEWS) {
    const [raw, own] = way === "dataset" ? ["limited", {}] : ["everyone", { policies: POLICIES }];
    const query = (table: string) => view && { view_query: view(table) };
    await saveModel(server, admin, peopleModel(`${way} restricted`, { ...own, ...query(raw) }, raw));
    await saveModel(server, admin, peopleModel(`${way} twin`, { ...query("visible") }, "visible"));
  }
}, 120_000);
afterAll(() => sourced.stop());

async function ask(token: string, modelName: string, sql: string): Promise<string> {
  return textOf(await callTool(sourced.server, token, "execute_query", { modelName, sql, store: false }));
}

describe.each(VIEWS.map(([way]) => way))("a policy over rows that are in PostgreSQL (%s)", (way) => {
  const [restricted, twin] = [`${way} restricted`, `${way} twin`];

  it.each(CONDITIONS)("keeps hidden rows from being looked at: %s", async (condition) => {
    for (const place of PLACES) {
      const answer = await ask(viewer, restricted, place(condition));
      expect(answer).not.toMatch(/70123|hush/);
      // An error says the same, but for the words of the database, which might quote a hidden row.
      const expected = await ask(viewer, twin, place(condition));
      if (expected.startsWith("{")) expect(answer).toBe(expected);
      else expect(answer).not.toMatch(/^\{/);
    }
  });

  it("keeps statistics of hidden rows to itself", async () => {
    for (const sql of STATISTICS) {
      const answer = await ask(viewer, restricted, sql);
      expect(answer).toBe(await ask(viewer, twin, sql));
      expect(answer).toMatch(/^\{/);
      expect(answer).not.toMatch(/70123|hush/);
      expect(await ask(admin, restricted, sql)).toMatch(/^\{/);
    }
  });

  it("shows no plan to those from whom it hides rows", async () => {
    expect(await ask(viewer, restricted, "EXPLAIN SELECT * FROM people")).toMatch(/^EXPLAIN is not allowed/);
    expect(await ask(admin, restricted, "EXPLAIN SELECT * FROM people")).toMatch(/Seq Scan/);
  });
});
