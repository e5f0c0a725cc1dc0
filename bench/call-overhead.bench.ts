import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { Pool } from "undici";

/**
 * What the call path costs: Kenning (token, permissions, limits, audit) beside a bare SDK server with the same tool.
 * The two take turns within one run, so that a noisy machine slows both.
 */

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "4" }, rounds: { type: "string", default: "3" } },
});
const ROUND_MS = Number(values.seconds) * 1_000;
const ROUNDS = Number(values.rounds);
const CLIENTS = [1, 16, 64];

interface Target {
  name: string;
  url: string;
  tokens: string[];
  process: ChildProcess;
}

interface Sample {
  perSecond: number;
  p50: number;
  p99: number;
}

type Era = "2025-11-25" | "2026-07-28";

async function start(name: string): Promise<Target> {
  const child = fork(new URL(`./call-overhead/${name}-server.ts`, import.meta.url), { stdio: "inherit" });
  const [{ url, tokens }] = (await once(child, "message")) as [{ url: string; tokens: string[] }];
  return { name, url, tokens, process: child };
}

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function prepare(target: Target, era: Era, client: number) {
  const token = target.tokens[client % target.tokens.length] as string;
  const headers: Record<string, string> = {
    ...HEADERS,
    ...(token !== "" && { authorization: `Bearer ${token}` }),
  };
  const clientInfo = { name: "bench", version: "1.0.0" };
  if (era === "2026-07-28") {
    const prefix = "io.modelcontextprotocol";
    const _meta = {
      [`${prefix}/protocolVersion`]: era,
      [`${prefix}/clientInfo`]: clientInfo,
      [`${prefix}/clientCapabilities`]: {},
    };
    const modern = { "mcp-protocol-version": era, "mcp-method": "tools/call", "mcp-name": "whoami" };
    return { headers: { ...headers, ...modern }, params: { name: "whoami", arguments: {}, _meta } };
  }
  const params = { protocolVersion: era, capabilities: {}, clientInfo };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const response = await fetch(target.url, { method: "POST", headers, body });
  await response.text();
  const session = response.headers.get("mcp-session-id") ?? "";
  return {
    headers: { ...headers, "mcp-session-id": session, "mcp-protocol-version": era },
    params: { name: "whoami", arguments: {} },
  };
}

async function load(target: Target, era: Era, clients: number): Promise<Sample> {
  const { origin, pathname } = new URL(target.url);
  const pool = new Pool(origin, { connections: clients });
  const latencies: number[] = [];
  const until = performance.now() + ROUND_MS;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const { headers, params } = await prepare(target, era, client);
      for (let id = 1; performance.now() < until; id += 1) {
        const sent = performance.now();
        const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
        const response = await pool.request({ path: pathname, method: "POST", headers, body });
        const text = await response.body.text();
        if (response.statusCode !== 200 || !text.includes('"structuredContent"'))
          throw new Error(`${target.name}: ${response.statusCode} ${text}`);
        latencies.push(performance.now() - sent);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99) };
}

function median(samples: Sample[]): Sample {
  const sorted = samples.toSorted((a, b) => a.perSecond - b.perSecond);
  return sorted[Math.floor(sorted.length / 2)] as Sample;
}

async function stop(child: ChildProcess): Promise<void> {
  child.send("stop");
  await once(child, "exit");
}

const targets = [await start("bare"), await start("kenning")];
const lines = [
  "| protocol | clients | bare: calls/s | p50 ms | p99 ms | Kenning: calls/s | p50 ms | p99 ms | ratio |",
  "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
];
for (const era of ["2025-11-25", "2026-07-28"] as const) {
  for (const clients of CLIENTS) {
    const samples: Sample[][] = targets.map(() => []);
    for (const target of targets) await load(target, era, Math.min(clients, 4));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [i, target] of targets.entries()) samples[i]?.push(await load(target, era, clients));
    }
    const [bare, kenning] = samples.map(median) as [Sample, Sample];
    const cells = [bare, kenning].flatMap(({ perSecond, p50, p99 }) => [
      perSecond.toFixed(0),
      p50.toFixed(2),
      p99.toFixed(2),
    ]);
    lines.push(
      `| ${era} | ${clients} | ${cells.join(" | ")} | ${(kenning.perSecond / bare.perSecond).toFixed(2)} |`,
    );
    console.log(lines.at(-1));
  }
}
console.log(`\n${lines.join("\n")}`);

await Promise.all(targets.map(({ process: child }) => stop(child)));
