import { labelWords } from "./field.ts";

/** A piece of a document to look through. */
export interface Place {
  content: string;
  page: number | null;
  section: string;
}

/** A line or a cell of a table, and where a value may stand for a label that fills it. */
export interface Segment {
  text: string;
  place: Place;
  /** Words of the headings above it. */
  around: readonly string[];
  /** Cells beside or below it, or the line below. */
  next: readonly string[];
  /** A label in it is one of a form: a heading, a cell, or a line that ends with a colon. */
  isLabel: boolean;
  words: readonly Word[];
}

/** A word of a segment, as labels are compared by. */
export interface Word {
  start: number;
  end: number;
  parts: readonly string[];
}

const SEGMENT_CHARACTERS = 4_000;
export const VALUE_CHARACTERS = 400;
/** Rows of a table whose values are held against each other. */
const ROWS = 50;

/** The lines and cells of a piece of a document. */
export function segmentsOf(place: Place): Segment[] {
  return [...partsOf(place)].map(withWords);
}

function withWords(segment: Omit<Segment, "words">): Segment {
  const text = segment.text.slice(0, SEGMENT_CHARACTERS);
  const words = [...text.matchAll(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
    parts: labelWords(word),
  }));
  return { ...segment, text, words };
}

function* partsOf(place: Place): Generator<Omit<Segment, "words">> {
  const lines = place.content.split("\n").map((line) => line.trim());
  let around = labelWords(place.section);
  let isAfterHeading = false;
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i] ?? "";
    if (line === "") continue;
    if (cellsOf(line) !== undefined) {
      const rows: string[][] = [];
      for (; cellsOf(lines[i] ?? "") !== undefined; i += 1)
        if (!/^[\s|:-]+$/.test(lines[i]!)) rows.push(cellsOf(lines[i]!)!);
      i -= 1;
      yield* tableSegments(rows, place, around);
      isAfterHeading = false;
      continue;
    }
    const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
    const below = lines.slice(i + 1, i + 4).find((each) => each !== "");
    const isRow = below !== undefined && cellsOf(below) !== undefined;
    yield {
      text: heading ?? line.replace(/^[-*] (?=\S)/, ""),
      place,
      around,
      next: below === undefined || isRow ? [] : [below.replace(/^#{1,6} /, "").slice(0, VALUE_CHARACTERS)],
      isLabel: heading !== undefined || isLabelLike(line),
    };
    if (heading !== undefined) around = [...(isAfterHeading ? around : []), ...labelWords(heading)];
    isAfterHeading = heading !== undefined;
  }
}

/** Of a label in the first row what stands below it, of others what stands beside them. */
function* tableSegments(
  rows: readonly string[][],
  place: Place,
  around: readonly string[],
): Generator<Omit<Segment, "words">> {
  // Labels beside their values, and not above them.
  const isForm = rows[0]?.length === 2 && rows.length !== 2;
  for (const [r, row] of rows.entries())
    for (const [c, text] of row.entries()) {
      if (text === "") continue;
      const beside = row.slice(c + 1).find((cell) => cell !== "");
      const below = rows.slice(1, ROWS).flatMap((each) => each[c] || []);
      // Each row has a value of its own, and several different ones are none.
      const next = r === 0 && !isForm ? below : [beside ?? []].flat();
      yield {
        text,
        place,
        around,
        next: next.map((cell) => cell.slice(0, VALUE_CHARACTERS)),
        isLabel: true,
      };
    }
}

function cellsOf(line: string): string[] | undefined {
  if (!/^\|.*\|$/.test(line)) return undefined;
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").replaceAll("**", "").trim());
}

/** A label is not the value of another. */
export function isLabelLike(text: string): boolean {
  return /[:#]\s*$/.test(text);
}
