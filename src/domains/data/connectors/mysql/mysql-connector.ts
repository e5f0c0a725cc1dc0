import { LIMITS } from "../../../../kernel/limits.ts";
import type { Connector, RowBatch, RunOptions, Scalar, SourceTable } from "../connector.ts";
import { startDeadline } from "../deadline.ts";
import { metadataOptions, readAll } from "../metadata.ts";
import { MYSQL } from "../sql/dialects.ts";
import { quoteTable, readStatement } from "../sql/read-statement.ts";
import { mysqlError } from "./mysql-errors.ts";
import { MysqlSession, type MysqlTarget } from "./mysql-session.ts";

/** MySQL and MariaDB. Each call has a connection of its own. */
export function createMysqlConnector(target: MysqlTarget): Connector {
  /** The rows of a statement, in one session that ends with the generator, however it ends. */
  async function* rowsOf(sql: string, options: RunOptions): AsyncGenerator<RowBatch> {
    const deadline = startDeadline(Math.min(options.timeoutMs, LIMITS.datasources.runMs), options.signal);
    let session: MysqlSession | undefined;
    try {
      session = await MysqlSession.open(target, deadline);
      yield* session.stream(sql, options, deadline).batches();
    } catch (error) {
      throw mysqlError(error, target);
    } finally {
      await session?.close();
      deadline.clear();
    }
  }

  const read = (sql: string, signal: AbortSignal | undefined): Promise<RowBatch> =>
    readAll(rowsOf(sql, metadataOptions(signal)));

  return {
    async test(signal) {
      const { rows } = await read("SELECT VERSION()", signal);
      return { ok: true, serverVersion: String(rows[0]?.[0]).slice(0, 200) };
    },

    async tables(signal) {
      const { rows } = await read(tablesQuery(target.database !== undefined), signal);
      return rows.map(
        ([schema, name, kind]): SourceTable => ({
          schema: String(schema),
          name: String(name),
          kind: /view/i.test(String(kind)) ? "view" : "table",
        }),
      );
    },

    async columns(table, signal) {
      const { columns } = await read(`SELECT * FROM ${quoteTable(table, MYSQL)} LIMIT 0`, signal);
      return [...columns];
    },

    run(query, options) {
      return rowsOf(readStatement(query, options.parameters, MYSQL, literal).text, options);
    },

    close: () => Promise.resolve(),
  };
}

function tablesQuery(hasDatabase: boolean): string {
  const where = hasDatabase
    ? "table_schema = DATABASE()"
    : "table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')";
  return `SELECT table_schema, table_name, table_type FROM information_schema.tables
    WHERE ${where} ORDER BY 1, 2 LIMIT ${LIMITS.datasources.tables}`;
}

/**
 * The value itself, in a form in which no character can end it: the protocol that binds values sends rows in
 * another form, for which all types would have to be read a second way.
 */
function literal(_number: number, value: Scalar): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  return value === "" ? "''" : `_utf8mb4 X'${Buffer.from(value, "utf8").toString("hex")}'`;
}
