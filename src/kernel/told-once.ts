import { MS } from "./clock.ts";

/** Things that are told apart; what comes after them is told each time. */
const KNOWN = 1_000;

/**
 * What goes wrong for everybody, for the same reason and as long as it lasts, is told when it begins and then once a
 * minute, with how often it was not told.
 */
export class ToldOnce {
  readonly #told = new Map<string, { atMs: number; silent: number }>();

  tell(what: string, log: (facts: { timesSince?: number }) => void): void {
    const last = this.#told.get(what);
    if (last !== undefined && performance.now() - last.atMs < MS.minute) {
      last.silent += 1;
      return;
    }
    if (this.#told.size >= KNOWN) this.#told.clear();
    this.#told.set(what, { atMs: performance.now(), silent: 0 });
    log(last === undefined || last.silent === 0 ? {} : { timesSince: last.silent });
  }

  /** It is over: if it begins again, that is news. */
  forget(what: string): void {
    this.#told.delete(what);
  }
}
