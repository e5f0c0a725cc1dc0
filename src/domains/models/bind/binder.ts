import { createHash } from "node:crypto";
import { AsyncLruCache } from "../../../kernel/async-lru-cache.ts";
import { mapBounded } from "../../../kernel/concurrency.ts";
import { AppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { Analytics, Column } from "../../../platform/analytics/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import { type Dataset, type DatasetPolicy, type DatasetsStore, restrictionFor } from "../../data/index.ts";
import { pathTo } from "../format/report.ts";
import { guardSql, type Serialize } from "../guard/guard.ts";
import { LIMITS } from "../limits.ts";
import type { Field, Metric, ModelDataset, Problem, SemanticModel } from "../model.ts";
import {
  type BoundDataset,
  type BoundMetric,
  bindDataset,
  bindingEngine,
  bindMetrics,
  type Engine,
  metricColumns,
  named,
  orReason,
  reasonOf,
} from "./bind-dataset.ts";

/** A dataset of a model for one caller: what lies below it, and the view over that. */
export interface SeenDataset {
  dataset: ModelDataset;
  /** The datasets of the workspace below it; with the model's own policies, unless there is a view query. */
  bases: { table: string; dataset: Dataset }[];
  /** The SELECT over the bases, by the names of their tables. */
  viewQuery: string | null;
  /** The columns below the view that the policies of the datasets leave to the caller, before the model's own. */
  below: readonly Column[];
  /** Restriction of a view query's columns and rows by the model's own policies. */
  viewColumns: readonly Column[];
  viewCondition: string | null;
  bound: BoundDataset;
  isRowRestricted: boolean;
  isColumnRestricted: boolean;
}

export interface BoundModel {
  datasets: SeenDataset[];
  metrics: BoundMetric[];
  /** Everything that does not fit the data as this caller sees them. */
  problems: Problem[];
  /** The datasets of which policies hide something from this caller, bound or not. */
  restricted: string[];
}

/** Why a dataset cannot be bound. */
interface Unbound {
  problem: Problem;
  /** True if policies hide something from the caller of what lies below it. */
  isRestricted: boolean;
}

interface Below {
  bases: SeenDataset["bases"];
  viewQuery: string | null;
  below: readonly Column[];
  columns: readonly Column[];
  condition: string | null;
  isRowRestricted: boolean;
  isColumnRestricted: boolean;
}

/** A document as it was once published. */
export interface PublishedDocument {
  /** Names the document as long as it does not change. */
  key: string;
  /** Asked only where it matters. */
  author: Author;
}

export interface BinderParts {
  datasets: DatasetsStore;
  analytics: Analytics;
}

/**
 * Ties models to the data that there are now, as each caller may see them. What has been worked out once for a
 * version of a model and the columns that somebody sees is kept, so that a call hardly ever asks the engine.
 */
export class Binder {
  readonly #parts: BinderParts;
  readonly #cache = new AsyncLruCache(LIMITS.models.keptBindings);

  constructor(parts: BinderParts) {
    this.#parts = parts;
  }

  /** Of a document that nobody has published the caller is the author, and nothing is kept. */
  async bind(caller: Caller, document: SemanticModel, published?: PublishedDocument): Promise<BoundModel> {
    const { key, author = async () => caller } = published ?? {};
    const engine = bindingEngine(this.#parts.analytics, `${caller.workspace.id}:bind`);
    const keep: Keep = (what, work) => (key === undefined ? work() : this.#cache.get(`${key}:${what}`, work));
    const extras = await keep("extras", () => extrasOf(document, engine));
    const problems: Problem[] = [];
    const datasets: SeenDataset[] = [];
    const restricted: string[] = [];
    const found = await this.#findBases(caller, document.datasets, keep, engine);
    for (const [dataset, bases] of found) {
      const below =
        "problem" in bases ? bases : await this.#below({ caller, author }, dataset, bases, keep, engine);
      if ("problem" in below) {
        problems.push(below.problem);
        if (below.isRestricted) restricted.push(dataset.name);
        continue;
      }
      const isFieldHidden = shownFields(caller, dataset).length < dataset.fields.length;
      if (below.isRowRestricted || below.isColumnRestricted || isFieldHidden) restricted.push(dataset.name);
      const shown = { ...dataset, fields: shownFields(caller, dataset) };
      const what = `${dataset.name}:${fingerprint([below.columns, shown.fields.map(({ name }) => name)])}`;
      const bound = await keep(what, () =>
        bindDataset(shown, below.columns, extras.get(dataset.name.toLowerCase()) ?? [], engine),
      );
      problems.push(...bound.problems);
      const { columns, condition, ...rest } = below;
      datasets.push({ dataset, ...rest, viewColumns: columns, viewCondition: condition, bound });
    }
    const views = new Map(datasets.map(({ dataset, bound }) => [dataset.name, bound.columns]));
    const { metrics, problems: broken } = await keep(`metrics:${fingerprint([...views])}`, () =>
      bindMetrics(document.metrics, views, engine),
    );
    return { datasets, metrics, problems: [...problems, ...broken], restricted };
  }

  /** Which datasets of the workspace each dataset of the model is made of. */
  async #findBases(
    caller: Caller,
    wanted: readonly ModelDataset[],
    keep: Keep,
    engine: Engine,
  ): Promise<[ModelDataset, Bases | Unbound][]> {
    const queries = new Map<ModelDataset, { sql: string; tables: string[] } | { problem: Problem }>();
    for (const dataset of wanted) {
      const { viewQuery } = dataset;
      if (viewQuery === null) continue;
      const read = () =>
        readViewQuery(viewQuery, engine.serialize).catch((error) => ({
          problem: problemOf(
            dataset,
            "view_query",
            `The view query of ${dataset.name} cannot be used: ${reasonOf(error)}`,
          ),
        }));
      queries.set(dataset, await keep(`view:${dataset.name}`, read));
    }
    const tablesOf = (dataset: ModelDataset) => {
      const query = queries.get(dataset);
      if (query === undefined) return [dataset.source];
      return "problem" in query ? [] : query.tables;
    };
    const names = wanted.flatMap(tablesOf).flatMap(sourceNames);
    const known = await this.#parts.datasets.findByNames(caller.workspace.id, names);
    const byName = new Map(known.map((dataset) => [dataset.name.toLowerCase(), dataset]));
    return wanted.map((dataset) => {
      const query = queries.get(dataset);
      if (query !== undefined && "problem" in query) return [dataset, { ...query, isRestricted: true }];
      const tables = tablesOf(dataset);
      const bases = tables.flatMap((table) => {
        const name = sourceNames(table).find((each) => byName.has(each.toLowerCase()));
        return name === undefined ? [] : [{ table, dataset: byName.get(name.toLowerCase()) as Dataset }];
      });
      const missing = tables.find((table) => !bases.some((base) => base.table === table));
      if (missing === undefined) return [dataset, { bases, viewQuery: query?.sql ?? null }];
      const isRestricted = isRestrictedBelow(caller, dataset, bases);
      return [dataset, { problem: noSource(dataset, missing), isRestricted }];
    });
  }

  /** The columns below the view, after the policies of the datasets and of the model. */
  async #below(
    { caller, author }: { caller: Caller; author: Author },
    model: ModelDataset,
    { bases, viewQuery }: Bases,
    keep: Keep,
    engine: Engine,
  ): Promise<Below | Unbound> {
    if (viewQuery === null) {
      const [{ table, dataset }] = bases as [SeenDataset["bases"][number]];
      const below = restrictionFor(caller, dataset).columns;
      const own = await withinRights(model.policies, { dataset, seen: below, author });
      const restricted = { ...dataset, policies: [...dataset.policies, ...own] };
      const { columns, condition } = restrictionFor(caller, restricted);
      if (columns.length === 0) return { problem: noSource(model, table), isRestricted: true };
      return {
        bases: [{ table, dataset: restricted }],
        viewQuery,
        below,
        columns,
        condition: null,
        isRowRestricted: condition !== null,
        isColumnRestricted: columns.length < dataset.columns.length,
      };
    }
    const restrictions = bases.map(({ table, dataset }) => ({ table, ...restrictionFor(caller, dataset) }));
    const sources = new Map(restrictions.map(({ table, columns }) => [table, columns]));
    const described = await keep(`${model.name}:view:${fingerprint([...sources])}`, () =>
      engine.describe(viewQuery, sources).catch((error) => ({
        problem: problemOf(
          model,
          "view_query",
          `The view query of ${model.name} does not fit the data: ${reasonOf(error)}`,
        ),
      })),
    );
    const isBelowRestricted = bases.some((each) => isPartial(caller, each));
    if (!Array.isArray(described)) {
      return { ...described, isRestricted: isRestrictedBelow(caller, model, bases) };
    }
    const own = restrictionFor(caller, { columns: described, policies: model.policies });
    if (own.columns.length === 0) return { problem: noSource(model, model.name), isRestricted: true };
    const isRowRestricted =
      own.condition !== null || restrictions.some(({ condition }) => condition !== null);
    const isColumnRestricted = own.columns.length < described.length || isBelowRestricted;
    return { bases, viewQuery, below: described, ...own, isRowRestricted, isColumnRestricted };
  }
}

interface Bases {
  bases: SeenDataset["bases"];
  viewQuery: string | null;
}

type Keep = <T>(what: string, work: () => Promise<T>) => Promise<T>;

/** True if the policies of a dataset hide something of it from this caller. */
function isPartial(caller: Caller, { dataset }: SeenDataset["bases"][number]): boolean {
  const { columns, condition } = restrictionFor(caller, dataset);
  return condition !== null || columns.length < dataset.columns.length;
}

/** What is not known because it cannot be bound counts as hidden, where the model has policies of its own. */
function isRestrictedBelow(caller: Caller, model: ModelDataset, bases: SeenDataset["bases"]): boolean {
  return model.policies.length > 0 || bases.some((each) => isPartial(caller, each));
}

/** The fields that the model's own policies do not hide by their names; columns are hidden by theirs. */
function shownFields(caller: Caller, { fields, policies }: ModelDataset): Field[] {
  const columns = fields.map(({ name }) => ({ name, type: "VARCHAR" }));
  const shown = new Set(restrictionFor(caller, { columns, policies }).columns.map(({ name }) => name));
  return fields.filter(({ name }) => shown.has(name));
}

/** The columns that keys, relationships and metrics name, by dataset in lower case. */
async function extrasOf(document: SemanticModel, engine: Engine): Promise<Map<string, string[]>> {
  const extras = new Map<string, Set<string>>(
    document.datasets.map(({ name, primaryKey, uniqueKeys }) => [
      name.toLowerCase(),
      new Set([...primaryKey, ...uniqueKeys.flat()]),
    ]),
  );
  const add = (dataset: string, columns: readonly string[]) => {
    for (const column of columns) extras.get(dataset.toLowerCase())?.add(column);
  };
  for (const { from, to, fromColumns, toColumns } of document.relationships) {
    add(from, fromColumns);
    add(to, toColumns);
  }
  for (const { table, column } of await columnsOfMetrics(document.metrics, engine)) {
    if (table !== null) add(table, [column]);
    else for (const { name } of document.datasets) add(name, [column]);
  }
  return new Map([...extras].map(([name, columns]) => [name, [...columns]]));
}

async function columnsOfMetrics(
  metrics: readonly Metric[],
  engine: Engine,
): Promise<{ table: string | null; column: string }[]> {
  const all = await mapBounded(metrics, LIMITS.models.askedAtOnce, (metric) =>
    orReason(metricColumns(metric, engine)),
  );
  return all.flatMap((read) => ("value" in read ? read.value : []));
}

function noSource(dataset: ModelDataset, table: string): Problem {
  const known = sourceNames(table).map(quoteName).join(" or ");
  return {
    ...problemOf(dataset, "source", `There is no dataset ${known} in this workspace.`),
    hint: "Import the data under that name, or correct the source.",
  };
}

function problemOf({ name }: ModelDataset, part: string, message: string): Problem {
  return { severity: "error", message, path: pathTo("datasets", name, part) };
}

function fingerprint(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

/** The name of a dataset that a source means: itself, or the last part of `database.schema.table`. */
function sourceNames(source: string): string[] {
  const last = source
    .split(".")
    .at(-1)
    ?.replace(/^"(.*)"$/, "$1");
  return last === undefined || last === source ? [source] : [source, last];
}

interface TableReference {
  /** Where its name begins, in bytes. */
  at: number;
  /** With its database and schema, if it has them. */
  parts: string[];
}

/**
 * Reads the SELECT that a model puts in the place of a source. Tables that are written as `database.schema.table`
 * come back as the last part of their names, which is how datasets are called here.
 */
async function readViewQuery(
  written: string,
  serialize: Serialize,
): Promise<{ sql: string; tables: string[] }> {
  const sql = written.replace(/;\s*$/, "");
  const parsed = await serialize(sql);
  if (!parsed.ok) {
    const hint = "A view query is one SELECT over datasets of the workspace.";
    throw new AppError("bad_request", parsed.message, { hint });
  }
  const references = tablesOf(parsed.statements);
  const qualified = references.filter(({ parts }) => parts.length > 1);
  const bare = qualified.length === 0 ? sql : withBareNames(sql, qualified);
  const names = new Set(references.map(({ parts }) => parts.at(-1) as string));
  const { datasets } = await guardSql(bare, { datasets: [...names], serialize });
  return { sql: bare, tables: datasets };
}

function tablesOf(root: unknown): TableReference[] {
  return named(root, "BASE_TABLE", "type").map((table) => ({
    at: Number(table.query_location),
    parts: [table.catalog_name, table.schema_name, table.table_name].filter(
      (part): part is string => typeof part === "string" && part !== "",
    ),
  }));
}

/** An unquoted or quoted name. */
const NAME = /(?:[\p{L}_][\p{L}\p{N}_$]*|"(?:[^"]|"")*")/u;

const CHAIN = new RegExp(`^${NAME.source}(?:\\s*\\.\\s*${NAME.source})+`, "u");

/** Puts the last part of each name in the place of the whole, from the end so that earlier places stay true. */
function withBareNames(sql: string, references: readonly TableReference[]): string {
  let bytes = Buffer.from(sql, "utf8");
  for (const { at, parts } of [...references].sort((a, b) => b.at - a.at)) {
    const [chain] = CHAIN.exec(bytes.subarray(at).toString("utf8")) ?? [];
    if (chain === undefined) {
      throw new AppError("bad_request", `The table ${parts.join(".")} could not be found in the text.`, {
        hint: `Name the dataset alone: ${quoteName(parts.at(-1) as string)}.`,
      });
    }
    const end = at + Buffer.byteLength(chain);
    const name = Buffer.from(quoteName(parts.at(-1) as string));
    bytes = Buffer.concat([bytes.subarray(0, at), name, bytes.subarray(end)]);
  }
  return bytes.toString("utf8");
}

/** Publisher of a model, with their current rights; undefined for a former member. */
type Author = () => Promise<Caller | undefined>;

/**
 * A model's own policies as far as its author may make them. Rows are chosen by columns that the author may see:
 * an admin may well choose by one that is hidden from the reader, but whoever chose by one that is hidden from
 * themselves would learn its values from the number of rows. Such a choice lets nothing through.
 */
async function withinRights(
  policies: readonly DatasetPolicy[],
  { dataset, seen, author }: { dataset: Dataset; seen: readonly Column[]; author: Author },
): Promise<readonly DatasetPolicy[]> {
  if (policies.every(({ rows = [] }) => rows.every(isAmong(seen)))) return policies;
  const publisher = await author();
  const isAllowed = isAmong(publisher === undefined ? seen : restrictionFor(publisher, dataset).columns);
  return policies.map((policy) => ({
    ...policy,
    ...(policy.rows && { rows: policy.rows.map((filter) => (isAllowed(filter) ? filter : nothing(filter))) }),
  }));
}

type Filter = NonNullable<DatasetPolicy["rows"]>[number];

/** A choice of no rows. */
function nothing({ field }: Filter): Filter {
  return { field, operator: "in", value: [] };
}

function isAmong(columns: readonly Column[]): (filter: Filter) => boolean {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  return ({ field }) => names.has(field.toLowerCase());
}
