import { and, asc, type Column, eq, gt, isNull, ne, type Placeholder, type SQL, sql } from "drizzle-orm";
import { type Catalog, CatalogVectors } from "../../platform/catalog/index.ts";
import type { Entry, KeptVectors, Source, Unembedded } from "../../platform/retrieval/index.ts";
import { timeText } from "./define.ts";
import { LIMITS } from "./limits.ts";
import {
  type LearntEnd,
  memories,
  memoryVectors as vectors,
  memoryVersions as versions,
} from "./memory.tables.ts";

/** A document is found by its sections; what was retracted, by those who ask what was known before. */
const isSearched: SQL | undefined = ne(memories.kind, "document");

/** Grows with every change, and when the version gets its vector. */
const seq = sql<number>`${versions.revision} * 2 + (${vectors.versionId} is not null)::int`;

function isVectorOf(fingerprint: string | Placeholder): SQL | undefined {
  return and(eq(vectors.versionId, versions.id), eq(vectors.fingerprint, fingerprint));
}

const FOUND = {
  id: versions.id,
  memoryId: versions.memoryId,
  key: versions.key,
  title: versions.title,
  content: versions.content,
  source: memories.source,
  type: memories.type,
  tags: memories.tags,
  isPinned: memories.isPinned,
  retractedAt: memories.retractedAt,
  validFrom: versions.validFrom,
  validTo: versions.validTo,
  statedValidTo: versions.statedValidTo,
  ends: versions.ends,
  recordedAt: versions.recordedAt,
  supersededAt: versions.supersededAt,
};

export interface FoundVersion {
  id: number;
  memoryId: number;
  key: string;
  title: string | null;
  content: string;
  source: string | null;
  type: string;
  tags: string[];
  isPinned: boolean;
  retractedAt: Date | null;
  validFrom: Date;
  validTo: Date | null;
  statedValidTo: Date | null;
  ends: LearntEnd[];
  recordedAt: Date;
  supersededAt: Date | null;
}

/** What memories say, as the search sees it; its index is made of this. */
export class VersionsStore
  extends CatalogVectors<typeof vectors.$inferInsert>
  implements Source, KeptVectors
{
  readonly isLogged = true;
  readonly #entries: ReturnType<typeof preparedEntries>;
  readonly #byVersion: ReturnType<typeof preparedFound>;
  readonly #byMemory: ReturnType<typeof preparedFound>;

  constructor(catalog: Catalog) {
    super(catalog, {
      texts: versions,
      id: versions.id,
      vectors,
      of: vectors.versionId,
      fingerprint: vectors.fingerprint,
      rowOf: (versionId, { fingerprint, vector }) => ({ versionId, fingerprint, vector }),
    });
    const isOpen = and(isNull(versions.supersededAt), isNull(memories.retractedAt));
    this.#entries = preparedEntries(catalog);
    this.#byVersion = preparedFound(catalog, FOUND, and(isSearched, isAmongIds(versions.id)));
    this.#byMemory = preparedFound(
      catalog,
      { ...FOUND, content: sql<string>`left(${versions.content}, ${LIMITS.memory.companionCharacters + 1})` },
      and(isAmongIds(versions.memoryId), isOpen),
    );
  }

  async list(
    workspaceId: number,
    after: number,
    limit: number,
    fingerprint: string,
  ): Promise<{ id: number; seq: number }[]> {
    return this.catalog.db
      .select({ id: versions.id, seq })
      .from(versions)
      .innerJoin(memories, eq(memories.id, versions.memoryId))
      .leftJoin(vectors, isVectorOf(fingerprint))
      .where(and(eq(versions.workspaceId, workspaceId), isSearched, gt(versions.id, Math.max(0, after))))
      .orderBy(asc(versions.id))
      .limit(limit);
  }

  async read(workspaceId: number, ids: readonly number[], fingerprint: string): Promise<Entry[]> {
    const rows = ids.length === 0 ? [] : await this.#entries.execute({ workspaceId, ids, fingerprint });
    return rows.map(({ seq, vector, ...row }) => ({
      ...entryOf(row, seq),
      ...(vector !== null && vector.length > 0 && { embedding: { fingerprint, vector } }),
    }));
  }

  async missing(
    fingerprint: string,
    which: { after: number; ids?: readonly number[] },
    limit: number,
  ): Promise<Unembedded[]> {
    const rows = await this.catalog.db
      .select({
        id: versions.id,
        workspaceId: versions.workspaceId,
        title: versions.title,
        content: versions.content,
        source: memories.source,
      })
      .from(versions)
      .innerJoin(memories, eq(memories.id, versions.memoryId))
      .leftJoin(vectors, isVectorOf(fingerprint))
      .where(and(this.isMissing(which), isSearched))
      .orderBy(asc(versions.id))
      .limit(limit);
    return rows.map(({ id, workspaceId, ...said }) => ({ id, workspaceId, text: embeddedText(said) }));
  }

  /** Those of these versions that are searched, by their keys. */
  async found(workspaceId: number, ids: readonly number[]): Promise<Map<number, FoundVersion>> {
    const rows = ids.length === 0 ? [] : await this.#byVersion.execute({ workspaceId, ids });
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** What these memories say now, documents too, and only the beginning of a long text. */
  async current(workspaceId: number, ids: readonly number[]): Promise<FoundVersion[]> {
    return ids.length === 0 ? [] : this.#byMemory.execute({ workspaceId, ids });
  }
}

const isOfWorkspace = eq(versions.workspaceId, sql.placeholder("workspaceId"));

function isAmongIds(column: Column): SQL {
  return sql`${column} = any(${sql.placeholder("ids")}::bigint[])`;
}

// Put together once, which takes longer than the catalog does; without a name, which poolers would not know.
function preparedFound(
  { db }: Catalog,
  fields: Omit<typeof FOUND, "content"> & { content: typeof versions.content | SQL<string> },
  which: SQL | undefined,
) {
  return db
    .select(fields)
    .from(versions)
    .innerJoin(memories, eq(memories.id, versions.memoryId))
    .where(and(isOfWorkspace, which))
    .prepare("");
}

function preparedEntries({ db }: Catalog) {
  return db
    .select({ ...FOUND, seq, vector: vectors.vector })
    .from(versions)
    .innerJoin(memories, eq(memories.id, versions.memoryId))
    .leftJoin(vectors, isVectorOf(sql.placeholder("fingerprint")))
    .where(and(isOfWorkspace, isSearched, isAmongIds(versions.id)))
    .prepare("");
}

/** "Anna Müller: I moved to Lemgo." */
const SPEAKER = /^(\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2}): (?=\S)/u;

/** Who says something, and what; only of what was said one after the other, where it is from the same source. */
function spoken({ content, source }: Pick<FoundVersion, "content" | "source">) {
  const [prefix = "", speaker] = (source === null ? null : SPEAKER.exec(content)) ?? [];
  return { speaker, body: content.slice(prefix.length) };
}

/** What a vector is made of. A name in it would turn the direction to whatever else is about that name. */
function embeddedText(version: Pick<FoundVersion, "title" | "content" | "source">): string {
  const { body } = spoken(version);
  return version.title === null ? body : `${version.title}. ${body}`;
}

/** A version as the search takes it. */
function entryOf(row: FoundVersion, seq: number): Entry {
  const isOpen = row.supersededAt === null && row.retractedAt === null;
  const { speaker, body } = spoken(row);
  const ends = row.ends.map(({ validTo }) => validTo).slice(0, -1);
  const earlier = [row.statedValidTo?.toISOString() ?? null, ...ends];
  const learntAt = row.ends.at(-1)?.recordedAt;
  const latest = earlier.includes(null)
    ? undefined
    : Math.max(...earlier.map((end) => Date.parse(end ?? "")));
  return {
    id: row.id,
    seq,
    body,
    ...(row.title !== null && { title: row.title }),
    context: [row.source ?? "", ...row.tags, speaker ?? "", dateOf(row)].join(" ").trim(),
    // What has the same source was said one after the other; what was superseded is no longer part of it.
    ...(row.source !== null && isOpen && { thread: { key: row.source, order: row.memoryId } }),
    ...(speaker !== undefined && { speaker }),
    attributes: {
      open: isOpen ? 1 : 0,
      retracted: row.retractedAt === null ? 0 : 1,
      type: row.type,
      tag: row.tags.map((tag) => tag.toLowerCase()),
      ...(row.source !== null && { source: row.source.toLowerCase() }),
    },
    validFrom: row.validFrom.getTime(),
    ...(row.validTo !== null && { validTo: row.validTo.getTime() }),
    knownFrom: row.recordedAt.getTime(),
    ...(row.retractedAt !== null && { knownTo: row.retractedAt.getTime() }),
    ...(learntAt !== undefined && {
      earlierEnd: { until: Date.parse(learntAt), ...(latest !== undefined && { validTo: latest }) },
    }),
  };
}

/** A day that was said, and not only that it was then that somebody stored it: "27 March 2023". */
function dateOf({ validFrom, recordedAt }: FoundVersion): string {
  if (validFrom.getTime() === recordedAt.getTime()) return "";
  const day = validFrom.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return `${day} ${timeText(validFrom).slice(0, 10)}`;
}
