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
  /** Numbers of the pages that are pictures; all where its first reader cannot open it. */
  scanned?: readonly number[] | "all";
  /** What is wrong with it, if no other reader can open it either. */
  failure?: AppError;
  /** Plain texts are kept as they are. */
  isPlain?: boolean;
}

/** A page with less text of its own than this may have more in its pictures. */
export const BARE_CHARACTERS = 80;
