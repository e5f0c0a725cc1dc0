import { randomBytes, randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SURFACES, type SurfaceName, type TokenLimits } from "../../src/registry/caller.ts";
import { callTool } from "../support/mcp.ts";
import { saveModel, shopModel } from "../support/models.ts";
import { answerOf, PATHS, rpc } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/**
 * Everything that can be asked, by an admin of another workspace, by a viewer, by tokens with limits and by nobody, with
 * arguments that get past all checks: the ids and names of what a workspace holds. All that is there holds a word that stands nowhere else: whatever answer has one of them that was
 * not in the question tells of the workspace.
 */

const ACME: Readonly<Record<SurfaceName, string>> = PATHS;
const OTHER: Readonly<Record<SurfaceName, string>> = { ...PATHS, models: "/mcp/other/mcp" };
const NO_SUCH = 987_654;

interface Listed {
  name: string;
  inputSchema: Schema;
}
interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  anyOf?: Schema[];
  const?: unknown;
  default?: unknown;
}

let server: TestServer;
let admin: string;
let viewer: string;
let stranger: string;
let database: Client;
const words: string[] = [];
/** Ids of what there is, by what an argument that takes one is called. */
const ids: Record<string, number | string> = {};
const figures = { calls: 0, answered: 0, pages: 0, tools: 0, pastChecks: 0 };

function word(): string {
  const made = `zq${randomBytes(6).toString("hex")}`;
  words.push(made);
  return made;
}

async function make(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { result, error } = await callTool(server, admin, tool, args);
  if (result?.isError === false) return result.structuredContent as Record<string, unknown>;
  throw new Error(`${tool}: ${result?.content[0]?.text ?? error?.message}`);
}

async function plantData(): Promise<void> {
  const rows = [1, 2, 3].map((amount) => ({ amount, day: "2026-01-05", note: word() }));
  ids.dataset = Number((await make("push_data", { dataset_name: word(), rows })).dataset_id);
  const order = { id: 1, customer_id: 1, net: 10, cost: 4, region: word(), note: word() };
  await make("push_data", { dataset_name: "Orders", rows: [order] });
  await make("push_data", { dataset_name: "Customers", rows: [{ id: 1, name: word(), city: word() }] });
  const { id } = await saveModel(server, admin, shopModel({ name: word(), description: word() }));
  ids.model = id;
  ids.modelName = words.at(-2) as string;
  const sql = `SELECT '${word()}' AS a FROM orders`;
  const run = await make("execute_query", { modelName: ids.modelName, sql });
  ids.storedQueryId = String(run.storedQueryId);
  await make("request_improvement", { modelName: ids.modelName, title: word(), description: word() });
  const { requests } = await make("list_improvement_requests", {});
  ids.request = (requests as { id: number }[])[0]?.id ?? 0;
  const asked = await make("ask_question", { question: "how many orders", model: ids.modelName });
  ids.answer = String(asked.id);
  ids.thread = randomUUID();
  await make("change_thread", { thread_id: ids.thread, question: `Where is ${word()}?` });
  const source = { name: word(), type: "csv", host: `http://127.0.0.1:9/${word()}`, connection_test: "skip" };
  ids.datasource = Number((await make("create_datasource", source)).datasource_id);
  const query = { name: word(), datasource_id: ids.datasource, query: "", run_now: false };
  ids.query = Number((await make("create_query", query)).query_id);
}

async function plantTexts(): Promise<void> {
  ids.base = Number(
    (await make("create_knowledge_base", { name: word(), description: word() })).knowledge_base_id,
  );
  const text = { knowledge_base_id: ids.base, file_name: `${word()}.txt`, content: `About ${word()}.` };
  ids.document = Number((await make("add_document", text)).document_id);
  const inFolder = { ...text, folder: "papers", file_name: "folder.txt" };
  await make("add_document", inFolder);
  const { items } = await make("browse_knowledge_base", { knowledge_base_id: ids.base });
  ids.folder = (items as { raw_id: number }[])[0]?.raw_id ?? 0;
  ids.upload = Number(
    (await make("add_document", { file_name: `${word()}.txt`, content: word() })).document_id,
  );
  const memories = [word(), word()].map((content) => make("store_memory", { content, title: content }));
  const [one, two] = (await Promise.all(memories)).map(({ memory_id }) => String(memory_id));
  ids.memory = String(one);
  ids.other = String(two);
  await make("link_memories", { from_id: one, to_id: two, rel_type: "KNOWS" });
}

async function plantBoards(): Promise<void> {
  const widget = { name: word(), dataset_id: ids.dataset, x_axis: "note", y_axis: ["amount"] };
  const board = await make("create_dashboard", { name: word(), description: word(), widgets: [widget] });
  ids.dashboard = Number(board.dashboard_id);
  ids.spare = Number((await make("create_dashboard", { name: word() })).dashboard_id);
  ids.widget = (board.widgets as { widget_id: number }[])[0]?.widget_id ?? 0;
  await make("get_embed_url", { dashboard_id: ids.dashboard });
  const { embeds } = await make("list_embeds", {});
  ids.embed = (embeds as { embed_id: number }[])[0]?.embed_id ?? 0;
  const mail = () => `${word()}@example.com`;
  const alert = { dataset_id: ids.dataset, name: word(), condition: "amount > 1", recipients: mail() };
  ids.alert = Number(((await make("create_alert", alert)).alert as { id: number }).id);
  const report = { dashboard_id: ids.dashboard, name: word(), recipients: mail(), body: word() };
  ids.report = Number(((await make("create_report", report)).report as { id: number }).id);
  ids.channel = word();
  ids.provider = word();
  await make("set_channel", { name: ids.channel, kind: "webhook", url: `https://example.com/${word()}` });
  const base_url = `https://example.com/${word()}`;
  await make("set_llm_provider", { name: ids.provider, kind: "openai-compatible", model: word(), base_url });
}

beforeAll(async () => {
  const env = { RATE_LIMIT_ENABLED: "false", KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1" };
  server = await startTestServer({ env });
  await server.app.identity.workspaces.create({ slug: "other" });
  admin = await server.token();
  await server.app.identity.users.create({ email: OWNER, workspace: "acme", role: "admin" });
  viewer = await server.token({ role: "viewer" });
  stranger = await server.token({ workspace: "other" });
  await plantData();
  await plantTexts();
  await plantBoards();
  database = new Client({ connectionString: server.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await server.stop();
  console.log(`strangers: ${JSON.stringify({ ...figures, words: words.length })}`);
});

/** Which planted thing an argument of this name means; undefined for what means none. */
function idFor(name: string): number | string | undefined {
  const plain = name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
  if (/model_?name|^model$/.test(plain)) return ids.modelName;
  if (/stored_query/.test(plain)) return ids.storedQueryId;
  if (/memory|from_id|to_id|target_id/.test(plain)) return ids.memory;
  if (/answer_id/.test(plain)) return ids.answer;
  if (/thread_id/.test(plain)) return ids.thread;
  if (/knowledge_base|^kb/.test(plain)) return ids.base;
  const named = [
    "dashboard",
    "widget",
    "datasource",
    "dataset",
    "query",
    "alert",
    "report",
    "document",
    "embed",
  ];
  const found = named.find((one) => plain.startsWith(one) && /ids?$/.test(plain));
  if (found !== undefined) return ids[found];
  return /ids?$|^id$/.test(plain) ? ids.dataset : undefined;
}

type Ids = typeof ids;
type Args = Record<string, unknown>;
let made = 0;
/** So that what one has made is not in another's way. */
function fresh(): string {
  made += 1;
  return `fresh_${made}`;
}

/** Somebody of the workspace, by an address that tells nothing of it. */
const OWNER = "owner-of-it@example.com";

/** Arguments that get through all checks, for tools whose schema alone does not tell them. */
const EXACT: Readonly<Record<string, (of: Ids) => Args>> = {
  add_document: ({ base }) => ({ knowledge_base_id: base, file_name: `${fresh()}.txt`, content: "A text." }),
  ask_question: ({ modelName }) => ({ model: modelName, question: "how many orders" }),
  query_metrics: ({ modelName }) => ({ model: modelName, metrics: ["count(orders)"] }),
  browse_knowledge_base: ({ base }) => ({ knowledge_base_id: base }),
  fetch: ({ document }) => ({ id: `document:${document}` }),
  change_thread: ({ thread }) => ({ thread_id: thread, title: "Named" }),
  carry_out: ({ dashboard }) => ({
    instruction: "show amount by note as a bar chart",
    dashboard_id: dashboard,
  }),
  change_folder: ({ base, folder }) => ({ knowledge_base_id: base, folder_id: folder, name: fresh() }),
  create_alert: ({ dataset }) => ({ ...anAlert(), dataset_id: dataset }),
  create_datasource: () => ({
    name: fresh(),
    type: "csv",
    host: "http://127.0.0.1:9/a",
    connection_test: "skip",
  }),
  create_query: ({ datasource }) => ({ name: fresh(), datasource_id: datasource, query: "", run_now: false }),
  set_refresh: ({ query }) => ({ query_id: query, every: 1 }),
  create_report: ({ dashboard }) => ({ dashboard_id: dashboard, recipients: "a@example.com" }),
  create_widget: ({ dataset, dashboard }) => ({
    name: fresh(),
    dataset_id: dataset,
    dashboard_id: dashboard,
    x_axis: "note",
  }),
  delete_asset: ({ alert }) => ({ asset_type: "alert", asset_id: alert, confirm: true }),
  delete_document: ({ document }) => ({ document_id: document, confirm: true }),
  preview_file: () => ({ file_url: "data:text/csv,a" }),
  preview_policies: ({ dataset }) => ({ dataset_id: dataset, email: OWNER }),
  test_llm_provider: ({ provider }) => ({ name: provider }),
  preview_widget: ({ widget }) => ({ widget_id: widget, width: 300, height: 200 }),
  draw_picture: () => ({ subject: { kind: "number", value: 1 }, width: 300 }),
  export_dashboard: ({ dashboard }) => ({ dashboard_id: dashboard }),
  export_data: ({ dataset }) => ({ dataset_id: dataset }),
  get_data: ({ dataset }) => ({ dataset_id: dataset }),
  get_datasets: ({ modelName }) => ({ modelName, datasets: [{ name: "orders" }] }),
  get_details: ({ dashboard }) => ({ asset_type: "dashboard", asset_id: dashboard }),
  get_embed_url: ({ dashboard }) => ({ dashboard_id: dashboard }),
  get_insights: ({ dataset }) => ({ dataset_id: dataset }),
  import_file: () => ({ dataset_name: fresh(), content: "a,b\n1,2\n" }),
  infer_semantic_model: () => ({ name: "inferred", datasets: ["Orders"] }),
  link_memories: ({ memory, other }) => ({ from_id: memory, to_id: other, rel_type: "KNOWS" }),
  list_knowledge_bases: () => ({}),
  mark_answer: ({ answer }) => ({ answer_id: answer, mark: "right" }),
  publish_semantic_model: ({ modelName }) => ({ modelName, version: 1 }),
  push_data: () => ({ dataset_name: fresh(), rows: [{ a: 1 }] }),
  remove_channel: ({ channel }) => ({ name: channel }),
  remove_llm_provider: ({ provider }) => ({ name: provider }),
  restore_asset: ({ spare }) => ({ asset_type: "dashboard", asset_id: spare }),
  run: ({ report }) => ({ report_id: report }),
  save_semantic_model: () => ({ content: shopModel({ name: fresh() }) }),
  set_channel: () => ({ name: fresh(), kind: "webhook", url: "https://example.com/hook" }),
  set_llm_provider: () => ({ name: fresh(), kind: "openai", model: "m", api_key: "k" }),
  set_relation_rules: () => ({ turtle: null }),
  share_knowledge_base: ({ base }) => ({ knowledge_base_id: base, description: "A word." }),
  update_stored_query: ({ storedQueryId }) => ({ storedQueryId, name: fresh() }),
  "agent ask_question": ({ model }) => ({ ontologyId: model, question: "how many orders" }),
  "knowmind.link": (of) => EXACT.link_memories!(of),
  "knowmind.unlink": (of) => EXACT.link_memories!(of),
  set_member: () => ({ email: "invited@example.com" }),
  remove_member: () => ({ email: "invited@example.com" }),
  update_fact: ({ other }) => ({ target_id: other, new_title: "Title", new_content: "Content" }),
  unlink_memories: (of) => EXACT.link_memories!(of),
  wegent_kb_list_knowledge_bases: () => ({}),
  wegent_kb_list_nodes: ({ base }) => ({ knowledge_base_id: base }),
  knowi_create_alert: ({ dataset }) => ({
    datasetId: dataset,
    alertName: fresh(),
    alertType: "conditional",
    alertCondition: "amount > 1",
    recipients: "a@example.com",
  }),
  knowi_create_datasource: () => ({ name: fresh(), datasourceType: "csv", host: "http://127.0.0.1:9/a" }),
  knowi_create_query: ({ datasource }) => ({
    name: fresh(),
    datasourceId: datasource,
    queryString: "",
    runNow: false,
  }),
  knowi_create_report: ({ dashboard }) => ({ dashboardId: dashboard, recipients: "a@example.com" }),
  knowi_create_widget: ({ dataset }) => ({ name: fresh(), datasetId: dataset, xAxis: "note" }),
  knowi_delete: ({ spare }) => ({ assetType: "dashboard", assetId: spare, confirm: true }),
  knowi_delete_document: ({ upload }) => ({ documentId: String(upload), confirm: true }),
  knowi_do: ({ dashboard }) => ({
    instruction: "show amount by note as a bar chart",
    dashboardId: dashboard,
  }),
  knowi_export_csv: ({ dataset }) => ({ datasetId: dataset }),
  knowi_export_pdf: ({ widget }) => ({ widgetId: widget }),
  knowi_get_data: ({ widget }) => ({ widgetId: widget }),
  knowi_get_details: ({ dashboard }) => ({ assetType: "dashboard", assetId: dashboard }),
  knowi_get_embed_url: ({ widget }) => ({ widgetId: widget }),
  knowi_get_insights: ({ widget }) => ({ widgetId: widget }),
  knowi_import_file: () => ({ datasetName: fresh(), content: "a,b\n1,2\n" }),
  knowi_ingest_document: () => ({ fileName: `${fresh()}.txt`, content: "A text." }),
  knowi_push_data: () => ({ datasetName: fresh(), rows: [{ a: 1 }] }),
  knowi_run: ({ report }) => ({ reportId: report }),
};

function anAlert() {
  return { name: fresh(), condition: "amount > 1", recipients: "a@example.com" };
}

/** What somebody would send who means these things. */
function exactly(surface: SurfaceName, { name, inputSchema }: Listed, isMissing = false): Args {
  const of = isMissing ? noneOf(ids) : ids;
  const exact = EXACT[`${surface} ${name}`] ?? EXACT[name];
  return exact === undefined ? argumentsFor(inputSchema, false, isMissing) : exact(of);
}

function noneOf(known: Ids): Ids {
  return Object.fromEntries(
    Object.entries(known).map(([name, id]) => {
      const isUuid = /^[0-9a-f]{8}-/.test(String(id));
      const none = isUuid ? "00000000-0000-4000-8000-000000000000" : "none-of-that";
      return [name, typeof id === "number" ? NO_SUCH : none];
    }),
  );
}

/** A value that fits a schema as well as can be told. */
function valueFor(name: string, schema: Schema, isMissing: boolean): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const kind = [schema.anyOf?.[0]?.type ?? schema.type ?? "string"].flat()[0];
  const id = idFor(name);
  if (kind === "array") return [valueFor(name, schema.items ?? {}, isMissing)];
  if (kind === "object") return schema.properties === undefined ? {} : argumentsFor(schema, true, isMissing);
  if (kind === "boolean") return false;
  if (kind === "integer" || kind === "number") {
    if (id === undefined) return 1;
    return isMissing || typeof id !== "number" ? NO_SUCH : id;
  }
  if (id !== undefined && kind === "string") return isMissing ? "none-of-that" : String(id);
  return /sql/i.test(name) ? "SELECT 1" : "amount";
}

function argumentsFor({ properties = {}, required = [] }: Schema, isFull: boolean, isMissing: boolean) {
  const wanted = Object.entries(properties).filter(([name]) => isFull || required.includes(name));
  // Ids that are not required are what a call is about, in most tools.
  const named = Object.entries(properties).filter(([name]) => idFor(name) !== undefined);
  return Object.fromEntries(
    [...wanted, ...(isFull ? [] : named)].map(([name, one]) => [name, valueFor(name, one, isMissing)]),
  );
}

async function toolsOf(paths: Readonly<Record<SurfaceName, string>>, surface: SurfaceName, token: string) {
  const path = paths[surface] + (surface === "all" ? "?toolsets=all" : "");
  const { body } = await rpc<{ tools: Listed[] }>(server, path, "tools/list", { token });
  return body.result?.tools ?? [];
}

/** Words of the workspace in an answer that the question did not have. */
function told(answer: string, question: unknown): string[] {
  const asked = JSON.stringify(question);
  const plain = answer.replace(/[A-Za-z0-9+/]{40,}={0,2}/g, (text) => text + Buffer.from(text, "base64"));
  return words.filter((one) => plain.includes(one) && !asked.includes(one));
}

/** All that is the workspace's, but for what is noted of calls themselves. */
async function fingerprint(): Promise<Record<string, string>> {
  const { rows: tables } = await database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'workspace_id' AND table_name !~ '^(audit|retrieval_changes$)' ORDER BY 1`,
  );
  const hashes: Record<string, string> = {};
  for (const { name } of tables) {
    const row = "to_jsonb(t) - 'last_used_at' - 'last_used_client' - 'ran_at'";
    const { rows } = await database.query(
      `SELECT md5(coalesce(string_agg((${row})::text, '' ORDER BY (${row})::text), '')) AS hash FROM "${name}" t
       WHERE workspace_id = (SELECT id FROM workspaces WHERE slug = 'acme')`,
    );
    hashes[name] = rows[0].hash;
  }
  return hashes;
}

async function call(path: string, token: string, name: string, args: object): Promise<string> {
  const params = { name, arguments: args };
  const { text, body } = await rpc(server, path, "tools/call", { token, params });
  figures.calls += 1;
  if (body.result !== undefined && body.result.isError !== true) figures.answered += 1;
  expect(text, `${name} ${JSON.stringify(args)}`).not.toMatch(/went wrong on our side/);
  return text;
}

function isRefused(text: string): boolean {
  const { result, error } = JSON.parse(text) as { result?: { isError?: boolean }; error?: object };
  return error !== undefined || result?.isError === true;
}

describe("an admin of another workspace", () => {
  it.each(SURFACES)(
    "is told nothing of it by any tool on %s, not even that it is there, and changes nothing",
    async (surface) => {
      const before = await fingerprint();
      const tools = await toolsOf(OTHER, surface, stranger);
      expect(tools.length).toBeGreaterThan(0);
      for (const tool of tools) {
        const ask = async (args: Args) => {
          const answer = await call(OTHER[surface], stranger, tool.name, args);
          expect(told(answer, args), `${tool.name} ${JSON.stringify(args)}\n${answer}`).toEqual([]);
          return answer;
        };
        const args = exactly(surface, tool);
        const foreign = await ask(args);
        await ask(argumentsFor(tool.inputSchema, true, false));
        const none = exactly(surface, tool, true);
        if (JSON.stringify(args) === JSON.stringify(none)) continue;
        const missing = await ask(none);
        expect(isRefused(foreign), `${tool.name}: ${foreign}\n${missing}`).toBe(isRefused(missing));
      }
      expect(await fingerprint()).toEqual(before);
    },
  );

  it("finds its endpoint of models no different from one that there is not", async () => {
    const knock = async (path: string) => {
      const { status, text } = await rpc(server, path, "tools/list", { token: stranger });
      return { status, text: text.replaceAll(path, "") };
    };
    expect(await knock(ACME.models)).toEqual(await knock("/mcp/nowhere/mcp"));
  });

  it.each(SURFACES)("reads, completes and watches nothing of it on %s", async (surface) => {
    const ask = async (method: string, params: Record<string, unknown> = {}) => {
      const { text } = await rpc(server, OTHER[surface], method, { token: stranger, params });
      figures.calls += 1;
      expect(told(text, params), `${method} ${JSON.stringify(params)}\n${text}`).toEqual([]);
      return text;
    };
    await ask("resources/list");
    await ask("prompts/list");
    const { resourceTemplates = [] } = JSON.parse(await ask("resources/templates/list")).result ?? {};
    for (const { uriTemplate } of resourceTemplates as { uriTemplate: string }[]) {
      const fill = (id: unknown) => uriTemplate.replaceAll(/\{[^}]+\}/g, String(id));
      for (const id of Object.values(ids)) {
        await ask("resources/read", { uri: fill(id) });
        await ask("resources/subscribe", { uri: fill(id) });
      }
      for (const [, name] of uriTemplate.matchAll(/\{([^}]+)\}/g))
        for (const value of ["", "z"])
          await ask("completion/complete", {
            ref: { type: "ref/resource", uri: uriTemplate },
            argument: { name, value },
          });
    }
    const { prompts = [] } = JSON.parse(await ask("prompts/list")).result ?? {};
    for (const { name, arguments: wanted = [] } of prompts as {
      name: string;
      arguments?: { name: string }[];
    }[]) {
      await ask("prompts/get", {
        name,
        arguments: Object.fromEntries(wanted.map((one) => [one.name, String(ids.modelName)])),
      });
      for (const argument of wanted)
        await ask("completion/complete", {
          ref: { type: "ref/prompt", name },
          argument: { name: argument.name, value: "" },
        });
    }
  });

  it("gets nothing of it from any other address, and neither does nobody", async () => {
    const routes = server.app.http.routes.filter(
      ({ method, path }) => method !== "ALL" && !path.includes("*"),
    );
    expect(routes.length).toBeGreaterThan(30);
    for (const { method, path } of routes) {
      for (const id of new Set([ids.dashboard, ids.widget, ids.document, ids.embed, ids.model])) {
        const address = path.replaceAll(/:\w+/g, String(id));
        for (const token of [stranger, undefined]) {
          const init = method === "GET" ? {} : { method, json: { name: "knowi_list_dashboards" } };
          const answer = await server.request(address, {
            ...init,
            redirect: "manual",
            ...(token && { token }),
          });
          const { status, text } = await answerOf(answer);
          figures.pages += 1;
          expect(
            { status: status >= 500 && status !== 503, told: told(text, address) },
            `${method} ${address}`,
          ).toEqual({
            status: false,
            told: [],
          });
        }
        if (!path.includes(":")) break;
      }
    }
  });
});

describe("a token that is limited", () => {
  const LIMITS: readonly (readonly [what: string, limits: Partial<TokenLimits>])[] = [
    ["to a model that is not there", { models: ["none-of-that"] }],
    ["to a knowledge base that is not there", { knowledgeBases: [NO_SUCH] }],
    ["to the tools of the server itself", { toolsets: ["system"] }],
  ];
  it.each(LIMITS)("%s is told nothing else, and changes nothing", async (_what, limits) => {
    const limited = await server.token({ limits });
    const before = await fingerprint();
    for (const surface of SURFACES)
      for (const tool of await toolsOf(ACME, surface, admin)) {
        const args = exactly(surface, tool);
        const answer = await call(ACME[surface], limited, tool.name, args);
        expect(told(answer, args), `${tool.name} ${JSON.stringify(args)}\n${answer}`).toEqual([]);
      }
    expect(changedSince(before, await fingerprint())).toEqual([]);
  });
});

/** What somebody may leave behind who only reads: his own questions and answers. */
const OWN = ["stored_queries", "answers", "agent_answers", "counters", "usage_counters", "memory_usage"];

function changedSince(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.keys(after).filter((table) => after[table] !== before[table] && !OWN.includes(table));
}

describe("whoever may only read", () => {
  it.each([
    ["as a viewer", () => viewer],
    ["with a token of an admin that is for reading", () => server.token({ limits: { readOnly: true } })],
  ])("changes nothing by any tool: %s", async (_who, tokenOf) => {
    const token = await tokenOf();
    const before = await fingerprint();
    for (const surface of SURFACES)
      for (const tool of await toolsOf(ACME, surface, admin))
        await call(ACME[surface], token, tool.name, exactly(surface, tool));
    // What calls use up of the plan is counted, whoever makes them.
    expect(changedSince(before, await fingerprint()).filter((table) => table !== "usage")).toEqual([]);
  });
});

it("nobody gets by without a token, on any endpoint", async () => {
  for (const surface of SURFACES)
    for (const tool of await toolsOf(ACME, surface, admin)) {
      const params = { name: tool.name, arguments: exactly(surface, tool) };
      const { status, text } = await rpc(server, ACME[surface], "tools/call", { params });
      figures.calls += 1;
      expect({ status, told: told(text, params) }).toEqual({ status: 401, told: [] });
    }
});

describe("would be found out, because whoever is of the workspace", () => {
  /** Needs something that there is not here: a run that goes on, an outage, an answer of a question, a database. */
  const NOT_HERE = [
    ...["cancel_query_run", "get_query_run", "retry_delivery", "draw_picture"],
    ...["preview_file", "test_llm_provider", "create_live_dataset"],
  ];
  const isLast = ({ name }: Listed) => Number(/delete|erase|remove|retract|revoke|unlink/.test(name));

  it("gets past the checks of nearly every tool, and is told nearly all", async () => {
    const answers: string[] = [];
    const refused: string[] = [];
    for (const surface of SURFACES)
      for (const tool of (await toolsOf(ACME, surface, admin)).sort((a, b) => isLast(a) - isLast(b))) {
        const answer = await call(ACME[surface], admin, tool.name, exactly(surface, tool));
        answers.push(answer);
        figures.tools += 1;
        if (isRefused(answer) && !NOT_HERE.includes(tool.name))
          refused.push(`${surface} ${tool.name}: ${answer}`);
      }
    figures.pastChecks = figures.tools - refused.length - NOT_HERE.length;
    expect(refused).toEqual([]);
    const seen = told(answers.join("\n"), "");
    expect(seen.length, `not seen: ${words.filter((one) => !seen.includes(one))}`).toBeGreaterThan(25);
  });
});
