import { at, dayAt, HOLIDAY_WORDS } from "./calendar.ts";
import { a, maybe, type Place, type Rule, rule, tightRule, word } from "./chart.ts";
import { ordinal, the, unitOf } from "./places.ts";
import { lacksYear, period } from "./resolve.ts";
import type { Period, Unit, Value, ValueOf } from "./values.ts";
import { wordsOf } from "./words.ts";

const FIRST_YEAR = 1500;
const LAST_YEAR = 2199;
/** Two digits of a year, as in FY25. */
const shortYear = a("int", ({ digits }) => digits === 2);
const longYear = a("int", ({ n, digits }) => digits === 4 && n >= FIRST_YEAR && n <= LAST_YEAR);
const small = (high: number) => a("int", ({ n, digits }) => digits > 0 && digits < 3 && n >= 1 && n <= high);
/** FY, fiscal year, Geschäftsjahr. */
const fiscalWord: Place<true> = {
  keys: ["word fy", "unit"],
  take: (value) =>
    (value.t === "word" && value.word === "fy") ||
    (value.t === "unit" && value.unit === "year" && value.fiscal === true)
      ? true
      : undefined,
};
const singularWeek = a("unit", ({ unit, plural }) => unit === "week" && !plural);
const separator = word("dash", "slash", "dot");

/** A day that no calendar has, as 30 February, is not to be read as something else. */
function dayOrNone(month: number, day: number, year?: number): Value {
  return dayIn(month, day, year) ?? { t: "none" };
}

function dayIn(month: number, day: number, year?: number): Period | undefined {
  const time = period("day", { month, day, ...(year !== undefined && { year }) });
  return dayAt(year ?? 2000, month, day) === undefined ? undefined : time;
}

/** Month or day first? A stroke means month first if that is possible, and the other is kept. */
function numericDay(first: number, second: number, mark: string, year?: number): Period | ValueOf<"none"> {
  const monthFirst = dayIn(first, second, year);
  const dayFirst = dayIn(second, first, year);
  const [time, other] = mark === "dot" ? [dayFirst] : monthFirst ? [monthFirst, dayFirst] : [dayFirst];
  if (time === undefined) return { t: "none" };
  if (other === undefined || first === second) return time;
  return { ...time, other };
}

const fullYear = ({ n, digits }: { n: number; digits: number }): number => (digits === 2 ? 2000 + n : n);

const YEARS: readonly Rule[] = [
  rule([longYear], ([{ n }]) => period("year", { year: n, latent: true })),
  tightRule([word("apostrophe"), shortYear], ([, year]) =>
    period("year", { year: fullYear(year), weak: true }),
  ),
  rule([unitOf("year"), maybe(word("of")), maybe(word("is", "equal")), longYear], ([unit, , , { n }]) =>
    period("year", { year: n, ...(unit.fiscal && { fiscal: true }) }),
  ),
  rule([word("fy", "cy"), maybe(word("apostrophe", "dash")), longYear], ([kind, , { n }]) =>
    period("year", { year: n, ...(kind === "fy" && { fiscal: true }) }),
  ),
  rule([word("fy", "cy"), maybe(word("apostrophe", "dash")), shortYear], ([kind, , year]) =>
    period("year", { year: fullYear(year), ...(kind === "fy" && { fiscal: true }) }),
  ),
  tightRule([a("unit", ({ unit, fiscal }) => unit === "year" && fiscal === true), shortYear], ([, year]) =>
    period("year", { year: fullYear(year), fiscal: true }),
  ),
  // FY24/25: from the one to the other
  rule(
    [fiscalWord, a("int", ({ digits }) => digits === 2 || digits === 4), word("slash", "dash"), shortYear],
    ([, first, , second], { fiscalStart }) => {
      const year = fullYear(first);
      if (fullYear(second) !== year + 1 && second.n !== (year + 1) % 100) return undefined;
      return period("year", { year: fiscalStart.namedAfter === "start" ? year : year + 1, fiscal: true });
    },
  ),
  rule([word("fiscal"), longYear], ([, { n }]) => period("year", { year: n, fiscal: true })),
  // 1990s, 1990er, the 90s, the nineties
  rule(
    [a("int", ({ n, digits }) => digits === 4 && n % 10 === 0), word("s"), maybe(unitOf("year"))],
    ([{ n }]) => decade(n),
  ),
  tightRule([a("int", ({ n, digits }) => digits === 2 && n % 10 === 0), word("s")], ([{ n }]) =>
    decade(n < 30 ? 2000 + n : 1900 + n),
  ),
  ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) =>
    rule([word(`decade ${n}`), maybe(unitOf("year"))], () => decade((n === 2 ? 2000 : 1900) + n * 10)),
  ),
  ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) =>
    rule(
      [a("int", (value) => value.digits === 0 && value.n >= 16 && value.n <= 20), word(`decade ${n}`)],
      ([{ n: century }]) => decade(century * 100 + n * 10),
    ),
  ),
  rule([a("int", ({ n, digits }) => n === 2 && digits === 0), word("thousands")], () => decade(2000)),
  rule([a("ord"), unitOf("century")], ([{ n }]) =>
    n < 2 || n > 30 ? undefined : period("century", { fixed: { from: at((n - 1) * 100), to: at(n * 100) } }),
  ),
];

function decade(year: number): Period {
  return period("decade", { fixed: { from: at(year), to: at(year + 10) } });
}

const MONTHS_AND_DAYS: readonly Rule[] = [
  rule([a("month")], ([{ month, weak }]) => period("month", { month, ...(weak && { weak }) })),
  tightRule([a("month"), word("dot")], ([{ month, weak }]) =>
    period("month", { month, ...(weak && { weak }) }),
  ),
  rule([a("month"), maybe(word("dot")), the, small(31)], ([{ month }, , , { n }]) => dayOrNone(month, n)),
  rule([a("month"), maybe(word("dot")), the, ordinal(31)], ([{ month }, , , { n }]) => dayOrNone(month, n)),
  rule([small(31), maybe(word("of", "dash")), a("month")], ([{ n }, , { month }]) => dayOrNone(month, n)),
  rule([ordinal(31), maybe(unitOf("day")), maybe(word("of")), a("month")], ([{ n }, , , { month }]) =>
    dayOrNone(month, n),
  ),
  rule([ordinal(31)], ([{ n }]) => period("day", { day: n, weak: true })),
  tightRule([longYear, separator, small(12), separator, small(31)], ([year, one, month, two, day]) =>
    one === two ? dayOrNone(month.n, day.n, year.n) : undefined,
  ),
  tightRule([longYear, separator, a("month"), separator, small(31)], ([year, , { month }, , day]) =>
    dayOrNone(month, day.n, year.n),
  ),
  tightRule([small(31), separator, small(31), separator, longYear], ([one, mark, two, same, year]) =>
    mark === same ? numericDay(one.n, two.n, mark, year.n) : undefined,
  ),
  tightRule(
    [small(31), word("slash", "dot"), small(31), word("slash", "dot"), shortYear],
    ([one, mark, two, same, year]) =>
      mark === same ? numericDay(one.n, two.n, mark, fullYear(year)) : undefined,
  ),
  tightRule([small(31), word("slash"), small(31)], ([one, mark, two], { business }) => {
    const time = numericDay(one.n, two.n, mark);
    return time.t === "time" && business ? { ...time, latent: true } : time;
  }),
  tightRule([small(31), word("dot"), small(12), word("dot")], ([day, , month]) => {
    const time = dayIn(month.n, day.n);
    return time && { ...time, latent: true };
  }),
  // German lets a space stand in 3. 4. 2025.
  rule([ordinal(31), ordinal(12), longYear], ([day, month, year]) => dayOrNone(month.n, day.n, year.n)),
  tightRule([small(12), separator, longYear], ([month, , year]) =>
    period("month", { month: month.n, year: year.n }),
  ),
  tightRule([longYear, separator, small(12)], ([year, mark, month], { business }) =>
    // A business has numbers such as 2014.5.
    mark === "dot" && business ? undefined : period("month", { month: month.n, year: year.n }),
  ),
  tightRule([small(12), word("dash"), small(31)], ([month, , day], { business }) => {
    const time = business ? undefined : dayIn(month.n, day.n);
    return time && { ...time, weak: true };
  }),
  ...HOLIDAY_WORDS.map(([holiday, phrase]) =>
    rule(
      wordsOf(phrase).map((each) => word(`holiday ${each}`)),
      () => period("day", { holiday }),
    ),
  ),
  // Friday 5 December is that day, whatever weekday it is.
  rule(
    [
      a("time", ({ weekday }) => weekday !== undefined),
      maybe(word("comma", "the")),
      a("time", ({ unit, month }) => unit === "day" && month !== undefined),
    ],
    ([, , day]) => day,
  ),
];

const QUARTERS_AND_WEEKS: readonly Rule[] = [
  tightRule([word("q"), small(4)], ([, { n }]) => period("quarter", { n })),
  tightRule([small(4), word("q")], ([{ n }]) => period("quarter", { n })),
  tightRule([word("h"), small(2)], ([, { n }]) => period("half", { n })),
  rule(
    [word("fiscal", "fy"), a("time", (time) => lacksYear(time) && ["quarter", "half"].includes(time.unit))],
    ([, time]) => ({
      ...time,
      fiscal: true,
    }),
  ),
  rule([ordinal(4), unitOf("quarter", "half")], ([{ n }, { unit, fiscal }]) => numbered(unit, n, fiscal)),
  rule([ordinal(2), word("half")], ([{ n }]) => period("half", { n })),
  rule([unitOf("quarter", "half"), small(4)], ([{ unit, fiscal }, { n }]) => numbered(unit, n, fiscal)),
  rule([singularWeek, small(53)], ([, { n }]) => period("week", { n })),
  tightRule([word("w"), small(53)], ([, { n }]) => period("week", { n, latent: true })),
  rule([a("ord", ({ n }) => n <= 53), singularWeek], ([{ n }]) => period("week", { n, latent: true })),
  tightRule(
    [
      a("time", ({ unit, year }) => (unit === "quarter" || unit === "half") && year === undefined),
      word("slash", "dash"),
      shortYear,
    ],
    ([time, , year]) => ({ ...time, year: fullYear(year) }),
  ),
];

function numbered(unit: Unit, n: number, fiscal: boolean | undefined): Period | undefined {
  return unit === "half" && n > 2 ? undefined : period(unit, { n, ...(fiscal && { fiscal }) });
}

/** Periods that have a name of their own. */
export const PERIOD_RULES: readonly Rule[] = [...YEARS, ...MONTHS_AND_DAYS, ...QUARTERS_AND_WEEKS];
