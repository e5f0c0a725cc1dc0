import type { CatalogTx } from "../catalog/index.ts";

export interface JobContext {
  /** 1 for the first try. */
  attempt: number;
  /** Aborts when the job is cancelled, takes too long, or Kenning stops. */
  signal: AbortSignal;
}

/** May run more than once for one job, so it must not mind. Its result is kept as JSON. */
export type JobHandler<T> = (data: T, context: JobContext) => Promise<unknown>;

/** May run more than once, and after a handler that has already written down why it failed. */
export type GivenUpHandler<T> = (data: T, why: { reason: string; tries: number }) => Promise<void>;

export interface JobOptions {
  /** Jobs of this name at work at the same time in one process: at least two, or one workspace could hold them all. */
  concurrency: number;
  /** Jobs of one workspace at work at the same time, in all processes; always fewer than workers, and half of them unless told otherwise. */
  perGroup: number;
  /** Further tries after the first one failed. */
  retries: number;
  /** Wait before the first retry; it doubles with each one. */
  retryDelaySeconds: number;
  longestRetryDelaySeconds: number;
  timeoutSeconds: number;
  /** Whether jobs have keys that keep others back. Without, one whose process died is tried again sooner. */
  keyed: boolean;
  /** When Kenning stops: let it finish, or tell it to end, to be tried again by the next process. */
  onStop: "finish" | "abort";
  /** How long finished jobs can be asked for. */
  keepSeconds: number;
}

export const DEFAULT_OPTIONS: Omit<JobOptions, "perGroup"> = {
  concurrency: 2,
  retries: 3,
  retryDelaySeconds: 2,
  longestRetryDelaySeconds: 600,
  timeoutSeconds: 900,
  keyed: true,
  onStop: "finish",
  keepSeconds: 7 * 86_400,
};

export interface EnqueueOptions {
  /** The job exists if and only if this transaction commits. */
  tx?: CatalogTx;
  /** At most one job with this key waits and one runs; enqueueing again returns the waiting one. */
  singletonKey?: string;
  startAfter?: Date;
  /** Whose job it is: a workspace has its share of the workers and no more. */
  group: string;
}

export interface JobStatus {
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  attempt: number;
  result: unknown;
  error: string | undefined;
}
