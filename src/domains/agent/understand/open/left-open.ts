import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { hasKind, isSameField } from "../../query/parts.ts";
import type { Ask, Rel, Window } from "../../query/semantic-query.ts";
import type { Held } from "../account/hold.ts";
import { type Found, isOver } from "../candidates/candidates.ts";
import type { Said } from "../candidates/said.ts";
import type { Word } from "../languages/words.ts";
import { isEnd } from "../lexicon/deeds.ts";
import type { Clarification, Understanding } from "../reading.ts";
import type { Grammar } from "../rules/grammar.ts";
import { entitiesOf } from "../senses/conditions.ts";

/** A word that judges without a number: "best", or "top" where nothing is named that it could go by. */
export function judges(at: number, { all, found, language: { evaluative } }: Said): boolean {
  const { norm, stem } = all[at] as Word;
  if (evaluative.has(norm) || evaluative.has(stem)) return true;
  const isPlace = (each: Found) =>
    each.sense.t === "sup" &&
    (each.sense.dim === null ? !each.sense.isCount : each.sense.dim === "big") &&
    isOver(each, at);
  return found.some(isPlace) && !found.some(({ sense }) => sense.t === "table" || sense.t === "worth");
}

/** "most successful" judges as a whole. */
export function judgedText(at: number, { text, all, found }: Said): string {
  const isWhole = (each: Found) => each.sense.t === "sup" && isOver(each, at) && each.end - each.start > 1;
  const { start, end } = found.find(isWhole) ?? { start: at, end: at + 1 };
  return text.slice(all[start]?.start, all[end - 1]?.end);
}

export const NEW = /^(new|neue?[nrs]?)$/;
export const SINCE_WHEN = {
  question: "From which period is something new?",
  suggestions: ["in the last 30 days", "this quarter", "this year"],
};

/** Whether "new" stands before what is listed or counted, so that the period says what is new. */
export function isOfNew(at: number, ask: Ask | undefined, { found, grammar }: Said): boolean {
  const rel = ask === undefined ? undefined : entitiesOf(ask);
  const ds = rel === undefined ? undefined : grammar.datasetOf(rel);
  return found.some(
    ({ sense, start }) =>
      start === at + 1 &&
      sense.t === "rel" &&
      sense.ds === ds &&
      grammar.dimension(sense.ds, "date") !== undefined,
  );
}

/**
 * "customers in 2025": whether they joined then, were there or did something, nobody said. Undefined where the period
 * belongs to something that a word names.
 */
export function openPeriod(
  { ask, leaves }: Pick<Held, "ask" | "leaves">,
  { all, grammar, knowledge: { model, definitions } }: Said,
): Clarification | undefined {
  const num =
    ask.k === "table" && ask.by.every(({ bucket }) => bucket === undefined) ? ask.cols[0] : undefined;
  const rel = num?.k === "agg" && num.of === undefined ? num.in : undefined;
  const ds = rel === undefined ? undefined : grammar.datasetOf(rel);
  if (ask.k !== "table" || ds === undefined || grammar.isEvent(ds) || grammar.eventsOf(ds).length === 0)
    return undefined;
  const isDated = ask.scope?.win !== undefined && ask.scope.win.on === undefined;
  const isSaid = leaves.some(
    ({ sense }) =>
      sense.t === "table" || (sense.t === "field" && sense.key.ds === ds && grammar.isDate(sense.key)),
  );
  if (!isDated || isSaid || hasKind(rel, "link")) return undefined;
  const noun = leaves.find(({ sense }) => sense.t === "rel" && sense.ds === ds);
  const counted = definitions.counts
    .filter((each) => each.ds === ds)
    .map(({ phrase }) => phrase.toLowerCase());
  const metrics = model.metrics.filter(
    ({ name }) => grammar.isCalled(name, ds) && grammar.isCounting(name) === true,
  );
  return {
    question: `What do you mean by ${ds.replaceAll("_", " ")} in that period?`,
    suggestions: [...counted, ...metrics.map(({ name }) => name.replaceAll("_", " "))],
    ...(noun === undefined ? {} : { word: all[noun.start]?.text ?? "" }),
  };
}

/** "revenue without discounts": of what has none, or before it is taken off? Only where the number is made with it. */
export function openWithout(
  { ask, leaves }: Pick<Held, "ask" | "leaves">,
  { text, knowledge: { schema } }: Said,
): Clarification | undefined {
  if (ask.k === "list" || ask.scope?.if?.k !== "or" || ask.scope.if.of[0]?.k !== "null") return undefined;
  const { key } = ask.scope.if.of[0];
  const [num] = ask.cols;
  const { aggregates = [] } = (num?.k === "metric" && schema.metrics.get(num.name)?.formula) || {};
  const isMadeWith = aggregates.some(({ columns }) => columns.some((each) => isSameField(each, key)));
  const word = /\b(?:without|excluding|no|ohne)\s+(?:an?\s+|any\s+)?\p{L}+/iu.exec(text)?.[0];
  if (!isMadeWith || word === undefined || leaves.some(({ sense }) => sense.t === "sup")) return undefined;
  const field = key.field.replaceAll("_", " ");
  return {
    question: `Is what has no ${field} meant, or all of it before ${field}?`,
    suggestions: [`where ${field} is 0`, `before ${field}`],
    word,
    isName: true,
  };
}

export const WHICH_NUMBER = "Which number do you want to see?";

/** Of many, those that the question can be about are suggested. */
export function someMetrics({ model }: Knowledge): string[] {
  return model.metrics.slice(0, 20).map(({ name }) => name.replaceAll("_", " "));
}

/** What says when, where or of whom, and never how much. */
const CIRCUMSTANCES: ReadonlySet<string> = new Set("window,windows,cond,all,number,grain,role".split(","));
/** Words of grammar that do something to a number, and are none. */
const OPEN_OPS: ReadonlySet<string> = new Set(
  "prep,and,or,has,how much,count,agg,share,growth,by,compare them,versus".split(","),
);

/** "Outdoor last year", "average per customer": all is known, but nothing says which number of it is wanted. */
export function namesNoNumber(ask: Ask | undefined, { found, grammar }: Said): boolean {
  if (ask?.k === "list" && isNameAlone(ask)) return true;
  const isGroup = ({ start }: Found) =>
    found.some(({ sense, end }) => end === start && sense.t === "op" && sense.op === "by");
  // A "phone number of" somebody is no number of phones.
  const isKind = ({ sense, start }: Found) =>
    sense.t === "op" &&
    sense.op === "count" &&
    found.some((each) => each.end === start && each.sense.t === "cond");
  if (found.some(isKind)) return false;
  // Of entities there is a number, but it is not "how much".
  const isMoney = found.some(({ sense }) => sense.t === "op" && sense.op === "how much");
  const isNoun = (each: Found) =>
    each.sense.t === "rel" &&
    each.sense.form !== "name" &&
    !(ask === undefined && (isMoney || isGroup(each)));
  if (found.some(isNoun)) return false;
  // What was there in a period, of no matter what, is no question.
  if (ask !== undefined) return ask.k === "list" ? isOfPeriod(ask.rel) : isShareThen(ask, found, grammar);
  const isCircumstance = ({ sense }: Found) =>
    CIRCUMSTANCES.has(sense.t) ||
    sense.t === "rel" ||
    (sense.t === "field" && !grammar.isNumber(sense.key)) ||
    (sense.t === "op" && OPEN_OPS.has(sense.op));
  const isSome = found.some(({ sense }) => sense.t !== "op" || sense.op === "growth" || sense.op === "share");
  return isSome && found.every(isCircumstance);
}

/** "share of Berlin in 2025": of what was done then, and not of those who came then. */
function isShareThen(ask: Extract<Ask, { k: "table" }>, found: readonly Found[], grammar: Grammar): boolean {
  const [num] = ask.cols;
  const part = num?.k === "calc" && num.op === "/" && num.a.k === "agg" ? num.a.in : undefined;
  const ds = part === undefined ? undefined : grammar.datasetOf(part);
  if (ds === undefined || grammar.isEvent(ds) || grammar.eventsOf(ds).length === 0) return false;
  return found.some(({ sense }) => sense.t === "window") && !found.some(({ sense }) => sense.t === "table");
}

/** "how are we doing", whatever of: nothing in it can be measured. */
export function namesNoMeasure({ found, grammar }: Said): boolean {
  return !found.some(
    ({ sense }) =>
      sense.t === "table" || sense.t === "worth" || (sense.t === "field" && grammar.isNumber(sense.key)),
  );
}

/** "how is the Alpine region doing": that it is called so was known. */
function isNameAlone({ rel, show }: Extract<Ask, { k: "list" }>): boolean {
  const [only, ...others] = show;
  if (others.length > 0 || only?.path !== undefined) return false;
  const value = rel.k === "where" && rel.in.k === "all" && rel.if.k === "is" ? rel.if : undefined;
  return value?.match === "equal" && isSameField(value.key, only);
}

function isOfPeriod(rel: Rel): boolean {
  return rel.k === "where" && (rel.if.k === "during" || isOfPeriod(rel.in));
}

const WILL = /\b(?:will|gonna|going to|wird|werden)\b/i;
const PLANNED = /target|plan|goal|budget|forecast|ziel|soll/i;

/** "what will we sell next summer": of a period that is still to come only plans are known. */
export function stillToCome({
  text,
  all,
  found,
  question: { now },
}: Said): Understanding["missing"][number] | undefined {
  const isAhead = ({ from }: Window) => from !== null && from > now.slice(0, 10);
  const [first] = found.filter(({ sense }) => sense.t === "window");
  const areAhead = found.every(({ sense }) => sense.t !== "window" || isAhead(sense.win));
  if (first === undefined || !areAhead || !WILL.test(text) || PLANNED.test(text)) return undefined;
  const span = { start: all[first.start]?.start ?? 0, end: all[first.end - 1]?.end ?? 0 };
  return { span, text: text.slice(span.start, span.end), nearest: [] };
}

const COUNTS = /\b(?:how many|number of|wie ?viele|anzahl)(?!\p{L})/iu;
/** "did we have at the end of 2025", "hatten wir Ende 2025": how many there were then, whenever they came. */
const THERE_THEN =
  /\b(?:have|had|there (?:were|are|was)|(?:were|are|was) there|haben|hatten?|gab es|waren es)(?: (?:we|wir))?(?: (?:in total|altogether|overall|insgesamt))?,? (?:(?:at|by|as of|zum?|am) )?(?:the )?(?:very )?(?:(?:end|start|beginning|close) of|(?:jahres|monats|quartals)?(?:ende|anfang|beginn))(?!\p{L})/iu;
/** "had not cancelled by the end of 2025": of those who were there by then. */
const NOT_BY_THEN =
  /\b(?:had(?: still)? not|hadn['’]?t|hatten?\b.*\bnoch nicht)\b.*?\b(?:by|until|till|as of|at the end of|bis)\b/iu;

const NEWLY = /\b(?:new|neue?[nrs]?)\b/i;

/** How many there were at a date is another number than how many came in the days before it. */
export function atDate(said: Said): Understanding["missing"][number] | undefined {
  const { all, found } = said;
  const { text } = said.question;
  const [window] = found.filter(({ sense }) => sense.t === "window");
  if (window === undefined || !COUNTS.test(text) || NEWLY.test(text) || !lasts(said)) return undefined;
  const isTerm = window.sense.t === "window" && window.sense.win.from === null;
  if (!THERE_THEN.test(text) && !(isTerm && NOT_BY_THEN.test(text))) return undefined;
  const span = { start: all[window.start]?.start ?? 0, end: all[window.end - 1]?.end ?? 0 };
  const when = all
    .slice(window.start, window.end)
    .map((word) => word.text)
    .join(" ");
  return {
    span,
    text: `how many there were ${when}: only what happened in a period is counted`,
    nearest: [],
  };
}

/** Whether what is spoken of is there for a while: what only happened is of the days that it happened on. */
function lasts({ found, grammar, knowledge: { schema } }: Said): boolean {
  return found.some(({ sense }) => {
    if (sense.t !== "rel" || sense.form === "name") return false;
    const fields = [...(schema.datasets.get(sense.ds)?.fields.values() ?? [])];
    return !grammar.isEvent(sense.ds) || fields.some(({ name, kind }) => kind === "date" && isEnd(name));
  });
}

/** "joined and cancelled in 2025": the period is said once and holds for both; undefined where nothing is so. */
export function bothThen({ text, all, found, grammar }: Said): string | undefined {
  const datesAt = (i: number) =>
    found.flatMap(({ sense, start, end }) =>
      start === i && sense.t === "field" && sense.isDone === true && grammar.isDate(sense.key)
        ? [{ end, key: sense.key }]
        : [],
    );
  const isAnd = (i: number) =>
    found.some((each) => isOver(each, i) && each.sense.t === "op" && each.sense.op === "and");
  for (const i of all.keys()) {
    for (const first of datesAt(i)) {
      if (!isAnd(first.end)) continue;
      const from = first.end + (ALSO.test(all[first.end + 1]?.norm ?? "") ? 2 : 1);
      const second = datesAt(from).find(
        ({ key }) => key.ds === first.key.ds && key.field !== first.key.field,
      );
      const then = found.find(
        ({ sense, start }) =>
          sense.t === "window" && second !== undefined && WHEN.test(betweenIn(all, second.end, start)),
      );
      if (second === undefined || then === undefined) continue;
      const said = text.slice(all[second.end]?.start, all[then.end - 1]?.end);
      const at = all[first.end - 1]?.end ?? 0;
      return `${text.slice(0, at)} ${said}${text.slice(at)}`;
    }
  }
  return undefined;
}

const ALSO = /^(?:also|then|later|auch|dann|wieder)$/;
const WHEN = /^(?:|in|during|within|im)$/;

function betweenIn(all: Said["all"], start: number, end: number): string {
  return end < start
    ? "-"
    : all
        .slice(start, end)
        .map(({ norm }) => norm)
        .join(" ");
}
