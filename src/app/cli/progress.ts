import type { Terminal } from "./command.ts";

/** What is done sooner needs no progress. */
const QUIET_MS = 1_000;
const EVERY_MS = 200;
const CLEAR_LINE = "\r\u001b[K";

/** How far a long piece of work has come, in one line that goes when it is done. Only for people who watch. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #isWatched: boolean;
  #nextMs = performance.now() + QUIET_MS;
  #isShown = false;

  constructor(terminal: Terminal, isWatched: boolean = process.stderr.isTTY === true) {
    this.#terminal = terminal;
    this.#isWatched = isWatched;
  }

  show(text: string, fraction: number | undefined): void {
    if (!this.#isWatched || performance.now() < this.#nextMs) return;
    this.#nextMs = performance.now() + EVERY_MS;
    this.#isShown = true;
    const percent = fraction === undefined ? "" : ` ${Math.floor(fraction * 100)} %`;
    this.#terminal.err(`${CLEAR_LINE}${text}${percent}`);
  }

  end(): void {
    if (this.#isShown) this.#terminal.err(CLEAR_LINE);
  }
}
