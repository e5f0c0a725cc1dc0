import { extname, join } from "node:path";
import { WorkerPool } from "../../platform/workers/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { splitText } from "../knowledge/index.ts";
import { LIMITS } from "./limits.ts";

/** A section of a text, with the headings above it. */
export interface Section {
  content: string;
  titlePath: readonly string[];
}

const MODULE = join(import.meta.dirname, `splitter-worker${extname(import.meta.filename)}`);

/** Splits texts into sections: long ones in a thread, for they take longer than an event loop may. */
export class Splitter {
  readonly #pool = new WorkerPool<string, Section[]>({
    noun: "document",
    nouns: "documents",
    work: { doing: "Splitting", done: "split", did: "split" },
    hint: "Split it into several documents.",
    module: MODULE,
    workers: 1,
    waiting: 8,
    memoryMb: 512,
    timeoutMs: LIMITS.memory.splitMs,
  });

  async split({ workspace }: Caller, content: string): Promise<Section[]> {
    if (content.length <= LIMITS.memory.splitHereCharacters) return sectionsOf(content);
    return this.#pool.ask(String(workspace.id), undefined, () => ({ value: content }));
  }
}

export function sectionsOf(content: string): Section[] {
  const pieces = splitText(content).filter((piece) => piece.content.trim() !== "");
  return pieces.map(({ content: text, titlePath }) => ({ content: text, titlePath }));
}
