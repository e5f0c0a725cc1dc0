import { type Field, wordsOf } from "./field.ts";
import { type FieldValue, valueIn } from "./values.ts";

/** A piece of a document to look through. */
export interface Place {
  content: string;
  page: number | null;
  section: string;
}

export interface FoundValue {
  field: string;
  value: FieldValue | null;
  confidence: number;
  page: number | null;
  /** What it was read from. */
  place: string;
}

interface Labelled {
  label: string;
  value: string;
  place: Place;
  /** How sure it is that label and value belong together. */
  trust: number;
}

const LABEL_CHARACTERS = 60;
const PLACE_CHARACTERS = 160;
const LEAST = 0.5;

/** The value of each field that a document has, by what stands beside a label like its name. */
export function findValues(fields: readonly Field[], places: readonly Place[]): FoundValue[] {
  const labelled = places.flatMap((place) => [...pairsOf(place)]);
  return fields.map((field) => byLabel(field, labelled) ?? byPattern(field, places) ?? missing(field));
}

function byLabel(field: Field, labelled: readonly Labelled[]): FoundValue | undefined {
  let best: FoundValue | undefined;
  for (const { label, value, place, trust } of labelled) {
    const likeness = likenessOf(field.words, wordsOf(label));
    if (likeness < LEAST) continue;
    const read = valueIn(field.type, value);
    if (read === undefined) continue;
    const confidence = Math.round(likeness * trust * 100) / 100;
    if (best !== undefined && best.confidence >= confidence) continue;
    best = {
      field: field.name,
      value: read,
      confidence,
      page: place.page,
      place: clipped(`${label}: ${value}`),
    };
  }
  return best;
}

/** Where no label helps, a sentence that has the words of the field and a value of its type. */
function byPattern({ name, words, type }: Field, places: readonly Place[]): FoundValue | undefined {
  if (type === "text") return undefined;
  for (const { content, page } of places) {
    for (const sentence of content.split(/(?<=[.!?])\s+|\n/)) {
      const likeness = likenessOf(words, wordsOf(sentence).slice(0, 60), true);
      const value = likeness >= LEAST ? valueIn(type, sentence) : undefined;
      if (value !== undefined)
        return {
          field: name,
          value,
          confidence: Math.round(likeness * 50) / 100,
          page,
          place: clipped(sentence),
        };
    }
  }
  const isSpecific = ["email", "iban"].includes(type);
  for (const { content, page } of isSpecific ? places : []) {
    const value = valueIn(type, content);
    if (value !== undefined)
      return { field: name, value, confidence: 0.4, page, place: clipped(String(value)) };
  }
  return undefined;
}

function missing({ name }: Field): FoundValue {
  return { field: name, value: null, confidence: 0, page: null, place: "" };
}

/** "Label: value", a label above its value, rows of two cells, and the columns of a table of one row. */
function* pairsOf(place: Place): Generator<Labelled> {
  const lines = place.content.split("\n").map((line) => line.trim());
  let head: string[] | undefined;
  for (const [i, line] of lines.entries()) {
    const cells = cellsOf(line);
    if (cells !== undefined) {
      if (/^[\s|:-]+$/.test(line)) continue;
      const [label = "", value = ""] = cells;
      if (head !== undefined)
        for (const [column, cell] of cells.entries())
          if (cell !== "") yield { label: head[column] ?? "", value: cell, place, trust: 0.9 };
      if (cells.length === 2 && label !== "" && value !== "") yield { label, value, place, trust: 0.95 };
      head ??= cells;
      continue;
    }
    head = undefined;
    const pair = /^(?:[-*] )?(?:\*\*)?([^:|]{2,60}?)(?:\*\*)?\s*(?::(?:\*\*)?|\t| {3,}|\.{4,})\s*(.*)$/.exec(
      line,
    );
    const next = lines[i + 1] ?? "";
    if (pair?.[1] !== undefined && pair[2]) yield { label: pair[1], value: pair[2], place, trust: 0.95 };
    else if (pair?.[1] !== undefined && next !== "") yield { label: pair[1], value: next, place, trust: 0.8 };
    else if (line !== "" && line.length <= LABEL_CHARACTERS && next !== "" && !/[.!?]$/.test(line))
      yield { label: line.replace(/^#+ /, ""), value: next, place, trust: 0.6 };
  }
}

function cellsOf(line: string): string[] | undefined {
  if (!/^\|.*\|$/.test(line)) return undefined;
  return line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll("\\|", "|").replaceAll("**", "").trim());
}

/** How much two names have in common, 0 to 1, by words and by parts of them; `isInside`: whether one has the other. */
function likenessOf(wanted: readonly string[], label: readonly string[], isInside = false): number {
  if (wanted.length === 0 || label.length === 0) return 0;
  let shared = 0;
  for (const word of wanted) shared += Math.max(...label.map((other) => sameWord(word, other)));
  const size = isInside ? wanted.length : Math.max(wanted.length, Math.min(label.length, wanted.length + 3));
  return shared / size;
}

function sameWord(a: string, b: string): number {
  if (a === b) return 1;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length >= 4 && long.startsWith(short)) return 0.9;
  if (short.length >= 5 && long.includes(short)) return 0.7;
  return 0;
}

function clipped(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, PLACE_CHARACTERS).toWellFormed();
}
