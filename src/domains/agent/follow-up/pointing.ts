import { t } from "../explain/words.ts";
import { isSame } from "../phases/question.ts";
import { condsOf, datasetIn, nodesIn, relConds } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Cond, Hop, Key, Num, Rel, Window } from "../query/semantic-query.ts";
import type { Clarification } from "../understand/reading.ts";
import { asksOf, type Context, isCarried } from "./context.ts";
import { type List, narrowed, withConds } from "./parts.ts";
import { about, isCalled, isNameOf, isOf, keyOf, namesKey, type Referent, referentsOf } from "./referent.ts";

/** A word that stands for what was said before. */
export interface Pointing {
  start: number;
  end: number;
  text: string;
  /** `whose`: "their revenue"; `of`: "that category", with the noun; `it`: the word by itself. */
  k: "whose" | "of" | "it";
  noun?: string | undefined;
  /** It stands for one thing alone: "its", "that store". */
  isOne: boolean;
  /** It stands for as many: "the ten". */
  n?: number | undefined;
  isGerman: boolean;
}

const NUMBERS: readonly string[] =
  "zero one two three four five six seven eight nine ten null eins zwei drei vier fünf sechs sieben acht neun zehn".split(
    " ",
  );
/** "the ten" before a verb, or at the end; and as what its number is said. */
const MANY = `(?:the|those|these|die|diese)\\s+(?<n>${NUMBERS.join("|")}|\\d{1,2})(?=[?!.]*$|\\s+(?:make|made|have|had|do|did|are|were|bring|brought|spend|spent|account|together|sell|sold|buy|bought|order|ordered|place|placed|come|came|haben|hatten|machen|sind|waren|bringen|brachten|zusammen)(?!\\p{L}))`;

/** What has the form of a pointing word, and where it stands for one thing alone. */
const FORMS: readonly [Pointing["k"], RegExp, RegExp][] = [
  [
    "whose",
    /(?<!\p{L})(?:their|its|his|her|ihre?[nrms]?|deren|dessen|seine?[nrms]?)(?!\p{L})/giu,
    /^(?:its|his|her|dessen)/i,
  ],
  [
    "of",
    /(?<!\p{L})(?:that|this|those|these|(?:the )?same|diese[nrms]?|jene[nrms]?|dieselben?|derselben?|denselben|demselben)\s+(?:same\s+)?(?<noun>\p{L}[\p{L}-]*)/giu,
    /^th(?:at|is) /i,
  ],
  ["it", new RegExp(`(?<!\\p{L})${MANY}`, "giu"), /^$/],
  [
    "it",
    /(?<!\p{L})(?:they|them|themselves|it|he|she|him|(?:that|this) one|that|those|these|this|(?:which|the (?:first|second|third|other|others|last|next|same|\p{L}+est|(?:most|least) \p{L}+)) ones?|the ones?(?= (?:in|from|with|of|at|who|that)\b)|davon|darunter|dafür|darin|daran|denen|ihnen|sie|diese[nrms]?|das|dort|there|(?:die|der|den|dem|denen)(?=[?!.\s]*$))(?!\p{L})/giu,
    /^(?:it|he|she|him|der)$|(?<!^which )one$/i,
  ],
];
const GERMAN = /^(?:ihr|deren|dessen|sein|dies|jen|d[ae][rvfn]|ihn|sie|das|dort|demsel)/i;

/** What a period is called: "this year" is one of its own. */
const TIME =
  /^(?:years?|quarters?|months?|weeks?|days?|weekend|morning|evening|time|times|fiscal|calendar|period|half|season|jahre?s?|quartale?s?|monate?n?s?|wochen?|tage?[ns]?|zeit|zeitraum(?:s|es)?|geschäftsjahr(?:e?s)?)$/i;
/** What stands between a noun and a word that only takes it up again: "the stores and their managers". */
const BOUNDARY =
  /[,;:.!?()–]|\s-\s|(?<=\p{L}\s)(?:and|or|but|und|oder|aber|that|who|whom|whose|which|where|when|whether|than|as|mit|with|die|der|welche[rnms]?)\s|\p{L}ing\s/giu;
/** Words that name nothing, so that nothing before can be meant by them. */
const EMPTY = new Set(
  `and but or so now then ok okay please can could you i we me us show list give tell what which who whom whose how many much when
  where why is are was were be do does did has have had of for in on at by to from with about the a an all any both only just
  compare compared since until during per each no not also more than between total und aber oder jetzt dann bitte zeige zeig mir
  uns wir ich wie viele viel was wer wen welche welcher welches welchen wann wo warum ist sind war waren hat haben hatte hatten
  gab gibt es von für im in am an aus bei mit nach pro je zu zum zur der die das den dem des ein eine einen alle nur auch seit
  bis hoch groß gross lang alt long high big large old high average mean highest lowest most best worst durchschnittlich`.split(
    /\s+/,
  ),
);
/** Whether a word names nothing. */
function isEmpty(word: string): boolean {
  return EMPTY.has(word.toLowerCase());
}

/** Words after which "that" is no relative pronoun: "for that", "does that". */
const BEFORE_THAT =
  /(?:^|\b(?:is|are|was|were|do|does|did|of|for|about|with|to|by|from|than|in|on|at|like|after|before|has|have|had|compare|and|what|how))\s*$/i;
/** A German article has a noun behind it. */
const IS_PRONOUN =
  /^\s*(?:[?!.,]|$|(?:im|in|für|nach|pro|je|von|zum|zu|insgesamt|genau|so|alles|denn)(?!\p{L}))/iu;

/** The word of a question that points back to something that the question itself does not name. */
export function pointingIn(text: string, isNobody = (_: string) => false): Pointing | undefined {
  const found: Pointing[] = [];
  const taken: { start: number; end: number }[] = [];
  for (const [k, pattern, one] of FORMS) {
    for (const match of text.matchAll(pattern)) {
      const [word] = match;
      const { noun, n } = match.groups ?? {};
      const [start, end] = [match.index, match.index + word.length];
      const [before, after] = [text.slice(0, start), text.slice(end)];
      const isPart = taken.some((each) => each.start <= start && start < each.end);
      if (isPart || !(n !== undefined || POINTS[k](word, before, after, noun))) continue;
      if (k === "of" || n !== undefined) taken.push({ start, end });
      if (isTakenUp({ k, word, before, noun }, isNobody)) continue;
      const many =
        n === undefined ? {} : { n: /^\d/.test(n) ? Number(n) : NUMBERS.indexOf(n.toLowerCase()) % 11 };
      found.push({
        start,
        end,
        text: word,
        k,
        noun,
        isOne: one.test(word),
        isGerman: GERMAN.test(word),
        ...many,
      });
    }
  }
  return found.toSorted((a, b) => a.start - b.start)[0];
}

type Points = (word: string, before: string, after: string, noun: string | undefined) => boolean;

/** Whether what has the form of a pointing word is one. */
const POINTS: Record<Pointing["k"], Points> = {
  whose: (_, before, after) =>
    !/,\s*$|\b(?:könnt|habt|wollt|seid|seit)\s+$/i.test(before) && /^\s+\p{L}/u.test(after),
  // "that" behind a noun begins a clause.
  of: (word, before, _, noun = "") =>
    !isEmpty(noun) &&
    !/^ones?$/i.test(noun) &&
    !NUMBERS.includes(noun.toLowerCase()) &&
    (!/^that /i.test(word) || BEFORE_THAT.test(before)),
  it: (word, before, after) => {
    const low = word.toLowerCase();
    // "that of Colorado", "those who ordered" say themselves what they stand for.
    const isSaid = /^\s+(?:of|who|that|which|with|whose|where|having)\b/i.test(after);
    if (/^(?:that|those|these)$/.test(low) && isSaid) return false;
    if (/ one$/.test(low)) return true;
    if (low === "that" || low === "this") return BEFORE_THAT.test(before);
    if (low === "das") return IS_PRONOUN.test(after) && !/,\s*$/.test(before);
    // "are there", "there were" say that something is.
    if (low === "there")
      return (
        !/\b(?:is|are|was|were|be|been)\s*$/i.test(before) &&
        !/^\s*(?:is|are|was|were|has|have)\b/i.test(after)
      );
    // "does it take", "the year before it", "the bank wants it by noon: …": of nothing that was asked before.
    const isNothing = /^\s+(?:takes?|took|looks?|seems?)\b|:\s+\S+\s/i.test(after);
    if (low === "it") return !isNothing && !/\b(?:before|after)\s*$/i.test(before);
    // "Können Sie" is said to whoever is asked.
    return low !== "sie" || word === "sie" || before.trim() === "";
  },
};

/** Whether something is named before, in the same sentence and apart from what follows, that the word takes up. */
function isTakenUp(
  { k, word, before, noun = "" }: Pick<Pointing, "k" | "noun"> & { word: string; before: string },
  isNobody: (word: string) => boolean,
): boolean {
  if (k === "of") {
    const stem = noun.toLowerCase().replace(/(?:ies|y|es|s|en|n)$/, "");
    return (TIME.test(noun) && !/^(?:those|jene)/i.test(word)) || before.toLowerCase().includes(stem);
  }
  // "what river is the longest one" is of the rivers.
  const isOwned = k === "whose" || /ones$|est one$/i.test(word);
  const last = [...before.matchAll(BOUNDARY)].at(-1)?.index;
  const apart = isOwned ? before : before.slice(0, last ?? 0);
  const words = apart.toLowerCase().match(/\p{L}[\p{L}-]*/gu) ?? [];
  return words.some((each) => each.length > 1 && !isEmpty(each) && !TIME.test(each) && !isNobody(each));
}

/** A preposition belongs to what it stands before. */
const LOOSE = /\s*\b(?:of|for|about|with|to|by|from|in|on|at|behind|von|für|mit|bei|zu|hinter)\s*$/i;
/** "how many of them", "which of those", "how many are …": the noun is wanted there. */
const SLOT =
  /^(?<ask>(?:and |und )?(?:how many|which|who|wie viele|welche|wer))\s+(?:of (?:them|those|these)(?: \p{L}+(?= (?:is|are|has|have|had|was|were)\b))?|ones?|davon)?\s*(?<rest>.*)$/iu;
/** Readings that are tried; those behind them are hardly meant. */
const TRIED = 2;
/** More names than these are not offered. */
const OFFERED = 8;

/** A question about what was answered before, with that in the place of the word that points back to it. */
export async function pointed(
  text: string,
  pointing: Pointing | undefined,
  before: Ask,
  context: Context,
): Promise<Ask | Clarification | undefined> {
  // Whether something is so is no question for a number.
  if (IS_IT.test(text)) return undefined;
  const all = await referentsOf(before, context);
  const { noun } = pointing ?? {};
  const own = noun === undefined ? [] : all.filter((each) => isOf(noun, each, context.knowledge));
  // One is meant that was named, or those of that name that were counted.
  const isClear =
    keyOf(before) === undefined && (pointing?.isOne ? all.some(({ isNamed }) => isNamed) : own.length > 0);
  const sets = own.length > 0 ? own : all;
  if (
    !isClear &&
    (pointing?.k === "of" || (pointing?.isOne === true && keyOf(before)?.bucket === undefined))
  ) {
    const open = await choice(pointing, before, context);
    const name = open?.suggestions.find((each) => context.answers?.some((answer) => isSame(answer, each)));
    if (name !== undefined) return pointed(text, { ...pointing, isOne: false }, oneOf(before, name), context);
    // "which regions missed it" is about all of them.
    const isNamed = pointing.k === "it" && namesKey(text, before, context);
    if (open !== undefined) return open.suggestions.length === 0 || isNamed ? undefined : open;
  }
  // What is theirs is of those who were spoken of last; what is counted of them is of what was counted.
  const tried = pointing?.k === "whose" ? sets.toReversed() : sets;
  for (const referent of tried) {
    const made = await asked(text, pointing, referent, context);
    if (made !== undefined) return made;
  }
  return undefined;
}

async function asked(
  text: string,
  pointing: Pointing | undefined,
  referent: Referent,
  context: Context,
): Promise<Ask | undefined> {
  const { schema } = context.knowledge;
  const { of } = referent;
  const isNumber = ({ ds, field }: Key) => schema.datasets.get(ds)?.fields.get(field)?.kind === "number";
  const isOne = TOTAL.test(text) || IN_ALL.test(text) || OF_THEM.test(text);
  const set = isOne ? { ...referent, by: [] } : referent;
  for (const written of writtenOut(text, pointing, referent)) {
    const asks = (await asksOf(written, context)).slice(0, TRIED);
    const isNamed = of === undefined || written.includes(nounOf(of.ds));
    // An average of them is of each of these, and not of what they consist of.
    for (const ask of asks.toSorted((a, b) => Number(isOfRows(a, of?.ds)) - Number(isOfRows(b, of?.ds)))) {
      if (referent.isNamed && (ask.k === "table" || datasetIn(ask.rel) !== of?.ds)) continue;
      // Where they are not named, what is asked for is something else of theirs.
      if (!isNamed && !referent.isNamed && JSON.stringify(ask).includes(`{"k":"all","ds":"${of.ds}"}`))
        continue;
      if (ask.k === "list" && of !== undefined && !isAskedOf(ask, of.ds, text, schema)) continue;
      // What was told apart is not listed row by row, number after number.
      if (ask.k === "list" && set.by.length > 0 && ask.show.every(isNumber)) continue;
      if (ask.k === "table" && PLACE.test(text)) continue;
      if (of !== undefined && isByAccident(ask, of.ds, { text: textOf(text, pointing), written })) continue;
      const made = about(named(ask, text, context), set, schema, pointing?.k === "of");
      if (made !== undefined && isCarried(made, context.knowledge)) return made;
    }
  }
  return undefined;
}

/** "how are they doing", "where do they live" want more than their names, and nothing of anybody else. */
function isAskedOf({ show: [key, ...more] }: List, ds: string, text: string, schema: Schema): boolean {
  if (/^(?:how|wie)\b/i.test(text)) return false;
  const isName = key !== undefined && more.length === 0 && isNameOf(key, schema);
  if (isName && key.ds === ds && /^(?:what|was)\b/i.test(text)) return false;
  return !PLACE.test(text) || (!isName && key?.ds === ds);
}

/** "employees of the stores", "which agent is on it", where nothing but their orders links them, and nobody spoke of these. */
function isByAccident(ask: Ask, ds: string, { text, written }: { text: string; written: string }): boolean {
  const isGlued = GLUED.test(written.slice(0, -nounOf(ds).length)) && written.endsWith(nounOf(ds));
  const words = (text.match(/\p{L}+/gu) ?? []).filter((word) => !isEmpty(word));
  if (!isGlued && words.length > 1) return false;
  const paths = nodesIn(ask).flatMap(({ k, path, to }) =>
    k === "link" && datasetIn(to as Rel) === ds && relConds(to as Rel).length === 0
      ? [path as readonly Hop[]]
      : [],
  );
  return paths.some((path) => new Set(path.map(({ dir }) => dir)).size > 1);
}

/** Whether it averages rows of another dataset. */
function isOfRows(ask: Ask, ds: string | undefined): boolean {
  const [num] = ask.k === "table" ? ask.cols : [];
  return num?.k === "agg" && num.fn === "avg" && num.of !== undefined && num.of.ds !== ds;
}

/** Without the word that points back. */
function textOf(text: string, pointing: Pointing | undefined): string {
  return pointing === undefined ? text : `${text.slice(0, pointing.start)} ${text.slice(pointing.end)}`;
}

const GLUED = /(?:of the|in the|von|in|with) $/;

function nounOf(ds: string): string {
  return ds.replaceAll("_", " ");
}

const IS_IT =
  /^(?:do|does|did|is|are|was|were|has|have|had|sind|ist|haben|hat|war|waren) (?:they|it|those|these|that|he|she|sie|er|es|die|das|diese)(?!\p{L})/iu;
const PLACE = /^(?:where|wo|when|wann)\b/i;
/** "how many orders was that?" is one number, whatever it was told apart by. */
const IN_ALL = /(?<!\p{L})(?:that|this|it|das)$|^how (?:many|much)\b.*(?<!\p{L})(?:these|those)$/iu;

const OF_THEM =
  /^(?:how many|wie viele) (?:of (?:them|those|these)|davon|von (?:ihnen|denen|diesen))(?!\p{L})/iu;

/** Whoever asks which of them, or where and when each of them is, wants their names as well. */
function named(ask: Ask, text: string, { knowledge: { schema } }: Context): Ask {
  if (ask.k === "table" || !/^(?:which|who|when|where|welche|wer|wann|wo)\b/i.test(text)) return ask;
  const ds = datasetIn(ask.rel);
  const field = ds === undefined ? undefined : schema.datasets.get(ds)?.nameField;
  if (ds === undefined || field == null || ask.show.some((key) => isNameOf(key, schema))) return ask;
  return { ...ask, show: [{ ds, field }, ...ask.show] };
}

const TOTAL = /\b(?:total|overall|in all|altogether|insgesamt|zusammen)\b/i;
/** Which one is meant, where there are several; undefined where it is clear. */
async function choice(
  { text, noun, isOne }: Pointing,
  ask: Ask,
  { rows, knowledge }: Context,
): Promise<Clarification | undefined> {
  const key = keyOf(ask);
  const none = { question: t`What is meant by "${text}"?`, suggestions: [], word: text };
  if (key === undefined || (noun !== undefined && !isCalled(noun, key, knowledge))) return none;
  if (!isOne) return undefined;
  const names = (await rows(ask)).map(([name]) => name).filter((name) => typeof name === "string");
  if (names.length === 1) return undefined;
  return { ...none, suggestions: names.length > OFFERED ? [] : names, isName: true };
}

/** What was answered before, of one of them alone. */
function oneOf(ask: Ask, name: string): Ask {
  const key = keyOf(ask);
  if (key === undefined) return ask;
  const cond: Cond = { k: "is", key, values: [name], match: "equal" };
  if (ask.k === "list") return { ...ask, rel: narrowed(ask.rel, [cond]) };
  const { having: _, ...table } = withConds(ask, [...condsOf(ask.scope?.if), cond]);
  // What is limited to one is what is meant.
  return { ...table, top: { n: 1, by: ask.cols[0] as Num, dir: "max", ties: "cut" } };
}

/** The question in the ways in which it names what it is about, or nothing at all. */
function writtenOut(text: string, pointing: Pointing | undefined, { of }: Referent): string[] {
  const noun = of && nounOf(of.ds);
  const { ask, rest = "" } = SLOT.exec(text)?.groups ?? {};
  const isSlot = ask !== undefined && (pointing === undefined || pointing.end <= text.length - rest.length);
  // "which of these channels" names them itself.
  const inSlot =
    isSlot && noun !== undefined
      ? [`${ask} ${noun} ${rest}`]
      : isSlot && pointing?.k === "of"
        ? [`${ask} ${pointing.noun} ${rest}`]
        : [];
  // Whoever asks which or how many of them means these, and nothing else of theirs.
  if (pointing === undefined || (inSlot.length > 0 && noun !== undefined)) return inSlot;
  const [head, tail] = [text.slice(0, pointing.start), text.slice(pointing.end)];
  const dropped = `${head.replace(LOOSE, "")}${tail}`.replaceAll(/\s+/g, " ").trim();
  if (noun === undefined) return pointing.k === "whose" ? [`${head}${tail}`] : [...inSlot, dropped];
  const owned = pointing.isGerman ? `von ${noun}` : `of the ${noun}`;
  if (pointing.k === "whose") return [`${head}${tail} ${owned}`, `${head}${tail}`];
  if (/^(?:there|dort)$/i.test(pointing.text))
    return [`${dropped} ${pointing.isGerman ? "in" : "in the"} ${noun}`, dropped];
  if (/st (?:\p{L}+ )?ones?$/iu.test(pointing.text))
    return [`${head}${pointing.text.replace(/ones?$/, noun)}${tail}`];
  return [...inSlot, `${head}the ${noun}${tail}`, `${dropped} ${owned}`, `${dropped} with ${noun}`, dropped];
}

/** The year that a window is. */
export function yearOf({ from, to }: Pick<Window, "from" | "to">): string | undefined {
  const year = from?.slice(0, 4) ?? "";
  return from === `${year}-01-01` && to === `${Number(year) + 1}-01-01` ? year : undefined;
}

export function days({ from, to }: Window): number {
  return (Date.parse(to ?? "") - Date.parse(from ?? "")) / 86_400_000;
}

/** From its first to its last day. */
export function spanOf({ from, to }: Pick<Window, "from" | "to">): string {
  return `${(from ?? "").slice(0, 10)} to ${lastDay(to) ?? ""}`;
}

export function lastDay(to: string | null): string | undefined {
  if (to === null) return undefined;
  const last = new Date(`${to.slice(0, 10)}T00:00:00Z`);
  last.setUTCDate(last.getUTCDate() - 1);
  return last.toISOString().slice(0, 10);
}
