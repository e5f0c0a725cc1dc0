import { createHash } from "node:crypto";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { type Clock, MS } from "../../kernel/time.ts";
import type { JsonValue } from "../../platform/analytics/index.ts";
import { nextAfter } from "../../platform/schedules/index.ts";
import type { Caller } from "../../registry/caller.ts";
import {
  type Column,
  column,
  compare,
  constant,
  type DataServices,
  type Dataset,
  following,
  parse,
  restrictionFor,
  rowQuery,
  visibleRun,
} from "../data/index.ts";
import { type AlertSnapshot, type Found, nextAlertState } from "./alert-state.ts";
import type { Alert } from "./alerts.store.ts";
import { LIMITS } from "./limits.ts";

/** Result of evaluating an alert, with its sentence. */
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

/** Batch evaluation: the alerts on one dataset that no row matches, in as few queries as can be. */
export async function unmatched<A extends Watched>(
  { data }: EvaluationParts,
  caller: Caller,
  dataset: Dataset,
  alerts: readonly A[],
): Promise<Set<A>> {
  const asked = alerts.filter(({ type, c9ql }) => type === "conditional" && c9ql !== null);
  const { conditionsAtOnce, conditionRows, checkMs } = LIMITS.alerts;
  const atOnce = Math.min(conditionsAtOnce, Math.floor(conditionRows / Math.max(1, dataset.rowCount)));
  if (asked.length < 2 || atOnce < 2 || dataset.columns.length === 0 || dataset.rowCount === 0)
    return new Set();
  const wanted = asked.map(({ c9ql, zone }) => ({ c9ql: c9ql ?? "", timeZone: zone }));
  const found = await data.findMatches(caller, dataset, wanted, { atOnce, ms: checkMs });
  return new Set(asked.filter((_, i) => found[i] === false));
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

/** Outcome of the last run of the dataset's query. One that goes on, or was cancelled, says nothing. */
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
  const { status, error } = visibleRun(run, await queries.view(caller, query));
  if (status === "failed") {
    const says = `The query ${query.name} failed: ${error ?? "it gave no reason"}`;
    return { found: { kind: "match", hash: error ?? "" }, says, matched: null };
  }
  const found = status === "succeeded" ? ({ kind: "calm" } as const) : ({ kind: "unknown" } as const);
  return { found, says: `The last run of the query ${query.name}: ${status}.`, matched: null };
}

/** Result of a backtest: what an alert would have told in the past. */
export interface Backtest {
  days: number;
  fired: number;
  /** That other rows match than before, while it was firing. */
  changed: number;
}

type Tested = Pick<Alert, "type" | "c9ql" | "zone" | "frequency" | "startTime" | "hold">;

const CALM: AlertSnapshot = { state: "ok", toldHash: null, toldRows: null, matches: 0, calm: 0, failures: 0 };

/**
 * The checks of the past, at their times on the rows that were there then by their only date; those of alerts that are
 * checked more often than daily are counted as one a day. Null where rows have no date or several, or are too many.
 */
export async function backtest(
  { data, clock }: Pick<DataServices, "data"> & { clock: Clock },
  caller: Caller,
  dataset: Dataset,
  alert: Tested,
): Promise<Backtest | null> {
  const { type, c9ql, zone, frequency, hold } = alert;
  if (type !== "conditional" || c9ql === null || dataset.columns.length === 0) return null;
  const { columns } = restrictionFor(caller, dataset);
  const [dated, ...others] = columns.filter((column) => DATED.test(column.type));
  const moments = pastChecks(alert, clock.now());
  const { backtestDays: days, backtestMs, conditionRows } = LIMITS.alerts;
  if (dated === undefined || others.length > 0 || dataset.rowCount * moments.length > conditionRows)
    return null;
  const query = parse(c9ql, { columns });
  const looks = moments.map((now) => {
    const before = compare(column(dated.name), "<", constant(momentText(now, dated, zone)));
    return { query: following(rowQuery({ where: before }), query), now, timeZone: zone };
  });
  const found = await data.fingerprints(caller, dataset, looks, backtestMs).catch((error) => {
    // A timeout is no error: the backtest is only a hint.
    if (isAppError(error)) return null;
    throw error;
  });
  if (found === null) return null;
  const told = { fired: 0, changed: 0 };
  let standing = CALM;
  for (const [i, { rows, hash }] of found.entries()) {
    const match = rows === 0 ? ({ kind: "calm" } as const) : ({ kind: "match", hash } as const);
    // The first look says how things stood before.
    const debounce = { hold: i === 0 || frequency !== "days" ? 1 : hold, calm: 1 };
    const { after, happening } = nextAlertState(standing, match, debounce);
    standing = after;
    if (i > 0 && (happening === "fired" || happening === "changed")) told[happening] += 1;
  }
  return { days, ...told };
}

const DATED = /^(?:DATE|TIMESTAMP)/;

/** The moments of the checks in the last days, and one before them. */
function pastChecks({ frequency, startTime, zone }: Tested, now: Date): Date[] {
  const unit = frequency === "months" ? ("months" as const) : ("days" as const);
  const from = new Date(now.getTime() - (LIMITS.alerts.backtestDays + (unit === "months" ? 31 : 1)) * MS.day);
  const rule = { unit, every: 1, time: startTime, zone, anchor: from };
  const moments: Date[] = [];
  for (let at = nextAfter(rule, from); at <= now; at = nextAfter(rule, at)) moments.push(at);
  return moments;
}

/** A day counts as there when it is over; a time when it has passed. */
function momentText(at: Date, { type }: Column, zone: string): string {
  if (/^DATE$/.test(type))
    return new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone: zone }).format(at);
  const text = at.toISOString().slice(0, 19);
  return type.includes("TIME ZONE") ? `${text}Z` : text;
}
