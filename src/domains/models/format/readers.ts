import { clip } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";
import { type MapTree, plain, type Tree } from "./parse.ts";
import { type Spot, spellingSuggestion } from "./report.ts";

/** Reads one value; undefined when there is none, or when it has complained about it. */
export type Reader<T> = (tree: Tree, spot: Spot) => T | undefined;

export interface Key<T> {
  read: Reader<T>;
  /** Other names that it goes by. */
  also?: readonly string[];
  isNeeded?: boolean;
}

export type Keys = Readonly<Record<string, Key<unknown>>>;
export type ValuesOf<K extends Keys> = {
  [Name in keyof K]: K[Name] extends Key<infer T> ? T | undefined : never;
};

/** A map with these keys. What else stands in it is warned about, unless it is to be kept as `others`. */
export function object<K extends Keys>(
  noun: string,
  keys: K,
  { keepsOthers = false, ignored = [] as readonly string[] } = {},
): Reader<ValuesOf<K> & { others: Record<string, unknown> }> {
  const known = Object.entries(keys).flatMap(([name, { also = [] }]) => [name, ...also]);
  return (tree, spot) => {
    if (!isMap(tree, spot, noun)) return undefined;
    const values: Record<string, unknown> = {};
    for (const [name, { read, also = [], isNeeded }] of Object.entries(keys)) {
      const spelling = [name, ...also].find((one) => !isAbsent(tree, one));
      const entry = spelling === undefined ? undefined : tree.entries.get(spelling);
      if (entry !== undefined) values[name] = read(entry.value, spot.part(spelling as string, entry.line));
      else if (isNeeded) spot.error(`${noun} needs the key ${name}.`);
    }
    const others: Record<string, unknown> = {};
    for (const [name, entry] of tree.entries) {
      if (known.includes(name) || ignored.includes(name)) continue;
      if (keepsOthers) others[name] = plain(entry.value);
      else warnOfUnknownKey({ name, line: entry.line }, noun, Object.keys(keys), spot);
    }
    return { ...(values as ValuesOf<K>), others };
  };
}

export function warnOfUnknownKey(
  { name, line }: { name: string; line: number },
  noun: string,
  known: readonly string[],
  spot: Spot,
): void {
  if (!spot.report.hasRoom("warning")) {
    spot.report.skip();
    return;
  }
  const meant = spellingSuggestion(name, known, spot.report);
  spot
    .part(name, line)
    .warn(
      `${noun} has no key ${clip(name)}: it has no effect.`,
      meant === undefined ? `It has ${known.join(", ")}.` : `Did you mean ${meant}?`,
    );
}

function isAbsent(tree: MapTree, name: string): boolean {
  const value = tree.entries.get(name)?.value;
  return value === undefined || (value.kind === "scalar" && value.value === null);
}

function isMap(tree: Tree, spot: Spot, noun: string): tree is MapTree {
  if (tree.kind === "map") return true;
  spot.error(`${noun} must be a map with keys, not ${kindOf(tree)}.`);
  return false;
}

function kindOf(tree: Tree): string {
  if (tree.kind === "scalar") return tree.value === null ? "empty" : `“${clip(tree.text, 40)}”`;
  return tree.kind === "list" ? "a list" : "a map";
}

/** A list of what `read` reads; `isOneEnough` takes a single one for a list of one. */
export function list<T>(noun: string, read: Reader<T>, { isOneEnough = false } = {}): Reader<T[]> {
  return (tree, spot) => {
    if (tree.kind !== "list" && !(isOneEnough && tree.kind === "scalar")) {
      spot.error(`${noun} must be a list, not ${kindOf(tree)}.`);
      return undefined;
    }
    if (tree.kind !== "list") return [read(tree, spot)].filter((item) => item !== undefined);
    const items = tree.items.map((item, i) => read(item, spot.part(i, item.line)));
    return items.filter((item) => item !== undefined);
  };
}

/** A list of things that have names; a second one of the same name is an error and left out. */
export function namedList<T extends { name: string }>(noun: string, read: Reader<T>): Reader<T[]> {
  return (tree, spot) => {
    if (tree.kind !== "list") {
      spot.error(`The ${noun}s must be a list, not ${kindOf(tree)}.`);
      return undefined;
    }
    const parts = tree.items.map((item, i) => ({
      tree: item,
      spot: spot.part(nameIn(item) ?? i, item.line),
    }));
    return readNamed(noun, read, parts);
  };
}

/** The same for things that stand apart, in files of their own. */
export function readNamed<T extends { name: string }>(
  noun: string,
  read: Reader<T>,
  parts: readonly { tree: Tree; spot: Spot }[],
): T[] {
  const found = new Map<string, T>();
  for (const { tree, spot } of parts) {
    const item = read(tree, spot);
    if (item === undefined) continue;
    const key = item.name.toLowerCase();
    if (!found.has(key)) found.set(key, item);
    else spot.error(repeatedName(noun, item.name), "Rename one of them, or take one out.");
  }
  return [...found.values()];
}

export function repeatedName(noun: string, name: string): string {
  return `There are two ${noun}s with the name ${clip(name)} (upper and lower case are the same).`;
}

/** The name that a map gives itself, if it can be one: it goes into the path of everything below. */
export function nameIn(tree: Tree): string | undefined {
  const said = tree.kind === "map" ? tree.entries.get("name")?.value : undefined;
  if (said?.kind !== "scalar" || said.value === null) return undefined;
  return said.text.length <= LIMITS.models.partNameCharacters ? said.text : undefined;
}

/** Text without the space around it, which is only how the file is laid out. Nothing is left of an empty one. */
export const text: Reader<string> = (tree, spot) => {
  if (tree.kind !== "scalar" || tree.value === null) {
    spot.error(`This must be a text, not ${kindOf(tree)}.`);
    return undefined;
  }
  return tree.text.trim() || undefined;
};

/** Text in a list: YAML takes `- filter: a = b` for a map. */
const itemText: Reader<string> = (tree, spot) => {
  if (tree.kind !== "map") return text(tree, spot);
  spot.warn("This is a map where a text is expected: it is read as a text.", "Put it between quotes.");
  const parts = [...tree.entries].map(([key, { value }]) =>
    value.kind === "scalar" ? `${key}: ${value.text}` : `${key}: ${JSON.stringify(plain(value))}`,
  );
  return parts.join(", ");
};

export const texts = list("This", itemText, { isOneEnough: true });

export const flag: Reader<boolean> = (tree, spot) => {
  const value = tree.kind === "scalar" ? tree.text.toLowerCase() : "";
  if (value === "true" || value === "false") return value === "true";
  spot.error(`This must be true or false, not ${kindOf(tree)}.`);
  return undefined;
};

/** A name of at most so many characters, exactly as it is written. */
export function name(
  characters: number,
  refuse: (name: string) => string | undefined = () => undefined,
): Reader<string> {
  return (tree, spot) => {
    if (text(tree, spot) === undefined || tree.kind !== "scalar") {
      if (tree.kind === "scalar" && tree.value !== null) spot.error("The name is empty.");
      return undefined;
    }
    if (tree.text.length > characters) {
      spot.error(`The name is longer than ${characters} characters.`);
      return undefined;
    }
    const problem = refuse(tree.text);
    if (problem !== undefined) spot.error(problem);
    return tree.text;
  };
}
