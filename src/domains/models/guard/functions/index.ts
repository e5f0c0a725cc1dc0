import { AGGREGATES } from "./aggregates.ts";
import { DATES } from "./dates.ts";
import { JSON_FUNCTIONS } from "./json.ts";
import { LISTS } from "./lists.ts";
import { NUMBERS } from "./numbers.ts";
import { OPERATORS } from "./operators.ts";
import { OTHERS } from "./others.ts";
import { STRUCTS } from "./structs.ts";
import { TEXTS } from "./texts.ts";

const FAMILIES = [AGGREGATES, DATES, JSON_FUNCTIONS, LISTS, NUMBERS, OPERATORS, OTHERS, STRUCTS, TEXTS];

/**
 * All functions that a query may call, in lower case: those of the pinned DuckDB whose result depends on nothing but
 * their arguments, the clock and chance. `refused.ts` names the others; a test makes sure that none is in neither.
 */
export const FUNCTIONS: ReadonlySet<string> = new Set(FAMILIES.flatMap((names) => names.trim().split(/\s+/)));

const AGGREGATE_NAMES: ReadonlySet<string> = new Set(AGGREGATES.trim().split(/\s+/));

export function isAggregate(name: string): boolean {
  return AGGREGATE_NAMES.has(name.toLowerCase());
}
