import { AppError } from "../../kernel/errors.ts";
import { quoteName, quoteText } from "../../kernel/sql-text.ts";
import { clip } from "../../kernel/text.ts";
import type { Bound, Caller } from "../../registry/caller.ts";
import type { Column, Dataset, DatasetPolicy, PolicyFilter } from "./dataset.ts";

/** Row and column restriction of a dataset for one caller. */
export interface Restriction {
  columns: readonly Column[];
  /** A condition in SQL over the dataset's columns, or null when all rows may be seen. */
  condition: string | null;
}

/** The columns and rows that a dataset's policies leave to this caller. Every path to rows goes through here. */
export function restrictionFor(
  { viewerAttributes, boundBy = [], role, groups, attributes }: Caller,
  dataset: Pick<Dataset, "columns" | "policies">,
): Restriction {
  // Nearly all have none, and a page asks several times for each of its widgets.
  if (dataset.policies.length === 0 && !boundBy.includes(null))
    return { columns: dataset.columns, condition: null };
  const viewer =
    viewerAttributes === undefined ? [] : [{ role: "viewer" as const, groups, attributes: viewerAttributes }];
  const all = [{ role, groups, attributes }, ...viewer, ...boundBy].map((bound) =>
    bound === null ? NOTHING : ownRestriction(bound, dataset),
  );
  const conditions = new Set(all.flatMap(({ condition }) => condition ?? []));
  // Sets, of those alone who see less: of a thousand columns each would be looked for among a thousand.
  const seen = all
    .filter(({ columns }) => columns.length < dataset.columns.length)
    .map(({ columns }) => new Set(columns));
  return {
    columns: dataset.columns.filter((column) => seen.every((columns) => columns.has(column))),
    condition: conditions.size === 0 ? null : [...conditions].join(" AND "),
  };
}

const NOTHING: Restriction = { columns: [], condition: "FALSE" };

/** Refuses where somebody had a say in what is shown who may see nothing any more. */
export function assertBoundsKnown({ boundBy = [] }: Caller): void {
  if (!boundBy.includes(null)) return;
  throw new AppError(
    "forbidden",
    "Whoever last changed what is shown here is no longer a member, or may no longer read data.",
    { hint: "It is shown again once somebody who may see it has saved it anew." },
  );
}

function ownRestriction(caller: Bound, dataset: Pick<Dataset, "columns" | "policies">): Restriction {
  const holding = dataset.policies.filter((policy) => holdsFor(caller, policy));
  const hidden = new Set(holding.flatMap(({ hide }) => hide ?? []).map((name) => name.toLowerCase()));
  const columns = dataset.columns.filter(({ name }) => !hidden.has(name.toLowerCase()));
  const conditions = holding
    .flatMap(({ rows }) => rows ?? [])
    .map((filter) => conditionOf(filter, caller, dataset.columns));
  return { columns, condition: conditions.length === 0 ? null : conditions.join(" AND ") };
}

/** Deleting, replacing or restoring rows would remove or bring back what policies hide. */
export function assertMayDestroy(
  { permissions }: Caller,
  { name, policies }: Pick<Dataset, "name" | "policies">,
  deed: "delete it" | "replace its rows" | "restore it",
): void {
  if (policies.length === 0 || permissions.includes("admin")) return;
  throw new AppError("forbidden", `${name} has policies, so only an admin may ${deed}.`, {
    ...(deed === "replace its rows" && { hint: "Choose another name for these rows." }),
  });
}

/**
 * Rows to be added may have no column that is hidden from their caller. Who is kept from some may add no new ones
 * either: otherwise what is refused would tell which there are, and of which type.
 */
export function assertMayAdd(
  caller: Caller,
  dataset: Pick<Dataset, "name" | "columns" | "policies">,
  names: readonly string[],
): void {
  const hides = dataset.policies.some((policy) => holdsFor(caller, policy) && (policy.hide ?? []).length > 0);
  if (!hides) return;
  const seen = restrictionFor(caller, dataset).columns.map(({ name }) => name);
  const known = new Set(seen.map((name) => name.toLowerCase()));
  const other = names.find((name) => !known.has(name.toLowerCase()));
  if (other === undefined) return;
  throw new AppError(
    "forbidden",
    `Policies hide columns of ${dataset.name} from you, so rows that you add have only columns that you see: ${JSON.stringify(clip(other))} is none.`,
    { hint: `You see ${clip(seen.join(", ") || "none", 500)}.` },
  );
}

/** The columns that policies speak of, whether the dataset has them or not. */
export function columnsNamedBy(policies: readonly DatasetPolicy[]): string[] {
  return policies.flatMap(({ rows = [], hide = [] }) => [...rows.map(({ field }) => field), ...hide]);
}

function holdsFor(caller: Bound, { roles, groups }: DatasetPolicy): boolean {
  const byRole = roles === undefined || roles.length === 0 || roles.includes(caller.role);
  const byGroup =
    groups === undefined || groups.length === 0 || groups.some((id) => caller.groups.includes(id));
  return byRole && byGroup;
}

/** A filter that cannot be decided (no such column, no such attribute) lets nothing through. */
function conditionOf(filter: PolicyFilter, caller: Bound, columns: readonly Column[]): string {
  const column = columns.find(({ name }) => name.toLowerCase() === filter.field.toLowerCase());
  if (column === undefined) return "FALSE";
  const value = isAttribute(filter.value) ? caller.attributes[filter.value.attribute] : filter.value;
  if (value === undefined) return "FALSE";
  const values = Array.isArray(value) ? value : [value];
  const isNative = filter.operator !== "like" && (NUMBER.test(column.type) || NATIVE.test(column.type));
  const type = isNative ? column.type : "VARCHAR";
  const field = isNative ? quoteName(column.name) : `CAST(${quoteName(column.name)} AS VARCHAR)`;
  const literals = values.map((item) => literal(item, type));
  if (filter.operator === "in")
    return literals.length === 0 ? "FALSE" : `${field} IN (${literals.join(", ")})`;
  if (filter.operator === "between") {
    return literals.length === 2 ? `${field} BETWEEN ${literals[0]} AND ${literals[1]}` : "FALSE";
  }
  if (literals.length !== 1) return "FALSE";
  if (filter.operator === "like") return `${field} ILIKE ${literals[0]}`;
  // NULL must not pass as "not equal": what is unknown is not shown.
  return `coalesce(${field} ${filter.operator} ${literals[0]}, FALSE)`;
}

/** Types whose values are compared as what they are; all others, such as JSON and lists, as their text. */
const NATIVE = /^(?:DATE|TIMESTAMP.*|TIME.*|BOOLEAN|UUID)$/i;
const NUMBER = /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL(?:\(.*\))?)$/i;
const PLAIN_NUMBER = /^-?\d{1,28}(?:\.\d{1,10})?$/;
const ANY_NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * A value of the column's own type, or NULL where it is none: otherwise the engine would turn the column into the
 * type of the value, and fail with what stands in a row that nobody may see. Numbers stay as they are, since 1.5
 * would be rounded to fit whole ones, and so does a time of day beside dates.
 */
function literal(value: string | number | boolean | null, type: string): string {
  if (value === null || (typeof value === "number" && !Number.isFinite(value))) return "NULL";
  const text = quoteText(String(value));
  if (type === "VARCHAR") return text;
  if (NUMBER.test(type) && PLAIN_NUMBER.test(String(value))) return String(value);
  if (NUMBER.test(type) && ANY_NUMBER.test(String(value))) return `TRY_CAST(${text} AS DOUBLE)`;
  const hasTime = /^DATE$/i.test(type) && /\d[ T]\d/.test(String(value));
  return `TRY_CAST(${text} AS ${hasTime ? "TIMESTAMP" : type})`;
}

function isAttribute(value: PolicyFilter["value"]): value is { attribute: string } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
