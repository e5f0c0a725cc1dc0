import { and, asc, eq, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import { AppError, isNotFound } from "../../kernel/errors.ts";
import { type CatalogTx, contains, isUniqueViolation, pageOf, Store } from "../../platform/catalog/index.ts";
import type { Parameters } from "./connectors/index.ts";
import { datasets, queries } from "./data.tables.ts";
import { assertOwnDataset, type Dataset } from "./dataset.ts";
import { type ListFilter, lockDatasource } from "./datasources.store.ts";
import { LIMITS } from "./limits.ts";
import type { Refresh } from "./runs/query-refresh.ts";

/** A question to a datasource; its answer becomes a dataset. */
export interface Query {
  id: number;
  workspaceId: number;
  name: string;
  datasourceId: number;
  queryText: string;
  c9ql: string | null;
  parameters: Parameters;
  datasetId: number | null;
  /** When it runs by itself, if it does. */
  refresh: Refresh | null;
  createdAt: Date;
}

export interface QueryText {
  datasourceId: number;
  queryText: string;
  c9ql: string | null;
  parameters: Parameters;
}

export class QueriesStore extends Store {
  async create(
    owner: { workspaceId: number; userId: number },
    name: string,
    text: QueryText,
  ): Promise<Query> {
    const { workspaceId, userId } = owner;
    const values = { ...text, workspaceId, name, createdBy: userId, createdAt: this.clock.now() };
    try {
      return await this.catalog.transaction(async (tx) => {
        await lockDatasource(tx, workspaceId, text.datasourceId);
        await assertRoom(tx, workspaceId);
        const [row] = await tx.insert(queries).values(values).returning();
        return row!;
      });
    } catch (error) {
      if (!isUniqueViolation(error, "queries_name")) throw error;
      throw nameTaken(name);
    }
  }

  async change(query: Query, text: QueryText & Partial<Pick<Query, "refresh">>): Promise<Query> {
    return this.catalog.transaction(async (tx) => {
      await lockDatasource(tx, query.workspaceId, text.datasourceId);
      const [row] = await tx
        .update(queries)
        .set(text)
        .where(and(own(query.workspaceId), eq(queries.id, query.id)))
        .returning();
      if (row === undefined) throw noQuery(query.id);
      return row;
    });
  }

  async find(workspaceId: number, id: number): Promise<Query | undefined> {
    const [row] = await this.catalog.db
      .select()
      .from(queries)
      .where(and(own(workspaceId), eq(queries.id, id)));
    return row;
  }

  async findByName(workspaceId: number, name: string): Promise<Query | undefined> {
    const [row] = await this.catalog.db
      .select()
      .from(queries)
      .where(and(own(workspaceId), sql`lower(${queries.name}) = lower(${name})`));
    return row;
  }

  async list(
    workspaceId: number,
    { query, limit, offset, datasourceId }: ListFilter & { datasourceId?: number | undefined },
  ): Promise<{ total: number; items: Query[] }> {
    const condition = and(
      own(workspaceId),
      contains(queries.name, query),
      datasourceId === undefined ? undefined : eq(queries.datasourceId, datasourceId),
    );
    return pageOf(this.catalog.db, queries, condition, { order: asc(queries.name), limit, offset });
  }

  /** Texts for the search index, without those of queries, which may name what is hidden from some. */
  async searchTexts(workspaceId: number): Promise<{ id: number; title: string; body: string }[]> {
    return this.catalog.db
      .select({ id: queries.id, title: queries.name, body: sql<string>`''` })
      .from(queries)
      .where(own(workspaceId));
  }

  /** The datasets that queries filled, by id; also deleted ones, whose policies still say what may be known. */
  async datasetsOf(items: readonly Query[]): Promise<Map<number, Dataset>> {
    const ids = items.flatMap(({ datasetId }) => datasetId ?? []);
    if (ids.length === 0) return new Map();
    const rows = await this.catalog.db.select().from(datasets).where(inArray(datasets.id, ids));
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Refuses to fill a dataset that came from elsewhere, and to make a deleted one anew while it can be restored:
   * its policies would be gone.
   */
  async checkDataset(query: Query): Promise<void> {
    const sameName = and(
      sql`lower(${datasets.name}) = lower(${query.name})`,
      eq(datasets.workspaceId, query.workspaceId),
      isNull(datasets.deletedAt),
    );
    const filled = query.datasetId === null ? undefined : eq(datasets.id, query.datasetId);
    const found = await this.catalog.db.select().from(datasets).where(or(sameName, filled));
    const current = found.find(({ deletedAt }) => deletedAt === null);
    if (current !== undefined) return assertOwnDataset(query, current);
    const [deleted] = found;
    if (deleted === undefined) return;
    throw new AppError("conflict", `The dataset of ${query.name} was deleted.`, {
      hint: `Bring it back first: {tool:restore_asset} with asset_type dataset and asset_id ${deleted.id}.`,
    });
  }

  /** Of these queries those that run by themselves. */
  refreshed(ids: readonly number[], tx: CatalogTx): Promise<Pick<Query, "id" | "workspaceId">[]> {
    return tx
      .select({ id: queries.id, workspaceId: queries.workspaceId })
      .from(queries)
      .where(and(inArray(queries.id, [...ids]), isNull(queries.deletedAt), isNotNull(queries.refresh)));
  }

  /** Changes when a query runs by itself, together with its schedule. */
  setRefresh<T>(query: Query, refresh: Refresh | null, schedule: (tx: CatalogTx) => Promise<T>): Promise<T> {
    return this.catalog.transaction(async (tx) => {
      const changed = await tx
        .update(queries)
        .set({ refresh })
        .where(and(own(query.workspaceId), eq(queries.id, query.id)))
        .returning({ id: queries.id });
      if (changed.length === 0) throw noQuery(query.id);
      return schedule(tx);
    });
  }

  async noteProblem({ id, workspaceId }: Query, problem: string | null): Promise<void> {
    await this.catalog.db
      .update(queries)
      .set({ refresh: sql`jsonb_set(${queries.refresh}, '{problem}', ${JSON.stringify(problem)}::jsonb)` })
      .where(and(own(workspaceId), eq(queries.id, id), isNotNull(queries.refresh)));
  }

  async remove(workspaceId: number, id: number): Promise<void> {
    await this.catalog.db
      .update(queries)
      .set({ deletedAt: this.clock.now() })
      .where(and(own(workspaceId), eq(queries.id, id)));
  }

  async restore(workspaceId: number, id: number, mayRestore: (found: Query) => Promise<void>): Promise<void> {
    const deleted = and(
      eq(queries.workspaceId, workspaceId),
      eq(queries.id, id),
      isNotNull(queries.deletedAt),
    );
    try {
      await this.catalog.transaction(async (tx) => {
        const [row] = await tx.update(queries).set({ deletedAt: null }).where(deleted).returning();
        if (row === undefined) throw new AppError("not_found", `There is no deleted query with id ${id}.`);
        await mayRestore(row);
        await lockDatasource(tx, workspaceId, row.datasourceId).catch((error) => {
          if (!isNotFound(error)) throw error;
          throw new AppError("conflict", `The datasource of ${row.name} is deleted.`, {
            hint: `Restore the datasource ${row.datasourceId} first.`,
          });
        });
      });
    } catch (error) {
      if (!isUniqueViolation(error, "queries_name")) throw error;
      throw new AppError("conflict", "There is another query of that name by now.", {
        hint: "Delete that one first, then restore this one.",
      });
    }
  }
}

async function assertRoom(tx: CatalogTx, workspaceId: number): Promise<void> {
  const { perWorkspace } = LIMITS.queries;
  if ((await tx.$count(queries, own(workspaceId))) < perWorkspace) return;
  throw new AppError(
    "plan_limit",
    `This workspace has ${perWorkspace} queries, which is as many as it can.`,
    {
      hint: "Delete those that nobody needs with {tool:delete_asset}.",
    },
  );
}

function own(workspaceId: number) {
  return and(eq(queries.workspaceId, workspaceId), isNull(queries.deletedAt));
}

export function noQuery(id: number): AppError {
  return new AppError("not_found", `There is no query with id ${id}.`, {
    hint: "{tool:list_queries} shows what there is.",
  });
}

export function nameTaken(name: string): AppError {
  return new AppError("conflict", `There is already a query called ${name}.`, {
    hint: "Choose another name, or delete that one first with {tool:delete_asset}. {tool:create_query(replace)} with replace: true changes it.",
  });
}
