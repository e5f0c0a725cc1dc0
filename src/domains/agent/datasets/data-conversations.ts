import { randomUUID } from "node:crypto";
import { AppError } from "../../../kernel/errors.ts";
import type { SharedState } from "../../../platform/state/index.ts";
import { type Caller, type CallMeta, sessionKey } from "../../../registry/caller.ts";
import type { AskedQuery } from "../answer.ts";
import { LIMITS } from "../limits.ts";
import type { Suggested } from "../phases/question.ts";
import type { Ask } from "../query/semantic-query.ts";

/** What a question about datasets may build on. */
export interface Before {
  /** The datasets that were asked. */
  datasetIds: number[];
  /** How the last one that was answered was understood. */
  query: AskedQuery | null;
  /** Those that were answered before that, the last first. */
  earlier?: Ask[];
  /** Questions since then that were asked back and wait for an answer, the oldest first. */
  waiting: string[];
  /** What was suggested to be asked instead of the last of these. */
  suggested: Suggested[];
  /** What was asked since then, and refused. */
  refused?: string[];
}

/**
 * The thread of questions about datasets without a model, for whoever asked them and for a day. Answers of a semantic
 * model are kept with it in the catalog; an inferred one is gone when its rows change, and so may this be.
 */
export class DataConversations {
  readonly #kv: SharedState["kv"];

  constructor({ kv }: SharedState) {
    this.#kv = kv;
  }

  /** What is named, or else the last of the session. */
  async before(caller: Caller, meta: CallMeta, id: string | undefined): Promise<Before | undefined> {
    const session = sessionKey(meta);
    if (id === undefined && session === null) return undefined;
    const key = id ?? (await this.#kv.get(keyOf(caller, session as string)));
    const known = typeof key === "string" ? await this.#kv.get(keyOf(caller, key)) : undefined;
    if (known !== undefined || id === undefined) return known as Before | undefined;
    throw new AppError("not_found", `There is no answer ${id} of yours to follow up on.`, {
      hint: "Such answers are kept for a day. Ask the whole question.",
    });
  }

  /** Keeps what the next question may build on; its id. */
  async keep(caller: Caller, meta: CallMeta, before: Before): Promise<string> {
    const id = randomUUID();
    const { followUpMs } = LIMITS.agent;
    await this.#kv.set(keyOf(caller, id), before, followUpMs);
    const session = sessionKey(meta);
    if (session !== null) await this.#kv.set(keyOf(caller, session), id, followUpMs);
    return id;
  }
}

function keyOf({ workspace, user }: Caller, name: string): string {
  return `data-answer:${workspace.id}:${user.id}:${name}`;
}
