import { once } from "../../kernel/concurrency.ts";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";

/** A refused request is worth another try after about this time. */
const RETRY_MS = 1_000;

/** Requests that have come and are not answered yet, of each person: whoever has too many is refused before anything is done. */
export class InFlight {
  readonly #counts = new Map<string, number>();

  /** Throws when there are too many; otherwise the answer says that this one has ended. */
  enter(scope: string): () => void {
    const { inFlightPerUser } = LIMITS.request;
    const count = this.#counts.get(scope) ?? 0;
    if (count >= inFlightPerUser) {
      throw new AppError("rate_limited", `${inFlightPerUser} requests of yours are not answered yet.`, {
        hint: "Wait for their answers, then send this one again.",
        data: { limit: "in_flight", retryAfterMs: RETRY_MS },
      });
    }
    this.#counts.set(scope, count + 1);
    return once(() => {
      const left = (this.#counts.get(scope) ?? 1) - 1;
      if (left === 0) this.#counts.delete(scope);
      else this.#counts.set(scope, left);
    });
  }
}
