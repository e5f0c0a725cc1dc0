import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MS } from "../../kernel/time.ts";
import { type Day, firstDay, PRODUCTS, textOf } from "./company.ts";
import { DASHBOARDS, type DashboardWish } from "./dashboards.ts";
import { customers, type DayRows, type Row, rowsOf } from "./days.ts";
import { MEMORIES, RELATIONS } from "./memories.ts";
import { QUESTIONS, VERIFIED } from "./questions.ts";

/** What a step works with. */
export interface Work {
  anchor: Day;
  /** A tool by its plain name, through the one call path. */
  call<T>(tool: string, args: object): Promise<T>;
}

interface Step {
  says: string;
  run(work: Work): Promise<unknown>;
}

const DAILY = [
  "orders",
  "marketing",
  "web_funnel",
  "support_tickets",
] as const satisfies readonly (keyof DayRows)[];

/** What it calls itself where it asks. */
export const CLIENT = "kenning demo";
const MODEL = "hafenrad";
const BASE = "Hafenrad handbooks";
const SOURCE = "Hafenrad";
const REPORT = "Business every Monday";
/** Of those that belong to nobody (RFC 2606): what is sent there stays in the local outbox. */
const RECIPIENTS = "maren.thiessen@hafenrad.example, aylin.demir@hafenrad.example";
const ALERT = "Denmark buys next to nothing";
const DOCUMENTS = [
  ["English", "service-handbook.md"],
  ["English", "returns-and-discounts.md"],
  ["English", "online-shop-outage.md"],
  ["Deutsch", "werkstatt-handbuch.md"],
  ["Deutsch", "reisekosten.md"],
] as const;

/** Each can be done again without doubling anything: a process may be killed before a step counts as done. */
export const STEPS: readonly Step[] = [
  { says: "products", run: (work) => importRows(work, "products", products()) },
  { says: "customers", run: (work) => importRows(work, "customers", customers()) },
  ...DAILY.map((name) => ({ says: name.replace("_", " "), run: (work: Work) => importDays(work, name) })),
  { says: "semantic model", run: publishModel },
  ...DASHBOARDS.map((wish) => ({
    says: `dashboard “${wish.name}”`,
    run: (work: Work) => makeDashboard(work, wish),
  })),
  { says: "alert", run: makeAlert },
  { says: "knowledge base", run: ensureBase },
  ...DOCUMENTS.map(([folder, name]) => ({
    says: `document ${name}`,
    run: async (work: Work) => addDocument(work, folder, name),
  })),
  { says: "memories", run: remember },
  { says: "report", run: makeReport },
  { says: "test questions", run: verifyQuestions },
];

function products(): Row[] {
  return PRODUCTS.map(({ id, name, category, price }) => ({
    product_id: id,
    product: name,
    category,
    list_price: price,
  }));
}

function importRows({ call }: Work, name: string, rows: readonly Row[]): Promise<unknown> {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  const content = lines.map((line) => line.join(",")).join("\n");
  return call("import_file", { dataset_name: name, content, file_type: "csv" });
}

/** All days but the last, which comes by itself: what watches a dataset hears of it. */
function importDays(work: Work, name: (typeof DAILY)[number]): Promise<unknown> {
  const rows: Row[] = [];
  for (let day = firstDay(work.anchor); day < work.anchor; day += 1)
    rows.push(...rowsOf(day, work.anchor)[name]);
  return importRows(work, name, rows);
}

/** The rows of one more day; nothing comes twice, and a dataset that somebody has deleted stays so. */
export async function addDay({ call, anchor }: Work, day: Day): Promise<void> {
  const rows = rowsOf(day, anchor);
  const known = await datasetIds(call);
  for (const name of DAILY.filter((each) => known.has(each) && rows[each].length > 0)) {
    const idempotency_key = `demo ${anchor} ${name} ${textOf(day)}`;
    await call("push_data", { dataset_name: name, rows: rows[name], idempotency_key });
  }
}

async function datasetIds(call: Work["call"]): Promise<Map<string, number>> {
  const { datasets } = await call<{ datasets: { id: number; name: string }[] }>("list_datasets", {
    limit: 200,
  });
  return new Map(datasets.map(({ id, name }) => [name, id]));
}

function publishModel({ call }: Work): Promise<unknown> {
  return call("save_semantic_model", { content: fileOf("model.yaml"), publish: true });
}

async function makeDashboard({ call }: Work, { widgets, ...rest }: DashboardWish): Promise<void> {
  const { dashboards } = await call<{ dashboards: { name: string }[] }>("list_dashboards", {
    query: rest.name,
  });
  if (dashboards.length > 0) return;
  const ids = await datasetIds(call);
  await call("create_dashboard", {
    ...rest,
    widgets: widgets.map(({ on, at: [col, row, sizeX, sizeY], ...widget }) => ({
      ...widget,
      dataset_id: ids.get(on),
      place: { col, row, sizeX, sizeY },
    })),
  });
}

async function makeAlert({ call }: Work): Promise<void> {
  const dataset_id = (await datasetIds(call)).get("orders");
  const { alerts } = await call<{ alerts: { name: string }[] }>("list_alerts", { dataset_id });
  if (alerts.some(({ name }) => name === ALERT)) return;
  await call("create_alert", {
    dataset_id,
    name: ALERT,
    condition:
      "select sum(revenue) as Revenue where country = Denmark and order_date >= $c9_today-30d; select * where Revenue < 90000",
    realtime: true,
    recipients: RECIPIENTS,
  });
}

async function makeReport({ call }: Work): Promise<void> {
  const { reports } = await call<{ reports: { name: string }[] }>("list_reports", {});
  if (reports.some(({ name }) => name === REPORT)) return;
  const { dashboards } = await call<{ dashboards: { id: number }[] }>("list_dashboards", {
    query: DASHBOARDS[0]?.name,
  });
  await call("create_report", {
    dashboard_id: dashboards[0]?.id,
    name: REPORT,
    recipients: RECIPIENTS,
    frequency: "weeks",
    start_time: "07:30",
    body: "Good morning! This is how last week went; the dashboard has the rest.",
    include_recommendations: true,
    send_now: true,
  });
}

/** Asked as a person would, and found right: they are suggested, and tried after every change of the model. */
async function verifyQuestions({ call }: Work): Promise<void> {
  for (const question of QUESTIONS.slice(0, VERIFIED)) {
    const { id } = await call<{ id: string }>("ask_question", { question, model: MODEL });
    await call("mark_answer", { answer_id: id, mark: "right" });
  }
  // Whoever opens the demo has not asked them, and finds no threads of their own.
  const { threads } = await call<{ threads: { thread_id: string }[] }>("list_threads", { query: CLIENT });
  for (const { thread_id } of threads) await call("change_thread", { thread_id, removed: true });
}

async function ensureBase({ call }: Work): Promise<number> {
  const { items } = await call<{ items: { knowledge_base_id: number; knowledge_base_name: string }[] }>(
    "list_knowledge_bases",
    { query: BASE },
  );
  const known = items.find(({ knowledge_base_name }) => knowledge_base_name === BASE);
  if (known !== undefined) return known.knowledge_base_id;
  const description = "How things are done at Hafenrad, in English and German";
  const made = await call<{ knowledge_base_id: number }>("create_knowledge_base", {
    name: BASE,
    description,
  });
  return made.knowledge_base_id;
}

async function addDocument(work: Work, folder: string, name: string): Promise<void> {
  const knowledge_base_id = await ensureBase(work);
  const content = fileOf("documents", name);
  await work.call("add_document", { knowledge_base_id, folder, file_name: name, content });
}

async function remember({ call, anchor }: Work): Promise<void> {
  const { memories } = await call<{ memories: { memory_id: string; title: string }[] }>("list_memories", {
    source: SOURCE,
    limit: 200,
  });
  const ids = new Map(memories.map(({ title, memory_id }) => [title, memory_id]));
  const idOf = new Map<string, string>();
  for (const { key, since, ...wish } of MEMORIES) {
    const valid_from = new Date((anchor - since) * MS.day).toISOString();
    const known = ids.get(wish.title);
    const { memory_id } =
      known === undefined
        ? await call<{ memory_id: string }>("store_memory", { ...wish, source: SOURCE, valid_from })
        : { memory_id: known };
    idOf.set(key, memory_id);
  }
  for (const [from, rel_type, to] of RELATIONS) {
    const [from_id, to_id] = [idOf.get(from), idOf.get(to)];
    const { outgoing } = await call<{ outgoing: { rel_type: string; to: string }[] }>("list_relations", {
      memory_id: from_id,
    });
    if (outgoing.some((each) => each.rel_type === rel_type && each.to === to_id)) continue;
    await call("link_memories", { from_id, to_id, rel_type });
  }
}

function fileOf(...path: string[]): string {
  return readFileSync(join(import.meta.dirname, ...path), "utf8");
}
