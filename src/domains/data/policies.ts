import { quoteName, quoteText } from "../../kernel/sql-text.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Column, Dataset, DatasetPolicy, PolicyFilter } from "./dataset.ts";

/** What is left of a dataset for one caller. */
export interface Restriction {
  columns: readonly Column[];
  /** A condition in SQL over the dataset's columns, or null when all rows may be seen. */
  condition: string | null;
}

/** The columns and rows that a dataset's policies leave to this caller. Every path to rows goes through here. */
export function restrictionFor(caller: Caller, dataset: Pick<Dataset, "columns" | "policies">): Restriction {
  const holding = dataset.policies.filter((policy) => holdsFor(caller, policy));
  const hidden = new Set(holding.flatMap(({ hide }) => hide ?? []).map((name) => name.toLowerCase()));
  const columns = dataset.columns.filter(({ name }) => !hidden.has(name.toLowerCase()));
  const conditions = holding
    .flatMap(({ rows }) => rows ?? [])
    .map((filter) => conditionOf(filter, caller, dataset.columns));
  return { columns, condition: conditions.length === 0 ? null : conditions.join(" AND ") };
}

function holdsFor(caller: Caller, { roles, groups }: DatasetPolicy): boolean {
  const byRole = roles === undefined || roles.length === 0 || roles.includes(caller.role);
  const byGroup =
    groups === undefined || groups.length === 0 || groups.some((id) => caller.groups.includes(id));
  return byRole && byGroup;
}

/** A filter that cannot be decided (no such column, no such attribute) lets nothing through. */
function conditionOf(filter: PolicyFilter, caller: Caller, columns: readonly Column[]): string {
  const column = columns.find(({ name }) => name.toLowerCase() === filter.field.toLowerCase());
  if (column === undefined) return "FALSE";
  const value = isAttribute(filter.value) ? caller.attributes[filter.value.attribute] : filter.value;
  if (value === undefined) return "FALSE";
  const field = quoteName(column.name);
  const values = Array.isArray(value) ? value : [value];
  const literals = values.map((item) => literal(item, column.type));
  if (filter.operator === "in")
    return literals.length === 0 ? "FALSE" : `${field} IN (${literals.join(", ")})`;
  if (filter.operator === "between") {
    return literals.length === 2 ? `${field} BETWEEN ${literals[0]} AND ${literals[1]}` : "FALSE";
  }
  if (literals.length !== 1) return "FALSE";
  if (filter.operator === "like") return `CAST(${field} AS VARCHAR) ILIKE ${literals[0]}`;
  // NULL must not pass as "not equal": what is unknown is not shown.
  return `coalesce(${field} ${filter.operator} ${literals[0]}, FALSE)`;
}

function literal(value: string | number | boolean | null, type: string): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "NULL";
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  const isText = /^(VARCHAR|JSON|UUID|ENUM)/i.test(type);
  return isText ? quoteText(value) : `TRY_CAST(${quoteText(value)} AS ${type})`;
}

function isAttribute(value: PolicyFilter["value"]): value is { attribute: string } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
