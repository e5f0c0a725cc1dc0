import { LIMITS } from "../../../../kernel/limits.ts";
import type { Connector, RowBatch, RunOptions, SourceTable } from "../connector.ts";
import { startDeadline } from "../deadline.ts";
import { metadataOptions, readAll } from "../metadata.ts";
import { POSTGRESQL } from "../sql/dialects.ts";
import { quoteTable, type ReadStatement, readStatement } from "../sql/read-statement.ts";
import { pgError } from "./pg-errors.ts";
import { PgSession, type PgTarget } from "./pg-session.ts";

const VIEWS = new Set(["v", "m"]);

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

  const read = (text: string, signal: AbortSignal | undefined): Promise<RowBatch> =>
    readAll(rowsOf({ text, values: [] }, metadataOptions(signal)));

  return {
    async test(signal) {
      const { rows } = await read("SELECT version()", signal);
      return { ok: true, serverVersion: String(rows[0]?.[0]).slice(0, 200) };
    },

    async tables(signal) {
      const { rows } = await read(tablesQuery(target.dialect.onlyTables), signal);
      return rows.map(
        ([schema, name, kind]): SourceTable => ({
          schema: String(schema),
          name: String(name),
          kind: VIEWS.has(String(kind)) ? "view" : "table",
        }),
      );
    },

    async columns(table, signal) {
      const { columns } = await read(`SELECT * FROM ${quoteTable(table, POSTGRESQL)} LIMIT 0`, signal);
      return [...columns];
    },

    run(query, options) {
      return rowsOf(
        readStatement(query, options.parameters, POSTGRESQL, (number) => `$${number}`),
        options,
      );
    },

    close: () => Promise.resolve(),
  };
}

/** From pg_class because the information schema knows no materialised views; only what the user may read. */
function tablesQuery(onlyTables: string): string {
  return `SELECT n.nspname::text, c.relname::text, c.relkind::text
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ${onlyTables}
      AND n.nspname NOT IN ('information_schema', 'crdb_internal') AND n.nspname !~ '^pg_'
      AND has_table_privilege(c.oid, 'SELECT')
    ORDER BY 1, 2 LIMIT ${LIMITS.datasources.tables}`;
}
