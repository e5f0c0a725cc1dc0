import { readerModels } from "../src/domains/agent/reader/weights.ts";
import { collect } from "./reader/collect.ts";
import { askThroughDoor } from "./reader/door.ts";
import { evaluate, type Judged, report } from "./reader/evaluate.ts";
import { optionsIn, setsIn, UNREAD } from "./reader/sets.ts";
import { unreadIn } from "./reader/train.ts";

/** How well questions are read over sets that were not learned from, and those that are named besides. */
const { sets, kept, without, door } = optionsIn(
  "npm run bench -- reader FOLDER [--kept DIR] [--without geo,retail] [--door 32]",
);
const isWanted = (name: string) => UNREAD.has(name) || without.includes(name);
const wanted = setsIn(sets).filter(({ name }) => isWanted(name));
await collect(wanted, kept);
const judged = new Map<string, Judged[]>();
for (const [name, some] of await unreadIn(kept, without))
  judged.set(name, await evaluate(some, readerModels()));
report(judged);
if (door > 0) await askThroughDoor(wanted, door);
