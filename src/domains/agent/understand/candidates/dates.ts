import { editDistance } from "../../../../kernel/text.ts";
import type { DateProfile } from "../../dates/profile.ts";
import {
  absentDate,
  type DateFound,
  type DateWindow,
  readDates,
  type WindowFound,
} from "../../dates/read-dates.ts";
import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Language } from "../languages/language.ts";
import type { Word } from "../languages/words.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import type { Understanding } from "../reading.ts";
import type { Sense } from "../senses/fragment.ts";
import type { Found } from "./candidates.ts";

/** Misspelt words of time are corrected before dates are read. */
export function withDateWords(text: string, lexicon: Lexicon, language: Language): string {
  return text.replace(/\p{L}{5,}/gu, (word) => {
    const norm = language.fold(word);
    if (
      language.dateWords.includes(norm) ||
      language.fillers.has(norm) ||
      lexicon.values.has(norm) ||
      lexicon.phrases.has(language.stem(norm)) ||
      language.gloss.has(language.stem(norm))
    )
      return word;
    // Hardly anybody gets the first letter wrong: "early" is not "yearly".
    const isMeant = (known: string) => known[0] === norm[0] && editDistance(known, norm) === 1;
    return language.dateWords.find(isMeant) ?? word;
  });
}

/** Dates are read by a grammar of their own. */
export function datesIn(question: DatedText, knowledge: Knowledge): DateFound[] {
  const { text } = question;
  const found = readDates(text, profileOf(question, knowledge));
  return found.filter(({ start, end }) => !PLACES.test(text.slice(start, end)));
}

/** "31 February": nothing happened then, and no other day is meant. */
export function absentIn(question: DatedText, knowledge: Knowledge): Understanding["missing"] {
  const span = absentDate(question.text, profileOf(question, knowledge));
  if (span === undefined) return [];
  return [{ span, text: question.text.slice(span.start, span.end), nearest: [], isAbsent: true }];
}

function profileOf({ now, timeZone }: DatedText, { definitions, schema }: Knowledge): DateProfile {
  const fiscalStart = { month: definitions.rules.fiscalMonth ?? 1, day: 1, namedAfter: "start" as const };
  const { weekStart = "monday" } = schema;
  return { now, timeZone, weekStart, fiscalStart, style: "business" };
}

/** "between the first and second", "the second one": places in a row, and no days of this month. */
const PLACES =
  /^(?:(?:between|from|up|until|till|since|by|before|after|to|on|the|zwischen|von|bis|zu[mr]|de[mnr]|die) )*(?:first|second|third|fourth|fifth|(?:erst|zweit|dritt|viert|fünft)e[nrsm]?)(?:(?: (?:and|to|until|the|und|bis|zu[mr]|de[mnr]|die))+ (?:first|second|third|fourth|fifth|(?:erst|zweit|dritt|viert|fünft)e[nrsm]?))?$/i;

/** A period of which only the days are known. */
function saidOf({ from, to }: DateWindow): string {
  if (from === null || to === null) return "";
  const year = from.slice(0, 4);
  if (from === `${year}-01-01` && to === `${Number(year) + 1}-01-01`) return year;
  const last = new Date(`${to.slice(0, 10)}T00:00:00Z`);
  last.setUTCDate(last.getUTCDate() - 1);
  return `${from.slice(0, 10)} to ${last.toISOString().slice(0, 10)}`;
}

interface DatedText {
  text: string;
  now: string;
  timeZone: string;
}

export function dateCandidates(question: DatedText, words: readonly Word[], knowledge: Knowledge): Found[] {
  const { text } = question;
  const found = datesIn(question, knowledge);
  const pairs = windowPairs(found, text);
  const joined = [...pairs].flatMap(([second, first]) => paired(second, first, text, words));
  const single = found.flatMap((each): Found[] => {
    const start = words.findIndex((word) => word.end > each.start);
    const end = words.findLastIndex((word) => word.start < each.end) + 1;
    if (start === -1 || end <= start) return [];
    const at = { start, end, cost: (end - start - 1) * -0.3 };
    if (each.kind === "window" || (each.kind === "same" && each.window !== undefined)) {
      const sense: Sense = { t: "window", win: { ...(each.window as DateWindow), said: each.said } };
      const cost = at.cost + ("latent" in each && each.latent ? 0.1 : 0);
      // Whoever says "between" mostly means all of it.
      const isBetween = /^(between|zwischen)\b/i.test(text.slice(each.start));
      const ends = "ends" in each ? each.ends : undefined;
      return [
        { ...at, cost, sense },
        ...(ends === undefined
          ? []
          : [
              {
                ...at,
                cost: cost + (isBetween ? 1.1 : 0.6),
                sense: {
                  t: "windows" as const,
                  wins: ends.toReversed().map((win) => ({ ...win, said: saidOf(win) })),
                },
              },
            ]),
      ];
    }
    if (each.kind === "grain") {
      const isEvery = /^(every|jede)/i.test(text.slice(each.start)) || undefined;
      return [{ ...at, sense: { t: "grain", grain: each.grain, isFiscal: each.fiscal ?? false, isEvery } }];
    }
    if (each.kind === "same") return [];
    if (each.series === true && each.shift !== undefined)
      return [{ ...at, sense: { t: "op", op: "series", arg: each.shift.grain } }];
    if (each.shift !== undefined)
      return [{ ...at, sense: { t: "op", op: "versus period", arg: each.shift.grain } }];
    // "than Q3 2025"
    if (each.window === undefined) return [];
    const win = { ...each.window, said: each.said };
    return [{ ...at, sense: { t: "than", win, cond: null, ds: null } }];
  });
  return [...single, ...joined];
}

/** Windows that stand beside each other: "2024 and 2025", "Q1 2026 vs Q1 2025". */
function windowPairs(found: readonly DateFound[], text: string): Map<DateFound, WindowFound> {
  const pairs = new Map<DateFound, WindowFound>();
  for (const [i, first] of found.entries()) {
    const second = found[i + 1];
    if (first.kind !== "window" || second === undefined) continue;
    const between = text.slice(first.end, second.start).trim();
    const isWindow =
      second.kind === "window" &&
      /^(and|und|vs\.?|versus|over|against|compared (to|with)|gegen(über)?|ggü\.?|im vergleich (zu|mit)|verglichen mit)$/i.test(
        between,
      );
    const isCompare = second.kind === "compare" && second.window !== undefined && /^(,|im)?$/i.test(between);
    if (isWindow || isCompare) pairs.set(second, first);
  }
  return pairs;
}

function paired(second: DateFound, first: WindowFound, text: string, words: readonly Word[]): Found[] {
  if (second.kind === "grain" || second.window === undefined) return [];
  const start = words.findIndex((word) => word.end > first.start);
  const end = words.findLastIndex((word) => word.start < second.end) + 1;
  const at = { start, end, cost: (end - start - 1) * -0.3 };
  const wins = [first, second].map(({ window, said }) => ({ ...(window as DateWindow), said }));
  const [a, b] = [first.window, second.window];
  const isAnd = /^\s*(and|und)\s*$/i.test(text.slice(first.end, second.start));
  if (isAnd && a.to !== null && a.to === b.from) {
    const win = { from: a.from, to: b.to, said: `${first.said} and ${second.said}` };
    return [
      { ...at, sense: { t: "window", win } },
      { ...at, cost: at.cost + 0.5, sense: { t: "windows", wins } },
    ];
  }
  return [{ ...at, sense: { t: "windows", wins } }];
}
