import { structureMarkdown } from "./plain-text.ts";
import type { Piece } from "./read-document.ts";
import { split } from "./split.ts";

/** The pieces of a text that came as one, along its headings if it has any. */
export function splitText(text: string): readonly Piece[] {
  return split(structureMarkdown(text.replace(/\r\n?/g, "\n"))).chunks;
}
