import { and, asc, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import { messageOf } from "../../kernel/errors.ts";
import type { Catalog, CatalogLog, CatalogTx } from "../catalog/index.ts";
import { LIMITS } from "./limits.ts";
import { dueSince, nextAfter, type Rule, ruleShape } from "./occurrences.ts";
import { scheduleRuns, schedules } from "./schedules.tables.ts";

const CHANNEL = "kenning_schedules";
/** What the machine knows of time zones; occurrences that were computed with other rules are computed again. */
const ZONE_RULES = process.versions.tz ?? "unknown";
/** A timer may be early by the difference of two clocks. */
const TIMER_SLACK_MS = 20;

/** A schedule that came due. */
export interface Due {
  subject: number;
  runId: number;
  occurrence: Date;
  /** Earlier occurrences that nobody saw to, because no server ran. */
  missed: number;
}

/** Called inside the transaction that takes them: what it does with `tx` happens once for each occurrence, or not at all. */
type DueHandler = (tx: CatalogTx, due: readonly Due[]) => Promise<void>;

interface Owner {
  /** What must be ready before a transaction, which would wait for it. */
  prepare(): Promise<void>;
  handle: DueHandler;
  /** Of the columns of `schedules`: those with the same value are taken together where they are due together. */
  together?: SQL;
}

/**
 * What happens at its time. The next occurrence of each schedule is in the catalog, the database's clock counts, and
 * one transaction takes what is due and sets the next: so each occurrence is seen to once by one of all servers.
 */
export class Schedules {
  readonly #catalog: Catalog;
  readonly #log: CatalogLog;
  readonly #owners = new Map<string, Owner>();
  #isStopping = false;
  #isWoken = false;
  #wakeUp = () => {};
  #running: Promise<void> | undefined;
  #unlisten: (() => Promise<void>) | undefined;

  constructor(catalog: Catalog, log: CatalogLog) {
    this.#catalog = catalog;
    this.#log = log;
  }

  /** Says who sees to schedules of a kind. */
  define(kind: string, owner: Owner): void {
    if (this.#owners.has(kind)) throw new Error(`schedules of ${kind} have two owners`);
    this.#owners.set(kind, owner);
  }

  /** Makes or changes the schedule of a subject, in the transaction that changes the subject. */
  async set(tx: CatalogTx, kind: string, subject: number, wish: Omit<Rule, "anchor">): Promise<Date> {
    const { rows } = await tx.execute<{ now: Date | string }>(
      sql`SELECT date_trunc('milliseconds', now()) AS now, pg_notify(${CHANNEL}, '')`,
    );
    const now = new Date(rows[0]?.now ?? Date.now());
    const rule = ruleShape.parse({ ...wish, anchor: now });
    const nextAt = nextAfter(rule, now);
    const { weekday = null, monthday = null, ...rest } = rule;
    const values = { ...rest, weekday, monthday, nextAt, zoneRules: ZONE_RULES };
    await tx
      .insert(schedules)
      .values({ kind, subject, ...values })
      .onConflictDoUpdate({ target: [schedules.kind, schedules.subject], set: values });
    return nextAt;
  }

  async remove(tx: CatalogTx, kind: string, subject: number): Promise<void> {
    await tx.delete(schedules).where(and(eq(schedules.kind, kind), eq(schedules.subject, subject)));
  }

  /** When each of these is due next. */
  async nextOf(kind: string, subjects: readonly number[]): Promise<Map<number, Date>> {
    if (subjects.length === 0) return new Map();
    const rows = await this.#catalog.db
      .select({ subject: schedules.subject, nextAt: schedules.nextAt })
      .from(schedules)
      .where(and(eq(schedules.kind, kind), inArray(schedules.subject, [...subjects])));
    return new Map(rows.map(({ subject, nextAt }) => [subject, nextAt]));
  }

  async start(): Promise<void> {
    if (this.#running !== undefined) return;
    const wake = () => this.#wake();
    this.#unlisten = await this.#catalog.listen(CHANNEL, { onNotification: wake, onReconnect: wake });
    this.#running = this.#run();
  }

  /** Takes no more schedules, and waits for what it has taken. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await this.#unlisten?.();
    await this.#running;
  }

  async sweep(): Promise<void> {
    const { keepDays } = LIMITS.schedules;
    await this.#catalog.db
      .delete(scheduleRuns)
      .where(sql`${scheduleRuns.firedAt} < now() - ${keepDays} * interval '1 day'`);
  }

  /** Takes what is due, a batch at a time; resolves with how many that were. */
  async fireDue(): Promise<number> {
    for (const owner of this.#owners.values()) await owner.prepare();
    let fired = 0;
    for (;;) {
      const taken = await this.#catalog.transaction((tx) => this.#take(tx));
      fired += taken;
      if (taken < LIMITS.schedules.claimed || this.#isStopping) return fired;
    }
  }

  async #take(tx: CatalogTx): Promise<number> {
    const kinds = [...this.#owners.keys()];
    if (kinds.length === 0) return 0;
    const claimed = await tx
      .select({ schedule: schedules, now: sql<Date>`now()`.mapWith(schedules.nextAt) })
      .from(schedules)
      .where(and(inArray(schedules.kind, kinds), sql`${schedules.nextAt} <= now()`))
      .orderBy(asc(schedules.nextAt), ...this.#together())
      .limit(LIMITS.schedules.claimed)
      .for("update", { skipLocked: true });
    if (claimed.length === 0) return 0;
    // Computing takes a quarter of a millisecond each, and many are due at the same times.
    const known = new Map<string, { occurrence: Date; missed: number; nextAt: Date }>();
    const due = claimed.map(({ schedule, now }) => {
      const key = timesOf(schedule);
      const rule = ruleOf(schedule);
      const times = known.get(key) ?? {
        ...dueSince(rule, schedule.nextAt, now),
        nextAt: nextAfter(rule, now),
      };
      known.set(key, times);
      return { schedule, ...times };
    });
    const runs = await tx
      .insert(scheduleRuns)
      .values(
        due.map(({ schedule, occurrence, missed }) => ({
          scheduleId: schedule.id,
          occurrenceAt: occurrence,
          missed,
        })),
      )
      .onConflictDoNothing()
      .returning({ id: scheduleRuns.id, scheduleId: scheduleRuns.scheduleId });
    const runIds = new Map(runs.map(({ id, scheduleId }) => [scheduleId, id]));
    for (const [kind, owner] of this.#owners) {
      const own = due.flatMap(({ schedule, occurrence, missed }) => {
        const runId = runIds.get(schedule.id);
        if (schedule.kind !== kind || runId === undefined) return [];
        return [{ subject: schedule.subject, runId, occurrence, missed }];
      });
      if (own.length > 0) await owner.handle(tx, own);
    }
    await setNext(
      tx,
      due.map(({ schedule, nextAt }) => ({ id: schedule.id, nextAt })),
    );
    return claimed.length;
  }

  #together(): SQL[] {
    return [...this.#owners].flatMap(([kind, { together }]) =>
      together === undefined ? [] : [sql`CASE ${schedules.kind} WHEN ${kind} THEN ${together} END`],
    );
  }

  /** Occurrences that were computed when other rules of time zones held. */
  async #recompute(): Promise<void> {
    const { claimed: atOnce } = LIMITS.schedules;
    for (let isMore = true; isMore && !this.#isStopping; ) {
      isMore = await this.#catalog.transaction(async (tx) => {
        const outdated = await tx
          .select({ schedule: schedules, now: sql<Date>`now()`.mapWith(schedules.nextAt) })
          .from(schedules)
          .where(and(ne(schedules.zoneRules, ZONE_RULES), sql`${schedules.nextAt} > now()`))
          .limit(atOnce)
          .for("update", { skipLocked: true });
        if (outdated.length === 0) return false;
        await setNext(
          tx,
          outdated.map(({ schedule, now }) => ({
            id: schedule.id,
            nextAt: nextAfter(ruleOf(schedule), now),
          })),
        );
        return outdated.length === atOnce;
      });
    }
  }

  async #run(): Promise<void> {
    const warn = (error: unknown) =>
      this.#log.warn({ reason: messageOf(error) }, "due schedules could not be taken; trying again later");
    await this.#recompute().catch(warn);
    while (!this.#isStopping) {
      this.#isWoken = false;
      const restMs = await this.#fireAndLook().catch((error) => {
        warn(error);
        return LIMITS.schedules.lookMs;
      });
      await this.#rest(restMs);
    }
  }

  /** Resolves with how long to rest. What owners prepare is prepared only when something is due. */
  async #fireAndLook(): Promise<number> {
    const restMs = await this.#untilNext();
    if (restMs > TIMER_SLACK_MS) return restMs;
    await this.fireDue();
    return this.#untilNext();
  }

  /** Milliseconds by the database's clock; a clock that jumps is noticed with the next look. */
  async #untilNext(): Promise<number> {
    const { lookMs } = LIMITS.schedules;
    const { rows } = await this.#catalog.db.execute<{ ms: string | null }>(
      sql`SELECT extract(epoch FROM min(next_at) - now()) * 1000 AS ms FROM schedules`,
    );
    const ms = rows[0]?.ms;
    return ms == null ? lookMs : Math.min(lookMs, Math.max(0, Math.ceil(Number(ms))) + TIMER_SLACK_MS);
  }

  async #rest(ms: number): Promise<void> {
    if (this.#isWoken || this.#isStopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #wake(): void {
    this.#isWoken = true;
    this.#wakeUp();
  }
}

function ruleOf({ weekday, monthday, ...schedule }: typeof schedules.$inferSelect): Rule {
  const { unit, every, time, zone, anchor } = schedule;
  return { unit, every, time, zone, anchor, weekday: weekday ?? undefined, monthday: monthday ?? undefined };
}

async function setNext(tx: CatalogTx, next: readonly { id: number; nextAt: Date }[]): Promise<void> {
  const ids = next.map(({ id }) => id);
  const moments = next.map(({ nextAt }) => nextAt.toISOString());
  await tx.execute(sql`
    UPDATE schedules SET next_at = due.next_at, zone_rules = ${ZONE_RULES}
    FROM unnest(${sql.param(ids)}::bigint[], ${sql.param(moments)}::timestamptz[]) AS due (id, next_at)
    WHERE schedules.id = due.id`);
}

/** The same for schedules that come due at the same times: those that do not count from a beginning of their own. */
function timesOf({ id, nextAt, ...rule }: typeof schedules.$inferSelect): string {
  const { unit, every, time, zone, weekday, monthday } = rule;
  const isOwn =
    every !== 1 || (unit === "weeks" && weekday === null) || (unit === "months" && monthday === null);
  return isOwn ? String(id) : [unit, time, zone, weekday, monthday, nextAt.getTime()].join(" ");
}
