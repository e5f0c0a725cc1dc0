import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";

/** Whole numbers with more digits may not survive as a JavaScript number. */
const LONG_NUMBER = /\d{16}/;

/**
 * JSON as a value; whole numbers that a JavaScript number cannot hold become text, so that no digit is lost.
 * Throws SyntaxError.
 */
export function parseJson(text: string): unknown {
  const value: unknown = LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  checkDepth(value, 0);
  return value;
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return /^-?\d+$/.test(source) ? source : value;
}

/** Whoever walks through the value later may do so by calling itself. */
function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth >= LIMITS.datasources.jsonDepth) {
    throw new AppError(
      "too_large",
      `A JSON value is nested more than ${LIMITS.datasources.jsonDepth} levels deep.`,
    );
  }
  for (const item of Object.values(value)) checkDepth(item, depth + 1);
}
