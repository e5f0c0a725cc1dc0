import type { FileHandle } from "node:fs/promises";
import { AppError } from "../../../../../kernel/errors.ts";
import { isNoValueWord } from "../../../../../kernel/values.ts";
import { LIMITS as ENGINE } from "../../../../../platform/analytics/limits.ts";
import { excerptOf, ZipFile } from "../../../../../platform/files/index.ts";
import { LIMITS as FILES } from "../../../../../platform/files/limits.ts";
import {
  type Batch,
  LineWriter,
  noRows,
  type OnFraction,
  type ReadOptions,
  someNames,
  type TableReader,
  tooManyColumns,
} from "../table-reader.ts";
import {
  distinctNames,
  jsonOfText,
  KIND,
  type Kinds,
  type NamedColumns,
  typeOfKinds,
} from "../value-kinds.ts";
import { type SheetLosses, type SheetRow, type SheetSource, zipSheets } from "./sheet-rows.ts";
import { xmlSheets } from "./spreadsheet-xml.ts";
import { EXCEL_ERRORS, type Value } from "./workbook.ts";

/**
 * Excel files are read twice: first to see which columns there are and what they hold, then for the rows. So
 * memory does not grow with the sheet, and a column that turns out to hold texts is a text from its first row.
 */
export async function openExcel(
  file: FileHandle,
  options: ReadOptions,
  onFraction: OnFraction,
): Promise<TableReader> {
  const isZip = (await file.read(Buffer.alloc(2), 0, 2, 0)).buffer.toString("latin1") === "PK";
  const sheets = isZip ? await zipSheets(await ZipFile.open(file, EXCEL_ERRORS)) : await xmlSheets(file);
  const { sheet, survey } = await chooseSheet(sheets, options, onFraction);
  const columns = survey.columns();
  const types = columns.map(({ kinds }) => typeOfKinds(kinds));
  const { names, renamed } = distinctNames(columns.map(({ header }) => header));
  return {
    report: {
      format: "ndjson",
      columns: names.map((name, index) => ({ name, type: types[index]! })),
      sheet: sheet.name,
      sheets: sheets.map(({ name }) => name),
      header: survey.header !== undefined,
      ...(survey.header !== undefined && renamed.length > 0 && { renamed }),
      ...(survey.header !== undefined &&
        survey.header.number > 1 && { skippedLines: survey.header.number - 1 }),
      notes: notesOf(survey, names, columns, renamed),
    },
    rows: () =>
      rowsOf(
        sheet,
        survey,
        columns.map(({ position }, index) => ({
          position,
          type: types[index]!,
          key: `${JSON.stringify(names[index])}:`,
        })),
      ),
  };
}

interface Choice {
  sheet: SheetSource;
  survey: Survey;
}

/** The sheet that was asked for, or the first one to be seen that has rows; without any, the first with a header. */
async function chooseSheet(
  sheets: readonly SheetSource[],
  options: ReadOptions,
  onFraction: OnFraction,
): Promise<Choice> {
  const wanted = options.sheet === undefined ? undefined : findSheet(sheets, options.sheet);
  const candidates = wanted === undefined ? sheets.filter(({ isHidden }) => !isHidden) : [wanted];
  let named: Choice | undefined;
  const lost: SheetLosses = { errors: 0, uncalculated: 0 };
  for (const sheet of candidates) {
    const survey = new Survey(options);
    for await (const { rows, fraction } of sheet.read(survey.losses)) {
      for (const row of rows) survey.see(row);
      onFraction(fraction);
    }
    survey.finish();
    const hasColumns = survey.columns().length > 0;
    if (hasColumns && survey.rowCount > 0) return { sheet, survey };
    if (hasColumns) named ??= { sheet, survey };
    lost.errors += survey.losses.errors;
    lost.uncalculated += survey.losses.uncalculated;
  }
  if (named !== undefined) return named;
  const what = wanted === undefined ? "The Excel file" : `The sheet "${excerptOf(wanted.name)}"`;
  if (lost.errors + lost.uncalculated > 0) throw noValues(what, lost);
  const hidden = wanted === undefined ? sheets.filter(({ isHidden }) => isHidden) : [];
  throw hidden.length === 0 ? noRows(what) : onlyHidden(hidden);
}

function noValues(what: string, { errors, uncalculated }: SheetLosses): AppError {
  const reason =
    errors > 0
      ? `cells that show an error such as #REF! or #DIV/0! (${errors.toLocaleString("en")})`
      : `formulas without a stored value (${uncalculated.toLocaleString("en")})`;
  return new AppError("bad_request", `${what} has no values: it has nothing but ${reason}.`, {
    hint: "Mend the formulas, save the file in Excel, and send it again.",
  });
}

function onlyHidden(hidden: readonly SheetSource[]): AppError {
  return new AppError("bad_request", "No sheet of the Excel file that is shown has rows.", {
    hint: `To read one that is hidden, name it in options.sheet: ${someNames(hidden.map(({ name }) => name))}.`,
  });
}

function findSheet(sheets: readonly SheetSource[], wanted: string | number): SheetSource {
  const byName =
    sheets.find(({ name }) => name === wanted) ?? sheets.find(({ name }) => same(name, String(wanted)));
  const found = byName ?? (/^\d+$/.test(String(wanted)) ? sheets[Number(wanted) - 1] : undefined);
  if (found !== undefined) return found;
  throw new AppError("bad_request", `There is no sheet "${excerptOf(String(wanted))}".`, {
    hint: `There are: ${someNames(sheets.map(({ name }) => name))}.`,
  });
}

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

interface SurveyedColumn {
  position: number;
  header: string;
  kinds: Kinds;
  /** Texts that mean no value here. */
  words: string[];
  /** The first text among other values. */
  text: { row: number; text: string } | undefined;
}

/** First pass over a sheet: header, columns and their types. */
class Survey {
  readonly losses: SheetLosses = { errors: 0, uncalculated: 0 };
  header: SheetRow | undefined;
  /** Rows with something in them above the header. */
  skippedRows = 0;
  firstRow = 0;
  rowCount = 0;
  readonly #options: ReadOptions;
  readonly #nulls: ReadonlySet<string>;
  /** The first rows wait until it is clear which of them is the header. */
  #waiting: SheetRow[] | undefined = [];
  readonly #kinds: Kinds[] = [];
  readonly #texts: SurveyedColumn["text"][] = [];
  readonly #words: Set<string>[] = [];

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#nulls = new Set(options.nulls);
  }

  see(row: SheetRow): void {
    if (row.number <= (this.#options.skipLines ?? 0)) return;
    if (this.#waiting === undefined) {
      this.#count(row);
      return;
    }
    this.#waiting.push(row);
    if (this.#waiting.length >= FILES.files.headerRows) this.finish();
  }

  finish(): void {
    const rows = this.#waiting ?? [];
    this.#waiting = undefined;
    if (rows.length === 0) return;
    this.header = findHeader(rows, this.#options.header);
    this.firstRow = this.header === undefined ? rows[0]!.number : this.header.number + 1;
    this.skippedRows = this.header === undefined ? 0 : rows.indexOf(this.header);
    for (const row of rows) if (row.number >= this.firstRow) this.#count(row);
  }

  /** Columns that have a name or a value. */
  columns(): SurveyedColumn[] {
    const names = this.header?.cells ?? [];
    const width = Math.max(names.length, this.#kinds.length);
    const positions = Array.from({ length: width }, (_, position) => position);
    const columns = positions
      .filter((position) => names[position] !== undefined || this.#kinds[position] !== undefined)
      .map((position) => ({
        position,
        header: names[position]?.text.replaceAll("\u0000", "") ?? "",
        kinds: this.#kindsOf(position),
        words: this.#hasWords(position) ? [...this.#words[position]!] : [],
        text: this.#texts[position],
      }));
    if (columns.length > ENGINE.analytics.columns) throw tooManyColumns();
    return columns;
  }

  isNull({ kind, text }: Value, position: number): boolean {
    if (kind !== KIND.text) return false;
    return this.#nulls.has(text) || (isWord(text) && this.#hasWords(position));
  }

  /** Words for no value are that beside other values only: NA may be Namibia. */
  #hasWords(position: number): boolean {
    const kinds = this.#kinds[position] ?? 0;
    return this.#words[position] !== undefined && kinds !== 0 && typeOfKinds(kinds) !== "VARCHAR";
  }

  #kindsOf(position: number): Kinds {
    const kinds = this.#kinds[position] ?? 0;
    return this.#words[position] === undefined || this.#hasWords(position) ? kinds : kinds | KIND.text;
  }

  #count({ cells, number }: SheetRow): void {
    this.rowCount += 1;
    for (const key in cells) {
      const position = Number(key);
      const cell = cells[position]!;
      if (cell.kind === KIND.text && this.#nulls.has(cell.text)) continue;
      const isNothing = cell.kind === KIND.text && isWord(cell.text);
      this.#kinds[position] = (this.#kinds[position] ?? 0) | (isNothing ? 0 : cell.kind);
      if (isNothing) {
        this.#words[position] ??= new Set();
        this.#words[position].add(cell.text.trim());
        continue;
      }
      if (cell.kind === KIND.text) this.#texts[position] ??= { row: number, text: cell.text };
    }
  }
}

function isWord(text: string): boolean {
  return text.trim() === "" || isNoValueWord(text);
}

/** Notes about words that were read as null, the same words together. */
function wordNotes(names: string[], columns: SurveyedColumn[]): string[] {
  const members = columns.flatMap(({ words }, index) => {
    const told = words.filter((word) => word !== "").toSorted();
    return told.length === 0
      ? []
      : [{ name: names[index]!, words: told.map((word) => `"${word}"`).join(", ") }];
  });
  const groups = Map.groupBy(members, ({ words }) => words);
  return [...groups].map(
    ([words, found]) =>
      `${words} was read as no value in ${someNames(found.map(({ name }) => name))}. To keep it, give the column the type VARCHAR in options.types.`,
  );
}

function notesOf(
  survey: Survey,
  names: string[],
  columns: SurveyedColumn[],
  renamed: NamedColumns["renamed"],
): string[] {
  const { skippedRows, header, losses } = survey;
  const notes: string[] = [];
  if (header === undefined) notes.push("No header was found, so the columns have numbers.");
  if (skippedRows > 0)
    notes.push(`${skippedRows} rows above the header in row ${header!.number} were left out.`);
  for (const { position, from, to } of renamed) {
    if (header === undefined) break;
    notes.push(
      `Column ${position} is called "${excerptOf(to)}", because ${from.trim() === "" ? "it has no name" : "its name is taken"}.`,
    );
  }
  if (losses.errors > 0)
    notes.push(`${losses.errors} cells show an error such as #DIV/0! and were read as empty.`);
  if (losses.uncalculated > 0) {
    notes.push(
      `${losses.uncalculated} formulas have no stored value and were read as empty; save the file in Excel to store them.`,
    );
  }
  notes.push(...wordNotes(names, columns));
  for (const [index, { kinds, text }] of columns.entries()) {
    if (text === undefined || kinds === KIND.text) continue;
    notes.push(
      `"${excerptOf(names[index]!)}" is text, because it holds other values and texts, first in row ${text.row}: "${excerptOf(text.text)}".`,
    );
  }
  return notes.slice(0, FILES.files.notes);
}

interface WrittenColumn {
  position: number;
  type: string;
  key: string;
}

/** Line n holds row n of the sheet, so that whoever complains of a line complains of the right row. */
async function* rowsOf(
  sheet: SheetSource,
  survey: Survey,
  columns: readonly WrittenColumn[],
): AsyncGenerator<Batch> {
  const writer = new LineWriter();
  const losses = { errors: 0, uncalculated: 0 };
  let line = 1;
  let isFirst = true;
  for await (const { rows, fraction } of sheet.read(losses)) {
    for (const { number, cells } of rows) {
      if (number < survey.firstRow) continue;
      for (; line < number; line += 1) writer.write("");
      const values = columns.flatMap(({ position, type, key }) => {
        const cell = cells[position];
        if (cell === undefined || survey.isNull(cell, position)) return isFirst ? [`${key}null`] : [];
        return [`${key}${jsonOfText(cell.text, type)}`];
      });
      writer.write(`{${values.join(",")}}`);
      line += 1;
      isFirst = false;
      if (writer.isFull) yield { bytes: writer.take(), fraction };
    }
  }
  yield { bytes: writer.take(), fraction: 1 };
}

/**
 * The row that names the columns, among the first rows that hold anything; undefined when there is none.
 *
 * Titles above a table fill fewer cells than the table, so the first row that fills more than half of the widest
 * one is where the table begins. It is a header when it has a text in it, and nothing that could as well be data:
 * a number or a date counts as a name only where the cells below it are something else, as under 2021, 2022 …, or
 * where it is one among many texts that stand above numbers. A single date above texts is a value among texts.
 */
function findHeader(rows: readonly SheetRow[], wanted: boolean | undefined): SheetRow | undefined {
  if (wanted === false) return undefined;
  const sample = rows.slice(0, FILES.files.headerRows);
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
