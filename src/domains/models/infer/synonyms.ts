import { measureOf, unitCalled } from "../quantities/index.ts";

/** Numbers that are named after their unit are asked for by what they measure. Other words are the questions' own matter. */
const MEASURED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    duration: ["duration", "length", "time"],
    data: ["size"],
    distance: ["distance"],
    weight: ["weight"],
  }),
);

/** What a number in a unit measures, in place of the unit, and its name without it: of `body_mass_g` the body mass. */
export function measuredBy(words: readonly string[]): string[] {
  const measure = measureOf(words.join(" "));
  const last = words.at(-1) ?? "";
  const unit = unitCalled(last);
  if (measure?.unit === undefined || unit === undefined || unit.sign !== measure.unit.sign) return [];
  const rest = words.slice(0, words.at(-2) === "in" ? -2 : -1);
  const hasNoun = measureOf(rest.join(" ")) !== undefined;
  const named = hasNoun ? [] : (MEASURED.get(measure.quantity) ?? []);
  return [...named.map((word) => [...rest, word].join(" ")), ...(rest.length > 0 ? [rest.join(" ")] : [])];
}

/** What is asked for where a dataset is about selling. */
export const SALES = ["sales", "turnover", "spend", "spending"];
const SELLING = new Set(
  `order sale sales invoice transaction purchase item line detail booking payment receipt rechnung bestellung auftrag
  verkauf umsatz kauf einkauf buchung kassenbon`.split(/\s+/),
);

/** And where it is about spending. */
export const SPENDING = ["spend", "spending", "expense", "cost", "ausgaben", "kosten"];
const SPENT = new Set("expense cost spend spending expenditure ausgabe spesen kosten".split(" "));

export function isSpending(thing: readonly string[]): boolean {
  return thing.some((word) => SPENT.has(word));
}

export function isSelling(thing: readonly string[]): boolean {
  return thing.some((word) => SELLING.has(word));
}

/** What is said of the money that rows are about, by what they are: first of all what was done. */
const DEEDS: readonly (readonly [of: RegExp, words: string])[] = [
  [/^(?:donation|contribution|gift|pledge|spende)$/, "donated given gave give donate contributed gespendet"],
  [/^(?:invoice|bill|rechnung)$/, "invoiced billed bill charged berechnet"],
  [/^(?:payment|payout|zahlung)$/, "paid pay bezahlt gezahlt"],
  [/^(?:grant|award|subsidy|funding|loan)$/, "granted awarded lent"],
  [/^(?:expense|purchase|cost|ausgabe)$/, "spent spend paid ausgegeben"],
];

/**
 * Words for the sum of the one amount of money that rows are about: "how much money was donated". What sounds like the
 * rows themselves is said with the money only: invoices are no money that was invoiced.
 */
export function moneyWords(thing: readonly string[]): string[] {
  const noun = thing.at(-1) ?? "";
  const deeds = DEEDS.flatMap(([of, words]) => (of.test(noun) ? words.split(" ") : []));
  const alone = deeds.filter((deed) => !deed.startsWith(noun.slice(0, -1)));
  const both = alone.flatMap((deed) => [`money ${deed}`, `amount ${deed}`]);
  return ["money", "amount of money", "geld", ...alone, ...both];
}

/** "average donation": of what is nothing but an amount of money. */
export function averageWords(thing: readonly string[]): string[] {
  const last = thing.at(-1) ?? "";
  if (!DEEDS.some(([of]) => of.test(last)) && !isSelling([last])) return [];
  return [...new Set([thing.join(" "), last])].flatMap((noun) => [`average ${noun}`, `mean ${noun}`]);
}

/** What the time between two dates is called, by what they tell. */
const SPANS: readonly (readonly [from: RegExp, to: RegExp, words: string])[] = [
  [
    /admi(?:ssion|tted)|arriv|check_?in|aufnahme|anreise/,
    /discharge|depart|check_?out|entlassung|abreise/,
    "length of stay|stay length|stay duration|duration of stay|stay|aufenthaltsdauer|verweildauer",
  ],
  [
    /join|hire|start|member|eintritt/,
    /left|leav|terminat|exit|end|quit|cancel|austritt/,
    "tenure|length of service|length of employment|length of membership|membership length|membership duration",
  ],
];

export function spanWords(from: string, to: string): string[] {
  return SPANS.flatMap(([start, end, words]) => (start.test(from) && end.test(to) ? words.split("|") : []));
}
