import type { Logger } from "pino";
import { clip } from "../../kernel/text.ts";
import { withTimeout } from "../../kernel/time.ts";
import { type Caller, limitPassed } from "../../registry/caller.ts";
import type { Registry } from "../../registry/registry.ts";
import type { KnowledgeServices } from "../knowledge/index.ts";
import { type MemoryServices, titleOf } from "../memory/index.ts";
import { inLanguageOf, t } from "./explain/words.ts";

interface Parts {
  answers: Pick<KnowledgeServices["answers"], "quoted">;
  memory: Pick<MemoryServices["memory"], "nearest">;
  /** Knows what a caller needs for each tool. */
  registry: Pick<Registry, "tool">;
  log: Pick<Logger, "debug">;
  /** Longest that is waited for each of them. */
  ms: number;
}

/** Of the question's weight so much is found in a memory that tells of the same: one that shares a word has less. */
const LEAST_SCORE = 0.4;
const TITLE_CHARACTERS = 120;

/** Where else than in the data something is known about a question. */
export class OtherSources {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Sentences that point to documents and to memory where these answer a question: as far as the caller could call the
   * tool that tells it, and none where that takes too long or fails, since the question has its answer without.
   */
  async pointersFor(caller: Caller, question: string, say: (text: string) => string): Promise<string[]> {
    const [document, memory] = await Promise.all([
      this.#looked(caller, "ask_documents", () => this.#document(caller, question)),
      this.#looked(caller, "recall", () => this.#memory(caller, question)),
    ]);
    const named = (title: string) => clip(title.replaceAll(/\s+/g, " ").trim(), TITLE_CHARACTERS);
    // Titles are written by anybody, and name no tools of ours.
    return inLanguageOf([question], () => [
      ...(document === undefined
        ? []
        : [t`The document ${named(document)} says something about this: ${say("{tool:ask_documents}")}.`]),
      ...(memory === undefined
        ? []
        : [t`Memory knows something about this (${named(memory)}): ${say("{tool:recall}")}.`]),
    ]);
  }

  async #document(caller: Caller, question: string): Promise<string | undefined> {
    const { status, citations } = await this.#parts.answers.quoted(caller, { question });
    return status === "answered" ? citations[0]?.document : undefined;
  }

  async #memory(caller: Caller, question: string): Promise<string | undefined> {
    const best = await this.#parts.memory.nearest(caller, question);
    return best !== undefined && best.score >= LEAST_SCORE ? titleOf(best) : undefined;
  }

  async #looked(
    caller: Caller,
    name: string,
    look: () => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const { registry, log, ms } = this.#parts;
    const tool = registry.tool("all", name)?.tool;
    const isPermitted = tool?.permissions.every((permission) => caller.permissions.includes(permission));
    if (tool === undefined || isPermitted !== true || limitPassed(caller, tool) !== undefined)
      return undefined;
    try {
      return await withTimeout(ms, look(), `${name} took too long`);
    } catch (err) {
      log.debug({ err, tool: name }, "a refusal points to nothing");
      return undefined;
    }
  }
}
