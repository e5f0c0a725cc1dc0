import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { hasKind, isSameField, nodesIn, relConds } from "../../query/parts.ts";
import type { Ask, Cond, Hop, Key } from "../../query/semantic-query.ts";
import type { Found } from "../candidates/candidates.ts";
import { normsOf, placesOf, range, type Word } from "../languages/words.ts";
import type { Grammar } from "../rules/grammar.ts";
import { conditionsIn } from "../senses/conditions.ts";
import type { Leaf, Sense } from "../senses/fragment.ts";
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

/**
 * The account the other way round: parts of a query that no word asked for. Numbers are told apart only by what was named, and who
 * was there in some year is meant to have joined in it only where a word says so.
 */
export function unaskedParts(leaves: readonly Leaf[], ask: Ask, { grammar }: { grammar: Grammar }): number {
  const senses = leaves.map(({ sense }) => sense);
  const isNamed = (key: Key) =>
    key.bucket !== undefined ||
    key.part !== undefined ||
    senses.some((sense) => {
      if (sense.t === "field") return isSameField(sense.key, key);
      return (sense.t === "cond" || sense.t === "rel" || sense.t === "role") && sense.ds === key.ds;
    });
  const groups = ask.k === "table" ? ask.by.filter((key) => !isNamed(key)).length : 0;
  const dates = datesOf(ask).filter((key) => {
    const isSaid = senses.some((sense) => sense.t === "field" && isSameField(sense.key, key));
    return !isSaid && !grammar.isEvent(key.ds) && grammar.eventsOf(key.ds).length > 0;
  });
  // A number that has lost its period to something else is another number.
  const isTaken =
    ask.k === "table" && ask.scope?.win === undefined && ask.cols.every(({ k }) => k === "metric");
  return (
    groups +
    dates.length * (isTaken ? 3 : 1) +
    (isOfEntities(senses, ask, grammar) ? 1 : 0) +
    unnamedLinks(senses, ask, grammar) * 3
  );
}

/** Links to all of something by way of what no word speaks of, and to some of which only something is denied. */
function unnamedLinks(senses: readonly Sense[], ask: Ask, { schema }: Grammar): number {
  const endOf = ({ link, dir }: Hop) => schema.links.get(link)?.[dir === "one" ? "to" : "from"] ?? "";
  const named = new Set(
    senses.flatMap((sense) => {
      if (sense.t === "field") return [sense.key.ds];
      // A verb of the author's names the way that it goes.
      if (sense.t === "link") return sense.paths.flatMap(({ path }) => path.map(endOf));
      return "ds" in sense ? [sense.ds] : [];
    }),
  );
  const nouns = new Set(senses.flatMap((sense) => (sense.t === "rel" ? [sense.ds] : [])));
  return nodesIn(ask).filter((node) => {
    if (node.k !== "link") return false;
    const { path, to } = node as Extract<Cond, { k: "link" }>;
    const isUnnamed = path.slice(0, -1).some((hop) => !named.has(endOf(hop)));
    const isDenied = relConds(to).some(({ k }) => k === "not");
    const last = path.at(-1);
    return to.k === "all" ? isUnnamed : isDenied && last?.dir === "many" && !nouns.has(endOf(last));
  }).length;
}

/** Whether entities that did something are counted by when they came. */
function isOfEntities(senses: readonly Sense[], ask: Ask, grammar: Grammar): boolean {
  if (ask.k === "list" || ask.scope?.win === undefined) return false;
  const [num] = ask.cols;
  const rel = num?.k === "agg" && num.of === undefined ? num.in : undefined;
  const ds = rel === undefined ? undefined : grammar.datasetOf(rel);
  if (ds === undefined || grammar.isEvent(ds) || !hasKind(rel, "link")) return false;
  return !senses.some((sense) => sense.t === "field" && sense.key.ds === ds && grammar.isDate(sense.key));
}

/** The dates of entities that periods are of. */
function datesOf(ask: Ask): Key[] {
  return nodesIn(ask).flatMap((node) => {
    const { on } = node.k === "during" ? (node as Extract<Cond, { k: "during" }>).win : {};
    return on === undefined ? [] : [on];
  });
}
