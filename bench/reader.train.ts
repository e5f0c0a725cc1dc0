import { join } from "node:path";
import { collect } from "./reader/collect.ts";
import { optionsIn, setsIn } from "./reader/sets.ts";
import { train } from "./reader/train.ts";

/** Learns the weights of the question reader anew; what was collected before is not collected again. */
const { sets, kept, part, without, out } = optionsIn(
  "npm run train -- reader FOLDER [--kept DIR] [--part 1] [--without geo,retail] [--out FILE]",
);
const weights = out ?? join(import.meta.dirname, "../src/domains/agent/reader/weights.bin");
await collect(setsIn(sets), kept);
await train(kept, { part, without, weights });
