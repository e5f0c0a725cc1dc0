import { setTimeout as delay } from "node:timers/promises";
import { LIMITS } from "../limits.ts";
import type { QueryProcess } from "./query-process.ts";

/** Processes of one workspace: one for the next statement, one for a long one. */
const PER_SCOPE = 2;
const MOST = PER_SCOPE * LIMITS.analytics.ownProcessScopes;

export interface OwnProcessesOptions {
  /** Makes process number n. */
  make(number: number, scope: string): QueryProcess;
  /** Ends it; resolves when it has gone. */
  end(worker: QueryProcess): Promise<void>;
  firstNumber: number;
}

interface OwnProcess {
  readonly scope: string;
  readonly worker: QueryProcess;
  isTaken: boolean;
  /** It has ended under a statement, and is being started again. */
  revival: Promise<void> | undefined;
}

/**
 * Processes that only one workspace uses, one statement at a time: for workspaces that ended processes, or that have
 * many long statements. Whatever happens in them happens to nobody else.
 */
export class OwnProcesses {
  readonly #options: OwnProcessesOptions;
  /** Those that have not gone yet, by their numbers, which are those of their accounts. */
  readonly #all = new Map<number, OwnProcess>();
  readonly #leaving = new Map<OwnProcess, Promise<void>>();
  /** How often processes of a workspace have ended since it has some. */
  readonly #endings = new Map<string, number>();
  #isClosed = false;

  constructor(options: OwnProcessesOptions) {
    this.#options = options;
  }

  get workers(): QueryProcess[] {
    return [...this.#all.values()].map(({ worker }) => worker);
  }

  /** Whether one of a workspace's can begin at once with the next statement. */
  isReadyFor(scope: string): boolean {
    return this.#of(scope).some(({ worker }) => worker.sandbox.isReady);
  }

  /** Whether a workspace has some, or there is room for it. */
  isOpenTo(scope: string): boolean {
    const busy = this.#present.filter((one) => one.scope === scope || one.isTaken);
    const scopes = new Set(busy.map((one) => one.scope));
    return scopes.has(scope) || scopes.size < LIMITS.analytics.ownProcessScopes;
  }

  /** Starts those that are missing, so that nobody waits for a start; resolves when they are there. */
  async prepare(scope: string): Promise<void> {
    while (this.#of(scope).length < PER_SCOPE && this.#all.size < MOST) this.#add(scope);
    await Promise.all(this.#of(scope).map(({ worker, revival }) => revival ?? start(worker)));
  }

  /** One in which nothing runs. Whoever takes it says when he is done, and then waits until it really is idle. */
  async take(
    scope: string,
    isHeavy: boolean,
  ): Promise<{ worker: QueryProcess; giveBack: () => Promise<void> }> {
    const one = this.#choose(scope, isHeavy) ?? (await this.#another(scope));
    one.isTaken = true;
    await one.revival;
    const giveBack = async (): Promise<void> => {
      await one.worker.whenIdle();
      one.isTaken = false;
      if (!one.worker.sandbox.isReady) this.#revive(one);
    };
    return { worker: one.worker, giveBack };
  }

  /** What is heavy leaves the last one that is ready to light statements, and rather waits for a start. */
  #choose(scope: string, isHeavy: boolean): OwnProcess | undefined {
    const all = this.#of(scope);
    const free = all.filter(({ isTaken }) => !isTaken);
    const ready = free.find(({ worker }) => worker.sandbox.isReady);
    const ended = free.find(({ worker }) => !worker.sandbox.isReady);
    if (isHeavy) return all.length < PER_SCOPE ? undefined : (ended ?? ready);
    return ready ?? ended;
  }

  /** Resolves when those that ended have been started again. */
  async revived(scope: string): Promise<void> {
    await Promise.all(this.#of(scope).map(({ revival }) => revival));
  }

  /** Ends those that nobody has used for a while. */
  endIdle(): void {
    const before = performance.now() - LIMITS.analytics.extraWorkerIdleMs;
    for (const one of this.#present) if (!one.isTaken && one.worker.usedAt < before) this.#end(one);
  }

  close(): void {
    this.#isClosed = true;
  }

  get #present(): OwnProcess[] {
    return [...this.#all.values()].filter((one) => !this.#leaving.has(one));
  }

  #of(scope: string): OwnProcess[] {
    return this.#present.filter((one) => one.scope === scope);
  }

  /** Another one, for which one that is not in use makes room. */
  async #another(scope: string): Promise<OwnProcess> {
    const [oldest] = this.#present
      .filter(({ isTaken }) => !isTaken)
      .toSorted((a, b) => a.worker.usedAt - b.worker.usedAt);
    if (this.#present.length >= MOST && oldest !== undefined) this.#end(oldest);
    // Two processes never have the same account.
    while (this.#all.size >= MOST && this.#leaving.size > 0) await Promise.race(this.#leaving.values());
    return this.#add(scope);
  }

  #add(scope: string): OwnProcess {
    let number = this.#options.firstNumber;
    while (this.#all.has(number)) number += 1;
    const worker = this.#options.make(number, scope);
    const one: OwnProcess = { scope, worker, isTaken: false, revival: undefined };
    this.#all.set(number, one);
    return one;
  }

  /** After a pause, which grows with each time: starting processes again and again would take a core from others. */
  #revive(one: OwnProcess): void {
    if (this.#isClosed || one.revival !== undefined) return;
    const { restartMs, restartMaxMs } = LIMITS.analytics;
    const endings = this.#endings.get(one.scope) ?? 0;
    this.#endings.set(one.scope, endings + 1);
    const pauseMs = Math.min(restartMaxMs, restartMs * 2 ** endings);
    one.revival = delay(pauseMs, undefined, { ref: false })
      .then(() => start(one.worker))
      .finally(() => {
        one.revival = undefined;
      });
  }

  #end(one: OwnProcess): void {
    const gone = this.#options.end(one.worker).finally(() => {
      this.#leaving.delete(one);
      for (const [number, other] of this.#all) if (other === one) this.#all.delete(number);
    });
    this.#leaving.set(one, gone);
    if (this.#of(one.scope).length === 0) this.#endings.delete(one.scope);
  }
}

async function start({ sandbox }: QueryProcess): Promise<void> {
  if (!sandbox.isReady) await sandbox.call("version", {}).catch(() => undefined);
}
