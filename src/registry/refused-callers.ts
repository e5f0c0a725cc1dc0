import type { Logger } from "pino";
import type { AppError } from "../kernel/errors.ts";
import { MS } from "../kernel/time.ts";
import type { Caller, CallMeta } from "./caller.ts";

/** Callers that one line names; the others are only counted. */
const NAMED = 10;
/** Callers that are told apart within a minute. */
const KNOWN = 1_000;

interface Refused {
  workspace: string;
  user: string;
  tokenId: number;
  application?: string;
  reason: string;
  address: string;
  count: number;
}

/** Tells the operator who is being refused because of too much load: at once when it begins, then once a minute. */
export class RefusedCallers {
  readonly #log: Pick<Logger, "warn">;
  readonly #refused = new Map<string, Refused>();
  #timer: NodeJS.Timeout | undefined;
  #all = 0;

  constructor(log: Pick<Logger, "warn">) {
    this.#log = log;
  }

  /** Only what load is the reason of counts; who may not do something is a matter of the audit log. */
  note(error: AppError, { workspace, user, token }: Caller, { address }: Pick<CallMeta, "address">): void {
    if (error.code !== "rate_limited") return;
    this.#all += 1;
    const reason = typeof error.data.limit === "string" ? error.data.limit : error.message;
    const { application } = token;
    const key = [workspace.id, user.id, token.id, application?.id, reason].join(" ");
    const known = this.#refused.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#refused.size < KNOWN) {
      const who = { workspace: workspace.slug, user: user.email, tokenId: token.id, reason, address };
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
