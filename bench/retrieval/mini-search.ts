import MiniSearch from "minisearch";
import type { Chunk, Peer } from "./scale.ts";

const FIRST = 10;

/** MiniSearch, in the thread that asks. */
export async function openMiniSearch(chunks: readonly Chunk[]): Promise<Peer> {
  const before = process.memoryUsage().heapUsed;
  const started = performance.now();
  const index = new MiniSearch<Chunk>({ fields: ["body"], storeFields: ["base"] });
  index.addAll([...chunks]);
  const seconds = (performance.now() - started) / 1_000;
  const mb = (process.memoryUsage().heapUsed - before) / 1e6;
  console.error(`MiniSearch: built in ${seconds.toFixed(1)} s, about ${mb.toFixed(0)} MB`);
  return {
    name: "MiniSearch",
    async search(text, base) {
      const options = base === undefined ? {} : { filter: (hit: { base?: number }) => hit.base === base };
      const hits = index.search(text, options as object);
      return hits.slice(0, FIRST).map(({ id }) => id as number);
    },
    async add(chunk) {
      index.add(chunk);
    },
    async close() {},
  };
}
