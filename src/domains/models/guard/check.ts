import type { Visit } from "./tree.ts";

export interface GuardContext {
  /** Datasets by their names in lower case. */
  known: ReadonlyMap<string, string>;
  columns: ReadonlyMap<string, readonly string[]> | undefined;
  /** Values of the parameters, where they are known. */
  params: readonly string[];
  /** Datasets that were met. */
  used: Set<string>;
}

/** Looks at one node of the tree, and fails when it must not be there. */
export type Check = (visit: Visit, context: GuardContext) => void;
