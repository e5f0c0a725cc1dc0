import { condsOf, isEqual } from "../query/parts.ts";
import type { Ask, Cond } from "../query/semantic-query.ts";
import { isKey, type Num, type Top } from "../query/semantic-query.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { wordsOf } from "../understand/languages/words.ts";
import type { Change } from "./change.ts";
import { type Context, numberIn, tablesOf } from "./context.ts";
import { areDated, onlyBase, type Table } from "./parts.ts";
import { isCalled, referentsOf } from "./referent.ts";

type Groups = Record<string, string | undefined>;
type Made = Change[] | undefined | Promise<Change[] | undefined>;

const ALL =
  /^(?:(?:show|list|give|zeige?)\s+)?(?:(?:me|us|mir|uns)\s+)?(?:all(?: of (?:them|those|these))?|alle(?: davon)?|everything|alles)(?:\s+zeigen)?$/i;
const TOTAL = /^(?:(?:in\s+|the\s+)?total|overall|altogether|insgesamt|gesamt|zusammen|in summe)$/i;
const SHARE =
  /^(?:(?:what|which|show)\s+)?(?:(?:in|as(?: a| an)?|als)\s+)?(?:the\s+|ihr(?:en)?\s+)?(?:percent(?:ages?)?|%|shares?|proportions?|prozent|anteile?|prozentual|anteilig)(?:\s+(?:of|am|an|vom)(?: the| der| dem)?\s+(?:total|whole|gesamt(?:en|heit)?))?$/i;
const MEDIAN = /^(?:the\s+|der\s+|den\s+)?median(?:wert)?$/i;
const OTHERS =
  /^(?:the\s+|all\s+)?(?:others?|other ones|rest|remaining(?: ones)?)$|^(?:alle\s+|die\s+|den\s+)*(?:anderen|übrigen|restlichen|rest)$/i;
const SORTED =
  /^(?:sort(?:ed|iert|iere)?|order(?:ed)?|rank(?:ed)?)\s+(?:it\s+|them\s+|that\s+)?(?:by|nach)\s+(?<by>.+?)(?:\s+(?<dir>asc(?:ending)?|desc(?:ending)?|aufsteigend|absteigend))?$/i;
const DIRECTED =
  /^(?:sort(?:ed|ier(?:t|e))?\s+)?(?:(?<up>ascending|aufsteigend)|descending|absteigend)(?:\s+sortiert)?$|^(?<first>.+)\s+(?:first|zuerst|zuoberst)$/i;
const MOST =
  /^(?:the\s+)?(?<place>most|fewest|least|highest|lowest|largest|smallest|best|worst|meisten?|wenigsten?|höchsten?|niedrigsten?)\s+(?<by>(?!common|frequent)\p{L}.*)$/iu;
const NEXT = /^(?:the\s+|die\s+)?(?:next|nächsten)(?:\s+(?<n>\d+))?(?:\s+ones?)?$/i;
const GREW =
  /^(?:(?:which \p{L}+|who) grew(?: the)? (?<place>most|least|fastest|slowest))$|^how much did (?:each(?: one)?|they|it|that|these|those) (?:grow|change|increase)$|^(?:in|as) (?:percent|prozent|%)$|^wachstum in prozent$/iu;
const EVERY =
  /^(?:(?:across|for|in|of|über|für)\s+)?(?:all|alle[nr]?)(?:\s+the)?\s+(?<noun>\p{L}+)(?<end>(?:\s+(?:again|together|combined|wieder|zusammen|insgesamt))*)$/iu;
const RATIO =
  /^as (?:a )?(?:share|percentage|percent|proportion) of (?<of>(?!(?:the )?(?:total|whole)$).+)$|^what (?:share|percentage|proportion) of (?<of>.+) (?:is|are|was|were) (?:that|this|it|these|those)$/i;
const BY = /^(?:by|nach)\s+(?<by>.+)$/i;
const TOP_BY = /^(?<place>.+?)\s+(?:by|nach)\s+(?<by>.+)$/i;

/** What is said of what was shown before: how each saying changes a query of groups. */
const SAYINGS: readonly [RegExp, (ask: Table, said: Groups, context: Context) => Made][] = [
  [GREW, grown],
  [TOTAL, () => [{ k: "total" }]],
  [SHARE, () => [{ k: "share" }]],
  [OTHERS, others],
  [DIRECTED, directed],
  [TOP_BY, firstBy],
  [MOST, firstBy],
  [BY, insteadBy],
  [NEXT, next],
];

/** "top 10", "worst first", "in percent", "sorted by revenue", "the others": changes that need no reading. */
export async function saidChanges(text: string, ask: Ask, context: Context): Promise<Change[] | undefined> {
  const isGrouped = ask.k === "list" || ask.by.length > 0;
  if (isGrouped && ALL.test(text)) return [{ k: "all" }];
  const sorting = SORTED.exec(text)?.groups;
  if (sorting !== undefined) return sorted(ask, sorting, context);
  if (ask.k === "list") return undefined;
  const every = EVERY.exec(text)?.groups;
  if (every !== undefined) return freed(ask, every, context);
  const { of } = RATIO.exec(text)?.groups ?? {};
  const whole = of === undefined ? undefined : await numberCalled(of, context);
  if (whole !== undefined) return [{ k: "ratio", over: whole }];
  if (!isGrouped && GREW.test(text)) return grown(ask, {});
  if (MEDIAN.test(text)) return medians(ask, context);
  if (!isGrouped) return undefined;
  for (const [pattern, changesOf] of SAYINGS) {
    const found = pattern.exec(text);
    const changes = found === null ? undefined : await changesOf(ask, found.groups ?? {}, context);
    if (changes !== undefined) return changes;
  }
  return placed(text, ask);
}

/** "top 3", "the second one": of what was ranked in the other order as well, by the same number. */
function placed(text: string, ask: Table): Change[] | undefined {
  const [by] = ask.cols;
  const place = by && placeIn(text, by);
  if (by === undefined || place === undefined) return undefined;
  // What has periods in a row has no second one.
  if (place.skip !== undefined && ask.by.some(({ bucket }) => bucket !== undefined)) return undefined;
  const { dir = ask.top?.dir ?? "max", ...rest } = place;
  const [order] = ask.order ?? [];
  // The first three of what is on the screen.
  if (order !== undefined && !isKey(order.by) && FIRST.test(text)) {
    const isDown = (order.dir === "desc") === /first|erst/i.test(text);
    return [
      {
        k: "choose",
        top: { ...rest, dir: isDown ? "max" : "min", by: order.by, ties: "cut" },
        order: [order],
      },
    ];
  }
  return [{ k: "choose", top: { ...rest, dir, by: ask.top?.by ?? by, ties: "cut" } }];
}

const FIRST = /^(?:the |die |den )?(?:first|last|ersten?|letzten?)\b/i;
const EMPTY = /^(?:the|die|der|das|den|dem|ones?|only|am)$/;
const ENDS = /^(?:first|last|erst|letzt)/;
/** What other dimensions speak of is no number: "latest". */
const DIMENSIONS = new Set([null, "big", "high"]);

interface Place extends Pick<Top, "n"> {
  skip?: number;
  /** Left open by "the second one". */
  dir?: "max" | "min";
}

/** How many, from which end and after how many; undefined where a text says more, or something else. */
function placeIn(text: string, by: Num): Place | undefined {
  const [language] = languagesOf(text);
  if (language === undefined) return undefined;
  const place: Partial<Place> = {};
  for (const { norm, stem } of wordsOf(
    language.prepare(text, NO_WORDS, () => []),
    language,
  )) {
    const superlative = language.superlatives.get(norm) ?? language.superlatives.get(stem);
    const skip = language.ordinals.get(norm) ?? language.ordinals.get(stem);
    const n = language.numbers.get(norm) ?? (/^\d{1,3}$/.test(norm) ? Number(norm) : undefined);
    if (EMPTY.test(norm)) continue;
    const isEnd = ENDS.test(norm);
    if (superlative !== undefined && place.dir === undefined && (isEnd || DIMENSIONS.has(superlative.dim)))
      // The first are the highest, and the worst delay is the longest one.
      place.dir = isEnd !== isTurned(norm, by) ? opposite(superlative.dir) : superlative.dir;
    else if (skip !== undefined && place.skip === undefined) place.skip = skip;
    else if (n !== undefined && place.n === undefined) place.n = n;
    else return undefined;
  }
  const isPlace = place.dir !== undefined || (place.skip !== undefined && place.n === undefined);
  return isPlace ? { ...place, n: place.n ?? 1 } : undefined;
}

const NO_WORDS = {
  phrases: new Map(),
  values: new Map(),
  words: { names: new Set<string>(), values: new Set<string>() },
};

function opposite(dir: "max" | "min"): "max" | "min" {
  return dir === "max" ? "min" : "max";
}

const LESS_IS_BETTER =
  /return|refund|cancel|delay|cost|complain|churn|error|defect|fault|duration|resolution|reply|wait|discount|expense|loss|late|overdue/i;

function isTurned(word: string, by: Num): boolean {
  return /^(?:best|worst|schlecht)/.test(word) && LESS_IS_BETTER.test(JSON.stringify(by));
}

function directed({ cols: [by] }: Table, { up, first }: Groups): Change[] | undefined {
  if (by === undefined) return undefined;
  const place = first === undefined ? undefined : placeIn(first, by);
  if (first !== undefined && (place?.dir === undefined || place.n !== 1)) return undefined;
  const isUp = up !== undefined || place?.dir === "min";
  return [{ k: "choose", order: [{ by, dir: isUp ? "asc" : "desc" }] }];
}

async function firstBy(ask: Table, { place: said = "", by = "" }: Groups, context: Context) {
  const num = await numberCalled(by, context);
  const place = num && placeIn(said, num);
  if (num === undefined || place?.dir === undefined) return undefined;
  const top = { ...place, dir: place.dir, by: num, ties: "cut" as const };
  // What something is ranked by is shown; "the most units" are asked for in the place of what was.
  const isInstead = ask.top !== undefined && place.n === 1 && /^(?:the\s+)?\p{L}+$/iu.test(said);
  return [
    { k: "number" as const, cols: [num], adds: !isInstead },
    { k: "choose" as const, top },
  ];
}

/** What was ranked by one number, by another. */
async function insteadBy(
  { top }: Table,
  { by = "" }: Groups,
  context: Context,
): Promise<Change[] | undefined> {
  const [table] = top === undefined ? [] : await tablesOf(by, context);
  const isPlain = table?.by.length === 0 && table.scope?.if === undefined && table.scope?.win === undefined;
  return table && isPlain ? [{ k: "number", cols: table.cols, adds: false }] : undefined;
}

/** Those behind the first ones. */
function next({ top }: Table, { n }: Groups): Change[] | undefined {
  if (top === undefined) return undefined;
  const skip = (top.skip ?? 0) + top.n;
  return [{ k: "choose", top: { ...top, skip, n: n === undefined ? top.n : Number(n) } }];
}

/** From one of two periods to the other, and by which of them it is the most. */
function grown({ cols }: Table, { place }: Groups): Change[] | undefined {
  const dir = /^(?:least|slowest)$/i.test(place ?? "") ? ("min" as const) : ("max" as const);
  const first: Num = { k: "lit", v: 0 };
  const choose: Change = { k: "choose", of: first, top: { n: 1, dir, by: first, ties: "cut" } };
  const top = place === undefined ? [] : [choose];
  const [only] = cols;
  if (cols.length === 1 && only?.k === "calc" && only.op === "growth")
    return top.length > 0 ? top : undefined;
  const of = onlyBase(cols);
  if (of === undefined || cols.length !== 2 || !areDated(cols)) return undefined;
  return [{ k: "become", of, cols: [{ k: "calc", op: "growth", a: of, b: of }] }, ...top];
}

/** "all categories again", "across all countries together". */
function freed(ask: Table, { noun = "", end = "" }: Groups, { knowledge }: Context): Change[] | undefined {
  const said = condsOf(ask.scope?.if).map((cond) => (cond.k === "not" ? cond.of : cond));
  const keys = [...ask.by, ...said.flatMap((cond) => (cond.k === "is" ? [cond.key] : []))];
  const key = keys.find((each) => isCalled(noun, each, knowledge));
  return key && [{ k: "free", key, isGroup: /together|combined|zusammen|insgesamt/i.test(end) }];
}

async function numberCalled(text: string, context: Context): Promise<Num | undefined> {
  const {
    cols: [num, ...more] = [],
    by = [],
    scope,
  } = (await numberIn(text.replace(/^(?:the|den|dem|der)\s+/i, ""), context)) ?? {};
  return more.length > 0 || by.length > 0 || scope?.if !== undefined ? undefined : num;
}

const ALPHABET = /^(?:names?|alphabet|alphabetically|namen|alphabetisch)$/i;

async function sorted(ask: Ask, { by = "", dir }: Groups, context: Context): Promise<Change[] | undefined> {
  const keys = ask.k === "table" ? ask.by : ask.show;
  const key = keys.find(
    (each) => (each.bucket === undefined && ALPHABET.test(by)) || isCalled(by, each, context.knowledge),
  );
  const isDown = dir === undefined ? key === undefined : /^(?:desc|absteig)/i.test(dir);
  const order = (what: NonNullable<typeof key> | Num): Change => ({
    k: "choose",
    order: [{ by: what, dir: isDown ? "desc" : "asc" }],
  });
  if (key !== undefined) return [order(key)];
  const num = await numberCalled(by, context);
  return num && !isKey(num) ? [{ k: "number", cols: [num], adds: true }, order(num)] : undefined;
}

/** All groups but those that were shown. */
async function others(ask: Table, _: Groups, context: Context): Promise<Change[] | undefined> {
  if (ask.top === undefined && ask.having === undefined) return undefined;
  const [{ of, conds } = { of: undefined, conds: [] }] = await referentsOf(ask, context);
  const known = condsOf(ask.scope?.if);
  const named = conds.find((cond) => !known.some((other) => isEqual(cond, other)));
  const shown: Cond | undefined = of === undefined ? named : { k: "link", at: of.ds, path: [], to: of.rel };
  return shown && [{ k: "all" }, { k: "where", conds: [shown], excludes: true }];
}

/** The median of what the average was of. */
function medians({ cols: [num, ...more] }: Table, { knowledge: { schema } }: Context): Change[] | undefined {
  if (num === undefined || more.length > 0) return undefined;
  if (num.k === "agg" && num.fn === "avg")
    return [{ k: "number", cols: [{ ...num, fn: "median" }], adds: false }];
  const { aggregates: [only, ...others] = [], texts = [] } =
    (num.k === "metric" && schema.metrics.get(num.name)?.formula) || {};
  const [start, of, end] = only?.pieces ?? [];
  const isPlain = others.length === 0 && end === ")" && texts.every((text) => text.trim() === "");
  if (!isPlain || typeof of !== "object" || !/^\s*avg\s*\(\s*$/i.test(String(start))) return undefined;
  return [{ k: "number", cols: [{ k: "agg", fn: "median", of, in: { k: "all", ds: of.ds } }], adds: false }];
}
