/** A piece of a text, as it is searched. */
export interface Piece {
  content: string;
  /** The headings above it, outermost first. */
  titlePath: string[];
  page: number | null;
  /** Where it begins in the text, in characters as PostgreSQL counts them. */
  start: number;
}

/** What a reader makes of a file. */
export interface ReadDocument {
  text: string;
  chunks: readonly Piece[];
  pages: number | null;
  notes: readonly string[];
  /** What the file is, by its bytes. */
  mimeType?: string;
}

/** A part of a text that holds together; the text is what lies between its ends. */
export interface Block {
  kind: "heading" | "paragraph" | "table" | "code";
  start: number;
  end: number;
  /** Of a heading: 1 is the outermost. */
  level?: number;
  /** Of a heading, without its marks. */
  title?: string;
  page?: number | undefined;
}

/** A text with its parts, in order. */
export interface StructuredText {
  text: string;
  blocks: readonly Block[];
  pages: number | null;
  notes: readonly string[];
}
