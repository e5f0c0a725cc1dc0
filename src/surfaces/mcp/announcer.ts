import type { Logger } from "pino";
import type { ResourceChange } from "../../registry/define-resource.ts";
import type { Endpoint } from "./endpoint.ts";

/** Something that happened, and of which resources may change. */
export interface Happening {
  topic: string;
  payload: { workspaceId: number; [detail: string]: unknown };
}

export interface AnnouncerParts {
  endpoints: Iterable<Endpoint>;
  changesOf: (happening: Happening) => Promise<ResourceChange[]>;
  log: Logger;
}

/** Tells clients that watch resources of what has happened, here or in another process. */
export class Announcer {
  readonly #parts: AnnouncerParts;
  readonly #waiting = new Map<string, Happening>();
  #working: Promise<void> | undefined;

  constructor(parts: AnnouncerParts) {
    this.#parts = parts;
  }

  /** What happens again before it could be told is told once. */
  tell(happening: Happening): void {
    if (!this.#watched().has(happening.payload.workspaceId)) return;
    const { version: _, ...same } = happening.payload;
    this.#waiting.set(JSON.stringify([happening.topic, same]), happening);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** For a process that may have missed something: everything that is watched may have changed. */
  async tellAll(): Promise<void> {
    for (const workspaceId of this.#watched())
      await this.#announce({ workspaceId, resource: null, params: {} });
  }

  #watched(): Set<number> {
    return new Set([...this.#parts.endpoints].flatMap((endpoint) => endpoint.watchedWorkspaces()));
  }

  async #work(): Promise<void> {
    for (const [key, happening] of this.#waiting) {
      this.#waiting.delete(key);
      try {
        for (const change of await this.#parts.changesOf(happening)) await this.#announce(change);
      } catch (error) {
        this.#parts.log.warn({ err: error, topic: happening.topic }, "watchers of resources were not told");
      }
    }
  }

  async #announce(change: ResourceChange): Promise<void> {
    await Promise.all([...this.#parts.endpoints].map((endpoint) => endpoint.announce(change)));
  }
}
