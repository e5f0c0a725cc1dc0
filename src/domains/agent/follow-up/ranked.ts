import { isAdditive } from "../explain/additive.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Num } from "../query/semantic-query.ts";
import type { Table } from "./merge.ts";

const BEST =
  "top|best|highest|largest|biggest|strongest|most|first|besten?|bester|bestes|höchsten?|größten?|stärksten?|meisten|ersten?";
const WORST =
  "bottom|worst|lowest|smallest|weakest|least|fewest|last|schlechtesten?|niedrigsten?|kleinsten?|schwächsten?|wenigsten|letzten?";
const NUMBERS: Readonly<Record<string, number>> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  zwei: 2,
  drei: 3,
  vier: 4,
  fünf: 5,
  sechs: 6,
  sieben: 7,
  acht: 8,
  neun: 9,
  zehn: 10,
};
const NUMBER = `\\d{1,3}|${Object.keys(NUMBERS).join("|")}`;
const ARTICLE = "(?:the|die|der|das|den|dem)?\\s*";
const PLACES = [
  `(?<word>${BEST}|${WORST})\\s+(?<n>${NUMBER})(?:\\s+(?:ones?|only))?`,
  `(?<n>${NUMBER})\\s+(?<word>${BEST}|${WORST})(?:\\s+ones?)?`,
  `(?<word>${BEST}|${WORST})(?:\\s+ones?)?`,
].map((place) => new RegExp(`^${ARTICLE}${place}$`, "i"));
const ORDINALS: Readonly<Record<string, number>> = {
  second: 1,
  third: 2,
  fourth: 3,
  fifth: 4,
  zweite: 1,
  zweiten: 1,
  zweiter: 1,
  zweites: 1,
  dritte: 2,
  dritten: 2,
  dritter: 2,
  drittes: 2,
  vierte: 3,
  vierten: 3,
  fünfte: 4,
  fünften: 4,
};
const NTH = new RegExp(
  `^${ARTICLE}(${Object.keys(ORDINALS).join("|")})(?:\\s+(?:best|largest|highest|biggest))?(?:\\s+one)?$`,
  "i",
);
const FIRST = new RegExp(`^${ARTICLE}(?:(?<low>${WORST})|${BEST})\\s+(?:first|zuerst|zuoberst)$`, "i");
const DIRECTION = /^(?:sort(?:ed|ier(?:t|e))?\s+)?(?:(?<up>ascending|aufsteigend)|descending|absteigend)$/i;
const ALL =
  /^(?:(?:show|list|give|zeige?)\s+)?(?:(?:me|us|mir|uns)\s+)?(?:all(?: of (?:them|those|these))?|alle(?: davon)?|everything|alles)(?:\s+zeigen)?$/i;
const SHARE =
  /^(?:(?:what|which|show)\s+)?(?:(?:in|as(?: a| an)?|als)\s+)?(?:the\s+|ihr(?:en)?\s+)?(?:percent(?:ages?)?|%|shares?|proportions?|prozent|anteile?|prozentual|anteilig)(?:\s+(?:of|am|an|vom)(?: the| der| dem)?\s+(?:total|whole|gesamt(?:en|heit)?))?$/i;
const TIMELESS = /^(?:(?:in\s+|the\s+)?total|overall|altogether|insgesamt|gesamt|zusammen|in summe)$/i;

/** "top 10", "and the lowest?", "worst first", "in percent" of what was shown before: by the same number. */
export function ranked(rest: string, ask: Ask, schema: Schema): Ask | undefined {
  if (ask.k === "list") return ALL.test(rest) && ask.limit !== undefined ? unlimited(ask) : undefined;
  const [by] = ask.cols;
  if (by === undefined) return undefined;
  if (ask.by.length === 0) return undefined;
  if (TIMELESS.test(rest)) return ungrouped(ask);
  if (ALL.test(rest)) return ask.top === undefined && ask.having === undefined ? undefined : plain(ask);
  if (SHARE.test(rest)) return shares(ask, schema);
  const order = FIRST.exec(rest) ?? DIRECTION.exec(rest);
  if (order !== null) {
    const { low, up } = order.groups ?? {};
    const isUp = up !== undefined || (low !== undefined) !== isTurned(rest, by);
    return { ...ask, order: [{ by, dir: isUp ? "asc" : "desc" }] };
  }
  const nth = NTH.exec(rest)?.[1]?.toLowerCase();
  // What has periods in a row has no second one.
  if (ask.by.some(({ bucket }) => bucket !== undefined) && nth !== undefined) return undefined;
  if (nth !== undefined)
    return {
      ...ask,
      top: { n: 1, skip: ORDINALS[nth] ?? 1, by: ask.top?.by ?? by, dir: ask.top?.dir ?? "max", ties: "cut" },
    };
  const place = placeOf(rest, by);
  if (place === undefined) return undefined;
  const { order: _, ...unordered } = ask;
  return { ...unordered, top: { ...place, by: ask.top?.by ?? by, ties: "cut" } };
}

/** "top 3", "the two lowest", "worst": how many, and from which end. */
export function placeOf(text: string, by: Num): { n: number; dir: "max" | "min" } | undefined {
  const found = PLACES.map((pattern) => pattern.exec(text)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return undefined;
  const { word = "", n = "1" } = found;
  const isLow = new RegExp(`^(?:${WORST})$`, "i").test(word);
  const dir = isLow === isTurned(word, by) ? ("max" as const) : ("min" as const);
  return { n: NUMBERS[n.toLowerCase()] ?? Number(n), dir };
}

const JUDGES = /^(?:the |die |der |das )?(?:best|worst|schlecht)/i;
const LESS_IS_BETTER =
  /return|refund|cancel|delay|cost|complain|churn|error|defect|fault|duration|resolution|reply|wait|discount|expense|loss|late|overdue/i;

/** The worst delay is the longest one. */
function isTurned(word: string, by: Num): boolean {
  return JUDGES.test(word) && LESS_IS_BETTER.test(JSON.stringify(by));
}

/** All rows. */
function plain({ top: _, having: __, ...ask }: Table): Table {
  return ask;
}

function unlimited({ limit: _, ...ask }: Extract<Ask, { k: "list" }>): Ask {
  return ask;
}

/** One number of all groups; of the first ones alone there is none. */
function ungrouped({ fill: _, order: __, ...ask }: Table): Table | undefined {
  return ask.top === undefined && ask.having === undefined ? { ...ask, by: [] } : undefined;
}

/** Only what adds up has parts. */
function shares(ask: Table, schema: Schema): Table | undefined {
  const [num, ...others] = ask.cols;
  if (others.length > 0 || (num?.k !== "metric" && num?.k !== "agg") || !isAdditive(num, schema))
    return undefined;
  return {
    ...ask,
    cols: [{ k: "calc", op: "/", a: num, b: { ...num, scope: { ...num.scope, whole: true } } }],
  };
}
