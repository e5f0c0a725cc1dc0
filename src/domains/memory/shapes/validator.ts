import type { Store, Term } from "n3";
// @ts-expect-error It comes without types.
import { Validator as Untyped } from "shacl-engine";

interface Result {
  message?: readonly (Term | string)[];
  path?: readonly { predicates?: readonly Term[] }[];
  focusNode: { term: Term };
  severity?: Term;
  shape: { ptr: { term: Term } };
}

/** As far as it is used here. */
export interface Validator {
  validate(data: { dataset: Store }): Promise<{ results: readonly Result[] }>;
}

export const Validator = Untyped as new (shapes: Store, options: { factory: unknown }) => Validator;
