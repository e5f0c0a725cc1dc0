import type { ChartSpec } from "../answer.ts";
import { condsOf, datasetIn, nodesIn, relConds } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Cond, Window } from "../query/semantic-query.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { apply, type Change } from "./change.ts";
import { asksOf, type Context, isBroken, isCarried } from "./context.ts";
import { narrowed, type Table, windowOf, windowsIn, withConds } from "./parts.ts";
import { carrierOf } from "./read-changes.ts";
import { about, dated, homesOf, isEvent, referentsOf } from "./referent.ts";

/** What a turn says of the conversation itself, beside what it says of the data. */
export type Mark =
  /** Goes on from what was said. */
  | "on"
  | "corrects"
  | "adds"
  /** Less of the same. */
  | "limits"
  /** Some of them, and some of those that were shown first. */
  | "among"
  | "shown"
  | "shows"
  | "instead"
  /** As it was before, or as it is without something that was said since. */
  | "back"
  /** Of what was ranked last. */
  | "ranked"
  | "afresh"
  | "polite";

export interface Turn {
  text: string;
  /** Without marks at its end. */
  plain: string;
  /** Without the words that lead to what is said, or only say how it is meant. */
  said: string;
  marks: ReadonlySet<Mark>;
}

/** Words that lead to what is said. */
const LEADS = phrases({
  on: `and, but, now, then, so, or, plus, und, aber, jetzt, dann, oder, nun, what about, how about, was ist mit,
    wie ist es mit, wie war es mit, wie sieht es aus mit, wie sieht es mit, wie ist es bei, wie sieht es bei, same for,
    the same for, same thing for, the same thing for, same but, the same but, same with, the same with, same again,
    the same again, same thing, the same thing, dasselbe für, dasselbe, das gleiche für, das gleiche, show it, show that,
    show this, show them, what was it, what was that, what is it, how was it, how was that, how did it look, how much was it,
    how much was that, wie war es, wie war das, wie war sie, wie war er, wie ist das, wie sah das, wie sah es, wie hoch war er,
    wie hoch war sie, wie hoch war es, wie viel war es, wie viel war das, zeig es, zeig das, zeige das, gib es`,
  corrects: `no, nein, nope, sorry, actually, i mean, i meant, i want, i wanted, rather, ich meine, ich meinte, ich wollte,
    eigentlich, lieber, make it, make that, change it to, change that to, switch to, switch it to`,
  adds: `also, auch, also show, also show me, also add, can you also, could you also, add, include, broken down, break,
    break it down, break that down, break this down, break them down, break down, split, split it, split that, split this,
    split them, split it up, split up, break that one down, break this one down, split that one, aufgeteilt, zusätzlich, zeig auch`,
  limits: `only, just, nur, limit it to, limit that to, limit to, filter by, filter for, filter to, restrict to,
    restrict it to, only show, only show me, just show me`,
  instead: "instead, stattdessen",
  among: "of them, of those, of these, davon, darunter",
  shown:
    "how was it there, what was it there, wie war sie dort, wie war er dort, wie war es dort, wie war das dort",
  shows:
    "show me, give me, zeig mir, zeige mir, let's see, lets see, let me see, can you, could you, kannst du",
  back: "back to, go back to, zurück zu, zurück zum, zurück zur",
  afresh: `different topic, other topic, new topic, change of topic, different question, new question, another question,
    next question, next topic, next:, next up, moving on, something else, something different, forget that,
    forget it, anderes thema, neues thema, nächstes thema, andere frage, neue frage, nächste frage, als nächstes,
    was anderes, etwas anderes, mal was anderes`,
  polite: `ok, okay, please, bitte, well, hm, hmm, great, thanks, thank you, cool, nice, good, perfect, got it, understood,
    i see, that helps, gut, super, danke, perfekt, prima, alles klar, verstanden, alright, fine, oh, yes, yeah, ja`,
});
/** Words behind what is said. */
const ENDS = phrases({
  instead: "instead, stattdessen",
  adds: "too, as well, also, dazu, zusätzlich",
  limits: "only",
  polite: "please, bitte, again, then, though, thanks, danke, wieder, dann",
});
/** "by brand instead of category", "units, not revenue": what it was before. */
const INSTEAD_OF =
  /\s+(?:instead of|rather than|(?:an)?statt)\s+.+$|,\s*(?:and )?(?:not|nicht|kein\p{L}*)\s+[^,]+$/iu;
/** "not Germany but Austria", "the same top 5 but for Lighting": what counts stands behind. */
const BUT =
  /^(?:not|nicht) .+?,? (?:but|sondern) |^(?:the )?same (?:top|bottom|list|ranking|table|question|numbers?|breakdown|chart)(?: \d+)?,? (?:but )?/iu;
/** "of those, how many …" */
const OF_THOSE = /^(?:of|von) (them|those|these|denen|diesen),? (how many|which|wie viele|welche) /i;
/** "only those of Kitchen": some of those that were shown. */
const THOSE = /^(?:those|these|the ones|die|diejenigen) (?=(?:of|in|from|with|at|aus|mit|von)\b)/i;
/** "how much per month" says no more than "per month". */
const HOW_MUCH = /^(?:how (?:much|many)|wie viele?) (?=(?:per|by|each|pro|je)\b)/i;
const THEN = /^(?:how|what|which|who|where|wie|was|welche\p{L}*|wer|wo)\s.+\s(?:then|damals)$/iu;
/** "split 2025 into its quarters" */
const INTO =
  /(?<!\p{L})(?:into (?:its |their |the )?(?:single |individual )?|in (?:seine|ihre|die einzelnen) )(?=\p{L}+$)/iu;

/** A text without the words that say how it goes on from what was said before. */
export function turnOf(text: string): Turn {
  const plain = text.replace(/[?!.\s]+$/, "").trim();
  const marks = new Set<Mark>();
  let said = plain.replace(OF_THOSE, "$2 of $1 ").replace(HOW_MUCH, "");
  for (let led = leadOf(said); led !== undefined; led = leadOf(said)) {
    marks.add(led.mark);
    said = said.slice(led.length);
    if (led.mark !== "polite") said = but(said, marks).replace(HOW_MUCH, "");
  }
  said = but(said, marks);
  if (marks.has("limits") || marks.has("on")) {
    if (THOSE.test(said)) marks.add("among").add("shown");
    said = said.replace(THOSE, "");
  }
  const whole = said.replace(INSTEAD_OF, "");
  if (whole !== said) marks.add("instead");
  said = whole;
  if (marks.has("adds")) said = said.replace(INTO, "by ");
  // "how many orders were there then?" is of that time.
  for (let end = THEN.test(said) ? undefined : endOf(said); end !== undefined; end = endOf(said)) {
    marks.add(end.mark);
    said = said.slice(0, -end.length);
  }
  return { text, plain, said, marks };
}

function but(said: string, marks: Set<Mark>): string {
  const rest = said.replace(BUT, "");
  if (rest !== said)
    marks.add("corrects").add(/^(?:the )?same (?:top|bottom|ranking)/i.test(said) ? "ranked" : "corrects");
  return rest;
}

/** Whether it only means something by what was said before. */
export function isGoingOn({ marks }: Turn): boolean {
  return [...marks].some((mark) => mark !== "shows" && mark !== "polite" && mark !== "afresh");
}

/** "ok, by month then": what was asked in between is given up. */
export function isYielding({ plain, marks }: Turn): boolean {
  return marks.has("instead") || (marks.has("polite") && YIELDS.test(plain));
}

const YIELDS = /^(?:ok|okay|fine|alright|gut|well)\b.*(?<!\p{L})(?:then|dann)(?!\p{L})/iu;

interface Found {
  mark: Mark;
  length: number;
}

function leadOf(text: string): Found | undefined {
  for (const [words, mark] of LEADS) {
    const [lead] = new RegExp(`^${words}(?![\\p{L}'’-])[\\s,:;.–-]*`, "iu").exec(text) ?? [];
    if (lead !== undefined && (lead.length < text.length || !lead.includes(" ")))
      return { mark, length: lead.length };
  }
  return undefined;
}

function endOf(text: string): Found | undefined {
  for (const [words, mark] of ENDS) {
    const [end] = new RegExp(`[\\s,]+${words}$`, "iu").exec(text) ?? [];
    if (end !== undefined) return { mark, length: end.length };
  }
  return undefined;
}

/** Phrases with what they mark, the longest first. */
function phrases(all: Partial<Record<Mark, string>>): [string, Mark][] {
  return Object.entries(all)
    .flatMap(([mark, list]) =>
      list.split(",").map((each): [string, Mark] => [each.trim().replaceAll(/\s+/g, " "), mark as Mark]),
    )
    .toSorted(([a], [b]) => b.length - a.length);
}

/** Speaks of how things stand now, whenever the question before was about. */
const NOW =
  /(?<!\p{L})(?:still|currently|now|today|at the moment|do we have|are there|noch|aktuell|derzeit|gerade|momentan|heute|haben wir|gibt es)(?!\p{L})/iu;
/** Speaks of all there is; who says "our" mostly does. */
const OF_ALL =
  /(?<!\p{L})(?:overall|total|altogether|all|ever|company|insgesamt|gesamt\p{L}*|alle[nrs]?|jemals)(?!\p{L})/iu;
const OURS = /(?<!\p{L})(?:we|our|us|wir|unser\p{L}*)(?!\p{L})/iu;

/**
 * A whole question after another one, and what it may mean: the likeliest first. It stands for itself, unless it is a
 * number and nothing else, which is meant of what is spoken of, or says that it goes on ("and how many orders?"): then
 * who says no period means the one that is spoken of.
 */
export async function inContext(
  text: string,
  before: Ask,
  goesOn: boolean,
  context: Context,
): Promise<{ own: Ask; asks: Ask[] } | undefined> {
  const { schema } = context.knowledge;
  const own = await ownOf(text, before, context);
  if (own === undefined) return undefined;
  const isOfAll = OF_ALL.test(text);
  const isNow = NOW.test(text);
  const isOurs = OURS.test(text);
  if (isNumber(own) && !isOfAll && !isNow && !isOurs && before.k === "table" && before.top === undefined) {
    const changes: Change[] = [{ k: "number", cols: own.cols, adds: false }];
    const same = apply(before, changes, schema);
    if (same !== undefined && !isBroken(before, same, changes, schema)) return { own, asks: [same] };
  }
  if (!goesOn) return { own, asks: [own] };
  const { conds, win } = scopeOf(before, schema);
  const isDated = windowsIn(own).length > 0;
  const then = win === undefined || isDated || isNow ? own : (dated(own, win, schema) ?? own);
  const open = conds.filter((cond) => !isSaidIn(cond, own));
  const [shown] = before.k === "table" && before.top !== undefined ? await referentsOf(before, context) : [];
  const limited =
    shown !== undefined && isNumber(own)
      ? about(own, shown, schema, false)
      : open.length === 0
        ? undefined
        : limitedTo(then, open);
  const isOther = !homesOf(own, schema).some((ds) => homesOf(before, schema).includes(ds));
  // What the conditions before cannot be said of is another topic, and so is what has all of its own.
  const isSelf = isDated && (isOther || !isNumber(own, true));
  if (limited === undefined || !isCarried(limited, context.knowledge) || isOfAll || isSelf)
    return { own, asks: open.length > 0 && isOther ? [own] : [then] };
  return { own, asks: !isOurs ? [limited] : [limited, then] };
}

/** The question as it is read for itself; what leaves its number open is of the number before. */
async function ownOf(text: string, before: Ask, context: Context): Promise<Ask | undefined> {
  const [own] = await asksOf(text, context);
  const number = before.k === "table" ? carrierOf(before, context.knowledge, text) : undefined;
  if (own !== undefined || number === undefined) return own;
  const { unclear, missing } = await context.read(text);
  const isOpen = unclear.every(({ wants, word }) => wants === "number" && word !== undefined);
  if (!isOpen || missing.some(({ isKnown }) => isKnown !== true)) return undefined;
  for (const joint of languagesOf(text)[0]?.isForeign === true ? ["nach", "beim"] : ["by", "in"]) {
    const [ask] = await asksOf(`${text} ${joint} ${number}`, context);
    if (ask !== undefined) return ask;
  }
  return undefined;
}

/** A number and nothing else, but when. */
function isNumber(ask: Ask, isWhen = false): ask is Table {
  if (ask.k === "list") return false;
  const { by, top, having, scope } = ask;
  const isBare = by.length === 0 && top === undefined && having === undefined && scope?.if === undefined;
  return isBare && (isWhen || windowsIn(ask).length === 0);
}
/** What holds of everything that was asked for, and when that was. */
function scopeOf(ask: Ask, schema: Schema): { conds: Cond[]; win: Window | undefined } {
  const [num] = ask.k === "table" ? ask.cols : [];
  const rel = ask.k === "list" ? ask.rel : num?.k === "agg" ? num.in : undefined;
  const counted = rel === undefined ? [] : relConds(rel);
  const isThen = (cond: Cond) => cond.k === "during";
  const isOfEvents = rel !== undefined && isEvent(datasetIn(rel) ?? "", schema);
  const during = counted.find((cond) => cond.k === "during");
  const own = ask.k === "table" ? (ask.scope?.win ?? windowOf(num)) : undefined;
  return {
    conds: [...(ask.k === "table" ? condsOf(ask.scope?.if) : []), ...counted].filter((cond) => !isThen(cond)),
    win: own ?? (isOfEvents && during?.k === "during" ? during.win : undefined),
  };
}

/** Whether something is said of the same: another value, or all of them told apart. */
function isSaidIn(cond: Cond, own: Ask): boolean {
  const fields = nodesIn(cond).flatMap(({ k, key }) =>
    k === "is" || k === "null" ? [(key as { field: string }).field] : [],
  );
  return fields.length > 0 && nodesIn(own).some(({ field }) => fields.includes(String(field)));
}

/** Under the conditions that were said before. */
function limitedTo(ask: Ask, conds: readonly Cond[]): Ask | undefined {
  if (ask.k === "table") return withConds(ask, [...condsOf(ask.scope?.if), ...conds]);
  const ds = datasetIn(ask.rel);
  const isOwn = conds.every((cond) => cond.k === "is" && cond.key.ds === ds);
  return isOwn ? { ...ask, rel: narrowed(ask.rel, conds) } : undefined;
}

/** A kind of chart, or none. */
export type Wish = ChartSpec["type"] | "none";

const WISH =
  /\b(?:as\s+(?:an?\s+)?|(?:in|with)\s+(?:an?\s+)?(?=\S+\s*(?:chart|graph|plot|diagram)))(pie|bar|line|scatter)(?:\s*(?:chart|graph|plot|diagram))?\b|\b(?:als|im|mit)\s+(?:ein(?:em|en)?\s+)?(torten|kreis|balken|säulen|linien|streu)(?:diagramm)?\b/i;
const GERMAN: Readonly<Record<string, ChartSpec["type"]>> = {
  torten: "pie",
  kreis: "pie",
  balken: "bar",
  säulen: "bar",
  linien: "line",
  streu: "scatter",
};

const PLAIN =
  /\b(?:as|in) (?:an? )?(?:table|list)\b|\bals (?:tabelle|liste)\b|\b(?:without|ohne) (?:an? |ein )?(?:chart|graph|diagramm)\b/i;

/** The chart that a question wants, and the question without that. */
export function chartWish(text: string): { text: string; chart: Wish | undefined } {
  const plain = PLAIN.exec(text);
  if (plain !== null) return { text: without(text, plain[0]), chart: "none" };
  const found = WISH.exec(text);
  if (found === null) return { text, chart: undefined };
  const [whole, english, german] = found;
  const chart =
    english === undefined ? GERMAN[german?.toLowerCase() ?? ""] : (english.toLowerCase() as "pie");
  return { text: without(text, whole), chart };
}

function without(text: string, part: string): string {
  return text.replace(part, " ").replaceAll(/\s+/g, " ").trim();
}
