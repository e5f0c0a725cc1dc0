import type { AppError } from "../../../kernel/errors.ts";

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

/** Whether a page has lost the spaces between its words, or has each letter twice, which is how some programs print bold. */
export function isGarbled(text: string): boolean {
  let [letters, odd] = [0, 0];
  for (const [word] of text.matchAll(/\p{Script=Latin}{2,}/gu)) {
    letters += word.length;
    if (word.length > LONG_LETTERS || /^(?:(.)\1){3,}$/u.test(word)) odd += word.length;
  }
  return odd > letters * ODD_SHARE;
}
