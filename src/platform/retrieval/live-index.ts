import { isAppError } from "../../kernel/errors.ts";
import { withTimeout } from "../../kernel/time.ts";
import type { ThreadCaller } from "../workers/index.ts";
import type { ChangeLog } from "./change-log.ts";
import { LIMITS } from "./limits.ts";
import type { Source } from "./types.ts";
import type { IndexCalls, Which } from "./wire.ts";

/** Entries that go to the thread at once; searches of others come between. */
const BATCH = 64;
/** Keys that are listed at once. */
const PAGE = 20_000;

export interface LiveIndexParts {
  thread: ThreadCaller<IndexCalls>;
  which: Which;
  source: Source;
  changeLog: ChangeLog;
  /** Nothing is read before it, so that no change falls between. */
  listening: Promise<unknown>;
  /** Whether what is on disk is not to be used. */
  isAnew: boolean;
}

/** What a look at the log has come to: when what it found is in, and what others had found before; and when all is. */
interface Look {
  found: Promise<unknown>;
  all: Promise<unknown>;
}

interface Change {
  ids: readonly number[];
  done: PromiseWithResolvers<void>;
}

/**
 * An index in the thread, and how it keeps up with its source: at first it takes what differs from what it had on disk,
 * then what it is told of. One batch at a time is read and handed over, so that an older state never follows a newer.
 */
export class LiveIndex {
  readonly which: Which;
  /** Resolves when all is in that was there when it was opened. */
  readonly ready: Promise<void>;
  isReady = false;
  bytes = 0;
  lastUsedMs = performance.now();
  /** Searches that are under way in it. */
  users = 0;
  readonly #thread: ThreadCaller<IndexCalls>;
  readonly #source: Source;
  /** Of sources whose changes are logged. */
  readonly #changeLog: ChangeLog | undefined;
  /** What of the log was read. */
  #snapshot = "";
  #lookedMs = performance.now();
  #hasFailed = false;
  #looking: Promise<unknown> = Promise.resolve();
  #nextLook: Promise<Look> | undefined;
  /** What was read of the log and is not in yet, by whoever it was read: all of it, and the changes of few entries. */
  #all: Promise<unknown> = Promise.resolve();
  #small: Promise<unknown> = Promise.resolve();
  readonly #changes: Change[] = [];
  #backlog: number[] = [];
  #total = 0;
  #work: Promise<void> | undefined;

  constructor({ thread, which, source, changeLog, listening, isAnew }: LiveIndexParts) {
    this.#thread = thread;
    this.which = which;
    this.#source = source;
    this.#changeLog = source.isLogged === true ? changeLog : undefined;
    this.ready = this.#open(listening, isAnew);
    // Whoever searches hears of it; nobody else needs to.
    this.ready.catch(() => undefined);
  }

  get isBusy(): boolean {
    return this.users > 0 || this.#work !== undefined || !this.isReady;
  }

  /** Resolves when it has taken what it was told of, or has failed to. */
  async settled(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  /** How much of it is built, for those who wait. */
  get progress(): { done: number; total: number } {
    return { done: this.#total - this.#backlog.length, total: this.#total };
  }

  /** Resolves when these entries are as the source has them now. */
  async refresh(ids: readonly number[]): Promise<void> {
    const changes: Change[] = [];
    for (let at = 0; at < ids.length; at += BATCH)
      changes.push({ ids: ids.slice(at, at + BATCH), done: Promise.withResolvers<void>() });
    // The order does not matter, since the source says how an entry is now: what is small is not kept waiting by what is not.
    if (changes.length === 1) this.#changes.unshift(...changes);
    else this.#changes.push(...changes);
    if (this.isReady) this.#begin();
    await Promise.all(changes.map(({ done }) => done.promise));
  }

  /** Takes whatever was committed before this was called; where that is much, a search waits for a part of it only. */
  async catchUp(): Promise<void> {
    if (this.#changeLog === undefined) return;
    const late = "The search index is behind.";
    const { found } = await this.#look(this.#changeLog);
    await withTimeout(LIMITS.retrieval.catchUpMs, found, late).catch((error: unknown) => {
      if (!isAppError(error) || error.message !== late) throw error;
    });
  }

  /** Takes these changes; where there is a log, all that it has, and while it opens none, for whoever searches looks then. */
  async follow(ids: readonly number[]): Promise<void> {
    if (this.#changeLog === undefined) return this.refresh(ids);
    if (!this.isReady) return;
    const { all } = await this.#look(this.#changeLog);
    await all;
  }

  /** Whether a change may be missing that it will not hear of any more. */
  get isStale(): boolean {
    const longAgoMs = performance.now() - LIMITS.retrieval.changesMs / 2;
    return this.#hasFailed || (this.#changeLog !== undefined && this.isReady && this.#lookedMs < longAgoMs);
  }

  /** A look that is under way may have begun before the caller's write, so that whoever comes shares the next one. */
  #look(log: ChangeLog): Promise<Look> {
    this.#nextLook ??= this.#looking.then(() => {
      this.#nextLook = undefined;
      const look = this.#readLog(log);
      this.#looking = look.catch(() => undefined);
      return look;
    });
    return this.#nextLook;
  }

  async #readLog(log: ChangeLog): Promise<Look> {
    const { snapshot, changes } = await log.since(this.which, this.#snapshot);
    this.#snapshot = snapshot;
    this.#lookedMs = performance.now();
    const taking = changes.map((ids) => ({ isSmall: ids.length <= BATCH, done: this.refresh(ids) }));
    // Another's look may have read what the caller waits for, so that what is under way counts as well.
    const small = Promise.all([
      this.#small,
      ...taking.filter(({ isSmall }) => isSmall).map(({ done }) => done),
    ]);
    const all = Promise.all([this.#all, ...taking.map(({ done }) => done)]);
    const fail = () => {
      this.#hasFailed = true;
    };
    this.#small = small.catch(fail);
    this.#all = all.catch(fail);
    const found = Promise.all([small, ...taking.map(({ done }) => done)]);
    found.catch(fail);
    return { found, all };
  }

  async #open(listening: Promise<unknown>, isAnew: boolean): Promise<void> {
    await listening;
    if (this.#changeLog !== undefined) this.#snapshot = await this.#changeLog.snapshot();
    this.#lookedMs = performance.now();
    const { ids, seqs } = await this.#thread.ask("open", { ...this.which, isAnew });
    const held = new Map<number, number>();
    for (const [i, id] of ids.entries()) held.set(id, seqs[i]!);
    for await (const { id, seq } of this.#listed()) {
      if (held.get(id) !== seq) this.#backlog.push(id);
      held.delete(id);
    }
    for (const id of held.keys()) this.#backlog.push(id);
    this.#backlog.reverse();
    this.#total = this.#backlog.length;
    await this.#drain();
    this.isReady = true;
    this.#begin();
  }

  async *#listed(): AsyncGenerator<{ id: number; seq: number }> {
    const { workspaceId, fingerprint } = this.which;
    for (let after = Number.MIN_SAFE_INTEGER; ; ) {
      const page = await this.#source.list(workspaceId, after, PAGE, fingerprint);
      yield* page;
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
    }
  }

  #begin(): void {
    if (this.#changes.length === 0) return;
    this.#work ??= this.#drain()
      .catch(() => undefined)
      .finally(() => {
        this.#work = undefined;
        this.#begin();
      });
  }

  /** What is new goes before what is left to build. */
  async #drain(): Promise<void> {
    for (;;) {
      const change = this.#changes.shift();
      const ids = change?.ids ?? this.#backlog.splice(-BATCH);
      if (ids.length === 0) return;
      try {
        await this.#take(ids);
      } catch (error) {
        change?.done.reject(error);
        for (const { done } of this.#changes.splice(0)) done.reject(error);
        throw error;
      }
      change?.done.resolve();
    }
  }

  async #take(ids: readonly number[]): Promise<void> {
    const { workspaceId, fingerprint } = this.which;
    const put = await this.#source.read(workspaceId, ids, fingerprint);
    const found = new Set(put.map(({ id }) => id));
    const remove = ids.filter((id) => !found.has(id));
    this.bytes = (await this.#thread.ask("change", { ...this.which, put, remove })).bytes;
  }
}
