import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Child } from "../data/child.ts";
import type { Hello } from "../data/mcp.ts";
import { interval, percentile } from "./statistics.ts";
import { LANGUAGES, type Part, readPart } from "./xquad.ts";

interface Found {
  records: { document_id: number; legs?: { tokens?: number } }[];
}

/** The endpoint on, and nothing counted. */
export const UNLIMITED: Readonly<Record<string, string>> = {
  EXTERNAL_KNOWLEDGE_MCP_ENABLED: "true",
  EXTERNAL_KNOWLEDGE_MCP_RATE_LIMIT_ENABLED: "false",
  EXTERNAL_KNOWLEDGE_MCP_SEARCH_RATE_LIMIT_ENABLED: "false",
  EXTERNAL_KNOWLEDGE_MCP_DOWNLOAD_RATE_LIMIT_ENABLED: "false",
  RATE_LIMIT_ENABLED: "false",
};

/** What a client sees: paragraphs are added as documents over MCP, and searched by `wegent_kb_search_content`. */
export async function benchKnowledge(folder: string): Promise<void> {
  const settings = Object.entries(UNLIMITED).map(([name, value]) => `${name}=${value}`);
  const server = await Child.start<Hello>("kenning", settings);
  const all = await connect(`${server.hello.url}?toolsets=all`, server.hello.token);
  const knowledge = await connect(
    server.hello.url.replace(/\/mcp$/, "/mcp/knowledge-external/sse"),
    server.hello.token,
  );
  console.log("\n| XQuAD over MCP | MRR@10 | p50 ms | p95 ms | added, documents/s | until all had vectors |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const language of LANGUAGES) {
    const part = readPart(folder, language);
    const started = performance.now();
    const { base, documents } = await add(all, language, part);
    const addedMs = performance.now() - started;
    await untilEmbedded(all, base, part);
    const embeddedMs = performance.now() - started;
    const [ranks, times]: [number[], number[]] = [[], []];
    for (const { question, paragraph } of part.questions) {
      const asked = performance.now();
      const args = { query: question, knowledge_base_ids: [base], max_results: 10 };
      const { records } = await call<Found>(knowledge, "wegent_kb_search_content", args);
      times.push(performance.now() - asked);
      const place = records.findIndex(({ document_id }) => document_id === documents.get(paragraph));
      ranks.push(place === -1 ? 0 : 1 / (place + 1));
    }
    const rate = ((1_000 * part.paragraphs.length) / addedMs).toFixed(0);
    console.log(
      `| ${language} | ${interval(ranks)} | ${percentile(times, 0.5).toFixed(1)} | ${percentile(times, 0.95).toFixed(1)} | ${rate} | ${(embeddedMs / 1_000).toFixed(1)} s |`,
    );
  }
  await server.stop();
}

async function add(client: Client, language: string, { paragraphs }: Part) {
  const made = await call<{ knowledge_base_id: number }>(client, "create_knowledge_base", { name: language });
  const base = made.knowledge_base_id;
  const documents = new Map<number, number>();
  for (const { id, title, text } of paragraphs) {
    const args = { knowledge_base_id: base, file_name: `${title} ${id}.txt`, content: text };
    const added = await call<{ document_id: number }>(client, "add_document", args);
    documents.set(id, added.document_id);
  }
  return { base, documents };
}

/** They are embedded in the order in which they came. */
async function untilEmbedded(client: Client, base: number, { paragraphs }: Part): Promise<void> {
  const last = paragraphs.at(-1) as Part["paragraphs"][number];
  for (;;) {
    const args = {
      query: last.text.slice(0, 500),
      knowledge_base_ids: [base],
      max_results: 1,
      explain: true,
    };
    const { records } = await call<Found>(client, "search_documents", args);
    if (records[0]?.legs?.tokens !== undefined) return;
    await sleep(200);
  }
}

export async function connect(url: string, token: string): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

export async function call<T>(client: Client, name: string, args: object): Promise<T> {
  const result = await client.callTool({ name, arguments: { ...args } });
  if (result.isError === true) throw new Error(JSON.stringify(result.content));
  return result.structuredContent as T;
}
