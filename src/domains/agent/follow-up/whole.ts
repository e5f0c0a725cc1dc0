import { condsOf, datasetIn, nodesIn, relConds } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Cond, Window } from "../query/semantic-query.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { isBroken } from "./account.ts";
import { apply, type Change } from "./change.ts";
import { asksOf, type Context, isCarried } from "./context.ts";
import { narrowed, type Table, windowOf, windowsIn, withConds } from "./parts.ts";
import { carrierOf } from "./read-changes.ts";
import { about, dated, homesOf, isEvent, referentsOf } from "./referent.ts";

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
