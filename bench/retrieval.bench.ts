import { parseArgs } from "node:util";
import { benchAnswers } from "./retrieval/answers.ts";
import { benchKnowledge } from "./retrieval/knowledge.ts";
import { benchLocomo } from "./retrieval/locomo.ts";
import { benchScale } from "./retrieval/scale.ts";
import { benchXquad } from "./retrieval/xquad.ts";

/** How well and how fast texts are found. Without a folder for it, a part is left out. */
const { values } = parseArgs({
  options: {
    xquad: { type: "string" },
    /** The same through the tools, with answers. */
    knowledge: { type: "string" },
    /** Prints weights for the confidence of answers, too. */
    fit: { type: "boolean", default: false },
    locomo: { type: "string" },
    /** Numbers of chunks; none leaves the part out. */
    chunks: { type: "string", default: "10000,100000" },
    /** Where the model is kept from run to run. */
    models: { type: "string" },
  },
});
if (values.xquad !== undefined) await benchXquad(values.xquad, values.models);
if (values.knowledge !== undefined) {
  await benchKnowledge(values.knowledge);
  await benchAnswers(values.knowledge, values.fit, values.models);
}
if (values.locomo !== undefined) await benchLocomo(values.locomo, values.models);
for (const chunks of values.chunks.split(",").filter((part) => part !== "")) await benchScale(Number(chunks));
