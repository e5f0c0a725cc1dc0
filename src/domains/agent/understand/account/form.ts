import { condsOf, isEqual, isSameField, nodesIn, relConds } from "../../query/parts.ts";
import type { Ask, Cond, Key, Num, Rel } from "../../query/semantic-query.ts";
import type { Weighed } from "../candidates/said.ts";
import type { Word } from "../languages/words.ts";
import type { Grammar } from "../rules/grammar.ts";
import { entitiesOf } from "../senses/conditions.ts";
import type { Leaf } from "../senses/fragment.ts";

/** An answer of another form is none to the question, however well its words fit: it is too loose to be given. */
const FORM_COST = 3;

const WHO = /^(who|whose|wer|wessen)$/;
const WHICH = /^(which|welche[rnms]?)$/;
const WHAT = /^(what|was)$/;
/** Nouns of a number, of which "which" asks for that. */
const OF_NUMBERS = new Set(["share", "count", "agg", "rate", "ratio", "growth", "difference"]);
/** Words that want a number for each of several. */
const EACH =
  /^(by|per|each|every|which|what|when|where|across|between|versus|vs|separately|split|respectively|respective|compare[ds]?|comparing|nach|pro|je|jede[rnms]?|jeweils|welche[rnms]?|wann|wo|wer|who|getrennt|verglichen|\p{L}+ly|\p{L}+lich\p{L}*)$/u;
/** What one of them is on average. */
const ONE = /^(an?|one|eine?[rnms]?|typical|typically|usual|usually|normally|üblich\p{L}*|normalerweise)$/u;

/**
 * What speaks against a query by its form alone: how many there are is one number, or one for each of what is named
 * with it, and which one it is no number at all.
 */
export function formCost(ask: Ask, leaves: readonly Leaf[], said: Weighed): number {
  if (isOfNobody(ask, said.grammar)) return FORM_COST;
  const { all, found, language } = said;
  const isFirst = (at: number) =>
    all.slice(0, at).every(({ norm }) => language.fillers.has(norm) || language.grammar.has(norm));
  const opens = (...ops: string[]) =>
    found.some(({ sense, start }) => sense.t === "op" && ops.includes(sense.op) && isFirst(start));
  if (isCountOfOne(ask, said) || isItself(ask, said)) return FORM_COST;
  const first = all.find(({ norm }) => language.grammar.get(norm)?.op !== "prep");
  const isNumber = ask.k === "table" && ask.by.length === 0;
  if (WHO.test(first?.norm ?? "") || language.people.has(all[0]?.norm ?? ""))
    return isNumber || isWhat(ask, said) ? FORM_COST : 0;
  if (asksForThings(first, said))
    return (isNumber && !opens(...OF_NUMBERS)) || isOfDeeds(ask, leaves, said) ? FORM_COST : 0;
  if (!opens("count", "how much")) return 0;
  if (isOfDoers(ask, leaves, said)) return FORM_COST;
  const isList = ask.k === "list" && !ask.show.some((key) => said.grammar.isNumber(key));
  const odd = [opens("how much") && isList, isMany(ask, said), isMiddle(ask, said), isOfOthers(ask, leaves)];
  return odd.filter((each) => each).length * FORM_COST;
}

/** Whether it is the highest of some counts, where one thing was asked for: "the biggest order of each month". */
function isCountOfOne(ask: Ask, { found, language, all }: Weighed): boolean {
  if (ask.k === "list") return false;
  const [num] = ask.cols;
  const ranked = num?.k === "each" ? num.of : ask.top?.by;
  const isCounts = ranked?.k === "agg" && ranked.fn === "count";
  const isOne = (at: number) => !language.isMany(all[at]?.norm ?? "");
  return (
    isCounts &&
    found.some(
      ({ sense, end }) =>
        sense.t === "sup" &&
        sense.dim === "big" &&
        isOne(end) &&
        found.some((noun) => noun.start === end && noun.sense.t === "rel" && noun.sense.form === "noun"),
    )
  );
}

/** Whether it says of somebody who is named only what they are called. */
function isItself(ask: Ask, { grammar }: Weighed): boolean {
  const [only, ...others] = ask.k === "list" ? ask.show : [];
  if (ask.k !== "list" || only === undefined || others.length > 0 || only.path !== undefined) return false;
  if (grammar.nameKey(only.ds)?.field !== only.field) return false;
  return relConds(ask.rel).some(
    (cond) =>
      cond.k === "is" && cond.match === "equal" && cond.values.length === 1 && isSameField(cond.key, only),
  );
}

/** "which accessories", "what accessories": those, and not "which revenue" or "what was". */
function asksForThings(first: Word | undefined, { all, found }: Weighed): boolean {
  const behind = first === undefined ? -1 : all.indexOf(first) + 1;
  const kinds = found.flatMap(({ sense, start }) => (start === behind ? [sense.t] : []));
  const isThing = kinds.some((t) => t === "cond" || t === "rel");
  if (WHICH.test(first?.norm ?? "")) return isThing || !kinds.includes("table");
  return WHAT.test(first?.norm ?? "") && isThing && !kinds.includes("table");
}

/**
 * Whether it is of those that did something and did nothing of the kind, or of what happened at no time: there are
 * none, whatever the data.
 */
function isOfNobody(ask: Ask, grammar: Grammar): boolean {
  if (isDayWithout(ask, grammar)) return true;
  const rel = entitiesOf(ask);
  if (rel === undefined) return false;
  const nodes = nodesIn(ask) as unknown as Cond[];
  const denied = nodes.flatMap((node) => (node.k === "not" ? [node.of] : []));
  const isTimeless = (node: Cond) =>
    node.k === "null" &&
    !denied.includes(node) &&
    grammar.isEvent(node.key.ds) &&
    node.key.ds !== grammar.datasetOf(rel) &&
    isSameField(grammar.schema.datasets.get(node.key.ds)?.date, node.key);
  if (nodes.some(isTimeless)) return true;
  const own = (of: Rel): Cond[] =>
    relConds(of).flatMap((cond) => (cond.k === "link" && cond.path.length === 0 ? own(cond.to) : [cond]));
  const conds = own(rel);
  const undone = conds.flatMap((cond) =>
    cond.k === "not" && cond.of.k === "link" && cond.of.to.k === "all" ? [JSON.stringify(cond.of.path)] : [],
  );
  return conds.some((cond) => cond.k === "link" && undone.includes(JSON.stringify(cond.path)));
}

/** "which days had no orders in May": rows have no day on which there were none, and the others are no answer. */
function isDayWithout(ask: Ask, grammar: Grammar): boolean {
  const isDates = ask.k === "list" && ask.show.every((key) => grammar.isDate(key));
  const [num] = ask.k === "table" ? ask.cols : [];
  const counted = num?.k === "agg" && num.fn === "count" && num.in?.k === "all" ? num.in.ds : undefined;
  const ds = isDates ? ask.show[0]?.ds : counted;
  const conds = ask.k === "list" ? relConds(ask.rel) : condsOf(ask.scope?.if);
  return conds.some(
    (cond) =>
      cond.k === "not" &&
      cond.of.k === "link" &&
      cond.of.path.length === 0 &&
      grammar.datasetOf(cond.of.to) === ds,
  );
}

/** Whether it lists what happened, and nobody whom it happened to. */
function isWhat(ask: Ask, { grammar }: Weighed): boolean {
  const ds = ask.k === "list" ? grammar.datasetOf(ask.rel) : undefined;
  if (ask.k !== "list" || ds === undefined || !grammar.isEvent(ds)) return false;
  const name = grammar.nameKey(ds)?.field;
  return ask.show.every((key) => !grammar.isLabel(key) || (key.ds === ds && key.field === name));
}

/** Whether it gives many numbers, and nobody asked for more than one. */
function isMany(ask: Ask, { all, grammar }: Weighed): boolean {
  if (ask.k === "list") {
    const [only, ...others] = ask.show;
    const isOfAll = ask.rel.k === "all";
    return (
      only !== undefined &&
      others.length === 0 &&
      grammar.isNumber(only) &&
      (isOfAll || isRepeated(only, grammar))
    );
  }
  const isOwn = (key: Key) => key.bucket === undefined && key.part === undefined && !isNamed(key, ask);
  return ask.by.some(isOwn) && ask.top === undefined && !all.some(({ norm }) => EACH.test(norm));
}

/** Values that are named beside each other are told apart by them. */
function isNamed(key: Key, ask: Ask): boolean {
  return JSON.stringify(ask).includes(`"key":${JSON.stringify(key)},"values":[`);
}

/** Whether rows of one name are several. */
function isRepeated({ ds }: Key, grammar: Grammar): boolean {
  return grammar.isEvent(ds) || grammar.schema.datasets.get(ds)?.isNumbered === true;
}

/** "How many bookings had children": bookings are counted, and not the children. */
function isOfOthers(ask: Ask, leaves: readonly Leaf[]): boolean {
  const [num] = ask.k === "table" ? ask.cols : [];
  const counts = leaves.find(({ sense }) => sense.t === "op" && sense.op === "count");
  const noun = leaves.find(({ sense, start }) => start === counts?.end && sense.t === "rel");
  const isNamed = leaves.some(
    ({ sense, start }) =>
      start >= (noun?.end ?? Infinity) &&
      (sense.t === "field" || (sense.t === "table" && sense.table.cols.some((col) => isEqual(col, num)))),
  );
  return isNamed && (num?.k === "metric" || (num?.k === "agg" && ["sum", "avg"].includes(num.fn)));
}

/** "which ferns do we sell": they are plants, and no lines of invoices. */
function isOfDeeds(ask: Ask, leaves: readonly Leaf[], { grammar }: Weighed): boolean {
  const ds = ask.k === "list" ? grammar.datasetOf(ask.rel) : undefined;
  if (ds === undefined || !grammar.isEvent(ds)) return false;
  const [first] = leaves.toSorted((a, b) => a.start - b.start);
  const isOther = first?.sense.t === "cond" && !grammar.isEvent(first.sense.ds);
  const isVerb = ({ sense }: Leaf) => sense.t === "rel" && sense.verb !== undefined && sense.ds === ds;
  return isOther && leaves.some(isVerb);
}

/** "how many ferns did customers buy": ferns are counted, and not those who bought some. */
function isOfDoers(ask: Ask, leaves: readonly Leaf[], { all, grammar }: Weighed): boolean {
  const [num] = ask.k === "table" ? ask.cols : [];
  const ds =
    num?.k === "agg" && num.fn === "count" && num.in !== undefined ? grammar.datasetOf(num.in) : null;
  const counts = leaves.find(({ sense }) => sense.t === "op" && sense.op === "count");
  const asked = leaves.find(({ sense, start }) => start === counts?.end && sense.t === "cond");
  const isDid = asked !== undefined && DID.test(all[asked.end]?.norm ?? "");
  return ds !== null && isDid && asked.sense.t === "cond" && asked.sense.ds !== ds;
}

const DID = /^(did|do|does)$/;

/** Whether it gives an average that nobody asked for, where there is a sum of the same. */
function isMiddle(ask: Ask, { all, found, grammar }: Weighed): boolean {
  const isSaid =
    found.some(({ sense }) => sense.t === "op" && sense.op === "agg") ||
    all.some(({ norm }) => ONE.test(norm));
  const isAverage = (num: Num) =>
    num.k === "metric" && grammar.isAverage(num.name) && grammar.sumBeside(num.name) !== undefined;
  return !isSaid && ask.k === "table" && ask.cols.some(isAverage);
}
