import { once } from "./concurrency.ts";
import { AppError } from "./errors.ts";
import { abortError } from "./time.ts";

export interface FairQueueOptions {
  /** For those who are turned away: "queries". */
  what: string;
  /** Places of all scopes together. */
  places: number;
  /** Of one workspace. */
  placesPerScope: number;
  /** Of one person in a workspace; as many as the workspace has, unless told otherwise. */
  placesPerUser?: number;
  waiting: number;
  waitingPerScope: number;
  /** Half of what the workspace has, unless told otherwise. */
  waitingPerUser?: number;
  waitMs: number;
  /** What those are to do who are turned away because of their own scope. */
  hint?: string;
}

interface Line {
  running: number;
  /** The number of its last turn. */
  turn: number;
}

/** Of one person, or of a workspace itself. */
interface User extends Line {
  isPerson: boolean;
  waiting: (() => void)[];
}

interface Workspace extends Line {
  users: Map<string, User>;
  /** How long a place of it was held of late, on average. */
  heldMs: number;
}

/** The weight of the last one in what is taken for the average. */
const NEWEST = 0.3;

/**
 * Bounded queue with two levels of round-robin: a free place goes to the workspace that was served least recently, and
 * in it to such a person, so that somebody with a hundred tasks delays another one by one task. Whoever could not be
 * served in time is refused at once (load shedding).
 */
export class FairQueue {
  readonly #options: Required<Omit<FairQueueOptions, "hint">> & Pick<FairQueueOptions, "hint">;
  /** Workspaces that have something running or waiting. */
  readonly #workspaces = new Map<string, Workspace>();
  #turn = 0;
  #running = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    const { placesPerScope, waitingPerScope } = options;
    const waitingPerUser = Math.ceil(waitingPerScope / 2);
    this.#options = { placesPerUser: placesPerScope, waitingPerUser, ...options };
  }

  get load(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting };
  }

  /** Resolves when it is this task's turn; the answer gives the place back and must be called. */
  async enter(scope: string, signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted) throw abortError(signal);
    const entered = this.tryEnter(scope);
    if (entered !== undefined) return entered;
    return this.#wait(scope, signal);
  }

  /** A place, if there is one without waiting. */
  tryEnter(scope: string): (() => void) | undefined {
    const { workspace, user } = this.#of(scope);
    if (user.waiting.length > 0 || !this.#hasPlace(workspace, user)) return undefined;
    return this.#occupy(scope, workspace, user);
  }

  #hasPlace(workspace: Workspace, user: User): boolean {
    const { places, placesPerScope, placesPerUser } = this.#options;
    const own = user.isPerson ? placesPerUser : placesPerScope;
    return this.#running < places && workspace.running < placesPerScope && user.running < own;
  }

  #of(scope: string): { workspace: Workspace; user: User } {
    const name = workspaceOf(scope);
    const idle = { running: 0, turn: 0 };
    const workspace = this.#workspaces.get(name) ?? { ...idle, users: new Map(), heldMs: 0 };
    const user = workspace.users.get(scope) ?? { ...idle, isPerson: scope !== name, waiting: [] };
    return { workspace, user };
  }

  #keep(scope: string, workspace: Workspace, user: User): void {
    this.#workspaces.set(workspaceOf(scope), workspace);
    workspace.users.set(scope, user);
  }

  #occupy(scope: string, workspace: Workspace, user: User): () => void {
    this.#keep(scope, workspace, user);
    const startedMs = performance.now();
    this.#running += 1;
    this.#turn += 1;
    for (const line of [workspace, user]) {
      line.running += 1;
      line.turn = this.#turn;
    }
    return once(() => {
      this.#running -= 1;
      for (const line of [workspace, user]) line.running -= 1;
      const heldMs = performance.now() - startedMs;
      workspace.heldMs += (heldMs - workspace.heldMs) * NEWEST;
      this.#forgetIfIdle(scope, workspace, user);
      this.#next();
    });
  }

  #next(): void {
    while (this.#running < this.#options.places) {
      const startable = [...this.#workspaces.values()].flatMap((workspace) => {
        const users = [...workspace.users.values()].filter(
          (user) => user.waiting.length > 0 && this.#hasPlace(workspace, user),
        );
        const user = earliest(users);
        return user === undefined ? [] : [{ turn: workspace.turn, user }];
      });
      const next = earliest(startable);
      if (next === undefined) return;
      next.user.waiting.shift()?.();
    }
  }

  #wait(scope: string, signal: AbortSignal | undefined): Promise<() => void> {
    const { workspace, user } = this.#of(scope);
    this.#assertRoom(workspace, user);
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#waiting -= 1;
      };
      const giveUp = (error: AppError): void => {
        settle();
        user.waiting.splice(user.waiting.indexOf(start), 1);
        this.#forgetIfIdle(scope, workspace, user);
        reject(error);
      };
      const onAbort = (): void => giveUp(abortError(signal));
      const timer = setTimeout(() => giveUp(this.#late(workspace)), this.#options.waitMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      const start = (): void => {
        settle();
        resolve(this.#occupy(scope, workspace, user));
      };
      this.#waiting += 1;
      user.waiting.push(start);
      this.#keep(scope, workspace, user);
    });
  }

  #assertRoom(workspace: Workspace, user: User): void {
    const { waiting, waitingPerScope, waitingPerUser, waitMs } = this.#options;
    const expectedMs = this.#expectedMs(workspace, user);
    const isTooMuch = user.isPerson && user.waiting.length >= waitingPerUser;
    if (isTooMuch || expectedMs > waitMs) throw this.#tooMany(user, expectedMs);
    const ofWorkspace = [...workspace.users.values()].reduce((sum, one) => sum + one.waiting.length, 0);
    if (ofWorkspace >= waitingPerScope) throw this.#tooMany(undefined, expectedMs);
    if (this.#waiting >= waiting) throw this.#overloaded();
  }

  /** How long one more of this person would wait, as places were held of late; he shares them with the others who wait. */
  #expectedMs(workspace: Workspace, user: User): number {
    const others = [...workspace.users.values()].filter((one) => one !== user && one.waiting.length > 0);
    const places = Math.min(this.#options.placesPerScope, this.#options.places);
    return ((user.waiting.length + 1) * (others.length + 1) * workspace.heldMs) / places;
  }

  #forgetIfIdle(scope: string, workspace: Workspace, user: User): void {
    if (user.running === 0 && user.waiting.length === 0) workspace.users.delete(scope);
    if (workspace.users.size === 0) this.#workspaces.delete(workspaceOf(scope));
  }

  /** Whose fault it is shows in who has the places. */
  #late(workspace: Workspace): AppError {
    return workspace.running >= this.#options.placesPerScope
      ? this.#tooMany(undefined, workspace.heldMs)
      : this.#overloaded();
  }

  #tooMany(user: User | undefined, retryAfterMs: number): AppError {
    const whose = user?.isPerson ? "yours" : "this workspace";
    return new AppError("rate_limited", `Too many ${this.#options.what} of ${whose} are waiting.`, {
      hint: this.#options.hint ?? "Wait for some of them to finish.",
      data: { retryAfterMs: Math.min(this.#options.waitMs, Math.max(1_000, Math.round(retryAfterMs))) },
    });
  }

  #overloaded(): AppError {
    return new AppError(
      "unavailable",
      `The server has too many ${this.#options.what} to take this one now.`,
      {
        hint: "Try again later.",
      },
    );
  }
}

function earliest<T extends { turn: number }>(lines: readonly T[]): T | undefined {
  return lines.reduce<T | undefined>((a, b) => (a === undefined || b.turn < a.turn ? b : a), undefined);
}

/** Scope of fairness: a workspace, or a person in it (`workspace/person`). */
export function scopeOf({ workspace, user }: { workspace: { id: number }; user: { id: number } }): string {
  return `${workspace.id}/${user.id}`;
}

/** The workspace of a scope. */
export function workspaceOf(scope: string): string {
  const end = scope.indexOf("/");
  return end === -1 ? scope : scope.slice(0, end);
}

/** A scope is within itself and within its workspace. */
export function isWithin(scope: string, other: string): boolean {
  return scope === other || workspaceOf(scope) === other;
}
