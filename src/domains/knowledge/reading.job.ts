import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { z } from "zod";
import { isAppError, isNotFound } from "../../kernel/errors.ts";
import { clip } from "../../kernel/text.ts";
import type { FolderBlobStore } from "../../platform/blobs/index.ts";
import type { JobContext, Jobs } from "../../platform/jobs/index.ts";
import type { Collection } from "../../platform/retrieval/index.ts";
import type { ChunksStore } from "./chunks.store.ts";
import type { DocumentRow, DocumentsStore, EnqueueReading } from "./documents.store.ts";
import { LIMITS } from "./limits.ts";
import type { DocumentReader } from "./reading/document-reader.ts";

export interface ReadingParts {
  documents: DocumentsStore;
  chunks: ChunksStore;
  reader: DocumentReader;
  collection: Pick<Collection, "refresh">;
  blobs: FolderBlobStore;
  jobs: Jobs;
  log: Logger;
}

const JOB = "knowledge.read";
const jobData = z.strictObject({ documentId: z.int(), version: z.int() });
const POLL_MS = 50;
const SLOWEST_POLL_MS = 500;
const SWEPT_AT_ONCE = 10_000;

/** A failure that is the file's own: the next try would end the same way. */
const FINAL = new Set(["bad_request", "unsupported", "too_large", "gone", "not_found"]);

/**
 * Reads documents and makes them searchable, each as a job, so that it outlives the call and the process that asked
 * for it. A document counts as indexed only when the index has it.
 */
export class Readings {
  readonly #parts: ReadingParts;

  constructor(parts: ReadingParts) {
    this.#parts = parts;
    parts.jobs.define(JOB, jobData, (data, context) => this.#work(data, context), {
      concurrency: LIMITS.knowledge.readers,
      perGroup: LIMITS.knowledge.readersPerWorkspace,
      retries: LIMITS.knowledge.retries,
      retryDelaySeconds: LIMITS.knowledge.retrySeconds,
      timeoutSeconds: (2 * LIMITS.knowledge.readMs) / 1_000,
      keyed: false,
      onStop: "abort",
      onGivenUp: ({ documentId, version }, { reason }) =>
        parts.documents.setStatus(documentId, version, "failed", reason),
    });
  }

  /** Makes ready for `enqueue`, which runs in a transaction. */
  async wake(): Promise<void> {
    await this.#parts.jobs.wake();
  }

  readonly enqueue: EnqueueReading = (tx, { id: documentId, version }, workspaceId) =>
    this.#parts.jobs.enqueue(JOB, { documentId, version }, { tx, group: String(workspaceId) });

  /** Works on a document in this process, unless another one does, until it has been read. */
  async finish(
    { id, jobId }: Pick<DocumentRow, "id" | "jobId">,
    signal: AbortSignal,
  ): Promise<DocumentRow | undefined> {
    if (jobId !== null) await this.#parts.jobs.workOn(jobId, signal);
    return this.#parts.documents.get(id);
  }

  /** Waits for a document to be read, but not longer than this. */
  async waitFor(document: DocumentRow, waitMs: number, signal: AbortSignal): Promise<DocumentRow> {
    const until = performance.now() + waitMs;
    let current = document;
    for (let pauseMs = POLL_MS; isUnfinished(current) && performance.now() < until; ) {
      await sleep(Math.min(pauseMs, Math.max(1, until - performance.now())), undefined, { signal });
      pauseMs = Math.min(pauseMs * 1.5, SLOWEST_POLL_MS);
      current = (await this.#parts.documents.get(document.id)) ?? current;
    }
    return current;
  }

  /** A document whose job is gone is read again; one whose job was given up has failed. */
  async sweep(): Promise<void> {
    const { documents, jobs } = this.#parts;
    for (const { id, version, jobId } of await documents.unfinished(SWEPT_AT_ONCE)) {
      const job =
        jobId === null
          ? undefined
          : await jobs.status(jobId).catch((error: unknown) => {
              if (!isNotFound(error)) throw error;
              return undefined;
            });
      if (job?.state === "waiting" || job?.state === "running") continue;
      if (job?.state === "failed") {
        // Not once more: whatever ended it may be in the document itself.
        await documents.setStatus(id, version, "failed", "The document could not be read.");
        continue;
      }
      await this.wake();
      await documents.requeue(id, this.enqueue);
    }
  }

  async #work({ documentId, version }: z.output<typeof jobData>, context: JobContext): Promise<void> {
    const { documents, log } = this.#parts;
    const document = await documents.get(documentId);
    if (document === undefined || document.version !== version || document.deletedAt !== null) return;
    try {
      await this.#read(document, context);
    } catch (error) {
      if (context.signal.aborted) throw error;
      const isFinal = isAppError(error) && FINAL.has(error.code);
      if (!isAppError(error)) log.error({ err: error, document: documentId }, "a document could not be read");
      const isOver = isFinal || context.attempt > LIMITS.knowledge.retries;
      const reason = isAppError(error) ? error.advice : "The document could not be read.";
      const status = isOver ? "failed" : "queued";
      await documents.setStatus(documentId, version, status, clip(reason, LIMITS.knowledge.reasonCharacters));
      if (!isOver) throw error;
    }
  }

  async #read(document: DocumentRow, { signal }: JobContext): Promise<void> {
    const { documents, chunks, reader, collection, blobs } = this.#parts;
    const { id, version, bytes, extension, blobKey } = document;
    await documents.setStatus(id, version, "converting");
    const path = blobs.pathOf(blobKey);
    const scope = String(await documents.workspaceOf(document));
    const read = await reader.read({ path, bytes, extension, scope, signal });
    signal.throwIfAborted();
    await documents.setStatus(id, version, "indexing");
    const changed = await chunks.replace(document, read);
    if (changed === undefined) return;
    await collection.refresh(changed.workspaceId, changed.chunkIds);
    await documents.setStatus(id, version, "success");
  }
}

export function isUnfinished({ indexStatus }: Pick<DocumentRow, "indexStatus">): boolean {
  return !["success", "failed", "not_indexed"].includes(indexStatus);
}
