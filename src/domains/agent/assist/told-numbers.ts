import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { Result } from "../answer.ts";
import { type Format, numberIn } from "../explain/format.ts";
import type { View } from "../explain/view.ts";

/** What a text is about. */
export interface Told {
  question: string;
  result: Result;
  view: View;
  /** The numbers of the whole, where they are known. */
  totals: readonly JsonValue[] | undefined;
}

/** A number that may be written, and the rows that it is of; null is all of them. */
export interface Fact {
  value: number;
  isPercent: boolean;
  rows: readonly number[] | null;
  /** `change` has a direction, from the first row or column to the second; `apart` has none. */
  kind: "cell" | "share" | "change" | "apart" | "total" | "count";
  /** The sign of its currency. */
  symbol?: string;
}

/** Cells, and what follows from them: sum, average, shares of the sum or the whole, differences and changes. */
export function factsOf({ view, totals }: Told): Fact[] {
  const { rows, numbers, keys } = view;
  const facts: Fact[] = [{ value: rows.length, isPercent: false, rows: null, kind: "count" }];
  for (const { index, format } of numbers) {
    const add = addTo(facts, format);
    const cells = rows.flatMap((row, i) => {
      const value = numberIn(row[index]);
      return value === undefined ? [] : [{ value, i }];
    });
    const sum = cells.reduce((all, { value }) => all + value, 0);
    const whole = numberIn(totals?.[index - keys.length]);
    for (const { value, i } of cells) {
      add("cell", value, [i]);
      for (const all of [sum, whole]) if (all !== undefined && all !== 0) add("share", value / all, [i]);
    }
    for (const all of [sum, whole, sum / Math.max(1, cells.length)])
      if (all !== undefined) add("total", all, null);
    const ranked = cells.toSorted((a, b) => b.value - a.value);
    const pairs = [...cells.slice(1).map((each, i) => [cells[i], each]), [cells[0], cells.at(-1)]];
    for (const [a, b] of [...pairs, [ranked[0], ranked[1]], [ranked[0], ranked.at(-1)]])
      if (a !== undefined && b !== undefined && a !== b) addChange(a.value, b.value, [a.i, b.i], add);
  }
  for (const [i, row] of rows.entries()) {
    const [a, b] = numbers.map(({ index }) => numberIn(row[index]));
    const [first] = numbers;
    if (a !== undefined && b !== undefined && first !== undefined)
      addChange(a, b, [i], addTo(facts, first.format));
  }
  return facts;
}

type Add = (kind: Fact["kind"] | "rate", value: number, rows: Fact["rows"]) => void;

function addTo(facts: Fact[], format: Format): Add {
  const symbol = format.kind === "money" ? { symbol: format.symbol.trim() } : {};
  return (kind, value, rows) => {
    if (!Number.isFinite(value)) return;
    if (kind === "share" || kind === "apart") facts.push({ value: value * 100, isPercent: true, rows, kind });
    else if (kind === "rate") facts.push({ value: value * 100, isPercent: true, rows, kind: "change" });
    else if (format.kind === "percent") facts.push({ value: value * format.by, isPercent: true, rows, kind });
    else facts.push({ value, isPercent: false, rows, kind, ...symbol });
  };
}

function addChange(a: number, b: number, rows: readonly number[], add: Add): void {
  add("change", b - a, rows);
  if (a !== 0) add("rate", (b - a) / a, rows);
  if (b !== 0) add("apart", (a - b) / b, rows);
}

/** A number as it is written. */
export interface Written {
  text: string;
  /** The sign of the currency that it is said to be in. */
  symbol?: string | undefined;
  isNegative?: true;
  /** What stands before it. */
  before?: string;
  value: number | undefined;
  isPercent: boolean;
  /** Half of the last digit that is written. */
  tolerance: number;
  isWord?: true;
}

const SCALES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  tsd: 1e3,
  m: 1e6,
  mn: 1e6,
  mio: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
  mrd: 1e9,
};
const NUMBER =
  /(?<![\p{L}\p{N}.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?:\s?(%|percent\b|k\b|m\b|mn\b|bn\b|thousand\b|million\b|billion\b|tsd\b|mio\b|mrd\b))?(?![\p{L}\p{N}])/giu;
const NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve".split(" ");
/** Numbers in words that nobody needs to write so. */
const LARGE_WORDS =
  /\b(?:(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundreds?|thousands?|millions?|billions?|dozens?|half|twice|double|triple|third|quarter of)\b/gi;
const MIXED = /(?=\p{L}*\d)(?=\d*\p{L})[\p{L}\p{N}]+/gu;

const CURRENCIES: Readonly<Record<string, RegExp>> = {
  "€": /^(€|euros?|eur)$/i,
  $: /^(us\$|\$|us dollars?|dollars?|usd)$/i,
  "£": /^(£|pounds?|gbp)$/i,
  CHF: /^(chf|(?:swiss )?francs?)$/i,
  "¥": /^(¥|yen|jpy)$/i,
};
const MONEY_BEFORE = /(us\$|[$€£¥]|\b(?:usd|eur|gbp|chf|jpy))\s?$/iu;
const MONEY_BEHIND =
  /^\s?([$€£¥]|(?:(?:us |swiss )?(?:euros?|eur|dollars?|usd|pounds?|gbp|chf|francs?|yen|jpy))\b)/iu;

/** Every number in a text; what mixes digits and letters, such as Q3, is none and has no value. */
export function writtenIn(text: string): Written[] {
  const numbers = [...text.matchAll(NUMBER)].map((match): Written => {
    const [whole, digits = "", fraction = "", unit = ""] = match;
    const scale = SCALES[unit.toLowerCase()] ?? 1;
    const value = Number(`${digits.replaceAll(",", "")}${fraction}`) * scale;
    const tolerance = 0.5 * 10 ** -Math.max(0, fraction.length - 1) * scale;
    const before = text.slice(0, match.index);
    const money =
      MONEY_BEFORE.exec(before)?.[1] ?? MONEY_BEHIND.exec(text.slice(match.index + whole.length))?.[1];
    const symbol = Object.entries(CURRENCIES).find(([, said]) => said.test(money ?? ""))?.[0];
    const isNegative = /[-−]\s?$/.test(before.replace(MONEY_BEFORE, "")) ? { isNegative: true as const } : {};
    return {
      text: whole,
      value,
      isPercent: /^(%|percent)$/i.test(unit),
      tolerance,
      symbol,
      before,
      ...isNegative,
    };
  });
  const words = [...text.toLowerCase().matchAll(/\p{L}+/gu)].flatMap(([word]) => {
    const at = NUMBER_WORDS.indexOf(word);
    return at === -1
      ? []
      : [{ text: word, value: at + 2, isPercent: false, tolerance: 0, isWord: true as const }];
  });
  const rest = text.replaceAll(NUMBER, " ");
  const mixed = [...rest.matchAll(MIXED), ...rest.matchAll(LARGE_WORDS)].map(([each]) => ({
    text: each,
    value: undefined,
    isPercent: false,
    tolerance: 0,
  }));
  return [...numbers, ...words, ...mixed];
}
