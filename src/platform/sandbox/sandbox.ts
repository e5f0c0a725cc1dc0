import { mkdir } from "node:fs/promises";
import { lazily } from "../../kernel/concurrency.ts";
import type { AppError } from "../../kernel/errors.ts";
import { abortError } from "../../kernel/time.ts";
import { isInPlace, sweepLeftovers } from "../temp/index.ts";
import { LIMITS } from "./limits.ts";
import {
  ENGINE_NICENESS,
  type FileIdentity,
  hasOpen,
  LOW_NICENESS,
  residentMbOf,
  setNiceness,
} from "./procfs.ts";
import { ENVELOPE_BYTES, encodeMessage, type FromWorker, type WorkerError } from "./protocol.ts";
import { endError, paramsError, queueError, timeoutError, workerError } from "./sandbox-errors.ts";
import type { CallOptions, Sandbox, SandboxOptions, SandboxWalls } from "./sandbox-options.ts";
import { type EndReason, type ProcessOptions, type SandboxProcess, startProcess } from "./sandbox-process.ts";
import { findWalls } from "./walls.ts";

interface Call {
  id: number;
  method: string;
  frame: Buffer;
  /** Answers the caller, once; the process may still be busy with the call afterwards. */
  settle(outcome: { value: unknown } | { error: Error }): void;
  onProgress: ((value: unknown) => void) | undefined;
  onBegin: () => void;
  /** The process is done with it. */
  onEnd: () => void;
  grace: NodeJS.Timeout | undefined;
}

/** A sandbox around `module`. Its process starts with the first call. */
export function createSandbox(options: SandboxOptions): Sandbox {
  return new ProcessSandbox(options);
}

class ProcessSandbox implements Sandbox {
  readonly #options: SandboxOptions;
  readonly #process: ProcessOptions;
  readonly #queue: Call[] = [];
  readonly #running = new Map<number, Call>();
  #current: Running | undefined;
  #lastId = 0;
  #isClosed = false;
  readonly #prepare: () => Promise<unknown>;

  constructor(options: SandboxOptions) {
    this.#options = options;
    const { tempFolder } = options;
    this.#prepare = lazily(async () => {
      await mkdir(tempFolder, { recursive: true, mode: 0o711 });
      await sweepLeftovers(tempFolder);
    });
    if (options.user === undefined && process.geteuid?.() === 0) {
      throw new Error(`The sandbox ${options.name} has no user to become.`);
    }
    this.#process = {
      ...options,
      maxParamsBytes: options.maxParamsBytes ?? LIMITS.sandbox.messageBytes,
      maxResultBytes: options.maxResultBytes ?? LIMITS.sandbox.messageBytes,
      memoryNowMb: options.memoryNowMb ?? (() => options.memoryMb),
      addressMb: options.addressMb,
      env: options.env ?? {},
      allowRead: options.allowRead ?? [],
      permissionModel: options.permissionModel ?? "strict",
      lowPriority: options.lowPriority ?? true,
    };
  }

  async call(method: string, params: unknown, options: CallOptions = {}): Promise<unknown> {
    const id = ++this.#lastId;
    let frame: Buffer;
    try {
      frame = this.#admit(id, method, params, options);
    } catch (error) {
      options.onEnd?.();
      throw error;
    }
    return new Promise((resolve, reject) => {
      const timeoutMs = options.timeoutMs ?? this.#options.requestTimeoutMs;
      const timer = setTimeout(() => this.#abandon(call, timeoutError(timeoutMs)), timeoutMs);
      const onAbort = (): void => this.#abandon(call, abortError(options.signal));
      options.signal?.addEventListener("abort", onAbort, { once: true });
      const call: Call = {
        id,
        method,
        frame,
        onProgress: options.onProgress,
        onBegin: () => options.onBegin?.(),
        onEnd: () => options.onEnd?.(),
        grace: undefined,
        settle: (outcome) => {
          clearTimeout(timer);
          options.signal?.removeEventListener("abort", onAbort);
          call.onProgress = undefined;
          if ("error" in outcome) reject(outcome.error);
          else resolve(outcome.value);
        },
      };
      this.#queue.push(call);
      this.#pump();
    });
  }

  #admit(id: number, method: string, params: unknown, { signal }: CallOptions): Buffer {
    if (this.#isClosed) throw endError("closed");
    if (signal?.aborted) throw abortError(signal);
    const frame = encodeMessage({ type: "call", id, method, params });
    const { maxParamsBytes } = this.#process;
    if (frame.length > maxParamsBytes + ENVELOPE_BYTES) throw paramsError(maxParamsBytes);
    if (this.#isQueueFull(frame)) throw queueError();
    return frame;
  }

  async describe(): Promise<SandboxWalls> {
    const walls = await findWalls();
    return {
      otherUser: this.#process.user,
      networkBlocked: walls.network !== undefined,
      noNewPrivileges: walls.noNewPrivileges !== undefined,
      resourceLimits: walls.resourceLimits !== undefined,
      lowPriority: this.#process.lowPriority && walls.lowPriority !== undefined,
      memoryWatched: process.platform === "linux",
      permissionModel: this.#process.permissionModel,
    };
  }

  get isReady(): boolean {
    return this.#current?.takesCalls === true;
  }

  residentMb(): number | undefined {
    const pid = this.#current?.process?.pid;
    return pid === undefined ? undefined : residentMbOf(pid);
  }

  hasOpen(file: FileIdentity): boolean | undefined {
    const pid = this.#current?.process?.pid;
    return pid === undefined ? undefined : hasOpen(pid, file);
  }

  yieldToOthers(isLow: boolean): void {
    const pid = this.#current?.process?.pid;
    if (pid !== undefined) setNiceness(pid, isLow ? LOW_NICENESS : ENGINE_NICENESS);
  }

  rest(): void {
    if (this.#queue.length + this.#running.size === 0) this.#current?.stop("closed");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const call of this.#queue.splice(0)) {
      call.settle({ error: endError("closed") });
      call.onEnd();
    }
    this.#current?.stop("closed");
    await this.#current?.ended;
  }

  #isQueueFull(frame: Buffer): boolean {
    const { maxQueuedCalls = LIMITS.sandbox.queuedCalls } = this.#options;
    const waitingBytes = this.#queue.reduce((bytes, call) => bytes + call.frame.length, 0);
    // A single call is never too much: its own size has its own limit.
    const isHeavy = waitingBytes > 0 && waitingBytes + frame.length > LIMITS.sandbox.queuedBytes;
    return isHeavy || this.#queue.length >= maxQueuedCalls;
  }

  /** Gives waiting calls to the process, and starts one when there is none. */
  #pump(): void {
    if (this.#queue.length === 0) return;
    this.#current ??= this.#start();
    this.#current.stopIfHomeless();
    if (!this.#current.takesCalls) return;
    const concurrency = this.#options.concurrency ?? 1;
    while (this.#running.size < concurrency) {
      const call = this.#queue.shift();
      if (call === undefined) return;
      this.#running.set(call.id, call);
      this.#current.process?.send(call.frame);
      call.onBegin();
    }
  }

  #start(): Running {
    const running = new Running((reason, wasReady) => this.#onEnd(reason, wasReady));
    const events = {
      onMessage: (message: FromWorker) => this.#onMessage(running, message),
      onEnd: (reason: EndReason) => running.end(reason),
      isBusy: () => this.#running.size > 0 || !running.isReady,
    };
    this.#prepare()
      .then(() => startProcess(this.#process, events))
      .then(
        (started) => running.attach(started),
        (error: unknown) => {
          this.#options.log.warn({ sandbox: this.#options.name, err: error }, "a sandbox cannot be started");
          running.end("start");
        },
      );
    return running;
  }

  #onMessage(running: Running, message: FromWorker): void {
    if (running !== this.#current) return;
    if (message.type === "ready") {
      this.#onReady(running, message.uid);
      return;
    }
    const call = this.#running.get(message.id);
    if (call === undefined) return;
    if (message.type === "progress") {
      this.#report(call, message.value);
      return;
    }
    this.#running.delete(call.id);
    clearTimeout(call.grace);
    call.onEnd();
    if (message.type === "result") call.settle({ value: message.value });
    else this.#fail(call, message.error);
    this.#pump();
  }

  #fail(call: Call, error: WorkerError): void {
    const { detail, data } = error;
    if (typeof detail === "string") {
      const { name: sandbox, log } = this.#options;
      log.warn({ sandbox, method: call.method, incident: data?.incident, detail }, "an engine failed");
    }
    call.settle({ error: workerError(call.method, error) });
  }

  #onReady(running: Running, uid: number): void {
    const { user } = this.#process;
    if (user !== undefined && user.uid !== uid) {
      running.stop("start");
      return;
    }
    running.becomeReady();
    if (!this.#process.lowPriority) this.yieldToOthers(false);
    this.#pump();
  }

  #report(call: Call, value: unknown): void {
    try {
      call.onProgress?.(value);
    } catch (error) {
      this.#options.log.warn({ sandbox: this.#options.name, err: error }, "progress could not be passed on");
    }
  }

  /** The calls of this process fail; those that wait go to the next one, unless none can be started. */
  #onEnd(reason: EndReason, wasReady: boolean): void {
    this.#current = undefined;
    const lost = [...this.#running.values()];
    const wasAlone = lost.length === 1;
    this.#running.clear();
    if (!wasReady) lost.push(...this.#queue.splice(0));
    for (const call of lost) {
      clearTimeout(call.grace);
      call.onEnd();
      call.settle({ error: endError(wasReady || reason === "closed" ? reason : "start", wasAlone) });
    }
    if (!this.#isClosed) this.#pump();
  }

  /** The caller is answered at once; the process gets a little time to stop before it is killed. */
  #abandon(call: Call, error: AppError): void {
    call.settle({ error });
    const place = this.#queue.indexOf(call);
    if (place !== -1) {
      this.#queue.splice(place, 1);
      call.onEnd();
      return;
    }
    const running = this.#current;
    running?.process?.send(encodeMessage({ type: "cancel", id: call.id }));
    call.grace = setTimeout(
      () => running?.stop("stuck"),
      this.#options.cancelGraceMs ?? LIMITS.sandbox.cancelGraceMs,
    );
  }
}

/** One life of the process, from the wish to start it to its end. */
class Running {
  process: SandboxProcess | undefined;
  isReady = false;
  readonly ended: Promise<void>;
  readonly #onEnd: (reason: EndReason, wasReady: boolean) => void;
  readonly #resolveEnded: () => void;
  readonly #startTimer: NodeJS.Timeout;
  #stopReason: EndReason | undefined;

  constructor(onEnd: (reason: EndReason, wasReady: boolean) => void) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    this.#onEnd = onEnd;
    this.#startTimer = setTimeout(() => this.stop("start"), LIMITS.sandbox.startMs);
  }

  /** What is given to a process that is about to end would be lost. */
  get takesCalls(): boolean {
    return this.isReady && this.#stopReason === undefined && this.process?.isEnding === false;
  }

  /** Somebody removed the folder in which it works: the next process gets a new one. */
  stopIfHomeless(): void {
    if (this.isReady && this.process !== undefined && !isInPlace(this.process.folder)) this.stop("folder");
  }

  attach(started: SandboxProcess): void {
    this.process = started;
    if (this.#stopReason !== undefined) started.kill(this.#stopReason);
  }

  becomeReady(): void {
    this.isReady = true;
    clearTimeout(this.#startTimer);
  }

  stop(reason: EndReason): void {
    this.#stopReason ??= reason;
    this.process?.kill(reason);
  }

  end(reason: EndReason): void {
    clearTimeout(this.#startTimer);
    this.#onEnd(reason, this.isReady);
    this.#resolveEnded();
  }
}
