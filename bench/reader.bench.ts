import { readerModels } from "../src/domains/agent/reader/weights.ts";
import { collect } from "./reader/collect.ts";
import { evaluate, report } from "./reader/evaluate.ts";
import { examplesIn } from "./reader/examples.ts";
import { optionsIn, setsIn, UNREAD } from "./reader/sets.ts";

/** How well the question reader reads by itself what it has not learned from, and sets that are named besides. */
const { sets, kept, without } = optionsIn(
  "npm run bench -- reader FOLDER [--kept DIR] [--without geo,retail]",
);
const isWanted = (name: string) => UNREAD.has(name) || without.includes(name);
await collect(
  setsIn(sets).filter(({ name }) => isWanted(name)),
  kept,
);
const examples = Map.groupBy(examplesIn(kept, isWanted), ({ set }) =>
  without.includes(set) ? set : "unread",
);
for (const [name, some] of examples) report(name, await evaluate(some, readerModels()));
