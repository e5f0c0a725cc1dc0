import { hasKind, isSameField, nodesIn, relConds } from "../../query/parts.ts";
import type { Ask, Cond, Hop, Key } from "../../query/semantic-query.ts";
import type { Grammar } from "../rules/grammar.ts";
import type { Leaf, Sense } from "../senses/fragment.ts";

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
