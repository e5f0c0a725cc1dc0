import { keyOf, type Node, text } from "./tree.ts";

const DEEPEST = 20;

/** The text that an expression is, if it is written down. */
export function textIn(node: Node | undefined): string | undefined {
  const value = constantOf(node);
  return typeof value?.value === "string" ? value.value : undefined;
}

/** The number that an expression is, if it is written down or reckoned from such. */
export function numberIn(node: Node | undefined, depth = 0): number | undefined {
  if (node === undefined || depth > DEEPEST) return undefined;
  if (node.class === "CAST") return numberIn(node.child as Node, depth + 1);
  if (node.class === "FUNCTION") return reckon(node, depth);
  const value = constantOf(node);
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

function reckon(node: Node, depth: number): number | undefined {
  const operation = OPERATIONS.get(keyOf(text(node.function_name)));
  const [a, b, ...others] = Array.isArray(node.children) ? (node.children as Node[]) : [];
  if (operation === undefined || others.length > 0) return undefined;
  const [left, right] = [numberIn(a, depth + 1), numberIn(b, depth + 1)];
  return left === undefined || right === undefined ? undefined : operation(left, right);
}

function constantOf(node: Node | undefined): Node | undefined {
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
