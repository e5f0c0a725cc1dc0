import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Key } from "../../query/semantic-query.ts";
import { normsOf, type Word } from "../languages/words.ts";
import { isEnd } from "../lexicon/deeds.ts";
import type { Found } from "./candidates.ts";

const WORKS = /^(work|works|arbeiten|arbeitet)$/;
const STILL = /^(still|noch|currently|derzeit|aktuell|momentan)$/;
/** How it is said of somebody or something that it has not come to an end. */
const GOES_ON =
  /^(work|works|working|employed|here|there|around|with|for|us|active|on|board|running|open|arbeiten|arbeitet|beschaftigt|angestellt|tatig|bei|uns|da|dabei|aktiv|offen)$/;

/** "still working here", of what has a date on which it ends: there is none yet. */
export function stillThere(words: readonly Word[], known: readonly Found[], { schema }: Knowledge): Found[] {
  if (!words.some(({ norm }) => STILL.test(norm) || WORKS.test(norm))) return [];
  const ends = [...schema.datasets.values()].flatMap(({ name: ds, fields }): Key[] =>
    [...fields.values()].flatMap(({ name: field, kind }) =>
      kind === "date" && isEnd(field) ? [{ ds, field }] : [],
    ),
  );
  const [key, ...others] = ends;
  if (key === undefined || others.length > 0) return [];
  return words.flatMap(({ norm }, start) => {
    const isHere = WORKS.test(norm) && HERE.test(normsOf(words.slice(start + 1)));
    if (!STILL.test(norm) && !isHere) return [];
    let end = start + 1;
    while (GOES_ON.test(words[end]?.norm ?? "")) end += 1;
    // What is "open" or "active" by a value or by the author's word is said already.
    const isSaid = known.some((each) => each.sense.t === "cond" && each.start > start && each.end <= end);
    if (end === start + 1 || isSaid) return [];
    const cond = { k: "null" as const, key };
    return [{ sense: { t: "cond", ds: key.ds, cond }, start, end, cost: -0.3 * (end - start - 1) }];
  });
}

const HERE = /^(here|for us|with us|hier|bei uns)\b/;
