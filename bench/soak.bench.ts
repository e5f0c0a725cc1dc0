import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { median, p95, Table } from "./guard/measure.ts";

/** Mixed reading and writing over hours or minutes: does anything fail, slow down or grow? */
const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, clients: { type: "string", default: "16" } },
});
const WHOLE_MS = Number(values.minutes) * 60_000;
const SPANS = 5;
const ROWS = 20_000;
const MODEL = {
  version: "0.1.1",
  semantic_model: [
    {
      name: "shop",
      datasets: [
        {
          name: "orders",
          source: "orders",
          primary_key: ["id"],
          fields: ["id", "region", "amount"].map((name) => ({ name, expression: name })),
        },
      ],
      metrics: [{ name: "revenue", expression: "SUM(orders.amount)" }],
    },
  ],
};

const server = fork(new URL("neighbours/server.ts", import.meta.url), {
  stdio: ["ignore", "ignore", "inherit", "ipc"],
});
const [{ url, tokens }] = (await once(server, "message")) as [{ url: string; tokens: string[] }];
type Args = Record<string, unknown>;
const PATHS = {
  all: "/mcp",
  bi: "/api/2.0/mcp",
  agent: "/api/data-agent/mcp",
  memory: "/api/mcp/v1",
  models: "/mcp/ours/mcp",
  knowledge: "/mcp/knowledge-external/sse",
};
type Endpoint = keyof typeof PATHS;
const connect = async (token: string, endpoint: Endpoint) => {
  const client = new Client({ name: "soak", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  const headers = { authorization: `Bearer ${token}` };
  const address = new URL(PATHS[endpoint], url);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  return async (name: string, args: Args): Promise<Args> => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content).slice(0, 300)}`);
    return (result.structuredContent ?? {}) as Args;
  };
};

const setUp = await connect(tokens[0] ?? "", "all");
const csv = ["id,region,amount"].concat(
  Array.from({ length: ROWS }, (_, id) => `${id},${["North", "South", "West"][id % 3]},${id % 100}`),
);
const orders = await setUp("import_file", {
  dataset_name: "orders",
  content: csv.join("\n"),
  file_type: "csv",
});
const model = await setUp("save_semantic_model", { content: JSON.stringify(MODEL), publish: true });
const base = await setUp("create_knowledge_base", { name: "Handbook" });
const handbook = await setUp("add_document", {
  knowledge_base_id: base.knowledge_base_id,
  file_name: "returns.md",
  content: "# Returns\n\nGoods can be returned within thirty days of delivery.",
});
const board = await setUp("create_dashboard", {
  name: "Orders",
  widgets: [{ name: "By region", dataset_id: orders.dataset_id, x_axis: "region", y_axis: ["amount"] }],
});
const [{ widget_id: widgetId }] = board.widgets as [{ widget_id: number }];

let number = 0;
const sql = () => `SELECT region, sum(amount) FROM orders WHERE id > ${number % ROWS} GROUP BY 1`;
const question = () =>
  ["revenue by region", "total revenue in the north", "how many orders are there"][number % 3];
const returns = { query: "return of goods", knowledge_base_ids: [base.knowledge_base_id] };

/** The kinds of calls by where they are made, each as often as it stands here. */
const CALLS: readonly [endpoint: Endpoint, name: string, args: (memory: unknown) => Args][] = [
  ["all", "whoami", () => ({})],
  ["all", "list_datasets", () => ({})],
  ["all", "execute_query", () => ({ modelName: "shop", sql: sql() })],
  ["models", "execute_query", () => ({ modelName: "shop", sql: sql() })],
  ["models", "get_semantic_model", () => ({ modelName: "shop" })],
  ["all", "ask_question", () => ({ question: question() })],
  [
    "agent",
    "ask_question",
    () => ({ ontologyId: (model.models as [{ id: string }])[0].id, question: question() }),
  ],
  ["bi", "knowi_get_data", () => ({ widgetId })],
  ["bi", "knowi_search", () => ({ query: "orders" })],
  ["bi", "knowi_export_pdf", () => ({ widgetId })],
  [
    "all",
    "push_data",
    () => ({ dataset_name: `events ${number % 4}`, rows: [{ at: "2026-01-05", number }] }),
  ],
  ["all", "store_memory", () => ({ content: `Customer ${number} asked for an invoice on paper.` })],
  ["memory", "knowmind.store_memory", () => ({ content: `Customer ${number} asked for a longer pause.` })],
  ["memory", "knowmind.recall", () => ({ query: `who opens at six, customer ${number % 50}?` })],
  [
    "all",
    "update_fact",
    (memory) => ({ target_id: memory, new_title: "Leipzig", new_content: `It opens at ${number % 12}.` }),
  ],
  ["knowledge", "wegent_kb_search_content", () => returns],
  ["knowledge", "wegent_kb_get_document_content", () => ({ document_id: handbook.document_id })],
  ["all", "ask_documents", () => ({ question: "How long can goods be returned?" })],
];

const errors = new Map<string, number>();
const times: { name: string; at: number; ms: number }[] = [];
const started = performance.now();
const isOver = () => performance.now() - started > WHOLE_MS;
const memoryTable = new Table("Memory of the server and its processes, MB", [
  "minute",
  "server",
  "all",
  "processes",
  "calls",
]);
const clients = Array.from({ length: Number(values.clients) }, async (_, n) => {
  const token = tokens[n % 2] ?? "";
  const endpoints = Object.keys(PATHS) as Endpoint[];
  const calls = new Map(
    await Promise.all(endpoints.map(async (one) => [one, await connect(token, one)] as const)),
  );
  const content = `The warehouse of ${n} opens at six.`;
  const stored = (await calls.get("all")?.("store_memory", { content })) ?? {};
  let memory = stored.memory_id;
  for (let turn = n; !isOver(); turn += 1) {
    number += 1;
    const [endpoint, tool, args] = CALLS[turn % CALLS.length] as (typeof CALLS)[number];
    const name = `${endpoint} ${tool}`;
    const at = performance.now();
    try {
      memory = (await calls.get(endpoint)?.(tool, args(memory)))?.new_memory_id ?? memory;
    } catch (error) {
      const key = `${name}: ${(error as Error).message.replaceAll(/\d+/g, "#").slice(0, 160)}`;
      errors.set(key, (errors.get(key) ?? 0) + 1);
    }
    times.push({ name, at: at - started, ms: performance.now() - at });
  }
});
void (async () => {
  while (!isOver()) {
    const sizes = family(server.pid as number).map(residentMb);
    const all = sizes.reduce((sum, size) => sum + size, 0);
    memoryTable.add([
      ((performance.now() - started) / 60_000).toFixed(1),
      sizes[0] ?? 0,
      all,
      String(sizes.length),
      String(times.length),
    ]);
    await delay(WHOLE_MS / 10);
  }
})();
await Promise.all(clients);

const spanMs = WHOLE_MS / SPANS;
const within = (span: number, name?: string) =>
  times
    .filter(({ at, name: of }) => Math.floor(at / spanMs) === span && (name ?? of) === of)
    .map(({ ms }) => ms);
const table = new Table("Calls in the first and the last fifth, ms", [
  "call",
  "times",
  "first: p50",
  "p95",
  "longest",
  "last: p50",
  "p95",
  "longest",
]);
for (const name of [undefined, ...new Set(CALLS.map(([endpoint, tool]) => `${endpoint} ${tool}`))]) {
  const count = times.filter(({ name: of }) => (name ?? of) === of).length;
  const cells = [within(0, name), within(SPANS - 1, name)].flatMap((all) => [
    median(all),
    p95(all),
    Math.max(...all),
  ]);
  table.add([name ?? "all", String(count), ...cells]);
}
console.log(
  `\n${[...errors.values()].reduce((sum, count) => sum + count, 0)} errors of ${times.length} calls`,
);
for (const [message, count] of errors) console.log(`- ${count} × ${message}`);
server.send("end");
await once(server, "exit");
process.exit(0);

/** A process and all that it started. */
function family(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const parent = /^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`))?.[1];
      return parent === undefined ? [] : [[Number(name), Number(parent)] as const];
    });
  const children = (of: number): number[] =>
    parents.filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...children(child)]);
  return [pid, ...children(pid)];
}

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
