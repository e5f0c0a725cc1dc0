import type { Caller } from "../../../registry/caller.ts";
import { type Column, type Dataset, type DatasetPolicy, restrictionFor } from "../../data/index.ts";

/** Who published a model, with the rights that they have now; undefined when they are no member any more. */
export type Author = () => Promise<Caller | undefined>;

/**
 * A model's own policies as far as its author may make them. Rows are chosen by columns that the author may see:
 * an admin may well choose by one that is hidden from the reader, but whoever chose by one that is hidden from
 * themselves would learn its values from the number of rows. Such a choice lets nothing through.
 */
export async function withinRights(
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
