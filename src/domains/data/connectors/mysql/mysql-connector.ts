import type { Connector, Scalar } from "../connector.ts";
import { MYSQL } from "../sql/dialects.ts";
import { rowsBySession } from "../sql/rows-by-session.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { mysqlError } from "./mysql-errors.ts";
import { MysqlSession, type MysqlTarget } from "./mysql-session.ts";

/** MySQL and MariaDB. Each call has a connection of its own. */
export function createMysqlConnector(target: MysqlTarget): Connector {
  return sqlConnector({
    dialect: MYSQL,
    versionQuery: "SELECT VERSION()",
    tablesQuery: tablesQuery(target.database !== undefined),
    placeholder: literal,
    rowsOf: rowsBySession(
      (deadline) => MysqlSession.open(target, deadline),
      (error) => mysqlError(error, target),
    ),
  });
}

function tablesQuery(hasDatabase: boolean): string {
  const where = hasDatabase
    ? "table_schema = DATABASE()"
    : "table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')";
  return `SELECT table_schema, table_name, table_type FROM information_schema.tables
    WHERE ${where} ORDER BY 1, 2`;
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
