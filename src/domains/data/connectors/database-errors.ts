import { AppError } from "../../../kernel/errors.ts";

/** What databases say, whichever it is. What is shown of their own words is masked. */

/** What the database itself calls its error. */
type Codes = Record<string, unknown>;

export function refusedQuery(shown: string, data: Codes = {}): AppError {
  const hint = "Correct the query.";
  return new AppError("bad_request", `The database refused the query: ${shown}.`, { hint, data });
}

export function unknownTable(shown: string, data: Codes = {}): AppError {
  const hint = "List the tables of the datasource.";
  return new AppError("not_found", `The database says: ${shown}.`, { hint, data });
}

export function onlyReads(shown: string, data: Codes): AppError {
  const hint = "Send a query that only reads.";
  return new AppError("bad_request", `A datasource is only read: ${shown}.`, { hint, data });
}

export function unknownDatabase(server: string, database: string | undefined, data: Codes): AppError {
  const hint = "Check the name of the database.";
  return new AppError("bad_request", `${server} has no database called ${database}.`, { hint, data });
}

export function stoppedQuery(shown: string): AppError {
  const hint = "Ask for less, or raise the time limit.";
  return new AppError("timeout", `The database stopped the query: ${shown}.`, { hint });
}

export function otherFailure(server: string, shown: string, data: Codes): AppError {
  const hint = "Try again later.";
  return new AppError("unavailable", `${server} could not do it: ${shown}.`, { hint, data });
}

export function unreadableFile(): AppError {
  const hint = "The operator must let everybody read the file and enter its folders.";
  return new AppError("unavailable", "The file cannot be read.", { hint });
}

export function lockedFile(): AppError {
  return new AppError("unavailable", "The file is locked by another program.", { hint: "Try again later." });
}
