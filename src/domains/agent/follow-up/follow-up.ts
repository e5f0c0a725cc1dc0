import { say } from "../explain/say.ts";
import { t } from "../explain/words.ts";
import { condsOf, isEqual } from "../query/parts.ts";
import { type Ask, type Cond, isKey } from "../query/semantic-query.ts";
import type { Clarification, Reading, Understanding } from "../understand/reading.ts";
import { oneOfThem } from "./answering.ts";
import { apply, type Change } from "./change.ts";
import { asksOf, type Context, isBroken, isCarried, keptOf } from "./context.ts";
import { areDated, BESIDE, beside, difference, exchanged, inTime, MINUS, WHICH_OF_TWO } from "./parts.ts";
import { pointingIn } from "./pointing.ts";
import { COUNTS, EXCLUDES, type How, PART, PREPOSITION, readChanges } from "./read-changes.ts";
import { countsThings, referentsOf } from "./referent.ts";
import { GREW, saidChanges } from "./said-changes.ts";
import { pointedTo, pointsIn, SHARE_OF, shareOf } from "./spoken-of.ts";
import { isTime, withNames, withTimes } from "./that-time.ts";
import { type chartWish, inContext, isGoingOn, isYielding, type Turn, turnOf } from "./turn.ts";

/** What was asked before, as it was understood. */
export interface Previous {
  ask: Ask;
  said: string;
  /** What was answered before that, the last first. */
  earlier?: readonly Ask[];
  /** The question that was asked back, where it answered that. */
  asked?: string | undefined;
  /** What was asked since, and refused. */
  refused?: readonly string[] | undefined;
}

/** What becomes of a question in a session. */
export type Followed =
  /** Without what only led to it. */
  | { k: "fresh"; text: string }
  | { k: "follows"; reading: Reading /** Whatever was refused since. */; isSure?: boolean }
  | { k: "asks"; question: Clarification }
  /** It hangs on what was said before, and what it makes of that could not be told: it is no question of its own. */
  | { k: "hangs"; missing: Understanding["missing"] };

/** What takes together, leaves out or brings back something that was said: nothing but a saying knows what. */
const TAKES_UP =
  /(?<!\p{L})(?:together|both|again|else|others?|rest|remaining|wieder|beide[nrsm]?|zusammen|andere[nrsm]?|übrigen?|restlichen?)(?!\p{L})/iu;
/** "growth of customers" says itself of what. */
const ITSELF = /^(?:growth|share|wachstum|anteil) (?:of|in|von|der|des) (?!(?:the )?(?:total|whole))/i;
/** Whoever asks who, what or how many names what is asked for; more words than "how many?" are a question. */
const OPENER =
  /^(?:show|list|give|name|find|which|whats?|who|whose|when|where|how|zeige?|liste|nenne|welche[rnms]?|was|wer|wann|wo|wie)\b/i;
/** "how many are new?", "which sold best?", "how many did we sell?": who or what, was said before. */
const SUBJECTLESS =
  /^(?:how many|wie viele)\s+(?:are|were|have|had|did|do|work|live|receive|bought|ordered|returned|paid|sind|waren|haben|hatten|wurden)\s+(?!there\b)\S|^(?:which|welche)\s+(?:are|were|is|was|has|have|sold|grew|sind|waren|ist|war)(?:\s+\S+){1,2}$/i;
/** "how does that compare with 2024", "compare it to the year before": only what it is compared with is said. */
const COMPARISON =
  /^(?:how (?:does|do|did|is|was) (?:that|this|it|they|those|these) compared?|compare (?:that|this|it|them|those|these)|(?:compare|compared?)|wie (?:ist|war|sieht) das|vergleiche? (?:das|es|sie)?) *(?:with|to|against|mit|zu|zum|im vergleich zu[mr]?|gegenüber) (?:dem |der )?(?<other>.+)$/i;
/** "and for how much in total?": money that whoever was spoken of paid. */
const FOR_HOW_MUCH = /^for how much(?: money)?/i;
/** "and how many in Spain?": of what was counted. */
const HOW_MANY = /^(?:how many|wie viele) (?=(?:in|from|at|with|for|aus|im|mit|bei|für)\s)/i;
/** "cancelled ones" are some of those before. */
const ONES = /\s+ones?$/i;

/** More words without any that go on are a question of their own. */
const MOST_WORDS = 5;
/** And behind a preposition these. */
const MOST_BEHIND = 4;
/** What has more words, goes on from something or asks for something answers nothing. */
const ANSWER_WORDS = 6;

/** Whether a text may be the answer to what was asked back. */
export function isAnswer(text: string): boolean {
  const turn = turnOf(text);
  const isLed = turn.said !== turn.plain && !turn.plain.startsWith(turn.said);
  return !isLed && !OPENER.test(turn.plain) && turn.plain.split(/\s+/).length <= ANSWER_WORDS;
}

/**
 * What was asked before, changed by what is said now: another grouping, period, condition, order or number, or
 * something else about the same. What points back or is a mere part of a sentence is never read as a whole question.
 */
export async function followUp(
  { text, chart }: ReturnType<typeof chartWish>,
  before: Previous | undefined,
  context: Context,
): Promise<Followed> {
  const turn = turnOf(text);
  const previous = before && {
    ...before,
    ask: inTime(before.ask),
    earlier: before.earlier?.map(inTime) ?? [],
  };
  if (previous === undefined || turn.marks.has("afresh")) {
    const pointing = pointsIn(turn.plain, context);
    const isPart = pointing !== undefined || EXCLUDES.test(turn.said);
    return !isPart || turn.marks.has("afresh") ? fresh(turn) : hangs(pointing?.text ?? turn.said);
  }
  const ranked = [previous.ask, ...(previous.earlier ?? [])].find(
    (each) => each.k === "table" && each.top !== undefined,
  );
  if (turn.marks.has("ranked") && ranked === undefined) return hangs(turn.plain);
  if (turn.marks.has("ranked") && ranked !== undefined && ranked !== previous.ask)
    return goneOn(turn, { ...previous, ask: ranked, said: say(ranked) }, context).then(
      (next) => next ?? hangs(turn.plain),
    );
  const { ask } = previous;
  if (turn.said === "") return (chart && follows(ask, previous, context)) ?? fresh(turn);
  const shown = await shownOtherwise(turn, previous, context);
  if (shown !== undefined && "question" in shown) return { k: "asks", question: shown };
  if (shown !== undefined) return follows(shown, previous, context) ?? hangs(turn.said);
  const timed = await withTimes(fullOf(turn.said, ask, context), ask, context);
  if ("open" in timed) return hangs(timed.open);
  const said = await withNames(timed.text, [ask, ...(previous.earlier ?? [])], context);
  const resolved = said === turn.said ? turn : { ...turn, text: said, said };
  // What was named by its place among what was answered ("the top one") is of that answer.
  const next = (await goneOn(resolved, previous, context, said !== timed.text)) ?? fresh(resolved);
  return next.k === "follows" && isSure(turn, previous.refused) ? { ...next, isSure: true } : next;
}

/** A text with what it leaves out. */
function fullOf(said: string, ask: Ask, { knowledge: { schema } }: Context): string {
  const [num] = ask.k === "table" ? ask.cols : [];
  const isCount = num !== undefined && (countsThings(num, schema) || (num.k === "agg" && num.fn === "count"));
  return (isCount ? said.replace(HOW_MANY, "") : said).replace(FOR_HOW_MUCH, "how much did these spend");
}

/** Whether what was refused since has no part in it: it was given up, or both only ask something of what was answered. */
function isSure(turn: Turn, refused: readonly string[] = []): boolean {
  const isAside = (text: string) => ASKS.test(text) && pointingIn(text) !== undefined && !/\d/.test(text);
  return refused.length > 0 && (isYielding(turn) || [turn.said, ...refused].every(isAside));
}

const ASKS = /(?<!\p{L})(?:how|what|which|who|whose|where|wie|was|welche\p{L}*|wer|wo)(?!\p{L})/iu;

/** What a turn makes of the query before; undefined where it is a question of its own. */
async function goneOn(
  turn: Turn,
  previous: Previous,
  context: Context,
  isBound = false,
): Promise<Followed | undefined> {
  const { ask, earlier: [last] = [] } = previous;
  const { said } = turn;
  const goesOn = isBound || isGoingOn(turn) || EXCLUDES.test(said) || COUNTS.test(said);
  const pointing = pointsIn(said, context);
  const { other } = COMPARISON.exec(said)?.groups ?? {};
  const isPart = other !== undefined || PART.test(said) || isBehind(said);
  const isSubjectless = SUBJECTLESS.test(said);
  const isHanging = pointing !== undefined || isPart || isSubjectless;
  const isSentence = OPENER.test(said) || ITSELF.test(said) || isLong(said);
  if (!isHanging && !isTime(said, context) && (isSentence || (!goesOn && (await isWhole(said, context))))) {
    // A whole question stands for itself, unless it says that it goes on; a number and nothing else is a part of one.
    const whole = goesOn || !isSentence ? await wholeIn(turn, goesOn, previous, context) : undefined;
    if (whole !== undefined || !goesOn) return whole;
  }
  // What is shared among what was answered is no share of anything else.
  const share = pointing && SHARE_OF.test(said) ? await shareOf(said, previous, context) : undefined;
  if (share !== undefined)
    return "question" in share
      ? { k: "asks", question: share }
      : (follows(share, previous, context) ?? hangs(said));
  if (pointing !== undefined && /(?<!\p{L})(?:share|percent\w*|%|anteil|prozent)(?!\p{L})/iu.test(said))
    return hangs(pointing.text);
  if (TAKES_UP.test(said) && pointing === undefined) return hangs(said);
  const isAbout = (pointing !== undefined && other === undefined) || isSubjectless;
  // What cannot be said of a comparison is said of what was compared.
  const changedOf = async (words: string, how: Turn) =>
    (await changed(words, how, ask, context)) ??
    (isCompared(ask) && last !== undefined ? changed(words, how, last, context) : undefined);
  const next = isAbout
    ? await pointedTo(said, pointing, previous, context)
    : await changedOf(other === undefined ? said.replace(ONES, "") : `compared to ${other}`, turn);
  if (next !== undefined && "question" in next) return { k: "asks", question: next };
  const made = next && follows(next, previous, context);
  if (made !== undefined) return made;
  if (!isHanging && (!goesOn || OPENER.test(said))) return undefined;
  // What nobody knows is told before what could not be put together.
  const unknown = pointing === undefined ? await unknownIn(said, context) : [];
  return unknown.length > 0 ? { k: "hangs", missing: unknown } : hangs(pointing?.text ?? said);
}

/** Whether it shows what lies between two periods. */
function isCompared(ask: Ask): boolean {
  return ask.k === "table" && ask.cols.length === 1 && ask.cols[0]?.k === "calc" && areDated(ask.cols);
}

function isBehind(said: string): boolean {
  return PREPOSITION.test(said) && said.split(/\s+/).length <= MOST_BEHIND;
}

function isLong(said: string): boolean {
  return !PREPOSITION.test(said) && said.split(/\s+/).length > MOST_WORDS;
}

/** A whole question, of its own or of what is spoken of. */
async function wholeIn(
  { said }: Turn,
  goesOn: boolean,
  previous: Previous,
  context: Context,
): Promise<Followed | undefined> {
  const whole = await inContext(said, previous.ask, goesOn, context);
  const one = whole && (await oneOfThem(whole.asks, context));
  if (one !== undefined && "question" in one) return { k: "asks", question: one };
  if (one === undefined || isEqual(one, whole?.own)) return undefined;
  return follows(one, previous, context);
}

/** How a fragment is meant, by the words around it. */
function howOf({ marks, said }: Turn): How {
  const limits = marks.has("among") || ONES.test(said);
  const how = { adds: marks.has("adds"), isInstead: marks.has("instead"), isLess: marks.has("limits") };
  return { ...how, ...(limits && { limits }) };
}

/** What was ranked, as those that were shown. */
async function amongShown(ask: Ask, context: Context): Promise<Ask> {
  if (ask.k === "list" || ask.top === undefined) return ask;
  const [set] = await referentsOf(ask, context);
  if (set === undefined) return ask;
  const known = condsOf(ask.scope?.if);
  const named = set.conds.filter((cond) => !known.some((other) => isEqual(cond, other)));
  const conds: Cond[] =
    set.of === undefined ? named : [{ k: "link", at: set.of.ds, path: [], to: set.of.rel }];
  const changes: Change[] = [{ k: "all" }, { k: "where", conds, excludes: false }];
  return apply(ask, changes, context.knowledge.schema) ?? ask;
}

/** The same rows in another order, fewer or more of them, their shares, or what the last two answers are apart. */
async function shownOtherwise(
  { said, plain }: Turn,
  { ask: before, earlier = [] }: Previous,
  context: Context,
): Promise<Ask | Clarification | undefined> {
  const isCarriedOn = (made: Ask | undefined) => made !== undefined && isCarried(made, context.knowledge);
  const two = WHICH_OF_TWO.exec(said)?.groups;
  // What was compared is shown beside each other, and not what came of that.
  const isOther = isCompared(before) && BESIDE.test(said);
  const [ask = before, last] = isOther ? earlier : [before, ...earlier];
  if (MINUS.test(said)) return [difference(ask, last)].find(isCarriedOn);
  const { percent } = GREW.exec(said)?.groups ?? { percent: said };
  const both = beside(ask, last);
  const isMeant =
    BESIDE.test(said) || two !== undefined || (percent === undefined && both?.[0]?.k === "become");
  const pair = isMeant ? both && madeOf(ask, both, context) : undefined;
  if (BESIDE.test(said)) return [pair].find(isCarriedOn);
  const place = two && (two.max === undefined ? "the lowest" : "the highest");
  for (const text of said === plain ? [place ?? said] : [place ?? said, plain]) {
    for (const from of pair === undefined ? [ask] : [pair, ask]) {
      const changes = await saidChanges(text, from, context);
      const made = changes && madeOf(from, changes, context);
      if (made !== undefined && isCarriedOn(made)) return made;
    }
  }
  return undefined;
}

/** A query with changes made to it, where nothing else of it is gone. */
function madeOf(ask: Ask, changes: readonly Change[], { knowledge: { schema } }: Context): Ask | undefined {
  const made = apply(ask, changes, schema);
  return made === undefined || isBroken(ask, made, changes, schema) ? undefined : made;
}

/** A query with what some words change of it, or which; undefined where that could not be told, or not all of it. */
async function changed(
  said: string,
  turn: Turn,
  before: Ask,
  context: Context,
): Promise<Ask | Clarification | undefined> {
  const how = howOf(turn);
  const ask = turn.marks.has("shown") ? await amongShown(before, context) : before;
  for await (const readings of readChanges(said, ask, how, context)) {
    const [changes] = readings;
    // What is told apart further is of those that were shown.
    const isGrouped = changes?.some(({ k }) => k === "group") === true && how.isInstead !== true;
    const shown = isGrouped ? await amongShown(ask, context) : ask;
    // Words that change nothing were not understood.
    const all = readings.flatMap((each) => (each.length === 0 ? [] : (madeOf(shown, each, context) ?? [])));
    const [made, ...rivals] = all;
    if (made === undefined || changes === undefined) continue;
    if (await isContradiction(made, ask, changes, context)) return undefined;
    return rivals.length === 0 ? made : oneOfThem([made, ...rivals], context);
  }
  return undefined;
}

/** Whether a condition more leaves nothing of what there was: then it was meant in the place of another. */
async function isContradiction(
  made: Ask,
  ask: Ask,
  changes: readonly Change[],
  { rows, knowledge }: Context,
): Promise<boolean> {
  const isMore = (cond: Cond) => cond.k !== "is" || exchanged(ask, cond) === undefined;
  const adds = changes.some(
    (change) => change.k === "where" && !change.excludes && change.conds.some(isMore),
  );
  if (!adds || !JSON.stringify(ask).includes('"values":') || !isCarried(made, knowledge)) return false;
  const isNone = (value: unknown) => value === null || value === 0 || value === undefined;
  return (await rows(made)).every((row) => made.k === "table" && row.slice(made.by.length).every(isNone));
}

/** A question of its own, without what only led to it. */
function fresh({ text, said, marks }: Turn): Followed {
  const isLed = !marks.has("instead") && !marks.has("adds") && [...marks].some((mark) => mark !== "shows");
  return { k: "fresh", text: isLed && said !== "" ? said : text };
}

function hangs(on: string): Followed {
  const span = { start: 0, end: on.length };
  return { k: "hangs", missing: [{ span, text: on, nearest: [], isKnown: true }] };
}

async function unknownIn(text: string, { read }: Context): Promise<Understanding["missing"]> {
  return (await read(text)).missing.filter(({ isKnown }) => isKnown !== true);
}

/** Whether a text is a question by itself: a name, a noun or a period alone is said of what was asked before. */
async function isWhole(text: string, context: Context): Promise<boolean> {
  const [best] = await asksOf(text, context);
  return best !== undefined && !isTime(text, context) && !(best.k === "list" && best.rel.k === "all");
}

/** A reading that says what it took over; undefined where the model cannot carry it. */
function follows(ask: Ask, { ask: before }: Previous, { knowledge }: Context): Followed | undefined {
  if (!isCarried(ask, knowledge)) return undefined;
  const kept = keptOf(before, ask).join(", ");
  const choice =
    kept === "" ? t`goes on from the question before` : t`kept from the question before: ${kept}`;
  const assumptions = [{ at: null, choice, others: [], isTheirs: true as const }];
  return { k: "follows", reading: { ask, cost: 0, said: `${say(ask)}${saidOrder(ask)}`, assumptions } };
}

/** In which order, where that was said. */
function saidOrder(ask: Ask): string {
  const [first] = ask.order ?? [];
  if (first === undefined || (!isKey(first.by) && ask.k === "table" && ask.top !== undefined)) return "";
  const [up, down] = isKey(first.by) ? ["from A to Z", "from Z to A"] : ["lowest first", "highest first"];
  return `, ${first.dir === "asc" ? up : down}`;
}

/** Where a question ends and something more is said of it. */
const SAYS_MORE =
  /^(?<head>.{8,}?)(?:[.?!;]\s+|\s+[-–]\s+|\s*\(|,\s+(?=(?:counting |but )?(?:only|just|excluding|without|not counting|ignoring|leav(?:e|ing) out)\b))(?<tail>[^.?!;()]{3,})[.?!)]*$/is;
const LEADS =
  /^(?:(?:please|but|and|counting|look(?:ing)? at|consider(?:ing)?|take|use|i mean|i\.e\.|meaning|that is|only|just)\b[\s,:]*)+/i;

/** A question and a sentence that limits it: "Which store grew most? Only those that opened before 2024." */
export async function saidInTwo(text: string, context: Context): Promise<Reading | undefined> {
  const { head, tail = "" } = SAYS_MORE.exec(text)?.groups ?? {};
  const [first] = head === undefined ? [] : await asksOf(head, context);
  if (head === undefined || first === undefined) return undefined;
  const said = tail.replace(LEADS, "").trim();
  const turn: Turn = { text: said, plain: said, said, marks: new Set(["among"]) };
  const ask = await changed(said, turn, first, context);
  if (ask === undefined || "question" in ask || isEqual(ask, first)) return undefined;
  const [reading] = (await context.read(head)).readings;
  return reading && { ...reading, ask, said: say(ask) };
}
