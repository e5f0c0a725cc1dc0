import { createHash } from "node:crypto";
import { quoteName } from "../../kernel/sql-text.ts";
import { HIDDEN_SCHEMA, type TableView } from "../../platform/analytics/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { type Data, restrictionFor } from "../data/index.ts";
import type { SeenDataset } from "./bind/index.ts";

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
    dataset.version,
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
