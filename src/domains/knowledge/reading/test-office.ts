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

export function oldExcel(sheets: Record<string, (string | number)[][]>): Buffer {
  const book = utils.book_new();
  for (const [name, rows] of Object.entries(sheets))
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows), name);
  return Buffer.from(write(book, { type: "buffer", bookType: "biff8" }));
}

/** A message of Outlook, by the numbers of its properties. */
export function outlookMail(texts: Record<string, string>): Buffer {
  const streams = Object.entries(texts).map(([property, text]) => [
    `__substg1.0_${property}001F`,
    Buffer.from(text, "utf16le"),
  ]);
  return compound({ "__properties_version1.0": Buffer.alloc(32), ...Object.fromEntries(streams) });
}
