import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { mapBounded } from "../../src/kernel/concurrency.ts";
import { SURFACES, type SurfaceName, type TokenLimits } from "../../src/registry/caller.ts";
import { promptsOf } from "../../src/registry/define-prompt.ts";
import { resourcesOf } from "../../src/registry/define-resource.ts";
import { changesSomething, TOOLSETS, type Tool, toolsOf } from "../../src/registry/define-tool.ts";
import type { Slice } from "../../src/registry/registry.ts";
import { makeDataset, resultOf } from "../support/datasets.ts";
import { addDocument, makeBase } from "../support/knowledge.ts";
import { callTool } from "../support/mcp.ts";
import { openShop, type Shop, saveModel, shopModel, textOf } from "../support/models.ts";
import { PATHS, rpc } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** Every tool, resource, prompt and completion with every kind of limit that a token can have. */

/** Stands in whatever a token for the model `shop` must not see. */
const SECRET = "hush-hush-model";

/** Operations whose author thought of no limit. They have the weakest permissions, so that only limits stop anybody. */
const careless: Slice<object> = {
  services: {},
  tools: [
    toolsOf<object>()({
      name: "careless_tool",
      toolset: "system",
      wire: { bi: "careless_tool", agent: "careless_tool", memory: "careless_tool", models: "careless_tool" },
      title: "Careless",
      description: "Says nothing of limits.",
      permission: null,
      effect: "read",
      input: z.strictObject({}),
      output: z.object({ text: z.string() }),
      run: async () => ({ text: SECRET }),
    }),
  ],
  resources: [
    resourcesOf<object>()({
      uri: { all: "careless://{id}", agent: "careless://{id}" },
      name: "careless_resource",
      title: "Careless",
      description: "Says nothing of limits.",
      mimeType: "text/plain",
      permission: null,
      list: async () => [{ params: { id: SECRET }, name: SECRET }],
      complete: async () => [SECRET],
      read: async () => ({ mimeType: "text/plain", text: SECRET }),
    }),
  ],
  prompts: [
    promptsOf<object>()({
      name: "careless_prompt",
      surfaces: ["all", "agent"],
      title: "Careless",
      description: "Says nothing of limits.",
      permission: null,
      arguments: [{ name: "id", description: "Any", required: false }],
      complete: async () => [SECRET],
      get: async () => [{ role: "user", content: { type: "text", text: SECRET } }],
    }),
  ],
};

/** The knowledge base that limited tokens are for; those before it are not theirs. */
const LIMITED_BASE = 4;
const NAMELESS = ["whoami", "list_toolsets", "enable_toolset", "memory_health"];
/** Written out, so that nobody lets a limited token have one more tool by the way. */
const OF_MODELS = [
  "list_semantic_models",
  "get_semantic_model",
  "get_datasets",
  "execute_query",
  "execute_stored_query",
  "request_improvement",
  "read_semantic_model",
  "list_stored_queries",
  "list_verified_questions",
  "update_stored_query",
  "list_improvement_requests",
  "close_improvement_request",
  "ask_question",
  "query_metrics",
  "get_answer",
  "mark_answer",
];
const OF_KNOWLEDGE = [
  "list_knowledge_bases",
  "browse_knowledge_base",
  "search_documents",
  "read_document",
  "download_document",
  "add_document",
  "share_knowledge_base",
  "list_documents",
  "change_document",
  "change_folder",
  "request_upload",
  "delete_document",
  "ask_documents",
];

type Case = readonly [name: string, limits: Partial<TokenLimits>, isAllowed: (tool: Tool) => boolean];
const CASES: readonly Case[] = [
  // Auditing and reading drafts take permissions that a read-only token lacks.
  [
    "read-only",
    { readOnly: true },
    ({ effect, permissions }) => !changesSomething(effect) && isReading(permissions),
  ],
  ...Object.keys(TOOLSETS).map(
    (name): Case => [`toolset ${name}`, { toolsets: [name] }, ({ toolset }) => toolset === name],
  ),
  ["models", { models: ["shop"] }, ({ name }) => [...NAMELESS, ...OF_MODELS].includes(name)],
  ["knowledge bases", { knowledgeBases: [4] }, ({ name }) => [...NAMELESS, ...OF_KNOWLEDGE].includes(name)],
  [
    "models and knowledge bases",
    { models: ["Shop"], knowledgeBases: [4] },
    ({ name }) => [...NAMELESS, ...OF_MODELS, ...OF_KNOWLEDGE].includes(name),
  ],
  [
    "all at once",
    { readOnly: true, toolsets: ["models"], models: ["shop"], knowledgeBases: [4] },
    ({ name, effect, permissions }) =>
      OF_MODELS.includes(name) && effect === "read" && isReading(permissions),
  ],
];

function isReading(permissions: readonly string[]): boolean {
  return permissions.every((permission) => permission.endsWith(":read"));
}

const NO_ANSWER = "00000000-0000-4000-8000-000000000000";
const REFUSED =
  /unknown tool|not found|insufficient permissions|is missing|read-only|none of the toolsets|reaches more than the (semantic models|knowledge bases)/i;
const path = (surface: SurfaceName) => PATHS[surface] + (surface === "all" ? "?toolsets=all" : "");

let server: TestServer;
let shop: Shop;
let database: Client;
/** What a call needs to know of the model that is asked for. */
const subjects: Record<
  string,
  { storedQueryId: string; request: number; uuid: string; base: number; document: number }
> = {};
const tokens: Record<string, string> = {};
const figures = { listings: 0, listed: 0, refusals: 0, calls: 0 };

beforeAll(async () => {
  const env = { RATE_LIMIT_ENABLED: "false" };
  server = await startTestServer({ env, extend: (registry) => registry.add(careless) });
  shop = await openShop(server);
  const { admin } = shop;
  await makeDataset(server, admin, "Hidden", [{ a: SECRET }]);
  for (let id = 0; id < LIMITED_BASE; ) id = await makeBase(server, admin, { name: `Base ${id}` });
  const hidden = { name: SECRET, description: SECRET };
  const models = { shop: shop.model, [SECRET]: await saveModel(server, admin, shopModel(hidden)) };
  for (const [modelName, { id }] of Object.entries(models)) {
    const sql = `SELECT '${modelName}' AS a FROM orders`;
    const run = await resultOf<{ storedQueryId: string }>(server, admin, "execute_query", { modelName, sql });
    const asked = { modelName, title: modelName, description: modelName };
    await resultOf(server, admin, "request_improvement", asked);
    const { requests } = await resultOf<{ requests: { id: number }[] }>(
      server,
      admin,
      "list_improvement_requests",
      { limit: 1 },
    );
    const base = modelName === SECRET ? 3 : LIMITED_BASE;
    const { document_id: document } = await addDocument(server, admin, base, "a.txt", `about ${modelName}`);
    subjects[modelName] = { ...run, request: requests[0]?.id ?? 0, uuid: id, base, document };
  }
  const { email } = (await resultOf<{ user: { email: string } }>(server, admin, "whoami", {})).user;
  for (const [name, limits] of CASES) tokens[name] = await server.token({ email, limits });
  database = new Client({ connectionString: server.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await server.stop();
  console.log(`token limits: ${JSON.stringify(figures)}`);
});

async function namesFor(surface: SurfaceName, token: string): Promise<string[]> {
  const { body } = await rpc<{ tools: { name: string }[] }>(server, path(surface), "tools/list", { token });
  figures.listings += 1;
  const names = (body.result?.tools ?? []).map(({ name }) => name).toSorted();
  figures.listed += names.length;
  return names;
}

it("has tools for pages alone, which no list shows, reach nothing of the workspace", () => {
  const tools = SURFACES.flatMap((surface) => server.app.registry.tools(surface)).map(({ tool }) => tool);
  const forApps = tools.filter(({ isForApps }) => isForApps);
  expect(forApps.map(({ name }) => name)).toContain("draw_picture");
  for (const { name, within, effect } of forApps)
    expect({ name, within, effect }).toEqual({ name, within: [], effect: "read" });
});

describe.each(CASES)("a token limited to: %s", (name, _limits, isAllowed) => {
  it.each(SURFACES)("sees on %s what keeps to its limits, and is refused the rest", async (surface) => {
    const token = tokens[name] as string;
    const all = server.app.registry.tools(surface).filter(({ tool }) => !tool.isForApps);
    const allowed = all.filter(({ tool }) => isAllowed(tool)).map((tool) => tool.name);
    expect(await namesFor(surface, token)).toEqual(allowed.toSorted());
    const others = all.map((tool) => tool.name).filter((tool) => !allowed.includes(tool));
    const refuse = async (tool: string) => {
      const answer = await callTool(server, token, tool, {}, PATHS[surface]);
      expect(answer.result?.isError, tool).not.toBe(false);
      expect(textOf(answer), tool).toMatch(REFUSED);
      figures.refusals += 1;
    };
    // A person has so many requests at once; there are more tools.
    await mapBounded(others, 50, refuse);
  });

  it("finds the REST twins no wider", async () => {
    const token = tokens[name] as string;
    const list = await server.request(`${PATHS.bi}/tools`, { token });
    const listed = ((await list.json()) as { name: string }[]).map((tool) => tool.name);
    const all = server.app.registry.tools("bi");
    expect(listed).toEqual(all.filter(({ tool }) => isAllowed(tool)).map((tool) => tool.name));
    for (const tool of all.filter((each) => !isAllowed(each.tool))) {
      const json = { name: tool.name, arguments: {} };
      const { status } = await server.request(`${PATHS.bi}/tools/call`, { token, json });
      expect([403, 404], tool.name).toContain(status);
      figures.refusals += 1;
    }
  });

  it.each(["all", "agent"] as const)("reads no other resource or prompt on %s", async (surface) => {
    const token = tokens[name] as string;
    const ask = async (method: string, params?: Record<string, unknown>) => {
      figures.calls += 1;
      return (await rpc(server, PATHS[surface], method, { token, ...(params && { params }) })).text;
    };
    const isWide = name === "read-only";
    const seesModels = isWide || /models|all at once/.test(name);
    const base = surface === "all" ? "kenning://models" : "knecta://ontologies";
    const ref = (uri: string) => ({
      ref: { type: "ref/resource", uri },
      argument: { name: "id", value: "" },
    });
    const prompt = {
      ref: { type: "ref/prompt", name: "careless_prompt" },
      argument: { name: "id", value: "" },
    };
    const answers = [
      await ask("resources/list"),
      await ask("resources/templates/list"),
      await ask("prompts/list"),
      await ask("resources/read", { uri: "careless://x" }),
      await ask("resources/subscribe", { uri: "careless://x" }),
      await ask("prompts/get", { name: "careless_prompt" }),
      await ask("completion/complete", ref("careless://{id}")),
      await ask("completion/complete", prompt),
    ];
    const own = [
      await ask("resources/read", { uri: base }),
      await ask("completion/complete", ref(`${base}/{id}`)),
    ];
    const foreign = [
      await ask("resources/read", { uri: `${base}/${subjects[SECRET]?.uuid}` }),
      await ask("resources/read", { uri: `${base}/${subjects[SECRET]?.uuid}/datasets/orders` }),
    ];
    const seen = [...answers, ...own].join("\n");
    expect(seen.includes("careless_resource"), seen).toBe(isWide);
    expect(own.every((text) => text.includes(subjects.shop?.uuid ?? ""))).toBe(seesModels);
    // A toolset is a limit of what can be done; only names tell one model from another.
    const mayForeign = isWide || name === "toolset models";
    expect(own.some((text) => text.includes(subjects[SECRET]?.uuid ?? ""))).toBe(mayForeign);
    expect(foreign.every((text) => text.includes('"error"'))).toBe(!mayForeign);
    if (!mayForeign) expect([...answers, ...own, ...foreign].join("\n")).not.toContain(SECRET);
  });
});

/** Arguments with which each tool that a limited token sees does its work, on the model of that name. */
function argumentsOf(modelName: string): Record<string, Record<string, unknown>> {
  const { storedQueryId, request, base, document } = subjects[modelName] as (typeof subjects)[string];
  const dataset = { asset_type: "dataset", asset_id: shop.orders };
  return {
    whoami: {},
    list_toolsets: {},
    enable_toolset: { toolset: "system" },
    memory_health: {},
    memory_stats: {},
    recall: { query: "about" },
    recall_at_time: { query: "about" },
    list_relations: { memory_id: "memory_none" },
    store_memory: { content: "about" },
    upload_document: { content: "about" },
    update_fact: { target_id: "memory_none", new_title: "a", new_content: "b" },
    list_memories: {},
    get_memory: { memory_id: "memory_none" },
    change_memory: { memory_id: "memory_none", action: "pin" },
    retract_memory: { memory_id: "memory_none" },
    erase_memory: { memory_id: "memory_none" },
    list_relation_types: {},
    set_relation_rules: { turtle: null },
    link_memories: { from_id: "memory_none", to_id: "memory_nobody", rel_type: "OWNS" },
    unlink_memories: { from_id: "memory_none", to_id: "memory_nobody", rel_type: "OWNS" },
    careless_tool: {},
    carry_out: { instruction: "list my dashboards" },
    list_datasets: {},
    list_datasources: {},
    list_queries: {},
    list_alerts: {},
    list_reports: {},
    list_channels: {},
    get_insights: { dataset_id: shop.orders },
    list_deliveries: {},
    list_verified_questions: { model: modelName },
    get_query_run: { run_id: 1 },
    get_data: { dataset_id: shop.orders },
    get_details: dataset,
    export_data: { dataset_id: shop.orders, format: "csv" },
    search: { query: "orders" },
    search_assets: { query: "orders" },
    fetch: { id: `document:${document}` },
    list_dashboards: {},
    list_dashboard_filters: { dashboard_id: 1 },
    find_widget: { name: "" },
    preview_widget: { draft: { dataset_id: shop.orders, chart_type: "datagrid2" }, width: 300, height: 200 },
    list_members: {},
    get_usage: {},
    preview_policies: { dataset_id: shop.orders, email: "nobody@example.com" },
    preview_file: { file_url: "no such file" },
    test_llm_provider: { name: "none" },
    list_embeds: {},
    export_dashboard: { dashboard_id: 1 },
    list_semantic_models: {},
    get_semantic_model: { modelName },
    get_datasets: { modelName, datasets: [{ name: "orders" }] },
    read_semantic_model: { modelName },
    execute_query: { modelName, sql: "SELECT count(*) AS n FROM orders" },
    execute_stored_query: { storedQueryId },
    list_stored_queries: { everyone: modelName === SECRET },
    update_stored_query: { storedQueryId, name: "Named" },
    request_improvement: { modelName, title: "More", description: "More of it" },
    list_improvement_requests: { state: "all" },
    close_improvement_request: { id: request, state: "done" },
    ask_question: { question: "revenue", model: modelName },
    query_metrics: { metrics: ["count(orders)"], model: modelName },
    get_answer: { answer_id: NO_ANSWER },
    list_threads: {},
    get_thread: { thread_id: NO_ANSWER },
    mark_answer: { answer_id: NO_ANSWER, mark: "right" },
    list_knowledge_bases: {},
    browse_knowledge_base: { knowledge_base_id: base },
    search_documents: { query: "about" },
    read_document: { document_id: document },
    download_document: { document_id: document },
    add_document: { knowledge_base_id: base, file_name: "b.txt", content: "more" },
    list_documents: {},
    change_document: { document_id: document, name: "c.txt" },
    request_upload: { knowledge_base_id: base, file_name: "d.txt" },
    change_folder: { knowledge_base_id: base, folder_id: 999 },
    delete_document: { document_id: document, confirm: false },
    ask_documents: { question: "what is it about?" },
    share_knowledge_base: { knowledge_base_id: base, group: "nobody", access: "reader" },
    infer_semantic_model: { name: "guessed" },
    ask_data: { question: "how many orders", dataset_ids: [shop.orders] },
  };
}

/** All that the catalog holds, but for what is noted of calls themselves. */
async function fingerprint(): Promise<string> {
  const { rows: tables } = await database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^(audit|usage$|retrieval_changes$)' ORDER BY 1",
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const row = `to_jsonb(t) - 'last_used_at' - 'last_used_client' - 'ran_at'`;
    const { rows } = await database.query(
      `SELECT md5(coalesce(string_agg((${row})::text, '' ORDER BY (${row})::text), '')) AS hash FROM "${name}" t`,
    );
    parts.push(`${name} ${rows[0].hash}`);
  }
  return parts.join("\n");
}

async function callAll(name: string, modelName: string): Promise<Map<string, string>> {
  const token = tokens[name] as string;
  const answers = new Map<string, string>();
  for (const tool of await namesFor("all", token)) {
    const args = argumentsOf(modelName)[tool];
    expect(args, `argumentsOf does not say how to call ${tool}`).toBeDefined();
    const answer = await callTool(server, token, tool, args);
    figures.calls += 1;
    answers.set(
      tool,
      answer.result?.isError === false ? JSON.stringify(answer.result) : `!${textOf(answer)}`,
    );
  }
  return answers;
}

describe("what a limited token sees keeps to its limits", () => {
  it.each(["read-only", "all at once"])("%s: nothing is changed by whatever it calls", async (name) => {
    const before = await fingerprint();
    const answers = await callAll(name, "shop");
    for (const ofNothing of [
      "get_query_run",
      "list_relations",
      "get_memory",
      "get_answer",
      "get_thread",
      "export_dashboard",
      "list_dashboard_filters",
      "preview_policies",
      "preview_file",
      "test_llm_provider",
    ])
      answers.delete(ofNothing);
    expect([...answers].filter(([, text]) => text.startsWith("!"))).toEqual([]);
    expect(await fingerprint()).toBe(before);
  });

  it("read-only: nothing is changed by an instruction either", async () => {
    const before = await fingerprint();
    const instruction = 'Create an empty dashboard called "Mine"';
    const { result } = await callTool(server, tokens["read-only"] as string, "carry_out", { instruction });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toContain("Nothing was done");
    expect(await fingerprint()).toBe(before);
  });

  it.each(["models", "models and knowledge bases", "all at once"])(
    "%s: other models are not there",
    async (name) => {
      const before = await fingerprint();
      const answers = await callAll(name, SECRET);
      const asked = Object.entries(argumentsOf(SECRET)).filter(([, args]) =>
        JSON.stringify(Object.values(args)).match(new RegExp(`${SECRET}|${subjects[SECRET]?.storedQueryId}`)),
      );
      for (const [tool] of asked) expect(answers.get(tool) ?? "!", tool).toMatch(/^!/);
      // Errors repeat the name that the caller gave.
      const told = [...answers].map(([tool, text]) => text.replaceAll(`semantic model "${SECRET}"`, tool));
      expect(told.join("\n")).not.toContain(SECRET);
      expect(await fingerprint()).toBe(before);
    },
  );

  it("models: its own are", async () => {
    const answers = await callAll("models", "shop");
    for (const ofNothing of ["get_answer", "mark_answer"]) answers.delete(ofNothing);
    expect([...answers].filter(([, text]) => text.startsWith("!"))).toEqual([]);
  });
});
