import { MarkdownWriter } from "./markdown-writer.ts";

/** Groups that hold no text of the document. */
const SKIPPED =
  /^\\(?:\*|(?:colortbl|stylesheet|info|pict|object|header[lrf]?|footer[lrf]?|xmlnstbl|listtable|listoverridetable|generator|themedata|datastore|xe|tc)(?![a-z]))/;
const TOKEN = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/gi;
const SIGNS: Readonly<Record<string, string>> = {
  line: "\n",
  tab: " ",
  cell: " | ",
  emdash: "—",
  endash: "–",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
};
const PARAGRAPH_ENDS = new Set(["par", "sect", "page", "row"]);
/** Encodings by the number of a font's character set; the others have Windows' number in their names. */
const CHARSETS: Readonly<Record<string, number>> = {
  "77": 10000,
  "128": 932,
  "129": 949,
  "134": 936,
  "136": 950,
  "161": 1253,
  "162": 1254,
  "163": 1258,
  "177": 1255,
  "178": 1256,
  "186": 1257,
  "204": 1251,
  "222": 874,
  "238": 1250,
};
const ENCODINGS: Readonly<Record<number, string>> = {
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  65001: "utf-8",
};

/** What holds until the end of a group. */
interface Group {
  isSkipped: boolean;
  isFonts: boolean;
  font: string;
  /** So many characters after one of Unicode stand for it where that is not known. */
  spare: number;
}

/** The text of a Rich Text file, given as Latin letters: paragraphs and rows, in the encodings of its fonts or Unicode. */
export function rtfToMarkdown(source: string): string {
  const writer = new MarkdownWriter();
  const groups: Group[] = [];
  const fonts = new Map<string, number>();
  let group: Group = { isSkipped: false, isFonts: false, font: "", spare: 1 };
  let page = 1252;
  let bytes: number[] = [];
  let replaced = 0;
  const flush = (): void => {
    if (bytes.length > 0)
      writer.text(decoderOf(fonts.get(group.font) ?? page).decode(Uint8Array.from(bytes)));
    bytes = [];
  };
  const write = (text: string): void => {
    const shown = text.slice(replaced);
    replaced = Math.max(0, replaced - text.length);
    if (!group.isSkipped && !group.isFonts) for (const sign of shown) bytes.push(sign.charCodeAt(0));
  };
  const control = (word: string, value: string | undefined): void => {
    if (word === "u" && value !== undefined) {
      if (!group.isSkipped && !group.isFonts) writer.text(String.fromCharCode(Number(value) & 0xffff));
      replaced = group.spare;
    } else if (word === "uc") group.spare = Number(value ?? 1);
    else if (word === "ansicpg") page = Number(value ?? page);
    else if (word === "f" || word === "deff") group.font = value ?? "";
    else if (word === "fonttbl") group.isFonts = true;
    else if (word === "fcharset" && group.isFonts && CHARSETS[value ?? ""] !== undefined)
      fonts.set(group.font, CHARSETS[value ?? ""] as number);
    else if (group.isSkipped) return;
    else if (PARAGRAPH_ENDS.has(word)) writer.endParagraph();
    else writer.text(Object.hasOwn(SIGNS, word) ? (SIGNS[word] ?? "") : "");
  };
  const token = new RegExp(TOKEN);
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const [, word, value, hex, sign, brace, text] = match;
    if (hex !== undefined) write(String.fromCharCode(Number.parseInt(hex, 16)));
    else if (text !== undefined) write(text);
    else if (sign !== undefined && "\\{}~".includes(sign)) write(sign === "~" ? " " : sign);
    else if (word !== undefined || brace !== undefined) flush();
    if (word !== undefined) control(word, value);
    if (word === "bin") token.lastIndex += Math.max(0, Number(value ?? 0));
    if (brace === "{") {
      groups.push(group);
      const opening = source.slice(token.lastIndex, token.lastIndex + 24);
      group = { ...group, isSkipped: group.isSkipped || SKIPPED.test(opening) };
    } else if (brace === "}") group = groups.pop() ?? group;
  }
  flush();
  return writer.take();
}

function decoderOf(page: number): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(ENCODINGS[page] ?? `windows-${page}`);
  } catch {
    return new TextDecoder("windows-1252");
  }
}
