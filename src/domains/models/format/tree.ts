import { LIMITS } from "../limits.ts";

/** What a file says, each value with its line. Aliases share what they stand for. */
export type Tree = MapTree | ListTree | ScalarTree;

export interface MapTree {
  kind: "map";
  line: number;
  entries: ReadonlyMap<string, Entry>;
}

export interface Entry {
  /** The line of the key. */
  line: number;
  value: Tree;
}

export interface ListTree {
  kind: "list";
  line: number;
  items: readonly Tree[];
}

export interface ScalarTree {
  kind: "scalar";
  line: number;
  value: string | number | boolean | null;
  /** How the file writes it: `1.0` is a number, but as a version it is not `1`. */
  text: string;
}

/** Why a value cannot be kept, in words that follow its name. */
export class Unkeepable extends Error {}

/** PostgreSQL takes neither NUL nor half of a surrogate pair. */
export function checkText(text: string): void {
  if (text.includes("\u0000")) throw new Unkeepable("holds a NUL character");
  if (!text.isWellFormed()) throw new Unkeepable("holds half of a surrogate pair");
}

/** Anything that reads a key into a plain object would set its prototype instead. */
export function checkKey(key: string): void {
  checkText(key);
  if (key === "__proto__") throw new Unkeepable("has the key __proto__, which is not allowed");
}

/** A tree as plain JSON. */
export function plain(tree: Tree): unknown {
  if (tree.kind === "scalar") return tree.value;
  if (tree.kind === "list") return tree.items.map(plain);
  return Object.fromEntries([...tree.entries].map(([key, { value }]) => [key, plain(value)]));
}

/** Plain JSON that stood in a text on one line, as a tree. */
export function treeOf(value: unknown, line: number, budget: { tokens: number }, depth = 0): Tree {
  if (--budget.tokens < 0) throw new Unkeepable("is too long to be read");
  if (depth > LIMITS.models.modelDepth)
    throw new Unkeepable(`is nested deeper than ${LIMITS.models.modelDepth} levels`);
  if (Array.isArray(value)) {
    return { kind: "list", line, items: value.map((item) => treeOf(item, line, budget, depth + 1)) };
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, item]): [string, Entry] => {
      checkKey(key);
      return [key, { line, value: treeOf(item, line, budget, depth + 1) }];
    });
    return { kind: "map", line, entries: new Map(entries) };
  }
  if (typeof value === "string") checkText(value);
  return { kind: "scalar", line, value: value as ScalarTree["value"], text: String(value) };
}
