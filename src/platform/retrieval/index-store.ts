import { rmSync } from "node:fs";
import { join } from "node:path";
import { ANALYSIS } from "./lexical/analysis.ts";
import { LexicalIndex, type LexicalParts } from "./lexical/lexical-index.ts";
import type { SlotColumns } from "./lexical/slots.ts";
import { RECIPES } from "./recipes.ts";
import { type AnyArray, readSegment, type Segment, writeSegment } from "./segment-file.ts";
import type { Kind } from "./types.ts";

interface Facts {
  analysis: number;
  terms: string[];
  languageNames: string[];
  threadKeys: string[];
}

/** The indexes on disk, which only spare the time to build them again. */
export class IndexStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The index as it was sealed, or an empty one where there is none that is whole and of this version. */
  load(kind: Kind, workspaceId: number): { index: LexicalIndex; isFromDisk: boolean } {
    const parts = toParts(readSegment(this.#pathOf(kind, workspaceId)));
    return { index: new LexicalIndex(RECIPES[kind], parts), isFromDisk: parts !== undefined };
  }

  save(kind: Kind, workspaceId: number, index: LexicalIndex): void {
    const { terms, postings, slots } = index.parts();
    const { languageNames, threadKeys } = slots;
    const facts = { analysis: ANALYSIS, terms, languageNames, threadKeys };
    writeSegment(this.#pathOf(kind, workspaceId), { facts, arrays: { ...postings, ...slots.columns } });
  }

  drop(kind: Kind, workspaceId: number): void {
    rmSync(this.#pathOf(kind, workspaceId), { force: true });
  }

  #pathOf(kind: Kind, workspaceId: number): string {
    return join(this.#folder, `${kind}-${workspaceId}.index`);
  }
}

function toParts(segment: Segment | undefined): LexicalParts | undefined {
  const facts = segment?.facts as Facts | undefined;
  if (segment === undefined || facts?.analysis !== ANALYSIS) return undefined;
  const { heads, tails, blocks, counts, words, ...columns } = segment.arrays as Record<string, AnyArray>;
  return {
    terms: facts.terms,
    postings: { heads, tails, blocks, counts, words } as LexicalParts["postings"],
    slots: {
      columns: columns as unknown as SlotColumns,
      languageNames: facts.languageNames,
      threadKeys: facts.threadKeys,
    },
  };
}
