import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Child } from "./data/child.ts";
import { serveFile } from "./data/imports.ts";
import { callTool, type Hello } from "./data/mcp.ts";
import { median, print } from "./data/report.ts";
import { makeParquet } from "./data/tables.ts";

/**
 * A dashboard of 20 widgets over 10 million rows, as an embed shows it: cold (another filter each time, so that nothing
 * is kept), warm, by 50 viewers at once, and as PDF; beside the bare queries of its widgets in DuckDB.
 */
const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const ROWS = values.quick ? 500_000 : 10_000_000;
const ROUNDS = values.quick ? 3 : 5;
const VIEWERS = 50;

interface Wish {
  chart_type: string;
  x_axis?: string;
  group_by?: string;
  y_axis: string[];
  grain?: "month";
  sql: string;
}

const by = (x: string, value: string, order: string) =>
  `SELECT ${x} AS x, ${value} AS v FROM rows WHERE id >= $ GROUP BY 1 ORDER BY ${order}`;
const month = "date_trunc('month', day)";
const WISHES: Wish[] = [
  { chart_type: "column", x_axis: "region", y_axis: ["amount"], sql: by("region", "sum(amount)", "2 DESC") },
  { chart_type: "pie", x_axis: "region", y_axis: ["id"], sql: by("region", "sum(id)", "2 DESC") },
  {
    chart_type: "line",
    x_axis: "day",
    y_axis: ["amount"],
    grain: "month",
    sql: by(month, "sum(amount)", "1"),
  },
  { chart_type: "bar", x_axis: "active", y_axis: ["amount"], sql: by("active", "sum(amount)", "2 DESC") },
  { chart_type: "singletext", y_axis: ["amount"], sql: "SELECT sum(amount) FROM rows WHERE id >= $" },
  { chart_type: "gauge", y_axis: ["score"], sql: "SELECT avg(score) FROM rows WHERE id >= $" },
  {
    chart_type: "column",
    x_axis: "customer",
    y_axis: ["amount"],
    sql: `${by("customer", "sum(amount)", "2 DESC")} LIMIT 3000`,
  },
  {
    chart_type: "area",
    x_axis: "day",
    group_by: "region",
    y_axis: ["amount"],
    grain: "month",
    sql: `SELECT ${month}, region, sum(amount) FROM rows WHERE id >= $ GROUP BY 1, 2 ORDER BY 1`,
  },
  {
    chart_type: "heatmap",
    x_axis: "active",
    group_by: "region",
    y_axis: ["amount"],
    sql: "SELECT active, region, sum(amount) FROM rows WHERE id >= $ GROUP BY 1, 2",
  },
  { chart_type: "datagrid2", y_axis: [], sql: "SELECT * FROM rows WHERE id >= $ LIMIT 200" },
];

const folder = mkdtempSync(join(tmpdir(), "kenning-bench-bi-"));
const duckdb = await Child.start("duckdb", [String(Math.min(availableParallelism(), 8))]);
const kenning = await Child.start<Hello>("kenning");
try {
  const parquet = await makeParquet(duckdb, folder, ROWS);
  const files = await serveFile(parquet);
  const { dataset_id } = await callTool<{ dataset_id: number }>(kenning, "import_file", {
    dataset_name: "Rows",
    file_url: files.url,
  });
  files.close();
  await duckdb.ask(`CREATE OR REPLACE VIEW rows AS SELECT * FROM read_parquet('${newestPart()}')`);
  const widgets = [...WISHES, ...WISHES].map(({ sql: _, grain, ...wish }, i) => ({
    name: `${wish.chart_type} ${i}`,
    dataset_id,
    ...wish,
    // The second ten ask something else, or one answer would do for two.
    options: {
      ...(grain !== undefined && { grain }),
      ...(i >= WISHES.length && { filters: [{ field: "score", operator: ">=", value: i - 20 }] }),
    },
  }));
  const filters = [{ field: "id", operator: ">=" }];
  const { dashboard_id } = await callTool<{ dashboard_id: number }>(kenning, "create_dashboard", {
    name: "Bench",
    widgets,
    filters,
  });
  const { url } = await callTool<{ url: string }>(kenning, "get_embed_url", { dashboard_id });
  await view(url, -1);
  const [bare, cold, warm]: [number[], number[], number[]] = [[], [], []];
  // On a busy machine these compare where the times do not.
  const [bareCpu, coldCpu]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await duckdb.watch(() => bareQueries(round));
    const ours = await kenning.watch(() => view(url, round));
    bare.push(alone.ms);
    cold.push(ours.ms);
    bareCpu.push(alone.cpuMs);
    coldCpu.push(ours.cpuMs);
    warm.push(await timed(() => view(url, round)));
  }
  const each: number[] = [];
  const all = await timed(() =>
    Promise.all(
      Array.from({ length: VIEWERS }, async () => void each.push(await timed(() => view(url, ROUNDS - 1)))),
    ),
  );
  const shown = { dashboard_id, filters: { id: String(ROUNDS - 1) } };
  const shownPdf = await timed(() => callTool(kenning, "export_dashboard", shown));
  const pdf = await timed(() => callTool(kenning, "export_dashboard", { dashboard_id }));
  const otherPdf = await timed(() =>
    callTool(kenning, "export_dashboard", { dashboard_id, filters: { id: "7" } }),
  );
  const warmPdf = await timed(() => callTool(kenning, "export_dashboard", { dashboard_id }));
  const ratio = (ours: readonly number[], theirs = bare) =>
    median(ours.map((ms, i) => ms / (theirs[i] ?? Number.NaN))).toFixed(2);
  const slowest = each.toSorted((a, b) => a - b)[Math.floor(VIEWERS * 0.95)] ?? 0;
  print(`A dashboard of 20 widgets over ${ROWS.toLocaleString("en")} rows`, [
    ["", "ms", "ratio"],
    ["bare queries, one after the other", median(bare).toFixed(0), "1"],
    ["page, cold", median(cold).toFixed(0), ratio(cold)],
    ["bare queries, CPU", median(bareCpu).toFixed(0), "1"],
    ["page, cold, CPU of all processes", median(coldCpu).toFixed(0), ratio(coldCpu, bareCpu)],
    ["page, warm", median(warm).toFixed(0), ratio(warm)],
    [`${VIEWERS} viewers at once, all`, all.toFixed(0), ""],
    [`${VIEWERS} viewers at once, 95 of 100`, slowest.toFixed(0), ""],
    ["PDF of the page that was just shown", shownPdf.toFixed(0), ""],
    ["PDF, cold, queries included", pdf.toFixed(0), (pdf / median(bare)).toFixed(2)],
    ["PDF, cold, with another filter", otherPdf.toFixed(0), (otherPdf / median(bare)).toFixed(2)],
    ["PDF, again", warmPdf.toFixed(0), ""],
  ]);
} finally {
  await Promise.all([duckdb.stop(), kenning.stop()]);
  rmSync(folder, { recursive: true, force: true });
}

async function bareQueries(least: number): Promise<void> {
  for (const more of ["", " AND score >= -10"])
    for (const { sql } of WISHES) await duckdb.ask(sql.replace("$", `${least}${more}`));
}

async function view(url: string, least: number): Promise<void> {
  const { origin, pathname, hash } = new URL(url);
  const base = new URL(kenning.hello.url);
  const target = origin.includes(":0") ? base.origin : origin;
  const headers = { "x-embed-secret": hash.slice(1), "content-type": "application/x-www-form-urlencoded" };
  const response = await fetch(`${target}${pathname}/view`, {
    method: "POST",
    headers,
    body: `width=1200&f.id=${least}`,
  });
  const text = await response.text();
  if (!response.ok || text.includes('class="text problem"')) throw new Error(text.slice(0, 2_000));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function newestPart(): string {
  const parts = join(kenning.hello.home, "blobs", "parts");
  const paths = readdirSync(parts).map((name) => join(parts, name));
  return paths.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0] as string;
}
