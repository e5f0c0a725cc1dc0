import { MS } from "../../kernel/time.ts";

/** That engines start is tried out this often while none of their processes runs. */
const TRIED_AGAIN_MS = 10 * MS.minute;

/**
 * Whether engines answer. Whoever watches a server asks all the time, and that alone must not keep processes in memory:
 * those that run are asked, and while none does one is started now and then, asked and let go.
 */
export class EngineTrial {
  #goodUntil = Number.NEGATIVE_INFINITY;

  async probe(running: readonly (() => Promise<unknown>)[], start: () => Promise<unknown>): Promise<void> {
    if (running.length > 0) await Promise.all(running.map((ask) => ask()));
    else if (performance.now() >= this.#goodUntil) await start();
    else return;
    this.#goodUntil = performance.now() + TRIED_AGAIN_MS;
  }
}
