import { AppError, isAppError } from "../../../kernel/errors.ts";

/** A page of a file as Markdown; files without pages are one, without a number. */
export interface FilePage {
  markdown: string;
  page?: number;
}

/** What a file turned out to be and to hold. */
export interface FileContent {
  pages: readonly FilePage[];
  notes: readonly string[];
  /** What it is, where its name said something else. */
  mimeType?: string;
  /** Numbers of the pages that are pictures, or that its first reader got wrong; all where it cannot open the file. */
  scanned?: readonly number[] | "all";
  /** What is wrong with it, if no other reader can open it either. */
  failure?: AppError;
  /** Plain texts are kept as they are. */
  isPlain?: boolean;
}

/** A page with less text of its own than this may have more in its pictures. */
export const BARE_CHARACTERS = 80;

/** No language has many words that are longer. */
const LONG_LETTERS = 24;
const ODD_SHARE = 0.1;

/** True if a page has lost the spaces between its words, or has each letter twice, which is how some programs print bold. */
export function isGarbled(text: string): boolean {
  let [letters, odd] = [0, 0];
  for (const [word] of text.matchAll(/\p{Script=Latin}{2,}/gu)) {
    letters += word.length;
    if (word.length > LONG_LETTERS || /^(?:(.)\1){3,}$/u.test(word)) odd += word.length;
  }
  return odd > letters * ODD_SHARE;
}

/** What a library threw, as the file's fault. */
export function asFileError(error: unknown): unknown {
  if (isAppError(error)) return error;
  return new AppError("bad_request", "The file is damaged, or not what its name says.", { cause: error });
}

export function lockedFile(cause?: unknown): AppError {
  return new AppError("unsupported", "The file is protected by a password.", {
    hint: "Save it without one and add it again.",
    cause,
  });
}

export function unreadableFile(what: string, hint?: string): AppError {
  return new AppError("unsupported", `Files of this kind (${what}) cannot be read.`, hint ? { hint } : {});
}

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
export function withOcrText(content: FileContent, recognised: Recognised): FileContent {
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
