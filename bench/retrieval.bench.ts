import { parseArgs } from "node:util";
import { benchAnswers } from "./retrieval/answers.ts";
import { benchForeign } from "./retrieval/foreign.ts";
import { benchKnowledge } from "./retrieval/knowledge.ts";
import { benchLocomo } from "./retrieval/locomo.ts";
import { benchScale } from "./retrieval/scale.ts";
import { benchXquad } from "./retrieval/xquad.ts";

/** How well and how fast texts are found. Without a folder for it, a part is left out. */
const { values } = parseArgs({
  options: {
    xquad: { type: "string" },
    /** XQuAD through the tools, and answers made of quotes. */
    knowledge: { type: "string" },
    answers: { type: "string" },
    /** A folder of files that others made. */
    foreign: { type: "string" },
    /** Prints weights for the confidence of answers, too. */
    fit: { type: "boolean", default: false },
    locomo: { type: "string" },
    /** Numbers of chunks; none leaves the part out. */
    chunks: { type: "string", default: "10000,100000" },
    /** A folder in which `@lancedb/lancedb` is installed, to be measured beside. */
    lance: { type: "string" },
    /** Where the model is kept from run to run. */
    models: { type: "string" },
  },
});
if (values.xquad !== undefined) await benchXquad(values.xquad, values.models);
if (values.knowledge !== undefined) await benchKnowledge(values.knowledge);
if (values.answers !== undefined) await benchAnswers(values.answers, values.fit, values.models);
if (values.foreign !== undefined) await benchForeign(values.foreign);
if (values.locomo !== undefined) await benchLocomo(values.locomo, values.models);
for (const chunks of values.chunks.split(",").filter((part) => part !== ""))
  await benchScale(Number(chunks), values.lance, values.models);
