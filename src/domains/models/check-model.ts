import { isAppError } from "../../kernel/errors.ts";
import { nearest } from "../../kernel/nearest.ts";
import { scopeOf } from "../../kernel/scope.ts";
import { quoteName } from "../../kernel/sql-text.ts";
import type { Analytics } from "../../platform/analytics/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Data } from "../data/index.ts";
import { type BoundModel, reasonOf, type SeenDataset } from "./bind/index.ts";
import { checkExpressions } from "./check-expressions.ts";
import { pathTo } from "./format/index.ts";
import type { Serialize } from "./guard/index.ts";
import { LIMITS } from "./limits.ts";
import type { DataType, Problem, Relationship, SemanticModel } from "./model.ts";
import { tableViewsOf } from "./views.ts";

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

/** What a model says that the data do not bear out, beyond what could not be bound at all. */
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
