import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import { type UsualAggregate, usualAggregate } from "../../kernel/name-words.ts";
import { ROLES } from "../../kernel/permissions.ts";
import { assertVisible } from "../../kernel/text.ts";
import { columnKind } from "../../kernel/values.ts";
import type { Column as TypedColumn } from "../../platform/analytics/index.ts";

import { LIMITS } from "./limits.ts";

/** A column of a dataset, with what is known of it beside its type. */
export interface Column extends TypedColumn {
  /** How its numbers are put together where nobody says it, in charts, insights and inferred models. */
  aggregate?: ColumnAggregate;
}

/** `none` is for numbers that only say which one it is: they are counted. */
export const COLUMN_AGGREGATES = ["sum", "avg", "none"] as const satisfies readonly UsualAggregate[];
export type ColumnAggregate = (typeof COLUMN_AGGREGATES)[number];

/** Undefined for what is no number. Columns that were written before this was kept have it worked out here. */
export function aggregateOf({ name, type, aggregate }: Column): ColumnAggregate | undefined {
  return columnKind(type) === "number" ? (aggregate ?? usualAggregate(name)) : undefined;
}

/** Columns as they are kept: what was said of those that were there before stays, however often rows are replaced. */
export function withAggregates(columns: readonly Column[], before: readonly Column[] = []): Column[] {
  const said = new Map(before.map((column) => [column.name.toLowerCase(), column.aggregate]));
  return columns.map(({ name, type, aggregate }) => {
    const known = said.get(name.toLowerCase()) ?? aggregate;
    return { name, type, ...knownAggregate({ name, type, ...(known && { aggregate: known }) }) };
  });
}

export function knownAggregate(column: Column): Pick<Column, "aggregate"> {
  const aggregate = aggregateOf(column);
  return aggregate === undefined ? {} : { aggregate };
}

/** Where the rows came from: a dataset's lineage. */
export interface DatasetSource {
  kind: "push" | "import" | "query" | "live";
  /** The file, its format and how it was read; or the query. */
  detail?: Record<string, unknown>;
}

/** Where the rows of a live dataset are: a table, or a query in the words of the database. */
export interface LiveDetail {
  datasource_id: number;
  datasource: string;
  schema?: string | undefined;
  table?: string | undefined;
  query?: string | undefined;
  /** How long an answer may be given again. */
  fresh_seconds?: number | undefined;
  /** Types of the columns there, where they are another one here. */
  types?: Readonly<Record<string, string>> | undefined;
}

const FILTER_OPERATORS = ["=", "!=", ">", "<", ">=", "<=", "like", "in", "between"] as const;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A condition on one column; the value may be an attribute of the member who asks. */
export const policyFilter = z.strictObject({
  field: z.string().min(1),
  operator: z.enum(FILTER_OPERATORS),
  // The alternatives as a schema would cost every client a hundred tokens more than these words.
  value: z
    .unknown()
    .pipe(z.union([scalar, z.array(scalar).max(1_000), z.strictObject({ attribute: z.string().min(1) })]))
    .describe("Value, list of values or {attribute: name}"),
});

/**
 * A policy only takes away. It holds for a caller who has one of its roles (if it names any) and is in one of its
 * groups (if it names any); where several hold, the caller sees the rows that pass all and the columns that none hides.
 */
export const datasetPolicy = z.strictObject({
  name: z.string().min(1).max(100),
  roles: z.array(z.enum(ROLES)).max(3).optional(),
  groups: z.array(z.int()).max(100).optional(),
  rows: z.array(policyFilter).max(20).optional(),
  hide: z.array(z.string().min(1)).max(1_000).optional(),
});

export type PolicyFilter = z.output<typeof policyFilter>;
export type DatasetPolicy = z.output<typeof datasetPolicy>;

export interface Dataset {
  id: number;
  workspaceId: number;
  name: string;
  description: string | null;
  version: number;
  columns: readonly Column[];
  rowCount: number;
  bytes: number;
  source: DatasetSource;
  policies: readonly DatasetPolicy[];
  createdBy: number | null;
  createdAt: Date;
  refreshedAt: Date;
  refreshedBy: number | null;
}

/** The rows that a dataset has, or had until they were replaced. */
export interface DatasetVersion {
  version: number;
  rowCount: number;
  /** When and by whom they were changed last. */
  refreshedAt: Date;
  refreshedBy: string | null;
  /** Null for those that it has. */
  replacedAt: Date | null;
  replacedBy: string | null;
}

export interface DatasetPart {
  blobKey: string;
  rowCount: number;
  bytes: number;
  /** Null for a file of long ago. */
  sha256: string | null;
}

/** A query fills the dataset of its name, but never one that came from elsewhere. */
export function assertOwnDataset(
  query: { id: number; name: string },
  { source }: Pick<Dataset, "source">,
): void {
  if (source.kind === "query" && source.detail?.queryId === query.id) return;
  throw new AppError(
    "conflict",
    `There is already a dataset called ${query.name}, which is not from this query.`,
    { hint: "Give the query another name, or delete that dataset." },
  );
}

/** How long what was counted in a live dataset is taken for true. */
const LIVE_LOOK_MS = 3_600_000;

/** Names the rows of a dataset, for what is remembered of them; those of a live one for a while. */
export function rowsVersion({ version, source }: Pick<Dataset, "version" | "source">): string {
  return source.kind === "live" ? `${version}.${Math.floor(Date.now() / LIVE_LOOK_MS)}` : String(version);
}

/** Since when what is shown of a dataset has been true: of a live one, since the oldest answer that may be given again. */
export function asOf({ refreshedAt, source }: Pick<Dataset, "refreshedAt" | "source">): Date {
  if (source.kind !== "live") return refreshedAt;
  const freshMs = (((source.detail ?? {}) as Partial<LiveDetail>).fresh_seconds ?? 0) * 1_000;
  return new Date(freshMs === 0 ? Date.now() : Math.floor(Date.now() / freshMs) * freshMs);
}

export function isLiveDataset({ source }: Pick<Dataset, "source">): boolean {
  return source.kind === "live";
}

/** A query's next run would overwrite what is put into its dataset, and a live one has its rows elsewhere. */
export function assertNotFromQuery({ name, source }: Pick<Dataset, "name" | "source">): void {
  if (source.kind === "live")
    throw new AppError("conflict", `${name} is live: its rows are in the database behind it.`, {
      hint: "Choose another name for these rows.",
    });
  if (source.kind !== "query") return;
  throw new AppError("conflict", `${name} is filled by a query, and each run replaces all of its rows.`, {
    hint: "Choose another name for these rows.",
  });
}

/** A file without rows is most often the wrong one, and what it would replace is gone. */
export function assertLosesNoRows({ name, rowCount }: Pick<Dataset, "name" | "rowCount">): void {
  if (rowCount === 0) return;
  throw new AppError("conflict", `The file has no rows, and would leave ${name} without any.`, {
    hint: "Check the file; to empty the dataset on purpose, allow it (allow_empty).",
  });
}

export function assertName(name: string): void {
  const isGood = name.trim() === name && name.length > 0 && name.length <= LIMITS.data.nameCharacters;
  if (!isGood) {
    throw new AppError(
      "bad_request",
      `A name has 1 to ${LIMITS.data.nameCharacters} characters and no spaces around it.`,
    );
  }
  assertVisible(name);
}
