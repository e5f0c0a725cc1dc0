/** Files for the tests of this folder, made byte by byte. */
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { onTestFinished } from "vitest";
import type {
  Batch,
  OnFraction,
  ReadOptions,
  ReadReport,
  TableReader,
} from "../../src/domains/data/files/reader/table-reader.ts";

export interface ZipMember {
  content: string | Buffer;
  stored?: boolean;
  /** What the central directory says instead of the truth. */
  says?: { bytes?: number; crc?: number; isEncrypted?: boolean; offset?: number };
  /** Sizes in an extra field, as Zip64 has them. */
  isLarge?: boolean;
}

const KNOWN_ONLY_LATER = 0xffffffff;

export function zip(members: Record<string, string | ZipMember>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, member] of Object.entries(members)) {
    const {
      content,
      stored = false,
      says = {},
      isLarge = false,
    } = typeof member === "string" ? { content: member } : member;
    const raw = Buffer.from(content);
    const data = stored ? raw : deflateRawSync(raw);
    const method = stored ? 0 : 8;
    const nameBytes = Buffer.from(name);
    const crc = says.crc ?? crc32(raw);
    const bytes = says.bytes ?? raw.length;
    const local = numbers([
      [4, 0x04034b50],
      [2, 20],
      [2, 0],
      [2, method],
      [4, 0],
      [4, crc],
      [4, data.length],
      [4, raw.length],
      [2, nameBytes.length],
      [2, 0],
    ]);
    const extra = isLarge
      ? numbers([
          [2, 1],
          [2, 24],
          [8, bytes],
          [8, data.length],
          [8, says.offset ?? offset],
        ])
      : Buffer.alloc(0);
    const small = (value: number): number => (isLarge ? KNOWN_ONLY_LATER : value);
    const flags = says.isEncrypted ? 1 : 0;
    const central = numbers([
      [4, 0x02014b50],
      [2, 20],
      [2, 20],
      [2, flags],
      [2, method],
      [4, 0],
      [4, crc],
      [4, small(data.length)],
      [4, small(bytes)],
      [2, nameBytes.length],
      [2, extra.length],
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, small(says.offset ?? offset)],
    ]);
    directory.push(central, nameBytes, extra);
    files.push(local, nameBytes, data);
    offset += local.length + nameBytes.length + data.length;
  }
  const listing = Buffer.concat(directory);
  const count = Object.keys(members).length;
  const end = numbers([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, listing.length],
    [4, offset],
    [2, 0],
  ]);
  return Buffer.concat([...files, listing, end]);
}

function numbers(fields: [bytes: number, value: number][]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      if (bytes === 8) field.writeBigUInt64LE(BigInt(value));
      else field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}

/** A cell: text, number, boolean, nothing, or the XML of a cell without its `r`. */
export type TestCell = string | number | boolean | null | { xml: string };

export interface TestSheet {
  name: string;
  rows?: TestCell[][];
  /** Instead of rows. */
  data?: string;
  state?: string;
}

export interface TestBook {
  sheets: TestSheet[];
  texts?: string[];
  /** The XML of number formats and styles. */
  styles?: string;
  is1904?: boolean;
  /** Before every element. */
  prefix?: string;
}

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** The files inside an Excel file, to be changed and then zipped. */
export function xlsxMembers({
  sheets,
  texts,
  styles,
  is1904,
  prefix = "",
}: TestBook): Record<string, string | ZipMember> {
  const p = prefix === "" ? "" : `${prefix}:`;
  const xmlns = `xmlns${prefix === "" ? "" : `:${prefix}`}="${MAIN}"`;
  const tableView = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const list = sheets.map(({ name, state }, index) => {
    const hidden = state === undefined ? "" : ` state="${state}"`;
    return `<${p}sheet name="${escapeXml(name)}" sheetId="${index + 1}"${hidden} r:id="rId${index + 1}"/>`;
  });
  const targets = [
    ...sheets.map((_, index) =>
      tableView(`rId${index + 1}`, "worksheet", `worksheets/sheet${index + 1}.xml`),
    ),
    tableView("rIdT", "sharedStrings", "/xl/sharedStrings.xml"),
    tableView("rIdS", "styles", "styles.xml"),
  ];
  // Newer Excels add an element of the same name, in another namespace, for something else.
  const pr = is1904
    ? `<${p}workbookPr date1904="1"/><${p}extLst><${p}ext><x15:workbookPr xmlns:x15="urn:x15" chartTrackingRefBase="1"/></${p}ext></${p}extLst>`
    : "";
  return {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "_rels/.rels": `<Relationships xmlns="${RELATIONS}">${tableView("rId1", "officeDocument", "xl/workbook.xml")}</Relationships>`,
    "xl/workbook.xml": `<?xml version="1.0"?><${p}workbook ${xmlns} xmlns:r="${OFFICE}">${pr}<${p}sheets>${list.join("")}</${p}sheets></${p}workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${RELATIONS}">${targets.join("")}</Relationships>`,
    ...(texts && {
      "xl/sharedStrings.xml": `<sst xmlns="${MAIN}">${texts.map((text) => `<si>${text}</si>`).join("")}</sst>`,
    }),
    ...(styles && { "xl/styles.xml": `<styleSheet xmlns="${MAIN}">${styles}</styleSheet>` }),
    ...Object.fromEntries(
      sheets.map(({ rows = [], data }, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<?xml version="1.0"?><${p}worksheet ${xmlns}><${p}sheetData>${data ?? rows.map((row, number) => rowXml(row, number + 1, p)).join("")}</${p}sheetData></${p}worksheet>`,
      ]),
    ),
  };
}

export function xlsx(book: TestBook): Buffer {
  return zip(xlsxMembers(book));
}

function rowXml(row: TestCell[], number: number, p: string): string {
  const cells = row.map((cell, column) => {
    const r = `${columnName(column)}${number}`;
    if (cell === null) return "";
    if (typeof cell === "object") return cell.xml.replace("<c", `<${p}c r="${r}"`);
    if (typeof cell === "number") return `<${p}c r="${r}"><${p}v>${cell}</${p}v></${p}c>`;
    if (typeof cell === "boolean") return `<${p}c r="${r}" t="b"><${p}v>${cell ? 1 : 0}</${p}v></${p}c>`;
    return `<${p}c r="${r}" t="inlineStr"><${p}is><${p}t xml:space="preserve">${escapeXml(cell)}</${p}t></${p}is></${p}c>`;
  });
  return `<${p}row r="${number}">${cells.join("")}</${p}row>`;
}

function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : `${columnName(Math.floor(column / 26) - 1)}${letter}`;
}

export function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;");
}

/** A folder that goes with the test. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "kenning-files-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

type Open = (
  file: Awaited<ReturnType<typeof open>>,
  options: ReadOptions,
  onFraction: OnFraction,
) => Promise<TableReader>;

export interface Read {
  report: ReadReport;
  rows: Record<string, unknown>[];
  lines: string[];
}

/** Reads bytes by one of the readers, in this process. */
export async function readWith(
  openReader: Open,
  bytes: Buffer | string,
  options: ReadOptions = {},
): Promise<Read> {
  const path = join(await testFolder(), "file");
  await writeFile(path, bytes);
  const file = await open(path);
  onTestFinished(() => file.close());
  const reader = await openReader(file, options, () => undefined);
  const batches: Batch[] = [];
  for await (const batch of reader.rows()) batches.push(batch);
  const text = Buffer.concat(batches.map(({ bytes: piece }) => piece)).toString("utf8");
  const lines = text.replace(/\n$/, "").split("\n");
  const rows =
    reader.report.format === "json"
      ? JSON.parse(text)
      : lines.filter(Boolean).map((line) => JSON.parse(line));
  return { report: reader.report, rows, lines };
}
