import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  parseAllDocuments,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { clip } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";
import { type Budget, type Report, Spot } from "./report.ts";

/** Tags that say no more than the value itself does. Everything else, such as `!!js/function`, is refused. */
const PLAIN_TAGS = new Set(["str", "int", "float", "bool", "null", "map", "seq"]);
const TAG_PREFIX = "tag:yaml.org,2002:";

const TOO_DEEP = `The file is nested deeper than ${LIMITS.models.modelDepth} levels.`;

/** The documents of a YAML or JSON file; none if something in it cannot be read. */
export function parseFile(file: { name: string; text: string }, report: Report): Tree[] {
  const text = file.text.startsWith("\uFEFF") ? file.text.slice(1) : file.text;
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    const spot = new Spot(report, "", { file: file.name, line: Math.max(1, line) });
    return { spot, column: Math.max(1, col) };
  };
  const start = new Spot(report, "", { file: file.name, line: 1 });
  const refusal = refusalOf(text, report.budget);
  if (refusal !== undefined) {
    start.error(refusal, "Split the model into several files or models.");
    return [];
  }
  warnOfOtherEncoding(text, file.name, report);
  const documents = parseAllDocuments<ParsedNode>(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    // Comparing every key with every other takes minutes for a hostile file; the builder has a quicker way.
    uniqueKeys: false,
    schema: "core",
    resolveKnownTags: false,
    logLevel: "silent",
  });
  const errors = [
    ...("empty" in documents ? documents.errors : []),
    ...documents.flatMap((one) => one.errors),
  ];
  const seen = new Set<string>();
  const isConflict = errors.length > 0 && /^<{7} /m.test(text);
  for (const error of errors) {
    const { spot, column } = at(error.pos[0]);
    const sentence = sentenceOf(error);
    if (seen.has(`${spot.place.line} ${sentence}`)) continue;
    seen.add(`${spot.place.line} ${sentence}`);
    spot.error(
      `${sentence} (line ${spot.place.line}, column ${column}).`,
      isConflict ? CONFLICT : hintOf(error),
    );
  }
  if (errors.length > 0) return [];
  const trees: Tree[] = [];
  for (const document of documents as Document.Parsed[]) {
    if (document.contents === null) continue;
    try {
      trees.push(new Builder(document, (offset) => at(offset).spot.place.line).build());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      at(error.offset).spot.error(error.message, error.hint);
      return [];
    }
  }
  if (trees.length === 0) start.error("The file is empty.");
  return trees;
}

const TOO_LONG = "The file is too long to be read.";

/** Counting words is much quicker than reading them, and so is seeing that they open more than they should. */
function refusalOf(text: string, budget: Budget): string | undefined {
  let brackets = 0;
  let dashes = 0;
  // A text is one word to the parser, however many lines it has.
  if (hasMoreLines(text, budget.tokens)) return TOO_LONG;
  for (const token of new Lexer().lex(text)) {
    if (--budget.tokens < 0) return TOO_LONG;
    if (token === "[" || token === "{") brackets++;
    else if (token === "]" || token === "}") brackets--;
    else if (token === "-" || token === "?") dashes++;
    else if (token === "\n") dashes = 0;
    if (brackets + dashes > 2 * LIMITS.models.modelDepth) return TOO_DEEP;
  }
  return undefined;
}

function hasMoreLines(text: string, lines: number): boolean {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    if (++count > lines) return true;
  }
  return false;
}

function warnOfOtherEncoding(text: string, file: string, report: Report): void {
  const offset = text.indexOf("\uFFFD");
  if (offset === -1) return;
  const line = text.slice(0, offset).split("\n").length;
  const spot = new Spot(report, "", { file, line });
  spot.warn("The file holds characters that could not be read.", "Save it as UTF-8.");
}

/** The parser's own words where they are plain enough. */
function sentenceOf({ code, message }: YAMLError): string {
  if (code === "RESOURCE_EXHAUSTION") return "It is nested too deep";
  if (code === "NON_STRING_KEY") return "A key must be a plain text";
  if (code === "BLOCK_AS_IMPLICIT_KEY" && message.startsWith("Nested mappings"))
    return "There is a second `: ` in one line";
  return clip(clip(message, 300).replace(/[.:]?\s*$/, ""), 200);
}

const CONFLICT = "Resolve the conflict of versions that the file is marked with (<<<<<<<).";

function hintOf({ code, message }: YAMLError): string | undefined {
  if (code === "TAB_AS_INDENT" || message.includes("abs")) return "Indent with spaces.";
  if (code === "BLOCK_AS_IMPLICIT_KEY") return "Put a text that holds a colon between quotes.";
  if (code === "BAD_INDENT") return "Check the indentation.";
  return undefined;
}

class Refusal extends Error {
  readonly offset: number;
  readonly hint: string | undefined;

  constructor(offset: number, message: string, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

/** Values, characters and depth of a tree with its aliases written out. */
interface Size {
  values: number;
  characters: number;
  depth: number;
}

/** Makes a tree of a parsed document. An alias shares its tree, but counts as often as it is used. */
class Builder {
  readonly #document: Document.Parsed;
  readonly #lineAt: (offset: number) => number;
  readonly #anchors = new Map<string, { tree: Tree; size: Size }>();
  readonly #sizes = new WeakMap<Tree, Size>();
  #mergedEntries = 0;

  constructor(document: Document.Parsed, lineAt: (offset: number) => number) {
    this.#document = document;
    this.#lineAt = lineAt;
  }

  build(): Tree {
    return this.#node(this.#document.contents as ParsedNode, 0);
  }

  #node(node: ParsedNode | null, depth: number): Tree {
    const offset = node?.range?.[0] ?? 0;
    if (depth > LIMITS.models.modelDepth) throw this.#tooDeep(offset);
    if (node === null) return this.#sized({ kind: "scalar", line: 1, value: null, text: "" }, [], offset);
    if (isAlias(node)) return this.#alias(node, offset, depth);
    this.#checkTag(node.tag, offset);
    const tree = this.#content(node, offset, depth);
    // Only now: an alias inside its own anchor has nothing to stand for.
    if (node.anchor) this.#anchors.set(node.anchor, { tree, size: this.#sizes.get(tree) as Size });
    return tree;
  }

  #content(node: Exclude<ParsedNode, Alias.Parsed>, offset: number, depth: number): Tree {
    const line = this.#lineAt(offset);
    if (isMap(node)) {
      const entries = this.#entries(node, depth);
      return this.#sized(
        { kind: "map", line, entries },
        Array.from(entries.values(), (e) => e.value),
        offset,
      );
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#node(item as ParsedNode, depth + 1));
      return this.#sized({ kind: "list", line, items }, items, offset);
    }
    return this.#sized(this.#scalar(node, line, offset), [], offset);
  }

  #alias(node: Alias, offset: number, depth: number): Tree {
    const anchor = this.#anchors.get(node.source);
    if (anchor === undefined) {
      throw new Refusal(offset, `The alias *${clip(node.source)} stands for nothing that comes before it.`);
    }
    if (depth + anchor.size.depth > LIMITS.models.modelDepth) throw this.#tooDeep(offset);
    return anchor.tree;
  }

  #entries(node: YAMLMap, depth: number): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    const merged: Entry[] = [];
    for (const pair of node.items) {
      const key = pair.key as Scalar.Parsed;
      const name = key.value as string;
      const offset = key.range[0];
      this.#check(offset, () => checkKey(name), "The file");
      const entry = {
        line: this.#lineAt(offset),
        value: this.#node(pair.value as ParsedNode | null, depth + 1),
      };
      if (name === "<<" && key.type === "PLAIN") merged.push(entry);
      else if (entries.has(name)) {
        throw new Refusal(offset, `The key ${clip(name)} stands here twice.`, "Keep one of them.");
      } else entries.set(name, entry);
    }
    for (const entry of merged) this.#merge(entries, entry, node.range?.[0] ?? 0);
    return entries;
  }

  /** What a map says itself, and what is merged first, stays. */
  #merge(entries: Map<string, Entry>, { value }: Entry, offset: number): void {
    for (const source of value.kind === "list" ? value.items : [value]) {
      if (source.kind !== "map") throw new Refusal(offset, "Only maps can be merged with <<.");
      this.#mergedEntries += source.entries.size;
      if (this.#mergedEntries > LIMITS.models.modelValues) throw this.#tooMuch(offset);
      for (const [name, entry] of source.entries) if (!entries.has(name)) entries.set(name, entry);
    }
  }

  #scalar(node: Scalar, line: number, offset: number): Tree {
    const { value, source } = node;
    const text = source ?? String(value);
    this.#check(offset, () => checkText(text), "The text");
    const isExact = typeof value !== "number" || isExactNumber(value, text);
    const isPlain = value === null || ["string", "number", "boolean"].includes(typeof value);
    return { kind: "scalar", line, value: isPlain && isExact ? (value as string) : text, text };
  }

  #sized(tree: Tree, parts: readonly Tree[], offset: number): Tree {
    const size: Size = { values: 1, characters: tree.kind === "scalar" ? tree.text.length : 0, depth: 0 };
    for (const part of parts) {
      const { values, characters, depth } = this.#sizes.get(part) as Size;
      size.values += values;
      size.characters += characters;
      size.depth = Math.max(size.depth, depth + 1);
    }
    if (tree.kind === "map") for (const key of tree.entries.keys()) size.characters += key.length;
    if (size.values > LIMITS.models.modelValues || size.characters > LIMITS.models.modelBytes) {
      throw this.#tooMuch(offset);
    }
    this.#sizes.set(tree, size);
    return tree;
  }

  #checkTag(tag: string | undefined, offset: number): void {
    if (tag === undefined || tag === "!") return;
    if (tag.startsWith(TAG_PREFIX) && PLAIN_TAGS.has(tag.slice(TAG_PREFIX.length))) return;
    throw new Refusal(
      offset,
      `The tag ${clip(tag.replace(TAG_PREFIX, "!!"))} is not allowed.`,
      "Write the value without a tag.",
    );
  }

  #check(offset: number, check: () => void, subject: string): void {
    try {
      check();
    } catch (error) {
      if (!(error instanceof Unkeepable)) throw error;
      throw new Refusal(offset, `${subject} ${error.message}.`);
    }
  }

  #tooMuch(offset: number): Refusal {
    const message = "The file is too large when its aliases are written out.";
    return new Refusal(offset, message, "Split the model into several files or models.");
  }

  #tooDeep(offset: number): Refusal {
    return new Refusal(offset, TOO_DEEP);
  }
}

/** A long number would lose its last digits, and JSON knows no infinity: such a value stays the text that it was. */
function isExactNumber(value: number, text: string): boolean {
  if (!Number.isFinite(value)) return false;
  return !/^[-+]?\d+$/.test(text) || Number.isSafeInteger(value) || String(value) === text;
}

/** Parses YAML or JSON to a tree, each value with its line. Aliases share their target. */
export type Tree = MapTree | ListTree | ScalarTree;

export interface MapTree {
  kind: "map";
  line: number;
  entries: ReadonlyMap<string, Entry>;
}

interface Entry {
  /** The line of the key. */
  line: number;
  value: Tree;
}

interface ListTree {
  kind: "list";
  line: number;
  items: readonly Tree[];
}

interface ScalarTree {
  kind: "scalar";
  line: number;
  value: string | number | boolean | null;
  /** How the file writes it: `1.0` is a number, but as a version it is not `1`. */
  text: string;
}

/** Why a value cannot be kept, in words that follow its name. */
export class Unkeepable extends Error {}

/** PostgreSQL takes neither NUL nor half of a surrogate pair. */
function checkText(text: string): void {
  if (text.includes("\u0000")) throw new Unkeepable("holds a NUL character");
  if (!text.isWellFormed()) throw new Unkeepable("holds half of a surrogate pair");
}

/** Anything that reads a key into a plain object would set its prototype instead. */
function checkKey(key: string): void {
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
