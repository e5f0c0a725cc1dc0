import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { compile, parse } from "../../src/domains/data/c9ql/index.ts";
import type { Child } from "./child.ts";
import { serveFile } from "./imports.ts";
import { callTool, type Hello } from "./mcp.ts";
import { inTurns, median, print } from "./report.ts";

/** Questions in C9QL, and the SQL that one would write by hand over `rows`. */
const QUESTIONS: readonly { what: string; c9ql: string; sql: string }[] = [
  {
    what: "4 groups",
    c9ql: "select sum(amount) as total, count(*) as n, region group by region order by total desc",
    sql: "SELECT sum(amount) AS total, count(*) AS n, region FROM rows GROUP BY region ORDER BY total DESC NULLS LAST",
  },
  {
    what: "8,000 groups, first 100",
    c9ql: "select sum(amount) as total, avg(score) as mean, region, day group by region, day order by total desc limit 100",
    sql: `SELECT sum(amount) AS total, avg(score) AS mean, region, day FROM rows GROUP BY region, day
          ORDER BY total DESC NULLS LAST LIMIT 100`,
  },
  {
    what: "filter, then 12 groups",
    c9ql: "select month(day) as m, avg(score) as mean, count(*) as n where region = West and active = true group by m order by m",
    sql: `SELECT month(day) AS m, avg(score) AS mean, count(*) AS n FROM rows WHERE region = 'West' AND active = true
          GROUP BY month(day) ORDER BY m NULLS LAST`,
  },
  {
    what: "largest 100 rows",
    c9ql: "select id, amount, region where seen >= 2023-01-01 order by amount desc limit 100",
    sql: `SELECT id, amount, region FROM rows WHERE seen >= TIMESTAMP '2023-01-01' ORDER BY amount DESC NULLS LAST
          LIMIT 100`,
  },
];

interface Dataset {
  dataset_id: number;
  columns: { name: string; type: string }[];
}

interface Answer {
  rows: unknown[];
  ms: number;
}

/** Questions over many rows: as MCP calls, and as bare DuckDB on the same file; and C9QL beside SQL, both bare. */
export async function benchQueries(
  { parquet, rounds }: { parquet: string; rounds: number },
  duckdb: Child,
  kenning: Child<Hello>,
): Promise<void> {
  const files = await serveFile(parquet);
  const request = { dataset_name: "Rows", file_url: files.url };
  const dataset = await callTool<Dataset>(kenning, "import_file", request);
  files.close();
  await duckdb.ask(`CREATE OR REPLACE VIEW rows AS SELECT * FROM read_parquet('${newestPart(kenning)}')`);
  const calls: string[][] = [["", "bare: ms", "get_data: ms", "ratio", "best ratio"]];
  const plans: string[][] = [["", "plan", "SQL: ms", "C9QL: ms", "ratio"]];
  for (const { what, c9ql, sql } of QUESTIONS) {
    const { columns, dataset_id } = dataset;
    const now = new Date();
    const compiled = compile(parse(c9ql, { columns }), { columns, source: "rows", now, timezone: "UTC" });
    const [bare, ours] = (await inTurns(rounds, [
      () => timed(() => duckdb.ask<Answer>(sql)),
      () => timed(() => callTool(kenning, "get_data", { dataset_id, c9ql })),
    ])) as [number[], number[]];
    const best = Math.min(...ours) / Math.min(...bare);
    calls.push([what, median(bare).toFixed(0), median(ours).toFixed(0), ratio(bare, ours), best.toFixed(2)]);
    const [byHand, byC9ql] = (await inTurns(rounds, [
      async () => (await duckdb.ask<Answer>(sql)).ms,
      async () => (await duckdb.ask<Answer>(compiled.sql)).ms,
    ])) as [number[], number[]];
    const isSame = (await outlineOf(duckdb, sql)) === (await outlineOf(duckdb, compiled.sql));
    const times = [byHand, byC9ql].map((each) => median(each).toFixed(0));
    plans.push([what, isSame ? "the same" : "another", ...times, ratio(byHand, byC9ql)]);
  }
  print("Questions over MCP, beside bare DuckDB on the same file", calls);
  print("C9QL beside SQL written by hand, both in bare DuckDB", plans);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Of each round's two, which ran side by side. */
function ratio(theirs: readonly number[], ours: readonly number[]): string {
  return median(ours.map((ms, round) => ms / (theirs[round] ?? Number.NaN))).toFixed(2);
}

function newestPart({ hello: { home } }: Child<Hello>): string {
  const folder = join(home, "blobs", "parts");
  const paths = readdirSync(folder).map((name) => join(folder, name));
  return paths.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0] as string;
}

interface PlanNode {
  name: string;
  children: PlanNode[];
  extra_info: Record<string, unknown>;
}

/** Operators, filters and keys of a plan: what decides how fast it is. */
async function outlineOf(duckdb: Child, sql: string): Promise<string> {
  const { rows } = await duckdb.ask<{ rows: string[][] }>(`EXPLAIN (FORMAT json) ${sql}`);
  const outline = (nodes: readonly PlanNode[]): unknown =>
    nodes.map(({ name, children, extra_info }) => {
      const { Filters, Groups, Aggregates, Top } = extra_info;
      // What is ordered by has a name that depends on how the SQL is written.
      const order = JSON.stringify(extra_info["Order By"])?.match(/ASC|DESC/g);
      return [name.trim(), Filters, Groups, Aggregates, Top, order, outline(children)];
    });
  return JSON.stringify(outline(JSON.parse(rows[0]?.[1] ?? "[]") as PlanNode[]));
}
