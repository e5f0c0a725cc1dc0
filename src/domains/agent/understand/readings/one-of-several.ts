import { isSameField } from "../../query/parts.ts";
import type { Ask } from "../../query/semantic-query.ts";
import { valueIn } from "../candidates/value-entries.ts";
import type { Language } from "../languages/language.ts";
import type { Word } from "../languages/words.ts";
import type { Leaf } from "../senses/fragment.ts";

/** What the grammar may make of a difference between two values of one name: more is a word that tells them apart. */
const NAMESAKE_MARGIN = 0.8;

/** "units of Outdoor": a category and a product of one name are as likely, whichever the sentence goes better with. */
export function namesakesOf<
  T extends { ask: Ask; cost: number; left: readonly number[]; leaves: readonly Leaf[] },
>(readings: readonly T[]): T[] {
  const [best] = readings;
  if (best?.ask.k !== "table") return [];
  return best.leaves.flatMap((leaf) => {
    const [, key] = valueIn(leaf.sense);
    const isOther = (other: Leaf) => {
      const [, its] = valueIn(other.sense);
      const isThere = other.start === leaf.start && other.end === leaf.end;
      return isThere && its?.ds === key?.ds && its?.field !== key?.field;
    };
    // "Outdoor products", "the category Outdoor"
    const isSaid = best.leaves.some(({ sense, start, end }) => {
      if (sense.t === "field") return isSameField(sense.key, key);
      const isNoun = sense.t === "rel" && sense.form === "noun" && sense.ds === key?.ds;
      return isNoun && (start === leaf.end || end === leaf.start);
    });
    const rival =
      key === undefined || isSaid ? undefined : readings.find((each) => each.leaves.some(isOther));
    const isNear = rival !== undefined && rival.cost <= best.cost + NAMESAKE_MARGIN;
    return isNear && rival.left.length === best.left.length ? [rival] : [];
  });
}

/** "the Hamburg store": one of them, whatever else is in Hamburg. */
export function oneMeant(
  words: readonly Word[],
  { ask, leaves }: { ask: Ask; leaves: readonly Leaf[] },
  { grammar, isMany, isForeign }: Language,
): { oneOf?: string } {
  const isPlain = ask.k === "table" && ask.by.length === 0 && ask.cols.every(({ k }) => k === "metric");
  const noun = leaves.find(({ sense, start, end }) => {
    if (sense.t !== "rel" || sense.form !== "noun" || sense.rel.k !== "all") return false;
    const { norm = "" } = words[end - 1] ?? {};
    const isSingle = isForeign === true ? !/[rsn]$/.test(norm) : !isMany(norm);
    // "the store in Hamburg"
    const after = grammar.get(words[end]?.norm ?? "")?.op === "prep" ? [end, end + 1] : [end];
    const isOf = (leaf: Leaf) =>
      leaf.sense.t === "cond" &&
      leaf.sense.ds === sense.ds &&
      (leaf.end === start || after.includes(leaf.start));
    return isSingle && leaves.some(isOf);
  });
  return isPlain && noun?.sense.t === "rel" ? { oneOf: noun.sense.ds } : {};
}
