import { CFB, utils, write } from "@e965/xlsx";

/** A compound file of Microsoft's with these streams. */
export function compound(streams: Record<string, Buffer>): Buffer {
  const file = CFB.utils.cfb_new();
  for (const [name, bytes] of Object.entries(streams)) CFB.utils.cfb_add(file, name, bytes);
  return Buffer.from(CFB.write(file, { type: "buffer" }) as Uint8Array);
}

/** A document of Word 97 whose text is two pieces: one of Latin letters, one of Unicode. */
export function oldWord(latin: string, wide: string): Buffer {
  const head = Buffer.alloc(1_536);
  head.writeUInt16LE(0xa5ec, 0);
  head.writeUInt16LE(0xc1, 2);
  head.writeUInt16LE(0x0200, 0x0a);
  head.writeUInt32LE(latin.length + wide.length, 0x4c);
  const document = Buffer.concat([head, Buffer.from(latin, "latin1"), Buffer.from(wide, "utf16le")]);
  const pieces = Buffer.alloc(5 + 12 + 16);
  pieces[0] = 2;
  pieces.writeUInt32LE(28, 1);
  pieces.writeUInt32LE(latin.length, 5 + 4);
  pieces.writeUInt32LE(latin.length + wide.length, 5 + 8);
  pieces.writeUInt32LE(((head.length * 2) | 0x40000000) >>> 0, 17 + 2);
  pieces.writeUInt32LE(head.length + latin.length, 25 + 2);
  document.writeUInt32LE(0, 0x01a2);
  document.writeUInt32LE(pieces.length, 0x01a6);
  return compound({ WordDocument: document, "1Table": Buffer.concat([pieces, Buffer.alloc(5_000)]) });
}

export function oldExcel(
  sheets: Record<string, (string | number)[][]>,
  bookType: "biff8" | "biff2" | "xlsb" = "biff8",
): Buffer {
  const book = utils.book_new();
  for (const [name, rows] of Object.entries(sheets))
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows), name);
  return Buffer.from(write(book, { type: "buffer", bookType }));
}

/** A message of Outlook, by the numbers of its properties. */
export function outlookMail(texts: Record<string, string>): Buffer {
  const streams = Object.entries(texts).map(([property, text]) => [
    `__substg1.0_${property}001F`,
    Buffer.from(text, "utf16le"),
  ]);
  return compound({ "__properties_version1.0": Buffer.alloc(32), ...Object.fromEntries(streams) });
}

/** A record of PowerPoint's, with what it holds. */
function pptRecord(type: number, body: Buffer | readonly Buffer[], instance = 0): Buffer {
  const isContainer = Array.isArray(body);
  const held = isContainer ? Buffer.concat(body) : (body as Buffer);
  const head = Buffer.alloc(8);
  head.writeUInt16LE((instance << 4) | (isContainer ? 0xf : 0), 0);
  head.writeUInt16LE(type, 2);
  head.writeUInt32LE(held.length, 4);
  return Buffer.concat([head, held]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, 4 * i);
  return bytes;
}

interface OldSlide {
  title: string;
  /** In a box in a group. */
  box: string;
  notes: string;
}

/** A presentation of PowerPoint 97, saved a second time: in the first one its last slide had another text. */
export function oldPowerPoint(slides: readonly OldSlide[], former = "A text of the first save"): Buffer {
  const box = (kind: number, text: Buffer) => pptRecord(0xf00d, [pptRecord(0x0f9f, words(kind)), text]);
  const wide = (text: string) => pptRecord(0x0fa0, Buffer.from(text, "utf16le"));
  const outlined = pptRecord(0xf00d, [pptRecord(0x0f9e, words(0))]);
  const drawn = (...boxes: readonly Buffer[]) =>
    pptRecord(0x040c, [pptRecord(0xf003, [pptRecord(0xf004, boxes)])]);
  const slide = ({ box: text }: OldSlide, i: number) =>
    pptRecord(0x03ee, [
      pptRecord(0x03ef, words(0, 0, 0, 0, 500 + i, 0)),
      drawn(outlined, box(4, wide(text))),
    ]);
  const notes = ({ notes: text }: OldSlide) =>
    pptRecord(0x03f0, [drawn(box(2, pptRecord(0x0fa8, Buffer.from(text, "latin1"))), box(4, wide("7")))]);
  const place = (key: number, id: number) => pptRecord(0x03f3, words(key, 0, 0, id, 0));
  const count = slides.length;
  const listed = slides.flatMap(({ title }, i) => [
    place(2 + i, 256 + i),
    pptRecord(0x0f9f, words(0)),
    wide(title),
  ]);
  const document = pptRecord(0x03e8, [
    pptRecord(0x0ff0, listed, 0),
    pptRecord(
      0x0ff0,
      slides.map((_, i) => place(2 + count + i, 500 + i)),
      2,
    ),
  ]);
  const last = slides.at(-1) as OldSlide;
  const first = [document, ...slides.map(slide), ...slides.map(notes)];
  first[count] = slide({ ...last, box: former }, count - 1);
  const parts: Buffer[] = [];
  const end = () => parts.reduce((sum, part) => sum + part.length, 0);
  const places = first.map((part) => parts.push(part) && end() - part.length);
  const save = (key: number, at: readonly number[], before: number): number => {
    const list = parts.push(pptRecord(0x1772, words((at.length << 20) | key, ...at))) && end();
    const start = list - 8 - 4 * (at.length + 1);
    parts.push(pptRecord(0x0ff5, words(0, 0, before, start, 1, 0, 0)));
    return list;
  };
  const edit = save(1, places, 0);
  const mended = end();
  parts.push(slide(last, count - 1));
  const newest = save(1 + count, [mended], edit);
  const user = Buffer.concat([pptRecord(0x0ff6, words(20, 0xe391c05f, newest, 0)), Buffer.alloc(8)]);
  return compound({ "PowerPoint Document": Buffer.concat(parts), "Current User": user });
}
