import { AppError } from "../../../kernel/errors.ts";
import { maskText } from "../../../kernel/masking.ts";
import { nearest, sanitiseText } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";

/** Error mapping for all databases. Their own messages are shown masked. */

/** Error codes of the database itself. */
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

/** A message of a foreign server, fit to be shown: one line, bounded, without anything secret. */
export function shownMessage(message: unknown, secrets: readonly (string | undefined)[]): string {
  let text = sanitiseText(String(message)).replace(/\s+/g, " ").trim();
  for (const secret of secrets) {
    // Shorter ones would mask half of every sentence, and protect nothing.
    if (secret !== undefined && secret.length >= 4) text = text.replaceAll(secret, "***");
  }
  return maskText(text, LIMITS.datasources.errorCharacters).replace(/[.\s]+$/, "");
}

/** For a parameter that a query asks for and nobody gave. */
export function noValue(name: string, given: readonly string[]): AppError {
  const shown = name.slice(0, 100);
  const meant = nearest(name, given);
  return new AppError("bad_request", `The query asks for the parameter ${shown}, which has no value.`, {
    hint: `Give ${shown} a value in parameters${meant === undefined ? "" : `; there is one for ${meant}`}.`,
  });
}

export function checkQueryLength(query: string): void {
  const most = LIMITS.datasources.queryCharacters;
  if (query.length > most)
    throw new AppError("too_large", `The query is longer than ${most.toLocaleString("en")} characters.`);
}
