import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { bare, datasetIn, isEqual, nodesIn, relConds } from "../query/parts.ts";
import type { Ask } from "../query/semantic-query.ts";
import { GLOSSARY } from "../understand/languages/german/glossary.ts";
import { foldGerman, stemGerman } from "../understand/languages/german/stem.ts";
import { phraseKey } from "../understand/languages/words.ts";
import type { Clarification } from "../understand/reading.ts";
import { oneOfThem, whether } from "./answering.ts";
import { apply } from "./change.ts";
import { type Context, numberIn } from "./context.ts";
import type { Previous } from "./follow-up.ts";
import { type Pointing, pointed, pointingIn } from "./pointing.ts";
import { keyOf, referentsOf } from "./referent.ts";
import { without } from "./that-time.ts";

/** What points back; "this March" is a date. */
export function pointsIn(text: string, context: Context): Pointing | undefined {
  const windows = context
    .dates(text)
    .filter(({ kind }) => kind === "window")
    // "in den letzten 30 Tagen": the article is no pronoun.
    .map(({ start, end }) => ({ start: text.slice(0, start).replace(ARTICLE, "").length, end }));
  return pointingIn(without(text, windows), (word) => isNumberName(word, context.knowledge));
}

const ARTICLE = /(?<!\p{L})(?:der|die|das|den|dem|des)\s+$/iu;

/** Whether a word is what a number is called, which has nothing of its own. */
function isNumberName(word: string, { model }: Knowledge): boolean {
  const german = GLOSSARY.get(stemGerman(foldGerman(word))) ?? [];
  const called = [phraseKey(word), ...german.map(({ stems }) => stems)];
  return model.metrics.some(({ name, ai }) =>
    [name, ...ai.synonyms].some((each) => called.includes(phraseKey(each))),
  );
}

/**
 * Of what was answered: of that which is called so or was as many, else of what was answered last, else, where that is
 * confirmed, of what was before. Where some of a set were counted last, those or all of them may be meant.
 */
export async function pointedTo(
  said: string,
  pointing: Pointing | undefined,
  { ask, earlier = [] }: Previous,
  context: Context,
): Promise<Ask | Clarification | undefined> {
  const word = pointing && (await asVerb(pointing, context));
  const asks = word?.n === undefined ? [ask, ...earlier] : await asMany(word.n, [ask, ...earlier], context);
  const [first, ...others] = asks;
  const now = first && (await pointed(said, word, first, context));
  // "those" are the last that were spoken of, and "they" may be others.
  const isMany =
    word?.k !== "of" && word?.isOne === false && word.n === undefined && !/^th[eo]se$/i.test(word.text);
  const [last] = others;
  if (now !== undefined) {
    const isAll = isMany && last !== undefined && (await isSome(ask, last, context));
    const whole = isAll ? last : isMany ? await doersOf(ask, others, context) : undefined;
    if ("question" in now || whole === undefined) return now;
    const all = await pointed(said, word, whole, context);
    return all === undefined || "question" in all ? now : oneOfThem([all, now], context);
  }
  for (const before of word !== undefined && (word.k !== "it" || PEOPLE.test(word.text)) ? others : []) {
    const then = await pointed(said, word, before, context);
    if (then !== undefined && !("question" in then))
      return word?.k === "of" || word?.n !== undefined ? then : whether(then, context);
  }
  return undefined;
}

/** What stands for those who were spoken of, whatever was said in between; "it" and "that" are the last. */
const PEOPLE =
  /^(?:they|them|those|these|he|she|him|sie|ihnen|denen|davon|(?:the|die|diese|those|these) (?!ones?$)\w+)$/i;

/** "when did those open": what stands behind it is a noun only where something is called so. */
async function asVerb(pointing: Pointing, { read }: Context): Promise<Pointing> {
  const { k, noun, text, start } = pointing;
  if (k !== "of" || noun === undefined || !/^th[eo]se /i.test(text)) return pointing;
  const { readings, missing } = await read(noun);
  const isNoun = missing.length === 0 && readings.some(({ ask }) => ask.k === "list" && ask.rel.k === "all");
  const [word = ""] = text.split(/\s+/);
  return isNoun ? pointing : { ...pointing, k: "it", noun: undefined, text: word, end: start + word.length };
}

/** The answers that showed as many. */
async function asMany(n: number, asks: readonly Ask[], { rows }: Context): Promise<Ask[]> {
  const counts = await Promise.all(
    asks.map(async (ask) => (keyOf(ask) === undefined ? 0 : (await rows(ask)).length)),
  );
  return asks.filter((_, i) => counts[i] === n);
}

/** "what share of total revenue do the ten make up?": the number of theirs, and of all in the same time. */
export async function shareOf(
  said: string,
  previous: Previous,
  context: Context,
): Promise<Ask | Clarification | undefined> {
  const { of = "", who = "" } = SHARE_OF.exec(said)?.groups ?? {};
  const text = `${of} of ${who}`;
  if (previous.ask.k === "list" && /^(?:it|that)$/i.test(who)) return undefined;
  const { cols: [whole, ...others] = [], by = [] } = (await numberIn(of, context)) ?? {};
  if (whole === undefined || others.length + by.length > 0) return undefined;
  const part = await pointedTo(text, pointsIn(text, context), previous, context);
  if (part === undefined || "question" in part) return part;
  return apply(part, [{ k: "ratio", over: whole }], context.knowledge.schema);
}

export const SHARE_OF =
  /^(?:what|which|how much) (?:share|percentage|percent|proportion|part|fraction|of) of (?:the |our |all )?(?:(?:total|overall|whole|entire) )?(?<of>.+?) (?:do|does|did|are|is|was|were|have|had|comes? from|came from) (?<who>(?:the|those|these) \S+|they|those|these|them|it|that)(?: (?:make up|account for|represent|bring in|contribute|have|stand for|make|cover|add up to))?$/i;

/** Whether a query counts some of those that another one was about. */
async function isSome(ask: Ask, all: Ask, context: Context): Promise<boolean> {
  const [num] = ask.k === "table" && ask.by.length === 0 ? ask.cols : [];
  const mine = num?.k === "agg" ? num.in : undefined;
  const theirs = (await referentsOf(all, context))[0]?.of?.rel;
  if (mine === undefined || theirs === undefined || isEqual(mine, theirs)) return false;
  const conds = relConds(mine);
  return (
    isEqual(bare(mine), bare(theirs)) &&
    relConds(theirs).every((cond) => conds.some((other) => isEqual(cond, other)))
  );
}

/** "which products did they buy?": "they" are these, or still those who bought them, as they were answered before. */
async function doersOf(ask: Ask, others: readonly Ask[], context: Context): Promise<Ask | undefined> {
  if (ask.k === "table") return undefined;
  for (const other of others) {
    const [{ of } = {}] = await referentsOf(other, context);
    if (of === undefined || datasetIn(ask.rel) === of.ds) continue;
    if (nodesIn(ask.rel).some((node) => isEqual(node, of.rel))) return other;
  }
  return undefined;
}
