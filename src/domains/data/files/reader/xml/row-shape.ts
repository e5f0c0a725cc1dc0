import { quoteName } from "../../../../../kernel/sql-text.ts";
import { distinctNames, type NamedColumns } from "../column-names.ts";
import { typeOfKinds } from "../value-kinds.ts";
import type { ElementNode } from "./element-tree.ts";

/** How the elements of one place are written as JSON. */
export interface Shape {
  /** The type of a text; undefined for elements that are objects. */
  scalar: string | undefined;
  isList: boolean;
  attributes: Map<string, { key: string; type: string }>;
  children: Map<string, { key: string; shape: Shape }>;
  /** The key and type of an object's own text. */
  text: { key: string; type: string } | undefined;
}

export interface RowShape extends Shape {
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
export function rowShape(node: ElementNode): RowShape {
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
