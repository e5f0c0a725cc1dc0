import { AppError, isAppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";

interface TimeLimits {
  totalMs: number;
  queryMs: number;
}

/** Does the work of one question within its time, and says which time it was that ran out. */
export async function withinTime<T>(
  outer: AbortSignal,
  { totalMs, queryMs }: TimeLimits,
  question: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(totalMs);
  const signal = AbortSignal.any([outer, deadline]);
  try {
    signal.throwIfAborted();
    return await work(signal);
  } catch (error) {
    const isLate = deadline.aborted && !outer.aborted;
    const ofQuery = `: one query took longer than ${queryMs / 1000} seconds`;
    if (isLate || (isAppError(error) && error.code === "timeout"))
      throw tooLong(question, isLate ? ` after ${totalMs / 1000} seconds` : ofQuery, error);
    throw error;
  }
}

function tooLong(question: string, when: string, cause: unknown): AppError {
  return new AppError("timeout", `Agent execution timeout${when}`, {
    hint: "Ask for less, or split the question.",
    data: { question: clip(question, 200) },
    cause,
  });
}
