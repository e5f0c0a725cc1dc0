import { AppError } from "../../../../../kernel/errors.ts";
import {
  excerptOf,
  megabytes,
  readRelations,
  readXmlEntry,
  relationIn,
  type XmlEvents,
  type ZipEntry,
  type ZipFile,
} from "../../../../../platform/files/index.ts";
import { LIMITS } from "../../../../../platform/files/limits.ts";
import { damaged } from "./excel-errors.ts";
import { type CellFormat, cellFormat } from "./number-formats.ts";

export interface Workbook {
  sheets: { name: string; isHidden: boolean; entry: ZipEntry }[];
  /** Texts that cells refer to by number. */
  texts: readonly string[];
  /** What a number in a cell of each style stands for. */
  formats: readonly CellFormat[];
  /** Whether days are counted from 1904. */
  is1904: boolean;
}

type Attributes = Readonly<Record<string, string>>;

/** What stands in the files around the sheets. Namespaces are passed over: their prefixes are free. */
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
