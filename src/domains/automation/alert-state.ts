import type { ALERT_STATES, HAPPENINGS } from "./automation.tables.ts";
import { LIMITS } from "./limits.ts";

export type AlertState = (typeof ALERT_STATES)[number];
export type AlertTransition = (typeof HAPPENINGS)[number];

/** How an alert stands between two checks. */
export interface AlertSnapshot {
  state: AlertState;
  /** Of what was last told and has not recovered since. */
  toldHash: string | null;
  /** Hashes of the rows that were told of, where rows are told apart. */
  toldRows: readonly string[] | null;
  /** Checks in a row that matched and were not told yet. */
  matches: number;
  calm: number;
  failures: number;
}

/** Finding of a check: matching rows, none, unknown, or an error. */
export type Found =
  /** `rows` where the alert has a key: a hash for each. */
  | { kind: "match"; hash: string; rows?: readonly string[] }
  | { kind: "calm" }
  | { kind: "unknown" }
  /** `isFinal` when another check will not go better by itself. */
  | { kind: "failed"; isFinal: boolean };

/** Debounce: so many checks in a row before an alert changes its state. */
export interface Debounce {
  /** That match, before it fires. */
  hold: number;
  /** That do not, before it has recovered. */
  calm: number;
}

/**
 * State machine of an alert, with hysteresis: it is told once when rows match, again when others match, and once when none do any more.
 * A check that failed changes nothing until several have, and what was told before an error is not told again after it.
 */
export function nextAlertState(
  standing: AlertSnapshot,
  found: Found,
  debounce: Debounce,
): { after: AlertSnapshot; happening: AlertTransition | null } {
  const { state, toldHash, toldRows, matches, calm, failures } = standing;
  // Picks the fields of the state: callers pass whole alerts, and must not get the rest back.
  const before = { state, toldHash, toldRows, matches, calm, failures };
  if (found.kind === "unknown") return { after: before, happening: null };
  if (found.kind === "failed") return failed(before, found.isFinal);
  const repaired = state === "error" ? "repaired" : null;
  if (found.kind === "match") return matched(before, found, debounce.hold, repaired);
  const after = { ...before, matches: 0, failures: 0 };
  if (toldHash === null) return { after: { ...after, state: "ok", calm: 0 }, happening: repaired };
  if (calm + 1 < debounce.calm)
    return { after: { ...after, state: "recovering", calm: calm + 1 }, happening: repaired };
  return {
    after: { ...after, state: "ok", toldHash: null, toldRows: null, calm: 0 },
    happening: "recovered",
  };
}

function failed(before: AlertSnapshot, isFinal: boolean) {
  const failures = before.failures + 1;
  const isError = isFinal || failures >= LIMITS.alerts.failures || before.state === "error";
  const after = { ...before, failures, ...(isError && { state: "error" as const }) };
  return { after, happening: isError && before.state !== "error" ? ("error" as const) : null };
}

function matched(
  before: AlertSnapshot,
  { hash, rows }: Extract<Found, { kind: "match" }>,
  hold: number,
  repaired: "repaired" | null,
): { after: AlertSnapshot; happening: AlertTransition | null } {
  const matches = before.matches + 1;
  if (before.toldHash === null && matches < hold)
    return { after: { ...before, state: "pending", matches, calm: 0, failures: 0 }, happening: repaired };
  const told = new Set(before.toldRows ?? []);
  const isNew = rows === undefined ? before.toldHash !== hash : rows.some((row) => !told.has(row));
  const after: AlertSnapshot = {
    state: "firing",
    toldHash: hash,
    toldRows: rows === undefined ? null : [...rows],
    matches,
    calm: 0,
    failures: 0,
  };
  if (before.toldHash === null) return { after, happening: "fired" };
  return { after, happening: isNew ? "changed" : repaired };
}
