import type { CollectionStats, Entry, Kind, Query } from "./types.ts";

/** Which index. */
export interface Which {
  kind: Kind;
  workspaceId: number;
  /** The model whose vectors it holds. */
  fingerprint: string;
  /** Tells it from the one that it takes the place of. */
  build: number;
}

/** Keys and numbers of what an index holds. */
export interface Held {
  ids: Float64Array;
  seqs: Float64Array;
}

/** An entry that may be a hit. */
export interface Candidate {
  id: number;
  /** Part of the question's weight that its words have. */
  lexical: number;
  cosine: number;
  hasVector: boolean;
  language: string;
  /** 1 if the speaker that the question names says it, -1 if another does. */
  speaker: number;
  /** 1 if it is a question itself. */
  asks: number;
  /** The number of its thread; -1 without one. */
  thread: number;
}

/** How the question was understood. */
export interface Understood {
  language: string;
  /** The name of the one speaker in it, as it stands there in folded letters. */
  speaker: string | undefined;
  /** Whether anything can be found by direction. */
  hasVectors: boolean;
}

/** Protocol of the index thread: requests by name, with their answers. */
export type IndexCalls = {
  ping: { ask: null; answer: null };
  /** Takes the index into memory, from the disk if it is there and not to be built anew; tells what it holds. */
  open: { ask: Which & { isAnew: boolean }; answer: Held };
  change: { ask: Which & { put: readonly Entry[]; remove: readonly number[] }; answer: { bytes: number } };
  /** By words. */
  search: { ask: Which & { query: Query }; answer: Understood & { candidates: Candidate[] } };
  /** By direction: the nearest ones, and what the others' directions are. */
  near: {
    ask: Which & { query: Query; vector: Float32Array; others: readonly number[] };
    answer: Candidate[];
  };
  /** What tokens of texts are worth to those of a question. */
  compare: { ask: { query: Float32Array; texts: readonly Uint8Array[] }; answer: number[] };
  stats: { ask: Which; answer: CollectionStats };
  /** Puts it on the disk if it has changed since it was last there. */
  seal: { ask: Which; answer: null };
  /** Forgets what is gone, in memory and on the disk. */
  purge: { ask: Which; answer: null };
  /** Takes it out of memory. */
  close: { ask: Which; answer: null };
};
