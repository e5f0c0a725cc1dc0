import { AppError } from "../../../kernel/errors.ts";
import { type FilePage, lockedFile } from "./file-pages.ts";
import { MarkdownWriter } from "./markdown-writer.ts";
import type { Stream } from "./word-binary.ts";

/** Numbers of the records that a presentation of PowerPoint 97 to 2003 is made of, as MS-PPT describes them. */
const DOCUMENT_LIST = 0x0ff0;
const SLIDE_PLACE = 0x03f3;
const SLIDE_ATOM = 0x03ef;
const USER_EDIT = 0x0ff5;
const TEXT_BOX = 0xf00d;
const TEXT_KIND = 0x0f9f;
const WIDE_TEXT = 0x0fa0;
const LATIN_TEXT = 0x0fa8;
const OUTLINE_TEXT = 0x0f9e;
const ENCRYPTED = 0xf3d1c4df;
/** Which of the document's lists are of slides and of their notes. */
const [SLIDES, NOTES] = [0, 2];
/** Kinds of texts: titles, and what stands below a slide in its notes. */
const TITLES: ReadonlySet<number> = new Set([0, 6]);
const NOTES_TEXT = 2;
const CONTAINER = 0xf;
const HEADER_BYTES = 8;
/** No program nests records deeper. */
const DEPTH = 64;

interface Rec {
  type: number;
  /** Says of a list what it lists. */
  instance: number;
  isContainer: boolean;
  body: Buffer;
}

interface SlideText {
  kind: number;
  text: string;
}

interface Listed {
  /** Where the slide itself is, as a key of the directory. */
  key: number;
  id: number;
  /** Texts of its outline, to which its boxes refer by number. */
  outline: SlideText[];
}

/** The slides of a presentation from before 2007 in their order, each with its notes. */
export function slidePages(stream: Stream): FilePage[] {
  const bytes = stream("PowerPoint Document") as Buffer;
  const user = stream("Current User");
  if (user === undefined || user.length < 20) throw damaged();
  if (user.readUInt32LE(12) === ENCRYPTED) throw lockedFile();
  try {
    const { places, document } = directory(bytes, user.readUInt32LE(16));
    const at = (key: number) => recordAt(bytes, places.get(key) ?? bytes.length);
    const lists = recordsIn(at(document).body).filter(({ type }) => type === DOCUMENT_LIST);
    const listed = (kind: number) =>
      lists.filter(({ instance }) => instance === kind).flatMap(({ body }) => listedIn(body));
    const notes = new Map(listed(NOTES).map((each) => [each.id, each]));
    // Each slide and its notes once, however often a hostile file names them.
    const slides = new Map(listed(SLIDES).map((slide) => [places.get(slide.key), slide]));
    return [...slides.values()].map((slide, i) => {
      const record = at(slide.key);
      const id = notesOf(record);
      const own = notes.get(id);
      notes.delete(id);
      const below = own === undefined ? [] : textsOf(at(own.key), own.outline);
      const said = below.filter(({ kind }) => kind === NOTES_TEXT);
      return { markdown: markdownOf([...textsOf(record, slide.outline), ...said]), page: i + 1 };
    });
  } catch (error) {
    throw error instanceof RangeError ? damaged(error) : error;
  }
}

/** Each save adds what has changed and a directory of it; the newest place of a thing is where it is. */
function directory(bytes: Buffer, newest: number): { places: Map<number, number>; document: number } {
  const places = new Map<number, number>();
  let document: number | undefined;
  const seen = new Set<number>();
  for (let at = newest; !seen.has(at) && (at !== 0 || seen.size === 0); ) {
    seen.add(at);
    const { type, body } = recordAt(bytes, at);
    if (type !== USER_EDIT) throw damaged();
    document ??= body.readUInt32LE(16);
    const list = recordAt(bytes, body.readUInt32LE(12)).body;
    for (let from = 0; from < list.length; ) {
      const head = list.readUInt32LE(from);
      const [first, count] = [head & 0xfffff, head >>> 20];
      for (let i = 0; i < count; i += 1) {
        const place = list.readUInt32LE(from + 4 * (i + 1));
        if (!places.has(first + i)) places.set(first + i, place);
      }
      from += 4 * (count + 1);
    }
    at = body.readUInt32LE(8);
  }
  return { places, document: document ?? 0 };
}

function recordAt(bytes: Buffer, at: number): Rec {
  const head = bytes.readUInt16LE(at);
  const length = bytes.readUInt32LE(at + 4);
  return {
    type: bytes.readUInt16LE(at + 2),
    instance: head >>> 4,
    isContainer: (head & 0xf) === CONTAINER,
    body: bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length),
  };
}

function recordsIn(body: Buffer): Rec[] {
  const records: Rec[] = [];
  for (let at = 0; at + HEADER_BYTES <= body.length; ) {
    const record = recordAt(body, at);
    records.push(record);
    at += HEADER_BYTES + body.readUInt32LE(at + 4);
  }
  return records;
}

function listedIn(body: Buffer): Listed[] {
  const listed: Listed[] = [];
  let texts: Rec[] = [];
  const flush = (): void => {
    listed.at(-1)?.outline.push(...textsIn(texts, []));
  };
  for (const record of recordsIn(body)) {
    if (record.type !== SLIDE_PLACE) texts.push(record);
    else {
      flush();
      texts = [];
      listed.push({ key: record.body.readUInt32LE(0), id: record.body.readUInt32LE(12), outline: [] });
    }
  }
  flush();
  return listed;
}

/** The texts in all boxes of a slide, however deep in groups they are. */
function textsOf(slide: Rec, outline: readonly SlideText[], depth = 0): SlideText[] {
  if (depth > DEPTH) throw damaged();
  return recordsIn(slide.body).flatMap((record) => {
    if (record.type === TEXT_BOX) return textsIn(recordsIn(record.body), outline);
    return record.isContainer ? textsOf(record, outline, depth + 1) : [];
  });
}

/** A kind comes before each text, even before one that turns out to be empty. */
function textsIn(records: readonly Rec[], outline: readonly SlideText[]): SlideText[] {
  const texts: SlideText[] = [];
  for (const { type, body } of records) {
    const last = texts.at(-1);
    if (type === TEXT_KIND) texts.push({ kind: body.readUInt32LE(0), text: "" });
    else if (type === OUTLINE_TEXT) texts.push({ kind: 1, text: "", ...outline[body.readUInt32LE(0)] });
    else if (last !== undefined && type === WIDE_TEXT) last.text = body.toString("utf16le");
    else if (last !== undefined && type === LATIN_TEXT) last.text = body.toString("latin1");
  }
  return texts;
}

function notesOf({ body }: Rec): number {
  return (
    recordsIn(body)
      .find(({ type }) => type === SLIDE_ATOM)
      ?.body.readUInt32LE(16) ?? 0
  );
}

function markdownOf(texts: readonly SlideText[]): string {
  const writer = new MarkdownWriter();
  for (const { kind, text } of texts) {
    const isTitle = TITLES.has(kind);
    for (const paragraph of isTitle ? [text.replaceAll("\r", " ")] : text.split("\r")) {
      writer.text(paragraph.replaceAll("\v", "\n").replace(/[^\P{Cc}\n\t]/gu, ""));
      writer.endParagraph(isTitle ? 2 : undefined);
    }
  }
  return writer.take();
}

function damaged(cause?: unknown): AppError {
  return new AppError("bad_request", "The presentation is damaged or cut off.", { cause });
}
