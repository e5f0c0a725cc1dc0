import { AppError } from "../../../kernel/errors.ts";
import { nearest } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";

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
