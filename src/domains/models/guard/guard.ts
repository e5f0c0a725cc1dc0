import { LIMITS } from "../../../kernel/limits.ts";
import type { JsonValue, SerializedSql } from "../../../platform/analytics/index.ts";
import type { Check } from "./check.ts";
import { checkCollations } from "./checks/collations.ts";
import { checkColumns } from "./checks/columns.ts";
import { checkFunctions } from "./checks/functions.ts";
import { checkKinds } from "./checks/kinds.ts";
import { checkParameters } from "./checks/parameters.ts";
import { checkPivots } from "./checks/pivots.ts";
import { checkTableFunctions } from "./checks/table-functions.ts";
import { checkTables } from "./checks/tables.ts";
import { checkTypes } from "./checks/types.ts";
import { refuse } from "./refusal.ts";
import { peelExplain } from "./tokens/explain.ts";
import { keyOf, visitTree } from "./tree.ts";

/** DuckDB's own parser (`analytics.serializeSql`). */
export type Serialize = (sql: string, signal?: AbortSignal) => Promise<SerializedSql>;

export interface GuardOptions {
  /** The only names that SQL may select from. */
  datasets: readonly string[];
  /** Columns of the datasets, where they are known. */
  columns?: ReadonlyMap<string, readonly string[]>;
  serialize: Serialize;
  signal?: AbortSignal;
}

export interface Guarded {
  /** One SELECT: for an EXPLAIN, the one that it is about. */
  sql: string;
  isExplain: boolean;
  /** The datasets that it selects from, by their own names. */
  datasets: string[];
}

/** What a statement has to pass, in this order: an unknown kind of thing is refused before anything reads it. */
const CHECKS: readonly Check[] = [
  checkKinds,
  checkTables,
  checkTableFunctions,
  checkFunctions,
  checkColumns,
  checkTypes,
  checkCollations,
  checkParameters,
  checkPivots,
];

/**
 * Lets exactly one SELECT over the given datasets through. What the text says is read off the tree of DuckDB's own
 * parser, so that nothing here has an opinion of its own about quotes or comments; everything in the tree has to be
 * on a list of what is allowed. Fails with what was refused and why.
 */
export async function guardSql(text: string, options: GuardOptions): Promise<Guarded> {
  checkText(text);
  const { sql, isExplain } = peelExplain(text);
  const statement = onlyStatement(await options.serialize(sql, options.signal));
  const known = new Map(options.datasets.map((name) => [keyOf(name), name]));
  const context = { known, columns: options.columns, used: new Set<string>() };
  visitTree(statement, (visit) => {
    for (const check of CHECKS) check(visit, context);
  });
  return { sql, isExplain, datasets: [...context.used] };
}

function checkText(text: string): void {
  const { sqlCharacters } = LIMITS.analytics;
  if (text.length > sqlCharacters) {
    const most = sqlCharacters.toLocaleString("en");
    throw refuse("length", "too_large", `SQL can have ${most} characters at most.`);
  }
  // For the parser a text ends there, for others it may not.
  if (text.includes("\u0000")) throw refuse("characters", "bad_request", "The SQL has a NUL character.");
}

function onlyStatement(parsed: SerializedSql): JsonValue {
  if (!parsed.ok) throw parserRefusal(parsed);
  const [statement, ...others] = parsed.statements;
  if (statement === undefined) {
    throw refuse("empty", "bad_request", "There is no statement in this SQL.", "Send one SELECT.");
  }
  if (others.length > 0) {
    const message = `The SQL has ${parsed.statements.length} statements.`;
    throw refuse("statements", "forbidden", message, "Send one SELECT, without a semicolon between others.");
  }
  return statement;
}

/** In the parser's own words. */
function parserRefusal({ type, message }: Extract<SerializedSql, { ok: false }>): Error {
  if (type !== "not implemented") return refuse("syntax", "bad_request", message);
  const hint = "Send one SELECT. A PIVOT needs its values: PIVOT t ON year IN (2023, 2024) USING sum(x).";
  return refuse("statement", "forbidden", message, hint);
}
