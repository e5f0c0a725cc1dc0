import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Schema, SchemaDataset } from "../../query/schema.ts";
import type { Word } from "../languages/words.ts";
import { mainDataset } from "../model/model-words.ts";
import { type Found, isOver } from "./candidates.ts";
import { ROW_KINDS, speaksFor } from "./row-kinds.ts";

/** Less likely than anything that somebody gave the word to. */
const COST = 0.5;

interface EventVerbs {
  /** What verbs stand for where something else is spoken of first: what the rows are of. */
  found: Found[];
  /** Where the rows are spoken of already, they say nothing more. */
  empty: ReadonlySet<number>;
}

/**
 * Verbs that say only that what rows tell happened: bikes were stolen in a table of thefts. Whatever a column, a value or
 * the author is called by such a verb is meant before.
 */
export function eventVerbs(
  words: readonly Word[],
  found: readonly Found[],
  { schema }: Knowledge,
): EventVerbs {
  const isNoun = ({ sense }: Found) => sense.t === "cond" || (sense.t === "rel" && sense.form === "noun");
  const [first] = found.filter(isNoun).toSorted((a, b) => a.start - b.start || a.cost - b.cost);
  const verbs = words.flatMap((word, start) => {
    const isKnown = found.some((each) => each.sense.t !== "op" && isOver(each, start));
    const ds = isKnown ? undefined : datasetOf(word, schema);
    return ds === undefined ? [] : [{ ds, start }];
  });
  const isSaid = (ds: string) => first !== undefined && "ds" in first.sense && first.sense.ds === ds;
  return {
    empty: new Set(verbs.filter(({ ds }) => isSaid(ds)).map(({ start }) => start)),
    found: verbs
      .filter(({ ds }) => !isSaid(ds))
      .map(({ ds, start }) => ({
        sense: { t: "rel", rel: { k: "all", ds }, ds, form: "made", isTopped: false, verb: { metric: null } },
        start,
        end: start + 1,
        cost: COST,
      })),
  };
}

/** What happens at all begins at some time. */
const HAPPENS = /^(begins?|began|beginnen|beginnt|begann|begannen)$/;

/** The dataset whose rows tell what a verb says: one that is called by it, or the one that all others belong to. */
function datasetOf({ norm, stem }: Word, schema: Schema): string | undefined {
  const main = mainDataset(schema);
  if (HAPPENS.test(norm))
    return main !== undefined && schema.datasets.get(main)?.date?.ds === main ? main : undefined;
  const kind = ROW_KINDS.find(({ verbs }) => verbs.has(norm));
  if (kind === undefined) return undefined;
  const speaks = ({ name, fields }: SchemaDataset) => speaksFor([name, ...fields.keys()], kind);
  const all = [...schema.datasets.values()];
  const named = all.filter(({ name }) => name.includes(stem));
  const [only, ...others] =
    named.length > 0 ? named : all.filter((each) => each.name === main && speaks(each));
  return others.length === 0 ? only?.name : undefined;
}
