/** Runs in a thread of its own and holds the indexes: searching and analysing take longer than an event loop may. */
import { parentPort, workerData } from "node:worker_threads";
import { IndexStore } from "./index-store.ts";
import { analyseQuery } from "./lexical/analysis.ts";
import type { LexicalIndex } from "./lexical/lexical-index.ts";
import type { Query } from "./types.ts";
import type { Answered, Asked, QuestionName, Questions, Which } from "./wire.ts";

interface Opened {
  index: LexicalIndex;
  /** Changes since it was sealed. */
  changes: number;
}

/** Sealed when so many entries have changed, or a tenth of all: reading them again at start takes seconds. */
const CHANGES = 2_000;

const store = new IndexStore((workerData as { folder: string }).folder);
const indexes = new Map<string, Opened>();

type Answers = { [Name in QuestionName]: (ask: Questions[Name]["ask"]) => Questions[Name]["answer"] };

const answers: Answers = {
  open(which) {
    const { index } = store.load(which.kind, which.workspaceId);
    indexes.set(keyOf(which), { index, changes: 0 });
    const ids = Float64Array.from(index.slots.liveIds());
    return { ids, seqs: ids.map((id) => index.slots.seqs[index.slots.slotOf(id)!]!) };
  },
  change({ put, remove, ...which }) {
    const opened = openedOf(which);
    for (const id of remove) opened.index.remove(id);
    for (const entry of put) opened.index.put(entry);
    opened.changes += put.length + remove.length;
    if (opened.changes > CHANGES + opened.index.slots.live / 10) answers.seal(which);
    return { bytes: opened.index.bytes };
  },
  search({ query, ...which }) {
    return search(openedOf(which).index, query);
  },
  stats: (which) => openedOf(which).index.stats,
  seal(which) {
    const opened = openedOf(which);
    if (opened.changes > 0) store.save(which.kind, which.workspaceId, opened.index);
    opened.changes = 0;
    return null;
  },
  close(which) {
    indexes.delete(keyOf(which));
    return null;
  },
  drop(which) {
    indexes.delete(keyOf(which));
    store.drop(which.kind, which.workspaceId);
    return null;
  },
};

function search(index: LexicalIndex, { text, k, filter, at }: Query) {
  const hits = index.search(analyseQuery(text, index.languages), index.mask(filter, at), k);
  return hits.map(({ slot, score }) => ({ id: index.slots.ids[slot]!, score, legs: { lexical: score } }));
}

function keyOf({ kind, workspaceId }: Which): string {
  return `${kind}-${workspaceId}`;
}

class NotOpen extends Error {}

function openedOf(which: Which): Opened {
  const opened = indexes.get(keyOf(which));
  if (opened === undefined) throw new NotOpen();
  return opened;
}

parentPort?.on("message", ({ call, name, ask }: Asked) => {
  let answered: Answered;
  try {
    answered = { call, answer: (answers[name] as (ask: unknown) => unknown)(ask) };
  } catch (error) {
    if (error instanceof NotOpen) answered = { call, lost: true };
    else
      answered = { call, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  parentPort?.postMessage(answered);
});
