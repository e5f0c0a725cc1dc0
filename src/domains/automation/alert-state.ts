import type { ALERT_STATES, HAPPENINGS } from "./automation.tables.ts";
import { LIMITS } from "./limits.ts";

export type AlertState = (typeof ALERT_STATES)[number];
export type Happening = (typeof HAPPENINGS)[number];

/** How an alert stands between two checks. */
export interface Standing {
  state: AlertState;
  /** Of what was last told and has not recovered since. */
  toldHash: string | null;
  calm: number;
  failures: number;
}

/** What a check found: rows that match, none, nothing that says either, or an error. */
export type Found =
  | { kind: "match"; hash: string }
  | { kind: "calm" }
  | { kind: "unknown" }
  /** `isFinal` when another check will not go better by itself. */
  | { kind: "failed"; isFinal: boolean };

/**
 * What becomes of an alert: it is told once when rows match, again when others match, and once when none do any more.
 * A check that failed changes nothing until several have, and what was told before an error is not told again after it.
 */
export function judge(
  { state, toldHash, calm: calmBefore, failures: failuresBefore }: Standing,
  found: Found,
  calmNeeded: number,
): { after: Standing; happening: Happening | null } {
  // Whoever is given what has more than a standing must not get the rest of it back.
  const before = { state, toldHash, calm: calmBefore, failures: failuresBefore };
  if (found.kind === "unknown") return { after: before, happening: null };
  if (found.kind === "failed") {
    const failures = before.failures + 1;
    const isError = found.isFinal || failures >= LIMITS.alerts.failures || before.state === "error";
    const after = { ...before, failures, ...(isError && { state: "error" as const }) };
    return { after, happening: isError && before.state !== "error" ? "error" : null };
  }
  const repaired = before.state === "error" ? "repaired" : null;
  if (found.kind === "match") {
    const after = { state: "firing" as const, toldHash: found.hash, calm: 0, failures: 0 };
    if (toldHash === null) return { after, happening: "fired" };
    return { after, happening: toldHash === found.hash ? repaired : "changed" };
  }
  if (toldHash === null)
    return { after: { state: "ok", toldHash, calm: 0, failures: 0 }, happening: repaired };
  const calm = before.calm + 1;
  if (calm < calmNeeded)
    return { after: { state: "recovering", toldHash, calm, failures: 0 }, happening: repaired };
  return { after: { state: "ok", toldHash: null, calm: 0, failures: 0 }, happening: "recovered" };
}
