import type { FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import { AppError } from "../../../kernel/errors.ts";
import {
  type Relation,
  readRelations,
  readXmlEntry,
  relationIn,
  type ZipEntry,
  type ZipErrors,
  ZipFile,
} from "../../../platform/files/index.ts";
import { type FilePage, lockedFile } from "./file-pages.ts";
import { htmlToMarkdown } from "./html.ts";
import { pageOfMail } from "./mail.ts";
import { type HeldParagraph, MarkdownWriter } from "./markdown-writer.ts";
import { decodeText } from "./plain-text.ts";

export const ZIP_ERRORS: ZipErrors = {
  damaged: (cause) => new AppError("bad_request", "The file is damaged or cut off.", { cause }),
  tooLarge: (what) => new AppError("too_large", `The file ${what}.`),
  locked: lockedFile,
};

type Attributes = Readonly<Record<string, string>>;

/** What the elements of one sort of office file mean. */
interface Dialect {
  paragraphs: ReadonlySet<string>;
  /** Elements whose text counts; where there are none, all text in a paragraph does. */
  texts: ReadonlySet<string> | undefined;
  table: string;
  row: string;
  cells: ReadonlySet<string>;
  /** Elements that stand for a character. */
  signs: Readonly<Record<string, string>>;
  /** Elements with all that is in them are left out. */
  skipped: ReadonlySet<string>;
}

const WORD: Dialect = {
  paragraphs: new Set(["p"]),
  texts: new Set(["t"]),
  table: "tbl",
  row: "tr",
  cells: new Set(["tc"]),
  signs: { tab: "\t", br: "\n", cr: "\n", noBreakHyphen: "-" },
  skipped: new Set(["Fallback", "moveFrom"]),
};
const SLIDE: Dialect = { ...WORD, signs: { br: "\n", tab: "\t" } };
const OPEN_DOCUMENT: Dialect = {
  paragraphs: new Set(["p", "h"]),
  texts: undefined,
  table: "table",
  row: "table-row",
  cells: new Set(["table-cell", "covered-table-cell"]),
  signs: { tab: "\t", "line-break": "\n", s: " " },
  skipped: new Set(["tracked-changes", "annotation", "note-citation", "settings"]),
};

/** The part that an Office file begins with, and what that one refers to. */
async function mainPart(zip: ZipFile, usual: string): Promise<{ main: ZipEntry; relations: Relation[] }> {
  const roots = await readRelations(zip);
  const path = roots.find(({ type }) => type === "officeDocument")?.target ?? usual;
  return { main: required(zip, path), relations: await readRelations(zip, path) };
}

/** Those of the parts that are of one of these types, and there; each once, however often a hostile file names it. */
function partsOf(zip: ZipFile, relations: readonly Relation[], ...types: readonly string[]): ZipEntry[] {
  const wanted = relations.filter(({ type }) => types.includes(type));
  const entries = new Set(wanted.map(({ target }) => zip.find(target)));
  return [...entries].filter((entry) => entry !== undefined);
}

export async function readWord(file: FileHandle): Promise<FilePage[]> {
  const zip = await ZipFile.open(file, ZIP_ERRORS);
  const { main, relations } = await mainPart(zip, "word/document.xml");
  const headings = await headingStyles(zip, partsOf(zip, relations, "styles")[0]);
  const writer = new MarkdownWriter();
  let style = "";
  await walk(zip, main, WORD, writer, {
    open(name, attributes) {
      if (name === "p") style = "";
      if (name === "pStyle") style = wordValue(attributes);
      if (name === "outlineLvl") style = `outline${Number(wordValue(attributes)) + 1}`;
      if (name === "numPr") writer.listItem();
    },
    levelOf: () => headings.get(style) ?? outlineOf(style),
  });
  for (const part of partsOf(zip, relations, "footnotes", "endnotes", "diagramData"))
    await walk(zip, part, WORD, writer, {});
  const pages = [writer.take()];
  for (const part of partsOf(zip, relations, "aFChunk")) pages.push(await pageInside(zip, part));
  return [{ markdown: pages.filter((text) => text !== "").join("\n\n") }];
}

/** Programs that make documents of web pages put the page into the document, as it is or as a mail. */
async function pageInside(zip: ZipFile, part: ZipEntry): Promise<string> {
  const bytes = await wholeOf(zip, part);
  if (/\.x?html?$/i.test(part.name)) return htmlToMarkdown(decodeText(bytes));
  return /\.mht(?:ml)?$/i.test(part.name) ? pageOfMail(bytes) : "";
}

const SHAPES = new Set(["sp", "graphicFrame", "grpSp", "pic", "cxnSp"]);
const TITLES = new Set(["title", "ctrTitle"]);
/** Boxes of a slide whose text is the same on every one, or is a number that the program writes. */
const AROUND = new Set(["sldNum", "dt", "ftr", "hdr"]);

/** The slides in the order in which they are shown, each with its diagrams and notes. */
export async function readSlides(file: FileHandle): Promise<FilePage[]> {
  const zip = await ZipFile.open(file, ZIP_ERRORS);
  const { main, relations } = await mainPart(zip, "ppt/presentation.xml");
  const targets = new Map(relations.map(({ id, target }) => [id, target]));
  const slides = new Set<string>();
  await readXmlEntry(zip, main, {
    open(name, attributes) {
      const target = name === "sldId" ? targets.get(relationIn(attributes)) : undefined;
      if (target !== undefined) slides.add(target);
    },
  });
  const read = new Set<ZipEntry>();
  const pages: FilePage[] = [];
  for (const path of slides) {
    const slide = zip.find(path);
    if (slide === undefined) continue;
    const writer = new MarkdownWriter();
    await walkSlide(zip, slide, writer);
    const others = await readRelations(zip, path);
    for (const part of partsOf(zip, others, "diagramData", "notesSlide").filter((each) => !read.has(each))) {
      read.add(part);
      await walkSlide(zip, part, writer);
    }
    pages.push({ markdown: writer.take(), page: pages.length + 1 });
  }
  return pages;
}

async function walkSlide(zip: ZipFile, part: ZipEntry, writer: MarkdownWriter): Promise<void> {
  let box = "";
  await walk(zip, part, SLIDE, writer, {
    open(name, attributes) {
      if (SHAPES.has(name)) box = "";
      if (name === "ph") box = attributes.type ?? "";
    },
    levelOf: () => (TITLES.has(box) ? 2 : undefined),
    isLeftOut: () => AROUND.has(box),
  });
}

/** Text, spreadsheet and presentation alike; the pages of a presentation are its slides. */
export async function readOpenDocument(file: FileHandle): Promise<FilePage[]> {
  const zip = await ZipFile.open(file, ZIP_ERRORS);
  await refuseLocked(zip);
  const writer = new MarkdownWriter();
  const pages: FilePage[] = [];
  let level: number | undefined;
  let repeated = 1;
  let isSheet = false;
  let slides = 0;
  const endSlide = (): void => {
    if (slides > 0) pages.push({ markdown: writer.take(), page: slides });
  };
  await walk(zip, required(zip, "content.xml"), OPEN_DOCUMENT, writer, {
    open(name, attributes) {
      if (name === "h") level = Number(attributes["text:outline-level"] ?? 1);
      if (name === "p") level = undefined;
      if (name === "list-item") writer.listItem();
      if (name === "spreadsheet") isSheet = true;
      if (name === "table" && isSheet) writer.heading(2, attributes["table:name"] ?? "");
      if (OPEN_DOCUMENT.cells.has(name)) repeated = Number(attributes["table:number-columns-repeated"] ?? 1);
      if (name !== "page") return;
      endSlide();
      slides += 1;
    },
    levelOf: () => level,
    cellsOf: () => repeated,
  });
  if (slides > 0) endSlide();
  else pages.push({ markdown: writer.take() });
  return pages;
}

/** Its parts are scrambled inside an archive that looks open; the list of them says so. */
async function refuseLocked(zip: ZipFile): Promise<void> {
  const manifest = zip.find("META-INF/manifest.xml");
  if (manifest === undefined) return;
  const text = (await wholeOf(zip, manifest)).toString("latin1");
  if (/<(?:\w+:)?encryption-data\b/.test(text)) throw lockedFile();
}

interface Hooks {
  open?(name: string, attributes: Attributes): void;
  /** Of the paragraph that ends; undefined for one that is no heading. */
  levelOf?(): number | undefined;
  /** True if the text that comes is none of the document's own. */
  isLeftOut?(): boolean;
  /** For how many cells the one that ends stands. */
  cellsOf?(): number;
}

/** Paragraphs and tables, whatever else there is around them. */
async function walk(
  zip: ZipFile,
  entry: ZipEntry,
  { paragraphs, texts, table, row, cells, signs, skipped }: Dialect,
  writer: MarkdownWriter,
  hooks: Hooks,
): Promise<void> {
  let skippedDepth = 0;
  let inParagraph = 0;
  let inText = 0;
  const held: HeldParagraph[] = [];
  await readXmlEntry(zip, entry, {
    open(name, attributes) {
      if (skippedDepth > 0 || skipped.has(name)) {
        skippedDepth += 1;
        return;
      }
      // A box or a note stands inside the paragraph that it belongs to.
      if (paragraphs.has(name) && inParagraph > 0) held.push(writer.hold());
      hooks.open?.(name, attributes);
      if (paragraphs.has(name)) inParagraph += 1;
      if (texts?.has(name)) inText += 1;
      if (name === table) writer.beginTable();
      if (name === row) writer.beginRow();
      if (cells.has(name)) writer.beginCell();
      if (Object.hasOwn(signs, name) && inParagraph > 0) writer.text(signs[name] ?? "");
    },
    text(text) {
      const isShown = skippedDepth === 0 && inParagraph > 0 && (texts === undefined || inText > 0);
      if (isShown && !hooks.isLeftOut?.()) writer.text(text);
    },
    close(name) {
      if (skippedDepth > 0) {
        skippedDepth -= 1;
        return;
      }
      if (texts?.has(name)) inText -= 1;
      if (paragraphs.has(name)) {
        inParagraph -= 1;
        writer.endParagraph(hooks.levelOf?.());
        const outer = inParagraph > 0 ? held.pop() : undefined;
        if (outer !== undefined) writer.release(outer);
      }
      if (cells.has(name)) writer.endCell(hooks.cellsOf?.());
      if (name === row) writer.endRow();
      if (name === table) writer.endTable();
    },
  });
}

/** Styles are known by ids that differ from language to language; their names tell the level. */
async function headingStyles(zip: ZipFile, entry: ZipEntry | undefined): Promise<Map<string, number>> {
  const levels = new Map<string, number>();
  if (entry === undefined) return levels;
  let id = "";
  await readXmlEntry(zip, entry, {
    open(name, attributes) {
      if (name === "style") id = attributes["w:styleId"] ?? "";
      const level = name === "name" ? /^(?:heading (\d)|(title))$/i.exec(wordValue(attributes)) : null;
      if (level !== null) levels.set(id, Number(level[1] ?? 1));
      if (name === "outlineLvl" && !levels.has(id)) levels.set(id, Number(wordValue(attributes)) + 1);
    },
  });
  return levels;
}

function outlineOf(style: string): number | undefined {
  const level = /^outline([1-6])$/.exec(style)?.[1];
  return level === undefined ? undefined : Number(level);
}

function wordValue(attributes: Attributes): string {
  return attributes["w:val"] ?? attributes.val ?? "";
}

async function wholeOf(zip: ZipFile, entry: ZipEntry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of zip.read(entry)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function required(zip: ZipFile, name: string): ZipEntry {
  const entry = zip.find(name);
  if (entry === undefined) throw new AppError("bad_request", "The file is not what its name says.");
  return entry;
}

/** The chapters of an e-book in the order in which they are read. */
export async function readBook(file: FileHandle): Promise<FilePage[]> {
  const zip = await ZipFile.open(file, ZIP_ERRORS);
  if (await hasLockedChapters(zip)) throw lockedFile();
  let opf = "";
  await readXmlEntry(zip, required(zip, "META-INF/container.xml"), {
    open(name, attributes) {
      if (name === "rootfile" && opf === "") opf = attributes["full-path"] ?? "";
    },
  });
  const chapters = new Map<string, string>();
  const order = new Set<string>();
  await readXmlEntry(zip, required(zip, opf), {
    open(name, { id = "", href = "", idref = "" }) {
      if (name === "item") chapters.set(id, posix.join(posix.dirname(opf), decodeURIComponent(href)));
      if (name === "itemref") order.add(idref);
    },
  });
  const pages: string[] = [];
  for (const id of order) {
    const entry = zip.find(chapters.get(id) ?? "");
    if (entry !== undefined) pages.push(htmlToMarkdown(decodeText(await wholeOf(zip, entry))));
  }
  return [{ markdown: pages.filter((text) => text !== "").join("\n\n") }];
}

/** Fonts may be scrambled in a book that anybody can read. */
async function hasLockedChapters(zip: ZipFile): Promise<boolean> {
  const entry = zip.find("META-INF/encryption.xml");
  return entry !== undefined && /URI="[^"]*\.x?html?"/i.test((await wholeOf(zip, entry)).toString("utf8"));
}
