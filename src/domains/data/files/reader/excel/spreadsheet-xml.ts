import type { FileHandle } from "node:fs/promises";
import { fileChunks, localName, XmlStream } from "../../../../../platform/files/index.ts";
import { KIND } from "../value-kinds.ts";
import {
  checkPlace,
  isoValue,
  numberValue,
  type ReadRows,
  type SheetLosses,
  type SheetRow,
  type SheetSource,
  textValue,
} from "./sheet-rows.ts";
import { damaged, type Value } from "./workbook.ts";

/**
 * The sheets of what Excel 2003 called "XML Spreadsheet": one file with all of them, each cell with the type of its value.
 * It is read from its beginning for each.
 */
export async function xmlSheets(file: FileHandle): Promise<SheetSource[]> {
  const list = new SheetList();
  for await (const _ of parse(file, list)) list.takeRows();
  return list.sheets.map(({ name, isHidden }, index) => ({
    name,
    isHidden,
    read: (losses) => readSheet(file, index, losses),
  }));
}

async function* readSheet(file: FileHandle, index: number, losses: SheetLosses): ReadRows {
  const reader = new SheetReader(index, losses);
  for await (const fraction of parse(file, reader)) yield { rows: reader.takeRows(), fraction };
}

interface Events {
  open(name: string, attribute: (name: string) => string | undefined): void;
  text(piece: string): void;
  close(name: string): void;
}

async function* parse(file: FileHandle, events: Events): AsyncGenerator<number> {
  const { size } = await file.stat();
  const stream = new XmlStream(
    {
      open: (name, attributes) =>
        events.open(localName(name), (wanted) => {
          const key = Object.keys(attributes).find((each) => localName(each) === wanted);
          return key === undefined ? undefined : attributes[key];
        }),
      text: (piece) => events.text(piece),
      close: (name) => events.close(localName(name)),
    },
    { what: "The Excel file" },
  );
  let bytes = 0;
  for await (const chunk of fileChunks(file)) {
    stream.write(chunk);
    bytes += chunk.length;
    yield bytes / size;
  }
  stream.end();
  yield 1;
}

class SheetList implements Events {
  readonly sheets: { name: string; isHidden: boolean }[] = [];
  #isVisibility = false;

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === "Worksheet") this.sheets.push({ name: attribute("Name") ?? "", isHidden: false });
    this.#isVisibility = name === "Visible";
  }

  text(piece: string): void {
    const sheet = this.sheets.at(-1);
    if (this.#isVisibility && sheet !== undefined && /hidden/i.test(piece)) sheet.isHidden = true;
  }

  close(): void {
    this.#isVisibility = false;
  }

  takeRows(): void {}
}

/** The rows of one sheet. */
class SheetReader implements Events {
  readonly #wanted: number;
  readonly #losses: SheetLosses;
  #sheet = -1;
  #isInSheet = false;
  #rows: SheetRow[] = [];
  #number = 0;
  #span = 0;
  #cells: (Value | undefined)[] = [];
  #hasLosses = false;
  #column = -1;
  #merged = 0;
  #type = "";
  #value: string | undefined;

  constructor(wanted: number, losses: SheetLosses) {
    this.#wanted = wanted;
    this.#losses = losses;
  }

  takeRows(): SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attribute: (name: string) => string | undefined): void {
    if (name === "Worksheet") {
      this.#sheet += 1;
      this.#isInSheet = this.#sheet === this.#wanted;
    }
    if (!this.#isInSheet) return;
    if (name === "Row") {
      this.#number = placeOf(attribute("Index"), this.#number + this.#span + 1);
      this.#span = Number(attribute("Span") ?? 0);
      this.#cells = [];
      this.#hasLosses = false;
      this.#column = -1;
      this.#merged = 0;
    } else if (name === "Cell") {
      this.#column = placeOf(attribute("Index"), this.#column + this.#merged + 2) - 1;
      this.#merged = Number(attribute("MergeAcross") ?? 0);
      checkPlace(this.#number, this.#column);
    } else if (name === "Data") {
      this.#type = attribute("Type") ?? "String";
      this.#value = "";
    }
  }

  text(piece: string): void {
    if (this.#value !== undefined) this.#value += piece;
  }

  close(name: string): void {
    if (name === "Data" && this.#value !== undefined) {
      const value = this.#valueOf(this.#value);
      if (value !== undefined) this.#cells[this.#column] = value;
      this.#value = undefined;
    } else if (name === "Row" && this.#isInSheet) {
      const isKept = this.#cells.length > 0 || this.#hasLosses;
      if (isKept) this.#rows.push({ number: this.#number, cells: this.#cells });
    } else if (name === "Worksheet") this.#isInSheet = false;
  }

  #valueOf(text: string): Value | undefined {
    switch (this.#type) {
      case "Number":
        return text.trim() === "" ? undefined : numberValue(text);
      case "Boolean":
        return { kind: KIND.boolean, text: text.trim() === "1" ? "true" : "false" };
      case "DateTime":
        return isoValue(text.trim().replace(/T00:00:00(?:\.0+)?$/, ""));
      case "Error":
        this.#losses.errors += 1;
        this.#hasLosses = true;
        return undefined;
      default:
        return textValue(text);
    }
  }
}

/** Counted from 1; places only grow. */
function placeOf(index: string | undefined, next: number): number {
  const place = index === undefined ? next : Number(index);
  if (!Number.isInteger(place) || place < next) throw damaged();
  return place;
}
