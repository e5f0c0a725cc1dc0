/**
 * Runs in a thread of its own and reads the rows of a large push. What is imported here is loaded for every such
 * thread: none of it may load an engine.
 */
import { AppError } from "../../../kernel/errors.ts";
import { sanitise } from "../../../kernel/sanitise.ts";
import { answerQuestions } from "../../threads/index.ts";
import { type RowsTarget, rowsToJson } from "./row-json.ts";
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
  if (other === -1) return rows as Row[];
  throw new AppError("bad_request", `rows.${other} must be an object.`);
}

function parse(list: Uint8Array): unknown[] {
  try {
    return JSON.parse(Buffer.from(list.buffer, list.byteOffset, list.length).toString("utf8")) as unknown[];
  } catch (cause) {
    throw new AppError("bad_request", "The rows are not valid JSON.", { cause });
  }
}
