import { createHash } from "node:crypto";
import type { KeyValueState } from "../../platform/state/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { isToolset, type Toolset } from "../../registry/define-tool.ts";
import { LIMITS } from "./limits.ts";
import type { ToolChoice } from "./visible-tools.ts";

/** Whose list of tools it is: that of a session or, without one, of a client by its name and token. */
export interface ListOwner {
  caller: Caller;
  sessionId: string | null;
  clientName: string;
}

/**
 * The toolsets that agents have switched on. They only add to what is listed: what a caller may do is decided for
 * each tool by itself. A record for each, so that two that come at once do not undo each other.
 */
export class EnabledToolsets {
  readonly #kv: KeyValueState;
  readonly #idleMs: number;

  constructor({ kv, idleMs }: { kv: KeyValueState; idleMs: number }) {
    this.#kv = kv;
    this.#idleMs = idleMs;
  }

  /** What a request asks for, and what was switched on before. It stays so as long as it is asked for. */
  async addTo(choice: ToolChoice, owner: ListOwner): Promise<ToolChoice> {
    const records = await this.#kv.list(prefixOf(owner));
    await Promise.all(records.map(({ key }) => this.#kv.touch(key, this.#idleMs)));
    const names = records.map(({ key }) => key.slice(key.lastIndexOf(":") + 1)).filter(isToolset);
    return { ...choice, toolsets: new Set([...choice.toolsets, ...names]) };
  }

  async add(toolset: Toolset, owner: ListOwner): Promise<void> {
    await this.#makeRoom(owner);
    await this.#kv.set(`${prefixOf(owner)}${toolset}`, true, this.#idleMs);
  }

  async #makeRoom(owner: ListOwner): Promise<void> {
    const prefix = personPrefix(owner);
    if ((await this.#kv.count(prefix)) < LIMITS.session.enabledToolsets) return;
    const records = await this.#kv.list(prefix);
    await this.#kv.delete(records.reduce((a, b) => (a.expiresInMs <= b.expiresInMs ? a : b)).key);
  }
}

function personPrefix({ caller }: ListOwner): string {
  return `toolsets:${caller.workspace.id}:${caller.user.id}:`;
}

function prefixOf(owner: ListOwner): string {
  const { caller, sessionId, clientName } = owner;
  const person = personPrefix(owner);
  if (sessionId !== null) return `${person}session:${encodeURIComponent(sessionId)}:`;
  // What a client calls itself may be long, and may hold the colons that part a key.
  const application = caller.token.application?.id ?? "";
  const client = createHash("sha256").update(`${application}\0${clientName}`).digest("base64url");
  return `${person}client:${caller.token.id}:${client}:`;
}
