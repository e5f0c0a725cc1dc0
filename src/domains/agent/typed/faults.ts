import { AppError, isAppError } from "../../../kernel/errors.ts";

const MOST = 5;

/** All that is wrong with a query, said at once, so that it is mended at once. */
export class Faults {
  readonly #found: { at: string; error: AppError }[] = [];

  get isFree(): boolean {
    return this.#found.length === 0;
  }

  /** What the work gives; undefined where it fails, which is said later. */
  tried<T>(at: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.#found.push({ at, error });
      return undefined;
    }
  }

  /** Each of a list, those that fail left out. */
  each<T, U>(at: string, all: readonly T[], work: (one: T) => U): U[] {
    return all.flatMap((one, i) => this.tried(`${at}[${i}]`, () => [work(one)]) ?? []);
  }

  require(): void {
    const [only, ...others] = this.#found;
    if (only === undefined) return;
    if (others.length === 0) throw only.error;
    const said = [
      ...new Map(this.#found.toReversed().map(({ at, error }) => [error.advice, at])),
    ].toReversed();
    const lines = said.slice(0, MOST).map(([advice, at]) => `${at}: ${advice}`);
    if (said.length > MOST) lines.push(`And ${said.length - MOST} more.`);
    throw new AppError("bad_request", lines.join("\n"));
  }
}
