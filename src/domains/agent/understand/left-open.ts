import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Cond, Rel } from "../query/semantic-query.ts";
import type { Found } from "./candidates.ts";
import type { Leaf } from "./fragment.ts";
import type { Grammar } from "./grammar.ts";
import type { Language } from "./language.ts";
import type { Clarification } from "./reading.ts";
import type { Word } from "./words.ts";

/** A word that judges without a number: "best", or "top" where nothing is named that it could go by. */
export function judges(
  { norm, stem }: Word,
  at: number,
  found: readonly Found[],
  { evaluative }: Language,
): boolean {
  if (evaluative.has(norm) || evaluative.has(stem)) return true;
  const isPlace = ({ sense, start, end }: Found) =>
    sense.t === "sup" &&
    (sense.dim === null ? !sense.isCount : sense.dim === "big") &&
    start <= at &&
    at < end;
  return found.some(isPlace) && !found.some(({ sense }) => sense.t === "table" || sense.t === "worth");
}

/** "most successful" judges as a whole. */
export function judgedText(
  text: string,
  words: readonly Word[],
  at: number,
  found: readonly Found[],
): string {
  const whole = found.find(
    ({ sense, start, end }) => sense.t === "sup" && start <= at && at < end && end - start > 1,
  );
  const [first, last] = [words[whole?.start ?? at], words[(whole?.end ?? at + 1) - 1]];
  return text.slice(first?.start, last?.end);
}

export const NEW = /^(new|neue?[nrs]?)$/;
export const SINCE_WHEN = {
  question: "From which period is something new?",
  suggestions: ["in the last 30 days", "this quarter", "this year"],
};

/** Whether "new" stands before what is listed or counted, so that the period says what is new. */
export function isOfNew(
  at: number,
  found: readonly Found[],
  ask: Ask | undefined,
  grammar: Grammar,
): boolean {
  const num = ask?.k === "table" ? ask.cols[0] : undefined;
  const rel = ask?.k === "list" ? ask.rel : num?.k === "agg" ? num.in : undefined;
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
  words: readonly Word[],
  { ask, leaves }: { ask: Ask; leaves: readonly Leaf[] },
  { model, definitions }: Knowledge,
  grammar: Grammar,
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
  if (!isDated || isSaid || JSON.stringify(rel).includes('"k":"link"')) return undefined;
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
    ...(noun === undefined ? {} : { word: words[noun.start]?.text ?? "" }),
  };
}

export const WHICH_NUMBER = "Which number do you want to see?";

export function someMetrics({ model }: Knowledge): string[] {
  return model.metrics.slice(0, 5).map(({ name }) => name.replaceAll("_", " "));
}

/** What says when, where or of whom, and never how much. */
const CIRCUMSTANCES: ReadonlySet<string> = new Set(["window", "windows", "cond", "all", "number"]);
const LIGHT_OPS: ReadonlySet<string> = new Set(["prep", "and", "or", "how much"]);

/** "Outdoor last year": names and a period are known, but nothing says which number of them is wanted. */
export function namesNoNumber(found: readonly Found[], ask: Ask | undefined): boolean {
  if (ask?.k === "list" && isNameAlone(ask)) return true;
  const isNoun = found.some(({ sense }) => sense.t === "rel" && sense.form !== "name");
  if (isNoun) return false;
  // That something of this name was there in a period is no question.
  if (ask !== undefined) return ask.k === "list" && isNamedThen(ask.rel);
  const isCircumstance = ({ sense }: Found) =>
    CIRCUMSTANCES.has(sense.t) ||
    sense.t === "rel" ||
    (sense.t === "op" && (LIGHT_OPS.has(sense.op) || (sense.op === "agg" && sense.arg === "sum")));
  return found.some(({ sense }) => sense.t !== "op") && found.every(isCircumstance);
}

/** "how is the Alpine region doing": that it is called so was known. */
function isNameAlone({ rel, show }: Extract<Ask, { k: "list" }>): boolean {
  const [only, ...others] = show;
  if (
    others.length > 0 ||
    only?.path !== undefined ||
    rel.k !== "where" ||
    rel.in.k !== "all" ||
    rel.if.k !== "is"
  )
    return false;
  return rel.if.match === "equal" && rel.if.key.field === only?.field && rel.if.key.ds === only.ds;
}

function isNamedThen(rel: Rel): boolean {
  const conds: Cond[] = [];
  for (let each = rel; each.k === "where"; each = each.in) conds.push(each.if);
  return conds.some(({ k }) => k === "during") && conds.some(({ k }) => k === "is");
}
