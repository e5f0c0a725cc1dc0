import { randomUUID } from "node:crypto";
import { extname, join } from "node:path";
import type { Logger } from "pino";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { withTimeout } from "../../kernel/time.ts";
import type { Broadcast, Catalog } from "../catalog/index.ts";
import type { Embeddings } from "../embeddings/index.ts";
import { ThreadCaller, ThreadLost } from "../workers/index.ts";
import { ChangeLog } from "./change-log.ts";
import { LIMITS } from "./limits.ts";
import { LiveIndex } from "./live-index.ts";
import { searchIndex } from "./search-index.ts";
import type { CollectionStats, Hit, KeptVectors, Kind, Query, Source } from "./types.ts";
import { VectorFiller } from "./vector-filler.ts";
import type { IndexCalls, Which } from "./wire.ts";

export interface RetrievalOptions {
  /** Where changes are logged. */
  catalog: Pick<Catalog, "db">;
  /** To other processes on the same database: what changed, so that they embed it and search need not wait for it. */
  broadcast: Pick<Broadcast, "send" | "listen">;
  embeddings: Embeddings;
  /** Where indexes are kept between starts. */
  folder: string;
  /** Memory that all indexes have together. */
  memoryBytes?: number;
  log: Pick<Logger, "warn" | "error">;
}

/** The entries of one kind, each workspace by itself: no score depends on what another workspace holds. */
export interface Collection {
  /** After the commit of a change: reads these entries from the source again. What it does not return is gone. */
  refresh(workspaceId: number, ids: readonly number[]): Promise<void>;
  search(workspaceId: number, query: Query): Promise<Hit[]>;
  stats(workspaceId: number): Promise<CollectionStats>;
  /** Builds the index anew, here and in other processes, while the present one goes on answering. */
  rebuild(workspaceId: number): Promise<void>;
  /** Leaves nothing in memory or on the disk of what is gone. */
  purge(workspaceId: number): Promise<void>;
}

/** What other processes on this database are told. */
interface Message extends Place {
  ids: readonly number[];
  from: string;
  /** Whether whoever made the change gives the entries their vectors. */
  isEmbedding: boolean;
  /** Whether the index is to be built anew. */
  isAnew: boolean;
}

type Place = Pick<Which, "kind" | "workspaceId">;

/** An index that is being built to take the place of another. */
interface Renewal {
  next: LiveIndex;
  done: Promise<void>;
}

/** Keys in one message, which must fit into a notification. */
const MESSAGE_IDS = 400;
const MODULE = join(import.meta.dirname, `retrieval-worker${extname(import.meta.filename)}`);
const SWEEP_MS = 60_000;
/** A search begins anew if its index makes room or its thread ends meanwhile. */
const TRIES = 3;

/** Finds entries, in indexes that are made of what the catalog holds and can be made of it again. */
export class Retrieval {
  readonly #thread: ThreadCaller<IndexCalls>;
  readonly #log: RetrievalOptions["log"];
  readonly #embeddings: Embeddings;
  readonly #broadcast: RetrievalOptions["broadcast"];
  readonly #changeLog: ChangeLog;
  readonly #memoryBytes: number;
  readonly #self = randomUUID();
  readonly #sources = new Map<Kind, Source>();
  readonly #vectors = new Map<Kind, { kept: KeptVectors; filler: VectorFiller }>();
  /** The one that was used last comes last. */
  readonly #live = new Map<string, LiveIndex>();
  readonly #renewals = new Map<string, Renewal>();
  readonly #sweeper: NodeJS.Timeout;
  #build = 0;
  #isEmbedding = false;
  /** Ends it. */
  #listening: Promise<() => Promise<void>> | undefined;

  constructor({ catalog, broadcast, embeddings, folder, memoryBytes, log }: RetrievalOptions) {
    this.#log = log;
    this.#changeLog = new ChangeLog(catalog);
    this.#memoryBytes = memoryBytes ?? LIMITS.retrieval.memoryBytes;
    this.#embeddings = embeddings;
    this.#broadcast = broadcast;
    this.#thread = new ThreadCaller(MODULE, { workerData: { folder } }, (err) => {
      this.#forgetAll();
      if (err !== undefined) log.error({ err }, "the thread that searches ended unexpectedly");
    });
    this.#sweeper = setInterval(() => void this.#sweep(), SWEEP_MS).unref();
  }

  /** The kinds that some slice owns. */
  get kinds(): Kind[] {
    return [...this.#sources.keys()];
  }

  /**
   * The slice that owns entries of a kind says here where they come from, and where their vectors are kept: then a
   * server embeds what has none, at its start and after each `refresh`.
   */
  collection(kind: Kind, source: Source, kept?: KeptVectors): Collection {
    if (this.#sources.has(kind)) throw new Error(`two slices own what is of the kind ${kind}`);
    this.#sources.set(kind, source);
    if (kept !== undefined) this.#vectors.set(kind, { kept, filler: this.#fillerOf(kind, kept) });
    return this.of(kind);
  }

  /** What some slice has put together. */
  of(kind: Kind): Collection {
    return {
      refresh: (workspaceId, ids) => this.#refresh({ kind, workspaceId }, ids),
      search: async (workspaceId, query) => {
        assertBounds(query);
        return await this.#using({ kind, workspaceId }, async (live) => {
          await live.catchUp();
          return this.#search(live.which, query);
        });
      },
      stats: (workspaceId) =>
        this.#using({ kind, workspaceId }, ({ which }) => this.#thread.ask("stats", which)),
      rebuild: async (workspaceId) => {
        await this.#using({ kind, workspaceId }, (live) => this.#renew(live));
        await this.#tell({ kind, workspaceId }, [], true);
      },
      purge: (workspaceId) =>
        this.#using({ kind, workspaceId }, async ({ which }) => {
          await this.#thread.ask("purge", which);
        }),
    };
  }

  /** From now on texts get their vectors here, as a server's do: a command has no time for it. */
  async startEmbedding(): Promise<void> {
    this.#isEmbedding = true;
    this.#wakeFillers();
    void this.#whenCaughtUp();
    this.#listening ??= this.#listen();
    await this.#listening;
  }

  async sweep(): Promise<void> {
    await this.#changeLog.sweep();
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    for (const { filler } of this.#vectors.values()) await filler.close();
    await (await this.#listening)?.();
    for (const live of this.#live.values()) await this.#putAway(live);
    await this.#thread.end();
  }

  /** Throws `unavailable` where the thread that searches does not answer. */
  async ping(): Promise<void> {
    const answer = this.#thread.ask("ping", null).catch((error: unknown) => {
      throw asAppError(error);
    });
    await withTimeout(LIMITS.retrieval.pingMs, answer, "The search index does not answer.");
  }

  /** As if it had crashed; the next search starts another. */
  async endThread(): Promise<void> {
    await this.#thread.end();
  }

  #fillerOf(kind: Kind, vectors: KeptVectors): VectorFiller {
    const onKept = (workspaceId: number, ids: readonly number[]) => this.#follow({ kind, workspaceId }, ids);
    return new VectorFiller({ embeddings: this.#embeddings, vectors, onKept, log: this.#log });
  }

  #wakeFillers(): void {
    for (const { filler } of this.#vectors.values()) filler.wake();
  }

  /** When all texts have vectors of the model that is set, its vectors take the place of the former one's. */
  async #whenCaughtUp(): Promise<void> {
    await Promise.all([...this.#vectors.values()].map(({ filler }) => filler.caughtUp));
    const { fingerprint, servingFingerprint } = this.#embeddings;
    try {
      if (fingerprint !== servingFingerprint)
        for (const live of [...this.#live.values()]) await this.#renew(live, fingerprint);
      await this.#embeddings.switchOver();
      for (const { kept } of this.#vectors.values()) await kept.dropOthers(fingerprint);
    } catch (err) {
      this.#log.warn({ err }, "the former model for embeddings serves until the next start");
    }
  }

  #search(which: Which, query: Query): Promise<Hit[]> {
    const source = this.#sources.get(which.kind) as Source;
    return searchIndex(
      { thread: this.#thread, embeddings: this.#embeddings, source, log: this.#log },
      which,
      query,
    );
  }

  async #refresh(place: Place, ids: readonly number[]): Promise<void> {
    await this.#follow(place, ids);
    if (this.#isEmbedding) this.#vectors.get(place.kind)?.filler.wake(ids);
  }

  async #follow(place: Place, ids: readonly number[]): Promise<void> {
    const told = this.#tell(place, ids).catch((err) =>
      this.#log.warn({ err }, "other processes could not be told of changes"),
    );
    await this.#take(place, ids);
    await told;
  }

  /** A change that cannot be taken now is no failure of whoever made it: the index is read anew when it is next used. */
  async #take(place: Place, ids: readonly number[]): Promise<void> {
    const next = this.#renewals.get(keyOf(place))?.next;
    // One that does not follow does not become ready either.
    next?.follow(ids).catch(() => undefined);
    const live = this.#live.get(keyOf(place));
    if (live === undefined) {
      // A server will be asked soon; a command that only stores would build it for nobody.
      if (this.#isEmbedding) this.#liveOf(place);
      return;
    }
    const taken = live.follow(ids).catch((err) => {
      this.#log.warn({ err, ...place }, "an index could not follow a change, and is read anew");
      this.#forget(live);
    });
    if (live.isReady) await taken;
    await this.#makeRoom(live);
  }

  async #using<T>(place: Place, work: (live: LiveIndex) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const live = this.#liveOf(place);
      live.users += 1;
      try {
        await this.#whenReady(live);
        const result = await work(live);
        await this.#makeRoom(live);
        return result;
      } catch (error) {
        if (!(error instanceof ThreadLost) || tries === TRIES) throw asAppError(error);
      } finally {
        live.users -= 1;
      }
    }
  }

  async #whenReady(live: LiveIndex): Promise<void> {
    if (live.isReady) return;
    const building = "The search index is being built.";
    await withTimeout(LIMITS.retrieval.waitMs, live.ready, building).catch((error: unknown) => {
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

  #liveOf(place: Place): LiveIndex {
    const key = keyOf(place);
    const known = this.#live.get(key);
    if (known?.isStale === true) this.#forget(known);
    const live = this.#live.get(key) ?? this.#openLive(this.#nextWhich(place));
    this.#live.delete(key);
    this.#live.set(key, live);
    live.lastUsedMs = performance.now();
    return live;
  }

  #nextWhich({ kind, workspaceId }: Place): Which {
    this.#build += 1;
    return { kind, workspaceId, fingerprint: this.#embeddings.servingFingerprint, build: this.#build };
  }

  #openLive(which: Which, isAnew = false): LiveIndex {
    this.#listening ??= this.#listen();
    const source = this.#sources.get(which.kind) as Source;
    const live = new LiveIndex({
      thread: this.#thread,
      changeLog: this.#changeLog,
      listening: this.#listening,
      ...{ which, source, isAnew },
    });
    // Whoever comes next begins anew, even if nobody waits for this one.
    live.ready.catch(() => this.#forget(live));
    return live;
  }

  /** Builds another index beside the one that answers, and lets it take its place. */
  async #renew({ which: former }: LiveIndex, fingerprint = former.fingerprint): Promise<void> {
    const key = keyOf(former);
    const running = this.#renewals.get(key);
    if (running !== undefined) return running.done;
    const next = this.#openLive({ ...this.#nextWhich(former), fingerprint }, true);
    const done = this.#replaceBy(next).finally(() => {
      if (this.#renewals.get(key)?.next === next) this.#renewals.delete(key);
    });
    this.#renewals.set(key, { next, done });
    await done;
  }

  async #replaceBy(next: LiveIndex): Promise<void> {
    const key = keyOf(next.which);
    await next.ready;
    await next.settled();
    // Changes may have been missed.
    if (this.#renewals.get(key)?.next !== next) throw new ThreadLost();
    const former = this.#live.get(key);
    this.#live.set(key, next);
    if (former !== undefined) await this.#thread.ask("close", former.which);
    await this.#thread.ask("seal", next.which);
  }

  /** Whoever searches in it just then begins anew. */
  #forget(live: LiveIndex): void {
    if (this.#live.get(keyOf(live.which)) === live) this.#live.delete(keyOf(live.which));
    if (this.#thread.isRunning) this.#thread.ask("close", live.which).catch(() => undefined);
  }

  #forgetAll(): void {
    this.#live.clear();
    this.#renewals.clear();
  }

  async #makeRoom(inUse: LiveIndex): Promise<void> {
    let bytes = 0;
    for (const live of this.#live.values()) bytes += live.bytes;
    for (const live of this.#live.values()) {
      if (bytes <= this.#memoryBytes) return;
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
    this.#live.delete(keyOf(live.which));
    try {
      await this.#thread.ask("seal", live.which);
      await this.#thread.ask("close", live.which);
    } catch (err) {
      this.#log.warn({ err, ...live.which }, "an index was not kept on disk, and will be built again");
    }
  }

  #listen(): Promise<() => Promise<void>> {
    const listening = this.#broadcast.listen(
      (message) => this.#hear(message as Message),
      // What was missed is in the log, or found by reading anew.
      () => {
        for (const [key, live] of [...this.#live]) {
          if (this.#sources.get(live.which.kind)?.isLogged === true) continue;
          this.#forget(live);
          this.#renewals.delete(key);
        }
        if (this.#isEmbedding) this.#wakeFillers();
      },
    );
    listening.catch(() => {
      this.#listening = undefined;
    });
    return listening;
  }

  #hear({ ids, from, kind, workspaceId, isEmbedding, isAnew }: Message): void {
    if (from === this.#self) return;
    const place = { kind, workspaceId };
    const live = this.#live.get(keyOf(place));
    if (live !== undefined && isAnew)
      this.#renew(live).catch((err) => this.#log.warn({ err, ...place }, "an index was not built anew"));
    else if (live !== undefined) void this.#take(place, ids);
    if (this.#isEmbedding && !isEmbedding) this.#vectors.get(kind)?.filler.wake(ids);
  }

  async #tell(place: Place, ids: readonly number[], isAnew = false): Promise<void> {
    const { kind, workspaceId } = place;
    const message = { kind, workspaceId, from: this.#self, isEmbedding: this.#isEmbedding, isAnew };
    for (let at = 0; at < Math.max(1, ids.length); at += MESSAGE_IDS)
      await this.#broadcast.send({ ...message, ids: ids.slice(at, at + MESSAGE_IDS) } satisfies Message);
  }
}

function keyOf({ kind, workspaceId }: Place): string {
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
