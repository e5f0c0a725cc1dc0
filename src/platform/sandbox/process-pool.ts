import { AppError, isAppError } from "../../kernel/errors.ts";
import { FairQueue } from "../../kernel/fair-queue.ts";
import { type OsUserKind, osUserOf } from "./os-users.ts";
import { createSandbox } from "./sandbox.ts";
import type { Sandbox, SandboxOptions } from "./sandbox-options.ts";

interface ProcessPoolOptions
  extends Pick<
    SandboxOptions,
    "name" | "module" | "tempFolder" | "memoryMb" | "allowRead" | "maxParamsBytes" | "maxResultBytes" | "log"
  > {
  osUser: OsUserKind;
  /** What is made there, for those who are told that it failed: "PDF". */
  noun: string;
  nouns: string;
  /** What to do when it takes too long or too much memory. */
  hint: string;
  processes: number;
  waiting: number;
  timeoutMs: number;
  /** How long a process stays without work. */
  idleMs: number;
}

interface Place {
  sandbox: Sandbox;
  idleTimer: NodeJS.Timeout | undefined;
}

/** As long as so many others may take, somebody waits for a process. */
const WAITS = 3;
/** The part of its memory above which a process is not kept: what it has taken it hardly ever gives back. */
const KEPT_PART = 0.5;

/**
 * Sandboxed processes that stay for the next call: for native code on callers' data that has to answer soon. Each
 * works on one call at a time, and a scope (a workspace) has one of them, so that it never takes the last place from
 * the others. What ends its process fails alone.
 */
export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #queue: FairQueue;
  readonly #free: Place[];
  readonly #all: readonly Place[];

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
    const { osUser, processes, waiting, timeoutMs, nouns, idleMs: _idleMs, ...sandbox } = options;
    this.#all = Array.from({ length: processes }, (_, number) => ({
      sandbox: createSandbox({
        ...sandbox,
        requestTimeoutMs: timeoutMs,
        permissionModel: "addons",
        user: osUserOf(osUser, number),
      }),
      idleTimer: undefined,
    }));
    this.#free = [...this.#all];
    this.#queue = new FairQueue({
      what: nouns,
      places: processes,
      placesPerScope: 1,
      waiting,
      waitingPerScope: waiting / 2,
      waitMs: WAITS * timeoutMs,
    });
  }

  /** The answer is a stranger's: parse it. */
  async ask(scope: string, method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    const leave = await this.#queue.enter(scope, signal);
    const place = this.#take();
    try {
      return await place.sandbox.call(method, params, { signal });
    } catch (error) {
      throw this.#told(error);
    } finally {
      this.#giveBack(place);
      leave();
    }
  }

  async close(): Promise<void> {
    for (const { idleTimer } of this.#all) clearTimeout(idleTimer);
    await Promise.all(this.#all.map(({ sandbox }) => sandbox.close()));
  }

  /** One that is there already, if there is one. */
  #take(): Place {
    const at = this.#free.findIndex(({ sandbox }) => sandbox.isReady);
    const [place] = this.#free.splice(Math.max(0, at), 1);
    if (place === undefined) throw new Error("more calls than processes");
    clearTimeout(place.idleTimer);
    return place;
  }

  #giveBack(place: Place): void {
    const { sandbox } = place;
    const isLarge = (sandbox.residentMb() ?? 0) > this.#options.memoryMb * KEPT_PART;
    if (isLarge) sandbox.rest();
    else place.idleTimer = setTimeout(() => sandbox.rest(), this.#options.idleMs).unref();
    this.#free.push(place);
  }

  /** What a process died of it would die of again: whoever repeats what failed in passing must not repeat this. */
  #told(error: unknown): unknown {
    if (!isAppError(error)) return error;
    const { noun, hint, memoryMb, timeoutMs } = this.#options;
    const told = { hint, data: error.data, cause: error };
    if (error.code === "timeout")
      return new AppError("timeout", `Making the ${noun} took longer than ${timeoutMs / 1_000} s.`, told);
    if (error.data.reason === "memory")
      return new AppError(
        "too_large",
        `The ${noun} could not be made within ${memoryMb} MB of memory.`,
        told,
      );
    if (error.data.reason === "crash")
      return new AppError(
        "internal",
        `The ${noun} could not be made: it ended the process that made it.`,
        told,
      );
    return error;
  }
}
