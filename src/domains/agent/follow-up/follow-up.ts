import { say } from "../explain/say.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { isSame } from "../phases/chosen.ts";
import { WHICH_READING } from "../phases/refuse.ts";
import { condsOf, isEqual } from "../query/parts.ts";
import { type Ask, type Cond, isKey } from "../query/semantic-query.ts";
import { GLOSSARY } from "../understand/languages/german/glossary.ts";
import { foldGerman, stemGerman } from "../understand/languages/german/stem.ts";
import { phraseKey } from "../understand/languages/words.ts";
import type { Clarification, Reading, Understanding } from "../understand/reading.ts";
import { apply, type Change } from "./change.ts";
import type { chartWish } from "./chart-wish.ts";
import { asksOf, type Context, isCarried, tablesOf } from "./context.ts";
import { exchanged } from "./parts.ts";
import { pointed } from "./pointed.ts";
import { type Pointing, pointingIn } from "./pointing.ts";
import { COUNTS, EXCLUDES, type How, PART, PREPOSITION, readChanges } from "./read-changes.ts";
import { namesKey, referentsOf } from "./referent.ts";
import { saidChanges } from "./said-changes.ts";

/** What was asked before, as it was understood. */
export interface Previous {
  ask: Ask;
  said: string;
}

/** What becomes of a question in a session. */
export type Followed =
  | { k: "fresh" }
  | { k: "follows"; reading: Reading }
  | { k: "asks"; question: Clarification }
  /** It hangs on what was said before, and what it makes of that could not be told: it is no question of its own. */
  | { k: "hangs"; missing: Understanding["missing"] };

const FRESH: Followed = { k: "fresh" };

/** Words with which people go on from what was said; what they add follows. */
const GOES_ON =
  /^(?:(?:and|but|now|then|ok|okay|or|so|no|nein|sorry|actually|und|aber|jetzt|dann|oder|i mean(?:t)?|i want(?:ed)?|rather|ich mein(?:t)?e|eigentlich|lieber)(?!\p{L})[\s,]*)*(?:(?:what|how) about\b|was ist mit\b|wie (?:ist|war|sieht) es (?:mit|aus mit|bei)\b|(?:the )?same(?: thing)?(?: again)?(?: for| but)?\b(?! (?:period|time|month|quarter|week|year|zeitraum))|dasselbe\b|das gleiche\b|instead(?! of)\b|stattdessen\b|(?:can you |could you )?(?:also|auch)\b(?: (?:show|add|include|zeige?)(?: me| mir)?\b)?|(?:add|include)\b|only\b|just\b|nur\b|please\b|bitte\b|show (?:it|that|this|them|me)\b|zeige? (?:es|das|mir)\b|(?:break|split)(?: (?:it|that|this|them)(?! one))?(?: down| up)?\b|broken down\b|aufgeteilt\b|(?:how (?:much|many)|wie viele?)(?= (?:per|by|each|pro|je)\b)|of (?:them|those|these)\b|davon\b|darunter\b)?[\s,]*/iu;
/** Words behind what is changed that only say that it is. */
const ENDS = /[\s,]+(?:instead|stattdessen|too|as well|also|please|bitte|dazu|zusätzlich|again|then)$/iu;
const INSTEAD = /\s+(?:instead of|rather than|(?:an)?statt)\s+.+$/iu;
/** "of those, how many …" */
const OF_THOSE =
  /^(?:and |und )?(?:of|von) (them|those|these|denen|diesen),? (how many|which|wie viele|welche) /i;
const THAT_ONE = /^((?:and )?(?:break|split)) (?:that|this) one\b/i;
/** "not Germany but Austria" */
const NOT_BUT = /^(?:no,? |nein,? )?(?:not|nicht) .+?,? (?:but|sondern) (?:in |for |für )?/i;
/** "only those of Kitchen": some of those that were shown. */
const AMONG =
  /^((?:and |but |und )?(?:only|just|nur|what about|how about) )(?:those|these|the ones|die|diejenigen) (?=(?:of|in|from|with|at|aus|mit|von)\b)/i;
/** What takes together, leaves out or brings back something that was said: nothing but a saying knows what. */
const TAKES_UP =
  /(?<!\p{L})(?:together|both|again|else|others?|rest|remaining|wieder|beide[nrsm]?|zusammen|andere[nrsm]?|übrigen?|restlichen?)(?!\p{L})/iu;
/** "growth of customers" says itself of what. */
const ITSELF = /^(?:growth|share|wachstum|anteil) (?:of|in|von|der|des) (?!(?:the )?(?:total|whole))/i;
/** Asks for something to be shown, and not for a change of what was. */
const SHOWS = /\b(?:show me|zeige? mir)\b/i;
/** Whoever asks who, what or how many names what is asked for; more words than "how many?" are a question. */
const OPENER =
  /^(?:show|list|give|name|find|which|what|who|whose|when|where|how|zeige?|liste|nenne|welche[rnms]?|was|wer|wann|wo|wie)\b/i;
const ADDS =
  /\b(?:also|too|as well|additionally|in addition|add|include|broken down|break|split|auch|zusätzlich|dazu|aufgeteilt)\b/i;
/** "how many are new?", "which sold best?": who, was said before. */
const SUBJECTLESS =
  /^(?:how many|wie viele)\s+(?:are|were|have|had|did not|didn't|do not|work|live|receive|bought|ordered|returned|paid|sind|waren|haben|hatten|wurden)\s+(?!there\b)\S|^(?:which|welche)\s+(?:are|were|is|was|has|have|sold|grew|sind|waren|ist|war)(?:\s+\S+){1,2}$/i;
/** "which region is worst?": by what was just shown of the regions. */
const WHICH =
  /^(?:which|what|welche[rs]?)(?: of (?:them|those|these))? (?<noun>\p{L}+)(?: (?:is|was|are|were|has|had|did|does|performed|ist|war|sind|hat|hatte))?(?: am)? (?<place>(?:the |die |der |das )?\p{L}+)$/iu;
/** "how does that compare with 2024", "compare it to the year before": only what it is compared with is said. */
const COMPARISON =
  /^(?:and |und )?(?:how (?:does|do|did|is|was) (?:that|this|it|they|those|these) compared?|compare (?:that|this|it|them|those|these)|(?:compare|compared?)|wie (?:ist|war|sieht) das|vergleiche? (?:das|es|sie)?) *(?:with|to|against|mit|zu|zum|im vergleich zu[mr]?|gegenüber) (?:dem |der )?(?<other>.+)$/i;

/** More words without any that go on are a question of their own. */
const MOST_WORDS = 5;
/** And behind a preposition these. */
const MOST_BEHIND = 4;
/** What has more words, goes on from something or asks for something answers nothing. */
const ANSWER_WORDS = 6;

/** A text without the words that only say that something is changed. */
function told(text: string, isOne = false) {
  const plain = text
    .replace(/[?!.\s]+$/, "")
    .replace(OF_THOSE, "$2 of $1 ")
    .replace(NOT_BUT, "rather ")
    .replace(AMONG, "$1")
    .replace(THAT_ONE, isOne ? "$1 it" : "$&")
    .trim();
  const lead = GOES_ON.exec(plain)?.[0] ?? "";
  const said = plain.slice(lead.length).trim();
  const rest = said.replace(INSTEAD, "").replace(ENDS, "").trim();
  const isChange = lead.replace(SHOWS, "").trim() !== "" || rest !== said;
  return { plain, lead, rest, goesOn: isChange || EXCLUDES.test(rest) || COUNTS.test(plain) };
}

/** Whether a text may be the answer to what was asked back. */
export function isAnswer(text: string): boolean {
  const { plain, lead } = told(text);
  return lead.trim() === "" && !OPENER.test(plain) && plain.split(/\s+/).length <= ANSWER_WORDS;
}

/**
 * What was asked before, changed by what is said now: another grouping, period, condition, order or number, or
 * something else about the same. What points back or is a mere part of a sentence is never read as a whole question.
 */
export async function followUp(
  { text, chart }: ReturnType<typeof chartWish>,
  previous: Previous | undefined,
  context: Context,
): Promise<Followed> {
  const isOne = previous?.ask.k === "table" && previous.ask.top?.n === 1;
  const { plain, lead, rest, goesOn } = told(text, isOne);
  const pointing = pointingIn(plain, (word) => isNumber(word, context.knowledge));
  if (previous === undefined) return pointing === undefined ? FRESH : hangs(pointing.text);
  const { ask } = previous;
  if (rest === "" && chart !== undefined) return follows(ask, previous, context) ?? FRESH;
  const shown = await shownOtherwise([rest, plain], ask, context);
  if (shown !== undefined) return follows(shown, previous, context) ?? hangs(rest);

  const { other } = COMPARISON.exec(plain)?.groups ?? {};
  const words = rest.split(/\s+/).length;
  const isShare = PART.test(rest);
  const isPart = other !== undefined || isShare || (PREPOSITION.test(rest) && words <= MOST_BEHIND);
  const isSubjectless = SUBJECTLESS.test(rest);
  const isHanging = pointing !== undefined || isPart || isSubjectless;
  // A sentence of its own is one also where it cannot be answered.
  const isLong = !PREPOSITION.test(rest) && words > MOST_WORDS;
  const isSentence = OPENER.test(plain) || ITSELF.test(plain) || isLong;
  const definite = pointing === undefined ? await sameOf(plain, ask, context) : undefined;
  if (definite !== undefined) return follows(definite, previous, context) ?? FRESH;
  if (!goesOn && !isHanging && (isSentence || (await isWhole(text, context)))) return FRESH;

  // What is shared among what was answered is no share of anything else.
  if (pointing !== undefined && /(?<!\p{L})(?:share|percent\w*|%|anteil|prozent)(?!\p{L})/iu.test(rest))
    return hangs(pointing.text);
  if (TAKES_UP.test(plain.slice(lead.length)) && pointing === undefined) return hangs(rest);
  // "of them", "show it" only lead to what is changed.
  const isLed = pointing !== undefined && lead.toLowerCase().includes(pointing.text.toLowerCase());
  const isAbout = (pointing !== undefined && other === undefined && !isLed) || isSubjectless;
  const how: How = {
    adds: ADDS.test(text),
    isInstead: INSTEAD.test(plain) || /\b(?:instead|stattdessen)\b/i.test(plain),
    ...((isLed && OF.test(lead)) || ONES.test(rest) || AMONG.test(text) ? { limits: true } : {}),
  };
  const said = other === undefined ? rest.replace(ONES, "") : `compared to ${other}`;
  const start = isLed ? 0 : lead.length;
  const next = isAbout
    ? await pointed(plain.slice(start), pointing && shifted(pointing, start), ask, context)
    : await changed(said, AMONG.test(text) ? await amongShown(ask, context) : ask, how, context);
  if (next !== undefined && "question" in next) return { k: "asks", question: next };
  const made = next && follows(next, previous, context);
  if (made !== undefined) return made;
  if (!isHanging && (!goesOn || OPENER.test(rest))) return FRESH;
  // What nobody knows is told before what could not be put together.
  const unknown = pointing === undefined ? await unknownIn(rest, context) : [];
  return unknown.length > 0 ? { k: "hangs", missing: unknown } : hangs(pointing?.text ?? rest);
}

const OF = /\b(?:of (?:them|those|these)|davon|darunter)\b/i;
/** "cancelled ones" are some of those before. */
const ONES = /\s+ones$/i;

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

function shifted(pointing: Pointing, by: number): Pointing {
  return { ...pointing, start: pointing.start - by, end: pointing.end - by };
}

/** Whether a word is what a number is called, which has nothing of its own. */
function isNumber(word: string, { model }: Knowledge): boolean {
  const german = GLOSSARY.get(stemGerman(foldGerman(word))) ?? [];
  const called = [phraseKey(word), ...german.map(({ stems }) => stems)];
  return model.metrics.some(({ name, ai }) =>
    [name, ...ai.synonyms].some((each) => called.includes(phraseKey(each))),
  );
}

/** "what's the cancellation rate?" is that of what is spoken of: whoever says nothing else of it takes the rest over. */
const DEFINITE =
  /^(?:and |und )?(?:what(?:['’]s| is| was| are| were)|wie (?:hoch|groß) (?:ist|war)) (?:the|der|die|das) (?<what>(?!.*\b(?:total|overall|all|gesamt)\b)[\p{L} -]+)$/iu;

async function sameOf(text: string, ask: Ask, context: Context): Promise<Ask | undefined> {
  const { what } = DEFINITE.exec(text)?.groups ?? {};
  if (what === undefined || ask.k === "list" || ask.top !== undefined) return undefined;
  const [table] = await tablesOf(what, context);
  const isPlain = table?.by.length === 0 && table.scope?.if === undefined && table.scope?.win === undefined;
  if (table === undefined || !isPlain || table.cols.some(({ k }) => k !== "metric")) return undefined;
  return apply(ask, [{ k: "number", cols: table.cols, adds: false }], context.knowledge.schema);
}

/** The same rows in another order, fewer or more of them, or their shares. */
async function shownOtherwise(texts: string[], ask: Ask, context: Context): Promise<Ask | undefined> {
  const { noun = "", place = "" } = WHICH.exec(texts[0] ?? "")?.groups ?? {};
  const isShown = /^(?:one|ones|is|was|are)$/i.test(noun) || namesKey(noun, ask, context);
  for (const text of isShown ? [...texts, place] : texts) {
    const changes = await saidChanges(text, ask, context);
    const made = changes && apply(ask, changes, context.knowledge.schema);
    if (made !== undefined && isCarried(made, context.knowledge)) return made;
  }
  return undefined;
}

/** A query with what some words change of it, or which; undefined where that could not be told, or not all of it. */
async function changed(
  said: string,
  ask: Ask,
  how: How,
  context: Context,
): Promise<Ask | Clarification | undefined> {
  for await (const readings of readChanges(said, ask, how, context)) {
    const [changes] = readings;
    // What is told apart further is of those that were shown.
    const isGrouped = changes?.some(({ k }) => k === "group") === true && how.isInstead !== true;
    const before = isGrouped ? await amongShown(ask, context) : ask;
    const all = readings.flatMap((each) => {
      // Words that change nothing were not understood.
      const made = each.length === 0 ? undefined : apply(before, each, context.knowledge.schema);
      return made === undefined ? [] : [made];
    });
    const [made, ...rivals] = all;
    if (made === undefined || changes === undefined) continue;
    if (await isContradiction(made, ask, changes, context)) return undefined;
    return rivals.length === 0 ? made : oneOfThem([made, ...rivals], context);
  }
  return undefined;
}

/** The one that was chosen, or the first where all give the same; else it is asked. */
async function oneOfThem(
  all: readonly Ask[],
  { rows, knowledge, answers = [] }: Context,
): Promise<Ask | Clarification> {
  const carried = all.filter((ask) => isCarried(ask, knowledge));
  const chosen = carried.find((ask) => answers.some((answer) => isSame(answer, say(ask))));
  const [first = all[0] as Ask, ...others] = carried;
  if (chosen !== undefined || others.length === 0) return chosen ?? first;
  const results = await Promise.all(carried.map(async (ask) => JSON.stringify(await rows(ask))));
  const isOne = results.every((each) => each === results[0]);
  return isOne
    ? first
    : { question: WHICH_READING, suggestions: carried.map((ask) => say(ask)), wants: "choice" };
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

function hangs(on: string): Followed {
  const span = { start: 0, end: on.length };
  return { k: "hangs", missing: [{ span, text: on, nearest: [], isKnown: true }] };
}

async function unknownIn(text: string, { read }: Context): Promise<Understanding["missing"]> {
  return (await read(text)).missing.filter(({ isKnown }) => isKnown !== true);
}

async function isWhole(text: string, { read, dates }: Context): Promise<boolean> {
  const { readings, missing, unclear } = await read(text);
  // A word that leaves the number open is said of the one before: "growth".
  const isPeriod = dates(text).some(
    ({ start, end }) => end - start >= text.trim().replace(/\W+$/, "").length,
  );
  const isOpen = unclear.length > 0 && /\s/.test(text.trim()) && !isPeriod;
  return (readings.length > 0 && missing.length === 0 && unclear.length === 0) || isOpen;
}

/** A reading that says what it took over; undefined where the model cannot carry it. */
function follows(ask: Ask, { said }: Previous, { knowledge }: Context): Followed | undefined {
  if (!isCarried(ask, knowledge)) return undefined;
  const choice = `carried over from the question before: ${said}`;
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
  const ask = await changed(tail.replace(LEADS, "").trim(), first, { adds: false, limits: true }, context);
  if (ask === undefined || "question" in ask || isEqual(ask, first)) return undefined;
  const [reading] = (await context.read(head)).readings;
  return reading && { ...reading, ask, said: say(ask) };
}
