import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestTable } from "../../../../test/support/c9ql-table.ts";
import { quoteText } from "../../../kernel/sql-text.ts";

/** Pairs of a query and the SQL that one would write by hand over `events`. */
const PAIRS: readonly [c9ql: string, sql: string][] = [
  [
    "select sum(amount) as total, region where at >= 2024-06-01 and region = West group by region order by total desc limit 3",
    `SELECT sum(amount) AS total, region FROM events WHERE "at" >= TIMESTAMP '2024-06-01' AND region = 'West'
     GROUP BY region ORDER BY total DESC NULLS LAST LIMIT 3`,
  ],
  [
    "select region, amount where id between 1000 and '2000' and region in (West, East)",
    "SELECT region, amount FROM events WHERE id BETWEEN 1000 AND 2000 AND region IN ('West', 'East')",
  ],
  [
    "select month(day) as m, avg(amount) as a, count(*) as n group by m",
    "SELECT month(day) AS m, avg(amount) AS a, count(*) AS n FROM events GROUP BY month(day)",
  ],
  [
    "select *; select id, region where amount > 10; select count(*) as n, region where id < 500 group by region; select * where n > 2",
    `SELECT n, region FROM (SELECT count(*) AS n, region FROM (SELECT id, region FROM events WHERE amount > 10) t
     WHERE id < 500 GROUP BY region) u WHERE n > 2`,
  ],
  [
    "where day = $c9_today and seen > $c9_yesterday",
    "SELECT * FROM events WHERE day = DATE '2024-03-06' AND seen > TIMESTAMPTZ '2024-03-05 00:00:00+00'",
  ],
  [
    "select amount, sum(amount) over (partition by region) as total",
    "SELECT amount, sum(amount) OVER (PARTITION BY region) AS total FROM events",
  ],
  ["order by id desc limit 10", "SELECT * FROM events ORDER BY id DESC NULLS LAST LIMIT 10"],
  ["order by id desc; limit 5", "SELECT * FROM (SELECT * FROM events ORDER BY id DESC NULLS LAST) t LIMIT 5"],
];

describe("the plan of a query", () => {
  let folder: string;
  let table: TestTable;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "c9ql-"));
    const file = quoteText(join(folder, "events.parquet"));
    const set = `COPY (SELECT i AS id, ['West', 'East', 'North'][1 + i % 3] AS region, (i % 1000)::DOUBLE AS amount,
        TIMESTAMP '2024-01-01' + to_minutes(i) AS at, DATE '2024-01-01' + (i // 1440)::INTEGER AS day,
        TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_minutes(i) AS seen
      FROM range(300000) r(i)) TO ${file} (ROW_GROUP_SIZE 20000);
      CREATE VIEW events AS SELECT * FROM ${file};`;
    table = await TestTable.open(set, "events");
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const plan = async (sql: string) => {
    const { rows } = await table.sql(`EXPLAIN (FORMAT json) ${sql}`);
    return outline(JSON.parse(String(rows[0]?.[1])));
  };

  it.each(PAIRS)("is that of SQL written by hand: %s", async (c9ql, sql) => {
    const compiled = table.compile(c9ql, { source: "events" });
    expect(await plan(compiled.sql)).toEqual(await plan(sql));
    const order = (rows: unknown[][]) => rows.map((row) => JSON.stringify(row)).sort();
    const [ours, theirs] = [await table.sql(compiled.sql), await table.sql(sql)];
    expect(order(ours.rows)).toEqual(order(theirs.rows));
    expect(ours.names).toEqual(theirs.names);
  });

  it("keeps filters in the scan of the file when values are bound", async () => {
    const parameters = { region: "West", from: "2024-06-01" };
    const text = "select count(*) where region = $c9_region$ and at >= $c9_from$";
    const { sql, params } = table.compile(text, { source: "events", parameters });
    const { rows } = await table.sql(`EXPLAIN (FORMAT json) ${sql}`, params);
    const scan = JSON.stringify(outline(JSON.parse(String(rows[0]?.[1]))));
    expect(scan).toContain("region='West'");
    expect(scan).toContain("at>='2024-06-01 00:00:00'::TIMESTAMP");
    expect(scan).not.toContain('"FILTER"');
  });
});

interface PlanNode {
  name: string;
  children: PlanNode[];
  extra_info: Record<string, unknown>;
}

/** Operators, filters and keys of a plan: what decides how fast it is. */
function outline(nodes: readonly PlanNode[]): unknown {
  return nodes.map(({ name, children, extra_info }) => {
    const { Filters, Groups, Aggregates, Top, "Order By": order, "Row Group Filters": pruned } = extra_info;
    // What is ordered by has a name that depends on how the SQL is written.
    const keys = JSON.stringify(order)?.match(/ASC|DESC/g);
    return { name: name.trim(), Filters, Groups, Aggregates, Top, keys, pruned, below: outline(children) };
  });
}
