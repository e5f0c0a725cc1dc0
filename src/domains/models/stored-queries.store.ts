import { and, asc, desc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { Store } from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { LIMITS } from "./limits.ts";
import { usableModels } from "./models.store.ts";
import { semanticModels, storedQueries } from "./models.tables.ts";

export interface StoredQuery {
  id: string;
  modelId: number;
  ownerId: number | null;
  name: string | null;
  sql: string;
  params: readonly string[];
  createdAt: Date;
  ranAt: Date;
}

/** A query in a list: of a long text only the beginning. */
export interface ListedQuery extends Omit<StoredQuery, "modelId" | "ownerId" | "createdAt"> {
  model: string;
  /** How long the whole text is. */
  sqlCharacters: number;
}

const listed = {
  id: storedQueries.id,
  model: semanticModels.name,
  name: storedQueries.name,
  sql: sql<string>`left(${storedQueries.sql}, ${LIMITS.models.listedSqlCharacters})`,
  sqlCharacters: sql<number>`length(${storedQueries.sql})`,
  params: storedQueries.params,
  ranAt: storedQueries.ranAt,
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Queries that ran once and can be run again by their ids, by everyone in the workspace with rights of their own. */
export class StoredQueriesStore extends Store {
  /** The id of a query: the one it has if the same person ran the same text before. None if it is too large. */
  async keep(
    { workspace, user }: Caller,
    { modelId, text, params }: { modelId: number; text: string; params: readonly string[] },
  ): Promise<string | undefined> {
    const bytes = Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(params));
    if (bytes > LIMITS.models.storedQueryBytes) return undefined;
    const now = sql`${this.clock.now().toISOString()}::timestamptz`;
    const given = sql`${JSON.stringify(params)}::jsonb`;
    const mine = and(eq(storedQueries.workspaceId, workspace.id), eq(storedQueries.ownerId, user.id));
    const same = and(
      mine,
      eq(storedQueries.modelId, modelId),
      eq(storedQueries.sql, text),
      sql`${storedQueries.params} = ${given}`,
    );
    // A caller waits for this, so that looking for it, making room and the new row are one statement.
    const { rows } = await this.catalog.db.execute<{ id: string }>(sql`
      WITH known AS (UPDATE ${storedQueries} SET ran_at = ${now} WHERE ${same} RETURNING id),
      room AS (
        DELETE FROM ${storedQueries} WHERE NOT EXISTS (SELECT FROM known) AND id IN (
          SELECT id FROM ${storedQueries} WHERE ${and(mine, isNull(storedQueries.name))}
          ORDER BY ran_at DESC, created_at DESC OFFSET ${LIMITS.models.storedQueries - 1}
        )
      ),
      made AS (
        INSERT INTO ${storedQueries} (workspace_id, model_id, owner_id, sql, params, created_at, ran_at)
        SELECT ${workspace.id}::bigint, ${modelId}::bigint, ${user.id}::bigint, ${text}, ${given}, ${now}, ${now}
        WHERE NOT EXISTS (SELECT FROM known)
        RETURNING id
      )
      SELECT id FROM known UNION ALL SELECT id FROM made`);
    return rows[0]?.id;
  }

  async require(caller: Caller, id: string): Promise<StoredQuery> {
    const wanted = and(
      eq(storedQueries.workspaceId, caller.workspace.id),
      eq(storedQueries.id, id),
      inArray(storedQueries.modelId, usableModels(this.catalog, caller)),
    );
    const [row] = UUID.test(id) ? await this.catalog.db.select().from(storedQueries).where(wanted) : [];
    if (row !== undefined) return row;
    throw new AppError("not_found", "There is no stored query with that id.", {
      hint: "Run the SQL with {tool:execute_query}: its answer has a new storedQueryId.",
    });
  }

  /** One's own queries, the last run first; an admin can see everyone's. */
  async list(
    caller: Caller,
    options: { everyone: boolean; namedOnly: boolean; limit: number; offset: number },
  ): Promise<{ total: number; items: ListedQuery[] }> {
    const condition = and(
      eq(storedQueries.workspaceId, caller.workspace.id),
      inArray(storedQueries.modelId, usableModels(this.catalog, caller)),
      options.everyone ? undefined : eq(storedQueries.ownerId, caller.user.id),
      options.namedOnly ? isNotNull(storedQueries.name) : undefined,
    );
    const [total, items] = await Promise.all([
      this.catalog.db.$count(storedQueries, condition),
      this.catalog.db
        .select(listed)
        .from(storedQueries)
        .innerJoin(semanticModels, eq(semanticModels.id, storedQueries.modelId))
        .where(condition)
        .orderBy(desc(storedQueries.ranAt), asc(storedQueries.id))
        .limit(options.limit)
        .offset(options.offset),
    ]);
    return { total, items };
  }

  /** Gives a query a name, or takes it away. Named queries stay until they are deleted. */
  async rename(caller: Caller, id: string, name: string | null): Promise<void> {
    const query = await this.#requireOwn(caller, id);
    const isNamed = and(
      eq(storedQueries.workspaceId, caller.workspace.id),
      eq(storedQueries.ownerId, caller.user.id),
      isNotNull(storedQueries.name),
    );
    const named = await this.catalog.db.$count(storedQueries, isNamed);
    if (name !== null && query.name === null && named >= LIMITS.models.namedQueries) {
      throw new AppError("plan_limit", `You have ${LIMITS.models.namedQueries} named queries already.`, {
        hint: "Delete one that is no longer needed.",
      });
    }
    await this.catalog.db.update(storedQueries).set({ name }).where(eq(storedQueries.id, id));
  }

  async remove(caller: Caller, id: string): Promise<void> {
    await this.#requireOwn(caller, id);
    await this.catalog.db.delete(storedQueries).where(eq(storedQueries.id, id));
  }

  async #requireOwn(caller: Caller, id: string): Promise<StoredQuery> {
    const query = await this.require(caller, id);
    if (query.ownerId === caller.user.id || caller.permissions.includes("admin")) return query;
    throw new AppError("forbidden", "This stored query belongs to somebody else.", {
      hint: "Run it with {tool:execute_query} to have one of your own.",
    });
  }
}
