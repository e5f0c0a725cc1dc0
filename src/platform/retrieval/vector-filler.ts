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
const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 5 * 60_000;

/**
 * Gives entries their vectors in the background. They are found by their words meanwhile. Few entries at once, as a
 * caller stores them, come before many, as a large text or an import brings them, and these take turns.
 */
export class VectorFiller {
  readonly #parts: FillerParts;
  readonly #stop = new AbortController();
  #few = new Set<number>();
  /** Each by key; the one whose turn it is comes first. */
  #many: number[][] = [];
  /** All entries above are looked through. */
  #after: number | undefined;
  #work: Promise<void> | undefined;
  readonly #caughtUp = Promise.withResolvers<void>();

  constructor(parts: FillerParts) {
    this.#parts = parts;
  }

  /** Looks among these for entries without a vector, or among all. */
  wake(ids?: readonly number[]): void {
    const known = this.#many.reduce((sum, { length }) => sum + length, this.#few.size);
    if (ids === undefined || known + ids.length > MOST_IDS) this.#lookThroughAll();
    else if (ids.length > LIMITS.embeddings.step) this.#many.push(ids.toSorted((a, b) => a - b));
    else for (const id of ids) this.#few.add(id);
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

  #lookThroughAll(): void {
    this.#few.clear();
    this.#many = [];
    this.#after = 0;
  }

  get #hasWork(): boolean {
    return this.#few.size > 0 || this.#many.length > 0 || this.#after !== undefined;
  }

  /** Vectors are kept while the model works on the next. */
  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let kept = Promise.resolve();
    for (let delayMs = FIRST_DELAY_MS; this.#hasWork && !signal.aborted; ) {
      const isLookingThrough = this.#after !== undefined;
      try {
        const texts = await this.#next();
        const made = texts.length === 0 ? [] : await this.#embed(texts);
        await kept;
        kept = this.#keep(texts, made);
        kept.catch(() => undefined);
        if (!this.#hasWork) await kept;
        if (isLookingThrough && this.#after === undefined) kept.then(this.#caughtUp.resolve, () => undefined);
        delayMs = FIRST_DELAY_MS;
      } catch (err) {
        if (signal.aborted) return;
        this.#parts.log.warn({ err }, "texts are searched by words alone until they can be embedded");
        this.#lookThroughAll();
        kept = Promise.resolve();
        await sleep(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
        delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS);
      }
    }
  }

  /** What is embedded next. None where those that were looked at have their vectors. */
  async #next(): Promise<readonly Unembedded[]> {
    const { step } = LIMITS.embeddings;
    if (this.#few.size > 0) {
      const ids = [...this.#few].slice(0, step);
      for (const id of ids) this.#few.delete(id);
      return this.#missing({ after: 0, ids });
    }
    const many = this.#many.shift();
    if (many !== undefined) {
      const rest = many.splice(step);
      if (rest.length > 0) this.#many.push(rest);
      return this.#missing({ after: 0, ids: many });
    }
    const after = this.#after ?? 0;
    const texts = await this.#missing({ after });
    if (this.#after === after) this.#after = texts.at(-1)?.id;
    return texts;
  }

  #missing(which: { after: number; ids?: readonly number[] }): Promise<readonly Unembedded[]> {
    const { embeddings, vectors } = this.#parts;
    return vectors.missing(embeddings.fingerprint, which, LIMITS.embeddings.step);
  }

  async #keep(texts: readonly Unembedded[], made: readonly Embedding[]): Promise<void> {
    if (texts.length === 0) return;
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
