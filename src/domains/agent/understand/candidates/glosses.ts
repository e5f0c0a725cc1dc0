import type { Gloss, Language } from "../languages/language.ts";
import { normsOf, stemsOf, type Word } from "../languages/words.ts";
import type { Entry } from "../lexicon/entry.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import { manyOf } from "./value-entries.ts";

/** A name in another language counts for a little less, and beside the author's own for much less. */
const GLOSS_COST = { only: 0.15, rival: 0.5 };
/** A part of a name, by another name, is nobody's. */
const PART_COST = 1;
/** Names of models are short, and so is what is tried for one. */
const GLOSS = { words: 4, tries: 60 };

/** What the model has for some words by their English names; of several names the likeliest that there is. */
export function glossed(span: readonly Word[], { phrases, values }: Lexicon, language: Language): Entry[] {
  const names = glosses(span, language);
  if (names.length === 0 || isOwnNoun(span, phrases, language)) return [];
  const named = names.map(({ stems }) => phrases.get(stems) ?? []);
  // What the author defined is meant whatever it is called; other names give way to the author's own.
  const defined = named.flat().filter(({ cost }) => cost < 0);
  // What was done can be called otherwise as well: "sold" is a sale, and revenue.
  const isNoun = ({ sense }: Entry) => sense.t !== "link" && (sense.t !== "rel" || sense.verb === undefined);
  const isNamed =
    phrases.get(stemsOf(span))?.some(isNoun) === true ||
    [normsOf(span), normsOf(span).replace(/s$/, ""), stemsOf(span)].some((each) => values.has(each));
  // What stands for something by its kind alone is no name that another word could stand for.
  const isMeant = ({ cost, sense, taken }: Entry) =>
    cost >= 0 && cost < PART_COST && (taken === undefined || sense.t === "table");
  const [plain = [], second = []] = named.filter((entries) => entries.some(isMeant));
  const [valued = [], further = []] = names
    .map(({ norms }) => [norms, ...manyOf(norms)].flatMap((form) => values.get(form) ?? []))
    .filter((entries) => entries.length > 0);
  // "offen" is an open ticket, and of orders a pending one.
  const isElsewhere = ({ sense }: Entry) =>
    "ds" in sense && !valued.some((each) => "ds" in each.sense && each.sense.ds === sense.ds);
  const others = [
    ...plain.filter(isMeant),
    ...second.filter(isMeant).map((entry) => ({ ...entry, cost: entry.cost + 0.4 })),
    ...valued,
    ...further.filter(isElsewhere).map((entry) => ({ ...entry, cost: entry.cost + 0.4 })),
  ];
  return [
    ...defined,
    ...(isNamed && !language.isForeign ? [] : others).map((entry) => ({
      ...entry,
      cost: entry.cost + (isNamed ? GLOSS_COST.rival : GLOSS_COST.only),
    })),
  ];
}

/** "average ticket" is a basket, but not where there are tickets. */
function isOwnNoun(
  [first, ...others]: readonly Word[],
  phrases: Lexicon["phrases"],
  { grammar }: Language,
): boolean {
  const own = phrases.get(others.at(-1)?.stem ?? "") ?? [];
  return (
    (grammar.get(first?.norm ?? "") ?? grammar.get(first?.stem ?? ""))?.op === "agg" &&
    own.some(({ sense }) => sense.t === "rel" && sense.form === "noun")
  );
}

/** Words that stand for others are no forms of a name, and "war" is no "Ware". */
const POINTING = new Set(
  "it its he she his her him they them their this that these those war waren".split(" "),
);

/** What some words are called in English: each by one of its names, or by itself. */
function glosses(span: readonly Word[], { gloss, fillers, grammar, evaluative }: Language): Gloss[] {
  const isEmpty = (norm: string) => fillers.has(norm) && !grammar.has(norm);
  if (span.length > GLOSS.words || (span.length === 1 && evaluative.has(span[0]?.norm ?? ""))) return [];
  // "them" has the stem of "Thema".
  if (span.some(({ norm }) => POINTING.has(norm))) return [];
  const whole = gloss.get(stemsOf(span));
  if (whole !== undefined) return [...whole];
  if (!span.some(({ stem }) => gloss.has(stem))) return [];
  // Names do not begin or end with a word that says nothing.
  if (isEmpty(span[0]?.norm ?? "") || isEmpty(span.at(-1)?.norm ?? "")) return [];
  let made: Gloss[] = [{ stems: "", norms: "" }];
  for (const { stem, norm } of span) {
    const names = [...(gloss.get(stem) ?? []), { stems: stem, norms: norm }];
    made = made
      .flatMap((head) =>
        names.map(({ stems, norms }) => ({
          stems: `${head.stems} ${stems}`.trim(),
          norms: `${head.norms} ${norms}`.trim(),
        })),
      )
      .slice(0, GLOSS.tries);
  }
  return made;
}
