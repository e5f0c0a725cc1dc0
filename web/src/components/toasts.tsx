import { lazy, Suspense, useCallback, useState, useSyncExternalStore } from "react";
import { ApiError } from "../api/client.ts";
import { t } from "../words/words.ts";

export interface Message {
  title: string;
  description?: string;
  type?: "error";
  timeout: number;
  undo?: () => void;
}

const STAYS_MS = 5_000;
/** Whoever wants to undo has this long. */
const UNDO_MS = 10_000;

const listeners = new Set<() => void>();
let waiting: readonly Message[] = [];

function say(message: Message | null): void {
  waiting = message === null ? [] : [...waiting, message];
  for (const listener of listeners) listener();
}

/** Says that something is done, and for ten seconds takes it back. */
export function told(title: string, undo?: () => void): void {
  say({ title, timeout: undo === undefined ? STAYS_MS : UNDO_MS, ...(undo !== undefined && { undo }) });
}

export function toldError(error: unknown): void {
  const title = error instanceof Error ? error.message : String(error);
  const more =
    error instanceof ApiError ? [error.hint, error.requestId && t`Request ${error.requestId}`] : [];
  say({ title, description: more.filter(Boolean).join(" · "), type: "error", timeout: UNDO_MS });
}

const ToastList = lazy(() => import("./toast-list.tsx").then((loaded) => ({ default: loaded.ToastList })));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Loaded with the first message. */
export function Toasts() {
  const messages = useSyncExternalStore(subscribe, () => waiting);
  const [isNeeded, need] = useState(false);
  if (messages.length > 0 && !isNeeded) need(true);
  const onShown = useCallback(() => say(null), []);
  if (!isNeeded) return null;
  return (
    <Suspense>
      <ToastList messages={messages} onShown={onShown} />
    </Suspense>
  );
}
