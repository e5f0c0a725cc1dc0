import { isAppError } from "../../kernel/errors.ts";
import type { OsUserKind, Sandbox, SandboxOptions } from "../sandbox/index.ts";
import type { Failures, MakeQuestion, PooledWorker, WorkerPoolOptions } from "./worker-pool.ts";

/** Options of a sandboxed process beside those of every worker. */
export interface SandboxWish
  extends Pick<
    SandboxOptions,
    "name" | "tempFolder" | "allowRead" | "maxParamsBytes" | "maxResultBytes" | "log"
  > {
  osUser: OsUserKind;
}

/** One of the methods that the process serves. */
export interface ProcessCall {
  method: string;
  params: unknown;
}

/** The part of its memory above which a process is not kept: what it has taken it hardly ever gives back. */
const KEPT_PART = 0.5;

/** A worker of a pool that is a sandboxed process. */
export class ProcessWorker implements PooledWorker<ProcessCall, unknown> {
  readonly #memoryMb: number;
  readonly #failures: Failures;
  readonly #make: () => Promise<Sandbox>;
  #sandbox: Promise<Sandbox> | undefined;
  #opened: Sandbox | undefined;

  constructor(
    { module, memoryMb, timeoutMs }: Pick<WorkerPoolOptions, "module" | "memoryMb" | "timeoutMs">,
    { osUser, ...sandbox }: SandboxWish,
    number: number,
    failures: Failures,
  ) {
    this.#memoryMb = memoryMb;
    this.#failures = failures;
    this.#make = async () => {
      // Loaded here, so that threads, which load this folder too, need not.
      const { createSandbox, osUserOf } = await import("../sandbox/index.ts");
      const user = osUserOf(osUser, number);
      const limits = { memoryMb, requestTimeoutMs: timeoutMs };
      return createSandbox({ ...sandbox, ...limits, module, permissionModel: "addons", user });
    };
  }

  get isReady(): boolean {
    return this.#opened?.isReady ?? false;
  }

  async ask(question: MakeQuestion<ProcessCall>, signal: AbortSignal | undefined): Promise<unknown> {
    this.#sandbox ??= this.#make();
    this.#opened = await this.#sandbox;
    const { method, params } = question().value;
    try {
      return await this.#opened.call(method, params, { signal });
    } catch (error) {
      throw this.#told(error);
    }
  }

  isSpent(): boolean {
    return (this.#opened?.residentMb() ?? 0) > this.#memoryMb * KEPT_PART;
  }

  rest(): void {
    this.#opened?.rest();
  }

  async close(): Promise<void> {
    this.#sandbox ??= this.#make();
    await (await this.#sandbox).close();
  }

  #told(error: unknown): unknown {
    if (!isAppError(error)) return error;
    if (error.code === "timeout") return this.#failures.timeout(error);
    if (error.data.reason === "memory") return this.#failures.memory(error);
    return error.data.reason === "crash" ? this.#failures.crash(error) : error;
  }
}
