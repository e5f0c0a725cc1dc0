import { clip } from "../../../kernel/clip.ts";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { nearest, nearestFirst } from "../../../kernel/nearest.ts";
import { quoteName } from "../../../kernel/sql-text.ts";

/** How the engine says that there is no such column; with "Candidate bindings" it says itself which there are. */
const MISSING = [
  /does not have a column named "((?:[^"]|"")+)"/,
  /Column "((?:[^"]|"")+)" in (?:EXCLUDE|REPLACE|RENAME) list not found/,
  /Column "((?:[^"]|"")+)" does not exist on (?:left|right) side of join/,
  /Referenced column "((?:[^"]|"")+)" not found/,
];

const LIST_CHARACTERS = 800;
const FORMULA_CHARACTERS = 500;

/** What a statement could have meant. */
export interface Known {
  /** The columns of the datasets that it selects from. */
  columns: ReadonlyMap<string, readonly string[]>;
  /** The model's metrics with their formulas. */
  metrics?: readonly { name: string; sql: string }[];
}

/** Adds what the name could have meant to an error of the engine about a column that is not there. */
export function withColumnHelp(error: unknown, known: Known): unknown {
  if (!isAppError(error) || error.hint !== undefined) return error;
  const found = MISSING.map((pattern) => pattern.exec(error.message)?.[1]).find((each) => each !== undefined);
  if (found === undefined) return error;
  const name = found.replaceAll('""', '"');
  const isListed = error.message.includes("Candidate bindings");
  const hint = metricHint(name, known) ?? (isListed ? undefined : columnHint(name, error.message, known));
  if (hint === undefined) return error;
  const { message, data, cause } = error;
  return new AppError(error.code, message, { data, cause, hint });
}

function metricHint(name: string, { metrics = [] }: Known): string | undefined {
  const metric = metrics.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (metric === undefined) return undefined;
  const formula = clip(metric.sql.replaceAll(/\s+/g, " "), FORMULA_CHARACTERS);
  return `${metric.name} is a metric and no column; write its formula: ${formula}`;
}

function columnHint(name: string, message: string, { columns }: Known): string | undefined {
  if (columns.size === 0) return undefined;
  const meant = nearest(name, [...new Set([...columns.values()].flat())]);
  if (meant !== undefined) return `Did you mean ${quoteName(meant)}?`;
  // The engine names the table where the statement does.
  const isNamed = ([dataset]: [string, unknown]) => message.includes(`"${dataset}"`);
  const datasets = [...columns].sort((a, b) => Number(isNamed(b)) - Number(isNamed(a)));
  const lists = datasets.map(
    ([dataset, names]) => `${quoteName(dataset)} has ${nearestFirst(name, names).map(quoteName).join(", ")}`,
  );
  return clip(`${lists.join("; ")}.`, LIST_CHARACTERS);
}
