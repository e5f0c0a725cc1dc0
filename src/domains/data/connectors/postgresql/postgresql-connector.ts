import type { Connector } from "../connector.ts";
import { POSTGRESQL } from "../sql/dialects.ts";
import { rowsBySession } from "../sql/rows-by-session.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { pgError } from "./pg-errors.ts";
import { PgSession, type PgTarget } from "./pg-session.ts";

/** PostgreSQL and what speaks its protocol. Each call has a connection of its own. */
export function createPostgresqlConnector(target: PgTarget): Connector {
  return sqlConnector({
    dialect: POSTGRESQL,
    versionQuery: "SELECT version()",
    tablesQuery: tablesQuery(target.dialect.onlyTables),
    placeholder: (number) => `$${number}`,
    rowsOf: rowsBySession(
      (deadline) => PgSession.open(target, deadline),
      (error) => pgError(error, target),
    ),
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
