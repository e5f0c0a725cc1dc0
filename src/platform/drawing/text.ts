import { LIMITS } from "./limits.ts";

/** How wide a text is, in pixels. */
export type Measure = (text: string, size: number, weight: 400 | 600) => number;

export interface TextStyle {
  size: number;
  weight: 400 | 600;
  measure: Measure;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not stand in a picture.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]+/g;

/** A text of the data as one line that can stand in XML: no control characters, no half characters. */
export function oneLine(text: string): string {
  return text.slice(0, LIMITS.drawing.labelCharacters).toWellFormed().replaceAll(UNPRINTABLE, " ").trim();
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
