/** Texts between quotation marks, and numbers: in SQL and in questions they are what data are made of. */
const LITERALS =
  /'(?:[^']|'')*'?|"[^"]*"?|“[^”]*”?|„[^“”]*[“”]?|«[^»]*»?|(?<![\p{L}\p{N}_$])[$€£]?\d[\p{N}.,:]*(?:[eE][+-]?\d+)?/gu;
/** A question with its literals taken out: what was asked about, without what was looked for. */
export function maskQuestion(text: string): string {
  // An apostrophe within a word quotes nothing.
  return text.replaceAll(/(?<=\p{L})['’](?=\p{L})/gu, "’").replaceAll(LITERALS, "?");
}
