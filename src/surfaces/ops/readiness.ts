import type { Logger } from "pino";
import { LogThrottle } from "../../kernel/logging.ts";
import { withTimeout } from "../../kernel/time.ts";
import { LIMITS } from "../http/limits.ts";

/** One thing without which the server cannot serve. */
export interface ReadinessCheck {
  name: string;
  /** What is wrong, in words that anybody may read; what it throws instead is for the log alone. */
  check(): Promise<string | undefined>;
}

export interface ReadinessProblem {
  name: string;
  message: string;
}

/** Runs all checks at once. Anybody may ask, and as often as they like, so an answer is shared and kept for a moment. */
export class Readiness {
  readonly #checks: readonly ReadinessCheck[];
  readonly #log: Pick<Logger, "warn">;
  readonly #throttle = new LogThrottle();
  #asked: Promise<ReadinessProblem[]> | undefined;

  constructor(checks: readonly ReadinessCheck[], log: Pick<Logger, "warn">) {
    this.#checks = checks;
    this.#log = log;
  }

  problems(): Promise<ReadinessProblem[]> {
    this.#asked ??= Promise.all(this.#checks.map((check) => this.#run(check)))
      .then((found) => found.filter((problem) => problem !== undefined))
      .finally(() => {
        const forget = () => {
          this.#asked = undefined;
        };
        setTimeout(forget, LIMITS.server.readyKeptMs).unref();
      });
    return this.#asked;
  }

  async #run({ name, check }: ReadinessCheck): Promise<ReadinessProblem | undefined> {
    try {
      const late = `This took longer than ${LIMITS.server.readyMs / 1_000} s.`;
      const message = await withTimeout(LIMITS.server.readyMs, check(), late);
      if (message === undefined) {
        this.#throttle.forget(name);
        return undefined;
      }
      this.#throttle.log(name, (since) =>
        this.#log.warn({ check: name, problem: message, ...since }, "not ready"),
      );
      return { name, message };
    } catch (error) {
      // Where the database is, for example, stays here.
      this.#throttle.log(name, (since) => this.#log.warn({ check: name, err: error, ...since }, "not ready"));
      return { name, message: `The ${name} does not answer.` };
    }
  }
}
