import { useSyncExternalStore } from "react";
import type { Answer } from "./answer.ts";

/** A question that was asked; its answer is worked out again when it is looked at, on the rows of then. */
export interface KeptTurn {
  id: string;
  question: string;
  askedAt: string;
  scope: string;
  answer: Pick<Answer, "id" | "source" | "model"> | null;
}

export interface Thread {
  id: string;
  title: string;
  changedAt: string;
  turns: KeptTurn[];
}

const MOST_THREADS = 50;
const MOST_TURNS = 60;
const NONE: Thread[] = [];

/** Threads are of this browser: the server keeps answers, and not which of them were asked together. */
const cache = new Map<string, Thread[]>();
const listeners = new Set<() => void>();

function keyOf(workspace: string): string {
  return `kenning.threads.${workspace}`;
}

function threadsOf(workspace: string): Thread[] {
  const known = cache.get(workspace);
  if (known !== undefined) return known;
  const read = parsed(localStorage.getItem(keyOf(workspace)));
  cache.set(workspace, read);
  return read;
}

function parsed(text: string | null): Thread[] {
  try {
    const threads: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(threads) ? (threads as Thread[]) : NONE;
  } catch {
    return NONE;
  }
}

export function useThreads(workspace: string): Thread[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => threadsOf(workspace),
  );
}

function keep(workspace: string, threads: Thread[]): void {
  const kept = threads.slice(0, MOST_THREADS);
  cache.set(workspace, kept);
  try {
    localStorage.setItem(keyOf(workspace), JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing shows them until it is closed.
  }
  for (const listener of listeners) listener();
}

/** The thread that was changed last stands first. */
export function keepTurn(workspace: string, threadId: string, turn: KeptTurn): void {
  const all = threadsOf(workspace);
  const thread = all.find(({ id }) => id === threadId) ?? {
    id: threadId,
    title: turn.question,
    turns: [],
    changedAt: "",
  };
  const others = thread.turns.filter(({ id }) => id !== turn.id);
  const turns = [...others, turn].toSorted((a, b) => a.askedAt.localeCompare(b.askedAt)).slice(-MOST_TURNS);
  const changed = { ...thread, turns, changedAt: turn.askedAt };
  keep(workspace, [changed, ...all.filter(({ id }) => id !== threadId)]);
}

/** Gives back what brings it back. */
export function removeThread(workspace: string, threadId: string): () => void {
  const before = threadsOf(workspace);
  keep(
    workspace,
    before.filter(({ id }) => id !== threadId),
  );
  return () => keep(workspace, before);
}
