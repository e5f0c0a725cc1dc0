import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./command-line.ts";

export interface Clickhouse {
  url: string;
  query(sql: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * ClickHouse's own engine as chdb has it, behind as much of its HTTP interface as the connector uses; in a process of
 * its own. `npm run test:engines` brings chdb, whose folder stands in KENNING_TEST_ENGINES.
 */
export async function startClickhouse(): Promise<Clickhouse> {
  const folder = mkdtempSync(join(tmpdir(), "kenning-clickhouse-"));
  const port = await freePort();
  const server: ChildProcess = spawn(process.execPath, ["--input-type=module", "--eval", SERVER], {
    cwd: process.env.KENNING_TEST_ENGINES,
    env: { ...process.env, DATA: join(folder, "data"), PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (server.stdout !== null) await once(server.stdout, "data");
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async query(sql) {
      const answer = await fetch(url, { method: "POST", body: sql });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      return text;
    },
    async stop() {
      server.kill("SIGKILL");
      await once(server, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Settings come in the address there, and stand behind the statement here. */
const SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const { Session } = createRequire(process.cwd() + "/")("chdb");
const session = new Session(process.env.DATA);
const OWN = ["default_format", "database", "query_id", "readonly", "max_execution_time",
  "cancel_http_readonly_queries_on_client_close", "http_write_exception_in_output_format"];
createServer(async (request, response) => {
  let sql = "";
  for await (const chunk of request) sql += chunk;
  const { searchParams } = new URL(request.url, "http://localhost");
  const settings = [...searchParams].filter(([name]) => !OWN.includes(name));
  const set = settings.map(([name, value]) => name + " = " + (/^\\d+$/.test(value) ? value : "'" + value + "'"));
  const isRead = searchParams.has("default_format") && !/^\\s*EXPLAIN/i.test(sql);
  try {
    response.end(session.query(isRead ? sql + " SETTINGS " + set.join(", ") : sql, searchParams.get("default_format") ?? "TSV"));
  } catch (error) {
    response.writeHead(400).end(String(error.message));
  }
}).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("ready"));
`;
