import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { parseArgs } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Child } from "./data/child.ts";
import type { Hello } from "./data/mcp.ts";

/**
 * How long a question in plain words takes over MCP, phase by phase, beside execute_query with the very SQL that it
 * became: the difference is what understanding, checking and explaining cost.
 */
const { values } = parseArgs({
  options: {
    model: { type: "string" },
    tables: { type: "string" },
    questions: { type: "string" },
    rounds: { type: "string", default: "3" },
  },
});
const { model, tables, questions } = values;
if (model === undefined || tables === undefined || questions === undefined) {
  console.error("npm run bench -- agent --model FILE.yaml --tables DIR --questions FILE.jsonl");
  process.exit(2);
}

interface Answered {
  outcome: string;
  sql: string | null;
}

const texts = readFileSync(questions, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => (JSON.parse(line) as { question: string }).question);

const server = await Child.start<Hello>("kenning");
const client = new Client({ name: "bench", version: "1.0.0" });
const headers = { authorization: `Bearer ${server.hello.token}` };
const url = new URL(`${server.hello.url}?toolsets=all`);
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));

async function call<T>(name: string, args: object, onPhase?: (phase: string) => void): Promise<T> {
  const onprogress = ({ message = "" }: { message?: string | undefined }) => onPhase?.(message);
  const result = await client.callTool(
    { name, arguments: { ...args } },
    onPhase === undefined ? {} : { onprogress },
  );
  if (result.isError === true) throw new Error(JSON.stringify(result.content));
  return result.structuredContent as T;
}

for (const file of readdirSync(tables).filter((name) => name.endsWith(".csv"))) {
  const content = readFileSync(join(tables, file), "utf8");
  await call("import_file", { dataset_name: basename(file, extname(file)), content, file_type: "csv" });
}
await call("save_semantic_model", { content: readFileSync(model, "utf8"), publish: true });
const { models } = await call<{ models: { name: string }[] }>("list_semantic_models", {});
const { name } = models[0] as { name: string };

const total: number[] = [];
const plain: number[] = [];
const phases = new Map<string, number[]>();
const add = (phase: string, ms: number) => phases.set(phase, [...(phases.get(phase) ?? []), ms]);

/** Between two reports of progress lies the phase that the first one named. */
async function ask(question: string): Promise<Answered> {
  let since = performance.now();
  let phase = "Before";
  const started = since;
  const next = (name: string) => {
    const now = performance.now();
    add(phase, now - since);
    [phase, since] = [name, now];
  };
  const answer = await call<Answered>("ask_question", { question, model: name }, next);
  next("");
  total.push(performance.now() - started);
  return answer;
}

for (let round = 0; round <= Number(values.rounds); round += 1) {
  // The first round reads the values of the data and warms up.
  if (round === 1) {
    total.length = 0;
    plain.length = 0;
    phases.clear();
  }
  for (const text of texts) {
    const { sql } = await ask(text);
    if (sql === null) continue;
    const started = performance.now();
    await call("execute_query", { modelName: name, sql, store: false });
    plain.push(performance.now() - started);
  }
}

function line(what: string, all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
  return `| ${what} | ${sorted.length} | ${at(0.5)} | ${at(0.95)} | ${at(0.999)} |`;
}

console.log(
  ["| what | times | p50 ms | p95 ms | longest |", "| --- | --- | --- | --- | --- |"]
    .concat(line("**ask_question**", total), line("execute_query with its SQL", plain))
    .concat([...phases].map(([phase, all]) => line(phase, all)))
    .join("\n"),
);
await client.close();
await server.stop();
