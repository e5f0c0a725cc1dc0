import type { JsonValue, SerializedSql } from "../../../platform/analytics/index.ts";
import { LIMITS } from "../../../platform/analytics/limits.ts";
import type { Check } from "./check.ts";
import { checkCollations } from "./checks/collations.ts";
import { checkColumns } from "./checks/columns.ts";
import { checkFunctions } from "./checks/functions.ts";
import { checkKinds } from "./checks/kinds.ts";
import { checkParameters } from "./checks/parameters.ts";
import { checkPivots } from "./checks/pivots.ts";
import { checkSizes } from "./checks/sizes.ts";
import { checkTableFunctions } from "./checks/table-functions.ts";
import { checkTables } from "./checks/tables.ts";
import { checkTypes } from "./checks/types.ts";
import { placeIn } from "./place.ts";
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
  /** Values of the parameters, where there are any. */
  params?: readonly string[];
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
  checkSizes,
];

/** One statement, as the parser reads it: nothing in it has been looked at yet. */
interface ReadSql {
  sql: string;
  isExplain: boolean;
  statement: JsonValue;
}

/**
 * Lets exactly one SELECT over the given datasets through. What the text says is read off the tree of DuckDB's own
 * parser, so that nothing here has an opinion of its own about quotes or comments; everything in the tree has to be
 * on a list of what is allowed. Fails with what was refused and why.
 */
export async function guardSql(text: string, options: GuardOptions): Promise<Guarded> {
  return guardRead(await readSql(text, options), options);
}

/** The first half of it, which needs to know nothing but the text. */
export async function readSql(
  text: string,
  { serialize, signal }: Pick<GuardOptions, "serialize" | "signal">,
): Promise<ReadSql> {
  checkText(text);
  const { sql, isExplain } = peelExplain(text);
  return { sql, isExplain, statement: onlyStatement(await serialize(sql, signal), { text, sql }) };
}

/** The second half. */
export function guardRead(
  { sql, isExplain, statement }: ReadSql,
  { datasets, columns, params = [] }: Pick<GuardOptions, "datasets" | "columns" | "params">,
): Guarded {
  const known = new Map(datasets.map((name) => [keyOf(name), name]));
  const context = { known, columns, params, used: new Set<string>() };
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

function onlyStatement(parsed: SerializedSql, texts: Texts): JsonValue {
  if (!parsed.ok) throw parserRefusal(parsed, texts);
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

interface Texts {
  /** As it came. */
  text: string;
  /** As it was parsed: its end. */
  sql: string;
}

/** In the parser's own words, and where. */
function parserRefusal(
  { type, message, position }: Extract<SerializedSql, { ok: false }>,
  { text, sql }: Texts,
): Error {
  if (type !== "not implemented") {
    const before = [...text.slice(0, text.length - sql.length)].length;
    const place = position === undefined ? "" : placeIn(text, before + position);
    return refuse("syntax", "bad_request", `${message}${place}`);
  }
  const isPivot = /\bpivot\b/i.test(sql);
  const hint = isPivot
    ? "Send one SELECT. A PIVOT needs its values: PIVOT t ON year IN (2023, 2024) USING sum(x)."
    : "Send one SELECT.";
  return refuse("statement", "forbidden", "Only SELECT statements are allowed.", hint);
}
