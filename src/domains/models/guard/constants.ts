import { keyOf, type Node, text } from "./tree.ts";

const DEEPEST = 20;

/** Values of `$1`, `$2` and so on. */
export type Params = readonly string[];

/** The text that an expression is, if it is written down or given as a parameter. */
export function textIn(node: Node | undefined, params: Params, depth = 0): string | undefined {
  if (node?.class === "CAST" && depth <= DEEPEST) return textIn(node.child as Node, params, depth + 1);
  const value = constantOf(node, params);
  return typeof value?.value === "string" ? value.value : undefined;
}

/** The number that an expression is, if it is written down, given as a parameter or reckoned from such. */
export function numberIn(node: Node | undefined, params: Params, depth = 0): number | undefined {
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
