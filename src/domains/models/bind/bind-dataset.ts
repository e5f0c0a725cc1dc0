import { mapBounded } from "../../../kernel/concurrency.ts";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import { nearest } from "../../../kernel/text.ts";
import { type Analytics, type JsonValue, sqlType } from "../../../platform/analytics/index.ts";
import type { Column } from "../../data/index.ts";
import { pathTo } from "../format/report.ts";
import { isAggregate as isAggregateName } from "../guard/functions/index.ts";
import { guardSql, type Serialize } from "../guard/guard.ts";
import { LIMITS } from "../limits.ts";
import { type Field, type Metric, type ModelDataset, type Problem, sqlOf } from "../model.ts";

export interface BoundField {
  field: Field;
  type: string;
  /** How it is computed; null when it is the column of the same name. */
  sql: string | null;
}

/** The view of one dataset of a model, for whoever sees these columns of what lies below it. */
export interface BoundDataset {
  /** Select list. */
  items: string;
  fields: BoundField[];
  /** Everything that the view shows: fields first, then columns that keys, relationships and metrics need. */
  columns: Column[];
  /** Fields that could not be bound; they are not in the view. */
  problems: Problem[];
}

const SHOWN_COLUMNS = 40;
/** Computed fields that are put to the engine in one statement. */
const TOGETHER = 50;

interface Item {
  name: string;
  sql: string;
  field?: Field;
  isColumn: boolean;
}

/**
 * Makes the view of a dataset over `columns`. Of computed fields the engine itself says what fits: some at once, and
 * one by one if that fails, so that one broken field does not take the others with it.
 */
export async function bindDataset(
  dataset: ModelDataset,
  columns: readonly Column[],
  extras: readonly string[],
  engine: Engine,
): Promise<BoundDataset> {
  const { items, problems } = await readItems(dataset, columns, extras, engine);
  const types = new Map<Item, string>();
  const byName = new Map(columns.map(({ name, type }) => [quoteName(name), type]));
  for (const item of items) {
    const type = byName.get(item.sql);
    if (type !== undefined) types.set(item, type);
  }
  const describe = async (some: readonly Item[]) => {
    const needed = items.filter((item) => types.has(item) && some.some((each) => isNamedBy(each)(item)));
    const found = await describeItems(dataset, [...needed, ...some], columns, engine);
    for (const [i, item] of some.entries()) types.set(item, found[needed.length + i]?.type ?? "VARCHAR");
  };
  const computed = items.filter((item) => !types.has(item));
  for (let at = 0; at < computed.length; at += TOGETHER) {
    const some = computed.slice(at, at + TOGETHER);
    if (!("reason" in (await orReason(describe(some))))) continue;
    for (const item of some) {
      const result = await orReason(describe([item]));
      if ("reason" in result) problems.push(brokenField(dataset, item, result.reason));
    }
  }
  const good = items.filter((item) => types.has(item));
  const typed = good.map((item) => ({ ...item, type: types.get(item) as string }));
  return {
    items: listOf(good),
    fields: typed.flatMap(({ field, type, sql, isColumn }) =>
      field === undefined ? [] : [{ field, type, sql: isColumn ? null : sql }],
    ),
    columns: typed.map(({ name, type }) => ({ name, type })),
    problems,
  };
}

/** The columns of some items beside a plain column of the source: an aggregate cannot stand there. */
async function describeItems(
  { name }: ModelDataset,
  items: readonly Item[],
  columns: readonly Column[],
  engine: Engine,
): Promise<Column[]> {
  const table = quoteName(name);
  const plain = `${table}.${quoteName(columns[0]?.name ?? "")}`;
  const select = `SELECT ${[...items.map(itemText), plain].join(", ")} FROM ${table}`;
  const types = (await engine.describe(select, new Map([[name, columns]]))).slice(0, -1);
  if (types.length === items.length) return types;
  throw new AppError("bad_request", "It is not one column but several.", {
    hint: "Write a field for each of them.",
  });
}

async function readItems(
  dataset: ModelDataset,
  columns: readonly Column[],
  extras: readonly string[],
  engine: Engine,
): Promise<{ items: Item[]; problems: Problem[] }> {
  const byName = new Map(columns.map(({ name }) => [name.toLowerCase(), name]));
  const items: Item[] = [];
  const problems: Problem[] = [];
  for (const field of dataset.fields) {
    const sql = sqlOf(field.expression).trim();
    const column = columnNamed(dataset, field, sql, byName);
    if (column !== undefined) {
      const isColumn = column.toLowerCase() === field.name.toLowerCase();
      items.push({ name: field.name, sql: quoteName(column), field, isColumn });
      if (!isName(sql)) problems.push(unusedExpression(dataset, field));
      continue;
    }
    const item: Item = { name: field.name, sql, field, isColumn: false };
    if (isName(sql) && !items.some(({ name }) => name.toLowerCase() === unquoted(sql).toLowerCase())) {
      problems.push(missingColumn(dataset, item, columns));
      continue;
    }
    const read = await orReason(readExpression(sql, engine.serialize));
    if ("value" in read) items.push(item);
    else problems.push(brokenField(dataset, item, read.reason));
  }
  const taken = new Set(dataset.fields.map(({ name }) => name.toLowerCase()));
  for (const extra of extras) {
    const column = byName.get(extra.toLowerCase());
    if (column !== undefined && !taken.has(extra.toLowerCase())) {
      items.push({ name: column, sql: quoteName(column), isColumn: true });
    }
  }
  return { items, problems };
}

/** The column that a field simply is. A view query already gives the fields their names. */
function columnNamed(
  { viewQuery }: ModelDataset,
  field: Field,
  sql: string,
  columns: ReadonlyMap<string, string>,
): string | undefined {
  if (viewQuery !== null && columns.has(field.name.toLowerCase()))
    return columns.get(field.name.toLowerCase());
  return isName(sql) ? columns.get(unquoted(sql).toLowerCase()) : undefined;
}

function isName(sql: string): boolean {
  return /^(?:[A-Za-z_][A-Za-z0-9_]*|"(?:[^"]|"")+")$/.test(sql);
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

/** An expression may end in a comment, so what follows it stands on a line of its own. */
function itemText({ sql, name, isColumn }: Item): string {
  return isColumn ? `${sql} AS ${quoteName(name)}` : `(${sql}\n) AS ${quoteName(name)}`;
}

function listOf(items: readonly Item[]): string {
  return items.length === 0 ? "NULL AS nothing" : items.map(itemText).join(", ");
}

/** Fields may be computed from fields before them. */
function isNamedBy({ sql }: Item): (other: Item) => boolean {
  const text = sql.toLowerCase();
  return ({ name }) => text.includes(name.toLowerCase());
}

function brokenField({ name: dataset }: ModelDataset, { name, sql }: Item, reason: string): Problem {
  const isAggregate = /must appear in the GROUP BY clause/.test(reason);
  const message = `The field ${name} of ${dataset} cannot be computed as ${sql}`;
  return {
    severity: "error",
    message: isAggregate ? `${message}, which makes one value of many rows.` : `${message}: ${reason}`,
    hint: isAggregate
      ? "A field is computed for each row; make this a metric."
      : "Compare its expression with the columns of the dataset.",
    path: pathTo("datasets", dataset, "fields", name),
  };
}

function unusedExpression({ name: dataset }: ModelDataset, { name }: Field): Problem {
  return {
    severity: "warning",
    message: `The view query of ${dataset} has a column ${name}, so the expression of that field is not used.`,
    hint: "Compute it in the view query, or give the field another name.",
    path: pathTo("datasets", dataset, "fields", name),
  };
}

function missingColumn(
  { name: dataset, source }: ModelDataset,
  { name, sql }: Item,
  columns: readonly Column[],
): Problem {
  const known = columns.map((column) => column.name);
  const match = nearest(unquoted(sql), known);
  const all = `It has: ${known.slice(0, SHOWN_COLUMNS).join(", ")}${known.length > SHOWN_COLUMNS ? " …" : "."}`;
  return {
    severity: "error",
    message: `The field ${name} of ${dataset} is the column ${unquoted(sql)}, which ${source} does not have.`,
    hint: match === undefined ? all : `Did you mean ${match}?`,
    path: pathTo("datasets", dataset, "fields", name),
  };
}

export interface BoundMetric {
  metric: Metric;
  sql: string;
  type: string;
  /** The datasets that it is computed from. */
  datasets: string[];
}

/** The columns that a metric names, with the dataset where it says which. */
export async function metricColumns(
  metric: Metric,
  engine: Engine,
): Promise<{ table: string | null; column: string }[]> {
  const columns = await readExpression(sqlOf(metric.expression), engine.serialize);
  return columns.map((parts) =>
    parts.length > 1
      ? { table: parts[0] as string, column: parts[1] as string }
      : { table: null, column: parts[0] as string },
  );
}

/** Lets the engine compute each metric over views without rows: what it cannot is a problem, and is left out. */
export async function bindMetrics(
  metrics: readonly Metric[],
  views: ReadonlyMap<string, readonly Column[]>,
  engine: Engine,
): Promise<{ metrics: BoundMetric[]; problems: Problem[] }> {
  const bound: BoundMetric[] = [];
  const problems: Problem[] = [];
  const results = await mapBounded(metrics, LIMITS.models.askedAtOnce, async (metric) => {
    const sql = sqlOf(metric.expression).trim();
    return { metric, sql, result: await orReason(bindMetric(metric, sql, views, engine)) };
  });
  for (const { metric, sql, result } of results) {
    if ("value" in result) bound.push({ metric, sql, ...result.value });
    else {
      problems.push({
        severity: "error",
        message: `The metric ${metric.name} cannot be computed as ${sql}: ${result.reason}`,
        hint: "Name columns as dataset.column, with names of this model.",
        path: pathTo("metrics", metric.name),
      });
    }
  }
  return { metrics: bound, problems };
}

async function bindMetric(
  metric: Metric,
  sql: string,
  views: ReadonlyMap<string, readonly Column[]>,
  engine: Engine,
): Promise<{ type: string; datasets: string[] }> {
  const columns = await metricColumns(metric, engine);
  const names = [...views.keys()];
  const named = (table: string) => names.find((name) => name.toLowerCase() === table.toLowerCase());
  const having = (column: string) =>
    names.find((name) => views.get(name)?.some((each) => each.name.toLowerCase() === column.toLowerCase()));
  const used = new Set(
    columns.flatMap(({ table, column }) => {
      const name = (table === null ? undefined : named(table)) ?? having(table ?? column);
      return name === undefined ? [] : [name];
    }),
  );
  const sources = new Map([...views].filter(([name]) => used.has(name)));
  const from = sources.size === 0 ? "" : ` FROM ${[...sources.keys()].map(quoteName).join(", ")}`;
  const [column] = await engine.describe(`SELECT (${sql}\n) AS metric${from}`, sources);
  return { type: column?.type ?? "VARCHAR", datasets: [...used] };
}

interface SelectNode {
  type: string;
  select_list?: unknown[];
  from_table?: { type?: string };
}

/** Everything of a SELECT beside its list and its FROM that says something when it is there. */
const OTHER_CLAUSES = ["where_clause", "group_expressions", "having", "qualify", "sample", "modifiers"];

/**
 * Makes sure that a text which will stand inside a view is one expression and nothing more: it has to parse by
 * itself, so it cannot close a bracket that it did not open, and it may name no table, so it cannot reach around
 * the policies that the view stands behind. Gives back the columns that it names, each as the parts of its name.
 */
async function readExpression(sql: string, serialize: Serialize): Promise<string[][]> {
  const select = `SELECT ${sql}\n`;
  const parsed = await serialize(select);
  const node = parsed.ok && parsed.statements.length === 1 ? nodeOf(parsed.statements[0]) : undefined;
  const isOne = node?.type === "SELECT_NODE" && node.select_list?.length === 1;
  const isBare = isOne && (node.from_table?.type ?? "EMPTY") === "EMPTY" && !hasOtherClauses(node);
  if (parsed.ok && !isBare) {
    throw new AppError("bad_request", "It is not one expression.", {
      hint: "Write what could stand as one item between SELECT and FROM.",
    });
  }
  if (named(node, "BASE_TABLE", "type").length > 0) {
    throw new AppError("bad_request", "It selects from a table.", {
      hint: "Compute it from columns of this model's datasets alone, without FROM.",
    });
  }
  await guardSql(select, { datasets: [], serialize });
  return named(node, "COLUMN_REF", "class").map(({ column_names: names }) => names as string[]);
}

/** True if an expression makes one value of many rows. */
export async function isAggregate(sql: string, serialize: Serialize): Promise<boolean> {
  const parsed = await serialize(`SELECT ${sql}\n`);
  if (!parsed.ok) return false;
  const called = named(parsed.statements, "FUNCTION", "class").map(({ function_name: name }) => String(name));
  return called.some(isAggregateName);
}

function nodeOf(statement: JsonValue | undefined): SelectNode | undefined {
  return (statement as { node?: SelectNode } | undefined)?.node;
}

function hasOtherClauses(node: SelectNode): boolean {
  const clauses = node as unknown as Record<string, unknown>;
  return OTHER_CLAUSES.some((name) => {
    const clause = clauses[name];
    return clause !== undefined && clause !== null && (!Array.isArray(clause) || clause.length > 0);
  });
}

/** Everything in a tree whose `type` or `class` is this. */
export function named(root: unknown, kind: string, key: "type" | "class"): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    const each = node as Record<string, unknown>;
    if (each[key] === kind) found.push(each);
    open.push(...Object.values(each));
  }
  return found;
}

/**
 * Why the engine refuses a text, without the picture of the statement: that is not as its author wrote it. What is
 * not about the text (the engine is busy, or has died) is thrown on, so that it is never taken for a broken model.
 */
export function reasonOf(error: unknown): string {
  const isAboutText = isAppError(error) && ["bad_request", "forbidden", "unsupported"].includes(error.code);
  if (!isAboutText) throw error;
  const [said = ""] = error.advice.split(/\n\s*LINE \d+:/);
  return said.replace(/\s+/g, " ").trim();
}

/** What the work gives, or why the engine refuses. */
export async function orReason<T>(work: Promise<T>): Promise<{ value: T } | { reason: string }> {
  try {
    return { value: await work };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

/** Engine interface for binding: parses a text, and describes the columns of a SELECT. */
export interface Engine {
  serialize: Serialize;
  /** The columns of a SELECT over sources that have these columns and no rows. */
  describe(select: string, sources: ReadonlyMap<string, readonly Column[]>): Promise<Column[]>;
}

/** Not to be cancelled: what one caller waits for is kept for others. It takes milliseconds. */
export function bindingEngine(analytics: Analytics, scope: string): Engine {
  return {
    serialize: (sql) => analytics.serializeSql(sql),
    async describe(select, sources) {
      // The sources stand in the statement itself, so that one engine serves for all. Nothing is computed.
      const tables = [...sources].map(([name, columns]) => `${quoteName(name)} AS (${withoutRows(columns)})`);
      const before = tables.length === 0 ? "" : `WITH ${tables.join(", ")} `;
      const sql = `${before}SELECT * FROM (${select}\n) LIMIT 0`;
      const limits = { rows: 1, ms: LIMITS.models.bindMs };
      return (await analytics.query({ scope, tableViews: [], sql, limits })).columns;
    },
  };
}

function withoutRows(columns: readonly Column[]): string {
  const items = columns.map(({ name, type }) => `CAST(NULL AS ${sqlType(type)}) AS ${quoteName(name)}`);
  return `SELECT ${items.join(", ")} WHERE false`;
}
