import { and, asc, eq, gt, isNull, ne, or, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { z } from "zod";
import { giveUpAfter } from "../../kernel/give-up.ts";
import type { Catalog, CatalogTx } from "../../platform/catalog/index.ts";
import type { Embedding, Embeddings } from "../../platform/embeddings/index.ts";
import type { Jobs } from "../../platform/jobs/index.ts";
import type { Collection } from "../../platform/retrieval/index.ts";
import { embeddedText } from "./entry.ts";
import { LIMITS } from "./limits.ts";
import { memories, memoryVectors as vectors, memoryVersions as versions } from "./memory.tables.ts";

export interface MemoryVectorsParts {
  catalog: Catalog;
  embeddings: Embeddings;
  jobs: Jobs;
  collection: Pick<Collection, "refresh">;
  log: Pick<Logger, "warn">;
}

interface Text {
  title?: string | null | undefined;
  content: string;
  source?: string | null | undefined;
}

const JOB = "memory.embed";
const { embeddedAtOnce, embedMs, contentBytes } = LIMITS.memory;

/** Directions of what memories say: made before they are stored where that is quick, and by a job otherwise. */
export class MemoryVectors {
  readonly #parts: MemoryVectorsParts;

  constructor(parts: MemoryVectorsParts) {
    this.#parts = parts;
    parts.jobs.define(JOB, z.strictObject({}), (_, { signal }) => this.#embedMissing(signal), {
      timeoutSeconds: 6 * 3_600,
      onStop: "abort",
    });
  }

  /** Of texts that are to be stored; undefined for those that have to wait. */
  async of(texts: readonly Text[]): Promise<(Embedding | undefined)[]> {
    if (texts.length > embeddedAtOnce) return texts.map(() => undefined);
    const { embeddings, log } = this.#parts;
    const said = texts.map(({ title = null, content, source = null }) =>
      embeddedText({ title, content, source }),
    );
    try {
      return await giveUpAfter(embedMs, embeddings.embed(said), "The text was not embedded in time.");
    } catch (err) {
      log.warn({ err }, "a memory is found by its words alone until a job has embedded it");
      return texts.map(() => undefined);
    }
  }

  /** What has no vector gets one as soon as there is time. */
  async later(): Promise<void> {
    await this.#parts.jobs
      .enqueue(JOB, {}, { singletonKey: JOB })
      .catch((err: unknown) => this.#parts.log.warn({ err }, "memories will be embedded later"));
  }

  /** After a start: another model, or a process that was killed, may have left some without. */
  async start(): Promise<void> {
    const { catalog, embeddings, log } = this.#parts;
    const [one] = await catalog.db.select({ id: versions.id }).from(versions).limit(1);
    if (one === undefined) return;
    // The first who stores or recalls need not wait until the model is loaded.
    embeddings.embedQuery("").catch((err: unknown) => log.warn({ err }, "the model was not loaded"));
    if ((await this.#missing(1)).length > 0) await this.later();
  }

  async #embedMissing(signal: AbortSignal): Promise<number> {
    const { catalog, collection } = this.#parts;
    const workspaces = new Map<number, number>();
    let after = 0;
    const missing = async (limit: number) => {
      const found = await this.#missing(limit, after);
      after = found.at(-1)?.id ?? after;
      for (const { id, workspaceId } of found) workspaces.set(id, workspaceId);
      return found.map(({ id, ...text }) => ({ id, text: embeddedText(text) }));
    };
    const keep = async (made: readonly { id: number; embedding: Embedding }[]) => {
      const kept = await catalog.transaction((tx) => keepVectors(tx, made));
      const byWorkspace = Map.groupBy(kept, (id) => workspaces.get(id) ?? 0);
      for (const [workspaceId, ids] of byWorkspace) await collection.refresh(workspaceId, ids);
      workspaces.clear();
    };
    return this.#parts.embeddings.embedMissing(missing, keep, signal);
  }

  #missing(limit: number, after = 0) {
    const { catalog, embeddings } = this.#parts;
    return catalog.db
      .select({
        id: versions.id,
        workspaceId: versions.workspaceId,
        title: versions.title,
        content: sql<string>`left(${versions.content}, ${contentBytes})`,
        source: memories.source,
      })
      .from(versions)
      .innerJoin(memories, eq(memories.id, versions.memoryId))
      .leftJoin(vectors, eq(vectors.versionId, versions.id))
      .where(
        and(
          gt(versions.id, after),
          ne(memories.kind, "document"),
          or(isNull(vectors.versionId), ne(vectors.fingerprint, embeddings.fingerprint)),
        ),
      )
      .orderBy(asc(versions.id))
      .limit(limit);
  }
}

/** Keeps them for those versions that are still there, and tells which these are. */
async function keepVectors(
  tx: CatalogTx,
  made: readonly { id: number; embedding: Embedding }[],
): Promise<number[]> {
  const ids = made.map(({ id }) => id);
  const there = await tx
    .update(versions)
    .set({ revision: sql`${versions.revision} + 1` })
    .where(sql`${versions.id} = any(${sql.param(ids)}::bigint[])`)
    .returning({ id: versions.id });
  const alive = new Set(there.map(({ id }) => id));
  await insertVectors(
    tx,
    made.filter(({ id }) => alive.has(id)),
  );
  return [...alive];
}

export async function insertVectors(
  tx: CatalogTx,
  made: readonly { id: number; embedding: Embedding }[],
): Promise<void> {
  if (made.length === 0) return;
  const rows = made.map(({ id, embedding }) => ({
    versionId: id,
    fingerprint: embedding.fingerprint,
    vector: embedding.vector,
  }));
  await tx
    .insert(vectors)
    .values(rows)
    .onConflictDoUpdate({
      target: vectors.versionId,
      set: { fingerprint: sql`excluded.fingerprint`, vector: sql`excluded.vector` },
    });
}
