import { AppError, type ErrorCode } from "../../../kernel/errors.ts";

/** Why SQL was not let through: the name of the check that refused it, for whoever counts them. */
export type Reason =
  | "length"
  | "characters"
  | "empty"
  | "syntax"
  | "statement"
  | "statements"
  | "explain"
  | "depth"
  | "kind"
  | "table"
  | "table_function"
  | "function"
  | "column"
  | "type"
  | "collation"
  | "parameter"
  | "pivot"
  | "size";

export function refuse(reason: Reason, code: ErrorCode, message: string, hint?: string): AppError {
  return new AppError(code, message, { data: { reason }, ...(hint !== undefined && { hint }) });
}
