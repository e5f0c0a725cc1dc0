import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { lazily } from "../../../kernel/concurrency.ts";
import { isBroken, withConnection } from "./engine.ts";
import { asEngineError, isReopened } from "./engine-errors.ts";

/** An engine that is opened when it is needed, and anew when an error broke it. */
export class LastingEngine {
  readonly #open: () => Promise<DuckDBInstance>;
  #current: () => Promise<DuckDBInstance>;

  constructor(open: () => Promise<DuckDBInstance>) {
    this.#open = open;
    this.#current = lazily(open);
  }

  instance(): Promise<DuckDBInstance> {
    return this.#current();
  }

  async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const instance = await this.instance();
    try {
      return await withConnection(instance, work);
    } catch (error) {
      await this.mend(instance);
      throw error;
    }
  }

  /** The same for work that others do at the same time: what failed because of them is done once more. */
  async share<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    try {
      return await this.use(work);
    } catch (error) {
      if (!isReopened(asEngineError(error))) throw error;
      return this.use(work);
    }
  }

  /** After an error: connections of others keep a broken engine until they are closed, and new ones get a new one. */
  async mend(instance: DuckDBInstance): Promise<void> {
    const current = this.#current;
    if ((await current()) !== instance || !(await isBroken(instance)) || this.#current !== current) return;
    this.#current = lazily(this.#open);
    instance.closeSync();
  }
}
