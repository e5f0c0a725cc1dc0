import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Embedding, Embeddings } from "../embeddings/index.ts";
import { LIMITS } from "../embeddings/limits.ts";
import type { KeptVectors, Unembedded } from "./types.ts";

export interface FillerParts {
  embeddings: Embeddings;
  vectors: KeptVectors;
  /** Tells the index of entries that have got a vector. */
  onKept(workspaceId: number, ids: readonly number[]): Promise<void>;
  log: Pick<Logger, "warn">;
}

/** More than these are not remembered one by one: all entries are looked through instead. */
const MOST_IDS = 50_000;
/** Entries that one statement asks about. */
const ASKED_AT_ONCE = 5_000;
const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 5 * 60_000;

/** Gives entries their vectors in the background. They are found by their words meanwhile. */
export class VectorFiller {
  readonly #parts: FillerParts;
  readonly #stop = new AbortController();
  #ids = new Set<number>();
  #isAll = false;
  #work: Promise<void> | undefined;
  readonly #caughtUp = Promise.withResolvers<void>();

  constructor(parts: FillerParts) {
    this.#parts = parts;
  }

  /** Looks among these for entries without a vector, or among all. */
  wake(ids?: readonly number[]): void {
    if (ids === undefined || this.#ids.size + ids.length > MOST_IDS) this.#isAll = true;
    else for (const id of ids) this.#ids.add(id);
    if (this.#isAll) this.#ids.clear();
    if (this.#stop.signal.aborted) return;
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
      if (this.#hasWork) this.wake([]);
    });
  }

  /** Resolves when all entries have been looked through once. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  get #hasWork(): boolean {
    return this.#isAll || this.#ids.size > 0;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (let delayMs = FIRST_DELAY_MS; this.#hasWork && !signal.aborted; ) {
      const ids = this.#isAll ? undefined : [...this.#ids].slice(0, ASKED_AT_ONCE);
      this.#isAll = false;
      for (const id of ids ?? []) this.#ids.delete(id);
      try {
        await this.#fill(ids);
        if (ids === undefined && !signal.aborted) this.#caughtUp.resolve();
        delayMs = FIRST_DELAY_MS;
      } catch (err) {
        if (signal.aborted) return;
        this.#parts.log.warn({ err }, "texts are searched by words alone until they can be embedded");
        if (ids === undefined) this.#isAll = true;
        else for (const id of ids) this.#ids.add(id);
        await sleep(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
        delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS);
      }
    }
  }

  /** Vectors are kept and further texts are read while the model works. */
  async #fill(ids: readonly number[] | undefined): Promise<void> {
    let kept = Promise.resolve();
    for await (const texts of this.#missing(ids)) {
      const made = await this.#embed(texts);
      await kept;
      kept = this.#keep(texts, made);
      kept.catch(() => undefined);
    }
    await kept;
  }

  async *#missing(ids: readonly number[] | undefined): AsyncGenerator<readonly Unembedded[]> {
    const { embeddings, vectors } = this.#parts;
    const above = (after: number) => {
      const which = { after, ...(ids !== undefined && { ids }) };
      const texts = vectors.missing(embeddings.fingerprint, which, LIMITS.embeddings.step);
      texts.catch(() => undefined);
      return texts;
    };
    for (let next = above(0); !this.#stop.signal.aborted; ) {
      const texts = await next;
      if (texts.length === 0) return;
      next = above(texts.at(-1)!.id);
      yield texts;
    }
  }

  async #keep(texts: readonly Unembedded[], made: readonly Embedding[]): Promise<void> {
    const { vectors, onKept } = this.#parts;
    await vectors.keep(texts.map(({ id }, i) => ({ id, embedding: made[i]! })));
    for (const [workspaceId, own] of Map.groupBy(texts, (text) => text.workspaceId))
      await onKept(
        workspaceId,
        own.map(({ id }) => id),
      );
  }

  /** A text that fails alone while others do not is its own fault, and must not hold them up. */
  async #embed(texts: readonly Unembedded[]): Promise<Embedding[]> {
    const { embeddings, log } = this.#parts;
    const { signal } = this.#stop;
    const all = texts.map(({ text }) => text);
    try {
      return await embeddings.embed(all, signal);
    } catch (cause) {
      signal.throwIfAborted();
      const none = { fingerprint: embeddings.fingerprint, vector: new Uint8Array(0) };
      const refused: number[] = [];
      const made: Embedding[] = [];
      for (const { id, text } of texts) {
        const [one] = await embeddings.embed([text], signal).catch((): [undefined] => [undefined]);
        if (one === undefined) refused.push(id);
        made.push(one ?? none);
      }
      if (refused.length === texts.length) throw cause;
      log.warn({ err: cause, refused }, "some texts cannot be embedded, and are searched by words alone");
      return made;
    }
  }
}
