import { AppError } from "../../kernel/errors.ts";
import { quoteName } from "../../kernel/sql-text.ts";
import type { TableView } from "../../platform/analytics/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { noteDataset } from "../../registry/context.ts";
import type { Column, Dataset } from "./dataset.ts";
import { assertBoundsKnown, type Restriction, restrictionFor } from "./policies.ts";

/** What a caller may see of a dataset, and by which columns. */
export type SeenTable = TableView & { visible: Column[] };

/** What policies leave of a dataset for a caller; refused where that is nothing. */
export function restrictionOf(caller: Caller, dataset: Dataset): Restriction {
  noteDataset(dataset.id);
  assertBoundsKnown(caller);
  if (dataset.columns.length === 0)
    throw new AppError("bad_request", `${dataset.name} has no columns: what it was made of was empty.`);
  const restriction = restrictionFor(caller, dataset);
  if (restriction.columns.length > 0) return restriction;
  throw new AppError("forbidden", `No column of ${dataset.name} may be seen by you.`);
}

/** The same for the engine. */
export function seenTable(
  dataset: Dataset,
  name: string,
  { columns, condition }: Restriction,
  files: string[],
): SeenTable {
  const isRestricted = condition !== null || columns.length < dataset.columns.length;
  const visible = columns.map((column) => quoteName(column.name)).join(", ");
  const select = `SELECT ${visible} FROM raw${condition === null ? "" : ` WHERE ${condition}`}`;
  return {
    name,
    parts: files,
    columns: [...dataset.columns],
    ...(isRestricted && { select }),
    isRestricted: condition !== null,
    version: `${dataset.id}.${dataset.version}`,
    visible: [...columns],
  };
}
