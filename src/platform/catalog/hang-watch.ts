import { AppError } from "../../kernel/errors.ts";
import { withTimeout } from "../../kernel/time.ts";
import { LIMITS } from "./limits.ts";

/** Tells a server that hangs from a statement that takes long: while something waits, another connection is tried. */
export class HangWatch {
  readonly #probe: () => Promise<unknown>;
  #probing: Promise<boolean> | undefined;

  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe;
  }

  /** What `work` resolves with; where the server answers nobody, `abandon` is called and waiting ends. */
  async during<T>(work: Promise<T>, abandon: () => unknown): Promise<T> {
    const { promise: hung, reject } = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout;
    let isOver = false;
    const look = async () => {
      if (await this.#isAnswering()) {
        if (!isOver) wait();
        return;
      }
      if (isOver) return;
      reject(hangs());
      abandon();
    };
    const wait = () => {
      timer = setTimeout(look, LIMITS.catalog.patienceMs).unref();
    };
    wait();
    try {
      return await Promise.race([work, hung]);
    } finally {
      isOver = true;
      clearTimeout(timer!);
    }
  }

  /** One look for all who wait. */
  #isAnswering(): Promise<boolean> {
    this.#probing ??= withTimeout(
      LIMITS.catalog.patienceMs,
      this.#probe(),
      "The catalog did not answer in time.",
    )
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#probing = undefined;
      });
    return this.#probing;
  }
}

function hangs(): AppError {
  const data = { engine: "catalog" };
  return new AppError("unavailable", "The database is there and does not answer.", { data });
}
