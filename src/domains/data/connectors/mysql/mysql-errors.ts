import { AppError } from "../../../../kernel/errors.ts";
import {
  onlyReads,
  otherFailure,
  refusedQuery,
  stoppedQuery,
  unknownDatabase,
  unknownTable,
} from "../database-errors.ts";
import { shownMessage } from "../masking.ts";
import { type ServerAddress, serverName } from "../network/guarded-socket.ts";
import { brokenError, garbageError, networkError } from "../network/network-errors.ts";

export interface MysqlLogin extends ServerAddress {
  user: string;
  database?: string | undefined;
  password?: string | undefined;
}

interface ServerError {
  errno: number;
  sqlState: string;
  sqlMessage: string;
}

const REFUSED_LOGIN = new Set([1044, 1045, 1130, 1251, 1396, 1698, 1862, 3118, 4151]);
const UNKNOWN_TABLE = new Set([1051, 1109, 1146]);
const READ_ONLY = new Set([1792, 1290, 1836]);
/** Interrupted by KILL QUERY, max_execution_time (MySQL) and max_statement_time (MariaDB). */
const STOPPED = new Set([1317, 3024, 1969]);

/** Whatever the client can throw, as an expected failure; nothing of the client itself gets into it. */
export function mysqlError(error: unknown, login: MysqlLogin): AppError {
  const server = serverName(login);
  const fromNetwork = networkError(error, server);
  if (fromNetwork !== undefined) return fromNetwork;
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === "PROTOCOL_CONNECTION_LOST") return brokenError(server);
  if (code === "HANDSHAKE_NO_SSL_SUPPORT") return noTls();
  if (code === "MYSQL_CLEAR_PASSWORD_NOT_ENABLED") return clearPassword(server);
  return isServerError(error) ? serverError(error, login) : garbageError(server);
}

export function isWithoutTls(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "HANDSHAKE_NO_SSL_SUPPORT";
}

function noTls(): AppError {
  return new AppError("unavailable", "The server knows no TLS.", {
    hint: 'Set tls to "prefer" if that is acceptable.',
  });
}

function clearPassword(server: string): AppError {
  return new AppError("unavailable", `${server} wants the password unencrypted, and does not get it.`, {
    hint: "Use another authentication plugin for this user.",
  });
}

function isServerError(error: unknown): error is ServerError {
  const { errno, sqlState, sqlMessage } = (error ?? {}) as Partial<Record<keyof ServerError, unknown>>;
  return typeof errno === "number" && typeof sqlState === "string" && typeof sqlMessage === "string";
}

function serverError({ errno, sqlState, sqlMessage }: ServerError, login: MysqlLogin): AppError {
  const server = serverName(login);
  const shown = shownMessage(sqlMessage, [login.password]);
  const data = { sqlState, errno };
  if (REFUSED_LOGIN.has(errno)) {
    return new AppError("bad_request", `${server} refused the user ${login.user} or the password.`, {
      hint: "Check user and password of the datasource, its rights on the database, and whether the server lets this machine in.",
      data,
    });
  }
  if (errno === 1049) return unknownDatabase(server, login.database, data);
  if (READ_ONLY.has(errno)) return onlyReads(shown, data);
  if (STOPPED.has(errno)) return stoppedQuery(shown);
  if (UNKNOWN_TABLE.has(errno)) return unknownTable(shown, data);
  const isOfQuery = /^(42|22|21|23|44|0A|HY000$)/.test(sqlState) && errno !== 1040 && errno !== 1203;
  return isOfQuery ? refusedQuery(shown, data) : otherFailure(server, shown, data);
}
