import { and, desc, eq, gt, gte, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { maskFields, maskText } from "../../../kernel/masking.ts";
import { type Clock, MS } from "../../../kernel/time.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import type { AuditEvent } from "../../../registry/ports.ts";
import { accounts, auditEvents, members } from "../identity.tables.ts";
import type { AuditFilter, AuditLog, AuditRecord } from "../identity.ts";
import { LIMITS } from "../limits.ts";
import { AuditWriter, type AuditWriterOptions } from "./audit-writer.ts";

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

export interface AuditLogOptions extends Omit<AuditWriterOptions<unknown>, "insert"> {
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
  const { since, until, before } = filter;
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
