import { AppError, isAppError } from "../../../kernel/errors.ts";

/** Whether the engine could not run a statement, whoever asks and however long it may take. */
export function isAboutSql(error: unknown): boolean {
  return isAppError(error) && error.code === "bad_request";
}

/** What the engine says quotes SQL that nobody wrote, and values of rows. */
export async function inOurWords<T>(running: Promise<T>): Promise<T> {
  try {
    return await running;
  } catch (error) {
    if (!isAboutSql(error)) throw error;
    throw new AppError("bad_request", "The query that this question became could not be run.", {
      hint: "Ask in another way, or tell the author of the model.",
      cause: error,
    });
  }
}
