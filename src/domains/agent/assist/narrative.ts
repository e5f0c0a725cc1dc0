import { isAppError } from "../../../kernel/errors.ts";
import { injectionIn } from "../../../kernel/prompt-injection.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import { LIMITS } from "../limits.ts";
import { NARRATIVE_SYSTEM, type Write } from "./fill-in.ts";
import { heldSentences } from "./text-holds.ts";
import type { Told } from "./text-tokens.ts";

/** Whose text it is. */
export interface Narrator {
  write: Write;
  /** What people call it. */
  name: string;
}

const LONGEST = 4_000;

/** What a language model says of a result, as far as it holds; undefined where nothing of it does. */
export async function narrateByModel(told: Told, { write, name }: Narrator): Promise<string | undefined> {
  const { question, result, view } = told;
  if (view.numbers.length === 0 || view.rows.length === 0 || view.rows.length < view.totalRows)
    return undefined;
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
  if (written.length > LONGEST || injectionIn(written) !== undefined) return undefined;
  const held = heldSentences(written, told);
  if (held.length === 0) return undefined;
  return `${held.join(" ")}\n\n*Written by the ${name}; each sentence was checked against the rows.*`;
}

/** As many rows as fit: half of them again and again, until they do. */
function shownRows(all: readonly JsonValue[][]): { rows: readonly JsonValue[][]; totalRows: number } {
  let rows = all.slice(0, LIMITS.agent.narratedRows);
  while (rows.length > 1 && JSON.stringify(rows).length > LIMITS.agent.narratedCharacters)
    rows = rows.slice(0, Math.ceil(rows.length / 2));
  return { rows, totalRows: all.length };
}
