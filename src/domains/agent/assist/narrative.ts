import { isAppError } from "../../../kernel/errors.ts";
import { injectionIn } from "../../../kernel/instructions.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import { LIMITS } from "../limits.ts";
import { NARRATIVE_SYSTEM } from "./prompt.ts";
import type { Write } from "./read-by-model.ts";
import { holds } from "./text-holds.ts";
import type { Told } from "./told-numbers.ts";

/** Whose text it is. */
export interface Narrator {
  write: Write;
  /** What people call it. */
  name: string;
}

/** A text about a result by a language model; undefined where not every number in it holds, or it is more than plain text. */
export async function narrateByModel(told: Told, { write, name }: Narrator): Promise<string | undefined> {
  const { question, result, view } = told;
  if (view.rows.length === 0 || view.rows.length < view.totalRows) return undefined;
  const text = JSON.stringify({
    question,
    reading: result.reading.said,
    columns: view.columns.map(({ label }) => label),
    ...shownRows(view.rows),
  });
  const maxTokens = LIMITS.agent.narrativeTokens;
  const task = { key: "narrative", system: NARRATIVE_SYSTEM, text, maxTokens };
  const written = await write(task).catch((error: unknown) => {
    // The answer is there; it only has to be told in our own words.
    if (isAppError(error)) return "";
    throw error;
  });
  if (!isPlain(written) || !holds(written, told)) return undefined;
  return `${written.trim()}\n\n*Written by the ${name}; its numbers were checked against the rows.*`;
}

/** As many rows as fit: half of them again and again, until they do. */
function shownRows(all: readonly JsonValue[][]): { rows: readonly JsonValue[][]; totalRows: number } {
  let rows = all.slice(0, LIMITS.agent.narratedRows);
  while (rows.length > 1 && JSON.stringify(rows).length > LIMITS.agent.narratedCharacters)
    rows = rows.slice(0, Math.ceil(rows.length / 2));
  return { rows, totalRows: all.length };
}

const LONGEST = 4_000;
/** What could lead a reader or a client elsewhere, or pass for a part of our own text. */
const NOT_PLAIN = /:\/\/|www\.|\]\s*\(|!\[|<[a-z!/]|[{}\p{Cf}]|^\s*(#|\||```|⚠)/imu;
/** Whoever tells of rows speaks to a person and of no tools. */
const TO_A_MODEL =
  /^\s*(system|assistant|user)\s*:|\b[a-z]+_[a-z_]+\b|\b(ignore|disregard)\b.*\binstructions?\b/im;

function isPlain(text: string): boolean {
  return (
    text.trim() !== "" &&
    text.length <= LONGEST &&
    !NOT_PLAIN.test(text) &&
    injectionIn(text) === undefined &&
    !TO_A_MODEL.test(text)
  );
}
