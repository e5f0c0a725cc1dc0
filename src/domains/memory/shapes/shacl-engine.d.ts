declare module "shacl-engine" {
  import type { Store, Term } from "n3";

  interface Result {
    focusNode: { term: Term };
    message?: readonly (Term | string)[];
    path?: readonly { predicates?: readonly Term[] }[];
    severity?: Term;
    shape: { ptr: { term: Term } };
  }

  export class Validator {
    constructor(shapes: Store, options: { factory: unknown });
    validate(data: { dataset: Store }): Promise<{ conforms: boolean; results: readonly Result[] }>;
  }
}
