import type { Logger } from "pino";
import { once, roundRobin } from "../kernel/concurrency.ts";
import { AppError, isAppError } from "../kernel/errors.ts";
import { scopeOf } from "../kernel/fair-queue.ts";
import { LIMITS } from "../kernel/limits.ts";
import { MS } from "../kernel/time.ts";
import { BodyBudget, type BodyLease } from "./body-budget.ts";
import type { Caller } from "./caller.ts";

/**
 * Every gate between a caller who is known and the work, in the order in which they are passed: requests first, then
 * each call in them. What a gate refuses is counted under its name in /metrics and named by it in the log.
 */
export const GATES = [
  /** Back-off: too many refusals in a row, whatever is asked for. */
  "backing_off",
  /** Requests of one person that are not answered yet. */
  "in_flight",
  /** Rate limits of requests: of the token, the person, the address and the plan. */
  "request_rate",
  /** The scopes that the token has. */
  "scope",
  /** Room in the round-robin of requests that take turns on the event loop. */
  "turn",
  /** Memory that bodies of requests hold. */
  "body_memory",
  /** The role, the scopes and the limits of the token, for this operation. */
  "permission",
  /** Back-off: the same tool was just refused to the same person. */
  "tool_backing_off",
  /** Room in the buffer of audit events: what cannot be audited is not done. */
  "audit_buffer",
  /** Rate limits of calls. */
  "call_rate",
  /** What the plan of the workspace includes. */
  "plan",
  /** Places for queries, pictures and whatever else waits in a queue inside the call. */
  "queue",
] as const;

export type Gate = (typeof GATES)[number];

/** Who is refused. */
export interface Refused {
  caller: Caller;
  address: string;
}

export interface AdmissionOptions {
  log: Pick<Logger, "warn">;
  /** Told of every refusal, for metrics. */
  onRefused?: (gate: Gate) => void;
}

/** Admission control: what decides whether a request or a call may begin, whichever surface it came by. */
export class Admission {
  readonly #backOff = new BackOff();
  readonly #inFlight = new InFlight();
  readonly #bodies = new BodyBudget();
  readonly #refusals: RefusalLog;
  readonly #onRefused: (gate: Gate) => void;
  /** A call inside another fails with the same error, which is one refusal. */
  readonly #seen = new WeakSet<AppError>();

  constructor({ log, onRefused = () => undefined }: AdmissionOptions) {
    this.#refusals = new RefusalLog(log);
    this.#onRefused = onRefused;
  }

  /** The gates of a request; `countRequest` is its surface's rate limit. The answer says that the request is over. */
  async enter(who: Refused, countRequest: () => Promise<void>): Promise<() => void> {
    this.check("backing_off", who, () => this.#backOff.assertMayEnter(who.caller));
    const leave = this.check("in_flight", who, () => this.#inFlight.enter(scopeOf(who.caller)));
    try {
      await this.pass("request_rate", who, countRequest);
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** The gates of a body: its turn on the event loop, and memory for it as it grows. */
  openBody(who: Refused, line: string, tokenHash: string): BodyLease {
    this.check("turn", who, () => roundRobin.assertRoom(line));
    const owner = { tokenHash, workspaceId: who.caller.workspace.id };
    return this.#bodies.open(owner, (error) => this.#note("body_memory", who, error));
  }

  /** The gate of a tool that was refused to the same person a moment ago. */
  checkBackOff(operation: { name: string }, who: Refused): void {
    this.check("tool_backing_off", who, () => this.#backOff.assertMayCall(operation, who.caller));
  }

  /** Does what a gate does, and counts what it refuses. */
  check<T>(gate: Gate, who: Refused, work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#note(gate, who, error);
      throw error;
    }
  }

  /** The same for a gate that takes its time. */
  async pass<T>(gate: Gate, who: Refused, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#note(gate, who, error);
      throw error;
    }
  }

  /** Told what a call failed with that had passed all gates: load inside of it is a refusal as well. */
  noteRun(operation: { name: string }, who: Refused, thrown: unknown): void {
    if (!isAppError(thrown) || thrown.code !== "rate_limited" || this.#seen.has(thrown)) return;
    this.#backOff.note(operation, who.caller, thrown);
    this.#note("queue", who, thrown);
  }

  async sweep(): Promise<void> {
    this.#backOff.sweep();
  }

  #note(gate: Gate, who: Refused, error: unknown): void {
    if (!isAppError(error) || this.#seen.has(error)) return;
    this.#seen.add(error);
    this.#onRefused(gate);
    this.#refusals.note(gate, error, who);
  }
}

/** A refused request is worth another try after about this time. */
const RETRY_MS = 1_000;

/** Requests that have come and are not answered yet, of each person: whoever has too many is refused before anything is done. */
class InFlight {
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

/** People, and operations of theirs, that are told apart; whoever comes after them takes the whole way. */
const BACKING_OFF = 10_000;

interface Refusal {
  error: AppError;
  /** How often it was given since it was new. */
  count: number;
  untilMs: number;
}

/**
 * Back-off: somebody who was refused because too many calls of his wait already is refused for a moment without a look
 * at what he sends, because finding out that there is still no room takes nearly as long as to answer. Whoever goes on
 * and on is refused at the door, whatever he wants.
 */
class BackOff {
  readonly #refusals = new Map<string, Refusal>();

  /** Throws what somebody's calls were refused with just now, if it was given too often. */
  assertMayEnter(caller: Caller): void {
    const refusal = this.#recent(scopeOf(caller));
    if (refusal !== undefined && refusal.count >= LIMITS.call.refusalsInARow) throw copyOf(refusal.error);
  }

  /** Throws what the last call of this operation was refused with, if that was just now. */
  assertMayCall(operation: { name: string }, caller: Caller): void {
    const refusal = this.#recent(keyOf(operation, caller));
    if (refusal === undefined) return;
    this.#keep(scopeOf(caller), refusal.error);
    throw copyOf(refusal.error);
  }

  /** Told what an operation failed with. */
  note(operation: { name: string }, caller: Caller, thrown: AppError): void {
    if (thrown.data.retryAfterMs === undefined) return;
    const error = copyOf(thrown);
    this.#keep(keyOf(operation, caller), error);
    this.#keep(scopeOf(caller), error);
  }

  /** Forgets those whose moment is over. */
  sweep(): void {
    for (const key of this.#refusals.keys()) this.#recent(key);
  }

  #recent(key: string): Refusal | undefined {
    const refusal = this.#refusals.get(key);
    if (refusal === undefined || performance.now() < refusal.untilMs) return refusal;
    this.#refusals.delete(key);
    return undefined;
  }

  #keep(key: string, error: AppError): void {
    const known = this.#recent(key);
    if (known !== undefined) known.count += 1;
    else if (this.#refusals.size < BACKING_OFF) {
      this.#refusals.set(key, { error, count: 1, untilMs: performance.now() + LIMITS.call.refusedAgainMs });
    }
  }
}

/** Each refusal is an error of its own, without the stack of a call that is over. */
function copyOf({ message, hint, data }: AppError): AppError {
  return new AppError("rate_limited", message, { ...(hint !== undefined && { hint }), data });
}

function keyOf({ name }: { name: string }, caller: Caller): string {
  return `${scopeOf(caller)} ${name}`;
}

/** Callers that one line names; the others are only counted. */
const NAMED = 10;
/** Callers that are told apart within a minute. */
const LOGGED = 1_000;

interface LoggedCaller {
  workspace: string;
  user: string;
  tokenId: number;
  application?: string;
  gate: Gate;
  reason: string;
  address: string;
  count: number;
}

/** Throttled log of who is being refused because of too much load: at once when it begins, then once a minute. */
class RefusalLog {
  readonly #log: Pick<Logger, "warn">;
  readonly #refused = new Map<string, LoggedCaller>();
  #timer: NodeJS.Timeout | undefined;
  #all = 0;

  constructor(log: Pick<Logger, "warn">) {
    this.#log = log;
  }

  /** Only what load is the reason of counts; who may not do something is a matter of the audit log. */
  note(gate: Gate, error: AppError, { caller, address }: Refused): void {
    if (error.code !== "rate_limited") return;
    const { workspace, user, token } = caller;
    this.#all += 1;
    const reason = typeof error.data.limit === "string" ? error.data.limit : error.message;
    const { application } = token;
    const key = [workspace.id, user.id, token.id, application?.id, gate, reason].join(" ");
    const known = this.#refused.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#refused.size < LOGGED) {
      const who = { workspace: workspace.slug, user: user.email, tokenId: token.id, gate, reason, address };
      this.#refused.set(key, { ...who, ...(application && { application: application.name }), count: 1 });
    }
    if (this.#timer === undefined) this.#tell();
  }

  /** Nothing is told in a minute in which nobody was refused, and the next refusal is told at once again. */
  #tell(): void {
    this.#timer = undefined;
    if (this.#all === 0) return;
    const callers = [...this.#refused.values()].toSorted((a, b) => b.count - a.count).slice(0, NAMED);
    this.#log.warn({ refused: this.#all, callers }, "callers are being refused");
    this.#all = 0;
    this.#refused.clear();
    this.#timer = setTimeout(() => this.#tell(), MS.minute).unref();
  }
}
