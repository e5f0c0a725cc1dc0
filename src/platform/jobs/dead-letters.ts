import type { JobWithMetadata, PgBoss } from "pg-boss";
import type { z } from "zod";
import { POLLING } from "./boss.ts";
import type { GivenUpHandler } from "./job-options.ts";

/** Where pg-boss puts a copy of every job that was given up, in the statement that gives it up. */
export const DEAD_LETTERS = "jobs.given-up";
/** Enough for the database to be away for some minutes. */
const RETRIES = 10;
/** What pg-boss says of a job that did not end by itself, and what we say when it is told to. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^job heartbeat timeout$/, "The server stopped in the middle of it."],
  [/^job timed out$|^handler execution exceeded|^The job took longer than/, "It took too long."],
];
/** What else was thrown is for the log alone. */
const UNEXPECTED = "Something went wrong inside Kenning; its log says what.";

/** What a job left: its result, its error, or what pg-boss says of one that did not end by itself. */
export interface JobOutput {
  result?: unknown;
  message?: string;
  value?: { message?: string };
}

export function messageIn(output: JobOutput | null | undefined): string | undefined {
  return output?.message ?? output?.value?.message;
}

export async function makeDeadLetters(boss: PgBoss): Promise<void> {
  await boss.createQueue(DEAD_LETTERS, { retryLimit: RETRIES, retryBackoff: true, notify: true });
}

interface Receiver {
  schema: z.ZodType;
  onGivenUp?: GivenUpHandler<unknown> | undefined;
}

/**
 * A job whose process died in its last try, or that never ended, has nobody left to say so: whoever defined it is told
 * here, and again where that fails. Resolves with the id of the worker.
 */
export async function readDeadLetters(boss: PgBoss, receiverOf: (name: string) => Receiver): Promise<string> {
  const options = { includeMetadata: true, ...POLLING, localConcurrency: 2, groupConcurrency: 1 } as const;
  const worker = await boss.work(DEAD_LETTERS, options, async (jobs) => {
    // pg-boss rests after each job, but there may be more than the one it was woken for.
    boss.notifyWorker(worker);
    const [{ data, output, sourceName, sourceRetryCount }] = jobs as [JobWithMetadata<unknown>];
    const { schema, onGivenUp } = receiverOf(sourceName ?? "");
    await onGivenUp?.(schema.parse(data), {
      reason:
        REASONS.find(([said]) => said.test(messageIn(output as JobOutput | null) ?? ""))?.[1] ?? UNEXPECTED,
      tries: (sourceRetryCount ?? 0) + 1,
    });
  });
  return worker;
}
