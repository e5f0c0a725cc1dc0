/** Every promise of one endpoint: an id, and the sentence that a test must show to be true. */
export type Contract = Readonly<Record<string, string>>;

/** Ids begin with the name of their contract, so that no two contracts share one. */
export function contract<Name extends string>(
  _name: Name,
  promises: Readonly<Record<`${Name}.${string}`, string>>,
): Contract {
  return promises;
}
