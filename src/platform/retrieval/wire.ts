import type { CollectionStats, Entry, Hit, Kind, Query } from "./types.ts";

/** Which index. */
export interface Which {
  kind: Kind;
  workspaceId: number;
}

/** What the thread can be asked, with what it answers. */
export interface Questions {
  /** Takes the index into memory, from the disk if it is there; tells what it holds. */
  open: { ask: Which; answer: { ids: Float64Array; seqs: Float64Array } };
  change: { ask: Which & { put: readonly Entry[]; remove: readonly number[] }; answer: { bytes: number } };
  search: { ask: Which & { query: Query }; answer: Hit[] };
  stats: { ask: Which; answer: CollectionStats };
  /** Puts it on the disk if it has changed since it was last there. */
  seal: { ask: Which; answer: null };
  /** Takes it out of memory. */
  close: { ask: Which; answer: null };
  /** Takes it out of memory and off the disk. */
  drop: { ask: Which; answer: null };
}

export type QuestionName = keyof Questions;

export interface Asked {
  call: number;
  name: QuestionName;
  ask: Questions[QuestionName]["ask"];
}

export type Answered =
  | { call: number; answer: unknown }
  | { call: number; failure: string }
  /** The index is not open. */
  | { call: number; lost: true };
