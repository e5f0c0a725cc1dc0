import { LIMITS } from "../../../../../platform/files/limits.ts";
import { KIND, type Kinds } from "../value-kinds.ts";
import type { Value } from "./serial-dates.ts";
import type { SheetRow } from "./sheet-rows.ts";

/**
 * The row that names the columns, among the first rows that hold anything; undefined when there is none.
 *
 * Titles above a table fill fewer cells than the table, so the first row that fills more than half of the widest
 * one is where the table begins. It is a header when it has a text in it, and nothing that could as well be data:
 * a number or a date counts as a name only where the cells below it are something else, as under 2021, 2022 …, or
 * where it is one among many texts that stand above numbers. A single date above texts is a value among texts.
 */
export function findHeader(rows: readonly SheetRow[], wanted: boolean | undefined): SheetRow | undefined {
  if (wanted === false) return undefined;
  const sample = rows.slice(0, LIMITS.files.headerRows);
  const widest = Math.max(...sample.map(widthOf));
  const first = sample.findIndex((row) => widthOf(row) * 2 > widest);
  const candidate = sample[first];
  if (candidate === undefined || wanted === true) return candidate;
  if (isHeader(candidate, sample.slice(first + 1))) return candidate;
  const above = sample[first - 1];
  return above !== undefined && namesHalf(above, sample.slice(first), widest) ? above : undefined;
}

/** A header in which every other name is missing, above a table without another one. */
function namesHalf(row: SheetRow, below: readonly SheetRow[], widest: number): boolean {
  const { cells } = row;
  const areTexts = cells.every((cell) => cell === undefined || cell.kind === KIND.text);
  return areTexts && widthOf(row) > 1 && widthOf(row) * 2 === widest && isHeader(row, below);
}

/** Holes do not count. */
function widthOf({ cells }: SheetRow): number {
  return cells.reduce((width) => width + 1, 0);
}

function isHeader({ cells }: SheetRow, below: readonly SheetRow[]): boolean {
  const filled = cells.flatMap((cell, position) => (cell === undefined ? [] : [{ cell, position }]));
  if (!filled.some(({ cell }) => cell.kind === KIND.text)) return areYears(cells, below);
  const numbers = filled.filter(({ cell }) => cell.kind === KIND.integer).map(({ position }) => position);
  const starts = /^[01]$/.test(cells[numbers[0] ?? -1]?.text ?? "");
  const isNumbered = starts && isCount(cells, numbers) && !isCount(below[0]?.cells ?? [], numbers);
  const columnAt = (position: number): Value[] => below.flatMap((row) => row.cells[position] ?? []);
  const hasOneTime = filled.filter(({ cell }) => (cell.kind & TIMES) !== 0).length === 1;
  const values = filled.filter(({ cell, position }) => {
    if (cell.kind === KIND.text || (isNumbered && cell.kind === KIND.integer)) return false;
    const column = columnAt(position);
    if (hasOneTime && (cell.kind & TIMES) !== 0 && column.every(({ kind }) => kind === KIND.text))
      return true;
    const isName = isYear(cell) ? !column.every(isYear) : !column.some(({ kind }) => alike(kind, cell.kind));
    return column.length === 0 || !isName;
  });
  if (values.length === 0) return true;
  // A total or a factor may stand among the names.
  const names = filled.filter(
    ({ cell, position }) => cell.kind === KIND.text && isMostlyOther(columnAt(position)),
  );
  return names.length > values.length;
}

function isMostlyOther(column: readonly Value[]): boolean {
  return column.filter(({ kind }) => kind !== KIND.text).length * 2 > column.length;
}

/** Years in rising order beside an empty corner, above rows that have a name or a number there and no such years. */
function areYears(cells: SheetRow["cells"], below: readonly SheetRow[]): boolean {
  const positions = cells.flatMap((cell, position) => (cell === undefined ? [] : [position]));
  const areRising = (row: SheetRow["cells"]): boolean =>
    positions.every((position, index) => {
      const cell = row[position];
      const before = row[positions[index - 1] ?? -1];
      return (
        cell !== undefined &&
        isYear(cell) &&
        (before === undefined || Number(before.text) < Number(cell.text))
      );
    });
  const corner = (positions[0] ?? 0) - 1;
  const hasCorner = corner >= 0 && below.length > 1 && below.every((row) => row.cells[corner] !== undefined);
  return (
    positions.length > LEAST_LABELS &&
    hasCorner &&
    areRising(cells) &&
    !below.some((row) => areRising(row.cells))
  );
}

/** Few numbers in a row may be data. */
const LEAST_LABELS = 3;

/** Each is one more than the one before, in these places. */
function isCount(cells: SheetRow["cells"], positions: readonly number[]): boolean {
  const values = positions.map((position) => Number(cells[position]?.text ?? Number.NaN));
  const [first = Number.NaN] = values;
  return values.length >= LEAST_LABELS && values.every((value, index) => value === first + index);
}

function isYear({ kind, text }: Value): boolean {
  return kind === KIND.integer && /^(?:19|20)\d\d$/.test(text);
}

const NUMBERS: Kinds = KIND.integer | KIND.decimal;
const TIMES: Kinds = KIND.date | KIND.timestamp | KIND.time | KIND.duration;

function alike(a: Kinds, b: Kinds): boolean {
  return [NUMBERS, TIMES, KIND.boolean, KIND.text].some((group) => (a & group) !== 0 && (b & group) !== 0);
}
