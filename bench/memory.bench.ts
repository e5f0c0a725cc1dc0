import { parseArgs } from "node:util";
import { benchLatency } from "./memory/latency.ts";
import { benchLocomo } from "./memory/locomo.ts";
import { Kenning } from "./memory/server.ts";

/** How well and how fast memories are recalled, through MCP. Without a folder for it, LoCoMo is left out. */
const { values } = parseArgs({
  options: {
    locomo: { type: "string" },
    /** Numbers of memories; none leaves the part out. */
    memories: { type: "string", default: "1000,100000" },
    /** The official server takes seconds for each call beyond. */
    peer: { type: "string", default: "100000" },
    /** Instead of the model's, which takes hours for a million. */
    "made-up-vectors": { type: "boolean", default: false },
  },
});
const kenning = await Kenning.start();
try {
  if (values.locomo !== undefined) await benchLocomo(kenning, values.locomo);
  if (values["made-up-vectors"]) await kenning.makeUpVectors();
  for (const count of values.memories.split(",").filter((part) => part !== ""))
    await benchLatency(kenning, Number(count), Number(values.peer));
} finally {
  await kenning.stop();
}
