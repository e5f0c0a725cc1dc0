import { AppError, isAppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import { clip, nearest, nearestFirst } from "../../../kernel/text.ts";
import type { JsonValue, SerializedSql } from "../../../platform/analytics/index.ts";
import { LIMITS } from "../../../platform/analytics/limits.ts";
import {
  type Check,
  checkCollations,
  checkColumns,
  checkFunctions,
  checkKinds,
  checkParameters,
  checkPivots,
  checkTableFunctions,
  checkTables,
  checkTypes,
} from "./checks.ts";
import { checkSizes } from "./sizes.ts";
import { peelExplain } from "./tokens/index.ts";
import { keyOf, refuse, visitTree } from "./tree.ts";

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

/** Characters that are shown of a line, around the place. */
const SHOWN = 80;

/** The line at a place in a text, with a mark below it, as the engine shows it. Places count whole characters. */
function placeIn(text: string, at: number): string {
  const before = [...text].slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  const number = before.filter((character) => character === "\n").length + 1;
  const column = before.length - lineStart;
  const line = [...(text.split("\n")[number - 1] ?? "")];
  const from = Math.max(0, column - SHOWN / 2);
  const piece = line
    .slice(from, from + SHOWN)
    .join("")
    .replaceAll(/[\t\r]/g, " ");
  const beginning = `LINE ${number}: ${from > 0 ? "…" : ""}`;
  const end = from + SHOWN < line.length ? "…" : "";
  return `\n${beginning}${piece}${end}\n${" ".repeat(beginning.length + column - from)}^`;
}

/** How the engine says that there is no such column; with "Candidate bindings" it says itself which there are. */
const MISSING = [
  /does not have a column named "((?:[^"]|"")+)"/,
  /Column "((?:[^"]|"")+)" in (?:EXCLUDE|REPLACE|RENAME) list not found/,
  /Column "((?:[^"]|"")+)" does not exist on (?:left|right) side of join/,
  /Referenced column "((?:[^"]|"")+)" not found/,
];

const LIST_CHARACTERS = 800;

const FORMULA_CHARACTERS = 500;

/** What a statement could have meant. */
interface Known {
  /** The columns of the datasets that it selects from. */
  columns: ReadonlyMap<string, readonly string[]>;
  /** The model's metrics with their formulas. */
  metrics?: readonly { name: string; sql: string }[];
}

/** Adds what the name could have meant to an error of the engine about a column that is not there. */
export function withColumnHelp(error: unknown, known: Known): unknown {
  if (!isAppError(error) || error.hint !== undefined) return error;
  const found = MISSING.map((pattern) => pattern.exec(error.message)?.[1]).find((each) => each !== undefined);
  if (found === undefined) return error;
  const name = found.replaceAll('""', '"');
  const isListed = error.message.includes("Candidate bindings");
  const hint = metricHint(name, known) ?? (isListed ? undefined : columnHint(name, error.message, known));
  if (hint === undefined) return error;
  const { message, data, cause } = error;
  return new AppError(error.code, message, { data, cause, hint });
}

function metricHint(name: string, { metrics = [] }: Known): string | undefined {
  const metric = metrics.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (metric === undefined) return undefined;
  const formula = clip(metric.sql.replaceAll(/\s+/g, " "), FORMULA_CHARACTERS);
  return `${metric.name} is a metric and no column; write its formula: ${formula}`;
}

function columnHint(name: string, message: string, { columns }: Known): string | undefined {
  if (columns.size === 0) return undefined;
  const meant = nearest(name, [...new Set([...columns.values()].flat())]);
  if (meant !== undefined) return `Did you mean ${quoteName(meant)}?`;
  // The engine names the table where the statement does.
  const isNamed = ([dataset]: [string, unknown]) => message.includes(`"${dataset}"`);
  const datasets = [...columns].sort((a, b) => Number(isNamed(b)) - Number(isNamed(a)));
  const lists = datasets.map(
    ([dataset, names]) => `${quoteName(dataset)} has ${nearestFirst(name, names).map(quoteName).join(", ")}`,
  );
  return clip(`${lists.join("; ")}.`, LIST_CHARACTERS);
}
