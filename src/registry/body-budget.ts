import { once } from "../kernel/concurrency.ts";
import { AppError } from "../kernel/errors.ts";
import { LIMITS } from "../kernel/limits.ts";

/** A rejected request is worth another try after about this time: the others have ended by then. */
const RETRY_MS = 2_000;

/** Counts the bytes of bodies that are held in memory: of each token, of each workspace and of all together. */
export class BodyBudget {
  readonly #held = new Map<string, number>();
  #all = 0;

  /** `onRefused` is told of what is thrown because there is no room. */
  open(
    owner: { tokenHash: string; workspaceId: number },
    onRefused: (error: unknown) => void = () => undefined,
  ): BodyLease {
    const token = `token:${owner.tokenHash}`;
    const workspace = `workspace:${owner.workspaceId}`;
    const add = (bytes: number): void => {
      this.#all += bytes;
      for (const key of [token, workspace]) this.#add(key, bytes);
    };
    const take = (bytes: number): void => {
      try {
        this.#assertRoom(token, workspace, bytes);
      } catch (error) {
        onRefused(error);
        throw error;
      }
      add(bytes);
    };
    return new BodyLease(take, (bytes) => add(-bytes));
  }

  #add(key: string, bytes: number): void {
    const total = (this.#held.get(key) ?? 0) + bytes;
    if (total === 0) this.#held.delete(key);
    else this.#held.set(key, total);
  }

  #assertRoom(token: string, workspace: string, bytes: number): void {
    const { bytesInFlight, bytesInFlightPerToken, bytesInFlightPerWorkspace } = LIMITS.request;
    const of = (key: string): number => (this.#held.get(key) ?? 0) + bytes;
    if (of(token) > bytesInFlightPerToken) throw tooMuchAtOnce("this token", bytesInFlightPerToken);
    if (of(workspace) > bytesInFlightPerWorkspace)
      throw tooMuchAtOnce("this workspace", bytesInFlightPerWorkspace);
    if (this.#all + bytes <= bytesInFlight) return;
    throw new AppError("unavailable", "The server has too many large requests to take this one now.", {
      hint: "Try again in a few seconds.",
      data: { retryAfterMs: RETRY_MS },
    });
  }
}

/** What one request holds. It is given back when everybody who uses the request has let go of it. */
export class BodyLease {
  readonly #take: (bytes: number) => void;
  readonly #giveBack: (bytes: number) => void;
  #holders = 0;
  /** What the request has in memory. */
  #bytes = 0;
  /** How much of that is counted. */
  #counted = 0;

  constructor(take: (bytes: number) => void, giveBack: (bytes: number) => void) {
    this.#take = take;
    this.#giveBack = giveBack;
  }

  /** Throws when there is no room, and then holds nothing any more. */
  grow(bytes: number): void {
    try {
      this.#count(bytes);
      this.#bytes += bytes;
    } catch (error) {
      this.#bytes = 0;
      this.#release();
      throw error;
    }
  }

  /** The answer lets go. Throws when everybody had let go already and there is no room any more. */
  hold(): () => void {
    this.#count(this.#bytes - this.#counted);
    this.#holders += 1;
    return once(() => {
      this.#holders -= 1;
      if (this.#holders === 0) this.#release();
    });
  }

  #count(bytes: number): void {
    this.#take(bytes);
    this.#counted += bytes;
  }

  #release(): void {
    this.#giveBack(this.#counted);
    this.#counted = 0;
  }
}

function tooMuchAtOnce(whose: string, most: number): AppError {
  const megabytes = Math.round(most / 1024 / 1024);
  return new AppError("rate_limited", `Requests of ${whose} hold more than ${megabytes} MB at once.`, {
    hint: "Wait for the answers of those that are under way, then send this one again.",
    data: { retryAfterMs: RETRY_MS },
  });
}
