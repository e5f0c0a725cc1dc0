import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Query } from "../../src/platform/retrieval/index.ts";
import { interval } from "./statistics.ts";
import { BenchStore } from "./store.ts";

export interface Part {
  paragraphs: { id: number; title: string; text: string }[];
  questions: { question: string; paragraph: number; answer: string }[];
}

export const LANGUAGES = ["en", "de"] as const;

export function readPart(folder: string, language: (typeof LANGUAGES)[number]): Part {
  return JSON.parse(readFileSync(join(folder, `${language}.json`), "utf8"));
}

const WAYS: [string, Query["legs"]][] = [
  ["words alone", ["lexical"]],
  ["direction alone", ["dense"]],
  ["tokens alone (best 60 by words)", ["tokens"]],
  ["words and direction", ["lexical", "dense"]],
  ["words and tokens", ["lexical", "tokens"]],
  ["all", undefined],
];

/** The reciprocal rank of the right paragraph among ten, for each leg and for all together. */
export async function benchXquad(folder: string, models?: string): Promise<void> {
  const store = await BenchStore.open(models);
  const documents = store.collection("document");
  const rows: string[][] = WAYS.map(([name]) => [name]);
  for (const [workspaceId, language] of LANGUAGES.entries()) {
    const part = readPart(folder, language);
    const embedded = await store.embeddings.embed(part.paragraphs.map(({ text }) => text));
    for (const [i, { id, title, text }] of part.paragraphs.entries())
      store.put(workspaceId, { id, body: text, title: title.replaceAll("_", " ") }, embedded[i]);
    for (const [i, [, legs]] of WAYS.entries()) {
      const ranks: number[] = [];
      for (const { question, paragraph } of part.questions) {
        const query: Query = { text: question, k: 10, ...(legs !== undefined && { legs }) };
        const hits = await documents.search(workspaceId, query);
        const place = hits.findIndex(({ id }) => id === paragraph);
        ranks.push(place === -1 ? 0 : 1 / (place + 1));
      }
      rows[i]!.push(interval(ranks));
      console.error(language, rows[i]!.join(" "));
    }
  }
  await store.close();
  console.log("\n| XQuAD, MRR@10 | en | de |\n| --- | --- | --- |");
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
}
