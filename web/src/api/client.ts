import { t } from "../words/words.ts";

export interface Workspace {
  slug: string;
  name: string;
  role: "admin" | "contributor" | "viewer";
  hasContent: boolean;
}

export interface Session {
  user: { name: string; email: string };
  language: "en" | "de";
  workspaces: Workspace[];
  version: string;
}

/** What the server refused, in its words: what happened, what to do next, and the id of the request. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;

  constructor(status: number, told: { code?: string; message?: string; hint?: string; request_id?: string }) {
    super(told.message ?? t`The server did not answer as expected (${status}).`);
    this.code = told.code ?? "unknown";
    this.status = status;
    this.hint = told.hint;
    this.requestId = told.request_id;
  }
}

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The thread that a question is kept in. */
  thread?: string | undefined;
  /** Told of each step; the answer comes as a stream then. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Nobody who has to sign in again loses their place. */
function signIn(): never {
  const here = location.pathname + location.search;
  location.assign(`/sign-in?return_to=${encodeURIComponent(here)}`);
  throw new ApiError(401, { code: "unauthorized", message: t`Sign in to go on.` });
}

export async function readSession(): Promise<Session> {
  const response = await send("/api/console/session");
  return (await response.json()) as Session;
}

/** Calls one tool of a workspace, on the path that every caller takes. */
export async function callTool<T>(
  workspace: string,
  tool: string,
  args: object,
  { signal, onProgress, thread }: CallOptions = {},
): Promise<T> {
  const accept = onProgress === undefined ? "application/json" : "text/event-stream";
  const response = await send(`/api/console/w/${encodeURIComponent(workspace)}/call/${tool}`, {
    method: "POST",
    body: JSON.stringify(args),
    headers: {
      ...{ "content-type": "application/json", accept },
      ...(thread !== undefined && { "x-kenning-thread": thread }),
    },
    signal: signal ?? null,
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (isStream && response.body !== null) return readStream<T>(response.body, onProgress ?? (() => {}));
  return ((await response.json()) as { result: T }).result;
}

/** Large files go up as they are; the answer names them for the tool that reads them. */
export async function uploadFile(workspace: string, file: File): Promise<unknown> {
  const path = `/api/console/w/${encodeURIComponent(workspace)}/files?name=${encodeURIComponent(file.name)}`;
  const response = await send(path, { method: "POST", body: file });
  return ((await response.json()) as { file: unknown }).file;
}

export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("x-kenning-console", "1");
  const response = await fetch(path, { ...init, headers, credentials: "same-origin" }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new ApiError(0, {
        code: "offline",
        message: t`The server cannot be reached.`,
        hint: t`Nothing was lost: try again in a moment.`,
      });
    },
  );
  if (response.status === 401) signIn();
  if (response.ok) return response;
  throw new ApiError(response.status, toldIn(await response.json().catch(() => ({}))));
}

type Told = ConstructorParameters<typeof ApiError>[1];

/** Calls of tools tell in an object what went wrong; routes beside them with the code alone. */
function toldIn(body: unknown): Told {
  const { error, message } = (body ?? {}) as { error?: string | Told; message?: string };
  if (typeof error !== "string") return error ?? {};
  return { code: error, ...(message !== undefined && { message }) };
}

/** Read to its end, so that the connection is closed by whoever has said all. */
async function readStream<T>(
  body: ReadableStream<Uint8Array>,
  onProgress: (progress: Progress) => void,
): Promise<T> {
  let rest = "";
  let last: { name: string; data: unknown } | undefined;
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (let isOver = false; !isOver; ) {
    const { done, value } = await reader.read();
    isOver = done;
    rest += decoder.decode(value, { stream: !done });
    const events = rest.split(/\r?\n\r?\n/);
    rest = done ? "" : (events.pop() ?? "");
    for (const event of events.map(parseEvent)) {
      if (event.name === "progress") onProgress(event.data as Progress);
      if (event.name === "result" || event.name === "error") last = event;
    }
  }
  if (last?.name === "result") return unwrapped<T>(last.data, "result");
  if (last?.name === "error") throw new ApiError(200, unwrapped(last.data, "error"));
  throw new ApiError(0, {
    code: "offline",
    message: t`The connection ended before the answer was there.`,
    hint: t`Nothing was lost: try again in a moment.`,
  });
}

function unwrapped<T>(data: unknown, key: string): T {
  const isWrapped = typeof data === "object" && data !== null && Object.keys(data).join() === key;
  return (isWrapped ? (data as Record<string, T>)[key] : data) as T;
}

function parseEvent(event: string): { name: string; data: unknown } {
  const lines = event.split(/\r?\n/);
  const of = (field: string) =>
    lines.flatMap((line) => (line.startsWith(`${field}:`) ? line.slice(field.length + 1).trimStart() : []));
  const data = of("data").join("\n");
  return { name: of("event")[0] ?? "message", data: data === "" ? null : JSON.parse(data) };
}
