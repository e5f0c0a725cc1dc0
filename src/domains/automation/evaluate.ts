import { createHash } from "node:crypto";
import { AppError } from "../../kernel/errors.ts";
import { type Clock, MS } from "../../kernel/time.ts";
import type { Column, JsonValue } from "../../platform/analytics/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { compile, type DataServices, type Dataset, parse, seenRun } from "../data/index.ts";
import type { Found } from "./alert-state.ts";
import type { Alert } from "./alerts.store.ts";
import { LIMITS } from "./limits.ts";

/** What an alert finds in the data, with what it says of that. */
export interface Evaluation {
  found: Exclude<Found, { kind: "failed" }>;
  /** A sentence about what is the case. */
  says: string;
  matched: MatchedRows | null;
}

export interface MatchedRows {
  columns: readonly Column[];
  rows: readonly Record<string, JsonValue>[];
  total: number;
}

export interface EvaluationParts extends Pick<DataServices, "data" | "queries" | "queriesStore" | "runs"> {
  clock: Clock;
}

type Watched = Pick<Alert, "type" | "c9ql" | "zone" | "frequency" | "sentence" | "key" | "noData">;

/** Looks at the dataset as this caller sees it now. */
export function evaluate(
  parts: EvaluationParts,
  caller: Caller,
  dataset: Dataset,
  alert: Watched,
  signal: AbortSignal,
): Promise<Evaluation> {
  if (alert.type === "conditional") return findRows(parts, caller, dataset, alert, signal);
  if (alert.type === "query_error") return lastRun(parts, caller, dataset);
  return Promise.resolve(staleness(parts, dataset, alert));
}

/** Those of several conditions on one dataset that no row matches, asked in as few queries as can be. */
export async function unmatched<A extends Watched>(
  { data, clock }: EvaluationParts,
  caller: Caller,
  dataset: Dataset,
  alerts: readonly A[],
): Promise<Set<A>> {
  const asked = alerts.filter(({ type, c9ql }) => type === "conditional" && c9ql !== null);
  const { conditionsAtOnce, conditionRows, checkMs } = LIMITS.alerts;
  const atOnce = Math.min(conditionsAtOnce, Math.floor(conditionRows / Math.max(1, dataset.rowCount)));
  if (asked.length < 2 || atOnce < 2 || dataset.columns.length === 0 || dataset.rowCount === 0)
    return new Set();
  const none = new Set<A>();
  const { visible, ...view } = await data.tableView(caller, dataset, "rows");
  const tests = asked.flatMap((alert) => {
    const options = { columns: visible, source: '"rows"', now: clock.now(), timezone: alert.zone };
    try {
      const sql = (text: string) => compile(parse(text, { columns: visible }), options).sql;
      return [{ alert, ...testOf(alert.c9ql ?? "", sql) }];
    } catch {
      // It is looked at for itself, and says what is wrong with it.
      return [];
    }
  });
  const ask = async (from: string, some: typeof tests) => {
    const query = `SELECT ${some.map(({ test }) => test).join(", ")}${from}`;
    // If one of them fails, or they take too long together, each is looked at for itself.
    const found = await data.summarise(caller, view, query, checkMs).catch(() => []);
    for (const [i, is] of found.entries()) if (is !== true) none.add((some[i] as (typeof some)[0]).alert);
  };
  for (const [isOfRows, same] of Map.groupBy(tests, (test) => test.isOfRows))
    for (let at = 0; at < same.length; at += atOnce)
      await ask(isOfRows ? OF_ROWS : "", same.slice(at, at + atOnce));
  return none;
}

const OF_ROWS = ' FROM "rows" AS "c9"';
const TEST = /^SELECT (.*) AS "k9" FROM "rows" AS "c9"$/s;

/** What is true if rows match. A condition on each row by itself is one of many that one look at all rows answers. */
function testOf(c9ql: string, sql: (text: string) => string): { test: string; isOfRows: boolean } {
  const [, condition] = /^select \* where ([^;]+)$/i.exec(c9ql) ?? [];
  if (condition !== undefined && !/\b(?:group|order|limit)\b/i.test(condition)) {
    const [, test] = TEST.exec(sql(`select max(case when (${condition}) then 1 else 0 end) as k9`)) ?? [];
    if (test !== undefined) return { test: `coalesce(${test} = 1, false)`, isOfRows: true };
  }
  return { test: `EXISTS (SELECT * FROM (${sql(c9ql)}))`, isOfRows: false };
}

async function findRows(
  { data }: EvaluationParts,
  caller: Caller,
  dataset: Dataset,
  { c9ql, zone, sentence, key, noData }: Watched,
  signal: AbortSignal,
): Promise<Evaluation> {
  if (dataset.columns.length === 0 || dataset.rowCount === 0) {
    const found = { keep: "unknown", fire: "match", ok: "calm" } as const;
    const kind = found[noData];
    const says = `${dataset.name} has no data.`;
    return { found: kind === "match" ? { kind, hash: "no data" } : { kind }, says, matched: null };
  }
  const { rows: limit } = LIMITS.alerts;
  const options = { c9ql: c9ql ?? undefined, timeZone: zone, limit, signal };
  const { columns, rows, totalRows: total } = await data.read(caller, dataset, options);
  if (total === 0) return nothing(sentence);
  const noun = total === 1 ? "1 row matches" : `${total} rows match`;
  return {
    found: {
      kind: "match",
      hash: hashOf(rows, total),
      ...(key.length > 0 && { rows: rows.map((row) => rowHash(row, key, columns, dataset.name)) }),
    },
    says: `${noun}: ${sentence}.`,
    matched: { columns, rows, total },
  };
}

export function nothing(sentence: string): Evaluation {
  return { found: { kind: "calm" }, says: `Nothing matches: ${sentence}.`, matched: null };
}

/** The order of rows is nobody's business: after an import they may come in another. */
function hashOf(rows: readonly Record<string, JsonValue>[], total: number): string {
  const hash = createHash("sha256").update(String(total));
  for (const text of rows.map((row) => JSON.stringify(row)).sort()) hash.update(`\n${text}`);
  return hash.digest("base64url");
}

/** A row by the columns that tell it from others. */
function rowHash(
  row: Record<string, JsonValue>,
  key: readonly string[],
  columns: readonly Column[],
  where: string,
): string {
  const values = key.map((name) => {
    const found = columns.find((column) => column.name.toLowerCase() === name.toLowerCase());
    if (found !== undefined) return row[found.name];
    throw new AppError("bad_request", `The rows that match have no column ${name} in ${where}.`, {
      hint: `Their columns are ${columns.map((column) => column.name).join(", ")}.`,
    });
  });
  return createHash("sha256").update(JSON.stringify(values)).digest("base64url").slice(0, 16);
}

const PERIODS = { minutes: MS.minute, hours: MS.hour, days: MS.day, months: 31 * MS.day } as const;

/** Older than the time between two checks, and a tenth of it. */
function staleness({ clock }: EvaluationParts, { name, refreshedAt }: Dataset, alert: Watched): Evaluation {
  const since = refreshedAt.toISOString();
  const ageMs = clock.now().getTime() - refreshedAt.getTime();
  const isStale = ageMs > PERIODS[alert.frequency] * 1.1;
  return {
    found: isStale ? { kind: "match", hash: since } : { kind: "calm" },
    says: `${name} was last updated at ${since}.`,
    matched: null,
  };
}

/** What the last run of the dataset's query came to. One that goes on, or was cancelled, says nothing. */
async function lastRun(
  { queries, queriesStore, runs }: EvaluationParts,
  caller: Caller,
  { name, source }: Dataset,
): Promise<Evaluation> {
  const queryId = Number(source.detail?.queryId ?? 0);
  const query = source.kind === "query" ? await queriesStore.find(caller.workspace.id, queryId) : undefined;
  const [run] = query === undefined ? [] : await runs.latest(queryId, 1);
  if (query === undefined || run === undefined)
    return { found: { kind: "unknown" }, says: `${name} has no query.`, matched: null };
  const { status, error } = seenRun(run, await queries.view(caller, query));
  if (status === "failed") {
    const says = `The query ${query.name} failed: ${error ?? "it gave no reason"}`;
    return { found: { kind: "match", hash: error ?? "" }, says, matched: null };
  }
  const found = status === "succeeded" ? ({ kind: "calm" } as const) : ({ kind: "unknown" } as const);
  return { found, says: `The last run of the query ${query.name}: ${status}.`, matched: null };
}
