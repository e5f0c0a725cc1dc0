import type { Caller } from "../../registry/caller.ts";
import type { Dataset } from "./dataset.ts";
import { restrictionFor } from "./policies.ts";
import { isActive, type QueryRun } from "./runs/query-runs.store.ts";
import { sentenceOf } from "./runs/run-shape.ts";

/** What a caller may know of a query: what policies hide in its dataset, its runs and its text do not tell. */
export interface QueryView {
  /** How many rows there are, and were. */
  rows: boolean;
  /** The text with its parameters, and errors: they name columns, and may hold secrets of the datasource. */
  texts: boolean;
}

export function viewFor(caller: Caller, dataset: Dataset | undefined): QueryView {
  const rows = dataset === undefined || isWhole(caller, dataset);
  return { rows, texts: rows && caller.permissions.includes("bi:write") };
}

/** Whether no policy keeps anything of the dataset from this caller, also of columns that other runs gave it. */
export function isWhole(caller: Caller, dataset: Pick<Dataset, "columns" | "policies">): boolean {
  const hidden = dataset.policies.flatMap(({ hide }) => hide ?? []);
  const all = [...dataset.columns, ...hidden.map((name) => ({ name, type: "VARCHAR" }))];
  const { columns, condition } = restrictionFor(caller, { ...dataset, columns: all });
  return condition === null && columns.length === all.length;
}

const HIDDEN_ERROR = "The reason is told only to those who may change queries and see all of the dataset.";

/** A run without what this view leaves out. */
export function seenRun(run: QueryRun, { rows, texts }: QueryView): QueryRun {
  return {
    ...run,
    rowCount: rows ? run.rowCount : null,
    truncated: rows ? run.truncated : null,
    rejectedRows: rows ? run.rejectedRows : null,
    error: texts || run.error === null ? run.error : HIDDEN_ERROR,
  };
}

/** What became of a run, as far as this view tells. It names tools as `{tool:…}`. */
export function seenSentence(run: QueryRun, dataset: string, view: QueryView): string {
  if (view.rows || isActive(run) || run.status !== "succeeded")
    return sentenceOf(seenRun(run, view), dataset);
  return `The dataset ${dataset} has new rows.`;
}
