import { MarkdownWriter } from "./markdown-writer.ts";

/** Groups that hold no text of the document. */
const SKIPPED =
  /^\\(?:\*|fonttbl|colortbl|stylesheet|info|pict|object|header|footer|headerl|headerr|footerl|footerr|xmlnstbl|listtable|listoverridetable|generator|themedata|datastore)/;
const TOKEN = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/gi;

/** The text of a Rich Text file: paragraphs and rows, in Windows' Latin letters or Unicode. */
export function rtfToMarkdown(source: string): string {
  const writer = new MarkdownWriter();
  const decoder = new TextDecoder("windows-1252");
  const skips: boolean[] = [];
  let isSkipped = false;
  let replaced = 0;
  const write = (text: string): void => {
    const shown = replaced > 0 ? text.slice(replaced) : text;
    replaced = Math.max(0, replaced - text.length);
    if (!isSkipped) writer.text(shown);
  };
  for (const match of source.matchAll(TOKEN)) {
    const [, word, value, hex, sign, brace, text] = match;
    if (brace === "{") {
      skips.push(isSkipped);
      isSkipped ||= SKIPPED.test(source.slice(match.index + 1, match.index + 24));
    } else if (brace === "}") isSkipped = skips.pop() ?? false;
    else if (hex !== undefined) write(decoder.decode(new Uint8Array([Number.parseInt(hex, 16)])));
    else if (sign === "~") write(" ");
    else if (sign !== undefined && "\\{}".includes(sign)) write(sign);
    else if (word === "u" && value !== undefined) {
      replaced = 0;
      write(String.fromCharCode(Number(value) & 0xffff));
      replaced = 1;
    } else if (isSkipped) continue;
    else if (word === "par" || word === "sect" || word === "page" || word === "row") writer.endParagraph();
    else if (word === "line") writer.text("\n");
    else if (word === "tab") writer.text(" ");
    else if (word === "cell") writer.text(" | ");
    else if (text !== undefined) write(text);
  }
  return writer.take();
}
