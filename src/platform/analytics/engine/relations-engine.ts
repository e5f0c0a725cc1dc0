import type { DuckDBInstance } from "@duckdb/node-api";
import type { EngineSpec, WireRelation } from "../wire.ts";
import { lock, openEngine, withConnection } from "./engine.ts";
import { columnsOf, createRelations, placeOf } from "./relation-sql.ts";

/** An engine that sees exactly these relations, and takes no orders but queries. */
export async function openRelations(
  spec: EngineSpec,
  relations: readonly WireRelation[],
  spillFolder: string,
): Promise<DuckDBInstance> {
  const instance = await openEngine({
    memoryMb: spec.memoryMb,
    threads: spec.threads,
    spillMb: spec.spillMb,
    spillFolder,
    files: relations.flatMap(({ files }) => files),
    // Statistics are of all rows, hidden ones too, and a condition that they rule out is never evaluated.
    withoutOptimisers: hasRestricted(spec) ? ["statistics_propagation"] : [],
  });
  await withConnection(instance, (connection) => createRelations(connection, relations));
  await lock(instance);
  return instance;
}

export function hasRestricted({ relations }: Pick<EngineSpec, "relations">): boolean {
  return relations.some(({ isRestricted }) => isRestricted);
}

/**
 * An engine for plans alone. A plan over a restricted relation would show its policy, and what the statistics say
 * of hidden rows; so here such relations are empty tables of the same columns.
 */
export async function openPlanner(
  engine: DuckDBInstance,
  spec: EngineSpec,
  spillFolder: string,
): Promise<DuckDBInstance> {
  const relations = await withConnection(engine, (connection) =>
    Promise.all(
      spec.relations.map(async (relation) => {
        if (!relation.isRestricted) return relation;
        const columns = await columnsOf(connection, placeOf(relation));
        return { ...relation, files: [], columns, select: undefined, isTable: true };
      }),
    ),
  );
  return openRelations(spec, relations, spillFolder);
}
