import { LIMITS } from "./limits.ts";
import type { RelationsStore } from "./relations.store.ts";

/** The part of its weight that a memory keeps; the rest goes to those that it is related to. */
const RESTART = 0.3;

/**
 * Lets weight flow along relations for a few hops, and tells how much came to each memory. A memory with many relations
 * gives each of them little; no more relations are followed than the bounds say.
 */
export async function spread(
  relations: Pick<RelationsStore, "around">,
  start: ReadonlyMap<number, number>,
  hops: number,
): Promise<Map<number, number>> {
  const reached = new Map<number, number>();
  let open = new Map(start);
  let left = LIMITS.memory.followedRelations;
  for (let hop = 0; hop < hops && open.size > 0 && left > 0; hop++) {
    const edges = await relations.around([...open.keys()], left);
    left -= edges.length;
    const degrees = new Map<number, number>();
    for (const { from } of edges) degrees.set(from, (degrees.get(from) ?? 0) + 1);
    const next = new Map<number, number>();
    for (const { from, to } of edges) {
      const share = ((1 - RESTART) * (open.get(from) ?? 0)) / (degrees.get(from) ?? 1);
      next.set(to, (next.get(to) ?? 0) + share);
    }
    for (const [id, weight] of next) reached.set(id, (reached.get(id) ?? 0) + weight);
    open = new Map([...next].sort(([, a], [, b]) => b - a).slice(0, LIMITS.memory.frontier));
  }
  return reached;
}
