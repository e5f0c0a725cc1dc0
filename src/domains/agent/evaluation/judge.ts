import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { Answer, Outcome } from "../answer.ts";
import { isSameValue } from "./same-value.ts";

/** What the right answer to a question is. */
export interface Expected {
  expect?: Outcome | undefined;
  rows?: JsonValue[][] | undefined;
  /** The same answer in another shape, or a list of such. */
  alt_rows?: JsonValue[][] | undefined;
  /** Whether the order of the rows matters. */
  ordered?: boolean | undefined;
  /** Whether it matters only which rows there are, and not how often each. */
  distinct?: boolean | undefined;
}

export type Verdict = "right" | "wrong" | "unknown";

/** Whether an answer is the right one; unknown where nobody said which that is. */
export function judge(expected: Expected, { outcome, rows }: Pick<Answer, "outcome" | "rows">): Verdict {
  if (expected.expect === undefined && expected.rows === undefined) return "unknown";
  const wanted = expected.expect ?? "answer";
  if (outcome !== wanted) return "wrong";
  if (wanted !== "answer" || expected.rows === undefined) return "right";
  const golds = [expected.rows, ...shapesIn(expected.alt_rows)];
  return golds.some((gold) => holds(gold, rows, expected)) ? "right" : "wrong";
}

/** A list of shapes has rows where one shape has values. */
function shapesIn(rows: JsonValue[][] | undefined): Rows[] {
  if (rows === undefined) return [];
  const isList = rows.length > 0 && rows.every((row) => row.every((value) => Array.isArray(value)));
  return isList ? (rows as JsonValue[][][]) : [rows];
}

type Rows = readonly (readonly JsonValue[])[];

/** Some of the columns, in some order, are the gold. */
function holds(gold: Rows, rows: Rows, how: Expected): boolean {
  if (gold.length === 0) return rows.length === 0;
  if (how.distinct !== true && gold.length !== rows.length) return false;
  if (rows.length === 0) return false;
  const width = gold[0]?.length ?? 0;
  const columns = Array.from({ length: rows[0]?.length ?? 0 }, (_, i) => i);
  const fitting = Array.from({ length: width }, (_, i) =>
    columns.filter((column) => coveredBy(pick(gold, [i]), pick(rows, [column]))),
  );
  return choices(fitting).some((chosen) => isSameRows(gold, pick(rows, chosen), how));
}

function pick(rows: Rows, columns: readonly number[]): Rows {
  return rows.map((row) => columns.map((column) => row[column] ?? null));
}

/** Every way to take a different column for each. */
function choices(fitting: readonly (readonly number[])[]): number[][] {
  return fitting.reduce<number[][]>(
    (chosen, columns) =>
      chosen.flatMap((known) =>
        columns.filter((column) => !known.includes(column)).map((column) => [...known, column]),
      ),
    [[]],
  );
}

function isSameRows(gold: Rows, rows: Rows, { ordered, distinct }: Expected): boolean {
  if (distinct === true) return coveredBy(gold, rows) && coveredBy(rows, gold);
  if (ordered === true) return gold.every((row, i) => isSameRow(row, rows[i] ?? []));
  const left = [...rows];
  return gold.every((row) => {
    const found = left.findIndex((each) => isSameRow(row, each));
    if (found !== -1) left.splice(found, 1);
    return found !== -1;
  });
}

function coveredBy(some: Rows, others: Rows): boolean {
  return some.every((row) => others.some((other) => isSameRow(row, other)));
}

function isSameRow(a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
  return a.length === b.length && a.every((value, i) => isSameValue(value, b[i] ?? null));
}
