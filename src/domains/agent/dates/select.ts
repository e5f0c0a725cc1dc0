import { yearOf } from "./calendar.ts";
import type { Item } from "./chart.ts";
import type { Calendar } from "./profile.ts";
import { inYear, lacksYear, lastBefore, pair, readings } from "./resolve.ts";
import type { Closed, Compare, Period, Value } from "./values.ts";
import type { Token } from "./words.ts";

/** Of two readings of the same words the one with the smaller rank is kept; what has none is no finding. */
const RANK: Partial<Record<Value["t"], number>> = {
  none: 0,
  compare: 1,
  same: 2,
  grain: 3,
  window: 4,
  time: 5,
};

/** The findings that together cover most of the text, without overlap; of equal ones, the fewest. */
export function select(chart: readonly Item[][], tokens: readonly Token[]): Item[] {
  const best: { score: number; item?: Item }[] = Array.from({ length: chart.length + 1 }, () => ({
    score: 0,
  }));
  for (let start = chart.length - 1; start >= 0; start--) {
    best[start] = { score: best[start + 1]?.score ?? 0 };
    for (const item of chart[start] ?? []) {
      const rank = RANK[item.value.t];
      if (rank === undefined || isNoDate(item, tokens)) continue;
      const latent = "latent" in item.value && item.value.latent === true ? 10 : 0;
      const score = (item.to - item.from) * 1000 - 100 - rank - latent + (best[item.to]?.score ?? 0);
      if (score > (best[start]?.score ?? 0)) best[start] = { score, item };
    }
  }
  const selected: Item[] = [];
  for (let i = 0; i < chart.length; ) {
    const item = best[i]?.item;
    if (item !== undefined) selected.push(item);
    i = item?.to ?? i + 1;
  }
  return overToCompare(selected, tokens);
}

/** What may follow "from 2024 on"; in "from 2024 on Mondays" that is no word of the period. */
const BEHIND = /^([^\p{L}\p{N}]+|by|per|in|and|of|for|nach|pro|je|und|mit)$/iu;

/** A word that only looks like a date, or digits of a decimal number. */
function isNoDate({ from, to, value }: Item, tokens: readonly Token[]): boolean {
  const [last, behind] = [tokens[to - 1]?.text ?? "", tokens[to]?.text];
  if (/^(on|an)$/i.test(last) && behind !== undefined && !BEHIND.test(behind)) return true;
  if (value.t !== "time") return false;
  // "were late in 2025": what was late, and not when.
  if (
    /^(early|late)$/i.test(tokens[from]?.text ?? "") &&
    /^(is|are|was|were|been?)$/i.test(tokens[from - 1]?.text ?? "")
  )
    return true;
  if (value.weak === true) return true;
  return to - from === 1 && (isDecimal(tokens, from - 2) || isDecimal(tokens, from));
}

/** Digits, a mark and digits without a space, as 0.2025; but 2024,2025 are two years. */
function isDecimal(tokens: readonly Token[], at: number): boolean {
  const [whole, mark, part] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (whole === undefined || mark?.glued !== true || part?.glued !== true || !/^[.,]$/.test(mark.text))
    return false;
  return (
    /^\d+$/.test(whole.text) && /^\d+$/.test(part.text) && (whole.text.length !== 4 || part.text.length !== 4)
  );
}

/** 2025 over 2024 compares; over alone does not. */
function overToCompare(items: readonly Item[], tokens: readonly Token[]): Item[] {
  return items.map((item, i) => {
    const before = items[i - 1];
    if (item.value.t !== "time" || before?.value.t !== "time" || before.to !== item.from) return item;
    return tokens[item.from]?.text === "over" ? { ...item, value: { t: "compare", with: item.value } } : item;
  });
}

/**
 * Q1 and Q2 2025, March vs April 2025: the first has the year of the second, or the second that of the first. And in
 * 2024 and 2025, one that is surely a date makes the other one sure.
 */
export function shareYears(items: readonly Item[], tokens: readonly Token[], calendar: Calendar): Item[] {
  const shared = [...items];
  for (let i = shared.length - 2; i >= 0; i--) {
    const [one, two] = [shared[i], shared[i + 1]] as [Item, Item];
    const [first, second] = [periodIn(one.value), periodIn(two.value)];
    if (first === undefined || second === undefined || first.unit !== second.unit) continue;
    const between = tokens.slice(one.to, two.from).map(({ text }) => text);
    const isCompare = two.value.t === "compare";
    // "im Vergleich zum"
    const joins = (text: string) => JOINTS.test(text) || COMPARING.test(text) || (isCompare && text === "im");
    if (!between.every(joins)) continue;
    const comparing = isCompare || between.some((text) => COMPARING.test(text));
    const [left, right] = shareYear(first, second, comparing, calendar);
    const sure = left.latent !== true || right.latent !== true;
    shared[i] = { ...one, value: withPeriod(one.value, sure ? { ...left, latent: false } : left) };
    shared[i + 1] = { ...two, value: withPeriod(two.value, sure ? { ...right, latent: false } : right) };
  }
  return shared;
}

const JOINTS = /^(,|&|\+|and|und|or|oder|\/)$/;
const COMPARING = /^(with|mit|gegen)$/;
/** Units that come again every year. */
const YEARLY = ["month", "quarter", "half", "week"];

function shareYear(first: Period, second: Period, comparing: boolean, calendar: Calendar): [Period, Period] {
  if (!lacksYear(first) && !lacksYear(second)) return [first, second];
  if (lacksYear(first) && lacksYear(second)) {
    const fixed = readings(second, calendar)[0];
    if (fixed === undefined || !YEARLY.includes(first.unit)) return [first, second];
    if (comparing) return [first, beforeIt(second, fixed, first, calendar)];
    // Q1, Q2 and Q3 follow each other.
    return shareYear(first, { ...second, fixed }, false, calendar);
  }
  const apart = besideSame(first, second, calendar);
  if (apart !== undefined) return apart;
  const both = pair(first, second, calendar);
  if (!lacksYear(first)) return both && !comparing ? [first, { ...second, fixed: both[1] }] : [first, second];
  const year = yearOf(readings(second, calendar)[0]?.from ?? calendar.today);
  const fixed = comparing ? inYear(first, year, calendar) : both?.[0];
  return [fixed ? { ...first, fixed } : first, second];
}

/**
 * October compared to October last year: the latest one, and not the same one twice. In March that is the one of last
 * year already, and the other one is that of the year before.
 */
function besideSame(first: Period, second: Period, calendar: Calendar): [Period, Period] | undefined {
  const [bare, named] = lacksYear(first) ? [first, second] : [second, first];
  const [latest] = readings(bare, calendar);
  const [other] = readings(named, calendar);
  if (latest === undefined || other === undefined || !YEARLY.includes(bare.unit)) return undefined;
  if (inYear(bare, yearOf(other.from), calendar)?.from !== other.from) return undefined;
  const isTwice = latest.from === other.from;
  const earlier = isTwice && named.isLast === true ? lastBefore(bare, latest.from, calendar) : undefined;
  if (isTwice && earlier === undefined) return undefined;
  const mine = { ...bare, fixed: latest };
  const theirs = earlier === undefined ? named : { ...named, fixed: earlier };
  return bare === first ? [mine, theirs] : [theirs, mine];
}

/** Q2 vs Q1: the earlier one, whichever began last. */
function beforeIt(period: Period, chosen: Closed, than: Period, calendar: Calendar): Period {
  const from = readings(than, calendar)[0]?.from ?? chosen.from;
  const fixed = chosen.from > from ? lastBefore(period, from, calendar) : undefined;
  return fixed ? { ...period, fixed } : period;
}

function periodIn(value: Value): Period | undefined {
  const period = value.t === "compare" ? value.with : value;
  return period?.t === "time" ? period : undefined;
}

function withPeriod(value: Value, period: Period): Value {
  return value.t === "compare" ? ({ ...value, with: period } satisfies Compare) : period;
}
