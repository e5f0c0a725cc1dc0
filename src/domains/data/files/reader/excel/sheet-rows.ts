import { AppError } from "../../../../../kernel/errors.ts";
import { entryStream, type ZipEntry, type ZipFile } from "../../../../../platform/files/index.ts";
import { KIND } from "../value-kinds.ts";
import {
  damaged,
  nameOf,
  plainText,
  readWorkbook,
  serialValue,
  TextReader,
  type Value,
  type Workbook,
} from "./workbook.ts";

/** As many as Excel has. */
const MOST_COLUMNS = 16_384;
const MOST_ROWS = 1_048_576;

export interface SheetRow {
  /** Counted from 1, as Excel shows it. */
  number: number;
  /** By position; what is missing is empty. */
  cells: (Value | undefined)[];
}

/** Cells that were left out of the rows. */
export interface SheetLosses {
  /** Cells that show an error, such as #DIV/0!. */
  errors: number;
  /** Formulas without the value that they had when the file was saved. */
  uncalculated: number;
}

/** Some rows at a time, as they come. */
export type ReadRows = AsyncGenerator<{ rows: SheetRow[]; fraction: number }>;

/** A sheet of whatever kind of Excel file. */
export interface SheetSource {
  name: string;
  isHidden: boolean;
  /** The rows that hold anything. */
  read(losses: SheetLosses): ReadRows;
}

/** The sheets of a file as Excel has written them since 2007. */
export async function zipSheets(zip: ZipFile): Promise<SheetSource[]> {
  const workbook = await readWorkbook(zip);
  return workbook.sheets.map(({ name, isHidden, entry }) => ({
    name,
    isHidden,
    read: (losses) => readSheet(zip, entry, workbook, losses),
  }));
}

async function* readSheet(zip: ZipFile, entry: ZipEntry, workbook: Workbook, losses: SheetLosses): ReadRows {
  const reader = new SheetReader(workbook, losses);
  const stream = entryStream(reader, nameOf(entry));
  let bytes = 0;
  for await (const chunk of zip.read(entry)) {
    stream.write(chunk);
    bytes += chunk.length;
    yield { rows: reader.takeRows(), fraction: bytes / entry.bytes };
  }
  stream.end();
  yield { rows: reader.takeRows(), fraction: 1 };
}

class SheetReader {
  readonly #workbook: Workbook;
  readonly #losses: SheetLosses;
  readonly #inline = new TextReader();
  #rows: SheetRow[] = [];
  #cells: (Value | undefined)[] = [];
  #isInData = false;
  #rowNumber = 0;
  #column = -1;
  #type = "n";
  #style = 0;
  #value = "";
  #isInValue = false;
  #isInline = false;
  /** True if a cell of the row shows an error, or has no stored value. */
  #hasLosses = false;
  #hasValue = false;
  #hasFormula = false;

  constructor(workbook: Workbook, losses: SheetLosses) {
    this.#workbook = workbook;
    this.#losses = losses;
  }

  takeRows(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  readonly open = (name: string, attributes: Readonly<Record<string, string>>): void => {
    if (name === "sheetData") this.#isInData = true;
    if (!this.#isInData) return;
    if (name === "c") this.#openCell(attributes);
    else if (name === "v") this.#isInValue = true;
    else if (name === "row") this.#openRow(attributes.r);
    else if (name === "f") this.#hasFormula = true;
    else if (name === "is") {
      this.#isInline = true;
      this.#inline.start();
    } else if (this.#isInline) this.#inline.open(name);
  };

  readonly text = (piece: string): void => {
    if (this.#isInValue) this.#value += piece;
    else if (this.#isInline) this.#inline.text(piece);
  };

  readonly close = (name: string): void => {
    if (!this.#isInData) return;
    if (name === "c") this.#closeCell();
    else if (name === "v") {
      this.#isInValue = false;
      this.#hasValue = true;
    } else if (name === "row") {
      const isKept = this.#cells.length > 0 || this.#hasLosses;
      if (isKept) this.#rows.push({ number: this.#rowNumber, cells: this.#cells });
    } else if (name === "is") {
      this.#isInline = false;
      this.#value = this.#inline.take();
      this.#hasValue = true;
    } else if (name === "sheetData") this.#isInData = false;
    else if (this.#isInline) this.#inline.close(name);
  };

  #openRow(number: string | undefined): void {
    const next = this.#rowNumber + 1;
    this.#rowNumber = number === undefined ? next : Number(number);
    if (!Number.isInteger(this.#rowNumber) || this.#rowNumber < next) throw damaged();
    checkPlace(this.#rowNumber, 0);
    this.#cells = [];
    this.#hasLosses = false;
    this.#column = -1;
  }

  #openCell({ r, t = "n", s }: Readonly<Record<string, string>>): void {
    this.#column = r === undefined ? this.#column + 1 : columnOf(r);
    checkPlace(this.#rowNumber, this.#column);
    this.#type = t;
    this.#style = s === undefined ? 0 : Number(s);
    this.#value = "";
    this.#hasValue = false;
    this.#hasFormula = false;
  }

  #closeCell(): void {
    if (!this.#hasValue || this.#value === "") {
      if (this.#hasFormula && this.#type !== "str") {
        this.#losses.uncalculated += 1;
        this.#hasLosses = true;
      }
      return;
    }
    const value = this.#cellValue(this.#value);
    if (value !== undefined) this.#cells[this.#column] = value;
  }

  #cellValue(text: string): Value | undefined {
    switch (this.#type) {
      case "s":
        return textValue(this.#sharedText(text));
      case "inlineStr":
        return textValue(text);
      case "str":
        return textValue(plainText(text));
      case "b":
        return { kind: KIND.boolean, text: text === "1" || text === "true" ? "true" : "false" };
      case "e":
        this.#losses.errors += 1;
        this.#hasLosses = true;
        return undefined;
      case "d":
        return isoValue(text);
      default:
        return this.#numberValue(text);
    }
  }

  #sharedText(index: string): string {
    const text = this.#workbook.texts[Number(index)];
    if (text === undefined) throw damaged();
    return text;
  }

  #numberValue(text: string): Value | undefined {
    const number = Number(text);
    if (!Number.isFinite(number)) return textValue(text);
    const format = this.#workbook.formats[this.#style] ?? "number";
    if (format !== "number") {
      const value = serialValue(number, format, this.#workbook.is1904);
      if (value !== undefined) return value ?? undefined;
    }
    return numberValue(text);
  }
}

export function checkPlace(row: number, column: number): void {
  if (row > MOST_ROWS) throw new AppError("too_large", `The sheet has more than ${MOST_ROWS} rows.`);
  if (!(column < MOST_COLUMNS)) throw damaged();
}

export function numberValue(text: string): Value | undefined {
  const number = Number(text);
  if (!Number.isFinite(number)) return textValue(text);
  const kind = Number.isSafeInteger(number) ? KIND.integer : KIND.decimal;
  return { kind, text: String(number === 0 ? 0 : number) };
}

export function textValue(text: string): Value | undefined {
  return text === "" ? undefined : { kind: KIND.text, text };
}

/** ISO 8601, which programs other than Excel write. */
export function isoValue(text: string): Value | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?)Z?)?$/.exec(text);
  if (match === null || Number.isNaN(Date.parse(match[1]!))) return textValue(text);
  const [, day, time] = match;
  return time === undefined
    ? { kind: KIND.date, text: day! }
    : { kind: KIND.timestamp, text: `${day} ${time}` };
}

/** The position of a cell in its row, from a name such as AB12; A is 0. */
function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) & ~32;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
  }
  return column === 0 ? Number.NaN : column - 1;
}
