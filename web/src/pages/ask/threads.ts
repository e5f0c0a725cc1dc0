import { useMemo, useSyncExternalStore } from "react";
import { callTool } from "../../api/client.ts";
import { queries, refresh, useTool } from "../../api/hooks.ts";
import { toldError } from "../../components/toasts.tsx";
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
  thread_id: string;
  title: string;
  questions: number;
  used_at: string;
  client?: string;
}

interface ReadThread {
  title: string;
  turns: {
    question: string;
    answer_id: string | null;
    model: string | null;
    outcome: string | null;
    asked_at: string;
  }[];
}

/** One that an AI client began is called after it; that stands beside its question here. */
export function useThreads(): Thread[] {
  const { data } = useTool<{ threads: Thread[] }>("list_threads", { limit: 60 });
  return useMemo(
    () =>
      (data?.threads ?? []).map((thread) => {
        const [, client, title] = /^MCP: (.+?) — (.+)$/s.exec(thread.title) ?? [];
        return title === undefined || client === undefined ? thread : { ...thread, title, client };
      }),
    [data],
  );
}

const NO_TURNS: readonly KeptTurn[] = [];

/** What was asked on this page: it is shown before the server has it, and with what happened to it. */
const asked = new Map<string, readonly KeptTurn[]>();
const listeners = new Set<() => void>();

export function keepTurn(threadId: string, turn: KeptTurn): void {
  const before = asked.get(threadId) ?? NO_TURNS;
  const isKnown = before.some(({ id }) => id === turn.id);
  asked.set(
    threadId,
    isKnown ? before.map((each) => (each.id === turn.id ? turn : each)) : [...before, turn],
  );
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A thread as the server keeps it and as it goes on here; an AI client may go on with it meanwhile. */
export function useThread(threadId: string | undefined, threads: readonly Thread[]) {
  const own = useSyncExternalStore(subscribe, () => asked.get(threadId ?? "") ?? NO_TURNS);
  const listed = threads.find((each) => each.thread_id === threadId);
  const isKept = threadId !== undefined && (own.length === 0 || listed !== undefined);
  const { data, error } = useTool<ReadThread>("get_thread", { thread_id: threadId }, { enabled: isKept });
  const turns = useMemo(() => merged(data?.turns ?? [], own), [data, own]);
  const title = listed?.title ?? data?.title ?? own[0]?.question;
  return { turns, title, error, isLoading: isKept && data === undefined && error === null };
}

function merged(kept: ReadThread["turns"], own: readonly KeptTurn[]): KeptTurn[] {
  const isOwn = ({ answer_id: id, question }: ReadThread["turns"][number]) =>
    own.some((turn) => (id !== null && turn.answer?.id === id) || turn.question === question);
  const others = kept
    .filter((each) => !isOwn(each))
    .map(({ question, answer_id: id, model, outcome, asked_at: askedAt }, at): KeptTurn => {
      const answer = id === null || outcome === "refuse" ? null : { id, source: "model" as const, model };
      return { id: id ?? `${at} ${askedAt}`, question, askedAt, scope: "", answer };
    });
  return [...others, ...own].toSorted((a, b) => a.askedAt.localeCompare(b.askedAt));
}

/** Gives back what brings it back. */
export function removeThread(workspace: string, threadId: string): () => void {
  const change = (removed: boolean) =>
    void callTool(workspace, "change_thread", { thread_id: threadId, removed })
      .then(() => refresh(queries, workspace, ["list_threads"]))
      .catch(toldError);
  change(true);
  return () => change(false);
}
