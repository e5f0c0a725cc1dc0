import type { SurfaceName } from "../../src/registry/caller.ts";

/** Every promise of one endpoint: an id, and the sentence that a test must show to be true. */
export type Contract = Readonly<Record<string, string>>;

/** Ids begin with the name of their endpoint, so that no two contracts share one. */
export function contract<Surface extends SurfaceName>(
  _surface: Surface,
  promises: Readonly<Record<`${Surface}.${string}`, string>>,
): Contract {
  return promises;
}
