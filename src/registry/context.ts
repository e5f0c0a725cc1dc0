import { AsyncLocalStorage } from "node:async_hooks";
import type { z } from "zod";
import { AppError } from "../kernel/errors.ts";
import type { JsonSlice } from "../kernel/json.ts";
import type { Caller, CallMeta } from "./caller.ts";
import type { ContentBlock, Toolset } from "./define-tool.ts";

/** What every handler gets, beside the services of its slice. */
export interface CallContext {
  caller: Caller;
  meta: CallMeta;
  /** Fires when the client cancels, the connection ends or the time limit is reached. */
  signal: AbortSignal;
  client: ClientLink;
  /** A text that names tools as `{tool:get_details}`, in the names that the caller's surface has for them. */
  say: (text: string) => string;
  /** Facts about what came out, for the audit log. */
  note: (facts: Record<string, unknown>) => void;
  /** Values of the data that stand in the arguments, which the audit log does not keep. */
  conceal: (values: readonly string[]) => void;
  /** The argument that the tool named as its `longList`, where it was too long to be parsed. */
  longList?: JsonSlice;
}

export interface Question<T extends z.ZodObject> {
  message: string;
  schema: T;
}

export type Answer<T> = { action: "accept"; content: T } | { action: "decline" | "cancel" };

export interface SampleRequest {
  prompt: string;
  system?: string;
  maxTokens: number;
}

export interface ListedToolset {
  /** The tools of it that this caller sees; with none, nothing was changed. */
  tools: string[];
  /** What keeps it: the request had them listed already, or the session, or the server for this client and token. */
  keeper: "request" | "session" | "client";
  /** The address of the endpoint that has them listed from the start. */
  url: string;
}

export interface Shown {
  content?: readonly ContentBlock[];
  meta?: Record<string, unknown>;
}

/**
 * The person and the model on the other side of a call.
 *
 * A question ends the run: the client brings the answer, and the handler runs again from its start,
 * this time with the answer in hand. So a handler that asks must be restartable. Three rules make
 * that easy: give each question its own key; ask before you change anything; put work that is costly
 * or must happen once before a question into `step`, whose result is carried along (signed, but
 * readable by the client, so no secrets in it).
 */
export interface ClientLink {
  readonly canElicit: boolean;
  readonly canSample: boolean;
  /** Shows apps beside results: pages of ours (`ui://`) in a frame of the client's. */
  readonly showsApps: boolean;
  progress(done: number, options?: { total?: number; message?: string }): void;
  /** Adds to the result what is not part of the tool's output: blocks behind its content, or `_meta`, which no model sees. */
  show(more: Shown): void;
  /** A line for the client's log, where it keeps one. */
  log(level: "debug" | "info" | "warning" | "error", message: string): void;
  /** Asks the person. Questions asked together (`Promise.all`) are put together. */
  elicit<T extends z.ZodObject>(key: string, question: Question<T>): Promise<Answer<z.output<T>>>;
  /** Lets the client's own model write a text. */
  sample(key: string, request: SampleRequest): Promise<string>;
  /** Puts any request of the protocol to the client and returns its bare answer, unchecked. */
  ask(
    key: string,
    request: { method: string; params?: Record<string, unknown> | undefined },
  ): Promise<Record<string, unknown>>;
  /** Adds the tools of a toolset to what this client is shown from now on, and tells it so. */
  listToolset(toolset: Toolset): Promise<ListedToolset>;
  /** Runs `work` once for all runs of this call. */
  step<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Thrown by the link to end a run that must wait for the client. Not an error: never catch it. */
export class InputNeeded extends Error {
  constructor() {
    super("This call waits for the client's answer and will run again.");
    this.name = "InputNeeded";
  }
}

/** For calls behind which there is nobody to ask and nothing to report progress to, such as those over plain REST. */
export const NO_CLIENT: ClientLink = {
  canElicit: false,
  canSample: false,
  showsApps: false,
  show: () => undefined,
  progress: () => undefined,
  log: () => undefined,
  step: (_key, work) => work(),
  elicit: refuseToAsk,
  sample: refuseToAsk,
  ask: refuseToAsk,
  listToolset: refuseToAsk,
};

async function refuseToAsk(): Promise<never> {
  throw new AppError("unsupported", "This call needs an answer from its client.", {
    hint: "Use an MCP client for it.",
  });
}

/** Datasets that one call names in the audit log. */
const MOST = 100;

const current = new AsyncLocalStorage<Set<number>>();

/** Runs a call, and notes whose rows it reads, however deep below: the audit log is asked who read a dataset. */
export function notingDatasets<T>(read: Set<number>, work: () => Promise<T>): Promise<T> {
  return current.run(read, work);
}

/** The call that runs now is about to read rows of this dataset, or to change them. */
export function noteDataset(id: number): void {
  const read = current.getStore();
  if (read !== undefined && read.size < MOST) read.add(id);
}

/** Those that the call has read or changed so far. */
export function readDatasets(): number[] {
  return [...(current.getStore() ?? [])];
}
