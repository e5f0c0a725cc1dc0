import { isAppError } from "../../kernel/errors.ts";
import { quoteName } from "../../kernel/sql-text.ts";
import { type Clock, MS } from "../../kernel/time.ts";
import { nextAfter } from "../../platform/schedules/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { type Column, compile, type DataServices, type Dataset, parse } from "../data/index.ts";
import { judge, type Standing } from "./alert-state.ts";
import type { Alert } from "./alerts.store.ts";
import { LIMITS } from "./limits.ts";

/** What an alert would have told, had it been there. */
export interface Backtest {
  days: number;
  fired: number;
  /** That other rows match than before, while it was firing. */
  changed: number;
}

type Tested = Pick<Alert, "type" | "c9ql" | "zone" | "frequency" | "startTime" | "hold">;

const CALM: Standing = { state: "ok", toldHash: null, toldRows: null, matches: 0, calm: 0, failures: 0 };

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
  const { visible, ...view } = await data.tableView(caller, dataset, "rows");
  const [dated, ...others] = visible.filter((column) => DATED.test(column.type));
  const moments = pastChecks(alert, clock.now());
  const { backtestDays: days, backtestMs, conditionRows } = LIMITS.alerts;
  if (dated === undefined || others.length > 0 || dataset.rowCount * moments.length > conditionRows)
    return null;
  const query = parse(c9ql, { columns: visible });
  const looks = moments.map((now) => {
    const source = `(SELECT * FROM "rows" WHERE ${quoteName(dated.name)} < ${literalOf(now, dated, zone)})`;
    const { sql } = compile(query, { columns: visible, source, now, timezone: zone });
    return `(SELECT concat(count(*), ' ', bit_xor(hash(found))) FROM (${sql}) AS found)`;
  });
  const found = await data
    .summarise(caller, view, `SELECT ${looks.join(", ")}`, backtestMs)
    .catch((error) => {
      // What takes too long says nothing; it is only a hint.
      if (isAppError(error)) return null;
      throw error;
    });
  if (found === null) return null;
  const told = { fired: 0, changed: 0 };
  let standing = CALM;
  for (const [i, look] of found.entries()) {
    const hash = String(look);
    const match = hash.startsWith("0 ") ? ({ kind: "calm" } as const) : ({ kind: "match", hash } as const);
    // The first look says how things stood before.
    const patience = { hold: i === 0 || frequency !== "days" ? 1 : hold, calm: 1 };
    const { after, happening } = judge(standing, match, patience);
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
function literalOf(at: Date, { type }: Column, zone: string): string {
  if (/^DATE$/.test(type))
    return `DATE '${new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeZone: zone }).format(at)}'`;
  const text = at.toISOString().slice(0, 19).replace("T", " ");
  return type.includes("TIME ZONE") ? `TIMESTAMPTZ '${text}+00'` : `TIMESTAMP '${text}'`;
}
