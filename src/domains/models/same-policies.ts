import { isDeepStrictEqual } from "node:util";
import { AppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import type { SemanticModel } from "./model.ts";

/** Only an admin changes what a published model hides: whoever writes models could take its policies from themselves. */
export function assertSamePolicies(caller: Caller, published: SemanticModel, next: SemanticModel): void {
  if (caller.permissions.includes("admin")) return;
  const [before, after] = [policiesOf(published), policiesOf(next)];
  const names = new Set([...before.keys(), ...after.keys()]);
  const changed = [...names].filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)));
  if (changed.length === 0) return;
  throw new AppError(
    "forbidden",
    `Only an admin can change the policies of a published model: those of ${changed.join(", ")} differ.`,
    { hint: "Keep them as they are, or save a draft and ask an admin to publish it." },
  );
}

/**
 * Whoever deletes a model can publish another one in its place, so that its policies bind here as well; and what only
 * an admin deletes, only an admin brings back.
 */
export function assertNoPolicies(caller: Caller, published: SemanticModel, verb: "delete" | "restore"): void {
  if (caller.permissions.includes("admin")) return;
  const names = [...policiesOf(published).keys()];
  if (names.length === 0) return;
  throw new AppError(
    "forbidden",
    `Only an admin can ${verb} a published model that has policies: ${names.join(", ")} has some.`,
    { hint: `Ask an admin to ${verb} it.` },
  );
}

/** The policies of each dataset that has some. What a document says and what came back from the catalog is the same. */
function policiesOf({ datasets }: SemanticModel): Map<string, unknown> {
  const some = datasets.filter(({ policies }) => policies.length > 0);
  return new Map(
    some.map(({ name, policies }) => [name.toLowerCase(), JSON.parse(JSON.stringify(policies)) as unknown]),
  );
}
