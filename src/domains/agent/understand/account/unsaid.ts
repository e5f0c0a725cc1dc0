import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { hasKind } from "../../query/parts.ts";
import type { Ask } from "../../query/semantic-query.ts";
import type { Found } from "../candidates/candidates.ts";
import type { Word } from "../languages/words.ts";
import { normsOf, placesOf, range } from "../languages/words.ts";
import type { Grammar } from "../rules/grammar.ts";
import { conditionsIn } from "../senses/conditions.ts";
import type { Leaf } from "../senses/fragment.ts";
import { QueryFacts } from "./query-facts.ts";

/**
 * Which words of a question its query says nothing of. The rules put words together by their neighbours and may drop
 * one on the way; here the finished query is held against each of them, whatever rules it came from: what a word was
 * taken for has to be there, and of a word that was left out at least something that it can mean.
 */
export function unsaidWords(
  words: readonly Word[],
  { found, leaves }: { found: readonly Found[]; leaves: readonly Leaf[] },
  ask: Ask,
  { knowledge, grammar }: { knowledge: Knowledge; grammar: Grammar },
): Set<number> {
  const facts = new QueryFacts(ask, knowledge, grammar);
  const saidIn = (all: readonly Leaf[]) =>
    all.flatMap(({ sense, start, end }) =>
      facts.says(sense, roleOf(words, start)) ? range(start, end) : [],
    );
  const taken = placesOf(leaves);
  const others = found.filter(({ start, end }) => range(start, end).every((i) => !taken.has(i)));
  const said = new Set([...saidIn(leaves), ...saidIn(others)]);
  // "neither … nor": as many negations as there are words for them.
  const nots = leaves.filter(({ sense }) => sense.t === "op" && sense.op === "not");
  for (const { start } of nots.slice(facts.negations)) said.delete(start);
  // "in Bern or of brand Luma or Terra": as many alternatives as are said between conditions.
  const isCond = ({ sense }: Leaf) => sense.t === "cond" || (sense.t === "rel" && sense.form === "name");
  const ors = [...leaves, ...others].filter(
    ({ sense, start }) =>
      sense.t === "op" &&
      sense.op === "or" &&
      leaves.some((each) => isCond(each) && each.start < start) &&
      leaves.some((each) => isCond(each) && each.start > start),
  );
  for (const { start } of ors.slice(facts.alternatives)) said.delete(start);
  // "their largest city": the largest of each, and not of all.
  const isOwn = ({ sense, start }: Leaf) => sense.t === "sup" && OWN.test(words[start - 1]?.norm ?? "");
  if (!facts.isOfEach) for (const { start } of leaves.filter(isOwn)) said.delete(start);
  const covered = [...placesOf([...leaves, ...others])];
  // "cities or towns": the same by two names.
  const nounsAt = (at: number, side: "start" | "end") =>
    found.flatMap((each) => (each[side] === at && each.sense.t === "rel" ? [each.sense.ds] : []));
  const isSame = (i: number) => nounsAt(i, "end").some((ds) => nounsAt(i + 1, "start").includes(ds));
  return new Set(covered.filter((i) => !said.has(i) && !isSame(i)));
}

/** "still" and "noch" say how something stands: the words beside them are a condition, or the query does not say it. */
export function unheldWords(words: readonly Word[], ask: Ask, leaves: readonly Leaf[]): number[] {
  const isSome = conditionsIn(ask) > 0 || hasKind(ask, "is", "null", "not", "cmp", "link", "during");
  const isHeld = (at: number) =>
    isSome && leaves.some((leaf) => leaf.end >= at && leaf.start <= at + STILL_REACH && isCondition(leaf));
  // "how much more do we need": less than all of it.
  const isMore = (at: number) =>
    MORE.test(words[at]?.norm ?? "") &&
    /^(much|many|viel|viele)$/.test(words[at - 1]?.norm ?? "") &&
    !hasKind(ask, "cmp", "calc");
  return words.flatMap(({ norm }, i) => ((STILL.test(norm) && !isHeld(i)) || isMore(i) ? [i] : []));
}

function isCondition({ sense }: Leaf): boolean {
  if (sense.t === "rel") return sense.form !== "noun" || sense.rel.k !== "all";
  return sense.t === "field"
    ? sense.isDone === true
    : ["cond", "link", "mod", "quantity", "op", "window"].includes(sense.t) &&
        (sense.t !== "op" || sense.op === "not");
}

const MORE = /^(more|less|fewer|mehr|weniger)$/;
const STILL = /^(still|noch)$/;
/** How many words behind it what it is said of may stand: "still have not paid". */
const STILL_REACH = 4;

const OWN = /^(their|its|his|her|ihre?[nrsm]?|seine?[nrsm]?)$/;

/** What the words before a noun make of it: what is asked for, counted, or told apart. */
export type Role = "asked" | "counted" | "each" | "told" | "by" | undefined;

const ROLES: readonly [RegExp, Role][] = [
  [
    /^((please|can|could|you|i|want|need|to|see|get) )*(list|show|name|give)( (me|us|all|the|our|of|top|first|last|best|\d+))*$/,
    "asked",
  ],
  [/(^| )(which|what|welche[rnms]?)$/, "asked"],
  [/(^| )(best|worst|top|strongest|weakest|busiest)$/, "asked"],
  [
    /(^| )(how many|(?<!(?:most|est) )number of|wie viele[nr]?)( (of )?(the|our|all|different|distinct|unique))*$/,
    "counted",
  ],
  [/(^| )(more|fewer)$/, "counted"],
  [/(^| )(per|each|every|pro|je|jede[rnms]?)$/, "each"],
  [/(^| )(by|nach)( the| our)?$/, "by"],
  // "per square metre and store": for each store.
  [/(^| )(per|pro|je) \S+ (and|und)$/, "told"],
];

function roleOf(words: readonly Word[], start: number): Role {
  const before = normsOf(words.slice(Math.max(0, start - 8), start));
  return ROLES.find(([pattern]) => pattern.test(before))?.[1];
}
