import { sql } from "drizzle-orm";
import type { Catalog } from "../catalog/index.ts";
import { LIMITS } from "./limits.ts";
import type { Which } from "./wire.ts";

/** What the catalog has logged of changes (`retrieval.tables.ts`), read so that none is missed and none is read twice. */
export class ChangeLog {
  readonly #db: Catalog["db"];

  constructor({ db }: Pick<Catalog, "db">) {
    this.#db = db;
  }

  /** What is committed by now, as PostgreSQL writes it. */
  async snapshot(): Promise<string> {
    const { rows } = await this.#db.execute<{ snapshot: string }>(
      sql`SELECT pg_current_snapshot()::text AS snapshot`,
    );
    return rows[0]?.snapshot ?? "";
  }

  /** Keys of all entries whose changes were committed after that snapshot, change by change. */
  async since(
    { kind, workspaceId }: Pick<Which, "kind" | "workspaceId">,
    snapshot: string,
  ): Promise<{ snapshot: string; changes: number[][] }> {
    const { rows } = await this.#db.execute<{ snapshot: string; changes: number[][] }>(sql`
      SELECT pg_current_snapshot()::text AS snapshot, coalesce((
        SELECT json_agg(ids) FROM retrieval_changes
        WHERE kind = ${kind} AND workspace_id = ${workspaceId}
          AND transaction >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
          AND NOT pg_visible_in_snapshot(transaction, ${snapshot}::pg_snapshot)
      ), '[]') AS changes`);
    return rows[0] ?? { snapshot, changes: [] };
  }

  async sweep(): Promise<void> {
    const { changesMs } = LIMITS.retrieval;
    await this.#db.execute(
      sql`DELETE FROM retrieval_changes WHERE at < now() - ${changesMs} * interval '1 ms'`,
    );
  }
}
