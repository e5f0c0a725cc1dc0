import { createHash } from "node:crypto";

/** Quotation marks, and punctuation that is not part of a number. */
const PUNCTUATION = /["“”„«»]|[.,;:!?]+(?![.,;:!?\p{N}])/gu;

/** The same for texts that differ in case, spaces or punctuation alone. */
export function questionKey(question: string): string {
  const plain = question
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(PUNCTUATION, " ")
    .replaceAll("’", "'")
    .replaceAll(/\s+/g, " ")
    .trim();
  return createHash("sha256").update(plain).digest("base64url");
}
