import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { CommandLine } from "../../test/support/command-line.ts";
import { call, connect, UNLIMITED } from "./knowledge.ts";

interface Imported {
  files: { file: string; documentId: number | null; status: string; reason?: string }[];
}
interface Content {
  content: string;
  total_length: number;
  has_more: boolean;
  content_available: boolean;
}
interface Credential {
  resource_url: string;
  headers: Record<string, string>;
}

const PHRASE_WORDS = 7;
const READ_AT_ONCE = 100_000;

/**
 * Files that others made, through every door: imported by the command, then each one that could be read is read in pages
 * over MCP, found by a rare phrase of its text, and fetched. Prints what failed and why.
 */
export async function benchForeign(folder: string): Promise<void> {
  const root = resolve(folder);
  const kenning = await CommandLine.open();
  const who = ["--workspace", "acme"];
  for (const args of [
    ["workspace", "create", "acme"],
    ["user", "create", "a@example.com", ...who, "--role", "admin"],
    ["call", "create_knowledge_base", ...who, "--arg", "name=Foreign"],
  ])
    await kenning.run(args);
  const made = await kenning.run([
    "token",
    "create",
    "--user",
    "a@example.com",
    ...who,
    "--kind",
    "knowledge",
  ]);
  const started = performance.now();
  const { out } = await kenning.run(["kb", "import", root, ...who, "--base", "Foreign", "--json"]);
  const seconds = (performance.now() - started) / 1_000;
  const { files } = JSON.parse(out) as Imported;
  const server = await kenning.serve(UNLIMITED);
  try {
    const client = await connect(`${kenning.url}/mcp/knowledge-external/sse`, made.out.trim());
    await check(client, kenning.url, root, files);
  } finally {
    server.child.kill("SIGTERM");
    await server.stopped;
    kenning.remove();
  }
  console.log(`${files.length} files in ${seconds.toFixed(0)} s`);
}

async function check(client: Client, url: string, root: string, files: Imported["files"]): Promise<void> {
  const read = files.filter(({ status, documentId }) => status === "indexed" && documentId !== null);
  const texts = new Map<number, string>();
  const wrong: string[] = [];
  const { items } = await call<{ items: { knowledge_base_id: number }[] }>(
    client,
    "wegent_kb_list_knowledge_bases",
    {},
  );
  const base = items[0]!.knowledge_base_id;
  for (const { file, documentId } of read) {
    const text = await textOf(client, documentId!, READ_AT_ONCE);
    texts.set(documentId!, text);
    if (text.trim() === "") wrong.push(`${file}: has no text`);
    if (text.length < 200_000 && (await textOf(client, documentId!, Math.ceil(text.length / 3) + 1)) !== text)
      wrong.push(`${file}: its pages are not its text`);
    const bytes = await download(client, url, documentId!);
    if (sha256(bytes) !== sha256(readFileSync(join(root, file)))) wrong.push(`${file}: other bytes`);
  }
  const rarity = rarityIn([...texts.values()]);
  let searched = 0;
  for (const { file, documentId } of read) {
    const phrase = rarePhrase(texts.get(documentId!)!, rarity);
    if (phrase === "") continue;
    searched += 1;
    const args = { query: phrase.slice(0, 2_000), knowledge_base_ids: [base], max_results: 10 };
    const found = await call<{ records: { document_id: number; content: string }[] }>(
      client,
      "wegent_kb_search_content",
      args,
    );
    // The same passage in two documents is told once.
    const isHit = ({ document_id, content }: { document_id: number; content: string }) =>
      document_id === documentId || wordsOf(content).join(" ").includes(wordsOf(phrase).join(" "));
    if (!found.records.some(isHit)) wrong.push(`${file}: not found by ${JSON.stringify(phrase)}`);
  }
  report(files, wrong, searched);
}

async function textOf(client: Client, document_id: number, limit: number): Promise<string> {
  let text = "";
  for (let offset = 0; ; offset += limit) {
    const args = { document_id, offset, limit };
    const { content, has_more } = await call<Content>(client, "wegent_kb_get_document_content", args);
    text += content;
    if (!has_more) return text;
  }
}

async function download(client: Client, url: string, document_id: number): Promise<Buffer> {
  const args = { document_id, disposition: "attachment" };
  const { resource_url, headers } = await call<Credential>(client, "wegent_kb_get_document_download", args);
  const answer = await fetch(`${url}${resource_url}`, { headers });
  return Buffer.from(await answer.arrayBuffer());
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** In how many texts each word stands. */
function rarityIn(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The run of words in one line of a text that the fewest other texts have. */
function rarePhrase(text: string, rarity: Map<string, number>): string {
  let [best, most] = ["", 0];
  for (const line of text.split("\n").slice(0, 5_000)) {
    const words = line.match(/[\p{L}\p{N}]+/gu) ?? [];
    for (let at = 0; at < Math.max(1, words.length - PHRASE_WORDS + 1); at += 3) {
      const run = words.slice(at, at + PHRASE_WORDS);
      const worth = run.reduce((sum, word) => sum + 1 / (rarity.get(word.toLowerCase()) ?? 1), 0);
      if (worth > most) [best, most] = [run.join(" "), worth];
    }
  }
  return best;
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function report(files: Imported["files"], wrong: readonly string[], searched: number): void {
  const kinds = Map.groupBy(files, ({ file }) => extname(file).toLowerCase());
  console.log("\n| kind | files | read |\n| --- | --- | --- |");
  for (const [kind, own] of [...kinds].sort())
    console.log(`| ${kind} | ${own.length} | ${own.filter(({ status }) => status === "indexed").length} |`);
  for (const { file, reason } of files.filter(({ status }) => status === "failed"))
    console.log(`failed ${file}: ${reason}`);
  for (const line of wrong) console.log(`WRONG ${line}`);
  console.log(`\n${searched} were searched for; ${wrong.length} things are wrong.`);
}
