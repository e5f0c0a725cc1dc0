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
  /** Numbers of the pages that are pictures. */
  scanned?: readonly number[];
  /** Plain texts are kept as they are. */
  isPlain?: boolean;
}
