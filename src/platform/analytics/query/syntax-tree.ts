import { AppError } from "../../../kernel/errors.ts";

/** What the parser says of a text. */
export interface Tree {
  error: boolean;
  error_type?: string;
  error_message?: string;
  position?: string;
  statements?: unknown[];
}

/** Texts, which stay as they are, and what DuckDB writes for numbers that no double holds: JSON has no word for it. */
const ENDLESS_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\b(?:Infinity|NaN)\b/g;

/** Reads the tree of DuckDB's own parser, which is JSON but for endless numbers: those are refused. */
export function parseTree(text: string): Tree {
  try {
    return JSON.parse(text) as Tree;
  } catch (error) {
    JSON.parse(text.replace(ENDLESS_NUMBERS, (part) => (part.startsWith('"') ? part : "0")));
    throw new AppError("bad_request", "A number in the SQL is out of range.", {
      hint: "Numbers can have about 308 digits; write 'inf'::DOUBLE for one without end.",
      cause: error,
    });
  }
}
