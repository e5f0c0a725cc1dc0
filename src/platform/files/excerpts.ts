import { LIMITS } from "./limits.ts";

const MOST = LIMITS.files.excerptCharacters;

/** A piece of a stranger's text for a message: short, on one line, without control characters. */
export function excerptOf(text: string): string {
  const cut = text.length > MOST ? `${text.slice(0, MOST)}…` : text;
  return cut.toWellFormed().replace(/\p{Cc}+/gu, " ");
}

export function megabytes(bytes: number): string {
  const mb = bytes / (1024 * 1024);
  return mb >= 1024 ? `${Math.round(mb / 102.4) / 10} GB` : `${Math.round(mb * 10) / 10} MB`;
}
