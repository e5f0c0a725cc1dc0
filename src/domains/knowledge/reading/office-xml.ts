import type { FileHandle } from "node:fs/promises";
import { AppError } from "../../../kernel/errors.ts";
import {
  localName,
  XmlStream,
  type ZipEntry,
  type ZipErrors,
  ZipFile,
} from "../../../platform/files/index.ts";
import { lockedFile } from "./file-error.ts";
import type { FilePage } from "./file-pages.ts";
import { MarkdownWriter } from "./markdown-writer.ts";

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
  cell: string;
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
  cell: "tc",
  signs: { tab: "\t", br: "\n", cr: "\n", noBreakHyphen: "-" },
  skipped: new Set(["Fallback"]),
};
const SLIDE: Dialect = { ...WORD, signs: { br: "\n", tab: "\t" } };
const OPEN_DOCUMENT: Dialect = {
  paragraphs: new Set(["p", "h"]),
  texts: undefined,
  table: "table",
  row: "table-row",
  cell: "table-cell",
  signs: { tab: "\t", "line-break": "\n", s: " " },
  skipped: new Set(["tracked-changes", "annotation", "notes", "settings"]),
};

export async function readWord(file: FileHandle): Promise<FilePage[]> {
  const zip = await ZipFile.open(file, ZIP_ERRORS);
  const headings = await headingStyles(zip);
  const writer = new MarkdownWriter();
  let style = "";
  await walk(zip, required(zip, "word/document.xml"), WORD, writer, {
    open(name, attributes) {
      if (name === "p") style = "";
      if (name === "pStyle") style = wordValue(attributes);
      if (name === "outlineLvl") style = `outline${Number(wordValue(attributes)) + 1}`;
      if (name === "numPr") writer.listItem();
    },
    levelOf: () => headings.get(style) ?? outlineOf(style),
  });
  for (const notes of ["word/footnotes.xml", "word/endnotes.xml"]) {
    const entry = zip.find(notes);
    if (entry !== undefined) await walk(zip, entry, WORD, writer, {});
  }
  return [{ markdown: writer.take() }];
}

export async function readSlides(file: FileHandle): Promise<FilePage[]> {
  const zip = await ZipFile.open(file, ZIP_ERRORS);
  const pages: FilePage[] = [];
  for (let number = 1; ; number += 1) {
    const slide = zip.find(`ppt/slides/slide${number}.xml`);
    if (slide === undefined) break;
    const writer = new MarkdownWriter();
    let isTitle = false;
    await walk(zip, slide, SLIDE, writer, {
      open(name, attributes) {
        if (name === "sp") isTitle = false;
        if (name === "ph") isTitle = /title/i.test(attributes.type ?? "");
      },
      levelOf: () => (isTitle ? 2 : undefined),
    });
    const notes = zip.find(`ppt/notesSlides/notesSlide${number}.xml`);
    if (notes !== undefined) await walk(zip, notes, SLIDE, writer, {});
    pages.push({ markdown: writer.take(), page: number });
  }
  return pages;
}

/** Text, spreadsheet and presentation alike; the pages of a presentation are its slides. */
export async function readOpenDocument(file: FileHandle): Promise<FilePage[]> {
  const zip = await ZipFile.open(file, ZIP_ERRORS);
  await refuseLocked(zip);
  const writer = new MarkdownWriter();
  const pages: FilePage[] = [];
  let level: number | undefined;
  let slides = 0;
  const endSlide = (): void => {
    if (slides > 0) pages.push({ markdown: writer.take(), page: slides });
  };
  await walk(zip, required(zip, "content.xml"), OPEN_DOCUMENT, writer, {
    open(name, attributes) {
      if (name === "h") level = Number(attributes["text:outline-level"] ?? 1);
      if (name === "p") level = undefined;
      if (name === "list-item") writer.listItem();
      if (name === "table" && attributes["table:name"] !== undefined && isSheet(zip))
        writer.heading(2, attributes["table:name"]);
      if (name !== "page" || attributes["draw:name"] === undefined) return;
      endSlide();
      slides += 1;
    },
    levelOf: () => level,
  });
  if (slides > 0) endSlide();
  else pages.push({ markdown: writer.take() });
  return pages;
}

/** Its parts are scrambled inside an archive that looks open; the list of them says so. */
async function refuseLocked(zip: ZipFile): Promise<void> {
  const manifest = zip.find("META-INF/manifest.xml");
  if (manifest === undefined) return;
  let text = "";
  for await (const chunk of zip.read(manifest)) text += chunk.toString("latin1");
  if (/<(?:\w+:)?encryption-data\b/.test(text)) throw lockedFile();
}

function isSheet(zip: ZipFile): boolean {
  return zip.find("content.xml") !== undefined && zip.find("word/document.xml") === undefined;
}

interface Hooks {
  open?(name: string, attributes: Attributes): void;
  /** Of the paragraph that ends; undefined for one that is no heading. */
  levelOf?(): number | undefined;
}

/** Paragraphs and tables, whatever else there is around them. */
async function walk(
  zip: ZipFile,
  entry: ZipEntry,
  dialect: Dialect,
  writer: MarkdownWriter,
  hooks: Hooks,
): Promise<void> {
  const { paragraphs, texts, table, row, cell, signs, skipped } = dialect;
  let skippedDepth = 0;
  let inParagraph = 0;
  let inText = 0;
  const stream = new XmlStream(
    {
      open(qualified, attributes) {
        const name = localName(qualified);
        if (skippedDepth > 0 || skipped.has(name)) {
          skippedDepth += 1;
          return;
        }
        hooks.open?.(name, attributes);
        if (paragraphs.has(name)) inParagraph += 1;
        if (texts?.has(name)) inText += 1;
        if (name === table) writer.beginTable();
        if (name === row) writer.beginRow();
        if (name === cell) writer.beginCell();
        if (Object.hasOwn(signs, name) && inParagraph > 0) writer.text(signs[name] ?? "");
      },
      text(text) {
        if (skippedDepth === 0 && inParagraph > 0 && (texts === undefined || inText > 0)) writer.text(text);
      },
      close(qualified) {
        const name = localName(qualified);
        if (skippedDepth > 0) {
          skippedDepth -= 1;
          return;
        }
        if (texts?.has(name)) inText -= 1;
        if (paragraphs.has(name)) {
          inParagraph -= 1;
          writer.endParagraph(hooks.levelOf?.());
        }
        if (name === cell) writer.endCell();
        if (name === row) writer.endRow();
        if (name === table) writer.endTable();
      },
    },
    { what: "The file", countLines: false },
  );
  for await (const chunk of zip.read(entry)) stream.write(chunk);
  stream.end();
}

/** Styles are known by ids that differ from language to language; their names tell the level. */
async function headingStyles(zip: ZipFile): Promise<Map<string, number>> {
  const levels = new Map<string, number>();
  const entry = zip.find("word/styles.xml");
  if (entry === undefined) return levels;
  let id = "";
  const stream = new XmlStream(
    {
      open(qualified, attributes) {
        const name = localName(qualified);
        if (name === "style") id = attributes["w:styleId"] ?? "";
        const level = name === "name" ? /^(?:heading (\d)|(title))$/i.exec(wordValue(attributes)) : null;
        if (level !== null) levels.set(id, Number(level[1] ?? 1));
        if (name === "outlineLvl" && !levels.has(id)) levels.set(id, Number(wordValue(attributes)) + 1);
      },
      text: () => undefined,
      close: () => undefined,
    },
    { what: "The file", countLines: false },
  );
  for await (const chunk of zip.read(entry)) stream.write(chunk);
  stream.end();
  return levels;
}

function outlineOf(style: string): number | undefined {
  const level = /^outline([1-6])$/.exec(style)?.[1];
  return level === undefined ? undefined : Number(level);
}

function wordValue(attributes: Attributes): string {
  return attributes["w:val"] ?? attributes.val ?? "";
}

export function required(zip: ZipFile, name: string): ZipEntry {
  const entry = zip.find(name);
  if (entry === undefined) throw new AppError("bad_request", "The file is not what its name says.");
  return entry;
}
