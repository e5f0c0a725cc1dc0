import { fold, foldGerman, GLOSSARY, stem, stemGerman } from "../agent/index.ts";

/** The words of instructions, English and German. Longer phrases stand before those that they begin with. */

export const CHART_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:stacked )?area(?: charts?)?\b|\bflächendiagramm\w*/i, "area"],
  [/\b(?:stacked )?bar(?: (?:charts?|graphs?))?s?\b|\bbalken\w*/i, "bar"],
  [/\bcolumn(?: charts?)?s?\b|\bsäulen\w*/i, "column"],
  [/\blines?(?: (?:charts?|graphs?))?\b|\blinien\w*|\bals linie\b/i, "line"],
  [/\bpie(?: charts?)?\b|\b(?:torten|kreis)diagramm\w*/i, "pie"],
  [/\b(?:donut|doughnut)(?: charts?)?\b|\bringdiagramm\w*/i, "donut"],
  [/\bscatter(?: ?(?:plots?|charts?))?\b|\bstreudiagramm\w*/i, "scatter"],
  [/\bheat ?maps?\b/i, "heatmap"],
  [/\bfunnels?(?: charts?)?\b|\btrichter\w*/i, "funnel"],
  [/\btree ?maps?\b|\bkacheldiagramm\w*/i, "treemap"],
  [/\bgauges?\b|\btachos?\b/i, "gauge"],
  [
    /\b(?:single )?(?:number )?(?:tiles?|kpis?)\b|\bsingle (?:number|value)\b|\bkacheln?\b|\bkennzahl\w*/i,
    "singletext",
  ],
  [/\b(?:data )?(?:tables?|grids?)\b|\btabellen?\b/i, "datagrid2"],
];

export const GRAIN_WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:by|per|each|every|a|over the|pro|je|nach|im) (?:day|tag)e?s?\b|\bdaily\b|\btäglich\w*|\ban einem tag\b/i,
    "day",
  ],
  [/\b(?:by|per|each|every|a|pro|je|nach) (?:week|woche)\b|\bweekly\b|\bwöchentlich\w*/i, "week"],
  [/\b(?:by|per|each|every|a|pro|je|nach) (?:month|monat)\b|\bmonthly\b|\bmonatlich\w*/i, "month"],
  [/\b(?:by|per|each|every|a|pro|je|nach) (?:quarter|quartal)\b|\bquarterly\b/i, "quarter"],
  [
    /\b(?:by|per|each|every|a|pro|je|nach) (?:year|jahr)\b|\byearly\b|\bannual(?:ly)?\b|\bjährlich\w*/i,
    "year",
  ],
];

export const AGGREGATE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:the )?(?:number|count|amount) of\b|\bhow many\b|\b(?:die )?anzahl(?: der| an| von)?\b/i, "count"],
  [/\b(?:the )?(?:average|avg|mean)(?: of)?\b|\bdurchschnittlich\w*|\bdurchschnitt(?: der| des)?\b/i, "avg"],
  [/\b(?:the )?(?:total|sum|overall)(?: of)?\b|\b(?:summe|gesamt)(?: der| des)?\b/i, "sum"],
  [/\b(?:the )?(?:highest|maximum|largest)\b|\bhöchste\w*/i, "max"],
  [/\b(?:the )?(?:lowest|minimum|smallest)\b|\bniedrigste\w*/i, "min"],
];

const UNITS: Record<string, string> = { d: "d", t: "d", w: "w", m: "m", q: "q", j: "y", y: "y" };

/** A period as the start that C9QL has for it. */
export function periodIn(text: string): { said: string; from: string; to?: string } | undefined {
  const some =
    /\b(?:in |of |for |over |the |der |den |die |in den |seit )*(?:last|past|previous|letzten|vergangenen) (\d+|few) (days?|tagen?|weeks?|wochen?|months?|monaten?|quarters?|quartalen?|years?|jahren?)\b/i.exec(
      text,
    );
  if (some !== null)
    return {
      said: some[0],
      from: `$c9_today-${some[1] === "few" ? 3 : some[1]}${UNITS[some[2]?.[0]?.toLowerCase() ?? "d"]}`,
    };
  const this_ =
    /\b(?:in |of |for |the |dieses |diesen |diese |im )*(?:this|current|dieses|diesen|diese|laufenden?) (week|woche|month|monat|quarter|quartal|year|jahr)(?:s|es)?\b/i.exec(
      text,
    );
  if (this_ !== null) return { said: this_[0], from: `$c9_this${english(this_[1] as string)}` };
  const last =
    /\b(?:in |of |for |the |im )*(?:last|previous|letzten|letztes|letzter|vorigen) (week|woche|month|monat|quarter|quartal|year|jahr)(?:s|es)?\b/i.exec(
      text,
    );
  if (last !== null) {
    const unit = english(last[1] as string);
    return { said: last[0], from: `$c9_last${unit}`, to: `$c9_this${unit}` };
  }
  return undefined;
}

function english(unit: string): string {
  return (
    { woche: "week", monat: "month", quartal: "quarter", jahr: "year" }[unit.toLowerCase()] ??
    unit.toLowerCase()
  );
}

/** Names of days, as reports call them. */
export const DAYS: readonly (readonly [RegExp, string])[] = [
  [/\bmondays?\b|\bmontags?\b/i, "MONDAY"],
  [/\btuesdays?\b|\bdienstags?\b/i, "TUESDAY"],
  [/\bwednesdays?\b|\bmittwochs?\b/i, "WEDNESDAY"],
  [/\bthursdays?\b|\bdonnerstags?\b/i, "THURSDAY"],
  [/\bfridays?\b|\bfreitags?\b/i, "FRIDAY"],
  [/\bsaturdays?\b|\bsamstags?\b/i, "SATURDAY"],
  [/\bsundays?\b|\bsonntags?\b/i, "SUNDAY"],
];

/** Mail addresses in a text; whoever says "me" means their own. */
export function recipientsIn(text: string, me: string): string {
  const named = text.match(MAIL) ?? [];
  return (named.length === 0 && /\b(?:me|mich|mir)\b/i.test(text) ? [me] : named).join(", ");
}

/** At once, or once more. */
export const SOON =
  /\b(?:now|immediately|at once|again|once more|sofort|jetzt|gleich|nochmals?|noch ?mal|noch einmal|erneut)\b/i;

/** What something new is to be called, in quotation marks or not. */
export function calledIn(text: string): string | undefined {
  const called =
    /\b(?:called|named|titled|namens)\s+["“„]?(.+?)["”“]?(?=\s+(?:with|that|which|when|if|wenn|mit|das|der|die|showing|containing)\b|[,:]|[.!?]?\s*$)/is.exec(
      text,
    )?.[1];
  return called?.trim();
}

export type Comparison = "<" | "<=" | ">" | ">=" | "=";

const NUMBER = /(-?\d[\d.,]*)\s*(k\b|m\b|thousand\b|million\b|mio\.?|tsd\.?|tausend\b|millionen\b)?/i.source;
const COMPARISONS: readonly (readonly [string, Comparison])[] = [
  ["(?:at least|no less than|mindestens|>=)", ">="],
  ["(?:at most|no more than|höchstens|<=)", "<="],
  ["(?:below|under|less than|fewer than|lower than|unter|weniger als|geringer als|<)", "<"],
  [
    "(?:above|over|more than|greater than|higher than|longer than|exceeds?|über|mehr als|höher als|größer als|länger als|>)",
    ">",
  ],
  ["(?:equals?|equal to|is exactly|gleich|=)", "="],
];

/** "drop below 50": which words, the comparison, and the number. */
export function comparisonIn(
  text: string,
): { said: string; comparison: Comparison; value: number } | undefined {
  for (const [words, comparison] of COMPARISONS) {
    const found = new RegExp(
      `${words}\\s*[€$£]?\\s*${NUMBER}\\s*(?:€|euros?|eur|%|hours?|stunden)?`,
      "i",
    ).exec(text);
    if (found !== null) return { said: found[0], comparison, value: numberOf(found[1] as string, found[2]) };
  }
  return undefined;
}

export function numberOf(digits: string, scale = ""): number {
  // 1.000 and 1,000 are both a thousand; 1.5 and 1,5 one and a half.
  const plain = digits
    .replace(/[.,](?=\d{3}(?:\D|$))/g, "")
    .replace(",", ".")
    .replace(/\.$/, "");
  const factor = /^(m|mil|mio)/i.test(scale) ? 1e6 : /^(k|t)/i.test(scale) ? 1e3 : 1;
  return Number(plain) * factor;
}

export const MAIL = /[^\s@,;<>"]+@[^\s@,;<>"]+\.[a-z]{2,}/gi;

/** Words that say nothing of what is shown. */
const FILLERS = new Set(
  "a an the of by per and or with in on for from to at as is are be that has have it its this these those our my me mir uns we us i all each every new please chart charts graph graphs diagram diagrams visualization widget widgets data trend trends development over time show only just only das der die den dem des ein eine einen einem einer eines und oder mit in im auf für von vom zu zum zur als ist sind bitte diagramm diagramme grafik nach pro je nur unser unsere unseren über zeit verlauf entwicklung value values versus against vs which sum total number count average dataset table tabelle".split(
    " ",
  ),
);

export function isFiller(word: string): boolean {
  return FILLERS.has(word.toLowerCase());
}

export function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu) ?? [];
}

/** The forms by which a word is looked up: its own stem, and what it is in English. */
export function formsOf(word: string): string[] {
  const glosses = GLOSSARY.get(stemGerman(foldGerman(word))) ?? [];
  return [
    ...new Set([stem(fold(word)), ...glosses.map(({ norms }) => norms.split(" ").map(stem).join(" "))]),
  ];
}

export function keyOf(text: string): string {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll("_", " ");
  return wordsIn(spaced)
    .map((word) => stem(fold(word)))
    .join(" ");
}

/** How often something happens, as the tools call it. */
export const FREQUENCIES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:every minute|minutely|jede minute)\b/i, "minutes"],
  [/\b(?:hourly|every hour|stündlich\w*|jede stunde)\b/i, "hours"],
  [/\b(?:daily|every (?:day|morning|evening)|each day|täglich\w*|jeden (?:tag|morgen|abend))\b/i, "days"],
  [/\b(?:weekly|every week|wöchentlich\w*|jede woche)\b/i, "weeks"],
  [/\b(?:monthly|every month|monatlich\w*|jeden monat)\b/i, "months"],
];

/** What is spoken of. */
export const BOARD = /(?:dash)?boards?\b|\boverview\b|übersicht\b/i;
export const WIDGET = /\b(?:widgets?|charts?|graphs?|diagramm\w*|tiles?|kacheln?|grafik\w*)\b/i;

/** Words that ask for something new. */
export const ADD =
  /\b(?:add|put|show|plot|draw|display|include|compare|create|make|need|füg\w*|zeig\w*|erstell\w*|stell\w*|leg\w*|zeichne\w*|vergleich\w*|visuali[sz]e)\b/i;
