import {
  aliasedTable,
  and,
  type Column,
  desc,
  eq,
  gt,
  inArray,
  isNull,
  lte,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import type { Catalog, CatalogTx } from "../../platform/catalog/index.ts";
import { LIMITS } from "./limits.ts";
import type { By } from "./memories.store.ts";
import {
  type MemoryKind,
  memories,
  memoryRelations as relations,
  memoryVersions as versions,
} from "./memory.tables.ts";
import { tellOfMemories } from "./memory-events.ts";

export interface Pair {
  fromId: number;
  toId: number;
  type: string;
  inverse: string;
  fromVersionId?: number;
  toVersionId?: number;
}

export interface Edge {
  id: number;
  inverseId: number;
  type: string;
  inverse: string;
  createdAt: Date;
  inverseCreatedAt: Date;
}

/** A memory as the end of a relation. */
export interface End {
  id: number;
  versionId: number;
  key: string;
  kind: MemoryKind;
  type: string;
  title: string | null;
  tags: string[];
}

export interface ListedRelation {
  type: string;
  key: string;
  createdAt: Date;
}

/** Pairs of one INSERT. */
const INSERTED_AT_ONCE = 1_000;

/** Makes relations with their inverses; what is there already stays as it is. */
export async function relate(
  tx: CatalogTx,
  { workspaceId, userId: createdBy }: By,
  pairs: readonly Pair[],
  createdAt: Date,
): Promise<Edge[]> {
  const edges: Edge[] = [];
  for (let at = 0; at < pairs.length; at += INSERTED_AT_ONCE) {
    const some = pairs.slice(at, at + INSERTED_AT_ONCE);
    const rows = some.flatMap(({ fromId, toId, type, inverse, fromVersionId, toVersionId }) => [
      { fromId, toId, type, isInverse: false, fromVersionId, toVersionId },
      {
        fromId: toId,
        toId: fromId,
        type: inverse,
        isInverse: true,
        fromVersionId: toVersionId,
        toVersionId: fromVersionId,
      },
    ]);
    // In the same order whoever makes them: two who relate the same two at once do not wait for each other for ever.
    const inOrder = rows.toSorted(
      (a, b) => a.fromId - b.fromId || a.toId - b.toId || (a.type < b.type ? -1 : 1),
    );
    await tx
      .insert(relations)
      .values(inOrder.map((row) => ({ ...row, workspaceId, createdBy, createdAt })))
      .onConflictDoNothing();
    for (const pair of some.length === 1 ? some : []) edges.push(await edgeOf(tx, pair));
  }
  return edges;
}

/** Whether there was one. */
export async function endPair(
  tx: CatalogTx,
  { fromId, toId, type, inverse }: Pair,
  now: Date,
): Promise<boolean> {
  const isPair = or(
    and(eq(relations.fromId, fromId), eq(relations.toId, toId), eq(relations.type, type)),
    and(eq(relations.fromId, toId), eq(relations.toId, fromId), eq(relations.type, inverse)),
  );
  const ended = await tx
    .update(relations)
    .set({ endedAt: now })
    .where(and(isPair, isNull(relations.fromVersionId), isNull(relations.endedAt)))
    .returning({ id: relations.id });
  return ended.length > 0;
}

async function edgeOf(tx: Pick<CatalogTx, "select">, pair: Pair): Promise<Edge> {
  const one = await openRow(tx, pair.fromId, pair.toId, pair.type, pair.fromVersionId);
  const other = await openRow(tx, pair.toId, pair.fromId, pair.inverse, pair.toVersionId);
  if (one === undefined || other === undefined) throw new Error("a relation has one row instead of two");
  return {
    id: one.id,
    inverseId: other.id,
    type: pair.type,
    inverse: pair.inverse,
    createdAt: one.createdAt,
    inverseCreatedAt: other.createdAt,
  };
}

async function openRow(tx: Pick<CatalogTx, "select">, from: number, to: number, type: string, version = 0) {
  const [row] = await tx
    .select({ id: relations.id, createdAt: relations.createdAt })
    .from(relations)
    .where(
      and(
        eq(relations.fromId, from),
        eq(relations.toId, to),
        eq(relations.type, type),
        sql`coalesce(${relations.fromVersionId}, 0) = ${version}`,
        isNull(relations.endedAt),
      ),
    );
  return row;
}

/** Whether it had not ended by then, or has not by now. */
function isOpenAt(end: Column, knownAt: Date | undefined): SQL | undefined {
  return knownAt === undefined ? isNull(end) : or(isNull(end), gt(end, knownAt));
}

/** What a memory says now, or said then. */
function isSaidAt(knownAt: Date | undefined): SQL | undefined {
  const isOpen = isOpenAt(versions.supersededAt, knownAt);
  return knownAt === undefined ? isOpen : and(lte(versions.recordedAt, knownAt), isOpen);
}

/** What is related to what. */
export class RelationsStore {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The memories with these ids, whichever version an id is of. */
  async ends(workspaceId: number, keys: readonly string[], knownAt?: Date): Promise<Map<string, End>> {
    const rows = await this.#catalog.db
      .select({
        id: memories.id,
        versionId: versions.id,
        key: versions.key,
        kind: memories.kind,
        type: memories.type,
        title: versions.title,
        tags: memories.tags,
      })
      .from(versions)
      .innerJoin(memories, eq(memories.id, versions.memoryId))
      .where(
        and(
          eq(versions.workspaceId, workspaceId),
          sql`${versions.key} = any(${sql.param([...keys])}::text[])`,
          knownAt === undefined
            ? isNull(memories.retractedAt)
            : and(lte(versions.recordedAt, knownAt), isOpenAt(memories.retractedAt, knownAt)),
        ),
      );
    return new Map(rows.map((row) => [row.key, row]));
  }

  async link(by: By, pair: Pair, now: Date): Promise<Edge> {
    const [edge] = await this.#catalog.transaction(async (tx) => {
      const edges = await relate(tx, by, [pair], now);
      await tellOfMemories(tx, by.workspaceId, [pair.fromId, pair.toId]);
      return edges;
    });
    return edge as Edge;
  }

  async linkAll(by: By, pairs: readonly Pair[], now: Date): Promise<void> {
    await this.#catalog.transaction((tx) => relate(tx, by, pairs, now));
  }

  /** Whether there was one. Both rows are kept, with the time when they ended. */
  async unlink({ workspaceId }: By, pair: Pair, now: Date): Promise<boolean> {
    return this.#catalog.transaction(async (tx) => {
      const hasEnded = await endPair(tx, pair, now);
      if (hasEnded) await tellOfMemories(tx, workspaceId, [pair.fromId, pair.toId]);
      return hasEnded;
    });
  }

  /** As they were said: the inverse of a relation is the same relation, seen from its other end. */
  async listed(
    { id, versionId }: End,
    direction: "outgoing" | "incoming",
    knownAt?: Date,
  ): Promise<ListedRelation[]> {
    const isOutgoing = direction === "outgoing";
    const [near, far] = isOutgoing ? [relations.fromId, relations.toId] : [relations.toId, relations.fromId];
    const nearVersion = isOutgoing ? relations.fromVersionId : relations.toVersionId;
    const farVersion = isOutgoing ? relations.toVersionId : relations.fromVersionId;
    const other = aliasedTable(memories, "other");
    return this.#catalog.db
      .select({ type: relations.type, key: versions.key, createdAt: relations.createdAt })
      .from(relations)
      .innerJoin(other, and(eq(other.id, far), isOpenAt(other.retractedAt, knownAt)))
      .innerJoin(
        versions,
        sql`${versions.memoryId} = ${other.id} and case when ${farVersion} is null
          then ${isSaidAt(knownAt)} else ${versions.id} = ${farVersion} end`,
      )
      .where(
        and(
          eq(near, id),
          or(isNull(nearVersion), eq(nearVersion, versionId)),
          eq(relations.isInverse, false),
          knownAt && lte(relations.createdAt, knownAt),
          isOpenAt(relations.endedAt, knownAt),
        ),
      )
      .orderBy(desc(relations.id))
      .limit(LIMITS.memory.listedRelations);
  }

  /** Relations that go out from these memories, inverses among them. */
  async edgesOf(
    ids: readonly number[],
    limit: number,
  ): Promise<{ fromId: number; type: string; toId: number }[]> {
    return this.#catalog.db
      .select({ fromId: relations.fromId, type: relations.type, toId: relations.toId })
      .from(relations)
      .where(and(inArray(relations.fromId, [...ids]), isNull(relations.endedAt)))
      .orderBy(desc(relations.id))
      .limit(limit);
  }

  /** The newest relations of each of these memories, both ways. */
  async around(ids: readonly number[], limit: number): Promise<{ from: number; to: number }[]> {
    if (ids.length === 0) return [];
    const { rows } = await this.#catalog.db.execute<{ from: string; to: string }>(sql`
      select near.id as "from", edge.to_id as "to"
      from unnest(${sql.param([...ids])}::bigint[]) as near(id)
      cross join lateral (
        select to_id from memory_relations
        where from_id = near.id and ended_at is null and to_id <> near.id
        order by id desc limit ${LIMITS.memory.hubRelations}
      ) as edge
      limit ${limit}`);
    return rows.map(({ from, to }) => ({ from: Number(from), to: Number(to) }));
  }
}
