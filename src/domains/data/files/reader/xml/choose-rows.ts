import { AppError } from "../../../../../kernel/errors.ts";
import { excerptOf } from "../../../../../platform/files/index.ts";
import { someNames } from "../table-reader.ts";
import { type ElementNode, pathOf } from "./element-tree.ts";

/**
 * Which elements are the rows. Without a word from the caller: those that stand several times side by side, the
 * least deep ones first and of those the most frequent. A file in which nothing repeats is one row: the
 * outermost element that is more than a wrapper around a single other one.
 */
export function chooseRows(root: ElementNode, rowPath: string | undefined): ElementNode {
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
