import { and, count, eq, inArray, isNull, ne, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { AppError } from "../../kernel/errors.ts";
import { type Catalog, type CatalogTx, isUniqueViolation } from "../../platform/catalog/index.ts";
import { LIMITS } from "./limits.ts";
import {
  type LearntEnd,
  type MemoryKind,
  type MemoryType,
  memories,
  memoryRelations as relations,
  memoryVersions as versions,
} from "./memory.tables.ts";
import { tellOfMemories } from "./memory-events.ts";
import { nextKey, withSuffix } from "./memory-keys.ts";
import { type Edge, relateOne } from "./relations.store.ts";
import { forgetMentions, relateMentions } from "./vocabulary.ts";

export interface NewMemory {
  key: string;
  /** The id was chosen by whoever stores it: where it is taken, there is a conflict. */
  isOwnKey?: boolean;
  kind?: MemoryKind;
  type?: MemoryType;
  title?: string | undefined;
  content: string;
  tags?: readonly string[] | undefined;
  source?: string | undefined;
  validFrom: Date;
  validTo?: Date | undefined;
  createdAt: Date;
  /** What it said before, the oldest first: only an import brings that with it. */
  former?: readonly FormerVersion[] | undefined;
  /** When it came to say what it says now, and why, if it has said something else before. */
  recordedAt?: Date | undefined;
  reason?: string | undefined;
}

interface FormerVersion {
  key: string;
  title?: string | undefined;
  content: string;
  validFrom: Date;
  validTo: Date;
  recordedAt: Date;
  reason?: string | undefined;
}

export interface StoredMemory {
  memoryId: number;
  versionId: number;
  key: string;
}

/** Who does it, and where. */
export interface By {
  workspaceId: number;
  userId: number;
}

interface Update {
  target: string;
  title: string;
  content: string;
  reason: string | undefined;
  now: Date;
}

interface Updated {
  oldKey: string;
  newKey: string;
  versionIds: number[];
  edgeId: number;
}

/** Rows of one INSERT: their values must stay below what one statement may have. */
const INSERTED_AT_ONCE = 1_000;
/** Two who choose the same new id at once; the second one takes another. */
const TRIES = 4;

/** Memories and what they say: stored, updated, taken back. */
export class MemoriesStore {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  async hasAny(workspaceId: number): Promise<boolean> {
    const isKept = and(eq(memories.workspaceId, workspaceId), isNull(memories.retractedAt));
    const found = await this.#catalog.db.select({ id: memories.id }).from(memories).where(isKept).limit(1);
    return found.length > 0;
  }

  /** How much a workspace remembers. */
  async stats(workspaceId: number): Promise<{ memories: number; edges: number; chunks: number }> {
    const { db } = this.#catalog;
    const isKept = and(eq(memories.workspaceId, workspaceId), isNull(memories.retractedAt));
    const [kinds, edges] = await Promise.all([
      db.select({ kind: memories.kind, n: count() }).from(memories).where(isKept).groupBy(memories.kind),
      db.$count(relations, and(eq(relations.workspaceId, workspaceId), isNull(relations.endedAt))),
    ]);
    const numberOf = (wanted: MemoryKind) => kinds.find(({ kind }) => kind === wanted)?.n ?? 0;
    const [plain, documents, sections] = [numberOf("memory"), numberOf("document"), numberOf("section")];
    return { memories: plain + documents, edges, chunks: plain + sections };
  }

  /** Throws `unavailable` when the store cannot be reached. */
  async ping(): Promise<void> {
    await this.#catalog.ping();
  }

  /** Stores them all or none; `more` is done in the same transaction. */
  async insert<T>(
    by: By,
    wishes: readonly NewMemory[],
    more: (tx: CatalogTx, stored: readonly StoredMemory[]) => Promise<T>,
  ): Promise<{ stored: StoredMemory[]; formerIds: number[]; more: T }> {
    return this.#retried(async (tx) => {
      const keys = await freeKeys(tx, by.workspaceId, wishes);
      const stored: StoredMemory[] = [];
      for (let at = 0; at < wishes.length; at += INSERTED_AT_ONCE) {
        const end = at + INSERTED_AT_ONCE;
        stored.push(...(await insertSome(tx, by, wishes.slice(at, end), keys.slice(at, end))));
      }
      const said = stored.map((one, i) => ({ ...one, ...(wishes[i] as NewMemory) }));
      const formerIds: number[] = [];
      for (const one of said) formerIds.push(...(await insertFormer(tx, by, one)));
      await relateMentions(tx, by, said);
      return { stored, formerIds, more: await more(tx, stored) };
    });
  }

  /** Closes what a memory says and opens the new version. Of two at once, one finds its target superseded. */
  async update(
    { workspaceId, userId }: By,
    { target, title, content, reason, now }: Update,
  ): Promise<Updated> {
    return this.#retried(async (tx) => {
      const old = await lockVersion(tx, workspaceId, target);
      const until = old.validFrom > now ? old.validFrom : now;
      const endsAt = old.validTo !== null && old.validTo < until ? old.validTo : until;
      await tx
        .update(versions)
        .set({
          validTo: endsAt,
          supersededAt: now,
          ends: withEnd({ at: now, validTo: endsAt, way: "superseded", reason: reason ?? null, userId }),
          revision: sql`${versions.revision} + 1`,
        })
        .where(eq(versions.id, old.id));
      const wish = { key: nextKey(old.key, old.version), content, validFrom: now, createdAt: now };
      const [key = wish.key] = await freeKeys(tx, workspaceId, [wish]);
      const [made] = await tx
        .insert(versions)
        .values({
          workspaceId,
          memoryId: old.memoryId,
          key,
          version: old.version + 1,
          title,
          content,
          validFrom: now,
          recordedAt: now,
          updateReason: reason ?? null,
          createdBy: userId,
        })
        .returning({ id: versions.id });
      const versionId = made?.id as number;
      const { memoryId, content: former } = old;
      await forgetMentions(tx, { workspaceId, userId }, { memoryId, former, content, now });
      await relateMentions(tx, { workspaceId, userId }, [{ memoryId, key, title, content, createdAt: now }]);
      const between = { memoryId: old.memoryId, fromVersionId: versionId, toVersionId: old.id };
      const edge = await supersede(tx, { workspaceId, userId }, { ...between, at: now });
      await tellOfMemories(tx, workspaceId, [old.memoryId]);
      return {
        oldKey: old.key,
        newKey: key,
        versionIds: [old.id, versionId],
        edgeId: edge.id,
      };
    });
  }

  /** The ids among these that are taken already. */
  async taken(workspaceId: number, keys: readonly string[]): Promise<Set<string>> {
    return takenKeys(this.#catalog.db, workspaceId, keys);
  }

  async #retried<T>(work: (tx: CatalogTx) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#catalog.transaction(work);
      } catch (error) {
        if (!isUniqueViolation(error, "memory_versions_key") || tries === TRIES) throw error;
      }
    }
  }
}

async function insertSome(
  tx: CatalogTx,
  { workspaceId, userId }: By,
  wishes: readonly NewMemory[],
  keys: readonly string[],
): Promise<StoredMemory[]> {
  const heads = wishes.map(({ kind, type, tags = [], source, createdAt }) => ({
    workspaceId,
    ...(kind && { kind }),
    ...(type && { type }),
    tags: [...tags],
    source: source ?? null,
    createdBy: userId,
    createdAt,
  }));
  const made = await tx.insert(memories).values(heads).returning({ id: memories.id });
  const first = wishes.map(({ title, content, validFrom, validTo, createdAt, ...rest }, i) => ({
    workspaceId,
    memoryId: made[i]?.id as number,
    key: keys[i] as string,
    version: (rest.former?.length ?? 0) + 1,
    title: title ?? null,
    content,
    validFrom,
    validTo: validTo ?? null,
    statedValidTo: validTo ?? null,
    recordedAt: rest.recordedAt ?? createdAt,
    updateReason: rest.reason ?? null,
    createdBy: userId,
  }));
  const said = await tx
    .insert(versions)
    .values(first)
    .returning({ memoryId: versions.memoryId, versionId: versions.id, key: versions.key });
  return said;
}

/** What a memory said before, each version superseded by the next. */
async function insertFormer(
  tx: CatalogTx,
  by: By,
  { memoryId, versionId, former = [], ...now }: StoredMemory & NewMemory,
): Promise<number[]> {
  if (former.length === 0) return [];
  const { workspaceId, userId } = by;
  const keys = await freeKeys(
    tx,
    workspaceId,
    former.map((one) => ({ ...one, createdAt: one.recordedAt })),
  );
  const rows = former.map(({ title, content, validFrom, validTo, recordedAt, reason }, i) => {
    const next = former[i + 1] ?? { recordedAt: now.recordedAt ?? now.createdAt, reason: now.reason };
    const end: LearntEnd = {
      recordedAt: next.recordedAt.toISOString(),
      validTo: validTo.toISOString(),
      way: "superseded",
      reason: next.reason ?? null,
      userId,
    };
    return {
      workspaceId,
      memoryId,
      key: keys[i] as string,
      version: i + 1,
      title: title ?? null,
      content,
      validFrom,
      validTo,
      // An end before the next version came was known before it.
      statedValidTo: validTo < next.recordedAt ? validTo : null,
      ends: [end],
      recordedAt,
      supersededAt: next.recordedAt,
      updateReason: reason ?? null,
      createdBy: userId,
    };
  });
  const made = await tx.insert(versions).values(rows).returning({ id: versions.id });
  const ids = made.map(({ id }) => id);
  for (const [i, toVersionId] of ids.entries()) {
    const next = { versionId: ids[i + 1] ?? versionId, at: rows[i]?.supersededAt as Date };
    await supersede(tx, by, { memoryId, fromVersionId: next.versionId, toVersionId, at: next.at });
  }
  return ids;
}

async function supersede(
  tx: CatalogTx,
  by: By,
  { memoryId, at, ...between }: { memoryId: number; fromVersionId: number; toVersionId: number; at: Date },
): Promise<Edge> {
  const pair = { fromId: memoryId, toId: memoryId, type: "SUPERSEDES", inverse: "SUPERSEDED_BY" };
  return relateOne(tx, by, { ...pair, ...between }, at);
}

/** One more end of a version that has become known. */
export function withEnd({
  at,
  validTo,
  ...why
}: Omit<LearntEnd, "recordedAt" | "validTo"> & { at: Date; validTo: Date | null }) {
  const end: LearntEnd = {
    recordedAt: at.toISOString(),
    validTo: validTo?.toISOString() ?? null,
    ...why,
  };
  return sql`${versions.ends} || ${JSON.stringify([end])}::jsonb`;
}

/** The row of the memory is locked until the end of the transaction. */
async function lockVersion(tx: CatalogTx, workspaceId: number, key: string) {
  const head = await lockMemory(tx, workspaceId, key);
  if (head.retractedAt !== null) throw noMemory(key);
  if (head.kind === "document")
    throw new AppError("unsupported", `${key} is a document, which is not updated as one fact.`, {
      hint: "Store the new text with {tool:upload_document}, and link it with SUPERSEDES.",
    });
  const all = await tx.select().from(versions).where(eq(versions.memoryId, head.id));
  const open = all.find(({ supersededAt }) => supersededAt === null);
  if (open?.key !== key)
    throw new AppError("conflict", `${key} was superseded by ${open?.key} meanwhile.`, {
      hint: `Look at ${open?.key}, and update that one if it is still wrong.`,
      data: { target_id: key, current_id: open?.key },
    });
  const successor = await successorOf(tx, head.id);
  if (successor !== undefined)
    throw new AppError("conflict", `${key} was superseded by ${successor}.`, {
      hint: `Look at ${successor}, and update that one if it is wrong.`,
      data: { target_id: key, current_id: successor },
    });
  return open;
}

/** The id of the memory that supersedes another by a relation. */
export async function successorOf(tx: CatalogTx, memoryId: number): Promise<string | undefined> {
  const [successor] = await tx
    .select({ key: versions.key })
    .from(relations)
    .innerJoin(versions, and(eq(versions.memoryId, relations.toId), isNull(versions.supersededAt)))
    .where(
      and(
        eq(relations.fromId, memoryId),
        eq(relations.type, "SUPERSEDED_BY"),
        ne(relations.toId, memoryId),
        isNull(relations.endedAt),
      ),
    )
    .limit(1);
  return successor?.key;
}

/** The memory whose version has this id, locked until the end of the transaction. */
export async function lockMemory(tx: CatalogTx, workspaceId: number, key: string) {
  const isIt = and(eq(versions.workspaceId, workspaceId), eq(versions.key, key));
  const [head] = await tx
    .select()
    .from(memories)
    .where(inArray(memories.id, tx.select({ id: versions.memoryId }).from(versions).where(isIt)))
    .for("update");
  if (head === undefined) throw noMemory(key);
  return head;
}

async function takenKeys(
  db: Pick<CatalogTx, "select">,
  workspaceId: number,
  keys: readonly string[],
): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await db
    .select({ key: versions.key })
    .from(versions)
    .where(
      and(eq(versions.workspaceId, workspaceId), sql`${versions.key} = any(${sql.param([...keys])}::text[])`),
    );
  return new Set(rows.map(({ key }) => key));
}

/** Ids that are not taken, neither in the catalog nor among themselves. */
async function freeKeys(tx: CatalogTx, workspaceId: number, wishes: readonly NewMemory[]): Promise<string[]> {
  const taken = await takenKeys(
    tx,
    workspaceId,
    wishes.map(({ key }) => key),
  );
  return wishes.map(({ key, isOwnKey = false }) => {
    if (taken.has(key) && isOwnKey) throw new AppError("conflict", `There is already a memory ${key}.`);
    let free = key;
    while (taken.has(free)) free = withSuffix(key);
    taken.add(free);
    return free;
  });
}

export function noMemory(key: string): AppError {
  return new AppError("not_found", `There is no memory ${key}.`, {
    hint: "{tool:recall} finds memories and shows their ids.",
    data: { memory_id: key },
  });
}

/** How often memories were recalled. Counted here and written now and then: a crash loses a few counts. */
export class MemoryUsage {
  readonly #catalog: Catalog;
  readonly #log: Pick<Logger, "warn">;
  #counts = new Map<number, { recalls: number; last: Date }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(catalog: Catalog, log: Pick<Logger, "warn">) {
    this.#catalog = catalog;
    this.#log = log;
  }

  count(memoryIds: readonly number[], now: Date): void {
    for (const id of memoryIds)
      this.#counts.set(id, { recalls: (this.#counts.get(id)?.recalls ?? 0) + 1, last: now });
    if (this.#counts.size === 0) return;
    this.#timer ??= setTimeout(() => void this.write(), LIMITS.memory.usageWriteMs).unref();
  }

  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = [...this.#counts].sort(([a], [b]) => a - b);
    this.#counts = new Map();
    if (counts.length === 0) return;
    const ids = counts.map(([id]) => id);
    const recalls = counts.map(([, { recalls }]) => recalls);
    const lasts = counts.map(([, { last }]) => last.toISOString());
    try {
      // Those that were erased meanwhile have no row to refer to.
      await this.#catalog.db.execute(sql`
        insert into memory_usage (memory_id, recalls, last_recalled_at)
        select seen.id, seen.recalls, seen.last from unnest(
          ${sql.param(ids)}::bigint[], ${sql.param(recalls)}::int[], ${sql.param(lasts)}::timestamptz[]
        ) as seen(id, recalls, last)
        join memories on memories.id = seen.id
        order by seen.id
        on conflict (memory_id) do update set
          recalls = memory_usage.recalls + excluded.recalls,
          last_recalled_at = greatest(memory_usage.last_recalled_at, excluded.last_recalled_at)`);
    } catch (err) {
      this.#log.warn({ err }, "how often memories were recalled was not written");
    }
  }
}
