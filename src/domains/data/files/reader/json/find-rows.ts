import { AppError } from "../../../../../kernel/errors.ts";
import { LIMITS as ENGINE } from "../../../../../platform/analytics/limits.ts";
import { excerptOf } from "../../../../../platform/files/index.ts";
import { LIMITS } from "../../../../../platform/files/limits.ts";
import { someNames } from "../table-reader.ts";
import type { JsonKind, JsonVisitor } from "./json-scanner.ts";

export interface ArrayFound {
  path: string;
  depth: number;
  start: number;
  end: number;
  kinds: Set<JsonKind>;
}

/** Share of fields that objects must have in common to be rows of one table. */
const ALIKE = 0.75;

/** Finds the arrays of a JSON file that lie in objects only, and what the file as a whole is. */
export class RowFinder implements JsonVisitor {
  readonly arrays: ArrayFound[] = [];
  /** The values that stand in the file one after the other; usually there is one. */
  readonly top = { count: 0, kinds: new Set<JsonKind>() };
  /** What the outermost object holds, and how often each name stands in that. */
  readonly members = { count: 0, objects: 0, names: new Map<string, number>() };
  readonly #open: (ArrayFound | "object" | "value")[] = [];
  readonly #names: string[] = [];
  #name = "";

  begin(kind: JsonKind, at: number): boolean {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.top.count += 1;
      this.top.kinds.add(kind);
    } else if (typeof parent === "object") parent.kinds.add(kind);
    if (parent === "object" && this.#open.length === 1) {
      this.members.count += 1;
      if (kind === "object") this.members.objects += 1;
    }
    const isInArray = typeof parent === "object";
    if (kind === "array" && !isInArray) return this.#beginArray(at);
    const isSearched = kind === "object" && !isInArray && this.#open.length < LIMITS.files.jsonSearchDepth;
    this.#open.push(isSearched ? "object" : "value");
    if (isSearched && this.#open.length > 1) this.#names.push(this.#name);
    return !isSearched;
  }

  end(at: number): void {
    const ended = this.#open.pop();
    if (typeof ended === "object") ended.end = at;
    else if (ended === "object") this.#names.pop();
  }

  key(name: string): void {
    this.#name = name;
    const { names } = this.members;
    if (this.#open.length !== 2 || this.#open[1] !== "object") return;
    if (names.size < ENGINE.analytics.columns || names.has(name)) names.set(name, (names.get(name) ?? 0) + 1);
  }

  /** Whether the file is an object of objects that are alike, such as `{"ann": {"age": 3}, "bob": {"age": 4}}`. */
  get isKeyed(): boolean {
    const { count, objects, names } = this.members;
    if (this.top.count !== 1 || count < 2 || objects < count || names.size === 0) return false;
    // Numbers are those of rows: each object is a column then.
    if ([...names.keys()].every((name) => /^\d+$/.test(name))) return false;
    const filled = [...names.values()].reduce((sum, times) => sum + times, 0);
    return filled / (count * names.size) >= ALIKE;
  }

  #beginArray(start: number): boolean {
    const names = this.#open.length === 0 ? [] : [...this.#names, this.#name];
    const array = {
      path: names.map(escapeName).join("/"),
      depth: names.length,
      start,
      end: start,
      kinds: new Set<JsonKind>(),
    };
    // Of many arrays in many objects only so many can be told apart in a message anyway.
    if (this.arrays.length < ENGINE.analytics.columns) this.arrays.push(array);
    this.#open.push(array);
    return false;
  }
}

/** As in a JSON pointer. */
function escapeName(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The array whose elements are the rows; undefined when the file itself is the row. */
export function chooseArray(
  arrays: readonly ArrayFound[],
  rowPath: string | undefined,
): ArrayFound | undefined {
  if (rowPath === ".") return undefined;
  if (rowPath !== undefined) return namedArray(arrays, rowPath.replace(/^[/]+|[/]+$/g, ""));
  const tables = tablesOf(arrays);
  const depth = Math.min(...tables.map((table) => table.depth));
  const [first, ...others] = tables.filter((table) => table.depth === depth);
  if (others.length === 0) return first;
  throw new AppError("bad_request", "The JSON has several arrays that could be the rows.", {
    hint: `Say which one by options.row_path: ${someNames([first!, ...others].map(({ path }) => path))}; or "." for one row.`,
  });
}

/** A list of plain values is part of a row; a list of objects or of lists is a table. */
function tablesOf(arrays: readonly ArrayFound[]): ArrayFound[] {
  const tables = arrays.filter(
    ({ kinds, depth }) => depth === 0 || kinds.has("object") || kinds.has("array"),
  );
  // In TopoJSON the shapes are the rows, and not the lines that they are drawn with.
  const isTopology = tables.some(({ path }) => /^objects\/[^/]+\/geometries$/.test(path));
  return isTopology ? tables.filter(({ path }) => !/^(objects\/[^/]+\/)?arcs$/.test(path)) : tables;
}

/** Says what was taken where the file has other lists that could have been. */
export function otherTablesNote(arrays: readonly ArrayFound[], taken: ArrayFound | undefined): string[] {
  const others =
    taken === undefined || taken.depth === 0 ? [] : tablesOf(arrays).filter((one) => one !== taken);
  if (others.length === 0) return [];
  const names = someNames(others.map(({ path }) => path));
  return [
    `The rows are those of ${taken?.path}. Other lists in the file can be had by options.row_path: ${names}.`,
  ];
}

function namedArray(arrays: readonly ArrayFound[], rowPath: string): ArrayFound {
  const found = arrays.find(({ path }) => path === rowPath);
  if (found !== undefined) return found;
  throw new AppError("bad_request", `The JSON has no array at "${excerptOf(rowPath)}".`, {
    hint:
      arrays.length === 0 ? "It has no arrays." : `There are: ${someNames(arrays.map(({ path }) => path))}.`,
  });
}
