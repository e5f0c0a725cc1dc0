import { LIMITS } from "../../limits.ts";
import type { Connector, RowBatch, RunOptions } from "../connector.ts";
import { startDeadline } from "../deadline.ts";
import { POSTGRESQL } from "../sql/dialects.ts";
import type { ReadStatement } from "../sql/read-statement.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { pgError } from "./pg-errors.ts";
import { PgSession, type PgTarget } from "./pg-session.ts";

/** PostgreSQL and what speaks its protocol. Each call has a connection of its own. */
export function createPostgresqlConnector(target: PgTarget): Connector {
  /** The rows of a statement, in one session that ends with the generator, however it ends. */
  async function* rowsOf(statement: ReadStatement, options: RunOptions): AsyncGenerator<RowBatch> {
    const deadline = startDeadline(Math.min(options.timeoutMs, LIMITS.datasources.runMs), options.signal);
    let session: PgSession | undefined;
    try {
      session = await PgSession.open(target, deadline);
      yield* session.stream(statement.text, statement.values, options, deadline).batches();
    } catch (error) {
      throw pgError(error, target);
    } finally {
      await session?.close();
      deadline.clear();
    }
  }

  return sqlConnector({
    dialect: POSTGRESQL,
    versionQuery: "SELECT version()",
    tablesQuery: tablesQuery(target.dialect.onlyTables),
    placeholder: (number) => `$${number}`,
    rowsOf,
  });
}

/** From pg_class because the information schema knows no materialised views; only what the user may read. */
function tablesQuery(onlyTables: string): string {
  return `SELECT n.nspname::text, c.relname::text, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ${onlyTables}
      AND n.nspname NOT IN ('information_schema', 'crdb_internal') AND n.nspname !~ '^pg_'
      AND has_table_privilege(c.oid, 'SELECT')
    ORDER BY 1, 2`;
}
