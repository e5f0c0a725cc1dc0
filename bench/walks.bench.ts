import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { compose } from "../src/app/compose.ts";
import { loadConfig } from "../src/app/config.ts";

/**
 * How many of our files one call runs through, in the server's process: the tools that an engineer is likely to read
 * first. A file counts when a function of it ran during a second, warm call. With --list, which ones.
 */

const SRC = new URL("../src/", import.meta.url).href;
const home = mkdtempSync(join(tmpdir(), "kenning-walks-"));
const env = {
  KENNING_HOME: home,
  PORT: "0",
  RATE_LIMIT_ENABLED: "false",
  EXTERNAL_KNOWLEDGE_MCP_ENABLED: "true",
};
const app = await compose(loadConfig({ env, cwd: home }), { log: pino({ level: "silent" }) });
const { url } = await app.listen();
const { identity } = app;
await identity.workspaces.create({ slug: "walks", name: "Walks" });
const person = { email: "walker@example.com", workspace: "walks" };
await identity.users.create({ ...person, role: "admin", password: "correct horse battery" });
const { token } = await identity.tokens.create({ ...person, kind: "api" });

async function call<T>(name: string, args: object): Promise<T> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const { result } = (await response.json()) as { result?: { isError?: boolean; structuredContent: T } };
  if (result === undefined || result.isError) throw new Error(`${name}: ${JSON.stringify(result)}`);
  return result.structuredContent;
}

const content = "id,region,amount\n1,West,10\n2,East,20\n3,West,5\n";
await call("import_file", { dataset_name: "sales", content });
await call("infer_semantic_model", { name: "sales" });
await call("publish_semantic_model", { modelName: "sales" });
await call("store_memory", { content: "Maren decides on prices.", title: "Prices" });
const { dashboard_id } = await call<{ dashboard_id: number }>("create_dashboard", { name: "Sales" });
const { datasets } = await call<{ datasets: { id: number }[] }>("list_datasets", {});
await call("create_widget", {
  name: "By region",
  dataset_id: datasets[0]?.id,
  dashboard_id,
  chart_type: "bar",
  x_axis: "region",
  y_axis: ["amount"],
});

const WALKS: Record<string, [string, (round: number) => object]> = {
  execute_query: [
    "execute_query",
    (n) => ({ modelName: "sales", sql: `SELECT region, sum(amount) + ${n} AS s FROM sales GROUP BY region` }),
  ],
  import_file: ["import_file", () => ({ dataset_name: "sales", content })],
  recall: ["recall", (n) => ({ query: `who decides on prices ${n}` })],
  export_pdf: ["export_dashboard", () => ({ dashboard_id, format: "pdf" })],
};

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
const isListed = process.argv.includes("--list");
for (const [walk, [tool, argsOf]] of Object.entries(WALKS)) {
  await call(tool, argsOf(1));
  await session.post("Profiler.takePreciseCoverage");
  await call(tool, argsOf(2));
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const files = result
    .filter(
      ({ url: file, functions }) =>
        file.startsWith(SRC) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    )
    .map(({ url: file }) => file.slice(SRC.length))
    .toSorted();
  console.log(`${walk.padEnd(15)} ${String(files.length).padStart(4)} files`);
  if (isListed) for (const file of files) console.log(`  ${file}`);
}
session.disconnect();
await app.close();
rmSync(home, { recursive: true, force: true });
process.exit(0);
