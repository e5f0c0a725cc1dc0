import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { serialize } from "node:v8";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { loadConfig } from "../../src/app/config.ts";
import { type Opened, open } from "../../src/app/open.ts";
import { componentsOf } from "../../src/domains/agent/datasets/components.ts";
import type { Knowledge } from "../../src/domains/agent/knowledge/build-knowledge.ts";
import { KnowledgeCache } from "../../src/domains/agent/knowledge/knowledge-cache.ts";
import { KnowledgeThreads } from "../../src/domains/agent/knowledge/knowledge-threads.ts";
import { replaceRows } from "../../src/domains/data/index.ts";
import { Binder } from "../../src/domains/models/bind/binder.ts";
import { tableViewsOf } from "../../src/domains/models/check-model.ts";
import { buildModel, type PublishedModel, unpublished } from "../../src/domains/models/index.ts";
import { type ModelDataset, sqlOf } from "../../src/domains/models/model.ts";
import { quoteName, quoteText } from "../../src/kernel/sql-text.ts";
import { selectParts, viewSql } from "../../src/platform/analytics/engine/table-view-sql.ts";
import { HIDDEN_SCHEMA } from "../../src/platform/analytics/index.ts";
import type { Caller } from "../../src/registry/caller.ts";
import type { GoldQuestion } from "./sets.ts";

/** What is known of one set of tables that belong together, as the product infers it. */
export interface Collected {
  name: string;
  knowledge: Knowledge;
  /** Which column of which table each field is. */
  columns: { table: string; column: string; ds: string; field: string }[];
  /** A DuckDB file with the views of the model as tables. */
  rows: string;
}

/** A set of tables, with everything that can be linked in it, and its questions. */
export interface CollectedSet {
  name: string;
  groups: Collected[];
  questions: GoldQuestion[];
}

/** Runs each folder of tables through the product's own inference, and keeps what a reader would get of it. */
export async function collect(
  sets: readonly { name: string; tables: string; questions: GoldQuestion[] }[],
  folder: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const done = new Set(readdirSync(folder));
  const home = mkdtempSync(join(tmpdir(), "kenning-collect-"));
  const config = loadConfig({ env: { KENNING_HOME: home, KENNING_LOG_LEVEL: "error" }, cwd: home });
  const opened = await open(config);
  try {
    for (const [i, set] of sets.entries()) {
      if (done.has(`${set.name}.bin`)) continue;
      const start = performance.now();
      const groups = await collectOne(opened, set, folder);
      const all: CollectedSet = { name: set.name, groups, questions: set.questions };
      writeFileSync(join(folder, `${set.name}.bin`), serialize(all));
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`${i + 1}/${sets.length} ${set.name}: ${groups.length} models, ${seconds} s`);
    }
  } finally {
    await opened.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function collectOne(
  { engines, services }: Opened,
  { name, tables }: { name: string; tables: string },
  folder: string,
): Promise<Collected[]> {
  const { identity, data, models } = services;
  const slug = `s-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`.slice(0, 40);
  const workspace = await identity.workspaces.create({ slug, name });
  const email = `${slug}@example.com`;
  const { member } = await identity.users.create({ email, workspace: slug, role: "admin" });
  const caller = await identity.callerFor({ workspaceId: workspace.id, userId: member.userId });
  for (const file of readdirSync(tables).filter((each) => each.endsWith(".csv")))
    await load(data.data, data.imports, caller, join(tables, file));
  const { items } = await data.datasets.list(workspace.id, { limit: 500, offset: 0 });
  const examined = await models.inference.examine(caller, items);
  const cache = new KnowledgeCache(models.models, new KnowledgeThreads());
  const binder = new Binder({ datasets: data.datasets, analytics: engines.analytics });
  const groups: Collected[] = [];
  for (const [i, { looked, joins }] of componentsOf(examined).entries()) {
    const published: PublishedModel = {
      ...unpublished(caller, buildModel("datasets", looked, joins)),
      isInferred: true,
    };
    const knowledge = await cache.get(caller, published);
    const bound = await binder.bind(caller, published.document);
    const rows = join(folder, `${name}-${i}.duckdb`);
    await keepRows(rows, await tableViewsOf(data.data, caller, bound.datasets));
    groups.push({ name: `${name}-${i}`, knowledge, columns: columnsOf(published.document.datasets), rows });
  }
  return groups;
}

async function load(
  data: Opened["services"]["data"]["data"],
  imports: Opened["services"]["data"]["imports"],
  caller: Caller,
  path: string,
): Promise<void> {
  const file = {
    source: { path },
    scope: String(caller.workspace.id),
    key: data.newPartKey(),
    fileType: undefined,
    options: {},
    signal: new AbortController().signal,
  };
  const { part } = await imports.importFile(file);
  const source = { kind: "import" as const, detail: { file: basename(path) } };
  await replaceRows(data, caller, { name: basename(path, ".csv"), part, source, allowEmpty: true });
}

/** The rows of the model's views as tables, so that candidates can be run without a server. */
async function keepRows(path: string, views: Awaited<ReturnType<typeof tableViewsOf>>): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection: DuckDBConnection = await instance.connect();
  await connection.run(`CREATE SCHEMA ${quoteName(HIDDEN_SCHEMA)}`);
  // Hidden ones first: the others are made of them.
  for (const view of views.toSorted((a, b) => Number(b.isHidden ?? false) - Number(a.isHidden ?? false))) {
    const { name, columns, parts, select, isHidden = false, isRestricted = false } = view;
    const isOfOthers = select !== undefined && columns.length === 0 && parts.length === 0;
    const raw = isOfOthers ? undefined : await selectParts(connection, parts, columns, name);
    await connection.run(viewSql({ name, columns, files: [...parts], select, isHidden, isRestricted }, raw));
  }
  rmSync(path, { force: true });
  await connection.run(`ATTACH ${quoteText(path)} AS kept`);
  for (const { name } of views.filter(({ isHidden }) => isHidden !== true))
    await connection.run(`CREATE TABLE kept.main.${quoteName(name)} AS FROM ${quoteName(name)}`);
  await connection.run("DETACH kept");
  connection.closeSync();
  instance.closeSync();
}

function columnsOf(datasets: readonly ModelDataset[]): Collected["columns"] {
  return datasets.flatMap(({ name: ds, source, fields }) =>
    fields.flatMap(({ name, expression }) => {
      const sql = sqlOf(expression).trim();
      const named = /^"(?:[^"]|"")+"$/.test(sql) ? sql.slice(1, -1).replaceAll('""', '"') : sql;
      const [inside] = /"[^"]+"/.exec(sql) ?? [];
      const isPlain = named !== sql || /^\w+$/.test(sql);
      // A text that is read as a date keeps the name of its column.
      const column = isPlain ? named : (inside?.slice(1, -1) ?? name);
      const isSame = isPlain || column.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_") === name;
      return isSame ? [{ table: source, column, ds, field: name }] : [];
    }),
  );
}
