import { LIMITS } from "../limits.ts";
import type { Check } from "./checks.ts";
import { keyOf, type Node, refuse, text } from "./tree.ts";

/**
 * What a short text can ask for in plain words: a text of two billion characters, a pattern that is tried in more ways
 * than there is time. The engine neither counts such memory nor stops in the middle of such work. Where the size is
 * neither written down nor a parameter's value but comes from a column or another function, the limits of the process
 * are what holds.
 */
const { madeCharacters, madeItems, patternWildcards, patternCharacters, textNesting } = LIMITS.models;

/** The place of an argument that says how long a text or a list becomes, and how long it may become. */
const LENGTHS: ReadonlyMap<string, readonly [place: number, most: number]> = new Map([
  ["repeat", [1, madeCharacters]],
  ["lpad", [1, madeCharacters]],
  ["rpad", [1, madeCharacters]],
  ["bitstring", [1, madeCharacters]],
  ["list_resize", [1, madeItems]],
  ["array_resize", [1, madeItems]],
  ["equi_width_bins", [2, madeItems]],
]);
const RANGES = new Set(["range", "generate_series"]);
/** Patterns that are tried from each place again for each wildcard. */
const WILDCARDS: ReadonlyMap<string, RegExp> = new Map([
  ...["~~", "!~~", "~~*", "!~~*", "like_escape", "not_like_escape", "ilike_escape", "not_ilike_escape"].map(
    (name) => [name, /%+/g] as const,
  ),
  ["~~~", /\*+/g],
]);
/** What a text to be filled in has of its own numbers. */
const WIDTHS: ReadonlyMap<string, RegExp> = new Map([
  ["format", /\{[^{}]*\}/g],
  ["printf", /%[-+ #0\d.]*/g],
]);

export const checkSizes: Check = ({ node, field }, { params }) => {
  if (node.class === "CONSTANT" || node.class === "PARAMETER") checkNesting(textIn(node, params) ?? "");
  if (node.class !== "FUNCTION") return;
  const name = keyOf(text(node.function_name));
  const args = argumentsOf(node);
  // In FROM the rows come one after the other.
  const isTable = field === "function";
  if (!isTable) checkLength(name, args, params);
  if (!isTable && RANGES.has(name)) checkRange(name, args, params);
  checkPattern(name, textIn(args[1], params) ?? "");
  checkWidths(name, textIn(args[0], params) ?? "");
};

type Arguments = readonly (Node | undefined)[];

/** In `name.repeat(3)` the column stands where a schema would. */
function argumentsOf({ children, schema }: Node): Arguments {
  const own = Array.isArray(children) ? (children as Node[]) : [];
  return ["", "main"].includes(keyOf(text(schema))) ? own : [undefined, ...own];
}

function checkLength(name: string, args: Arguments, params: Params): void {
  const [place, most] = LENGTHS.get(name) ?? [];
  if (place === undefined || most === undefined) return;
  const length = numberIn(args[place], params);
  if (length !== undefined && length > most) throw tooLarge(`${name} can make a length of`, most);
}

function checkRange(name: string, args: Arguments, params: Params): void {
  const values = args.map((each) => numberIn(each, params));
  if (values.includes(undefined) || values.length === 0) return;
  const [first = 0, second, step = 1] = values as number[];
  const [from, to] = second === undefined ? [0, first] : [first, second];
  if (step !== 0 && (to - from) / step > madeItems) throw tooLarge(`${name} can make a list of`, madeItems);
}

function checkPattern(name: string, pattern: string): void {
  const wildcard = WILDCARDS.get(name);
  if (wildcard !== undefined && (pattern.match(wildcard)?.length ?? 0) > patternWildcards) {
    throw tooLarge("A pattern can have", patternWildcards, "wildcards for any text");
  }
  if (name.startsWith("regexp_") && pattern.length > patternCharacters) {
    throw tooLarge("A regular expression can have", patternCharacters, "characters");
  }
}

function checkWidths(name: string, template: string): void {
  const widths = WIDTHS.get(name);
  if (widths === undefined) return;
  const numbers = (template.match(widths) ?? []).flatMap((place) => place.match(/\d+/g) ?? []);
  if (numbers.some((width) => Number(width) > madeCharacters)) {
    throw tooLarge(`${name} can make a width of`, madeCharacters);
  }
}

/** Of a text that may be read as JSON: its reader calls itself for each level. */
function checkNesting(value: string): void {
  if (value.length <= textNesting) return;
  let depth = 0;
  for (const character of value) {
    if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > textNesting) throw tooLarge("Brackets in a text can be nested", textNesting, "levels deep");
  }
}

function tooLarge(what: string, most: number, unit = ""): Error {
  const limit = `${most.toLocaleString("en")}${unit === "" ? "" : ` ${unit}`}`;
  return refuse("size", "too_large", `${what} ${limit} at most.`, "Ask for less, or do it in several steps.");
}

const DEEPEST = 20;

/** Values of `$1`, `$2` and so on. */
type Params = readonly string[];

/** The text that an expression is, if it is written down or given as a parameter. */
function textIn(node: Node | undefined, params: Params, depth = 0): string | undefined {
  if (node?.class === "CAST" && depth <= DEEPEST) return textIn(node.child as Node, params, depth + 1);
  const value = constantOf(node, params);
  return typeof value?.value === "string" ? value.value : undefined;
}

/** The number that an expression is, if it is written down, given as a parameter or reckoned from such. */
function numberIn(node: Node | undefined, params: Params, depth = 0): number | undefined {
  if (node === undefined || depth > DEEPEST) return undefined;
  if (node.class === "CAST") return numberIn(node.child as Node, params, depth + 1);
  if (node.class === "FUNCTION") return reckon(node, params, depth);
  const value = constantOf(node, params);
  return value === undefined ? undefined : numberOf(value);
}

const OPERATIONS: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
  ["*", (a, b) => a * b],
  ["**", (a, b) => a ** b],
  ["^", (a, b) => a ** b],
  ["pow", (a, b) => a ** b],
  ["power", (a, b) => a ** b],
]);

function reckon(node: Node, params: Params, depth: number): number | undefined {
  const operation = OPERATIONS.get(keyOf(text(node.function_name)));
  const [a, b, ...others] = Array.isArray(node.children) ? (node.children as Node[]) : [];
  if (operation === undefined || others.length > 0) return undefined;
  const [left, right] = [numberIn(a, params, depth + 1), numberIn(b, params, depth + 1)];
  return left === undefined || right === undefined ? undefined : operation(left, right);
}

function constantOf(node: Node | undefined, params: Params): Node | undefined {
  if (node?.class === "PARAMETER") return { value: params[Number(text(node.identifier)) - 1] };
  if (node?.class !== "CONSTANT") return undefined;
  const value = node.value as Node | undefined;
  return value?.is_null === true ? undefined : value;
}

function numberOf({ type, value }: Node): number | undefined {
  const { id, type_info: info } = (type ?? {}) as { id?: string; type_info?: { scale?: number } | null };
  if (typeof value === "string") return value.trim() === "" ? undefined : finite(Number(value));
  if (typeof value === "number") return id === "DECIMAL" ? value / 10 ** (info?.scale ?? 0) : value;
  const { upper, lower } = (value ?? {}) as { upper?: number; lower?: number };
  return upper === undefined ? undefined : upper * 2 ** 64 + (lower ?? 0);
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
