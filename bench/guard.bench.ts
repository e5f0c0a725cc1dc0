import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Client } from "@modelcontextprotocol/client";
import { ask, connect, type Target } from "./guard/clients.ts";
import { makeFiles, makeSqlite, type Postgres, startPostgres } from "./guard/datasets.ts";
import { guardCost } from "./guard/guard-cost.ts";
import { countStatements, type Kenning, startKenning } from "./guard/kenning.ts";
import { median, Table, type Task, takeTurns, throughput } from "./guard/measure.ts";
import { installPeers, type Peer, startPeers, stopProcess } from "./guard/peers.ts";
import { type Question, questions } from "./guard/statements.ts";

/**
 * What the SQL guard and everything else around the engine cost: execute_query beside bare DuckDB on the same files,
 * and beside other MCP servers for SQL on the same rows. All take turns within one run.
 */

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rows: { type: "string" },
    /** A folder in which the peers are installed already, or will be; without it a temporary one. */
    peers: { type: "string" },
    "no-peers": { type: "boolean", default: false },
  },
});
const isQuick = values.quick;
const ROWS = Number(values.rows ?? (isQuick ? 200_000 : 5_000_000));
const CLIENTS = 8;
const asked = questions(ROWS);

const folder = mkdtempSync(join(tmpdir(), "kenning-guard-"));
// The database server runs as somebody else.
chmodSync(folder, 0o755);
const cleanups: (() => Promise<unknown>)[] = [];

function log(text: string): void {
  console.log(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${text}`);
}

async function startAllPeers(files: Awaited<ReturnType<typeof makeFiles>>): Promise<Peer[]> {
  const place = values.peers ?? join(folder, "peers");
  log("installing the peers");
  installPeers(place);
  log("filling SQLite and PostgreSQL");
  const sqlite = join(folder, "shop.sqlite");
  await makeSqlite(sqlite, files);
  const postgres: Postgres = await startPostgres(join(folder, "postgres"), files);
  cleanups.push(() => postgres.close());
  const peers = await startPeers(place, { sqlite, postgres });
  for (const { process: child } of peers) cleanups.push(() => stopProcess(child));
  return peers;
}

/** Several clients of each server that can be reached; the others are named. */
async function connectAll(targets: readonly Target[]): Promise<{ target: Target; clients: Client[] }[]> {
  const reached: { target: Target; clients: Client[] }[] = [];
  for (const target of targets) {
    try {
      const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connect(target)));
      const text = await ask(clients[0] as Client, target, asked.aggregate.sql(1));
      log(
        `${target.name}: ${clients[0]?.getNegotiatedProtocolVersion()}, ${text.length} characters of answer`,
      );
      reached.push({ target, clients });
      cleanups.push(() => Promise.all(clients.map((client) => client.close())));
    } catch (error) {
      log(`${target.name} is left out: ${String(error)} ${String((error as Error).cause ?? "")}`);
    }
  }
  return reached;
}

/** Everybody has to give the same answer: a number of the bare engine's must be in each of them. */
async function checkAnswers(
  kenning: Kenning,
  reached: Awaited<ReturnType<typeof connectAll>>,
): Promise<void> {
  const rows = JSON.parse(await kenning.bare.query(asked.aggregate.sql(1))) as { orders: string }[];
  const wanted = rows.map(({ orders }) => orders);
  for (const { target, clients } of reached) {
    const text = await ask(clients[0] as Client, target, asked.aggregate.sql(1));
    const missing = wanted.filter((number) => !text.includes(number));
    if (missing.length > 0) throw new Error(`${target.name} answers otherwise: ${text.slice(0, 500)}`);
  }
}

async function compare(
  question: Question,
  inside: readonly Task[],
  reached: Awaited<ReturnType<typeof connectAll>>,
  table: Table,
): Promise<void> {
  const isSmall = question !== asked.aggregate;
  const bySql = (run: (sql: string) => Promise<unknown>) => (n: number) => run(question.sql(n));
  const outside = reached.map(({ target, clients }) => ({
    name: target.name,
    runs: clients.map((client) => bySql((sql) => ask(client, target, sql))),
  }));
  const tasks = [...inside, ...outside.map(({ name, runs }) => ({ name, run: runs[0] as Task["run"] }))];
  const rounds = isSmall ? (isQuick ? 15 : 150) : isQuick ? 3 : 7;
  const times = await takeTurns(tasks, { rounds, warmup: isSmall && !isQuick ? 10 : 1 });
  const rates = isSmall
    ? await throughput(outside, { rounds: isQuick ? 1 : 3, ms: isQuick ? 300 : 2_000 })
    : await throughput(
        outside.map(({ name, runs }) => ({ name, runs: runs.slice(0, 2) })),
        { rounds: 1, ms: isQuick ? 300 : 3_000 },
      );
  const of = (name: string) => median(times.get(name) ?? []);
  for (const { name } of tasks) {
    const rate = rates.get(name) ?? Number.NaN;
    table.add([question.name, name, of(name), rate, of(name) / of("bare DuckDB"), of(name) / of("Kenning")]);
  }
}

async function roundTrips(kenning: Kenning, client: Client): Promise<Table> {
  const table = new Table("Statements to the catalog for one call", ["call", "lookup by key", "small join"]);
  const calls = 30;
  const row = async (name: string, count: (question: Question) => Promise<number>) =>
    table.add([name, await count(asked.lookup), await count(asked.join)]);
  const inside = { "models.query": kenning.query, "models.query and stored": kenning.queryAndStore };
  for (const [name, run] of Object.entries(inside)) {
    await row(name, async (question) => {
      const seen: number[] = [];
      for (let n = 0; n < calls; n += 1) {
        seen.push(await countStatements(() => run(question.sql(n + 1_000_000))));
      }
      return median(seen);
    });
  }
  for (const target of [kenning.unstored, kenning.target]) {
    await row(`${target.name} over MCP`, async (question) => {
      const before = await kenning.roundTrips();
      for (let n = 0; n < calls; n += 1) await ask(client, target, question.sql(n + 2_000_000));
      return ((await kenning.roundTrips()) - before) / calls;
    });
  }
  return table;
}

async function main(): Promise<void> {
  const mayUsePeers =
    !values["no-peers"] && (!isQuick || (values.peers !== undefined && existsSync(values.peers)));
  log(`${ROWS.toLocaleString("en")} rows`);
  const files = await makeFiles(join(folder, "files"), ROWS, { withCsv: mayUsePeers });
  const kenning = await startKenning(join(folder, "home"), files);
  cleanups.push(() => kenning.close());
  const peers = mayUsePeers
    ? await startAllPeers(files).catch((error: unknown) => {
        log(`No peers: ${String(error)}`);
        return [];
      })
    : [];
  const reached = await connectAll([kenning.target, kenning.unstored, ...peers]);
  await checkAnswers(kenning, reached);

  const cost = await guardCost(kenning, { isQuick });
  const trips = await roundTrips(kenning, reached[0]?.clients[0] as Client);
  const table = new Table(`The call: one client, calls/s with ${CLIENTS} clients (2 for the aggregation)`, [
    "question",
    "who",
    "median ms",
    "calls/s",
    "÷ bare DuckDB",
    "÷ Kenning",
  ]);
  for (const question of Object.values(asked)) {
    const by = (run: (sql: string) => Promise<unknown>) => (n: number) => run(question.sql(n));
    const inside = [
      { name: "bare DuckDB", run: by(kenning.bare.query) },
      { name: "Kenning's engine process", run: by(kenning.engine) },
      { name: "models.query", run: by(kenning.query) },
      { name: "models.query and stored", run: by(kenning.queryAndStore) },
    ];
    await compare(question, inside, reached, table);
  }
  const machine = `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`;
  console.log(`\n${machine}, ${ROWS.toLocaleString("en")} rows\n`);
  for (const { lines } of [cost, trips, table]) console.log(`${lines.join("\n")}\n`);
}

async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) {
    await cleanup().catch((error: unknown) => console.error(error));
  }
  rmSync(folder, { recursive: true, force: true });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}
try {
  await main();
} finally {
  await cleanUp();
}
