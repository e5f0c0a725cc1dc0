import { AppError } from "../../../../../kernel/errors.ts";
import {
  excerptOf,
  megabytes,
  readRelations,
  readXmlEntry,
  relationIn,
  type XmlEvents,
  type ZipEntry,
  type ZipErrors,
  type ZipFile,
} from "../../../../../platform/files/index.ts";
import { LIMITS } from "../../../../../platform/files/limits.ts";
import { KIND, type Kinds } from "../value-kinds.ts";

export interface Workbook {
  sheets: { name: string; isHidden: boolean; entry: ZipEntry }[];
  /** Texts that cells refer to by number. */
  texts: readonly string[];
  /** Number format of each cell style. */
  formats: readonly CellFormat[];
  /** True for the 1904 date system. */
  is1904: boolean;
}

type Attributes = Readonly<Record<string, string>>;

/** Reads the parts around the sheets: styles, shared strings, names. Namespaces are ignored: their prefixes are free. */
export async function readWorkbook(zip: ZipFile): Promise<Workbook> {
  const roots = await readRelations(zip);
  const path = roots.find(({ type }) => type === "officeDocument")?.target ?? "xl/workbook.xml";
  const entry = zip.find(path);
  if (entry === undefined || path.endsWith(".bin")) throw notAWorkbook(zip);
  const relations = await readRelations(zip, path);
  const { sheets, is1904 } = await readSheetList(zip, entry);
  const targetOf = (type: string): ZipEntry | undefined => {
    const relation = relations.find((each) => each.type === type);
    return relation && zip.find(relation.target);
  };
  return {
    sheets: sheets.flatMap(({ name, isHidden, relation }) => {
      const found = relations.find(({ id, type }) => id === relation && type === "worksheet");
      const sheetEntry = found && zip.find(found.target);
      return sheetEntry === undefined ? [] : [{ name, isHidden, entry: sheetEntry }];
    }),
    texts: await readTexts(zip, targetOf("sharedStrings")),
    formats: await readFormats(zip, targetOf("styles")),
    is1904,
  };
}

async function readEntry(zip: ZipFile, entry: ZipEntry, events: Partial<XmlEvents>): Promise<void> {
  await readXmlEntry(zip, entry, events, nameOf(entry));
}

export function nameOf({ name }: ZipEntry): string {
  return `${excerptOf(name)} in the Excel file`;
}

interface SheetList {
  sheets: { name: string; isHidden: boolean; relation: string }[];
  is1904: boolean;
}

async function readSheetList(zip: ZipFile, entry: ZipEntry): Promise<SheetList> {
  const list: SheetList = { sheets: [], is1904: false };
  await readEntry(zip, entry, {
    open(name, attributes) {
      // Extensions have an element of this name, too, which says nothing about dates.
      if (name === "workbookPr") list.is1904 ||= isTrue(attributes.date1904);
      if (name !== "sheet") return;
      const relation = relationIn(attributes);
      const isHidden = attributes.state === "hidden" || attributes.state === "veryHidden";
      list.sheets.push({ name: attributes.name ?? "", isHidden, relation });
    },
  });
  return list;
}

function isTrue(value: string | undefined): boolean {
  return value === "1" || value === "true";
}

async function readTexts(zip: ZipFile, entry: ZipEntry | undefined): Promise<string[]> {
  const texts: string[] = [];
  if (entry === undefined) return texts;
  if (entry.bytes > LIMITS.files.sharedTextBytes) {
    const most = megabytes(LIMITS.files.sharedTextBytes);
    throw new AppError("too_large", `The Excel file has more than ${most} of texts.`, {
      hint: "Save the sheet as CSV.",
    });
  }
  const reader = new TextReader();
  await readEntry(zip, entry, {
    open(name) {
      if (name === "si") reader.start();
      else reader.open(name);
    },
    text: (piece) => reader.text(piece),
    close(name) {
      if (name === "si") texts.push(reader.take());
      else reader.close(name);
    },
  });
  return texts;
}

/** Puts a text together from its runs, without the readings that stand above Japanese words. */
export class TextReader {
  #pieces = "";
  #isInText = false;
  #readings = 0;

  start(): void {
    this.#pieces = "";
    this.#isInText = false;
    this.#readings = 0;
  }

  open(name: string): void {
    if (name === "rPh") this.#readings += 1;
    else if (name === "t") this.#isInText = this.#readings === 0;
  }

  text(piece: string): void {
    if (this.#isInText) this.#pieces += piece;
  }

  close(name: string): void {
    if (name === "rPh") this.#readings -= 1;
    else if (name === "t") this.#isInText = false;
  }

  take(): string {
    return plainText(this.#pieces);
  }
}

/** Characters that XML cannot hold are written as `_x000D_`. */
export function plainText(text: string): string {
  if (!text.includes("_x")) return text;
  return text
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .toWellFormed();
}

async function readFormats(zip: ZipFile, entry: ZipEntry | undefined): Promise<CellFormat[]> {
  const formats: CellFormat[] = [];
  if (entry === undefined) return formats;
  const codes = new Map<number, string>();
  let isInStyles = false;
  await readEntry(zip, entry, {
    open(name, attributes: Attributes) {
      if (name === "numFmt") codes.set(Number(attributes.numFmtId), attributes.formatCode ?? "");
      else if (name === "cellXfs") isInStyles = true;
      else if (name === "xf" && isInStyles) {
        const id = Number(attributes.numFmtId ?? 0);
        formats.push(cellFormat(id, codes.get(id)));
      }
    },
    close(name) {
      if (name === "cellXfs") isInStyles = false;
    },
  });
  return formats;
}

function notAWorkbook(zip: ZipFile): AppError {
  if (zip.find("xl/workbook.bin") !== undefined) {
    return new AppError(
      "unsupported",
      "The file is an Excel file in the binary .xlsb format, which cannot be imported.",
      {
        hint: "Save it as .xlsx.",
      },
    );
  }
  const isExcel = [...zip.entries.keys()].some((name) => name.startsWith("xl/"));
  if (isExcel) return damaged();
  return new AppError("unsupported", "The file is a zip archive and not an Excel file.", {
    hint: "Unpack it, and import the files one by one.",
  });
}

/** Type of a number in a cell, by its number format. */
type CellFormat = "number" | "date" | "datetime" | "time" | "duration";

/** Formats that Excel knows by number and does not write into the file. */
function builtIn(id: number): CellFormat {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 34 && id <= 36) || (id >= 50 && id <= 58))
    return "date";
  if ((id >= 18 && id <= 21) || id === 32 || id === 33 || id === 45 || id === 47) return "time";
  if (id === 22) return "datetime";
  return id === 46 ? "duration" : "number";
}

/** Parts of a number format without meaning for its type: quoted texts, escapes, padding, colours, conditions, locales. */
const SILENT = /"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi;

/** Excel's own limit is 255. */
const LONGEST_CODE = 1_000;

/** `code` is a format as a user writes it: `dd/mm/yyyy hh:mm`, `[h]:mm`, `0.00%`. */
export function cellFormat(id: number, code: string | undefined): CellFormat {
  if (code === undefined) return builtIn(id);
  const [positive = ""] = code.slice(0, LONGEST_CODE).replace(SILENT, "").split(";");
  const signs = positive.toLowerCase();
  if (/\[[hms]+\]/.test(signs)) return "duration";
  if (signs.includes("general") || /[0#?]/.test(signs.replace(/[.,]0+/g, ""))) return "number";
  const hasTime = /[hs]/.test(signs) || signs.includes("am/pm");
  const hasDay = /[yd]/.test(signs) || (!hasTime && signs.includes("m"));
  if (hasTime) return hasDay ? "datetime" : "time";
  return hasDay ? "date" : "number";
}

const DAY_MS = 86_400_000;
/** The first day after the last that Excel can show. */
const END_OF_DAYS = 2_958_466;
/** Day 0, by which Excel counts from 1 March 1900 on; it believes in a 29 February before. */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
const DAYS_TO_1904 = 1_462;

export interface Value {
  kind: Kinds;
  /** As JSON has it; texts without quotes. */
  text: string;
}

/**
 * A number of days as what its format shows: `2024-02-29`, `2024-02-29 13:30:00`, `13:30:00`, `27:30:00`.
 * Undefined when it is no day at all, null for day 0, which is what an empty date turns into when it is copied.
 */
export function serialValue(serial: number, format: CellFormat, is1904: boolean): Value | null | undefined {
  if (format === "duration") return durationValue(serial);
  if (serial < 0 || serial >= END_OF_DAYS) return undefined;
  if (serial < 1 && format === "time") return timeValue(serial);
  const days = is1904 ? serial + DAYS_TO_1904 : serial;
  if (days < 1) return days === 0 ? null : timeValue(days);
  const isBeforeMarch1900 = days < 60;
  const iso = new Date(
    DAY_ZERO_MS + Math.round((isBeforeMarch1900 ? days + 1 : days) * DAY_MS),
  ).toISOString();
  const [day, rest] = [iso.slice(0, 10), iso.slice(11, 23)];
  const isMidnight = rest === "00:00:00.000";
  if (isMidnight && format === "date") return { kind: KIND.date, text: day };
  return { kind: KIND.timestamp, text: `${day} ${rest.replace(".000", "")}` };
}

function timeValue(serial: number): Value {
  return { kind: KIND.time, text: clock(Math.min(Math.round(serial * DAY_MS), DAY_MS - 1)) };
}

function durationValue(serial: number): Value | undefined {
  if (Math.abs(serial) >= END_OF_DAYS) return undefined;
  const text = clock(Math.round(Math.abs(serial) * DAY_MS));
  return { kind: KIND.duration, text: serial < 0 ? `-${text}` : text };
}

function clock(ms: number): string {
  const pad = (value: number, length = 2): string => String(value).padStart(length, "0");
  const fraction = ms % 1_000 === 0 ? "" : `.${pad(ms % 1_000, 3)}`;
  const seconds = Math.floor(ms / 1_000);
  return `${pad(Math.floor(seconds / 3_600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}${fraction}`;
}

export function damaged(cause?: unknown): AppError {
  return new AppError("bad_request", "The Excel file is damaged or cut off.", {
    hint: "Open it in a spreadsheet program, save it again, and send it whole.",
    cause,
  });
}

export const EXCEL_ERRORS: ZipErrors = {
  damaged,
  tooLarge: (what) =>
    new AppError("too_large", `The Excel file ${what}.`, {
      hint: "Save only the sheet that is needed, or as CSV.",
    }),
  locked: () =>
    new AppError("unsupported", "The Excel file has a password.", { hint: "Save it without one." }),
};
