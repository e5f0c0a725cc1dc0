import { AppError } from "../../kernel/errors.ts";

const CAUSES_DEEP = 5;

/** The SQLSTATE or system error code of a failure, found through the wrappers that Drizzle puts around it. */
export function pgCodeOf(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < CAUSES_DEEP && current instanceof Error; depth += 1) {
    const { code } = current as { code?: unknown };
    if (typeof code === "string" && !(current instanceof AppError)) return code;
    current = current.cause;
  }
  return undefined;
}

/** Unique violation: a row with the same key exists (optionally: of this constraint). */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return pgCodeOf(error) === "23505" && (constraint === undefined || constraintOf(error) === constraint);
}

function constraintOf(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < CAUSES_DEEP && current instanceof Error; depth += 1) {
    const { constraint } = current as { constraint?: unknown };
    if (typeof constraint === "string") return constraint;
    current = current.cause;
  }
  return undefined;
}

const PASSING_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "57P01", // the server is being shut down
  "57P02", // another process of the server crashed
  "57P03", // the server is starting up
  "53300", // all connections are taken
]);

/** Transient error: a failure to connect that may pass by itself. */
export function isPassingConnectFailure(error: unknown): boolean {
  const code = pgCodeOf(error);
  if (code !== undefined) return PASSING_CODES.has(code);
  return error instanceof Error && /^Connection terminated/.test(error.message);
}

/** What the client itself says of a server that is gone or does not answer; these errors have no code. */
const OUTAGE_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client .* is not queryable|Cannot use a pool after calling end)/;

/**
 * Whether something failed because the database is away or hangs, rather than because of what was asked of it.
 * Libraries wrap what the client throws, so the reason may lie deeper.
 */
export function isOutage(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < CAUSES_DEEP && current instanceof Error; depth += 1) {
    if (current instanceof AppError) return current.code === "unavailable";
    if (saysOutage(current)) return true;
    current = current.cause;
  }
  return false;
}

function saysOutage(error: Error): boolean {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== "string") return OUTAGE_MESSAGES.test(error.message);
  // Files, too, can be missing; only a socket that is says something about the database.
  if (code === "ENOENT") return syscall === "connect";
  // The state of many things can be wrong; this is the one of a database that takes no connections.
  if (code === "55000") return /not (currently )?accepting connections/.test(error.message);
  return PASSING_CODES.has(code) || code.startsWith("08");
}

/** Read-only server: a standby, or one that was set so. */
export function isReadOnly(error: unknown): boolean {
  return pgCodeOf(error) === "25006";
}

/** Disk full, the database's or our own. */
export function isDiskFull(error: unknown): boolean {
  return ["53100", "ENOSPC", "EDQUOT"].includes(pgCodeOf(error) ?? "");
}
