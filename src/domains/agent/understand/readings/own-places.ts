import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { rebuilt } from "../../query/parts.ts";
import type { Ask, Key } from "../../query/semantic-query.ts";
import type { Leaf, Sense } from "../senses/fragment.ts";

/** The field that some words are about. */
function keyOf(sense: Sense): Key | undefined {
  if (sense.t === "field") return sense.key;
  return sense.t === "cond" && sense.cond.k === "is" ? sense.cond.key : undefined;
}

/** The datasets that words speak of: by their noun, or by a field that no other has. */
function spokenOf(all: readonly Leaf[], { schema }: Knowledge): ReadonlySet<string> {
  const isTheirs = ({ ds, field }: Key) =>
    [...schema.datasets.values()].every(({ name, fields }) => name === ds || !fields.has(field));
  return new Set(
    all.flatMap(({ sense }) => {
      if (sense.t === "rel") return sense.form === "name" ? [] : [sense.ds];
      const key = keyOf(sense);
      return key !== undefined && isTheirs(key) ? [key.ds] : [];
    }),
  );
}

/** What says where something is. */
function isPlace(field: unknown): boolean {
  return (
    typeof field === "string" &&
    /^(region|country|state|city|town|county|district|postcode|zip)$/i.test(field)
  );
}

/** The same of what places belong to: the region of a store where stores are spoken of. */
export function throughOwnPlaces(ask: Ask, leaves: readonly Leaf[], knowledge: Knowledge): Ask {
  const { definitions, schema } = knowledge;
  const spoken = spokenOf(leaves, knowledge);
  const [owner, ...others] = definitions.ownPlaces.filter((ds) => spoken.has(ds));
  if (owner === undefined || others.length > 0) return ask;
  const links = [...schema.links.values()].filter(({ from, isSoft }) => from === owner && isSoft !== true);
  const own = schema.datasets.get(owner)?.fields;
  return rebuilt(ask, (node) => {
    // "revenue of stores by city": theirs, and not that of whoever bought there.
    const isOthers = node.ds !== undefined && node.ds !== owner && !spoken.has(node.ds as string);
    if (isOthers && node.path === undefined && isPlace(node.field) && own?.has(node.field as string))
      return { ...node, ds: owner };
    const link = links.find(({ to }) => to === node.ds && to !== owner);
    if (link === undefined || node.field === undefined || node.path !== undefined) return node;
    return { ...node, path: [{ link: link.name, dir: "one" }] };
  });
}
