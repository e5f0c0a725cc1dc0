import { condsOf, isEqual, nodesIn } from "../query/parts.ts";
import { type Ask, type Cond, isKey, type Key, type Num, type Top } from "../query/semantic-query.ts";
import { GLOSSARY } from "../understand/languages/german/glossary.ts";
import { foldGerman, stemGerman } from "../understand/languages/german/stem.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import { phraseKey, wordsOf } from "../understand/languages/words.ts";
import type { Change } from "./change.ts";
import { type Context, numberIn, tablesOf } from "./context.ts";
import { areDated, onlyBase, type Table } from "./parts.ts";
import { isCalled, referentsOf } from "./referent.ts";

type Groups = Record<string, string | undefined>;
type Made = Change[] | undefined | Promise<Change[] | undefined>;

const ALL =
  /^(?:(?:show|list|give|zeige?)\s+)?(?:(?:me|us|mir|uns)\s+)?(?:all(?: of (?:them|those|these))?|alle(?: davon)?|everything|alles)(?:\s+zeigen)?$/i;
const TOTAL =
  /^(?:(?:how (?:many|much)|wie viele?)(?: (?:is|are|was|were|sind|ist) (?:that|it|they|those|das|es))? )?(?:(?:in\s+|the\s+)?total|in all|overall|altogether|insgesamt|gesamt|zusammen|in summe)$/i;
const SHARE =
  /^(?:(?:what|which|show)\s+)?(?:(?:in|as(?: a| an)?|als)\s+)?(?:the\s+|ihr(?:en)?\s+)?(?:percent(?:ages?)?|%|shares?|proportions?|prozent|anteile?|prozentual|anteilig)(?:\s+(?:of|am|an|vom)(?: the| der| dem)?\s+(?:total|whole|gesamt(?:en|heit)?))?$/i;
const MEDIAN = /^(?:the\s+|der\s+|den\s+)?median(?:wert)?$/i;
const OTHERS =
  /^(?:the\s+|all\s+)?(?:others?|other (?:ones|two|three|four|five)|rest|remaining(?: ones)?)$|^(?:alle\s+|die\s+|den\s+)*(?:anderen|übrigen|restlichen|rest)$/i;
const SORTED =
  /^(?:sort(?:ed|iert|iere)?|order(?:ed)?|rank(?:ed)?)\s+(?:it\s+|them\s+|that\s+)?(?:by|nach)\s+(?<by>.+?)(?:\s+(?<dir>asc(?:ending)?|desc(?:ending)?|aufsteigend|absteigend))?$/i;
const DIRECTED =
  /^(?:sort(?:ed|ier(?:t|e))?\s+)?(?:(?<up>ascending|aufsteigend)|descending|absteigend)(?:\s+sortiert)?$|^(?<first>.+)\s+(?:first|zuerst|zuoberst)$/i;
const MOST =
  /^(?:the\s+)?(?<place>most|fewest|least|highest|lowest|largest|smallest|best|worst|meisten?|wenigsten?|höchsten?|niedrigsten?)\s+(?<by>(?!common|frequent)\p{L}.*)$/iu;
/** "which region is ahead?", "wer liegt vorn?" */
const AHEAD =
  /^(?:(?:which|welche[rs]?) (?<noun>\p{L}+)|who|wer)(?: (?:is|was|comes?|came|liegt|lag|ist|war|steht))?(?: (?:da|dort|dabei|hier|there|now|here))? (?:(?<max>ahead|in front|in the lead|on top|leading|leads|led|vorne?|an der spitze|führt)|(?<min>behind|at the bottom|trailing|hinten|am ende))$/iu;
const NEXT = /^(?:the\s+|die\s+)?(?:next|nächsten)(?:\s+(?<n>\d+))?(?:\s+ones?)?$/i;
const ROSE = "grew|grow|grown|gr[eo]w up|go up|went up|rise|rose|increased?|improved?|gewachsen|gestiegen";
const FELL = "fall|fell|drop(?:ped)?|go down|went down|declined?|decreased?|shr[aiu]nk|gesunken|gefallen";
const IT = "each(?: one)?|they|we|it|that|these|those|this|das|es|sie|wir";
/** "where did it go up the most?", "how much did it grow?", "growth in percent" */
export const GREW = new RegExp(
  `^(?:(?:which|welche[rs]?) \\p{L}+|who|where|wo|wer)(?: (?:did|has|have|ist|sind) (?:${IT}))? (?:(?<rose>${ROSE})|(?<fell>${FELL}))(?: the)? (?<place>most|least|fastest|slowest|strongest)$|^(?:by )?how much (?:did|has|have) (?:${IT}) (?:${ROSE}|${FELL}|change)$|^(?<percent>(?:in|as) (?:percent|prozent|%))$|^(?:(?:what|how (?:much|big|high)|wie (?:viel|hoch|groß))(?:['’]?s| is| was| ist| war)? )?(?<growth>(?:the |das |die )?(?:(?:percentage|percent|prozent|%) )?(?:growth|wachstum)(?: rate)?)(?: (?:is|was|ist|war) (?:that|it|das|es))?(?: in (?:percent|prozent|%))?$`,
  "iu",
);
const EVERY =
  /^(?:show (?:me )?|zeige? (?:mir )?)?(?:(?:across|for|in|of|über|für)\s+)?(?:all|every|each|alle[nr]?)(?:\s+(?:of )?the)?\s+(?<noun>\p{L}+)(?<end>(?:\s+(?:again|together|combined|wieder|zusammen|insgesamt))*)$/iu;
const RATIO =
  /^as (?:a )?(?:share|percentage|percent|proportion) of (?<of>(?!(?:the )?(?:total|whole)$).+)$|^what (?:share|percentage|proportion) of (?<of>.+) (?:is|are|was|were) (?:that|this|it|these|those)$/i;
/** "which ones are below 80 %", "only those above 500k" */
const THRESHOLD =
  /^(?:(?:which|welche)(?: ones?)?(?: (?:are|were|is|was|have|had|sind|liegen|lagen|waren|haben))? |those |the ones |die |with |mit )?(?:(?<more>more than|over|above|mehr als|über)|(?<less>less than|fewer than|under|below|weniger als|unter)|(?<least>at least|mindestens)|(?<most>at most|höchstens)) [€$£]?(?<digits>\d[\d.,]*)(?<k>k)?(?<percent> ?(?:%|percent|prozent))?(?: ?(?:euros?|€|eur))?$/i;
/** "how much was it?": what the answer says. */
const AGAIN =
  /^(?:how (?:much|many|high) (?:was|is|were|are) (?:it|that|this|they)|(?:what|how much) (?:was|is) (?:it|that)(?: exactly)?|wie (?:viele?|hoch) (?:war|ist|waren|sind) (?:das|es|sie|er))$/i;
/** "who are they?": those that were counted. */
const WHO =
  /^(?:(?:who|which|what) (?:are|were|is|was) (?:they|those|these|that|it)|which ones|(?:list|name|show)(?: me)? (?:them|those|these)|(?:wer|welche) (?:sind|waren|ist|war) (?:die|das|sie)|(?:liste|nenne?|zeige?)(?: mir)? (?:sie|die)(?: auf)?)$/i;
const BY = /^(?:by|nach)\s+(?<by>.+)$/i;
const TOP_BY = /^(?<place>.+?)\s+(?:by|nach)\s+(?<by>.+)$/i;

/** What is said of what was shown before: how each saying changes a query of groups. */
const SAYINGS: readonly [RegExp, (ask: Table, said: Groups, context: Context) => Made][] = [
  [GREW, grown],
  [TOTAL, () => [{ k: "total" }]],
  [SHARE, () => [{ k: "share" }]],
  [OTHERS, others],
  [DIRECTED, directed],
  [AHEAD, ahead],
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
  if (AGAIN.test(text) && ask.top !== undefined) return [];
  if (WHO.test(text)) return isGrouped ? [] : [{ k: "names" }];
  const limit = THRESHOLD.exec(text)?.groups;
  if (limit !== undefined) return threshold(limit);
  const every = EVERY.exec(text)?.groups;
  if (every !== undefined) return freed(ask, every, context);
  const { of } = RATIO.exec(text)?.groups ?? {};
  const whole = of === undefined ? undefined : await numberCalled(of, context);
  if (whole !== undefined) return [{ k: "ratio", over: whole }];
  const grew = GREW.exec(text)?.groups;
  if (!isGrouped && grew !== undefined) return grown(ask, grew);
  if (MEDIAN.test(text)) return medians(ask, context);
  if (!isGrouped) return undefined;
  for (const [pattern, changesOf] of SAYINGS) {
    const found = pattern.exec(text);
    const changes = found === null ? undefined : await changesOf(ask, found.groups ?? {}, context);
    if (changes !== undefined) return changes;
  }
  return placed(text, ask, context);
}

function threshold({ more, less, least, digits = "", k, percent }: Groups): Change[] | undefined {
  const number = Number(digits.replaceAll(/[.,](?=\d{3})/g, "").replace(",", "."));
  const value = number * (k === undefined ? 1 : 1000) * (percent === undefined ? 1 : 0.01);
  const op = more !== undefined ? ">" : less !== undefined ? "<" : least !== undefined ? ">=" : "<=";
  return Number.isNaN(value) ? undefined : [{ k: "threshold", op, value }];
}

/** "top 3", "the second one": of what was ranked in the other order as well, by the same number. */
function placed(text: string, ask: Table, context: Context): Change[] | undefined {
  const [by] = ask.cols;
  const place = by && placeIn(text, by, (word) => isOfShown(word, ask, context));
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

/** Whether a word is what was shown, or told apart, is called. */
function isOfShown(word: string, { by, cols }: Table, { knowledge }: Context): boolean {
  if (by.some((key) => isCalled(word, key, knowledge))) return true;
  const names = cols.flatMap((num) =>
    num.k === "metric" ? knowledge.model.metrics.filter(({ name }) => name === num.name) : [],
  );
  const stems = names.flatMap(({ name, ai }) =>
    [name, ...ai.synonyms].flatMap((each) => phraseKey(each).split(" ")),
  );
  const german = stemGerman(foldGerman(word));
  const glossed = (GLOSSARY.get(german) ?? []).map(({ stems: english }) => english);
  return [phraseKey(word), german, ...glossed].some((each) => stems.includes(each));
}

const FIRST = /^(?:the |die |den )?(?:first|last|ersten?|letzten?)\b/i;
/** Words of a question about what was shown that say nothing of it. */
const EMPTY = new Set(
  `the a an one ones only of them those these it they that its which what whats who where when is are was were be been has have
  had did do does make me s ' ’ der die das den dem am von davon denen es sie er welche welcher welches welchen wer wo wann was
  ist sind war waren hat hatte haben hatten`.split(/\s+/),
);
const ENDS = /^(?:first|last|erst|letzt)/;
/** What other dimensions speak of is no number: "latest". */
const DIMENSIONS = new Set([null, "big", "high"]);

interface Place extends Pick<Top, "n"> {
  skip?: number;
  /** Left open by "the second one". */
  dir?: "max" | "min";
}

/** How many, from which end and after how many; undefined where a text says more, or something else. */
function placeIn(text: string, by: Num, isOwn = (_: string) => false): Place | undefined {
  const [language] = languagesOf(text);
  if (language === undefined) return undefined;
  const place: Partial<Place> = {};
  for (const { text: word, norm, stem } of wordsOf(
    language.prepare(text, NO_WORDS, () => []),
    language,
  )) {
    const superlative = language.superlatives.get(norm) ?? language.superlatives.get(stem);
    const skip = language.ordinals.get(norm) ?? language.ordinals.get(stem);
    const n = language.numbers.get(norm) ?? (/^\d{1,3}$/.test(norm) ? Number(norm) : undefined);
    if (EMPTY.has(norm) || isOwn(word)) continue;
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

function ahead(ask: Table, { noun, min }: Groups, { knowledge }: Context): Change[] | undefined {
  const [by] = ask.cols;
  const isShown = noun === undefined || ask.by.some((key) => isCalled(noun, key, knowledge));
  if (by === undefined || !isShown) return undefined;
  return [{ k: "choose", top: { n: 1, dir: min === undefined ? "max" : "min", by, ties: "cut" } }];
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
function grown({ cols }: Table, { place, growth, fell }: Groups): Change[] | undefined {
  const isLeast = /^(?:least|slowest)$/i.test(place ?? "") !== (fell !== undefined);
  const dir = isLeast ? ("min" as const) : ("max" as const);
  const first: Num = { k: "lit", v: -1 };
  // What grew by the least did not fall.
  const having: Cond = { k: "cmp", a: first, op: "<", b: { k: "lit", v: 0 } };
  const top1 = { n: 1, dir, by: first, ties: "cut" as const };
  const choose: Change = { k: "choose", of: first, top: top1, ...(fell !== undefined && { having }) };
  const top = place === undefined ? [] : [choose];
  const [only] = cols;
  const isApart = only?.k === "calc" && (only.op === "growth" || (only.op === "-" && areDated(cols)));
  if (cols.length === 1 && isApart) return top.length > 0 ? top : undefined;
  const of = onlyBase(cols);
  if (of !== undefined && growth !== undefined && cols.length === 1)
    return [
      {
        k: "become",
        of,
        cols: [{ k: "calc", op: "growth", a: of, b: { k: "lag", of, n: 1, grain: "year" } }],
      },
    ];
  if (of === undefined || cols.length !== 2 || !(areDated(cols) || cols[1]?.k === "lag")) return undefined;
  return [{ k: "become", of, cols: [{ k: "calc", op: "growth", a: of, b: of }] }, ...top];
}

/** "all categories again", "across all countries together". */
function freed(ask: Table, { noun = "", end = "" }: Groups, { knowledge }: Context): Change[] | undefined {
  const said = nodesIn(ask).flatMap(({ k, key }) => (k === "is" ? [key as Key] : []));
  const keys = [...said, ...ask.by];
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
