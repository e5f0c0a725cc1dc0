import type { Part } from "../../platform/analytics/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Data } from "./data.ts";
import { assertLosesNoRows, assertNotFromQuery, type Dataset, type DatasetSource } from "./dataset.ts";
import { VERSION_RETENTION_MS } from "./dataset-versions.store.ts";
import { assertMayDestroy, columnsNamedBy, restrictionFor } from "./policies.ts";

export interface Replacement {
  dataset: Dataset;
  /** Former version; undefined when it is new. */
  replaced: Dataset | undefined;
}

/** Makes a finished part the rows of a dataset that may be there already. That asks for what deleting asks for. */
export async function replaceRows(
  data: Data,
  caller: Caller,
  {
    name,
    part,
    source,
    allowEmpty,
  }: { name: string; part: Part; source: DatasetSource; allowEmpty: boolean },
): Promise<Replacement> {
  let replaced: Dataset | undefined;
  const dataset = await data.commit(caller, name, "replace", part, source, {
    mayChange(existing) {
      assertMayReplace(caller, existing);
      if (part.rows === 0 && !allowEmpty) assertLosesNoRows(existing);
      replaced = existing;
    },
  });
  return { dataset, replaced };
}

export function assertMayReplace(caller: Caller, existing: Dataset): void {
  assertNotFromQuery(existing);
  assertMayDestroy(caller, existing, "replace its rows");
}

/** The replaced version, as tools tell it. */
interface Replaced {
  version: number;
  rows: number | null;
  refreshed_at: string;
  undo: string;
}

/** Tells what a change took away and how to get it back, as far as policies let the caller know. */
export function replacedOf(
  caller: Caller,
  replaced: Dataset,
  { dataset, say }: { dataset: Dataset; say: (text: string) => string },
): Replaced {
  const { id, version, rowCount, refreshedAt } = replaced;
  const until = new Date(dataset.refreshedAt.getTime() + VERSION_RETENTION_MS).toISOString().slice(0, 10);
  return {
    version,
    rows: restrictionFor(caller, replaced).condition === null ? rowCount : null,
    refreshed_at: refreshedAt.toISOString(),
    undo: say(
      `Until ${until} {tool:restore_asset} with asset_type dataset, asset_id ${id} and version ${version} brings them back.`,
    ),
  };
}

/** Policies go on as they are, so that a column under another name is not hidden any more. */
export function policyNotes({ policies, columns }: Dataset): string[] {
  const known = new Set(columns.map(({ name }) => name.toLowerCase()));
  const gone = [...new Set(columnsNamedBy(policies))].filter((name) => !known.has(name.toLowerCase()));
  if (gone.length === 0) return [];
  return [`The policies of this dataset name columns that it no longer has: ${gone.join(", ")}.`];
}
