import { randomUUID } from "node:crypto";
import { extname, join } from "node:path";
import type { Logger } from "pino";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { giveUpAfter } from "../../kernel/give-up.ts";
import type { Broadcast } from "../catalog/index.ts";
import type { Embeddings } from "../embeddings/index.ts";
import { ThreadCaller, ThreadLost } from "../threads/index.ts";
import { LIMITS } from "./limits.ts";
import { LiveIndex } from "./live-index.ts";
import { searchIndex } from "./search-index.ts";
import type { CollectionStats, Hit, Kind, Query, Source } from "./types.ts";
import type { IndexCalls, Which } from "./wire.ts";

export interface RetrievalOptions {
  /** To other processes on the same database. */
  broadcast: Pick<Broadcast, "send" | "listen">;
  embeddings: Embeddings;
  /** Where indexes are kept between starts. */
  folder: string;
  log: Pick<Logger, "warn" | "error">;
}

/** The entries of one kind, each workspace by itself: no score depends on what another workspace holds. */
export interface Collection {
  /** After the commit of a change: reads these entries from the source again. What it does not return is gone. */
  refresh(workspaceId: number, ids: readonly number[]): Promise<void>;
  search(workspaceId: number, query: Query): Promise<Hit[]>;
  stats(workspaceId: number): Promise<CollectionStats>;
  /** Reads all entries of a workspace again, while the index goes on answering. */
  rebuild(workspaceId: number): Promise<void>;
  /** Leaves nothing in memory or on the disk of what is gone. */
  purge(workspaceId: number): Promise<void>;
  /** Takes all that is known of a workspace out of memory and off the disk. */
  forget(workspaceId: number): Promise<void>;
}

/** What other processes on this database are told. */
interface Message extends Which {
  ids: readonly number[];
  from: string;
}

/** Keys in one message, which must fit into a notification. */
const MESSAGE_IDS = 400;
const MODULE = join(import.meta.dirname, `retrieval-worker${extname(import.meta.filename)}`);
const SWEEP_MS = 60_000;
/** A search begins anew if its index makes room or its thread ends meanwhile. */
const TRIES = 3;

/** Finds entries by words, in indexes that are made of what the catalog holds and can be made of it again. */
export class Retrieval {
  readonly #thread: ThreadCaller<IndexCalls>;
  readonly #log: RetrievalOptions["log"];
  readonly #embeddings: Embeddings;
  readonly #broadcast: RetrievalOptions["broadcast"];
  readonly #self = randomUUID();
  readonly #sources = new Map<Kind, Source>();
  /** The one that was used last comes last. */
  readonly #live = new Map<string, LiveIndex>();
  readonly #sweeper: NodeJS.Timeout;
  /** Ends it. */
  #listening: Promise<() => Promise<void>> | undefined;

  constructor({ broadcast, embeddings, folder, log }: RetrievalOptions) {
    this.#log = log;
    this.#embeddings = embeddings;
    this.#broadcast = broadcast;
    this.#thread = new ThreadCaller(MODULE, { workerData: { folder } }, (err) => {
      this.#live.clear();
      if (err !== undefined) log.error({ err }, "the thread that searches ended unexpectedly");
    });
    this.#sweeper = setInterval(() => void this.#sweep(), SWEEP_MS).unref();
  }

  /** The slice that owns entries of a kind says here where they come from. */
  collection(kind: Kind, source: Source): Collection {
    if (this.#sources.has(kind)) throw new Error(`two slices own what is of the kind ${kind}`);
    this.#sources.set(kind, source);
    return {
      refresh: (workspaceId, ids) => this.#refresh(this.#which(kind, workspaceId), ids),
      search: async (workspaceId, query) => {
        assertBounds(query);
        return await this.#using(this.#which(kind, workspaceId), (which) => this.#search(which, query));
      },
      stats: (workspaceId) =>
        this.#using(this.#which(kind, workspaceId), (which) => this.#thread.ask("stats", which)),
      rebuild: (workspaceId) =>
        this.#using(this.#which(kind, workspaceId), (which) => this.#liveOf(which).readAll()),
      purge: (workspaceId) =>
        this.#using(this.#which(kind, workspaceId), async (which) => {
          await this.#thread.ask("purge", which);
        }),
      forget: async (workspaceId) => {
        const which = this.#which(kind, workspaceId);
        this.#live.delete(keyOf(which));
        await this.#thread.ask("drop", which);
      },
    };
  }

  #which(kind: Kind, workspaceId: number): Which {
    return { kind, workspaceId, fingerprint: this.#embeddings.fingerprint };
  }

  #search(which: Which, query: Query): Promise<Hit[]> {
    const source = this.#sources.get(which.kind) as Source;
    return searchIndex(
      { thread: this.#thread, embeddings: this.#embeddings, source, log: this.#log },
      which,
      query,
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await (await this.#listening)?.();
    for (const live of this.#live.values()) await this.#putAway(live);
    await this.#thread.end();
  }

  /** Throws `unavailable` where the thread that searches does not answer. */
  async ping(): Promise<void> {
    const answer = this.#thread.ask("ping", null).catch((error: unknown) => {
      throw asAppError(error);
    });
    await giveUpAfter(LIMITS.retrieval.pingMs, answer, "The search index does not answer.");
  }

  /** As if it had crashed; the next search starts another. */
  async endThread(): Promise<void> {
    await this.#thread.end();
  }

  async #refresh(which: Which, ids: readonly number[]): Promise<void> {
    const told = this.#tell(which, ids).catch((err) =>
      this.#log.warn({ err }, "other processes could not be told of changes"),
    );
    await this.#take(which, ids);
    await told;
  }

  /** A change that cannot be taken now is no failure of whoever made it: the index is read anew when it is next used. */
  async #take(which: Which, ids: readonly number[]): Promise<void> {
    const live = this.#live.get(keyOf(which));
    if (live === undefined) {
      this.#liveOf(which);
      return;
    }
    const taken = live.refresh(ids).catch((err) => {
      this.#log.warn({ err, ...which }, "an index could not follow a change, and is read anew");
      this.#forget(live);
    });
    if (live.isReady) await taken;
    await this.#makeRoom(live);
  }

  async #using<T>(which: Which, work: (which: Which) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const live = this.#liveOf(which);
      try {
        await this.#whenReady(live);
        const result = await work(which);
        await this.#makeRoom(live);
        return result;
      } catch (error) {
        if (!(error instanceof ThreadLost) || tries === TRIES) throw asAppError(error);
      }
    }
  }

  async #whenReady(live: LiveIndex): Promise<void> {
    if (live.isReady) return;
    const building = "The search index is being built.";
    await giveUpAfter(LIMITS.retrieval.waitMs, live.ready, building).catch((error: unknown) => {
      const { done, total } = live.progress;
      if (!isAppError(error) || error.message !== building) {
        this.#forget(live);
        throw error;
      }
      throw new AppError("unavailable", `${building} ${done} of ${total} entries are in it.`, {
        hint: "Try again in a minute.",
      });
    });
  }

  #liveOf(which: Which): LiveIndex {
    const key = keyOf(which);
    const source = this.#sources.get(which.kind) as Source;
    this.#listening ??= this.#listen();
    const live = this.#live.get(key) ?? this.#openLive(which, source, this.#listening);
    this.#live.delete(key);
    this.#live.set(key, live);
    live.lastUsedMs = performance.now();
    return live;
  }

  #openLive(which: Which, source: Source, listening: Promise<unknown>): LiveIndex {
    const live = new LiveIndex(this.#thread, which, source, listening);
    // Whoever comes next begins anew, even if nobody waits for this one.
    live.ready.catch(() => this.#forget(live));
    return live;
  }

  #forget(live: LiveIndex): void {
    if (this.#live.get(keyOf(live.which)) === live) this.#live.delete(keyOf(live.which));
  }

  async #makeRoom(inUse: LiveIndex): Promise<void> {
    let bytes = 0;
    for (const live of this.#live.values()) bytes += live.bytes;
    for (const live of this.#live.values()) {
      if (bytes <= LIMITS.retrieval.memoryBytes) return;
      if (live === inUse || live.isBusy) continue;
      bytes -= live.bytes;
      await this.#putAway(live);
    }
  }

  async #sweep(): Promise<void> {
    const longAgoMs = performance.now() - LIMITS.retrieval.idleMs;
    for (const live of this.#live.values())
      if (live.lastUsedMs < longAgoMs && !live.isBusy) await this.#putAway(live);
  }

  async #putAway(live: LiveIndex): Promise<void> {
    this.#forget(live);
    try {
      await this.#thread.ask("seal", live.which);
      await this.#thread.ask("close", live.which);
    } catch (err) {
      this.#log.warn({ err, ...live.which }, "an index was not kept on disk, and will be built again");
    }
  }

  #listen(): Promise<() => Promise<void>> {
    const listening = this.#broadcast.listen(
      (message) => {
        const { ids, from, kind, workspaceId } = message as Message;
        const which = this.#which(kind, workspaceId);
        if (from !== this.#self && this.#live.has(keyOf(which))) void this.#take(which, ids);
      },
      // What was missed is found by reading anew.
      () => this.#live.clear(),
    );
    listening.catch(() => {
      this.#listening = undefined;
    });
    return listening;
  }

  async #tell(which: Which, ids: readonly number[]): Promise<void> {
    for (let at = 0; at < ids.length; at += MESSAGE_IDS)
      await this.#broadcast.send({ ...which, ids: ids.slice(at, at + MESSAGE_IDS), from: this.#self });
  }
}

function keyOf({ kind, workspaceId }: Which): string {
  return `${kind}-${workspaceId}`;
}

function assertBounds({ k, filter = {} }: Query): void {
  const { hits, filterValues } = LIMITS.retrieval;
  if (!(Number.isInteger(k) && k > 0 && k <= hits))
    throw new AppError("bad_request", `A search returns between 1 and ${hits} hits.`);
  if (Object.values(filter).some((values) => values.length > filterValues))
    throw new AppError("too_large", `A search can be limited to at most ${filterValues} values.`);
}

function asAppError(error: unknown): unknown {
  if (!(error instanceof ThreadLost)) return error;
  return new AppError("unavailable", "The search index is not available.", {
    hint: "Try again in a moment.",
    cause: error,
  });
}
