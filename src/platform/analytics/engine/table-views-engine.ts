import type { DuckDBInstance } from "@duckdb/node-api";
import type { EngineSpec, WireTableView } from "../wire.ts";
import { lock, openEngine, withConnection } from "./engine.ts";
import { columnsOf, createTableViews, placeOf } from "./table-view-sql.ts";

/** An engine that sees exactly these views, and takes no orders but queries. */
export async function openTableViews(
  spec: EngineSpec,
  tableViews: readonly WireTableView[],
  spillFolder: string,
): Promise<DuckDBInstance> {
  const instance = await openEngine({
    memoryMb: spec.memoryMb,
    threads: spec.threads,
    spillMb: spec.spillMb,
    spillFolder,
    files: tableViews.flatMap(({ files }) => files),
    // Statistics are of all rows, hidden ones too, and a condition that they rule out is never evaluated.
    withoutOptimisers: hasRestricted(spec) ? ["statistics_propagation"] : [],
  });
  await withConnection(instance, (connection) => createTableViews(connection, tableViews));
  await lock(instance);
  return instance;
}

export function hasRestricted({ tableViews }: Pick<EngineSpec, "tableViews">): boolean {
  return tableViews.some(({ isRestricted }) => isRestricted);
}

/**
 * An engine for plans alone. A plan over a restricted view would show its policy, and what the statistics say
 * of hidden rows; so here such views are empty tables of the same columns.
 */
export async function openPlanner(
  engine: DuckDBInstance,
  spec: EngineSpec,
  spillFolder: string,
): Promise<DuckDBInstance> {
  const tableViews = await withConnection(engine, (connection) =>
    Promise.all(
      spec.tableViews.map(async (tableView) => {
        if (!tableView.isRestricted) return tableView;
        const columns = await columnsOf(connection, placeOf(tableView));
        return { ...tableView, files: [], columns, select: undefined, isTable: true };
      }),
    ),
  );
  return openTableViews(spec, tableViews, spillFolder);
}
