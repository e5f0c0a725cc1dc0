import { LIMITS } from "../../../platform/analytics/limits.ts";
import type { QueryAnswer } from "../../models/index.ts";
import type { Result } from "../answer.ts";
import { judge } from "../evaluation/judge.ts";
import { sentence, t } from "../explain/words.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { isEqual } from "../query/parts.ts";
import { isAboutSql } from "../query/unrunnable.ts";
import type { Clarification } from "../understand/reading.ts";
import { unknownPeriods } from "./data-period.ts";
import { filtersIn, type NamedFilter } from "./filters.ts";
import { hasChange } from "./like-with-like.ts";
import { WHICH_READING } from "./refuse.ts";
import type { Route } from "./run-phases.ts";

/** A statement that is ready to be run. */
export interface Statement {
  route: Route;
  sql: string;
}

/** The SQL Builder: one statement for each way, bounded, and each text only once. */
export function buildSql(routes: readonly Route[]): Statement[] {
  const statements = new Map<string, Statement>();
  for (const route of routes) {
    const { sql } = route.compiled;
    if (sql.length > LIMITS.analytics.sqlCharacters || statements.has(sql)) continue;
    statements.set(sql, { route, sql });
  }
  return [...statements.values()];
}

/** Runs SQL over the model with the rights of whoever asks, within the limits of a question. */
export type Query = (sql: string, bounds?: { rows: number; ms: number }) => Promise<QueryAnswer>;

export type Execution =
  | { k: "result"; result: Result; notes: string[]; rivals: number }
  /** Readings that are equally good give different rows. */
  | { k: "clarify"; questions: Clarification[] }
  /** The data are of other times. */
  | { k: "refuse"; why: string[] };

/** The Executor: runs what was built, and asks back only where the rows really differ. */
export async function execute(
  statements: readonly Statement[],
  { query, knowledge, moment }: { query: Query; knowledge: Knowledge; moment: { now: string } },
  isSettled: boolean,
): Promise<Execution> {
  const outcomes = await Promise.allSettled(statements.map((statement) => run(statement, query)));
  const results = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const [failure] = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  // What ran out of time or was cancelled says nothing about the reading.
  if (failure !== undefined && (results.length === 0 || !isAboutSql(failure))) throw failure;
  const filled = results.filter(isFilled);
  const kept = filled.length === 0 ? results : filled;
  const different = fullest(kept);
  const [best] = different as [Result];
  const suggestions = [...new Set(different.map(({ reading }) => reading.said))];
  if (suggestions.length > 1) {
    return { k: "clarify", questions: [{ question: sentence(WHICH_READING), suggestions, wants: "choice" }] };
  }
  const why = unknownOf(best, knowledge, moment.now);
  if (why.length > 0) return { k: "refuse", why };
  const doubts = isSettled ? [] : doubt(best);
  if (doubts.length > 0) return { k: "clarify", questions: doubts };
  const empty = results.filter((result) => !kept.includes(result));
  const alike = kept.filter((result) => result !== best && isFirstAlike(result, best));
  const notes = [
    ...alike.map(({ reading }) => t`Understood as "${reading.said}", it is the same.`),
    ...empty.map(({ reading }) => t`Understood as "${reading.said}", nothing was found.`),
    // Nobody could choose between two readings that are said with the same words.
    ...(different.length > 1 ? [t`Worked out in another way, the numbers differ: look at the lineage.`] : []),
  ];
  return { k: "result", result: best, notes, rivals: results.length - 1 };
}

/** Conditions of a query that holds of nothing, from which on it is rather misread than empty. */
const DOUBTED = 3;
/** What a reading may cost that is hardly misread. */
const PLAIN_COST = 1.5;

/** What is asked before a number of nothing is given: with that many conditions one of them was hardly meant so. */
function doubt({ reading: { ask, said, cost }, rows }: Result): Clarification[] {
  if (ask.k !== "table" || rows.some((row) => row.some((value) => value !== null && value !== 0))) return [];
  const filters = filtersIn(ask);
  // That nothing was sold of a product in a place in some month is an answer.
  const isPlain = cost <= PLAIN_COST && filters.every(isOfValue);
  // That no group is above a number is an answer; that none is the first is not.
  const isOdd = ask.by.length === 0 ? filters.length >= DOUBTED && !isPlain : ask.top !== undefined;
  return isOdd
    ? [{ question: t`Understood as "${said}", there is nothing. What do you mean?`, suggestions: [said] }]
    : [];
}

/** A period, or a value that a field has, or one of what it belongs to. */
function isOfValue({ part }: NamedFilter): boolean {
  if (!("k" in part) || part.k === "during") return true;
  if (part.k === "link") return part.count === undefined && part.path.every(({ dir }) => dir === "one");
  return part.k === "is" && part.match === "equal";
}

/** Why nothing can be said: there is nothing, or something is held against it, and the data are of other times. */
export function unknownOf(result: Result, knowledge: Knowledge, now: string): string[] {
  const { ask } = result.reading;
  return isFilled(result) && !hasChange(ask) ? [] : unknownPeriods(result, knowledge, now);
}

/** Rows that are compared one by one. */
const COMPARED = 200;

/** Those that say something else: of rows that are all in others, with more columns, the others. */
function fullest(results: readonly Result[]): Result[] {
  const isIn = (result: Result, other: Result) =>
    isFirstAlike(result, other) ||
    (result.rows.length > COMPARED
      ? fingerprint(result) === fingerprint(other)
      : judge(result, { outcome: "answer", rows: other.rows }) === "right");
  const width = ({ rows }: Result) => rows[0]?.length ?? 0;
  return results.filter(
    (result, i) =>
      !results.some((other, j) => {
        const isWider = width(other) > width(result) || (width(other) === width(result) && j < i);
        return i !== j && isWider && isIn(result, other);
      }),
  );
}

/** Whether the same ones are first, by whichever number: "sold best" by revenue and by pieces. */
function isFirstAlike(one: Result, other: Result): boolean {
  const namesIn = ({ reading: { ask }, rows }: Result) =>
    ask.k === "table" && ask.top !== undefined ? rows.map((row) => row.slice(0, ask.by.length)) : undefined;
  const names = namesIn(one);
  return names !== undefined && isEqual(names, namesIn(other)) && !isEqual(one.rows, other.rows);
}

async function run({ route: { reading, compiled }, sql }: Statement, query: Query): Promise<Result> {
  const { columns, rows, isTruncated } = await query(sql);
  const counted = isTruncated ? await query(`SELECT count(*) FROM (${sql})`) : undefined;
  const totalRows = Number(counted?.rows[0]?.[0] ?? rows.length);
  const begun = withoutLead({ reading, compiled, rows });
  const types = columns.map(({ type }) => type);
  return { reading, compiled, types, rows: begun, totalRows: totalRows - (rows.length - begun.length) };
}

/** Periods before the first with anything in it are left out, where nobody asked for a period: nothing had begun then. */
function withoutLead({ reading: { ask }, compiled, rows }: Pick<Result, "reading" | "compiled" | "rows">) {
  const isSeries = compiled.series !== undefined && compiled.used.windows.length === 0;
  if (!isSeries || ask.k !== "table" || ask.by.length !== 1) return rows;
  const isEmpty = (row: (typeof rows)[number]) =>
    row.slice(1).every((value) => value === null || value === 0);
  const first = rows.findIndex((row) => !isEmpty(row));
  return first <= 0 ? rows : rows.slice(first);
}

/** Of what there is none, nobody asks. */
function isFilled({ rows }: Pick<Result, "rows">): boolean {
  return rows.some((row) => row.some((value) => value !== null && value !== 0));
}

/**
 * The same rows in another order, or under other names, are the same answer; so are a year and its first day, and sums
 * that were added up in another order.
 */
export function fingerprint({ rows }: Pick<Result, "rows">): string {
  return JSON.stringify(rows.map((row) => JSON.stringify(row.map(plain))).toSorted());
}

function plain(value: unknown): unknown {
  if (typeof value === "number") return Number(value.toPrecision(DIGITS));
  return typeof value === "string" && YEAR_START.test(value) ? Number(value.slice(0, 4)) : value;
}

const YEAR_START = /^\d{4}-01-01(?:[T ]00:00:00)?$/;
/** Of the sixteen that a number has. */
const DIGITS = 10;

/** Whoever adds up groups should know where these share rows, also where it could not be looked up. */
export async function inSeveral(
  { compiled, rows }: Pick<Result, "compiled" | "rows">,
  query: (sql: string) => Promise<QueryAnswer | undefined>,
): Promise<string[]> {
  // Of a single group nothing is added up.
  if (rows.length < 2) return [];
  const said = compiled.used.spreads.map(async ({ ds, keys, sql }) => {
    const [what, of] = [ds, keys[0]?.ds ?? ""].map((name) => name.replaceAll("_", " ")) as [string, string];
    const found = await query(sql);
    return found?.rows.length === 0
      ? []
      : [
          t`What of ${what} belongs to several ${of} counts for each of them, so the rows may add up to more than the whole.`,
        ];
  });
  return [...new Set((await Promise.all(said)).flat())];
}
