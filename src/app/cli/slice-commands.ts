import { type Command, defineCommand, JSON_OPTION, type Option, WORKSPACE } from "./command.ts";

const FILTERS = {
  workspace: { value: "SLUG", description: "Only this workspace; default: all, and what belongs to none" },
  action: { value: "NAME", description: "Such as mcp.tool.call, auth.sign_in or auth.denied" },
  user: { value: "EMAIL", description: "Only what this person did" },
  token: { value: "ID", description: "Only what was done with this token" },
  application: { value: "NAME", description: "Only what this OAuth application did, by its id or its name" },
  address: { value: "IP", description: "Only from this address" },
  dataset: { value: "ID", description: "Only what read or changed this dataset" },
  since: { value: "TIME", description: "From then on: 2026-11-17T14:00Z, or how long ago, such as 2h" },
  until: { value: "TIME", description: "Up to then, likewise" },
  "slower-than": { value: "MS", description: "Only what took longer" },
  failed: { description: "Only what failed or was refused" },
} as const satisfies Record<string, Option>;

/** Commands about what happened. */
export const AUDIT_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "audit list",
    reads: true,
    summary: "List audit events, the newest first",
    options: { ...FILTERS, limit: { value: "N", description: "How many; default: 50" }, ...JSON_OPTION },
    run: async (input, terminal) => (await import("./audit.ts")).listAudit(input, terminal),
  }),
  defineCommand({
    name: "audit export",
    summary: "Write audit events as JSON Lines, the newest first",
    options: { ...FILTERS, output: { value: "FILE", description: "Where to; default: standard output" } },
    run: async (input, terminal) => (await import("./audit.ts")).exportAudit(input, terminal),
  }),
];

/** Commands about datasources and the queries on them. */
export const DATASOURCE_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "datasource test",
    summary: "Try the connection of a datasource",
    args: { datasource: "Its name or its id" },
    options: { workspace: WORKSPACE, ...JSON_OPTION },
    notes: ["The exit code is 1 when the connection does not work."],
    run: async (input, terminal) => (await import("./connections.ts")).testDatasource(input, terminal),
  }),
  defineCommand({
    name: "query run",
    summary: "Run a query and wait for its end",
    args: { query: "Its name or its id" },
    options: { workspace: WORKSPACE, ...JSON_OPTION },
    notes: ["The server need not run. The exit code is 1 when the run fails."],
    run: async (input, terminal) => (await import("./connections.ts")).runQuery(input, terminal),
  }),
];

/** Commands about the demo workspace. */
export const DEMO_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "demo create",
    summary: "Make and fill the workspace demo: a company that does not exist, to try everything with",
    notes: [
      "The first start on an empty home does so by itself. One that was begun and is not full is filled further. A server adds each new day to it.",
    ],
    run: async (_input, terminal) => (await import("./installation.ts")).createDemo(terminal),
  }),
  defineCommand({
    name: "demo remove",
    summary: "Remove the demo workspace with everything in it, also what you have added there",
    run: async (_input, terminal) => (await import("./installation.ts")).removeDemo(terminal),
  }),
];

const TEST_BED = {
  model: { value: "FILE", description: "The semantic model; without one it is guessed from the tables" },
  tables: { value: "DIR", description: "A folder with a .csv file for each of its sources", required: true },
} as const;

/** Commands that test semantic models with questions. */
export const EVAL_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "eval questions",
    reads: true,
    summary: "Ask questions over a model and its tables, and compare the answers with the right ones",
    options: {
      ...TEST_BED,
      questions: { value: "FILE", description: "One question a line, as JSON", required: true },
      out: { value: "FILE", description: "Where to write the answers, one a line" },
      "at-least": { value: "PERCENT", description: "Exit with 1 where fewer are right" },
    },
    notes: [
      "A question has: question, and if you like id, as_of (today's date for it), kind, expect (answer, clarify or refuse), rows (the right ones), ordered.",
      "One that builds on an earlier one has follows: the id of that.",
      "Everything runs in a temporary place; the data of the server are not touched.",
    ],
    run: async (input, terminal) => (await import("./eval.ts")).evalQuestions(input, terminal),
  }),
  defineCommand({
    name: "eval trace",
    reads: true,
    summary: "Show how a question is read, stage by stage",
    args: { question: "The question, as one word" },
    options: {
      ...TEST_BED,
      "as-of": { value: "DATE", description: "Today's date for it" },
    },
    notes: ["What each word can mean, the readings with what speaks against each, and what is missing."],
    run: async (input, terminal) => (await import("./eval.ts")).evalTrace(input, terminal),
  }),
  defineCommand({
    name: "eval verified",
    reads: true,
    summary: "Test published models with the questions whose answers were marked as right",
    options: {
      workspace: WORKSPACE,
      model: { value: "NAME", description: "Only this semantic model" },
    },
    notes: [
      "Each is run on the present model, and read again by the rules as of the time when it was asked.",
      "The exit code is 1 when a model cannot answer one of them any more.",
    ],
    run: async (input, terminal) => (await import("./eval-verified.ts")).evalVerified(input, terminal),
  }),
];

/** Commands about knowledge bases, and the indexes that they are searched by. */
export const KB_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "kb import",
    summary: "Put the files of a folder, and of those below it, into a knowledge base",
    args: { folder: "The folder; hidden files are left out" },
    options: {
      workspace: WORKSPACE,
      base: { value: "NAME", description: "Name or id of the knowledge base", required: true },
      ...JSON_OPTION,
    },
    notes: [
      "It ends when every file is searchable or has failed, and says which and why. The exit code is 1 when all of them failed.",
      "A file that was there already is left alone; one that has changed becomes a new version of its document.",
    ],
    run: async (input, terminal) => (await import("./kb.ts")).importFolder(input, terminal),
  }),
  defineCommand({
    name: "reindex",
    summary: "Build the search indexes of documents and memories anew from what the database holds",
    options: { workspace: { value: "SLUG", description: "Only this one" }, ...JSON_OPTION },
    notes: [
      "Searches go on meanwhile: a server that runs builds its own indexes beside those that answer, and changes over when they are ready.",
    ],
    run: async (input, terminal) => (await import("./kb.ts")).reindex(input, terminal),
  }),
];

export const LLM_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "llm test",
    summary: "Ask a language model for one word, to see that it answers",
    args: { name: "What it is called in this workspace" },
    options: { workspace: WORKSPACE },
    run: async (input, terminal) => (await import("./connections.ts")).testProvider(input, terminal),
  }),
];

/** Commands about the memory of a workspace. */
export const MEMORY_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "memory import",
    summary: "Store the memories of a JSON Lines file or of a folder with Markdown notes",
    args: { path: "A file with one JSON object a line, or a folder" },
    options: { workspace: WORKSPACE, ...JSON_OPTION },
    notes: [
      "A line has content and, if wished, title, memory_type, tags, source, memory_id, valid_from, valid_to, created_at, kind (document), and relations as a list of rel_type and to; an export also writes versions, what it said before. Notes have the same in their front matter. The file of @modelcontextprotocol/server-memory is taken as it is.",
      "What is there already is left alone, so that an import that was stopped can be started again. Types of relations that the workspace does not know become RELATED_TO, and are told. The exit code is 1 when everything failed.",
    ],
    run: async (input, terminal) => (await import("./memory.ts")).importPath(input, terminal),
  }),
  defineCommand({
    name: "memory export",
    summary: "Write all memories of a workspace",
    args: { path: "A file, or for Markdown a folder" },
    options: {
      workspace: WORKSPACE,
      format: {
        value: "FORMAT",
        choices: ["jsonl", "markdown", "server-memory"],
        description: "jsonl for a file that ends so, otherwise markdown",
      },
    },
    notes: [
      "With what each memory said before, except in the format server-memory. What was retracted is not written.",
    ],
    run: async (input, terminal) => (await import("./memory.ts")).exportPath(input, terminal),
  }),
];
