import { setTimeout as sleep } from "node:timers/promises";
import { and, desc, eq, gt, gte, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { messageOf } from "../../../kernel/errors.ts";
import { maskFields, maskText } from "../../../kernel/masking.ts";
import { type Clock, MS } from "../../../kernel/time.ts";
import { type Catalog, pgCodeOf } from "../../../platform/catalog/index.ts";
import type { AuditEvent } from "../../../registry/ports.ts";
import { accounts, auditEvents, members } from "../identity.tables.ts";
import type { AuditFilter, AuditLog, AuditRecord } from "../identity.ts";
import { LIMITS } from "../limits.ts";

const SWEEP_EVENTS = 10_000;
const RESOURCE_CHARACTERS = 500;
const WORD_CHARACTERS = 100;
const MAX_INTEGER = 2 ** 31 - 1;

/** An event as it goes into the table, under the names of its columns. */
interface AuditRow {
  at: string;
  workspace_id: number | null;
  user_id: number | null;
  action: string;
  resource_type: string | null;
  resource_id: string | null;
  success: boolean;
  outcome: string;
  duration_ms: number;
  token_id: number | null;
  application_id: string | null;
  address: string | null;
  datasets: readonly number[];
  metadata: Record<string, unknown>;
}

interface AuditLogOptions extends Omit<AuditWriterOptions<unknown>, "insert"> {
  catalog: Catalog;
  clock: Clock;
  /** 0 keeps everything. */
  retentionDays: number;
}

export function createAuditLog({
  catalog,
  clock,
  retentionDays,
  ...writerOptions
}: AuditLogOptions): AuditLog & {
  close(): Promise<void>;
} {
  const { db } = catalog;
  const writer = new AuditWriter<AuditRow>({ ...writerOptions, insert: (rows) => insertRows(catalog, rows) });
  return {
    record: (event) => writer.add(rowFrom(event, clock.now())),
    room: () => writer.room(),
    flush: () => writer.flush(),
    close: () => writer.close(),

    async list(workspaceId, { limit, ...filter }) {
      const conditions = [ofWorkspace(db, workspaceId, filter.action), ...conditionsOf(filter)];
      const size = Math.max(1, Math.min(Math.floor(limit), LIMITS.identity.auditPageEvents));
      const rows: AuditRecord[] = await db
        .select(recordColumns)
        .from(auditEvents)
        .leftJoin(accounts, eq(accounts.id, auditEvents.userId))
        .where(and(...conditions))
        .orderBy(desc(auditEvents.id))
        .limit(size + 1);
      const events = rows.slice(0, size);
      return { events, nextBefore: rows.length > size ? (events.at(-1)?.id ?? null) : null };
    },

    async sweep() {
      if (retentionDays <= 0) return 0;
      const oldest = new Date(clock.now().getTime() - retentionDays * MS.day);
      let removed = 0;
      for (let last = SWEEP_EVENTS; last === SWEEP_EVENTS; removed += last)
        last = await removeOlder(catalog, oldest);
      return removed;
    },
  };
}

/** Sign-ins are of no workspace; those of its members belong to what its admins may see. */
function ofWorkspace(db: Catalog["db"], workspaceId: number | null, action: string | undefined) {
  if (workspaceId === null) return undefined;
  if (!action?.startsWith("auth.sign_")) return eq(auditEvents.workspaceId, workspaceId);
  const people = db
    .select({ id: members.accountId })
    .from(members)
    .where(eq(members.workspaceId, workspaceId));
  return and(isNull(auditEvents.workspaceId), inArray(auditEvents.userId, people));
}

function conditionsOf(filter: Omit<AuditFilter, "limit">): (SQL | undefined)[] {
  const { action, userId, success, tokenId, application, address, datasetId, slowerThanMs } = filter;
  const { since, until, before, notInBrowser } = filter;
  const inBrowser = sql`COALESCE(${auditEvents.metadata} ->> 'clientName', '') IN ('console', 'browser')`;
  const named = sql`${auditEvents.metadata} ->> 'applicationName' = ${application}`;
  return [
    action === undefined ? undefined : eq(auditEvents.action, action),
    userId === undefined ? undefined : eq(auditEvents.userId, userId),
    success === undefined ? undefined : eq(auditEvents.success, success),
    tokenId === undefined
      ? undefined
      : and(eq(auditEvents.tokenId, tokenId), sql`${auditEvents.tokenId} > 0`),
    application === undefined ? undefined : or(eq(auditEvents.applicationId, application), named),
    address === undefined ? undefined : eq(auditEvents.address, address),
    // As the partial index says it.
    datasetId === undefined
      ? undefined
      : sql`${auditEvents.datasets} @> ARRAY[${datasetId}]::bigint[] AND ${auditEvents.datasets} <> '{}'`,
    slowerThanMs === undefined ? undefined : gt(auditEvents.durationMs, slowerThanMs),
    notInBrowser === undefined
      ? undefined
      : notInBrowser === null
        ? sql`COALESCE(${auditEvents.metadata} ->> 'clientName', 'browser') NOT IN ('console', 'browser')`
        : sql`(${inBrowser} AND ${inArray(auditEvents.resourceId, [...notInBrowser])}) IS NOT TRUE`,
    since === undefined ? undefined : gte(auditEvents.at, since),
    until === undefined ? undefined : lt(auditEvents.at, until),
    before === undefined ? undefined : lt(auditEvents.id, before),
  ];
}

const recordColumns = {
  id: auditEvents.id,
  at: auditEvents.at,
  action: auditEvents.action,
  userId: auditEvents.userId,
  email: accounts.email,
  resourceType: auditEvents.resourceType,
  resourceId: auditEvents.resourceId,
  success: auditEvents.success,
  outcome: auditEvents.outcome,
  durationMs: auditEvents.durationMs,
  tokenId: auditEvents.tokenId,
  applicationId: auditEvents.applicationId,
  address: auditEvents.address,
  datasets: auditEvents.datasets,
  metadata: auditEvents.metadata,
};

/** Bounded, masked and storable: whatever comes in, the row can be written. */
function rowFrom(event: AuditEvent, at: Date): AuditRow {
  const { durationMs } = event;
  return {
    at: at.toISOString(),
    workspace_id: event.workspaceId,
    user_id: event.userId,
    action: maskText(event.action, WORD_CHARACTERS),
    resource_type: event.resourceType === null ? null : maskText(event.resourceType, WORD_CHARACTERS),
    resource_id: event.resourceId === null ? null : maskText(event.resourceId, RESOURCE_CHARACTERS),
    success: event.success,
    outcome: maskText(event.outcome, WORD_CHARACTERS),
    duration_ms: Number.isFinite(durationMs) ? Math.round(Math.min(Math.max(durationMs, 0), MAX_INTEGER)) : 0,
    token_id: event.tokenId ?? null,
    application_id:
      event.applicationId === undefined ? null : maskText(event.applicationId, RESOURCE_CHARACTERS),
    address: event.address === undefined ? null : maskText(event.address, WORD_CHARACTERS),
    datasets: event.datasets ?? [],
    metadata: maskFields(event.metadata),
  };
}

/** One parameter for the whole batch, however many rows it has. */
async function insertRows(catalog: Catalog, rows: readonly AuditRow[]): Promise<void> {
  await catalog.pool.query(
    `INSERT INTO audit_events (at, workspace_id, user_id, action, resource_type, resource_id, success, outcome, duration_ms,
       token_id, application_id, address, datasets, metadata)
     SELECT * FROM json_to_recordset($1::json) AS event (at timestamptz, workspace_id bigint, user_id bigint, action text,
       resource_type text, resource_id text, success boolean, outcome text, duration_ms integer, token_id bigint,
       application_id text, address text, datasets bigint[], metadata jsonb)`,
    [JSON.stringify(rows)],
  );
}

/** A bounded number at a time, so that no statement holds rows for long. */
async function removeOlder(catalog: Catalog, oldest: Date): Promise<number> {
  const { rowCount } = await catalog.db.execute(sql`
    delete from ${auditEvents} where ${auditEvents.id} in (
      select ${auditEvents.id} from ${auditEvents} where ${auditEvents.at} < ${oldest.toISOString()} limit ${SWEEP_EVENTS})`);
  return rowCount ?? 0;
}

const LONGEST_RETRY_MS = 5_000;
const CLOSE_TIMEOUT_MS = 10_000;

interface AuditWriterOptions<Row> {
  insert: (rows: readonly Row[]) => Promise<void>;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  /** Told how many events will never be written. */
  onLost?: ((count: number) => void) | undefined;
  waitingEvents?: number;
  batchEvents?: number;
  batchMs?: number;
  closeTimeoutMs?: number;
  roomMs?: number;
}

/**
 * Takes rows at once and writes them in batches. When they come faster than they can be written, or the database
 * is away, rows wait, up to a bound: whoever asks for `room` is held up from half of it on, and rows beyond it are
 * counted and the count is logged, for a full memory would lose all of them.
 */
class AuditWriter<Row> {
  readonly #options: Required<AuditWriterOptions<Row>>;
  #waiting: Row[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #held: { released: Promise<void>; release: () => void } | undefined;
  #retryMs = 0;
  #dropped = 0;
  #closed = false;

  constructor(options: AuditWriterOptions<Row>) {
    this.#options = {
      waitingEvents: LIMITS.identity.auditWaitingEvents,
      batchEvents: LIMITS.identity.auditBatchEvents,
      batchMs: LIMITS.identity.auditBatchMs,
      closeTimeoutMs: CLOSE_TIMEOUT_MS,
      roomMs: LIMITS.identity.auditRoomMs,
      onLost: undefined,
      ...options,
    };
  }

  add(row: Row): void {
    if (this.#waiting.length >= this.#options.waitingEvents) {
      if (this.#dropped === 0) {
        this.#options.log.error(
          { waiting: this.#waiting.length },
          "too many audit events wait to be written: further ones are dropped",
        );
      }
      this.#dropped++;
      this.#options.onLost?.(1);
      return;
    }
    this.#waiting.push(row);
    if (this.#retryMs === 0 && this.#waiting.length >= this.#options.batchEvents) this.#start();
    else this.#wake(Math.max(this.#retryMs, this.#options.batchMs));
  }

  /** Resolves at once while less than half of the bound waits; otherwise when that is so again, but soon in any case. */
  async room(): Promise<void> {
    if (this.#hasRoom()) return;
    this.#held ??= this.#hold();
    await this.#held.released;
  }

  #hasRoom(): boolean {
    return this.#waiting.length < this.#options.waitingEvents / 2 || this.#closed;
  }

  /** One wait for all who ask meanwhile. */
  #hold() {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const release = () => {
      this.#held = undefined;
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(release, this.#options.roomMs).unref();
    return { released, release };
  }

  /** Resolves when everything that was added before is written; fails with the reason when it cannot be. */
  async flush(): Promise<void> {
    // A batch under way may have begun before the newest row came.
    await this.#writing?.catch(() => undefined);
    if (this.#waiting.length > 0) await this.#write();
  }

  async close(): Promise<void> {
    const deadline = performance.now() + this.#options.closeTimeoutMs;
    while (this.#waiting.length > 0 && performance.now() < deadline) {
      const giveUp = sleep(Math.max(1, deadline - performance.now()), undefined, { ref: false });
      await Promise.race([this.flush().catch(() => sleep(this.#options.batchMs)), giveUp]);
    }
    this.#closed = true;
    this.#held?.release();
    clearTimeout(this.#timer);
    if (this.#waiting.length === 0) return;
    this.#options.onLost?.(this.#waiting.length);
    this.#options.log.error(
      { lost: this.#waiting.length },
      "audit events were lost: the database did not come back",
    );
  }

  #wake(ms: number): void {
    if (this.#timer !== undefined || this.#writing !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => this.#start(), ms).unref();
  }

  #start(): void {
    // What fails is kept and tried again.
    this.#write().catch(() => undefined);
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined;
      if (this.#waiting.length > 0) this.#wake(Math.max(this.#retryMs, this.#options.batchMs));
    });
    return this.#writing;
  }

  async #drain(): Promise<void> {
    const { batchEvents, batchMs, log } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchEvents);
      try {
        await this.#insert(batch);
      } catch (error) {
        if (this.#retryMs === 0) log.warn({ reason: messageOf(error) }, "audit events wait for the database");
        this.#retryMs = Math.min(Math.max(this.#retryMs * 2, batchMs), LONGEST_RETRY_MS);
        throw error;
      }
      this.#waiting.splice(0, batch.length);
      this.#recovered();
    }
  }

  #recovered(): void {
    this.#retryMs = 0;
    if (!this.#hasRoom()) return;
    this.#held?.release();
    if (this.#dropped === 0) return;
    this.#options.log.error(
      { dropped: this.#dropped },
      "audit events were dropped: they came faster than the database took them",
    );
    this.#dropped = 0;
  }

  /** One row that PostgreSQL cannot store must not hold up all others for ever. */
  async #insert(rows: readonly Row[]): Promise<void> {
    try {
      await this.#options.insert(rows);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      if (rows.length === 1) {
        this.#options.log.error({ reason: messageOf(error) }, "an audit event cannot be stored");
        this.#options.onLost?.(1);
        return;
      }
      const half = Math.ceil(rows.length / 2);
      await this.#insert(rows.slice(0, half));
      await this.#insert(rows.slice(half));
    }
  }
}

/** SQLSTATE classes 22 (data) and 23 (constraints): trying again cannot help. */
function isUnstorable(error: unknown): boolean {
  return /^2[23]/.test(pgCodeOf(error) ?? "");
}
