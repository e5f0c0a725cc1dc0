import { fork } from "node:child_process";
import { once } from "node:events";
import { DuckDBInstance } from "@duckdb/node-api";
import pg from "pg";
import { loadConfig } from "../../src/app/config.ts";
import { type Opened, open } from "../../src/app/open.ts";
import { examine, publishAll } from "../../src/domains/models/index.ts";
import { LIMITS } from "../../src/domains/models/limits.ts";
import type { Caller } from "../../src/registry/caller.ts";
import type { Target } from "./clients.ts";
import type { Files } from "./datasets.ts";
import { stopProcess } from "./peers.ts";

const NAME = "shop";
const FIELDS = {
  orders: ["id", "customer_id", "day", "region", "status", "amount"],
  customers: ["id", "name", "city"],
};
const fields = (names: readonly string[]) => names.map((name) => ({ name, expression: name }));
const MODEL = {
  version: "0.1.1",
  semantic_model: [
    {
      name: NAME,
      datasets: Object.entries(FIELDS).map(([name, names]) => ({
        name,
        source: name,
        primary_key: ["id"],
        fields: fields(names),
      })),
      relationships: [
        { name: "buyer", from: "orders", to: "customers", from_columns: ["customer_id"], to_columns: ["id"] },
      ],
      metrics: [{ name: "revenue", expression: "SUM(orders.amount)" }],
    },
  ],
};

/** The same instance twice: its parts in this process, to time them one by one, and the whole as a server. */
export async function startKenning(home: string, files: Files) {
  const config = loadConfig({ env: { PORT: "0", KENNING_HOME: home, LOG_LEVEL: "warn" }, cwd: home });
  const inside = await open(config);
  const { analytics } = inside.engines;
  const { identity, data, models } = inside.services;
  const workspace = await identity.workspaces.create({ slug: "bench" });
  const person = { email: "bench@example.com", workspace: "bench" };
  await identity.users.create({ ...person, role: "admin", password: "bench bench bench" });
  const { token } = await identity.tokens.create({ ...person, kind: "api" });
  const users = await identity.users.list({ workspace: "bench" });
  const caller = await identity.callerFor({ workspaceId: workspace.id, userId: users[0]?.userId ?? 0 });
  const parts = new Map<string, string>();
  for (const name of ["orders", "customers"] as const) {
    const key = data.data.newPartKey();
    const { part } = await analytics.convert({ source: { path: files[name] }, format: "parquet", key });
    await data.data.commit(caller, name, "replace", part, { kind: "import" });
    parts.set(name, part.path);
  }
  const signal = new AbortController().signal;
  const file = { name: "shop.yaml", text: JSON.stringify(MODEL) };
  await publishAll(models.models, caller, await examine(models.models, caller, [file], signal));
  const server = await startServer(home, token);
  return {
    ...server,
    caller,
    analytics,
    models,
    /** `execute_query` without MCP around it. */
    query: (sql: string) => runQuery(models, caller, sql, false),
    queryAndStore: (sql: string) => runQuery(models, caller, sql, true),
    /** The engine's process alone, on views like those that the model makes. */
    engine: await engineOnly(inside, caller),
    /** DuckDB in this process on the very same files. */
    bare: await openBare(parts),
    async close() {
      await server.stop();
      await inside.close();
    },
  };
}

export type Kenning = Awaited<ReturnType<typeof startKenning>>;

async function runQuery(
  { models, storedQueries }: Opened["services"]["models"],
  caller: Caller,
  sql: string,
  store: boolean,
) {
  const model = await models.requirePublished(caller, { name: NAME });
  const answer = await models.query(caller, model, { sql, params: [], signal: new AbortController().signal });
  if (store) await storedQueries.keep(caller, { modelId: model.record.id, text: sql, params: [] });
  return answer;
}

async function engineOnly({ services, engines: { analytics } }: Opened, caller: Caller) {
  const { data, datasets } = services.data;
  const all = await datasets.findByNames(caller.workspace.id, Object.keys(FIELDS));
  const tableViews = await Promise.all(all.map((dataset) => data.tableView(caller, dataset)));
  const { queryThreads: threads, queryMemoryMb: memoryMb, querySpillMb: spillMb } = LIMITS.models;
  const engine = { threads, memoryMb, spillMb };
  const using = (sql: string) => tableViews.filter(({ name }) => sql.includes(name));
  return (sql: string) => analytics.query({ scope: "engine", tableViews: using(sql), sql, engine });
}

async function openBare(parts: ReadonlyMap<string, string>) {
  const instance = await DuckDBInstance.create(":memory:", { threads: String(LIMITS.models.queryThreads) });
  const connection = await instance.connect();
  for (const [name, path] of parts) {
    await connection.run(`CREATE VIEW ${name} AS SELECT * FROM read_parquet('${path}')`);
  }
  return {
    instance,
    connection,
    query: async (sql: string) => JSON.stringify((await connection.runAndReadAll(sql)).getRowObjectsJson()),
  };
}

async function startServer(home: string, token: string) {
  const env = { ...process.env, KENNING_HOME: home };
  const child = fork(new URL("./kenning-server.ts", import.meta.url), { stdio: "inherit", env });
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  const target = (name: string, store: boolean): Target => ({
    name,
    url: `${url}/mcp/bench/mcp`,
    headers: { authorization: `Bearer ${token}` },
    tool: "execute_query",
    args: (sql) => ({ modelName: NAME, sql, ...(!store && { store }) }),
  });
  return {
    target: target("Kenning", true),
    unstored: target("Kenning, store: false", false),
    /** Statements that the server has sent to its database so far. */
    async roundTrips(): Promise<number> {
      const answer = once(child, "message");
      child.send("count");
      const [{ roundTrips }] = (await answer) as [{ roundTrips: number }];
      return roundTrips;
    },
    async stop() {
      const ended = once(child, "exit");
      child.send("stop");
      const timer = setTimeout(() => void stopProcess(child), 15_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** How many statements `work` sends to the database from this process. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  let count = 0;
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]) {
      count += 1;
      return query.apply(this, args);
    },
  });
  try {
    await work();
  } finally {
    Object.assign(pg.Client.prototype, { query });
  }
  return count;
}
