import type { FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import { readXmlEntry, ZipFile } from "../../../platform/files/index.ts";
import { lockedFile } from "./file-error.ts";
import type { FilePage } from "./file-pages.ts";
import { htmlToMarkdown } from "./html.ts";
import { required, wholeOf, ZIP_ERRORS } from "./office-xml.ts";
import { decodeText } from "./plain-text.ts";

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
