import type { Schema, SchemaDataset } from "../../query/schema.ts";
import type { Hop } from "../../query/semantic-query.ts";
import { foreignLink } from "../model/model-words.ts";
import type { Sense } from "../senses/fragment.ts";
import { entities } from "../senses/make.ts";

/** Verbs end with the preposition that their object stands behind; "manager" is a noun. */
export const DIRECTED = / (to|by|of|under|for|from|with)$/i;

/** What somebody is to others of the same kind: whoever has such others, and of each the one. */
export function roleOf(schema: Schema, ds: string, hop: Hop, as: string): Sense[] | undefined {
  const field = schema.datasets.get(ds)?.nameField;
  if (field === null || field === undefined) return undefined;
  const all = { k: "all" as const, ds };
  const path: Hop[] = [{ ...hop, dir: "many" }];
  const having = { k: "where" as const, in: all, if: { k: "link" as const, at: ds, path, to: all } };
  return [{ t: "field", key: { ds, field, path: [{ ...hop, as, isNoun: true }] } }, entities(having, ds)];
}

/** A dataset that says nothing but what is linked to what. */
export function bridgePaths(schema: Schema, ds: string): { from: string; path: Hop[] }[] | undefined {
  const dataset = schema.datasets.get(ds) as SchemaDataset;
  const links = [...dataset.fields.keys()].map((field) => foreignLink(schema, ds, field));
  const [a, b] = links;
  if (links.length !== 2 || a === undefined || b === undefined) return undefined;
  return bothWays(schema, [{ link: a.link, dir: "many" }, b]);
}

export function bothWays(schema: Schema, path: Hop[]): { from: string; path: Hop[] }[] {
  const back = path
    .toReversed()
    .map(({ link, dir }) => ({ link, dir: dir === "one" ? ("many" as const) : ("one" as const) }));
  const start = (hops: Hop[]) => {
    const [first] = hops as [Hop];
    const link = schema.links.get(first.link);
    return first.dir === "one" ? (link?.from ?? "") : (link?.to ?? "");
  };
  const ways = [path, back].map((hops) => ({ from: start(hops), path: hops }));
  // A link of a dataset with itself that stands in both directions is the same both ways.
  return ways[0]?.from === ways[1]?.from ? [ways[0] as (typeof ways)[number]] : ways;
}
