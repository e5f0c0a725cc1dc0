import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { median, p95, Table } from "../guard/measure.ts";
import { post, toolCall } from "./http.ts";

const COLUMNS = 901;
const ROWS = 300;
const TABLES = 100;
const LONG = { rows: 1_000, columns: 190 };

/**
 * A small call, a small read and a small page of another workspace while one has wide tables drawn: as pages, PDFs,
 * workbooks and pictures, several at once and again as soon as one has ended. And what memory the server and all its
 * processes take then, and a while after.
 */
export async function measureRendering(roundMs: number, only: string): Promise<void> {
  const server = fork(new URL("server.ts", import.meta.url), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [{ url, tokens }] = (await once(server, "message")) as [{ url: string; tokens: string[] }];
  const [ours = "", , theirs = ""] = tokens;
  const agent = new Agent({ keepAlive: true });
  const call = async (token: string, name: string, args: object) => {
    const { status, ms, body } = await post(agent, url, token, toolCall(name, args));
    if (status !== 200 || body.includes('"isError":true'))
      throw new Error(`${name}: ${status} ${body.slice(0, 300)}`);
    return { ms, made: (JSON.parse(body.replace(/^[^{]*/, "")) as Answer).result.structuredContent };
  };
  const boardOf = async (
    token: string,
    name: string,
    rows: object[],
    widgets: (dataset: number) => object[],
  ) => {
    const { made } = await call(token, "push_data", { dataset_name: name, rows });
    const board = await call(token, "create_dashboard", {
      name,
      widgets: widgets(made.dataset_id as number),
    });
    const dashboard_id = board.made.dashboard_id as number;
    const embed = await call(token, "get_embed_url", { dashboard_id });
    return { dashboard_id, embed: new URL(embed.made.url as string) };
  };
  const tables = (count: number) => (dataset_id: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `Table ${i}`, dataset_id, chart_type: "datagrid2" }));
  const wide = await boardOf(ours, "wide", rowsOf(ROWS, COLUMNS), tables(TABLES));
  const long = await boardOf(ours, "long", rowsOf(LONG.rows, LONG.columns), tables(1));
  const small = await boardOf(theirs, "small", rowsOf(20, 3), (dataset_id) => [
    { name: "Sum", dataset_id, x_axis: "c0", y_axis: ["c1"] },
    { name: "Rows", dataset_id, chart_type: "datagrid2" },
  ]);
  const view = async ({ embed }: { embed: URL }, width: number) => {
    const startedMs = performance.now();
    const answer = await fetch(new URL(`${embed.pathname}/view`, url), {
      method: "POST",
      headers: { "x-embed-secret": embed.hash.slice(1) },
      body: `width=${width}`,
    });
    const { length } = await answer.text();
    if (answer.status !== 200) throw new Error(`view: ${answer.status}`);
    return { ms: performance.now() - startedMs, bytes: length };
  };
  const measured = {
    "small call": async () => (await call(theirs, "whoami", {})).ms,
    "small page": async () => (await view(small, 800)).ms,
  };
  let last = 0;
  const file = (board: { dashboard_id: number }, format: string) => async () =>
    (await call(ours, "export_dashboard", { dashboard_id: board.dashboard_id, format })).made.bytes as number;
  // Each in another width: nobody has asked for the same page before.
  const page = async () => (await view(wide, 200 + 40 * (last++ % 45))).bytes;
  const LOADS: [name: string, atOnce: number, work: () => Promise<number>][] = [
    [`page of ${TABLES} tables of ${COLUMNS} columns`, 8, page],
    ["PDF of it", 4, file(wide, "pdf")],
    [`PDF of a table of ${LONG.rows} × ${LONG.columns}`, 4, file(long, "pdf")],
    ["workbook of it", 4, file(long, "xlsx")],
    ["PNG of all", 4, file(wide, "png")],
  ];
  const table = new Table("Another workspace while one has wide tables drawn, ms", [
    "what is drawn",
    "at once",
    "done",
    "refused",
    "largest, MB",
    "what",
    "alone: p50",
    "p95",
    "beside it: p50",
    "p95",
    "longest",
    "p95, times as long",
    "server, MB",
    "with its processes, MB",
    "after 3 s, MB",
  ]);
  for (let n = 0; n < 20; n += 1) for (const ask of Object.values(measured)) await ask();
  for (const [name, atOnce, work] of LOADS.filter(([name]) => name.includes(only))) {
    const alone = await timesOf(measured, roundMs);
    let isOver = false;
    const found = { done: 0, refused: 0, bytes: 0 };
    const load = Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (!isOver)
          await work().then(
            (bytes) => {
              found.done += 1;
              found.bytes = Math.max(found.bytes, bytes);
            },
            () => {
              found.refused += 1;
              return delay(1_000);
            },
          );
      }),
    );
    const beside = await timesOf(measured, roundMs);
    const [own, all] = [residentMb(server.pid ?? 0), treeMb(server.pid ?? 0)];
    isOver = true;
    await load;
    await delay(3_000);
    const after = treeMb(server.pid ?? 0);
    for (const [what, times] of Object.entries(beside)) {
      const before = alone[what] ?? [];
      const memory = what === "small call" ? [own, all, after].map(Math.round) : ["", "", ""];
      table.add([
        name,
        atOnce,
        found.done,
        found.refused,
        found.bytes / 1e6,
        what,
        median(before),
        p95(before),
        median(times),
        p95(times),
        Math.max(...times),
        p95(times) / p95(before),
        ...memory,
      ]);
    }
  }
  agent.destroy();
  server.send("stop");
  await once(server, "exit");
}

interface Answer {
  result: { structuredContent: Record<string, unknown> };
}

function rowsOf(rows: number, columns: number): object[] {
  const cellAt = (row: number, column: number) =>
    column % 2 === 0 ? `value ${row} of ${column}` : (row * 37 + column) % 1_009;
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(Array.from({ length: columns }, (_, column) => [`c${column}`, cellAt(row, column)])),
  );
}

/** Each of these one after the other, all of them at the same time. */
async function timesOf(
  measured: Record<string, () => Promise<number>>,
  ms: number,
): Promise<Record<string, number[]>> {
  const untilMs = performance.now() + ms;
  const all = Object.entries(measured).map(async ([name, take]) => {
    const times: number[] = [];
    while (performance.now() < untilMs) {
      times.push(await take());
      await delay(20);
    }
    return [name, times] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}

function residentMb(pid: number): number {
  return fieldOf(`/proc/${pid}/status`, /^VmRSS:\s+(\d+)/m);
}

/** A process and all that it started; memory that several share counts once. */
function treeMb(pid: number): number {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), fieldOf(`/proc/${name}/status`, /^PPid:\s+(\d+)/m) * 1_024] as const);
  const tree = [pid];
  for (const one of tree)
    tree.push(...parents.filter(([, parent]) => parent === one).map(([child]) => child));
  return tree.reduce((sum, one) => sum + fieldOf(`/proc/${one}/smaps_rollup`, /^Pss:\s+(\d+)/m), 0);
}

/** In megabytes; nothing of a process that has gone. */
function fieldOf(path: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(path, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
