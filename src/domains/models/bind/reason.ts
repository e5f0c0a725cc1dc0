import { isAppError } from "../../../kernel/errors.ts";

/**
 * Why the engine refuses a text, without the picture of the statement: that is not as its author wrote it. What is
 * not about the text (the engine is busy, or has died) is thrown on, so that it is never taken for a broken model.
 */
export function reasonOf(error: unknown): string {
  const isAboutText = isAppError(error) && ["bad_request", "forbidden", "unsupported"].includes(error.code);
  if (!isAboutText) throw error;
  const [said = ""] = error.advice.split(/\n\s*LINE \d+:/);
  return said.replace(/\s+/g, " ").trim();
}

/** What the work gives, or why the engine refuses. */
export async function orReason<T>(work: Promise<T>): Promise<{ value: T } | { reason: string }> {
  try {
    return { value: await work };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}
