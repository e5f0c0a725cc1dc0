import { AppError, type ErrorCode } from "../../../kernel/errors.ts";
import type { Span } from "./ast.ts";

/** Most of a line that is shown before and after the place of an error. */
const CONTEXT_CHARACTERS = 60;
/** Longest message and hint: both may quote the query, which may be long. */
const MESSAGE_CHARACTERS = 300;
const HINT_CHARACTERS = 800;

export interface Complaint {
  message: string;
  /** Hint: the next step, in one sentence. */
  hint?: string;
  code?: ErrorCode;
}

/** An error with its place in the query, and the line with a caret below it. */
export function queryError(text: string, span: Span, complaint: Complaint): AppError {
  const code = complaint.code ?? "bad_request";
  const message = shortened(complaint.message, MESSAGE_CHARACTERS);
  const hint = complaint.hint === undefined ? undefined : shortened(complaint.hint, HINT_CHARACTERS);
  // A node that was built by hand (a filter) has no place to point at.
  if (span.end === 0) {
    return new AppError(code, `C9QL: ${message}`, hint === undefined ? {} : { hint });
  }
  const { line, column, length, excerpt } = placeOf(text, span);
  const advice = `${hint ?? "It is here:"}\n${excerpt}`;
  return new AppError(code, `C9QL, line ${line}, column ${column}: ${message}`, {
    hint: advice,
    data: { line, column, length },
  });
}

function shortened(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1).toWellFormed()}…` : text;
}

function placeOf(text: string, { start, end }: Span) {
  const before = text.slice(0, start);
  const line = before.split("\n").length;
  const lineStart = before.lastIndexOf("\n") + 1;
  const nextBreak = text.indexOf("\n", start);
  const lineEnd = nextBreak === -1 ? text.length : nextBreak;
  const length = Math.max(1, Math.min(end, lineEnd) - start);
  const from = Math.max(lineStart, start - CONTEXT_CHARACTERS);
  const to = Math.min(lineEnd, start + Math.min(length, CONTEXT_CHARACTERS) + CONTEXT_CHARACTERS);
  const shown = `${from > lineStart ? "…" : ""}${text.slice(from, to)}${to < lineEnd ? "…" : ""}`;
  const indent = start - from + (from > lineStart ? 1 : 0);
  const carets = "^".repeat(Math.min(length, Math.max(1, to - start)));
  const excerpt = `  ${oneLine(shown)}\n  ${" ".repeat(indent)}${carets}`;
  return { line, column: start - lineStart + 1, length, excerpt };
}

/** A tab or a control character would move the caret. */
function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are to go
  return text.replace(/[\u0000-\u001f\u007f]/g, " ").toWellFormed();
}
