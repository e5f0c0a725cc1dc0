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

export interface PgLogin extends ServerAddress {
  user: string;
  database: string;
  password?: string | undefined;
}

interface ServerError {
  code: string;
  message: string;
  position?: string;
}

/** Whatever the client can throw, as an expected failure; nothing of the client itself gets into it. */
export function pgError(error: unknown, login: PgLogin): AppError {
  const server = serverName(login);
  const fromNetwork = networkError(error, server);
  if (fromNetwork !== undefined) return fromNetwork;
  if (isServerError(error)) return serverError(error, login);
  const message = error instanceof Error ? error.message : "";
  if (/^(Connection terminated|timeout expired)/.test(message)) return brokenError(server);
  if (/^SASL: .*password must be/.test(message)) return refusedLogin(login);
  // The client's own words for what it cannot make sense of; SASL also covers a server that is not who it claims to be.
  return garbageError(server);
}

function refusedLogin(login: PgLogin): AppError {
  return new AppError(
    "bad_request",
    `${serverName(login)} refused the user ${login.user} or ${login.password ? "the password" : "wants a password"}.`,
    { hint: "Check user and password of the datasource, and whether the server lets this machine in." },
  );
}

function isServerError(error: unknown): error is ServerError {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && typeof severity === "string";
}

function serverError({ code, message, position }: ServerError, login: PgLogin): AppError {
  const server = serverName(login);
  const shown = shownMessage(message, [login.password]);
  const data = { sqlState: code };
  if (code.startsWith("28")) return refusedLogin(login);
  if (code === "3D000") return unknownDatabase(server, login.database, data);
  if (code === "25006") return onlyReads(shown, data);
  if (code === "42P01" || code === "3F000") return unknownTable(shown, data);
  if (code === "57014") return stoppedQuery(shown);
  if (!/^(42|22|21|0A|2F|38|39|P0|44|23|24|25|26|34|54|08P01)/.test(code))
    return otherFailure(server, shown, data);
  return refusedQuery(position === undefined ? shown : `${shown} (at character ${position})`, data);
}
