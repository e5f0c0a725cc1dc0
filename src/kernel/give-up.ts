import { AppError } from "./errors.ts";

/** What `work` resolves with, or `unavailable` once it has taken too long; how it ends after that is not looked at. */
export async function giveUpAfter<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const hint = "Try again in a moment.";
  const timer = setTimeout(() => reject(new AppError("unavailable", message, { hint })), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
