import { AppError } from "./errors.ts";
import { LIMITS } from "./limits.ts";

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
