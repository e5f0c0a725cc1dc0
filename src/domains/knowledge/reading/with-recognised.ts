import { AppError } from "../../../kernel/errors.ts";
import type { FileContent } from "./file-pages.ts";

/** Texts of pages that are pictures; null where texts cannot be recognised on this machine. */
export type Recognised = readonly { page: number; text: string }[] | null;

/** The content of a file with the texts of its pictures, and a word on those that have none. */
export function withRecognised(content: FileContent, recognised: Recognised): FileContent {
  const { scanned = [], pages } = content;
  const texts = new Map(recognised?.flatMap(({ page, text }) => (text === "" ? [] : [[page, text]])));
  const whole = pages.map(({ page, markdown }) => {
    const text = texts.get(page ?? 0);
    return { page: page ?? 0, markdown: text === undefined ? markdown : `${markdown}\n\n${text}`.trim() };
  });
  const without = scanned.filter((page) => !texts.has(page));
  if (whole.every(({ markdown }) => markdown === "")) throw noText(pages.length, recognised);
  return {
    ...content,
    pages: whole,
    scanned: [],
    notes: [...content.notes, ...notesOn(texts.size, without)],
  };
}

function notesOn(count: number, without: readonly number[]): string[] {
  const notes: string[] = [];
  if (count > 0) notes.push(`The text of ${count} pages was recognised in pictures, and may have mistakes.`);
  const listed = without.slice(0, 20).join(", ");
  if (without.length > 0) notes.push(`No text could be read on ${without.length} pages: ${listed}.`);
  return notes;
}

function noText(pages: number, recognised: Recognised): AppError {
  const what = pages === 1 ? "It is a picture" : "Its pages are pictures";
  if (recognised !== null) return new AppError("unsupported", `${what}, and no text was recognised.`);
  return new AppError("unsupported", `${what}, and text recognition is not installed on this server.`);
}
