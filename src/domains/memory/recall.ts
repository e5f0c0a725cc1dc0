import type { Collection, Filter, Hit } from "../../platform/retrieval/index.ts";
import { LIMITS } from "./limits.ts";
import type { MemoryType } from "./memory.tables.ts";
import type { Between, Reached, RelationsStore } from "./relations.store.ts";
import type { FoundVersion, VersionsStore } from "./versions.store.ts";

/** What the caller narrows a recall down to. */
export interface MemoryFilter {
  type?: MemoryType | undefined;
  /** All of them. */
  tags?: readonly string[] | undefined;
  source?: string | undefined;
  /** When it was recorded. */
  since?: Date | undefined;
  before?: Date | undefined;
}

export interface Question extends MemoryFilter {
  query: string;
  k: number;
  hops: number;
  now: Date;
  /** What held then, also if it was superseded since; what holds now, if left out. */
  asOf?: Date | undefined;
  /** Only what was recorded by then, and as it was believed then. */
  knownAt?: Date | undefined;
  /** Also what was superseded or has ended. */
  withFormer?: boolean | undefined;
}

/** Why a memory is among the hits: what each sign says, 0 to 1 (of the speaker, -1 to 1). */
export interface Why extends Partial<Hit["legs"]>, Partial<Hit["signs"]> {
  /** What came to it along relations. */
  relations: number;
  isPinned: boolean;
}

export interface Recalled extends FoundVersion {
  /** 0 to 1. */
  score: number;
  why: Why;
  /** What comes with it because it is related to it, the nearest first. */
  related: Related[];
}

/** A memory that is related to a hit, or to one that is. */
export interface Related extends Pick<Between, "type" | "direction"> {
  version: FoundVersion;
  /** It is among the hits itself. */
  isHit: boolean;
  /** Relations between the hit and it. */
  distance: number;
  /** What the relation is to: the hit, or one that is nearer to it. */
  toKey: string;
}

interface Candidate {
  version: FoundVersion;
  weight: number;
  why: Why;
}

/** What relations and a pin add, as parts of the best hit's score. */
const WEIGHTS = { relations: 0.05, pinned: 0.05 };
/** What has no word of the question must be at least so near to it; everything is near to everything a little. */
const LEAST_COSINE = 0.25;
/** Hits beyond those that are wanted: the catalog may know that one has ended meanwhile. */
const SPARE = 10;
/** The best ones, from which relations are followed. */
const SEEDS = 10;
/** Related memories that are read: some of them may have ended, or be of another sort than is asked for. */
const RELATED = 50;

/** Finds what answers a question: by what it says, by who says it, and by what is related to it. */
export class Recall {
  readonly #collection: Collection;
  readonly #versions: VersionsStore;
  readonly #relations: RelationsStore;

  constructor(collection: Collection, versions: VersionsStore, relations: RelationsStore) {
    this.#collection = collection;
    this.#versions = versions;
    this.#relations = relations;
  }

  async recall(workspaceId: number, question: Question): Promise<Recalled[]> {
    const { query, k, hops } = question;
    const searched = await this.#collection.search(workspaceId, {
      text: query,
      k: LIMITS.memory.candidates,
      filter: filterOf(question),
      ...timesOf(question),
    });
    const near = searched.filter(({ legs }) => legs.lexical > 0 || (legs.dense ?? 0) >= LEAST_COSINE);
    const mostAdded = WEIGHTS.pinned + (hops === 0 ? 0 : WEIGHTS.relations);
    const hits = near.slice(0, reachable(near, k, mostAdded));
    const ids = hits.map(({ id }) => id);
    const [found, reached] = await Promise.all([
      this.#versions.found(workspaceId, ids),
      hops === 0 || hits.length === 0 ? new Map<number, Reached>() : this.#reachedFrom(hits, question),
    ]);
    const candidates = hits.flatMap(({ id, score, legs, signs }): Candidate[] => {
      const version = found.get(id);
      if (version === undefined || !isMeant(version, question)) return [];
      return [{ version, weight: score, why: { ...legs, ...signs, ...signsOf(version, reached) } }];
    });
    const top = candidates[0]?.weight ?? 0;
    for (const candidate of candidates) {
      const { relations, isPinned } = candidate.why;
      candidate.weight += top * (WEIGHTS.relations * relations + (isPinned ? WEIGHTS.pinned : 0));
    }
    candidates.sort((a, b) => b.weight - a.weight || a.version.id - b.version.id);
    const best = candidates[0]?.weight || 1;
    const taken = candidates.slice(0, k);
    const related = await this.#related(workspaceId, taken, question, reached);
    return taken.map(({ version, weight, why }) => ({
      ...version,
      score: Math.round(Math.max(0, Math.min(1, (weight / best) * top)) * 10_000) / 10_000,
      why,
      related: related.get(version.memoryId) ?? [],
    }));
  }

  /** How much comes to memories along relations of the best hits, beside the one to which the most comes. */
  async #reachedFrom(hits: readonly Hit[], { k, hops }: Question): Promise<Map<number, Reached>> {
    const seeds = new Map(hits.slice(0, Math.min(k, SEEDS)).map(({ id, score }) => [id, score]));
    const reached = await this.#relations.reachedFrom(seeds, hops);
    const most = Math.max(...reached.values().map(({ weight }) => weight));
    return new Map(
      reached.entries().map(([id, one]) => [id, { ...one, weight: most > 0 ? one.weight / most : 0 }]),
    );
  }

  /** What comes with each hit, by the hit's memory: the nearest, and of these to which the most has come. */
  async #related(
    workspaceId: number,
    hits: readonly Candidate[],
    question: Question,
    reached: ReadonlyMap<number, Reached>,
  ): Promise<Map<number, Related[]>> {
    const hitIds = new Set(hits.map(({ version }) => version.memoryId));
    const ways = reached
      .entries()
      .flatMap(([id, { weight, parentId }]) => {
        const way = wayTo(id, reached, hitIds, question.hops);
        return way === undefined ? [] : [{ id, weight, parentId, ...way }];
      })
      .toArray()
      .toSorted((a, b) => a.distance - b.distance || b.weight - a.weight || a.id - b.id)
      .slice(0, RELATED);
    if (ways.length === 0) return new Map();
    const [read, between] = await Promise.all([
      this.#versions.current(
        workspaceId,
        ways.map(({ id }) => id),
      ),
      this.#relations.between(ways.map(({ id, parentId }) => [parentId, id])),
    ]);
    const versions = new Map(read.map((version) => [version.memoryId, version]));
    const related = new Map<number, Related[]>();
    let companions = 0;
    for (const { id, hitId, parentId, distance } of ways) {
      const version = versions.get(id);
      const how = between.get(`${parentId} ${id}`);
      if (version === undefined || how === undefined || !isMeant(version, question)) continue;
      const isHit = hitIds.has(id);
      const ofHit = related.get(hitId) ?? [];
      if (ofHit.length === LIMITS.memory.companionsOfHit) continue;
      if (!isHit && companions === LIMITS.memory.companions) continue;
      if (!isHit) companions += 1;
      const { type, direction, nearKey: toKey } = how;
      related.set(hitId, [...ofHit, { version, isHit, type, direction, distance, toKey }]);
    }
    return related;
  }
}

/** The hit from which relations lead to a memory, and over how many of them. */
function wayTo(
  id: number,
  reached: ReadonlyMap<number, Reached>,
  hitIds: ReadonlySet<number>,
  hops: number,
): { hitId: number; distance: number } | undefined {
  let at = reached.get(id)?.parentId;
  for (let distance = 1; at !== undefined && distance <= hops; distance += 1) {
    if (at === id) return undefined;
    if (hitIds.has(at)) return { hitId: at, distance };
    at = reached.get(at)?.parentId;
  }
  return undefined;
}

function signsOf({ memoryId, isPinned }: FoundVersion, reached: ReadonlyMap<number, Reached>) {
  return { relations: reached.get(memoryId)?.weight ?? 0, isPinned };
}

/** How many hits can still be among the best `k` with all that relations and a pin may add; the others are not read. */
function reachable(hits: readonly Hit[], k: number, mostAdded: number): number {
  const last = k + SPARE;
  if (hits.length <= last) return hits.length;
  const least = hits[last - 1]!.score - mostAdded * hits[0]!.score;
  return hits.findLastIndex(({ score }) => score >= least) + 1;
}

function filterOf({ asOf, knownAt, withFormer = false, type, tags = [], source }: Question): Filter {
  return {
    ...(asOf === undefined && !withFormer && { open: [1] }),
    ...(knownAt === undefined && { retracted: [0] }),
    ...(type !== undefined && { type: [type] }),
    // One of them here; each hit is asked for all of them below.
    ...(tags[0] !== undefined && { tag: [tags[0].toLowerCase()] }),
    ...(source !== undefined && { source: [source.toLowerCase()] }),
  };
}

function timesOf({ asOf, knownAt, now, since, before, withFormer = false }: Question) {
  return {
    ...(asOf === undefined ? !withFormer && { endsAfter: now.getTime() } : { at: asOf.getTime() }),
    ...(knownAt !== undefined && { knownAt: knownAt.getTime() }),
    ...(since !== undefined && { knownSince: since.getTime() }),
    ...(before !== undefined && { knownBefore: before.getTime() }),
  };
}

/** Once more by what the catalog says, which may be newer than the index. */
function isMeant(version: FoundVersion, question: Question): boolean {
  const { type, tags = [], source, since, before } = question;
  const own = new Set(version.tags.map((tag) => tag.toLowerCase()));
  return (
    holds(version, question) &&
    (type === undefined || version.type === type) &&
    tags.every((tag) => own.has(tag.toLowerCase())) &&
    (source === undefined || version.source?.toLowerCase() === source.toLowerCase()) &&
    (since === undefined || version.recordedAt >= since) &&
    (before === undefined || version.recordedAt < before)
  );
}

/** True if it holds at the time that is asked about, as far as was known then. */
function holds(version: FoundVersion, { now, asOf, knownAt, withFormer = false }: Question): boolean {
  const { validFrom, validTo, recordedAt, supersededAt, retractedAt } = version;
  if (knownAt === undefined ? retractedAt !== null : retractedAt !== null && retractedAt <= knownAt)
    return false;
  if (asOf === undefined) return withFormer || (supersededAt === null && (validTo === null || validTo > now));
  if (knownAt !== undefined && recordedAt > knownAt) return false;
  const end = knownAt === undefined ? validTo : believedEnd(version, knownAt);
  return validFrom <= asOf && (end === null || end > asOf);
}

/** Until when it was believed to hold. */
function believedEnd(
  { statedValidTo, ends }: Pick<FoundVersion, "statedValidTo" | "ends">,
  knownAt: Date,
): Date | null {
  const learnt = ends.findLast(({ recordedAt }) => Date.parse(recordedAt) <= knownAt.getTime());
  if (learnt === undefined) return statedValidTo;
  return learnt.validTo === null ? null : new Date(learnt.validTo);
}
