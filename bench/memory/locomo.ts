import { readFileSync } from "node:fs";
import { join } from "node:path";
import { interval } from "../retrieval/statistics.ts";
import type { Kenning } from "./server.ts";

interface Conversation {
  turns: { id: string; session: number; time: string; speaker: string; text: string }[];
  qa: { question: string; evidence: string[]; category: number }[];
}

/** Questions of this category have no answer. */
const UNANSWERABLE = 5;

/** The part of the evidence that is among ten hits of `knowmind.recall`, one workspace a conversation. */
export async function benchLocomo(kenning: Kenning, folder: string): Promise<void> {
  const text = readFileSync(join(folder, "conversations.json"), "utf8");
  const conversations = JSON.parse(text) as Conversation[];
  console.log("\n| LoCoMo through knowmind.recall, R@10 | hops 0 | hops 2 |\n| --- | --- | --- |");
  const all: number[][] = [[], []];
  for (const [number, { turns, qa }] of conversations.entries()) {
    const token = await kenning.workspace(`locomo-${number}`);
    await kenning.import(
      `locomo-${number}`,
      turns.map(({ id, session, time, speaker, text: said }) => ({
        memory_id: id,
        content: `${speaker}: ${said}`,
        source: `session ${session}, ${time}`,
      })),
    );
    await kenning.embedded();
    const each = await Promise.all([0, 2].map((hops) => recallsOf(kenning, token, turns, qa, hops)));
    console.log(`| conversation ${number + 1} | ${each.map(interval).join(" | ")} |`);
    for (const [i, recalls] of each.entries()) all[i]!.push(...recalls);
  }
  console.log(`| all ${all[0]!.length} questions | ${all.map(interval).join(" | ")} |`);
}

async function recallsOf(
  kenning: Kenning,
  token: string,
  turns: Conversation["turns"],
  qa: Conversation["qa"],
  hops: number,
): Promise<number[]> {
  const known = new Set(turns.map(({ id }) => id));
  const recalls: number[] = [];
  for (const { question, evidence, category } of qa) {
    const wanted = evidence.filter((id) => known.has(id));
    if (category === UNANSWERABLE || wanted.length === 0) continue;
    const ask = { query: question, k: 10, hops };
    const { hits } = await kenning.call<{ hits: { memory_id: string }[] }>(token, "knowmind.recall", ask);
    const found = new Set(hits.map(({ memory_id }) => memory_id));
    recalls.push(wanted.filter((id) => found.has(id)).length / wanted.length);
  }
  return recalls;
}
