import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Embedding, type Embeddings, openEmbeddings } from "../../src/platform/embeddings/index.ts";
import {
  type Collection,
  type Entry,
  type Kind,
  Retrieval,
  type Source,
} from "../../src/platform/retrieval/index.ts";

const log = {
  warn: (...what: unknown[]) => console.error("warning:", ...what),
  error: (...what: unknown[]) => console.error("error:", ...what),
} as never;

/**
 * The engines as the server has them, on entries in memory instead of the catalog. Bytes are copied as the catalog's
 * are: a thread that is sent a part of a larger buffer gets all of it.
 */
export class BenchStore implements Source {
  readonly embeddings: Embeddings;
  readonly retrieval: Retrieval;
  readonly #folder: string;
  readonly #rows = new Map<number, Map<number, Entry & { kept?: Embedding }>>();
  #seq = 0;

  /** The model is kept in a folder from run to run, where one is named. */
  static async open(models?: string): Promise<BenchStore> {
    const folder = mkdtempSync(join(tmpdir(), "kenning-bench-retrieval-"));
    return new BenchStore(folder, await openEmbeddings({ folder: models ?? join(folder, "models"), log }));
  }

  private constructor(folder: string, embeddings: Embeddings) {
    this.#folder = folder;
    this.embeddings = embeddings;
    this.retrieval = new Retrieval({
      // None of its collections is logged.
      catalog: { db: undefined as never },
      broadcast: { send: async () => undefined, listen: async () => async () => undefined },
      embeddings: this.embeddings,
      folder: join(this.#folder, "indexes"),
      log,
    });
  }

  collection(kind: Kind): Collection {
    return this.retrieval.collection(kind, this);
  }

  put(workspaceId: number, entry: Omit<Entry, "seq">, kept?: Embedding): void {
    const rows = this.#rows.get(workspaceId) ?? new Map();
    rows.set(entry.id, { ...entry, seq: ++this.#seq, ...(kept !== undefined && { embedding: kept, kept }) });
    this.#rows.set(workspaceId, rows);
  }

  async list(workspaceId: number, after: number, limit: number) {
    const all = [...(this.#rows.get(workspaceId)?.values() ?? [])].filter(({ id }) => id > after);
    return all.sort((a, b) => a.id - b.id).slice(0, limit);
  }

  async read(workspaceId: number, ids: readonly number[]): Promise<Entry[]> {
    return ids.flatMap((id) => {
      const row = this.#rows.get(workspaceId)?.get(id);
      if (row === undefined) return [];
      const { kept, ...entry } = row;
      if (kept === undefined) return entry;
      const { fingerprint, vector } = kept;
      return { ...entry, embedding: { fingerprint, vector: vector.slice() } };
    });
  }

  async tokens(workspaceId: number, ids: readonly number[]) {
    return ids.flatMap((id) => {
      const { kept } = this.#rows.get(workspaceId)?.get(id) ?? {};
      return kept?.tokens === undefined ? [] : { id, tokens: kept.tokens.slice() };
    });
  }

  async close(): Promise<void> {
    await this.retrieval.close();
    await this.embeddings.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
