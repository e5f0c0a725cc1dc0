import type { Ask } from "../../query/semantic-query.ts";
import type { Said } from "../candidates/said.ts";
import { onDeed } from "../lexicon/deeds.ts";
import { inRoles } from "../rules/roles.ts";
import { type Fragment, type Leaf, leavesOf } from "../senses/fragment.ts";
import { askOf } from "./ask-of.ts";
import { contradictsItself } from "./contradiction.ts";
import { inOneDeed } from "./one-deed.ts";
import { throughOwnPlaces } from "./own-places.ts";

/** A query that the whole question may be, and the words that it was made of. */
export interface Query {
  ask: Ask;
  cost: number;
  leaves: readonly Leaf[];
  /** Words that nothing was made of, by their place among those that were kept. */
  skipped: readonly number[];
}

/** The queries that the meanings of a whole question are. */
export function queriesOf(meanings: readonly Fragment[], { all, grammar, knowledge }: Said): Query[] {
  return meanings.flatMap((fragment) => {
    const asked = askOf(grammar, fragment.sense);
    if (asked === undefined) return [];
    const leaves = leavesOf(fragment);
    const cost = fragment.cost + asked.cost;
    const own = throughOwnPlaces(asked.ask, leaves, knowledge);
    const ask = onDeed(inOneDeed(own, leaves, knowledge), leaves);
    return inRoles(ask, { words: all, leaves, knowledge })
      .filter((each) => !contradictsItself(each))
      .map((each) => ({ ask: each, cost, leaves, skipped: fragment.skipped }));
  });
}
