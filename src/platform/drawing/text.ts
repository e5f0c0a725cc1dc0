import { type Translations, type Words, wordsOf } from "../../kernel/translation.ts";
import { LIMITS } from "./limits.ts";

/** How wide a text is, in pixels. */
export type Measure = (text: string, size: number, weight: 400 | 600) => number;

interface TextStyle {
  size: number;
  weight: 400 | 600;
  measure: Measure;
}

/** Each is a space: controls, and separators of lines and paragraphs. */
const CONTROLS = /[[\p{Cc}\p{Zl}\p{Zp}]--[\n]]+/gv;
/** What turns the direction of all that follows, has a place in no text, or says something to programs alone. */
const INVISIBLE =
  /[\p{Bidi_Control}\p{Noncharacter_Code_Point}\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+/gv;
/** Marks over and below one letter; what goes on is no writing of any language. */
const TOWER = /(\p{M}{8})\p{M}+/gv;

/** A text of the data as it may be drawn: no control characters, nothing that hides, no half characters; lines stay lines. */
export function printable(text: string, most: number): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.toWellFormed().replaceAll(CONTROLS, " ").replaceAll(INVISIBLE, "").replaceAll(TOWER, "$1");
}

/** The same as one line that can stand in XML. */
export function oneLine(text: string): string {
  const cut = text.slice(0, LIMITS.drawing.labelCharacters);
  return printable(cut, LIMITS.drawing.labelCharacters).replaceAll(/\n+/g, " ").trim();
}

/** As much of a text as fits, with … where something is missing. */
export function shorten(text: string, width: number, { size, weight, measure }: TextStyle): string {
  if (measure(text, size, weight) <= width) return text;
  const characters = Array.from(text);
  let [least, most] = [0, characters.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    const isWide = measure(`${characters.slice(0, middle).join("")}…`, size, weight) > width;
    if (isWide) most = middle - 1;
    else least = middle;
  }
  return `${characters.slice(0, least).join("").trimEnd()}…`;
}

/** A text in at most so many lines, broken between words. */
export function wrap(text: string, width: number, lines: number, style: TextStyle): string[] {
  const words = text.split(" ");
  const done: string[] = [];
  let line = words.shift() ?? "";
  while (words.length > 0 && done.length < lines - 1) {
    const longer = `${line} ${words[0]}`;
    if (style.measure(longer, style.size, style.weight) <= width) line = longer;
    else {
      done.push(shorten(line, width, style));
      line = words[0] as string;
    }
    words.shift();
  }
  return [...done, shorten([line, ...words].join(" "), width, style)];
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Localised words in drawings, beside the texts of the data. */
export const GERMAN: Translations = {
  "There are no values to draw.": "Es gibt keine Werte zu zeichnen.",
  "There is no value to draw.": "Es gibt keinen Wert zu zeichnen.",
  "This could not be drawn.": "Das konnte nicht gezeichnet werden.",
  "All values are zero.": "Alle Werte sind null.",
  "not complete: {0}": "unvollständig: {0}",
  "{0} (not complete)": "{0} (unvollständig)",
  "{0} of {1} shown": "{0} von {1} gezeigt",
  "{0} of {1} series shown": "{0} von {1} Reihen gezeigt",
  "{0} · {1} of first · {2} of previous": "{0} · {1} vom Ersten · {2} vom Vorigen",
  "{0} of {1}": "{0} von {1}",
  "{0} of {1} rows": "{0} von {1} Zeilen",
  "{0} of {1} columns": "{0} von {1} Spalten",
  Total: "Summe",
  Other: "Sonstige",
};

export function wordsIn(locale: string): Words {
  return wordsOf(locale, GERMAN);
}

/** What all that is not told apart is called, at the end and in a colour that stands back. */
export function otherIn(locale: string): string {
  const t = wordsIn(locale);
  return t`Other`;
}
