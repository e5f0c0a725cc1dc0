import { readFile } from "node:fs/promises";
import { AppError } from "../../../kernel/errors.ts";
import { isPlainText } from "../../../platform/files/index.ts";
import { LIMITS } from "../limits.ts";
import { decodeText, structureMarkdown, structurePlain } from "./plain-text.ts";
import type { ReadDocument } from "./read-document.ts";
import { split } from "./split.ts";

export interface ReadRequest {
  path: string;
  bytes: number;
  extension: string;
}

const MARKDOWN = new Set(["md", "markdown"]);

/** Turns files into texts and their pieces. */
export class DocumentReader {
  async read({ path, bytes, extension }: ReadRequest): Promise<ReadDocument> {
    if (bytes > LIMITS.knowledge.plainTextBytes) throw unreadable();
    const content = await readFile(path);
    if (!isPlainText(content)) throw unreadable();
    const text = decodeText(content);
    return split(MARKDOWN.has(extension) ? structureMarkdown(text) : structurePlain(text));
  }
}

function unreadable(): AppError {
  return new AppError("unsupported", "Files of this kind cannot be read.");
}
