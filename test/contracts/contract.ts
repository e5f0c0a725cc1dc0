/** A promise that nothing here keeps yet. No test may cite it; whoever adds what it waits for closes it. */
export interface OpenPromise {
  promise: string;
  /** What it waits for. */
  open: string;
}

/** Every promise of one endpoint: an id, and the sentence that a test must show to be true. */
export type Contract = Readonly<Record<string, string | OpenPromise>>;

/** Ids begin with the name of their contract, so that no two contracts share one. */
export function contract<Name extends string>(
  _name: Name,
  promises: Readonly<Record<`${Name}.${string}`, string | OpenPromise>>,
): Contract {
  return promises;
}

export function open(promise: string, waitsFor: string): OpenPromise {
  return { promise, open: waitsFor };
}
