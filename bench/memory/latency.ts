import { loadavg } from "node:os";
import { print } from "../data/report.ts";
import { percentile } from "../retrieval/statistics.ts";
import { makeFacts, question } from "./facts.ts";
import type { Kenning } from "./server.ts";
import { ServerMemory } from "./server-memory.ts";

const ROUNDS = 200;
const WARM_UP = 5;
/** The other server reads or writes its whole file each time. */
const PEER_ROUNDS = 20;
const WRITERS = 2;

/** What each operation takes at a number of memories, over MCP, beside the official server on the same facts. */
export async function benchLatency(kenning: Kenning, count: number, peerUpTo: number): Promise<void> {
  const facts = makeFacts(count);
  const slug = `facts-${count}`;
  const token = await kenning.workspace(slug);
  const importMs = await kenning.import(slug, facts);
  const vectorsMs = await kenning.embedded();
  const rows = [
    ["operation", "p50 ms", "p95 ms", "CPU ms a call", "p50 ms, server-memory", "p95 ms, server-memory"],
  ];
  const peer = count <= peerUpTo ? await ServerMemory.start(facts) : undefined;
  const add = async (name: string, ours: () => Promise<unknown>, theirs?: () => Promise<unknown>) => {
    const before = kenning.cpuMs();
    const own = await timesOf(ours, ROUNDS);
    const cpuMs = (kenning.cpuMs() - before) / (ROUNDS + WARM_UP);
    const other = peer === undefined || theirs === undefined ? [] : await timesOf(theirs, PEER_ROUNDS);
    const shown = (times: number[]) =>
      [0.5, 0.95].map((share) => (times.length === 0 ? "–" : percentile(times, share).toFixed(1)));
    rows.push([name, ...shown(own), cpuMs.toFixed(1), ...shown(other)]);
  };
  const call = (tool: string, args: object) => kenning.call(token, `knowmind.${tool}`, args);
  const recall = (hops: number) => call("recall", { query: question(count), k: 10, hops });
  let n = 0;
  // A search gives up on a large index that is not built yet; its building goes on.
  while (
    await recall(2).then(
      () => false,
      () => true,
    )
  );
  await add(
    "store (searchable when it returns)",
    () => call("store_memory", { content: `Note ${++n}: ${question(count)}` }),
    () => peer!.create(`Note ${++n}`, question(count)),
  );
  const targets = Array.from({ length: ROUNDS + 5 }, (_, i) => `fact_${(i * 7) % count}`);
  await add("update", () =>
    call("update_fact", {
      target_id: targets[n++ % targets.length],
      new_title: "Changed",
      new_content: question(count),
    }).catch(() => undefined),
  );
  await add(
    "recall, 0 hops",
    () => recall(0),
    () => peer!.search(question(count)),
  );
  await add("recall, 2 hops", () => recall(2));
  await add("recall at a time", () =>
    call("recall_at_time", { query: question(count), as_of: new Date().toISOString(), k: 10 }),
  );
  await add("link", () =>
    call("link", {
      from_id: `fact_${n++ % count}`,
      to_id: `fact_${(n * 3) % count}`,
      rel_type: "SUPPORTS",
    }).catch(() => undefined),
  );
  let isWriting = true;
  const writers = Array.from({ length: WRITERS }, async () => {
    while (isWriting) await call("store_memory", { content: `Beside ${++n}: ${question(count)}` });
  });
  await add(`recall, 0 hops, beside ${WRITERS} writers`, () => recall(0));
  await add(`recall, 2 hops, beside ${WRITERS} writers`, () => recall(2));
  isWriting = false;
  await Promise.all(writers);
  await peer?.stop();
  print(`${count} memories with 5 relations each, a load of ${loadavg()[0]?.toFixed(1)} at the end`, rows);
  const perSecond = (ms: number) => Math.round((count / ms) * 1_000);
  console.log(
    `\nImport: ${(importMs / 1_000).toFixed(1)} s (${perSecond(importMs)} a second); vectors ${(vectorsMs / 1_000).toFixed(1)} s more.`,
  );
}

async function timesOf(work: () => Promise<unknown>, rounds: number): Promise<number[]> {
  for (let i = 0; i < WARM_UP; i++) await work();
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times;
}
