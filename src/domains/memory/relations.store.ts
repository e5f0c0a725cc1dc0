import {
  aliasedTable,
  and,
  asc,
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
import { AppError } from "../../kernel/errors.ts";
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
  /** Refused where it would close a circle. */
  isAcyclic?: boolean;
  fromVersionId?: number;
  toVersionId?: number;
}

export interface Edge {
  id: number;
  inverseId: number;
  type: string;
  inverse: string;
  /** It was not there before. */
  isNew: boolean;
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

/** What came to a memory along relations, over how many of them, and from which memory it came last. */
export interface Reached {
  weight: number;
  hop: number;
  parentId: number;
}

/** How one memory is related to another, seen from it. */
export interface Between {
  type: string;
  direction: "outgoing" | "incoming";
  nearKey: string;
}

export interface ListedRelation {
  type: string;
  /** The other side of a relation that was said the other way round. */
  isInverse: boolean;
  key: string;
  createdAt: Date;
}

/** Makes relations with their inverses, and tells how many; what is there already stays as it is. */
export async function relate(
  tx: CatalogTx,
  by: By,
  pairs: readonly Pair[],
  createdAt: Date,
): Promise<number> {
  if (pairs.length === 0) return 0;
  const { rowCount } = await tx.execute(sql`${inserted(by, pairs, createdAt)} on conflict do nothing`);
  return (rowCount ?? 0) / 2;
}

/** The same for one, which is told, and which nobody can end before this transaction does. */
export async function relateOne(tx: CatalogTx, by: By, pair: Pair, createdAt: Date): Promise<Edge> {
  const { rows } = await tx.execute<{
    id: string;
    created_at: string;
    is_first: boolean;
    is_new: boolean;
  }>(sql`
    ${inserted(by, [pair], createdAt)}
    on conflict (from_id, to_id, type, coalesce(from_version_id, 0)) where ended_at is null
    do update set type = excluded.type
    returning id, created_at, xmax = 0 as is_new,
      (from_id, type, coalesce(from_version_id, 0))
        = (${pair.fromId}, ${pair.type}, ${pair.fromVersionId ?? 0}) as is_first`);
  const one = rows.find(({ is_first }) => is_first);
  const other = rows.find(({ is_first }) => !is_first);
  if (one === undefined || other === undefined) throw new Error("a relation has one row instead of two");
  return {
    id: Number(one.id),
    inverseId: Number(other.id),
    type: pair.type,
    inverse: pair.inverse,
    isNew: one.is_new,
    createdAt: new Date(one.created_at),
    inverseCreatedAt: new Date(other.created_at),
  };
}

/** In the same order whoever makes them: two who relate the same two at once do not wait for each other for ever. */
function inserted({ workspaceId, userId }: By, pairs: readonly Pair[], createdAt: Date): SQL {
  const each = <T>(value: (pair: Pair) => [T, T]) => sql.param(pairs.flatMap(value));
  return sql`
    insert into memory_relations
      (from_id, to_id, type, is_inverse, from_version_id, to_version_id, workspace_id, created_by, created_at)
    select from_id, to_id, type, is_inverse, from_version_id, to_version_id,
      ${workspaceId}, ${userId}, ${createdAt.toISOString()}::timestamptz
    from unnest(
      ${each(({ fromId, toId }) => [fromId, toId])}::bigint[],
      ${each(({ fromId, toId }) => [toId, fromId])}::bigint[],
      ${each(({ type, inverse }) => [type, inverse])}::text[],
      ${each(() => [false, true])}::boolean[],
      ${each(({ fromVersionId = null, toVersionId = null }) => [fromVersionId, toVersionId])}::bigint[],
      ${each(({ fromVersionId = null, toVersionId = null }) => [toVersionId, fromVersionId])}::bigint[]
    ) as one(from_id, to_id, type, is_inverse, from_version_id, to_version_id)
    order by from_id, to_id, type`;
}

/** True if there was one. Its rows are locked in the order in which they are made. */
export async function endPair(
  tx: CatalogTx,
  { fromId, toId, type, inverse }: Pair,
  now: Date,
): Promise<boolean> {
  const isPair = or(
    and(eq(relations.fromId, fromId), eq(relations.toId, toId), eq(relations.type, type)),
    and(eq(relations.fromId, toId), eq(relations.toId, fromId), eq(relations.type, inverse)),
  );
  const rows = await tx
    .select({ id: relations.id })
    .from(relations)
    .where(and(isPair, isNull(relations.fromVersionId), isNull(relations.endedAt)))
    .orderBy(asc(relations.fromId), asc(relations.toId), asc(relations.type))
    .for("update");
  if (rows.length === 0) return false;
  await tx
    .update(relations)
    .set({ endedAt: now })
    .where(
      inArray(
        relations.id,
        rows.map(({ id }) => id),
      ),
    );
  return true;
}

/** One after the other in a workspace: of two relations made at once, each could close the other's circle. */
async function lockOrder(tx: CatalogTx, { workspaceId }: By, order: string): Promise<void> {
  const lock = `acyclic relations ${workspaceId} ${order}`;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
}

/** The same for a type and its inverse. */
function orderOf({ type, inverse }: Pair): string {
  return [type, inverse].toSorted().join(" ");
}

/** Of pairs of one type, whether they are there already or not. */
async function assertNoCircle(tx: CatalogTx, pairs: readonly Pair[]): Promise<void> {
  const { type } = pairs[0]!;
  const { rows } = await tx.execute<{ seen: string; is_circle: boolean | null }>(sql`
    with recursive after(start, id) as (
      select start, id from unnest(
        ${sql.param(pairs.map(({ fromId }) => fromId))}::bigint[],
        ${sql.param(pairs.map(({ toId }) => toId))}::bigint[]
      ) as pair(start, id)
      union select start, r.to_id from after join memory_relations r
        on r.from_id = after.id and r.type = ${type} and r.ended_at is null and r.to_id <> r.from_id
    )
    select count(*) as seen, bool_or(id = start) as is_circle
    from (select start, id from after limit ${LIMITS.memory.acyclicMemories}) as walked`);
  const { seen, is_circle } = rows[0]!;
  if (is_circle)
    throw new AppError("unsupported", `With this relation ${type} would run in a circle.`, {
      hint: `The target is ${type} the source already, by itself or by way of others; {tool:list_relations} shows it. Unlink that relation first if it is wrong.`,
      data: { rel_type: type },
    });
  if (Number(seen) >= LIMITS.memory.acyclicMemories)
    throw new AppError(
      "too_large",
      `More than ${seen} memories follow by ${type}: too many to look for a circle.`,
    );
}

/** True if it had not ended by then, or has not by now. */
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

  /** `before` is done in the same transaction; it locks memories, which comes before their relations everywhere. */
  async link<T>(
    by: By,
    pair: Pair,
    now: Date,
    before: (tx: CatalogTx) => Promise<T>,
  ): Promise<{ edge: Edge; done: T }> {
    return this.#catalog.transaction(async (tx) => {
      if (pair.isAcyclic) {
        await lockOrder(tx, by, orderOf(pair));
        await assertNoCircle(tx, [pair]);
      }
      const done = await before(tx);
      const edge = await relateOne(tx, by, pair, now);
      await tellOfMemories(tx, by.workspaceId, [pair.fromId, pair.toId]);
      return { edge, done };
    });
  }

  /** Tells how many were not there before; all or none. Throws where one of them would close a circle. */
  async linkAll(by: By, pairs: readonly Pair[], now: Date): Promise<number> {
    return this.#catalog.transaction(async (tx) => {
      const ordered = pairs.filter(({ isAcyclic }) => isAcyclic);
      // In the same order whoever takes them.
      for (const order of [...new Set(ordered.map(orderOf))].toSorted()) await lockOrder(tx, by, order);
      const made = await relate(tx, by, pairs, now);
      for (const some of Map.groupBy(ordered, ({ type }) => type).values()) await assertNoCircle(tx, some);
      return made;
    });
  }

  /** Undefined where there was none. Both rows are kept, with the time when they ended; then `more` is done. */
  async unlink<T>(
    { workspaceId }: By,
    pair: Pair,
    now: Date,
    more: (tx: CatalogTx) => Promise<T>,
  ): Promise<T | undefined> {
    return this.#catalog.transaction(async (tx) => {
      const ends = inArray(memories.id, [pair.fromId, pair.toId]);
      await tx.select({ id: memories.id }).from(memories).where(ends).orderBy(asc(memories.id)).for("update");
      if (!(await endPair(tx, pair, now))) return undefined;
      const done = await more(tx);
      await tellOfMemories(tx, workspaceId, [pair.fromId, pair.toId]);
      return done;
    });
  }

  /** Those that were said, the newest first, and after them the inverses that came with them. */
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
      .select({
        type: relations.type,
        isInverse: relations.isInverse,
        key: versions.key,
        createdAt: relations.createdAt,
      })
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
          knownAt && lte(relations.createdAt, knownAt),
          isOpenAt(relations.endedAt, knownAt),
        ),
      )
      .orderBy(asc(relations.isInverse), desc(relations.id))
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

  /**
   * Lets the weights of some versions flow along relations for a few hops, and tells how much came to each memory, and
   * on the shortest way from where. A memory with many relations gives each of them little.
   */
  async reachedFrom(weights: ReadonlyMap<number, number>, hops: number): Promise<Map<number, Reached>> {
    const nth = (hop: number) => sql.raw(`hop_${hop}`);
    const all = Array.from({ length: hops }, (_, i) => i + 1);
    const steps = all.map((hop) => sql`${nth(hop)} as (${flowFrom(nth(hop - 1))})`);
    const ends = all.map((hop) => sql`select id, weight, ${hop}::float8 as hop, parent from ${nth(hop)}`);
    // As one row: there are hundreds of them, and each row costs more than what stands in it.
    const { rows } = await this.#catalog.db.execute<{
      reached: [number, number, number, number][] | null;
    }>(sql`
      with hop_0 as (
        select v.memory_id as id, max(start.weight) as weight
        from unnest(${sql.param([...weights.keys()])}::bigint[], ${sql.param([...weights.values()])}::float8[])
          as start(id, weight) join memory_versions v on v.id = start.id
        group by v.memory_id
      ), ${sql.join(steps, sql`, `)}
      select json_agg(json_build_array(id, weight, way[1], way[2])) as reached from (
        select id, sum(weight) as weight, min(array[hop, parent]) as way
        from (${sql.join(ends, sql` union all `)}) as each_hop group by id
      ) as reached`);
    return new Map(rows[0]?.reached?.map(([id, weight, hop, parentId]) => [id, { weight, hop, parentId }]));
  }

  /** As it was said, one relation for each two memories, and the id of the first one's present version. */
  async between(pairs: readonly (readonly [number, number])[]): Promise<Map<string, Between>> {
    const each = (at: 0 | 1) => sql.param(pairs.map((pair) => pair[at]));
    const { rows } = await this.#catalog.db.execute<{
      near: string;
      far: string;
      type: string;
      is_outgoing: boolean;
      key: string;
    }>(sql`
      select distinct on (near, far) near, far, said.type, said.from_id = near as is_outgoing, v.key
      from unnest(${each(0)}::bigint[], ${each(1)}::bigint[]) as pair(near, far)
      join memory_relations said on said.ended_at is null and not said.is_inverse
        and (said.from_id, said.to_id) in ((near, far), (far, near))
      join memory_versions v on v.memory_id = near and v.superseded_at is null
      order by near, far, said.id desc`);
    return new Map(
      rows.map(({ near, far, type, is_outgoing, key }) => [
        `${near} ${far}`,
        { type, direction: is_outgoing ? "outgoing" : "incoming", nearKey: key },
      ]),
    );
  }
}

/** The part of its weight that a memory keeps; the rest goes to those that it is related to. */
const RESTART = 0.3;

/**
 * What comes to others along relations of those to which the most has come: of many relations those to the newest
 * memories, which the index of open relations tells without a look at their rows. A section leads to its document, and
 * a document not to its sections, which have nothing but it in common.
 */
function flowFrom(hop: SQL): SQL {
  return sql`
    select to_id as id, sum(share) as weight, (max(array[share, near_id]))[2] as parent from (
      select edge.to_id, near.id::float8 as near_id, ${1 - RESTART}::float8 * near.weight / count(*) over (partition by near.id) as share
      from (select id, weight from ${hop} order by weight desc, id limit ${LIMITS.memory.frontier}) as near
      cross join lateral (
        select to_id from memory_relations
        where from_id = near.id and ended_at is null and to_id <> near.id and type <> 'HAS_CHUNK'
        order by to_id desc limit ${LIMITS.memory.hubRelations}
      ) as edge
    ) as flow group by to_id`;
}
