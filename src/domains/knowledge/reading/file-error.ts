import { AppError, isAppError } from "../../../kernel/errors.ts";

/** What a library threw, as the file's fault. */
export function asFileError(error: unknown): unknown {
  if (isAppError(error)) return error;
  return new AppError("bad_request", "The file is damaged, or not what its name says.", { cause: error });
}

export function lockedFile(cause?: unknown): AppError {
  return new AppError("unsupported", "The file is protected by a password.", {
    hint: "Save it without one and add it again.",
    cause,
  });
}

export function unreadableFile(what: string, hint?: string): AppError {
  return new AppError("unsupported", `Files of this kind (${what}) cannot be read.`, hint ? { hint } : {});
}
