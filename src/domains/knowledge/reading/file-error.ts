import { AppError, isAppError } from "../../../kernel/errors.ts";

/** What a library threw, as the file's fault. */
export function asFileError(error: unknown): unknown {
  if (isAppError(error)) return error;
  return new AppError("bad_request", "The file is damaged, or not what its name says.", { cause: error });
}
