import { AppError } from "../../../kernel/errors.ts";
import { BARE_CHARACTERS, type FileContent, isGarbled } from "./file-pages.ts";

/** What a second look at a page has found. */
export interface PageText {
  page: number;
  text: string;
  /** In a picture: otherwise it is the page's own, which its first reader did not see. */
  isRecognised: boolean;
}

/** Texts of the pages that were looked at again; null where this machine has nothing to do that with. */
export type Recognised = readonly PageText[] | null;

/** The content of a file with what a second look has found, and a word on pages that have no text. */
export function withRecognised(content: FileContent, recognised: Recognised): FileContent {
  const { scanned = [], pages } = content;
  const found = new Map(recognised?.flatMap((each) => (each.text === "" ? [] : [[each.page, each]])));
  const first = scanned === "all" ? (recognised ?? []).map(({ page }) => ({ page, markdown: "" })) : pages;
  const whole = first.map(({ page, markdown }) => ({
    page: page ?? 0,
    markdown: joined(markdown, found.get(page ?? 0)),
  }));
  const without = whole.flatMap(({ page, markdown }) => {
    const isLooked = scanned === "all" || scanned.includes(page);
    return isLooked && !found.has(page) && markdown.length < BARE_CHARACTERS ? page : [];
  });
  if (whole.every(({ markdown }) => markdown === "")) throw content.failure ?? noText(recognised);
  const count = [...found.values()].filter(({ isRecognised }) => isRecognised).length;
  return { ...content, pages: whole, scanned: [], notes: [...content.notes, ...notesOn(count, without)] };
}

function joined(markdown: string, found: PageText | undefined): string {
  if (found === undefined) return markdown;
  if (isGarbled(markdown)) return isGarbled(found.text) ? markdown : found.text;
  if (!found.isRecognised) return found.text.length > markdown.length ? found.text : markdown;
  return `${markdown}\n\n${found.text}`.trim();
}

function notesOn(count: number, without: readonly number[]): string[] {
  const notes: string[] = [];
  if (count > 0) notes.push(`The text of ${count} pages was recognised in pictures, and may have mistakes.`);
  const listed = without.slice(0, 20).join(", ");
  if (without.length > 0) notes.push(`No text could be read on ${without.length} pages: ${listed}.`);
  return notes;
}

function noText(recognised: Recognised): AppError {
  const why =
    recognised === null
      ? "text recognition is not installed on this server"
      : "no text was recognised in its pictures";
  return new AppError("unsupported", `There is no text in it, and ${why}.`);
}
