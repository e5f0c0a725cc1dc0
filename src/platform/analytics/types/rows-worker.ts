/**
 * Runs in a thread of its own and reads the rows of a large push. What is imported here is loaded for every such
 * thread: none of it may load an engine.
 */
import { AppError } from "../../../kernel/errors.ts";
import { sanitise } from "../../../kernel/text.ts";
import { answerQuestions } from "../../workers/index.ts";
import { parseExactly, type RowsTarget, rowsToJson } from "./row-json.ts";
import type { Row } from "./row-types.ts";

export interface RowsQuestion extends RowsTarget {
  /** A JSON list. */
  list: Uint8Array;
}

export type RowsAnswer = ReturnType<typeof rowsToJson>;

answerQuestions<RowsQuestion, RowsAnswer>(
  ({ list, ...target }) => {
    const { json, columns } = rowsToJson(readRows(list), target);
    // A small one shares its memory with others, and cannot be handed over.
    return { json: json.byteLength === json.buffer.byteLength ? json : new Uint8Array(json), columns };
  },
  ({ json }) => [json.buffer as ArrayBuffer],
);

function readRows(list: Uint8Array): Row[] {
  const { rows } = sanitise({ rows: parse(list) });
  const other = rows.findIndex((row) => typeof row !== "object" || row === null || Array.isArray(row));
  if (other !== -1) throw new AppError("bad_request", `rows.${other} must be an object.`);
  refuseInfinite(rows as Row[]);
  return rows as Row[];
}

/** JSON has no word for it, so that it can only be a number that is too large. */
function refuseInfinite(rows: readonly Row[]): void {
  for (const [index, row] of rows.entries()) {
    for (const name in row) {
      if (!isInfinite(row[name])) continue;
      throw new AppError("bad_request", `Column "${name}": rows[${index}] has a number beyond 1.8e308.`, {
        hint: "Send it as text, in a column of texts.",
      });
    }
  }
}

function isInfinite(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(isInfinite);
}

function parse(list: Uint8Array): unknown[] {
  try {
    const text = Buffer.from(list.buffer, list.byteOffset, list.length).toString("utf8");
    return parseExactly(text) as unknown[];
  } catch (cause) {
    throw new AppError("bad_request", "The rows are not valid JSON.", { cause });
  }
}
