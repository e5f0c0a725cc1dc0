import type { Word } from "../languages/words.ts";
import type { Grammar } from "../rules/grammar.ts";
import type { Sense } from "../senses/fragment.ts";
import type { Found } from "./candidates.ts";

/**
 * "discounted orders" have a discount, and are no sum of discounts: a participle before a noun tells some of them from
 * others, whatever number is called so; and names that contain a word are those of the noun behind it.
 */
export function inTheirForms(all: readonly Found[], words: readonly Word[], grammar: Grammar): Found[] {
  const found = byDoers(all, grammar);
  const nounsAt = (at: number) => found.filter(({ sense, start }) => start === at && isNoun(sense));
  return found.filter(({ sense, start, end }) => {
    const behind = nounsAt(end);
    if (behind.length === 0) return true;
    const some = sense.t === "rel" && sense.rel.k === "where" ? sense.rel.if : undefined;
    if (some?.k === "is" && some.match === "contains")
      return behind.some((noun) => noun.sense.t === "rel" && sense.t === "rel" && noun.sense.ds === sense.ds);
    // "big orders", "gross revenue": how big something is, is asked behind "how" or of a noun.
    if (sense.t === "op") return sense.op !== "how" || end - start > 1;
    const isPast = /ed$/.test(words[end - 1]?.norm ?? "");
    if (sense.t === "rel") return !(isPast && sense.form === "noun");
    const isNumber = sense.t === "table" || (sense.t === "field" && grammar.isNumber(sense.key));
    const isOfEntities = behind.some((noun) => noun.sense.t === "rel");
    return !(isNumber && isOfEntities && isPast);
  });
}

function isNoun(sense: Sense): boolean {
  return sense.t === "table" || (sense.t === "rel" && sense.form === "noun");
}

/** "who bought": of all people those that what was done belongs to at once. */
function byDoers(found: readonly Found[], grammar: Grammar): Found[] {
  const deeds = found.flatMap(({ sense }) => (sense.t === "rel" && sense.verb !== undefined ? [sense] : []));
  const doers = new Set(deeds.flatMap(({ ds, verb }) => grammar.doersOf(verb?.times?.ds ?? ds)));
  if (doers.size === 0) return [...found];
  return found.filter(({ sense, start }) => {
    const isAnybody =
      sense.t === "rel" && sense.form === "noun" && sense.rel.k === "all" && grammar.isPeople(sense.ds);
    const isNamed = found.some((each) => each.start === start && each.cost < ANYBODY_COST);
    return !isAnybody || isNamed || doers.has(sense.ds);
  });
}

/** What "who" costs for somebody; what people are called costs less. */
const ANYBODY_COST = 0.9;
