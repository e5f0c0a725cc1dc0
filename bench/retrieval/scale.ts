import MiniSearch from "minisearch";
import type { Entry, Query } from "../../src/platform/retrieval/index.ts";
import { percentile } from "./statistics.ts";
import { BenchStore } from "./store.ts";

const WORKSPACE = 1;
const BASES = 10;
const ROUNDS = 200;
const WRITES = 300;
const VOCABULARY = 50_000;
const DIMENSIONS = 384;
const CHUNK_WORDS = 120;

/** Numbers that look random and are the same in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = randomFrom(7);

/** Few words are frequent, most are rare. */
function word(): string {
  return `w${Math.floor(random() ** 3 * VOCABULARY).toString(36)}`;
}

function words(count: number): string {
  return Array.from({ length: count }, word).join(" ");
}

function chunk(id: number, fingerprint: string): Omit<Entry, "seq"> {
  const vector = Uint8Array.from({ length: DIMENSIONS }, () => Math.floor(random() * 256));
  const embedding = { fingerprint, vector };
  return { id, body: words(CHUNK_WORDS), language: "en", attributes: { base: id % BASES }, embedding };
}

/** Latencies of words (and of words with direction) at a number of chunks, beside MiniSearch on the same texts. */
export async function benchScale(chunks: number): Promise<void> {
  const store = await BenchStore.open();
  const documents = store.collection("document");
  const texts: { id: number; body: string; base: number }[] = [];
  for (let id = 1; id <= chunks; id++) {
    const { body, ...rest } = chunk(id, store.embeddings.fingerprint);
    store.put(WORKSPACE, { ...rest, body });
    texts.push({ id, body, base: id % BASES });
  }
  console.log(`\n${chunks} chunks of ${CHUNK_WORDS} words, questions of 6 words, first 10\n`);
  console.log("|  | p50 ms | p95 ms |\n| --- | --- | --- |");
  const started = performance.now();
  // A search gives up on a large index that is not built yet; its building goes on.
  for (let isBuilt = false; !isBuilt; )
    isBuilt = await documents.search(WORKSPACE, { text: "w1", k: 1, legs: ["lexical"] }).then(
      () => true,
      () => false,
    );
  const builtMs = performance.now() - started;
  const find = (more: Partial<Query>) => () =>
    documents.search(WORKSPACE, { text: words(6), k: 10, ...more });
  await time("words", find({ legs: ["lexical"] }));
  await time("words, one of ten knowledge bases", find({ legs: ["lexical"], filter: { base: [3] } }));
  await time("words and direction, with the question's embedding", find({ legs: ["lexical", "dense"] }));
  let next = chunks;
  await time(
    `a chunk put and found (${WRITES} times)`,
    async () => {
      next += 1;
      store.put(WORKSPACE, {
        ...chunk(next, store.embeddings.fingerprint),
        body: `fresh${next} ${words(20)}`,
      });
      await documents.refresh(WORKSPACE, [next]);
      const [hit] = await documents.search(WORKSPACE, { text: `fresh${next}`, k: 1, legs: ["lexical"] });
      if (hit?.id !== next) throw new Error("a new chunk was not found");
    },
    WRITES,
  );
  await time("words, after these writes", find({ legs: ["lexical"] }));
  const { postings, bytes } = await documents.stats(WORKSPACE);
  await store.close();
  await benchMiniSearch(texts);
  console.log(
    `\nBuilt in ${(builtMs / 1_000).toFixed(1)} s (${Math.round((1_000 * chunks) / builtMs)} chunks/s); ${(bytes / 1e6).toFixed(0)} MB for ${(postings / 1e6).toFixed(1)} million postings and the vectors.`,
  );
}

async function benchMiniSearch(texts: readonly { id: number; body: string; base: number }[]): Promise<void> {
  const before = process.memoryUsage().heapUsed;
  const started = performance.now();
  const peer = new MiniSearch({ fields: ["body"], storeFields: ["base"] });
  peer.addAll(texts);
  const builtMs = performance.now() - started;
  await time("MiniSearch: words", async () => peer.search(words(6)).slice(0, 10), ROUNDS / 4);
  await time(
    "MiniSearch: words, one of ten knowledge bases",
    async () => peer.search(words(6), { filter: ({ base }) => base === 3 }).slice(0, 10),
    ROUNDS / 4,
  );
  const mb = (process.memoryUsage().heapUsed - before) / 1e6;
  console.log(
    `\nMiniSearch: built in ${(builtMs / 1_000).toFixed(1)} s, about ${mb.toFixed(0)} MB, in the thread that asks.`,
  );
}

async function time(name: string, work: () => Promise<unknown>, rounds = ROUNDS): Promise<void> {
  for (let i = 0; i < 5; i++) await work();
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  console.log(`| ${name} | ${percentile(times, 0.5).toFixed(2)} | ${percentile(times, 0.95).toFixed(2)} |`);
}
