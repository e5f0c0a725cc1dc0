import { AppError } from "../../../../kernel/errors.ts";
import type { XmlEvents } from "../../../../platform/files/index.ts";
import { LIMITS } from "../../../../platform/files/limits.ts";
import { rowTooLarge } from "./table-reader.ts";
import { type Kinds, kindOfText } from "./value-kinds.ts";

/** All elements that stand at the same place of the file, e.g. every `catalog/book/author`. */
export interface ElementNode {
  name: string;
  parent: ElementNode | undefined;
  depth: number;
  count: number;
  /** True if two of them ever stood in the same parent. */
  repeats: boolean;
  children: Map<string, ElementNode>;
  attributes: Map<string, Kinds>;
  /** Of their own text; undefined when there was none. */
  text: Kinds | undefined;
  /** The parent element in which the last of them stood. */
  lastParent: number;
}

/** Structural summary (schema) of an XML file, gathered in one pass. Its size is that of the pattern, not of the file. */
export class ElementTree implements XmlEvents {
  root: ElementNode | undefined;
  readonly #nulls: ReadonlySet<string>;
  readonly #open: { node: ElementNode; serial: number; text: string; isNil: boolean }[] = [];
  #lastSerial = 0;
  #nodes = 0;

  constructor(nulls: ReadonlySet<string>) {
    this.#nulls = nulls;
  }

  readonly open = (name: string, attributes: Readonly<Record<string, string>>): void => {
    const parent = this.#open.at(-1);
    const node = this.#nodeFor(name, parent?.node);
    node.count += 1;
    if (parent !== undefined && node.lastParent === parent.serial) node.repeats = true;
    node.lastParent = parent?.serial ?? 0;
    for (const key in attributes) {
      if (isMeta(key)) continue;
      const value = attributes[key]!;
      const kinds = node.attributes.get(key);
      if (kinds === undefined) this.#countNode();
      const name = kinds === undefined ? detached(key) : key;
      node.attributes.set(name, (kinds ?? 0) | (this.#isNull(value) ? 0 : kindOfText(value)));
    }
    this.#lastSerial += 1;
    this.#open.push({ node, serial: this.#lastSerial, text: "", isNil: isNil(attributes) });
  };

  readonly text = (piece: string): void => {
    const element = this.#open.at(-1);
    if (element !== undefined) element.text = joinText(element.text, piece);
  };

  readonly close = (): void => {
    const { node, text, isNil } = this.#open.pop()!;
    const value = ownText(text);
    if (value === "" || isNil || this.#isNull(value)) return;
    node.text = (node.text ?? 0) | kindOfText(value);
  };

  #isNull(value: string): boolean {
    return value === "" || this.#nulls.has(value);
  }

  #nodeFor(name: string, parent: ElementNode | undefined): ElementNode {
    const present = parent?.children.get(name);
    if (present !== undefined) return present;
    this.#countNode();
    const node: ElementNode = {
      name: detached(name),
      parent,
      depth: parent === undefined ? 0 : parent.depth + 1,
      count: 0,
      repeats: false,
      children: new Map(),
      attributes: new Map(),
      text: undefined,
      lastParent: 0,
    };
    if (parent === undefined) this.root = node;
    else parent.children.set(node.name, node);
    return node;
  }

  #countNode(): void {
    this.#nodes += 1;
    if (this.#nodes <= LIMITS.files.xmlPaths) return;
    const most = LIMITS.files.xmlPaths.toLocaleString("en");
    throw new AppError("too_large", `The XML has more than ${most} different elements and attributes.`, {
      hint: "Names that are data, such as <item-17>, should be written as attributes.",
    });
  }
}

/** A copy: a piece of a longer text keeps all of it in memory, and names stay until the end. */
function detached(name: string): string {
  return Buffer.from(name).toString();
}

/** The line breaks and spaces with which a file is laid out are not part of its texts. */
export function ownText(text: string): string {
  if (text.trim() === "") return "";
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  const isIndented = text.slice(0, start).includes("\n");
  const isFollowed = text.slice(end).includes("\n");
  return text.slice(isIndented ? start : 0, isFollowed ? end : text.length);
}

/** Spaces between elements are not worth keeping until the end of the element around them. */
export function joinText(text: string, piece: string): string {
  if (text === "" && piece.trim() === "") return "";
  if (text.length > LIMITS.files.rowBytes) throw rowTooLarge();
  return text + piece;
}

/** Attributes for programs that read XML, not for people. */
export function isMeta(key: string): boolean {
  return key === "xmlns" || key.startsWith("xmlns:") || key.startsWith("xsi:") || key === "xml:space";
}

export function isNil(attributes: Readonly<Record<string, string>>): boolean {
  const nil = attributes["xsi:nil"];
  return nil === "true" || nil === "1";
}

export function pathOf(node: ElementNode): string {
  const names: string[] = [];
  for (let at: ElementNode | undefined = node; at !== undefined; at = at.parent) names.unshift(at.name);
  return names.join("/");
}
