import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Query } from "../../src/platform/retrieval/index.ts";
import { interval } from "./statistics.ts";
import { BenchStore } from "./store.ts";

interface Conversation {
  turns: { id: string; session: number; time: string; speaker: string; text: string }[];
  qa: { question: string; evidence: string[]; category: number }[];
}

const WAYS: [string, Query["legs"]][] = [
  ["words (with neighbours, speaker and questions)", ["lexical"]],
  ["direction (with speaker and questions)", ["dense"]],
  ["all", undefined],
];
/** Questions of this category have no answer. */
const UNANSWERABLE = 5;

/** The part of the evidence that is among ten hits, one store a conversation. */
export async function benchLocomo(folder: string, models?: string): Promise<void> {
  const text = readFileSync(join(folder, "conversations.json"), "utf8");
  const conversations = JSON.parse(text) as Conversation[];
  const store = await BenchStore.open(models);
  const memories = store.collection("memory");
  for (const [workspaceId, { turns }] of conversations.entries()) {
    const embedded = await store.embeddings.embed(turns.map((turn) => turn.text));
    for (const [id, { session, time, speaker, text: body }] of turns.entries())
      store.put(
        workspaceId,
        { id, body, speaker, context: time, thread: { key: String(session), order: id } },
        embedded[id],
      );
  }
  console.log("\n| LoCoMo, R@10 | all | each conversation |\n| --- | --- | --- |");
  for (const [name, legs] of WAYS) {
    const each = await Promise.all(
      conversations.map(async ({ turns, qa }, workspaceId) => {
        const recalls: number[] = [];
        for (const { question, evidence, category } of qa) {
          const wanted = evidence
            .map((id) => turns.findIndex((turn) => turn.id === id))
            .filter((id) => id >= 0);
          if (category === UNANSWERABLE || wanted.length === 0) continue;
          const query: Query = { text: question, k: 10, ...(legs !== undefined && { legs }) };
          const found = new Set((await memories.search(workspaceId, query)).map(({ id }) => id));
          recalls.push(wanted.filter((id) => found.has(id)).length / wanted.length);
        }
        return recalls;
      }),
    );
    const means = each.map((recalls) => recalls.reduce((sum, one) => sum + one, 0) / recalls.length);
    console.log(
      `| ${name} | ${interval(each.flat())} | ${means.map((mean) => mean.toFixed(2).replace(/^0/, "")).join(", ")} |`,
    );
  }
  await store.close();
}
