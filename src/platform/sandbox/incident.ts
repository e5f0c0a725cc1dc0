import { AppError, type AppErrorOptions, type ErrorCode, messageOf } from "../../kernel/errors.ts";
import { randomText } from "../../kernel/text.ts";

const ID_BYTES = 8;
/** A stack trace, and a few values. */
const DETAIL_CHARACTERS = 8_000;

/** DuckDB's errors about itself, after which it refuses everything. */
const OWN_ERROR = /^(?:Failed to [a-z ]+: )?(?:INTERNAL|FATAL) Error: /;

/** Whether an error is a bug of the engine, and not about what it was asked. */
export function isEngineBug(error: unknown): boolean {
  return OWN_ERROR.test(messageOf(error));
}

/**
 * A bug of the engine that a sandboxed process runs. Its words may quote anybody's data and tell of the machine, so
 * the caller gets an id, and the log has the words under it.
 */
export function incidentError(
  code: ErrorCode,
  message: string,
  { hint = "", cause }: Pick<AppErrorOptions, "hint" | "cause">,
): AppError {
  const incident = randomText(ID_BYTES);
  return new AppError(code, message, {
    hint: `${hint} The operator finds the reason in the log under ${incident}.`.trimStart(),
    data: { incident },
    cause,
  });
}

/** What the log has to say about such an error; undefined for every other one. */
export function detailOf({ data, cause }: AppError): string | undefined {
  if (data.incident === undefined) return undefined;
  return messageOf(cause).slice(0, DETAIL_CHARACTERS).toWellFormed();
}
