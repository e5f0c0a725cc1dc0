import type { FileHandle } from "node:fs/promises";
import { AppError } from "../../../../kernel/errors.ts";
import { quoteName } from "../../../../kernel/sql-text.ts";
import { LIMITS as ENGINE } from "../../../../platform/analytics/limits.ts";
import { excerptOf, fileChunks, type XmlEvents, XmlStream } from "../../../../platform/files/index.ts";
import { LIMITS as FILES } from "../../../../platform/files/limits.ts";
import { type ElementNode, ElementTree, isMeta, isNil, joinText, ownText, pathOf } from "./element-tree.ts";
import {
  type Batch,
  LineWriter,
  noRows,
  type OnFraction,
  type ReadOptions,
  rowTooLarge,
  someNames,
  type TableReader,
  tooManyColumns,
} from "./table-reader.ts";
import { distinctNames, jsonOfText, type NamedColumns, typeOfKinds } from "./value-kinds.ts";

/**
 * XML files are read twice: first for their pattern (what repeats, and what the texts at each place are), then
 * for the rows, which are then all of one shape. Only one row at a time is ever in memory.
 */
export async function openXml(
  file: FileHandle,
  options: ReadOptions,
  onFraction: OnFraction,
): Promise<TableReader> {
  const nulls = new Set(options.nulls);
  const tree = new ElementTree(nulls);
  let encoding = "utf-8";
  for await (const step of parse(file, tree, options)) {
    encoding = step.encoding;
    onFraction(step.fraction);
  }
  if (tree.root === undefined) throw noRows("The XML");
  const node = chooseRows(tree.root, options.rowPath);
  const shape = rowShape(node);
  if (shape.columns.length > ENGINE.analytics.columns) throw tooManyColumns();
  return {
    report: {
      format: "ndjson",
      encoding,
      columns: shape.columns.flatMap(({ name, type }) => (type === undefined ? [] : [{ name, type }])),
      rowPath: pathOf(node),
      ...(shape.renamed.length > 0 && { renamed: shape.renamed }),
      notes: shape.renamed
        .map(({ from, to }) => `"${excerptOf(to)}" has this name because "${excerptOf(from)}" is taken.`)
        .slice(0, FILES.files.notes),
    },
    rows: () => rowsOf(file, node, shape, nulls, options),
  };
}

interface Step {
  fraction: number;
  encoding: string;
}

async function* parse(file: FileHandle, events: XmlEvents, { encoding }: ReadOptions): AsyncGenerator<Step> {
  const { size } = await file.stat();
  const stream = new XmlStream(events, { encoding });
  let bytes = 0;
  for await (const chunk of fileChunks(file)) {
    stream.write(chunk);
    bytes += chunk.length;
    yield { fraction: bytes / size, encoding: stream.encoding };
  }
  stream.end();
  yield { fraction: 1, encoding: stream.encoding };
}

async function* rowsOf(
  file: FileHandle,
  node: ElementNode,
  shape: RowShape,
  nulls: ReadonlySet<string>,
  options: ReadOptions,
): AsyncGenerator<Batch> {
  const writer = new LineWriter();
  const builder = new RowBuilder(node, shape, nulls, writer);
  for await (const { fraction } of parse(file, builder, options)) {
    if (writer.isFull || fraction === 1) yield { bytes: writer.take(), fraction };
  }
}

interface OpenElement {
  shape: Shape;
  /** By their keys, which are JSON already; several values are a list. */
  fields: Map<string, string | string[]>;
  text: string;
  isNil: boolean;
}

/** Turns the elements of one path into lines of JSON. */
class RowBuilder implements XmlEvents {
  readonly #path: readonly string[];
  readonly #shape: RowShape;
  readonly #nulls: ReadonlySet<string>;
  readonly #writer: LineWriter;
  /** How many of the open elements follow the path to the rows. */
  #matched = 0;
  #depth = 0;
  readonly #open: OpenElement[] = [];
  #rowCharacters = 0;
  #isFirst = true;

  constructor(node: ElementNode, shape: RowShape, nulls: ReadonlySet<string>, writer: LineWriter) {
    this.#path = pathOf(node).split("/");
    this.#shape = shape;
    this.#nulls = nulls;
    this.#writer = writer;
  }

  readonly open = (name: string, attributes: Readonly<Record<string, string>>): void => {
    this.#depth += 1;
    const parent = this.#open.at(-1);
    if (parent !== undefined) {
      this.#open.push(this.#element(parent.shape.children.get(name)!.shape, attributes));
      return;
    }
    if (this.#matched === this.#depth - 1 && this.#path[this.#matched] === name) this.#matched += 1;
    if (this.#matched !== this.#path.length) return;
    this.#rowCharacters = 0;
    this.#open.push(this.#element(this.#shape, attributes));
  };

  readonly text = (piece: string): void => {
    const element = this.#open.at(-1);
    if (element === undefined) return;
    element.text = joinText(element.text, piece);
    this.#count(piece.length);
  };

  readonly close = (name: string): void => {
    this.#depth -= 1;
    this.#matched = Math.min(this.#matched, this.#depth);
    const element = this.#open.pop();
    if (element === undefined) return;
    const parent = this.#open.at(-1);
    const text = this.#ownText(element);
    if (parent === undefined) this.#writer.write(this.#line(element, text));
    else addField(parent, name, element, text);
  };

  #element(shape: Shape, attributes: Readonly<Record<string, string>>): OpenElement {
    const fields = new Map<string, string>();
    for (const name in attributes) {
      if (isMeta(name)) continue;
      const value = attributes[name]!;
      this.#count(name.length + value.length);
      const { key, type } = shape.attributes.get(name)!;
      if (!this.#isNull(value)) fields.set(key, jsonOfText(value, type));
    }
    return { shape, fields, text: "", isNil: isNil(attributes) };
  }

  /** The first row names all columns, so that they come in the order of the file. */
  #line(element: OpenElement, text: string): string {
    if (!this.#isFirst) return jsonOf(element, text);
    this.#isFirst = false;
    const { fields } = element;
    const all = new Map(this.#shape.columns.map(({ key }) => [key, fields.get(key) ?? "null"]));
    return jsonOf({ ...element, fields: all }, text);
  }

  #ownText({ text, isNil }: OpenElement): string {
    const own = isNil ? "" : ownText(text);
    return this.#isNull(own) ? "" : own;
  }

  #isNull(value: string): boolean {
    return value === "" || this.#nulls.has(value);
  }

  #count(characters: number): void {
    this.#rowCharacters += characters;
    if (this.#rowCharacters > FILES.files.rowBytes) throw rowTooLarge();
  }
}

function addField(parent: OpenElement, name: string, element: OpenElement, text: string): void {
  const { key, shape } = parent.shape.children.get(name)!;
  const value = fieldValue(element, text);
  const list = parent.fields.get(key);
  if (Array.isArray(list)) list.push(value);
  else if (shape.isList) parent.fields.set(key, [value]);
  else if (value !== "null" && value !== "{}") parent.fields.set(key, value);
}

function fieldValue(element: OpenElement, text: string): string {
  const { scalar } = element.shape;
  if (scalar === undefined) return jsonOf(element, text);
  return text === "" ? "null" : jsonOfText(text, scalar);
}

function jsonOf({ shape, fields }: OpenElement, text: string): string {
  if (shape.text !== undefined && text !== "") fields.set(shape.text.key, jsonOfText(text, shape.text.type));
  const parts: string[] = [];
  for (const [key, value] of fields)
    parts.push(Array.isArray(value) ? `${key}[${value.join(",")}]` : key + value);
  return `{${parts.join(",")}}`;
}

/**
 * Which elements are the rows. Without a word from the caller: those that stand several times side by side, the
 * least deep ones first and of those the most frequent. A file in which nothing repeats is one row: the
 * outermost element that is more than a wrapper around a single other one.
 */
function chooseRows(root: ElementNode, rowPath: string | undefined): ElementNode {
  const nodes = allNodes(root);
  if (rowPath !== undefined) return findRows(nodes, root, rowPath);
  const repeating = nodes
    .filter(({ repeats }) => repeats)
    .sort((a, b) => a.depth - b.depth || b.count - a.count);
  return repeating[0] ?? unwrapped(root);
}

function findRows(nodes: readonly ElementNode[], root: ElementNode, rowPath: string): ElementNode {
  const wanted = rowPath.replace(/^\/+|\/+$/g, "");
  if (wanted === ".") return root;
  const found =
    nodes.find((node) => pathOf(node) === wanted) ??
    nodes.find((node) => pathOf(node).endsWith(`/${wanted}`));
  if (found !== undefined) return found;
  throw new AppError("bad_request", `The XML has no elements "${excerptOf(rowPath)}".`, {
    hint: `There are: ${someNames(nodes.map(pathOf))}.`,
  });
}

/** From the outside to the inside. */
function allNodes(root: ElementNode): ElementNode[] {
  const nodes = [root];
  for (const node of nodes) nodes.push(...node.children.values());
  return nodes;
}

function unwrapped(root: ElementNode): ElementNode {
  let node = root;
  for (;;) {
    const [only] = node.children.values();
    const isWrapper = node.children.size === 1 && node.attributes.size === 0 && node.text === undefined;
    if (!isWrapper || (only!.children.size === 0 && only!.attributes.size === 0)) return node;
    node = only!;
  }
}

/** How the elements of one place are written as JSON. */
interface Shape {
  /** The type of a text; undefined for elements that are objects. */
  scalar: string | undefined;
  isList: boolean;
  attributes: Map<string, { key: string; type: string }>;
  children: Map<string, { key: string; shape: Shape }>;
  /** The key and type of an object's own text. */
  text: { key: string; type: string } | undefined;
}

interface RowShape extends Shape {
  /** Without a type where one would be too large to be of use; they are best kept as JSON. */
  columns: { name: string; key: string; type: string | undefined }[];
  renamed: NamedColumns["renamed"];
}

const TEXT_NAME = "#text";

/**
 * Attributes and child elements are fields under their own names; an attribute that is called like a child gets
 * an @. Text beside them is called #text, a row that is nothing but text is a column called like the row. What
 * repeats anywhere is a list everywhere.
 */
function rowShape(node: ElementNode): RowShape {
  const isPlain = node.attributes.size === 0 && node.children.size === 0;
  return objectShape(node, isPlain ? node.name : TEXT_NAME);
}

function shapeOf(node: ElementNode): Shape {
  if (node.attributes.size > 0 || node.children.size > 0)
    return { ...objectShape(node, TEXT_NAME), isList: node.repeats };
  return {
    scalar: typeOfKinds(node.text ?? 0),
    isList: node.repeats,
    attributes: new Map(),
    children: new Map(),
    text: undefined,
  };
}

function objectShape(node: ElementNode, textName: string): RowShape {
  const attributes = [...node.attributes].map(([name, kinds]) => ({ name, type: typeOfKinds(kinds) }));
  const children = [...node.children.values()];
  const text = node.text === undefined && textName === TEXT_NAME ? [] : [textName];
  const fields = [
    ...attributes.map(({ name }) => (node.children.has(name) ? `@${name}` : name)),
    ...children.map(({ name }) => name),
    ...text,
  ];
  const { names, renamed } = distinctNames(fields);
  const keyAt = (index: number): string => `${JSON.stringify(names[index])}:`;
  const shapes = children.map(shapeOf);
  const textType = typeOfKinds(node.text ?? 0);
  const types = [
    ...attributes.map(({ type }) => type),
    ...shapes.map((shape) => typeOfShape(shape, 1)),
    ...text.map(() => textType),
  ];
  const offset = attributes.length;
  return {
    scalar: undefined,
    isList: false,
    attributes: new Map(attributes.map(({ name, type }, index) => [name, { key: keyAt(index), type }])),
    children: new Map(
      children.map(({ name }, index) => [name, { key: keyAt(offset + index), shape: shapes[index]! }]),
    ),
    text: text.length === 0 ? undefined : { key: keyAt(offset + children.length), type: textType },
    columns: names.map((name, index) => ({ name, key: keyAt(index), type: types[index] })),
    renamed,
  };
}

const TYPE_DEPTH = 8;
const TYPE_FIELDS = 100;

/** DuckDB's type for elements of this shape; undefined when it would be too deep or too wide. */
function typeOfShape(
  { scalar, isList, attributes, children, text }: Shape,
  depth: number,
): string | undefined {
  const end = isList ? "[]" : "";
  if (scalar !== undefined) return scalar + end;
  const fields = [
    ...attributes.values(),
    ...[...children.values()].map(({ key, shape }) => ({ key, type: typeOfShape(shape, depth + 1) })),
    ...(text === undefined ? [] : [text]),
  ];
  if (depth > TYPE_DEPTH || fields.length > TYPE_FIELDS || fields.some(({ type }) => type === undefined))
    return undefined;
  return `STRUCT(${fields.map(({ key, type }) => `${quoteName(JSON.parse(key.slice(0, -1)) as string)} ${type}`).join(", ")})${end}`;
}
