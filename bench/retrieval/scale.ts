import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Collection, Query } from "../../src/platform/retrieval/index.ts";
import { openLance } from "./lance.ts";
import { openMiniSearch } from "./mini-search.ts";
import { percentile, randomFrom } from "./statistics.ts";
import { BenchStore } from "./store.ts";

const WORKSPACE = 1;
const BASES = 10;
const ROUNDS = 200;
const WRITES = 300;
/** Between two of the steady writes. */
const WRITE_EVERY_MS = 25;
const VOCABULARY = 50_000;
const DIMENSIONS = 384;
const CHUNK_WORDS = 120;
/** Tokens of a chunk by which it is compared, of 16 bytes each. */
const TOKEN_BYTES = 100 * 16;
const QUESTION_WORDS = 6;
const FIRST = 10;
/** Above it MiniSearch needs more memory than a process has by default. */
const MOST_IN_PEER = 100_000;

/** A chunk as all three engines get it. */
export interface Chunk {
  id: number;
  body: string;
  base: number;
}

/** What is measured of an engine beside ours. */
export interface Peer {
  name: string;
  search(text: string, base?: number): Promise<number[]>;
  add(chunk: Chunk): Promise<void>;
  close(): Promise<void>;
}

const random = randomFrom(7);

/** Few words are frequent, most are rare. */
function word(): string {
  return `w${Math.floor(random() ** 3 * VOCABULARY).toString(36)}`;
}

function words(count: number): string {
  return Array.from({ length: count }, word).join(" ");
}

/** Vectors and tokens are stretches of it, so that half a million of them take no memory here. */
const noise = Uint8Array.from({ length: 4_000_000 }, () => Math.floor(random() * 256));

function stretch(length: number): Uint8Array {
  const from = Math.floor(random() * (noise.length - length));
  return noise.subarray(from, from + length);
}

function chunk(id: number): Chunk {
  return { id, body: words(CHUNK_WORDS), base: id % BASES };
}

function put(store: BenchStore, { id, body, base }: Chunk): void {
  const { fingerprint } = store.embeddings;
  const kept = { fingerprint, vector: stretch(DIMENSIONS), tokens: stretch(TOKEN_BYTES) };
  store.put(WORKSPACE, { id, body, language: "en", attributes: { base } }, kept);
}

/** A question of words that one chunk has, and its id. */
function question(chunks: readonly Chunk[]): { id: number; text: string; base: number } {
  const { id, body, base } = chunks[Math.floor(random() * chunks.length)]!;
  const own = body.split(" ");
  const asked = Array.from({ length: QUESTION_WORDS }, () => own[Math.floor(random() * own.length)]!);
  return { id, base, text: asked.join(" ") };
}

/** Latencies and known chunks found at a number of chunks, alone and during writes, beside other engines on the same texts. */
export async function benchScale(count: number, lance?: string, models?: string): Promise<void> {
  const store = await BenchStore.open(models);
  const documents = store.collection("document");
  const chunks = Array.from({ length: count }, (_, i) => chunk(i + 1));
  for (const each of chunks) put(store, each);
  console.log(
    `\n${count} chunks of ${CHUNK_WORDS} words, questions of ${QUESTION_WORDS} words of one chunk, first ${FIRST}; a load of ${load()}\n`,
  );
  console.log("|  | p50 ms | p95 ms | found |\n| --- | --- | --- | --- |");
  const builtMs = await built(documents);
  const find =
    (more: Partial<Query>): Find =>
    async (text, base) => {
      const filter = base === undefined ? {} : { filter: { base: [base] } };
      const hits = await documents.search(WORKSPACE, { text, k: FIRST, ...filter, ...more });
      return hits.map(({ id }) => id);
    };
  const lexical = find({ legs: ["lexical"] });
  await time("words", chunks, lexical);
  await time("words, one of ten knowledge bases", chunks, lexical, true);
  await time("words and direction", chunks, find({ legs: ["lexical", "dense"] }));
  await time("all, reranked by tokens", chunks, find({}));
  await time("all, one of ten knowledge bases", chunks, find({}), true);
  let next = count;
  const write = async (): Promise<void> => {
    next += 1;
    put(store, { ...chunk(next), body: `fresh${next} ${words(20)}` });
    await documents.refresh(WORKSPACE, [next]);
  };
  await during(write, () => time("all, during steady single writes", chunks, find({})));
  await stopwatch(`a chunk put and found (${WRITES} times)`, async () => {
    await write();
    if ((await lexical(`fresh${next}`))[0] !== next) throw new Error("a new chunk was not found");
  });
  await time("all, after these writes", chunks, find({}));
  const { postings, bytes } = await documents.stats(WORKSPACE);
  await store.close();
  if (count <= MOST_IN_PEER) await benchPeer(chunks, await openMiniSearch(chunks));
  if (lance !== undefined) await benchPeer(chunks, await openLance(lance, chunks));
  console.log(
    `\nBuilt in ${(builtMs / 1_000).toFixed(1)} s (${Math.round((1_000 * count) / builtMs)} chunks/s); ${(bytes / 1e6).toFixed(0)} MB for ${(postings / 1e6).toFixed(1)} million postings and the vectors. Load at the end ${load()}.`,
  );
}

/** A search gives up on a large index that is not built yet; its building goes on. */
async function built(documents: Collection): Promise<number> {
  const started = performance.now();
  const ask = () => documents.search(WORKSPACE, { text: "w1", k: 1, legs: ["lexical"] });
  for (let isBuilt = false; !isBuilt; )
    isBuilt = await ask().then(
      () => true,
      () => false,
    );
  return performance.now() - started;
}

async function benchPeer(chunks: readonly Chunk[], peer: Peer): Promise<void> {
  const rounds = ROUNDS / 4;
  const find: Find = (text, base) => peer.search(text, base);
  await time(`${peer.name}: words`, chunks, find, false, rounds);
  await time(`${peer.name}: words, one of ten knowledge bases`, chunks, find, true, rounds);
  let next = chunks.length;
  const write = () => {
    next += 1;
    return peer.add({ ...chunk(next), body: `fresh${next} ${words(20)}` });
  };
  for (let i = 0; i < WRITES; i++) await write();
  await time(`${peer.name}: words, after ${WRITES} single writes`, chunks, find, false, rounds);
  await peer.close();
}

type Find = (text: string, base?: number) => Promise<number[]>;

/** How long questions take, and how many of the chunks that they are made of are among the first. */
async function time(
  name: string,
  chunks: readonly Chunk[],
  find: Find,
  isFiltered = false,
  rounds = ROUNDS,
): Promise<void> {
  let found = 0;
  const times: number[] = [];
  for (let i = -5; i < rounds; i++) {
    const { id, text, base } = question(chunks);
    const started = performance.now();
    const ids = await find(text, isFiltered ? base : undefined);
    if (i < 0) continue;
    times.push(performance.now() - started);
    if (ids.includes(id)) found += 1;
  }
  print(name, times, (found / rounds).toFixed(2));
}

async function stopwatch(name: string, work: () => Promise<void>): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < WRITES; i++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  print(name, times, "all");
}

async function during(write: () => Promise<void>, work: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const writing = (async () => {
    while (!stop.signal.aborted) {
      await write();
      await sleep(WRITE_EVERY_MS);
    }
  })();
  await work();
  stop.abort();
  await writing;
}

function print(name: string, times: readonly number[], found: string): void {
  console.log(
    `| ${name} | ${percentile(times, 0.5).toFixed(2)} | ${percentile(times, 0.95).toFixed(2)} | ${found} |`,
  );
}

function load(): string {
  return loadavg()[0]!.toFixed(1);
}
