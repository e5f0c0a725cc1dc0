import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { mapBounded } from "../../kernel/concurrency.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { scopeOf } from "../../kernel/fair-queue.ts";
import { quoteName } from "../../kernel/sql-text.ts";
import { nearest } from "../../kernel/text.ts";
import { type Analytics, HIDDEN_SCHEMA, type TableView } from "../../platform/analytics/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { type Data, restrictionFor, rowsVersion } from "../data/index.ts";
import { isAggregate, reasonOf } from "./bind/bind-dataset.ts";
import type { BoundModel, SeenDataset } from "./bind/binder.ts";
import { pathTo } from "./format/report.ts";
import type { Serialize } from "./guard/guard.ts";
import { LIMITS } from "./limits.ts";
import {
  type DataType,
  type Expression,
  foreignDialect,
  type Problem,
  type Relationship,
  type SemanticModel,
} from "./model.ts";

/** Which of the engine's types are what the format means by one of its own. */
const FAMILIES: Readonly<Record<DataType, RegExp>> = {
  String: /^(VARCHAR|UUID|ENUM|JSON)/,
  Integer: /^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|^DECIMAL\(\d+,0\)$/,
  Decimal: /^DECIMAL|INT(EGER)?$|^(DOUBLE|FLOAT)$/,
  Float: /^(DOUBLE|FLOAT)$|^DECIMAL|INT(EGER)?$/,
  Boolean: /^BOOLEAN$/,
  Date: /^(DATE|TIMESTAMP)/,
  Time: /^TIME(?!STAMP)/,
  DateTime: /^(TIMESTAMP|DATE$)/,
  DateTimeTz: /^TIMESTAMP/,
  Opaque: /./,
};

/** Checks a model's claims against the data, beyond what could not be bound at all. */
export async function checkAgainstData(
  document: SemanticModel,
  bound: BoundModel,
  {
    data,
    analytics,
    caller,
    signal,
  }: { data: Data; analytics: Analytics; caller: Caller; signal: AbortSignal },
): Promise<Problem[]> {
  const byName = new Map(bound.datasets.map((seen) => [seen.dataset.name.toLowerCase(), seen]));
  const problems = bound.datasets.flatMap((seen) => [...wrongTypes(seen), ...wrongPolicies(seen)]);
  for (const [i, relationship] of document.relationships.entries()) {
    const from = byName.get(relationship.from.toLowerCase());
    const to = byName.get(relationship.to.toLowerCase());
    if (from === undefined || to === undefined) continue;
    const missing = [
      ...missingColumns(from, relationship.fromColumns).map((column) => ({ seen: from, column })),
      ...missingColumns(to, relationship.toColumns).map((column) => ({ seen: to, column })),
    ];
    if (missing.length > 0) {
      problems.push(...missing.flatMap(({ seen, column }) => missingColumn(relationship, seen, column)));
      continue;
    }
    problems.push(...differentTypes(relationship, from, to));
    if (i >= LIMITS.models.checkedRelationships) continue;
    const repeated = await countRepeated(to, relationship.toColumns, { data, analytics, caller, signal });
    if (typeof repeated === "string") problems.push(uncountable(relationship, repeated));
    else if (repeated > 0) problems.push(notUnique(relationship, repeated));
  }
  const serialize: Serialize = (sql) => analytics.serializeSql(sql, signal);
  problems.push(...(await checkExpressions(document, bound, serialize)));
  return problems;
}

function wrongTypes({ dataset, bound }: SeenDataset): Problem[] {
  return bound.fields.flatMap(({ field, type }) => {
    if (field.dataType === null || FAMILIES[field.dataType].test(type)) return [];
    return [
      {
        severity: "warning" as const,
        message: `The field ${field.name} of ${dataset.name} is said to be ${field.dataType} but is ${type}.`,
        hint: "Correct its datatype, or cast it in its expression.",
        path: pathTo("datasets", dataset.name, "fields", field.name),
      },
    ];
  });
}

/** A policy that names nothing would hide nothing. */
function wrongPolicies({ dataset, below }: SeenDataset): Problem[] {
  const columns = new Set(below.map(({ name }) => name.toLowerCase()));
  const fields = new Set(dataset.fields.map(({ name }) => name.toLowerCase()));
  return dataset.policies.flatMap(({ name: policy, hide = [], rows = [] }) => {
    const isKnown = (name: string) => columns.has(name.toLowerCase()) || fields.has(name.toLowerCase());
    const unknown = [
      ...hide.filter((name) => !isKnown(name)),
      ...rows.map(({ field }) => field).filter((name) => !columns.has(name.toLowerCase())),
    ];
    return unknown.map((name) => ({
      severity: "error" as const,
      message: `The policy ${policy} of ${dataset.name} names ${name}, which there is not.`,
      hint: "It hides columns and fields, and chooses rows by columns, of this dataset.",
      path: pathTo("datasets", dataset.name),
    }));
  });
}

function missingColumns({ bound }: SeenDataset, wanted: readonly string[]): string[] {
  const known = new Set(bound.columns.map((column) => column.name.toLowerCase()));
  return wanted.filter((column) => !known.has(column.toLowerCase()));
}

/** Nothing where a field of that name cannot be computed: that has been said already. */
function missingColumn({ name }: Relationship, { dataset, bound }: SeenDataset, column: string): Problem[] {
  const field = dataset.fields.find((each) => each.name.toLowerCase() === column.toLowerCase());
  const path = field && pathTo("datasets", dataset.name, "fields", field.name);
  if (bound.problems.some((problem) => problem.path === path)) return [];
  const known = bound.columns.map((each) => each.name);
  const match = nearest(column, known);
  return [
    {
      severity: "error",
      message: `The relationship ${name} needs a column ${column} of ${dataset.name}, which there is not.`,
      hint: match === undefined ? `${dataset.name} has: ${known.join(", ")}.` : `Did you mean ${match}?`,
      path: pathTo("relationships", name),
    },
  ];
}

function differentTypes({ name, fromColumns, toColumns }: Relationship, from: SeenDataset, to: SeenDataset) {
  const typeOf = ({ bound }: SeenDataset, column: string) =>
    bound.columns.find((each) => each.name.toLowerCase() === column.toLowerCase())?.type ?? "";
  return fromColumns.flatMap((column, i): Problem[] => {
    const other = toColumns[i] as string;
    const [left, right] = [typeOf(from, column), typeOf(to, other)];
    if (kindOf(left) === kindOf(right)) return [];
    return [
      {
        severity: "warning",
        message: `The relationship ${name} compares ${column} (${left}) with ${other} (${right}).`,
        hint: "Cast one of them in the expression of its field.",
        path: pathTo("relationships", name),
      },
    ];
  });
}

function kindOf(type: string): string {
  if (FAMILIES.Float.test(type)) return "number";
  if (/^(DATE|TIMESTAMP)/.test(type)) return "time";
  return type;
}

/** How many keys occur more than once, or why that cannot be told; 0 when it takes too long to find out. */
async function countRepeated(
  to: SeenDataset,
  columns: readonly string[],
  {
    data,
    analytics,
    caller,
    signal,
  }: { data: Data; analytics: Analytics; caller: Caller; signal: AbortSignal },
): Promise<number | string> {
  const key = columns.map(quoteName).join(", ");
  const isThere = columns.map((column) => `${quoteName(column)} IS NOT NULL`).join(" AND ");
  const sql = `SELECT count(*) FROM (SELECT 1 FROM ${quoteName(to.dataset.name)} WHERE ${isThere} GROUP BY ${key} HAVING count(*) > 1)`;
  const tableViews = await tableViewsOf(data, caller, [to]);
  try {
    const limits = { ms: LIMITS.models.uniquenessMs };
    const { rows } = await analytics.query({
      scope: scopeOf(caller),
      tableViews,
      sql,
      limits,
      signal,
    });
    return Number(rows[0]?.[0] ?? 0);
  } catch (error) {
    if (isAppError(error) && error.code === "timeout") return 0;
    return reasonOf(error);
  }
}

function uncountable({ name, to }: Relationship, reason: string): Problem {
  return {
    severity: "warning",
    message: `The keys of ${to} in the relationship ${name} cannot be read: ${reason}`,
    hint: "Correct the expressions of those fields, or the data.",
    path: pathTo("relationships", name),
  };
}

function notUnique({ name, to, toColumns }: Relationship, repeated: number): Problem {
  return {
    severity: "warning",
    message: `The relationship ${name} is many-to-many: ${toColumns.join(", ")} of ${to} is not unique (${repeated} values occur more than once).`,
    hint: "Join by a key of the other dataset, or turn the relationship round; otherwise rows are counted several times.",
    path: pathTo("relationships", name),
  };
}

/** Expressions that can be computed, but hardly mean what their author thinks. */
async function checkExpressions(
  { datasets, metrics }: SemanticModel,
  bound: BoundModel,
  serialize: Serialize,
): Promise<Problem[]> {
  const fields = datasets.flatMap((dataset) =>
    dataset.fields.flatMap(({ name, expression }) =>
      inOtherDialect(
        expression,
        `field ${name} of ${dataset.name}`,
        pathTo("datasets", dataset.name, "fields", name),
      ),
    ),
  );
  const ofMetrics = metrics.flatMap(({ name, expression }) =>
    inOtherDialect(expression, `metric ${name}`, pathTo("metrics", name)),
  );
  return [...fields, ...ofMetrics, ...(await plainMetrics(bound, serialize))];
}

function inOtherDialect(expression: Expression, what: string, path: string): Problem[] {
  const dialect = foreignDialect(expression);
  if (dialect === undefined) return [];
  return [
    {
      severity: "warning",
      message: `The ${what} has an expression for ${dialect} only, which is taken as DuckDB's SQL.`,
      hint: "Add one for ANSI_SQL or DUCKDB, and compare what both give.",
      path,
    },
  ];
}

async function plainMetrics({ metrics }: BoundModel, serialize: Serialize): Promise<Problem[]> {
  const found = await mapBounded(
    metrics,
    LIMITS.models.askedAtOnce,
    async ({ metric: { name }, sql, datasets }): Promise<Problem[]> => {
      if (datasets.length === 0 || (await isAggregate(sql, serialize))) return [];
      return [
        {
          severity: "warning",
          message: `The metric ${name} is no aggregate: ${sql} has a value for each row.`,
          hint: "Say how rows are put together, such as SUM(…) or COUNT(…), or make it a field.",
          path: pathTo("metrics", name),
        },
      ];
    },
  );
  return found.flat();
}

/** Datasets that the message names of each model. */
const NAMED = 5;

/** A model that has no dataset of the published one is another model, and its name was taken by chance. */
export function assertSameData(published: SemanticModel, next: SemanticModel): void {
  const [before, after] = [sourcesOf(published), sourcesOf(next)];
  if (before.length === 0 || after.some((source) => before.includes(source))) return;
  throw new AppError(
    "conflict",
    `${next.name} is published already, about other data: ${listed(before)}. This one, about ${listed(after)}, would take its place.`,
    {
      hint: "Give it another name; or, if it is meant to, publish it with `replace` (on the command line: --replace).",
    },
  );
}

function sourcesOf({ datasets }: SemanticModel): string[] {
  return datasets.map(({ source }) => (source.split(".").at(-1) ?? source).replaceAll('"', "").toLowerCase());
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? " …" : ""}`;
}

/** Only an admin changes what a published model hides: whoever writes models could take its policies from themselves. */
export function assertSamePolicies(caller: Caller, published: SemanticModel, next: SemanticModel): void {
  if (caller.permissions.includes("admin")) return;
  const [before, after] = [policiesOf(published), policiesOf(next)];
  const names = new Set([...before.keys(), ...after.keys()]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)));
  if (changed.length === 0) return;
  throw new AppError(
    "forbidden",
    `Only an admin can change the policies of a published model: those of ${changed.join(", ")} differ.`,
    { hint: "Keep them as they are, or save a draft and ask an admin to publish it." },
  );
}

/**
 * Whoever deletes a model can publish another one in its place, so that its policies bind here as well; and what only
 * an admin deletes, only an admin brings back.
 */
export function assertNoPolicies(caller: Caller, published: SemanticModel, verb: "delete" | "restore"): void {
  if (caller.permissions.includes("admin")) return;
  const names = [...policiesOf(published).keys()];
  if (names.length === 0) return;
  throw new AppError(
    "forbidden",
    `Only an admin can ${verb} a published model that has policies: ${names.join(", ")} has some.`,
    { hint: `Ask an admin to ${verb} it.` },
  );
}

/** The policies of each dataset that has some. What a document says and what came back from the catalog is the same. */
function policiesOf({ datasets }: SemanticModel): Map<string, unknown> {
  const some = datasets.filter(({ policies }) => policies.length > 0);
  return new Map(
    some.map(({ name, policies }) => [name.toLowerCase(), JSON.parse(JSON.stringify(policies)) as unknown]),
  );
}

/**
 * What the engine has to make so that SQL sees these datasets of a model. The rows come from `Data.tableViews`, so
 * the policies of the datasets stand below every view.
 */
export async function tableViewsOf(
  data: Data,
  caller: Caller,
  seen: readonly SeenDataset[],
): Promise<TableView[]> {
  const bases = seen.flatMap((each) =>
    each.bases.map(({ dataset }) => ({
      dataset,
      name: each.viewQuery === null ? each.dataset.name : `d${dataset.id}`,
    })),
  );
  const below = (await data.tableViews(caller, bases)).map(({ visible: _, ...tableView }) => tableView);
  const tableViews = seen.flatMap((each) => {
    const own = below.splice(0, each.bases.length);
    return each.viewQuery === null ? overSource(each, own) : overQuery(each, own);
  });
  // Two views may stand on the same dataset.
  return [...new Map(tableViews.map((tableView) => [tableViewKey(tableView), tableView])).values()];
}

/** Names exactly what `tableViewsOf` lets this caller see of a dataset: every version, column and condition below it. */
export function rowsKey(caller: Caller, seen: SeenDataset): string {
  const bases = seen.bases.map(({ table, dataset }) => [
    table,
    dataset.id,
    rowsVersion(dataset),
    restrictionFor(caller, dataset),
  ]);
  const { viewQuery, viewColumns, viewCondition, bound } = seen;
  const all = [caller.workspace.id, bases, viewQuery, viewColumns, viewCondition, bound.items, bound.columns];
  return createHash("sha256").update(JSON.stringify(all)).digest("base64url");
}

function overSource({ dataset, bound }: SeenDataset, own: readonly TableView[]): TableView[] {
  return own.map((tableView) => {
    const below = tableView.select ?? "SELECT * FROM raw";
    return { ...tableView, select: `SELECT ${bound.items} FROM (${below}) AS ${quoteName(dataset.name)}` };
  });
}

function overQuery(seen: SeenDataset, own: readonly TableView[]): TableView[] {
  const { dataset, bases, bound, viewQuery, viewColumns, viewCondition } = seen;
  const hidden = own.map((tableView) => ({ ...tableView, isHidden: true }));
  const tables = bases.map(
    ({ table }, i) =>
      `${quoteName(table)} AS (SELECT * FROM ${HIDDEN_SCHEMA}.${quoteName(hidden[i]?.name ?? "")})`,
  );
  const columns = viewColumns.map(({ name }) => quoteName(name)).join(", ");
  const where = viewCondition === null ? "" : ` WHERE ${viewCondition}`;
  const below = `SELECT ${columns} FROM (${viewQuery}\n)${where}`;
  const select = `WITH ${tables.join(", ")} SELECT ${bound.items} FROM (${below}) AS ${quoteName(dataset.name)}`;
  const version = hidden.map((tableView) => tableView.version).join(",");
  const isRestricted = viewCondition !== null;
  return [...hidden, { name: dataset.name, parts: [], columns: [], select, isRestricted, version }];
}

function tableViewKey({ name, isHidden = false }: TableView): string {
  return `${isHidden}:${name}`;
}
