import { AppError, isAppError } from "../../../../kernel/errors.ts";
import { shownMessage } from "../masking.ts";
import { GarbageError } from "../network/driver-stream.ts";
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
  if (isAppError(error)) return error;
  const server = serverName(login);
  if (error instanceof GarbageError) return garbageError(server);
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
  const refuse = (sentence: string, hint: string): AppError =>
    new AppError("bad_request", sentence, { hint, data: { sqlState: code } });

  if (code.startsWith("28")) return refusedLogin(login);
  if (code === "3D000") {
    return refuse(`${server} has no database called ${login.database}.`, "Check the name of the database.");
  }
  if (code === "25006") {
    return refuse(`A datasource is only read: ${shown}.`, "Send a query that only reads.");
  }
  if (code === "42P01" || code === "3F000") {
    return new AppError("not_found", `The database says: ${shown}.`, {
      hint: "List the tables of the datasource.",
      data: { sqlState: code },
    });
  }
  if (code === "57014") {
    return new AppError("timeout", `The database stopped the query: ${shown}.`, {
      hint: "Ask for less, or raise the time limit.",
    });
  }
  if (/^(42|22|21|0A|2F|38|39|P0|44|23|24|25|26|34|54|08P01)/.test(code)) {
    const where = position === undefined ? "" : ` (at character ${position})`;
    return refuse(`The database refused the query: ${shown}${where}.`, "Correct the query.");
  }
  return new AppError("unavailable", `${server} could not do it: ${shown}.`, {
    hint: "Try again later.",
    data: { sqlState: code },
  });
}
