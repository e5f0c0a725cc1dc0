import { AppError } from "../../kernel/errors.ts";

export function readOnlyDatabase(cause: unknown): AppError {
  return new AppError("unavailable", "The database can only be read.", {
    hint: "Let DATABASE_URL name the primary server rather than a standby, and switch default_transaction_read_only off.",
    cause,
  });
}
