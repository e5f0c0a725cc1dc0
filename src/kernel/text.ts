import { randomBytes, randomUUID } from "node:crypto";
import { AppError } from "./errors.ts";
import { LIMITS } from "./limits.ts";

/** Invisible characters: controls, bidi marks, fillers and joiners. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/v;
/** Some of them belong to pictures. */
const EMOJI = /\p{RGI_Emoji}/gv;

/** The first character of a name that nobody sees, such as U+200B; undefined when all can be seen. */
export function invisibleIn(name: string): string | undefined {
  if (!INVISIBLE.test(name)) return undefined;
  const [found] = INVISIBLE.exec(name.replace(EMOJI, "")) ?? [];
  return found && `U+${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Two names that differ only by what nobody sees would pass for one another. */
export function assertVisible(name: string): void {
  const found = invisibleIn(name);
  if (found === undefined) return;
  throw new AppError("bad_request", `The name has a character in it that nobody sees: ${found}.`, {
    hint: "Write the name without it.",
  });
}

/** The beginning of a text that came from outside, for a message: nobody needs megabytes back. */
export function clip(text: string, characters = 100): string {
  return text.length <= characters ? text : `${text.slice(0, characters).toWellFormed()}…`;
}

/** Nobody misspells a longer word, and comparing costs the product of the lengths. */
const LONGEST_WORD = 64;

/** The word of a list that a misspelt one was probably meant to be. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known.filter(({ length }) => length <= LONGEST_WORD)) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (best === undefined || distance < best.distance))
      best = { word: candidate, distance };
  }
  return best?.word;
}

/** A list with the words first that are most like one; what is as much like it stays in its order. */
export function nearestFirst(word: string, known: readonly string[]): string[] {
  const far = (each: string) =>
    Math.max(word.length, each.length) > LONGEST_WORD
      ? Number.POSITIVE_INFINITY
      : editDistance(word.toLowerCase(), each.toLowerCase());
  const distances = new Map(known.map((each) => [each, far(each)]));
  const of = (each: string) => distances.get(each) ?? 0;
  return known.toSorted((a, b) => (of(a) === of(b) ? 0 : of(a) - of(b)));
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const substitution = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row[j] = Math.min(at(i - 1, j) + 1, (row[j - 1] as number) + 1, substitution, swap);
    }
  }
  return at(a.length, b.length);
}

/** ASCII 0x00-0x08, 0x0B, 0x0C, 0x0E-0x1F and 0x7F: every ASCII control except tab, line feed and return. */
const CONTROL = /[\p{Cc}--[\t\n\r\u0080-\u009f]]/v;

/**
 * Strips control characters from every string of a JSON value, and puts U+FFFD in the place of half a
 * surrogate pair (PostgreSQL takes neither NUL nor those). Names of properties are treated like values,
 * because rows carry column names there; two names that become one are refused. Returns the same reference
 * when nothing had to change: this runs on each call, and nearly always finds nothing.
 */
export function sanitise<T>(value: T): T {
  return clean(value, 0) as T;
}

/** The same for one text. */
export function sanitiseText(text: string): string {
  // `replace` would leave a text of many small pieces, which whoever reads it first pays for.
  const stripped = CONTROL.test(text) ? text.split(CONTROL).join("") : text;
  return stripped.isWellFormed() ? stripped : stripped.toWellFormed();
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === "string") return sanitiseText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= LIMITS.request.argumentDepth) {
    throw new AppError(
      "bad_request",
      `The arguments are nested more than ${LIMITS.request.argumentDepth} levels deep.`,
      { hint: "Send a flatter structure." },
    );
  }
  return Array.isArray(value)
    ? cleanArray(value, depth)
    : cleanObject(value as Record<string, unknown>, depth);
}

function cleanArray(array: unknown[], depth: number): unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < array.length; index += 1) {
    const before = array[index];
    const after = clean(before, depth + 1);
    if (after === before) continue;
    copy ??= array.slice();
    copy[index] = after;
  }
  return copy ?? array;
}

function cleanObject(object: Record<string, unknown>, depth: number): Record<string, unknown> {
  const changes = new Map<string, [name: string, value: unknown]>();
  const names = Object.keys(object);
  for (const name of names) {
    const before = object[name];
    const after = clean(before, depth + 1);
    const cleanName = sanitiseText(name);
    if (after !== before || cleanName !== name) changes.set(name, [cleanName, after]);
  }
  if (changes.size === 0) return object;
  // fromEntries defines properties instead of assigning them, so "__proto__" stays an ordinary name.
  const copy = Object.fromEntries(names.map((name) => changes.get(name) ?? [name, object[name]]));
  if (Object.keys(copy).length !== names.length) {
    throw new AppError("bad_request", "Two names of the arguments differ by control characters only.");
  }
  return copy;
}

/** A random, URL-safe text of `bytes` bytes of entropy (32 bytes make 43 characters). */
export function randomText(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}

export function newUuid(): string {
  return randomUUID();
}
