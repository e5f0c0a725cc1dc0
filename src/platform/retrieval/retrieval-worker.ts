/** Runs in a thread of its own and holds the indexes: searching and analysing take longer than an event loop may. */
import { workerData } from "node:worker_threads";
import { maxSim } from "../embeddings/index.ts";
import { type Answers, answerCalls, NotHeld } from "../workers/index.ts";
import { IndexStore } from "./index-store.ts";
import { analyseQuery } from "./lexical/analysis.ts";
import type { LexicalIndex } from "./lexical/lexical-index.ts";
import type { Entry, Query } from "./types.ts";
import type { Candidate, Held, IndexCalls, Which } from "./wire.ts";

interface Opened {
  index: LexicalIndex;
  /** Changes since it was sealed, and when that was asked for. */
  changes: number;
  sealedMs: number;
  /** What the last search let through: the second half of a search lets the same through. */
  mask?: { of: string; mask: Uint8Array };
}

/**
 * Sealed when so many entries and a tenth of all have changed: reading them again at start takes seconds. Not more often,
 * because the whole index is written: one that is built would be written ten times over.
 */
const CHANGES = 2_000;
const SEAL_EVERY_MS = 60_000;

const store = new IndexStore((workerData as { folder: string }).folder);
const indexes = new Map<string, Opened>();

const answers: Answers<IndexCalls> = {
  ping: () => null,
  open({ isAnew, ...which }) {
    const index = isAnew ? store.empty(which) : store.load(which);
    indexes.set(keyOf(which), { index, changes: 0, sealedMs: Number.NEGATIVE_INFINITY });
    return heldBy(index);
  },
  change({ put, remove, ...which }) {
    const opened = openedOf(which);
    for (const id of remove) opened.index.remove(id);
    for (const entry of put) if (isNews(opened.index, entry)) opened.index.put(entry);
    opened.changes += put.length + remove.length;
    delete opened.mask;
    // What was not written now is written when it is put away, or built again.
    if (isDue(opened)) write(which, opened).catch(() => undefined);
    return { bytes: opened.index.bytes };
  },
  search({ query, ...which }) {
    const opened = openedOf(which);
    const { index } = opened;
    const { words, said, language } = analyseQuery(query.text, index.languages, index.allLanguages());
    const named = index.slots.speakerAmong(said);
    const hits = index.search(words, maskOf(opened, query), candidatesFor(query), language);
    const candidates = hits.map(({ slot, score }) => candidateOf(index, slot, score, 0, named));
    const speaker = named === undefined ? undefined : index.slots.speakerNames[named]!.split(" ")[0];
    return { language, speaker, hasVectors: index.vectors.count > 0, candidates };
  },
  near({ query, vector, others, ...which }) {
    const opened = openedOf(which);
    const { index } = opened;
    const near = index.vectors.search(vector, maskOf(opened, query), candidatesFor(query));
    const named = index.slots.speakerAmong(analyseQuery(query.text, index.languages).said);
    const known = new Set(near.map(({ slot }) => index.slots.ids[slot]!));
    const rest = others.flatMap((id) => {
      const slot = known.has(id) ? undefined : index.slots.slotOf(id);
      return slot === undefined ? [] : { slot, cosine: index.vectors.cosine(vector, slot) };
    });
    return [...near, ...rest].map(({ slot, cosine }) => candidateOf(index, slot, 0, cosine, named));
  },
  compare({ query, texts }) {
    const worth = maxSim(query);
    return texts.map(worth);
  },
  stats: (which) => openedOf(which).index.stats,
  async seal(which) {
    await write(which, openedOf(which));
    return null;
  },
  async purge(which) {
    const opened = openedOf(which);
    delete opened.mask;
    opened.index.compact();
    opened.changes += 1;
    await write(which, opened);
    return null;
  },
  close(which) {
    indexes.delete(keyOf(which));
    return null;
  },
};

function isDue({ index, changes, sealedMs }: Opened): boolean {
  return changes > CHANGES + index.slots.live / 10 && performance.now() - sealedMs > SEAL_EVERY_MS;
}

/** One at a time, in the order in which they were asked for. */
let writing: Promise<void> = Promise.resolve();

function write(which: Which, opened: Opened): Promise<void> {
  if (opened.changes === 0) return writing;
  const { changes } = opened;
  opened.changes = 0;
  opened.sealedMs = performance.now();
  const written = writing.then(() => store.save(which, opened.index));
  writing = written.catch(() => {
    opened.changes += changes;
  });
  return written;
}

function maskOf(opened: Opened, { filter, text: _text, k: _k, legs: _legs, ...times }: Query): Uint8Array {
  const of = JSON.stringify([filter, times]);
  if (opened.mask?.of !== of) opened.mask = { of, mask: opened.index.mask(filter, times) };
  return opened.mask.mask;
}

function heldBy({ slots }: LexicalIndex): Held {
  const ids = Float64Array.from(slots.liveIds());
  return { ids, seqs: ids.map((id) => slots.seqs[slots.slotOf(id)!]!) };
}

/** An older state of an entry may come late, when an index was opened twice. */
function isNews({ slots }: LexicalIndex, { id, seq }: Entry): boolean {
  const slot = slots.slotOf(id);
  return slot === undefined || seq >= slots.seqs[slot]!;
}

/** The best of these become hits; as many more as a better order could bring forward. */
function candidatesFor({ k }: Query): number {
  return Math.max(100, 2 * k);
}

function candidateOf(
  index: LexicalIndex,
  slot: number,
  lexical: number,
  cosine: number,
  named?: number,
): Candidate {
  const { ids, speakers, asks, threads, languages, languageNames } = index.slots;
  return {
    id: ids[slot]!,
    lexical,
    cosine,
    hasVector: index.vectors.has(slot),
    language: languageNames[languages[slot]!]!,
    speaker: named === undefined || speakers[slot] === -1 ? 0 : speakers[slot] === named ? 1 : -1,
    asks: asks[slot]!,
    thread: threads[slot]!,
  };
}

function keyOf({ kind, workspaceId, build }: Which): string {
  return `${kind}-${workspaceId}-${build}`;
}

function openedOf(which: Which): Opened {
  const opened = indexes.get(keyOf(which));
  if (opened === undefined) throw new NotHeld();
  return opened;
}

answerCalls(answers);
