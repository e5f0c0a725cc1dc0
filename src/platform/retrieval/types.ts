import type { Embedding } from "../embeddings/index.ts";

/** Kind of a collection; each has a recipe of its own (`recipes.ts`). */
export type Kind = "document" | "memory" | "asset";

/** A small value by which hits are filtered: the key of a knowledge base, a type, a flag as 0 or 1. */
export type Attribute = number | string;

/** Indexed entry: a chunk, a memory, an asset. */
export interface Entry {
  /** Its key in the catalog. */
  id: number;
  /** A higher number whenever anything of the entry has changed in the catalog. */
  seq: number;
  body: string;
  title?: string;
  /** More words under which it is to be found, with less weight: the path of its headings, its date in words. */
  context?: string;
  /** ISO 639-1; told from the text where it is missing. */
  language?: string;
  /** Entries of one thread lend each other their words: the turns of a talk, the parts of a text. */
  thread?: { key: string; order: number };
  /** Who says it. Questions that name one speaker are first of all about what that one said. */
  speaker?: string;
  /** What `Embeddings` made of it, as the owner keeps it; without one it is found by its words alone. */
  embedding?: Pick<Embedding, "fingerprint" | "vector">;
  attributes?: Record<string, Attribute | readonly Attribute[]>;
  /** When it holds, in ms since 1970; open ends are left out. */
  validFrom?: number;
  validTo?: number;
  /** When it was known at all; open ends are left out. */
  knownFrom?: number;
  knownTo?: number;
  /** Before `until` another end of it was believed in, at the latest `validTo`; an open one is left out. */
  earlierEnd?: { until: number; validTo?: number };
}

/** Which of the entries, by their times in ms since 1970. */
export interface Times {
  /** Only what holds at that time. */
  at?: number;
  /** As far as was known at that time. */
  knownAt?: number;
  /** Only what does not end before. */
  endsAfter?: number;
  /** Only what became known in this period. */
  knownSince?: number;
  knownBefore?: number;
}

/** Every attribute that is named must have one of its values. */
export type Filter = Record<string, readonly Attribute[]>;

export interface Query extends Times {
  text: string;
  /** How many hits at most. */
  k: number;
  filter?: Filter;
  /** Which legs are asked; all that there are, otherwise. */
  legs?: readonly (keyof Legs)[];
}

/** Words; direction of the whole text; its tokens against those of the question. */
export interface Legs {
  lexical: number;
  dense?: number;
  tokens?: number;
}

export interface Hit {
  id: number;
  /** 0 to 1: of memories how much of the question's weight was found; of others how likely they are what was asked for. */
  score: number;
  /** What each leg says of it, 0 to 1; left out where it was not asked. */
  legs: Legs;
  signs: Signs;
}

/** What else speaks for or against an entry of a talk. */
export interface Signs {
  /** 1 if the speaker that the question names says it, -1 if another does. */
  speaker: number;
  /** 1 if it is a question itself. */
  asks: number;
  /** 0 to 1: how much else its thread has that answers the question. */
  thread: number;
}

/**
 * How an index is filled: the catalog is the truth, and everything here can be made of it again. An index holds vectors
 * of one model, whose `fingerprint` is asked for.
 */
export interface Source {
  /** The catalog logs each change of these entries (`retrieval.tables.ts`), so that a search can look for what is new. */
  isLogged?: boolean;
  /**
   * Keys and numbers of all entries of a workspace with a key above `after`, by their keys, at most `limit`. The number
   * of an entry grows when its vector is kept, too.
   */
  list(
    workspaceId: number,
    after: number,
    limit: number,
    fingerprint: string,
  ): Promise<readonly { id: number; seq: number }[]>;
  /** The entries with these keys. Those that are missing are gone. */
  read(workspaceId: number, ids: readonly number[], fingerprint: string): Promise<readonly Entry[]>;
  /** The tokens of their embeddings, for those that have some: the best candidates are compared by them once more. */
  tokens?(
    workspaceId: number,
    ids: readonly number[],
    fingerprint: string,
  ): Promise<readonly { id: number; tokens: Uint8Array }[]>;
}

/** An entry that has no vector yet. */
export interface Unembedded {
  id: number;
  workspaceId: number;
  text: string;
}

/** Where the vectors of a collection are: with its owner's rows, so that they go when these go. */
export interface KeptVectors {
  /** Entries of all workspaces without a vector of this model, by their keys: those above `after`, and only of `ids`. */
  missing(
    fingerprint: string,
    which: { after: number; ids?: readonly number[] },
    limit: number,
  ): Promise<readonly Unembedded[]>;
  /** One without any bytes belongs to a text that the model refuses. Entries that are gone meanwhile are left out. */
  keep(embedded: readonly { id: number; embedding: Embedding }[]): Promise<void>;
  /** All entries have a vector of this model now: those of others can go. */
  dropOthers(fingerprint: string): Promise<void>;
}

export interface CollectionStats {
  entries: number;
  /** Those of them that have a vector. */
  vectors: number;
  postings: number;
  bytes: number;
}
