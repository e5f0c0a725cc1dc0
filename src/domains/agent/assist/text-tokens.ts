import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { Result } from "../answer.ts";
import { shortWindow } from "../explain/say.ts";
import { cell, type ShownColumn, type View } from "../explain/view.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Cond } from "../query/semantic-query.ts";
import { fold } from "../understand/languages/words.ts";

/** What a text is about. */
export interface Told {
  question: string;
  result: Result;
  view: View;
  /** The numbers of the whole, where they are known. */
  totals: readonly JsonValue[] | undefined;
  knowledge: Knowledge;
}

/** A piece of a sentence that is understood; its kind is a letter, so that a sentence is a word of such letters. */
export interface Token {
  kind: string;
  /** The rows that a name is of. */
  rows?: readonly number[];
  /** The numbers that are spoken of. */
  column?: ShownColumn;
  number?: Written;
  /** Second, third. */
  place?: number;
}

/** A number as it is written. */
export interface Written {
  value: number;
  isPercent: boolean;
  /** Half of the last digit that is written. */
  tolerance: number;
  /** The sign of the currency that it is said to be in. */
  symbol: string | undefined;
}

/** Every word that a text may use beside the names and numbers of its result. What says nothing has no kind. */
const WORDS: Readonly<Record<string, string>> = {
  "": "the|a|an|which|'s|’s|place",
  h: "is|was|are|were|has|had|have|took|made|makes|reached|recorded|generated|brought in|came to|comes|came|ranks|ranked|stands|stood|accounts for|accounted for|contributed",
  l: "leads|led",
  w: "with|at|:",
  o: "of",
  c: "in|for",
  f: "from",
  k: "to",
  b: "by",
  t: "highest|largest|biggest|greatest|most|strongest|top|first",
  e: "lowest|smallest|least|fewest|weakest|last",
  a: "ahead of|above",
  z: "behind|below",
  m: "more|higher|larger|greater",
  u: "less|lower|smaller|fewer",
  n: "than",
  F: "followed by",
  T: "in total|in all|total|together|combined|altogether",
  W: "all",
  s: "share",
  r: "rose|grew|increased|climbed",
  d: "fell|declined|decreased|dropped",
  G: "one",
  ",": ",|;|and|while|but|whereas|–|—|(|)",
};
const PLACES = ["second", "third", "fourth", "fifth"];
const PLAIN: readonly [string, Token][] = [
  ...Object.entries(WORDS).flatMap(([kind, words]) =>
    words.split("|").map((word): [string, Token] => [word, { kind }]),
  ),
  ...PLACES.map((word, i): [string, Token] => [word, { kind: "O", place: i + 2 }]),
];

/** Takes sentences apart; undefined for one with anything in it that is not understood. */
export function tokensOf(told: Told): (sentence: string) => Token[] | undefined {
  const named = namesOf(told);
  return (sentence) => {
    const text = fold(sentence).replace(/[.!\s]+$/, "");
    const entries = [...named, ...PLAIN]
      .filter(([name]) => text.includes(name))
      .toSorted(([a], [b]) => b.length - a.length);
    const tokens: Token[] = [];
    for (let at = 0; at < text.length; ) {
      if (/\s/.test(text.charAt(at))) at += 1;
      else {
        const [length, token] = tokenAt(text, at, entries) ?? [];
        if (length === undefined || token === undefined) return undefined;
        if (token.kind !== "") tokens.push(token);
        at += length;
      }
    }
    return tokens;
  };
}

const SCALES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
};
const CURRENCIES: Readonly<Record<string, RegExp>> = {
  "€": /^(€|euros?|eur)$/,
  $: /^(us\$|\$|dollars?|usd)$/,
  "£": /^(£|pounds?|gbp)$/,
  CHF: /^(chf|francs?)$/,
  "¥": /^(¥|yen|jpy)$/,
};
const NUMBER =
  /([-−]?)(us\$|[$€£¥]|(?:usd|eur|gbp|chf|jpy)(?=\s))?\s?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?:\s?(%|percent|k|mn?|bn|thousand|million|billion)(?!\p{L}))?(?:\s?([$€£¥]|(?:euros?|eur|dollars?|usd|pounds?|gbp|chf|francs?|yen|jpy)(?!\p{L})))?(?![\p{L}\p{N}%]|[.,]\d)/uy;

function tokenAt(
  text: string,
  at: number,
  entries: readonly [string, Token][],
): [length: number, token: Token] | undefined {
  const isWhole = (name: string) =>
    !/[\p{L}\p{N}]$/u.test(name) || /^(?![\p{L}\p{N}]|[.,]\d|\s?%)/u.test(text.slice(at + name.length));
  const found = entries.find(([name]) => text.startsWith(name, at) && isWhole(name));
  if (found !== undefined) return [found[0].length, found[1]];
  NUMBER.lastIndex = at;
  const match = NUMBER.exec(text);
  if (match === null) return undefined;
  const [whole, minus, before, digits = "", fraction = "", unit = "", behind] = match;
  const scale = SCALES[unit] ?? 1;
  const money = before ?? behind;
  const symbol = money && (Object.entries(CURRENCIES).find(([, said]) => said.test(money))?.[0] ?? money);
  const value = Number(`${digits.replaceAll(",", "")}${fraction}`) * scale * (minus === "" ? 1 : -1);
  const isPercent = unit === "%" || unit === "percent";
  // The fraction has its point with it.
  const tolerance = (0.5 * scale) / 10 ** Math.max(0, fraction.length - 1);
  return [whole.length, { kind: isPercent ? "%" : "V", number: { value, isPercent, tolerance, symbol } }];
}

/** What the result has names for: rows, what tells them apart, numbers, and its period. */
function namesOf(told: Told): [string, Token][] {
  const { view, result } = told;
  const named = new Map<string, Token>();
  const add = (name: string, token: Token) => {
    const text = fold(name).trim();
    const known = named.get(text);
    if (text.length < 2 && token.kind !== "N") return;
    if (known === undefined) named.set(text, token);
    else if (known.kind === "N" && token.kind === "N" && known.column === token.column)
      named.set(text, { ...known, rows: [...new Set([...(known.rows ?? []), ...(token.rows ?? [])])] });
    // What may mean two things is not understood.
    else named.set(text, { kind: "?" });
  };
  for (const key of view.keys) {
    for (const [i, row] of view.rows.entries())
      for (const name of rowNames(row, key)) add(name, { kind: "N", rows: [i], column: key });
    for (const noun of formsOf(key.label)) add(noun, { kind: "G" });
  }
  for (const column of view.numbers)
    for (const name of measureNames(column, told)) add(name, { kind: "M", column });
  const { ask } = result.reading;
  if (view.keys.length === 0 && view.rows.length === 1)
    for (const value of valuesOf(ask)) add(value, { kind: "N", rows: [0] });
  const win = ask.k === "table" ? ask.scope?.win : undefined;
  if (win !== undefined) add(shortWindow(win).replace(/^the /, ""), { kind: "P" });
  return [...named];
}

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

function rowNames(row: readonly JsonValue[], key: ShownColumn): Set<string> {
  const value = row[key.index];
  if (value === null || value === undefined) return new Set();
  const shown = cell(row, key);
  const long = shown.replace(
    /^\p{L}{3}(?= \d{4}$)/u,
    (short) => MONTHS.find((each) => each.startsWith(short)) ?? short,
  );
  return new Set([shown, long, String(value)]);
}

function formsOf(label: string): string[] {
  return [label, label.replace(/(?<=[^aeiou])y$/i, "ie").replace(/(?<!s)$/, "s")];
}

/** A number by its label and by what its author calls it too; one of a period only with that. */
function measureNames({ label, of }: ShownColumn, { knowledge: { model } }: Told): Set<string> {
  const [, name, period] = /^(.*) \((.*)\)$/.exec(label) ?? [];
  if (name !== undefined) return new Set([label, `${name} in ${period}`, `${period} ${name}`]);
  const metric = "k" in of && of.k === "metric" ? of.name : undefined;
  return new Set([label, ...(model.metrics.find((each) => each.name === metric)?.ai.synonyms ?? [])]);
}

/** What the one number is of: "Germany". */
function valuesOf(ask: Ask): string[] {
  const conds = (cond: Cond): Cond[] => (cond.k === "and" ? cond.of.flatMap(conds) : [cond]);
  const all = ask.k === "table" && ask.scope?.if !== undefined ? conds(ask.scope.if) : [];
  return all.flatMap((cond) =>
    cond.k === "is" && cond.match === "equal" && cond.values.length === 1 ? cond.values.map(String) : [],
  );
}
