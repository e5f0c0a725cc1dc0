import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ANALYSIS } from "./lexical/analysis.ts";
import { LexicalIndex, type LexicalParts } from "./lexical/lexical-index.ts";
import type { SlotColumns } from "./lexical/slots.ts";
import { RECIPES } from "./recipes.ts";
import { type AnyArray, readSegment, type Segment, writeSegment } from "./segment-file.ts";
import type { Kind } from "./types.ts";
import type { Which } from "./wire.ts";

interface Facts {
  analysis: number;
  fingerprint: string;
  speakerNames: string[];
  terms: string[];
  languageNames: string[];
  threadKeys: string[];
}

/** The indexes on disk, which only spare the time to build them again. */
export class IndexStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    removeHalves(folder);
  }

  /** The index as it was sealed, or an empty one where there is none that is whole, of this version and this model. */
  load({ kind, workspaceId, fingerprint }: Which): LexicalIndex {
    const segment = readSegment(this.#pathOf(kind, workspaceId));
    return new LexicalIndex(RECIPES[kind], fingerprint, segment && toParts(segment, fingerprint));
  }

  empty({ kind, fingerprint }: Which): LexicalIndex {
    return new LexicalIndex(RECIPES[kind], fingerprint);
  }

  /** As it is now, whatever changes while it is written. */
  async save({ kind, workspaceId, fingerprint }: Which, index: LexicalIndex): Promise<void> {
    const { terms, postings, slots, vectors } = index.parts();
    const { columns, languageNames, threadKeys, speakerNames } = slots;
    // Names only come to these lists, so that none that is needed is missing.
    const facts = { analysis: ANALYSIS, fingerprint, terms, languageNames, threadKeys, speakerNames };
    const views: Record<string, AnyArray> = { ...postings, ...columns };
    const arrays = Object.fromEntries(Object.entries(views).map(([name, array]) => [name, array.slice()]));
    await writeSegment(this.#pathOf(kind, workspaceId), {
      facts,
      arrays: { ...arrays, vectors: vectors.bytes },
    });
  }

  #pathOf(kind: Kind, workspaceId: number): string {
    return join(this.#folder, `${kind}-${workspaceId}.index`);
  }
}

/** How long writing a segment may take at most; what is older was left behind by a process that was killed. */
const HALF_MS = 10 * 60_000;

function removeHalves(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name);
    const modifiedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (name.endsWith(".half") && modifiedMs < Date.now() - HALF_MS) rmSync(path, { force: true });
  }
}

function toParts(segment: Segment, fingerprint: string): LexicalParts | undefined {
  const { analysis, fingerprint: kept, terms, ...names } = segment.facts as Facts;
  if (analysis !== ANALYSIS || kept !== fingerprint) return undefined;
  const { heads, tails, blocks, counts, words, vectors, ...columns } = segment.arrays as Record<
    string,
    AnyArray
  >;
  return {
    terms,
    postings: { heads, tails, blocks, counts, words } as LexicalParts["postings"],
    slots: { columns: columns as unknown as SlotColumns, ...names },
    vectors: { slots: columns.ids!.length, bytes: vectors as Int8Array },
  };
}
