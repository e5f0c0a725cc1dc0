import { at, dayAt, HOLIDAY_WORDS } from "./calendar.ts";
import { a, type Place, type Rule, rulesOf } from "./chart.ts";
import { ordinal, PLACES, unitOf } from "./places.ts";
import { lacksYear, period } from "./resolve.ts";
import type { Period, Unit, Value, ValueOf } from "./values.ts";
import { wordsOf } from "./words.ts";

const FIRST_YEAR = 1500;
const LAST_YEAR = 2199;

/** FY, fiscal year, Geschäftsjahr. */
const fiscalWord: Place<true> = {
  keys: ["word fy", "unit"],
  take: (value) =>
    (value.t === "word" && value.word === "fy") ||
    (value.t === "unit" && value.unit === "year" && value.fiscal === true)
      ? true
      : undefined,
};
const small = (high: number) => a("int", ({ n, digits }) => digits > 0 && digits < 3 && n >= 1 && n <= high);

const { rule, tight } = rulesOf({
  ...PLACES,
  LongYear: a("int", ({ n, digits }) => digits === 4 && n >= FIRST_YEAR && n <= LAST_YEAR),
  /** Two digits of a year, as in FY25. */
  ShortYear: a("int", ({ digits }) => digits === 2),
  AnyYear: a("int", ({ n, digits }) => digits === 2 || (digits === 4 && n >= FIRST_YEAR && n <= LAST_YEAR)),
  FiscalYear: a("unit", ({ unit, fiscal }) => unit === "year" && fiscal === true),
  FiscalWord: fiscalWord,
  LongDecade: a("int", ({ n, digits }) => digits === 4 && n % 10 === 0),
  ShortDecade: a("int", ({ n, digits }) => digits === 2 && n % 10 === 0),
  SpelledCentury: a("int", ({ n, digits }) => digits === 0 && n >= 16 && n <= 20),
  SpelledTwo: a("int", ({ n, digits }) => digits === 0 && n === 2),
  CenturyUnit: unitOf("century"),
  MonthName: a("month"),
  MonthNumber: small(12),
  NthMonth: ordinal(12),
  DayNumber: small(31),
  DayUnit: unitOf("day"),
  DayOfYear: a("time", ({ unit, month }) => unit === "day" && month !== undefined),
  Half: small(2),
  Quarter: small(4),
  NthQuarter: ordinal(4),
  QuarterOrHalf: unitOf("quarter", "half"),
  YearlessPart: a("time", (time) => lacksYear(time) && (time.unit === "quarter" || time.unit === "half")),
  WeekUnit: a("unit", ({ unit, plural }) => unit === "week" && !plural),
  Week: small(53),
  NthWeek: ordinal(53),
});

const ABSENT = { t: "none", absent: true } as const;

/** A day that no calendar has, as 30 February, is not to be read as something else. */
function dayOrNone(month: number, day: number, year?: number): Value {
  return dayIn(month, day, year) ?? ABSENT;
}

function dayIn(month: number, day: number, year?: number): Period | undefined {
  const time = period("day", { month, day, ...(year !== undefined && { year }) });
  return dayAt(year ?? 2000, month, day) === undefined ? undefined : time;
}

/** Month or day first? A stroke means month first if that is possible. */
function numericDay(first: number, second: number, mark: string, year?: number): Period | ValueOf<"none"> {
  const monthFirst = mark === "dot" ? undefined : dayIn(first, second, year);
  return monthFirst ?? dayIn(second, first, year) ?? ABSENT;
}

const fullYear = ({ n, digits }: { n: number; digits: number }): number => (digits === 2 ? 2000 + n : n);

const YEARS: readonly Rule[] = [
  rule("LongYear", ([{ n }]) => period("year", { year: n, latent: true })),
  tight("apostrophe ShortYear", ([year]) => period("year", { year: fullYear(year), weak: true })),
  rule("YearUnit [of] [is|equal] LongYear", ([{ fiscal }, { n }]) => period("year", { year: n, fiscal })),
  rule("(fy|cy) [apostrophe|dash] AnyYear", ([kind, year]) =>
    period("year", { year: fullYear(year), ...(kind === "fy" && { fiscal: true }) }),
  ),
  tight("FiscalYear ShortYear", ([, year]) => period("year", { year: fullYear(year), fiscal: true })),
  // FY24/25: from the one to the other
  rule("FiscalWord AnyYear slash|dash ShortYear", ([, first, second], { fiscalStart }) => {
    const year = fullYear(first);
    if (fullYear(second) !== year + 1 && second.n !== (year + 1) % 100) return undefined;
    return period("year", { year: fiscalStart.namedAfter === "start" ? year : year + 1, fiscal: true });
  }),
  rule("fiscal LongYear", ([{ n }]) => period("year", { year: n, fiscal: true })),
  // 1990s, 1990er, the 90s, the nineties
  rule("LongDecade s [YearUnit]", ([{ n }]) => decade(n)),
  tight("ShortDecade s", ([{ n }]) => decade(n < 30 ? 2000 + n : 1900 + n)),
  ...[2, 3, 4, 5, 6, 7, 8, 9].flatMap((n) => [
    rule(`decade:${n} [YearUnit]`, () => decade((n === 2 ? 2000 : 1900) + n * 10)),
    rule(`SpelledCentury decade:${n}`, ([century]) => decade(century.n * 100 + n * 10)),
  ]),
  rule("SpelledTwo thousands", () => decade(2000)),
  rule("Ord CenturyUnit", ([{ n }]) =>
    n < 2 || n > 30 ? undefined : period("century", { fixed: { from: at((n - 1) * 100), to: at(n * 100) } }),
  ),
];

function decade(year: number): Period {
  return period("decade", { fixed: { from: at(year), to: at(year + 10) } });
}

const monthNamed = ([{ month, weak }]: [ValueOf<"month">]): Period =>
  period("month", { month, ...(weak && { weak }) });

const MONTHS_AND_DAYS: readonly Rule[] = [
  rule("MonthName", monthNamed),
  tight("MonthName dot", monthNamed),
  rule("MonthName [dot] [the] DayNumber", ([{ month }, { n }]) => dayOrNone(month, n)),
  rule("MonthName [dot] [the] Nth", ([{ month }, { n }]) => dayOrNone(month, n)),
  rule("DayNumber [of|dash] MonthName", ([{ n }, { month }]) => dayOrNone(month, n)),
  rule("Nth [DayUnit] [of] MonthName", ([{ n }, , { month }]) => dayOrNone(month, n)),
  rule("Nth", ([{ n }]) => period("day", { day: n, weak: true })),
  tight(
    "LongYear (dash|slash|dot) MonthNumber (dash|slash|dot) DayNumber",
    ([year, mark, month, same, day]) => (mark === same ? dayOrNone(month.n, day.n, year.n) : undefined),
  ),
  tight("LongYear dash|slash|dot MonthName dash|slash|dot DayNumber", ([year, { month }, day]) =>
    dayOrNone(month, day.n, year.n),
  ),
  tight("DayNumber (dash|slash|dot) DayNumber (dash|slash|dot) AnyYear", ([one, mark, two, same, year]) =>
    mark !== same || (mark === "dash" && year.digits === 2)
      ? undefined
      : numericDay(one.n, two.n, mark, fullYear(year)),
  ),
  tight("DayNumber slash DayNumber", ([one, two], { business }) => {
    const time = numericDay(one.n, two.n, "slash");
    return time.t === "none" || business ? { ...time, latent: true } : time;
  }),
  tight("DayNumber dot MonthNumber dot", ([day, month]) => {
    const time = dayOrNone(month.n, day.n);
    return { ...time, latent: true };
  }),
  // German lets a space stand in 3. 4. 2025.
  rule("Nth NthMonth LongYear", ([day, month, year]) => dayOrNone(month.n, day.n, year.n)),
  tight("MonthNumber dash|slash|dot LongYear", ([month, year]) =>
    period("month", { month: month.n, year: year.n }),
  ),
  tight("LongYear (dash|slash|dot) MonthNumber", ([year, mark, month], { business }) =>
    // A business has numbers such as 2014.5.
    mark === "dot" && business ? undefined : period("month", { month: month.n, year: year.n }),
  ),
  tight("MonthNumber dash DayNumber", ([month, day], { business }) => {
    const time = business ? undefined : dayIn(month.n, day.n);
    return time && { ...time, weak: true };
  }),
  ...HOLIDAY_WORDS.map(([holiday, phrase]) => {
    const pattern = wordsOf(phrase).map((each) => `holiday:${each}`);
    return rule(pattern.join(" "), () => period("day", { holiday }));
  }),
  // Friday 5 December is that day, whatever weekday it is.
  rule("Weekday [comma|the] DayOfYear", ([, day]) => day),
];

const QUARTERS_AND_WEEKS: readonly Rule[] = [
  tight("q Quarter", ([{ n }]) => period("quarter", { n })),
  tight("Quarter q", ([{ n }]) => period("quarter", { n })),
  tight("h Half", ([{ n }]) => period("half", { n })),
  rule("fiscal|fy YearlessPart", ([time]) => ({ ...time, fiscal: true })),
  rule("NthQuarter QuarterOrHalf", ([{ n }, { unit, fiscal }]) => numbered(unit, n, fiscal)),
  rule("OneOrTwo half", ([{ n }]) => period("half", { n })),
  rule("QuarterOrHalf Quarter", ([{ unit, fiscal }, { n }]) => numbered(unit, n, fiscal)),
  rule("WeekUnit Week", ([, { n }]) => period("week", { n })),
  tight("w Week", ([{ n }]) => period("week", { n, latent: true })),
  rule("NthWeek WeekUnit", ([{ n }]) => period("week", { n, latent: true })),
  tight("YearlessPart slash|dash ShortYear", ([time, year]) => ({ ...time, year: fullYear(year) })),
];

function numbered(unit: Unit, n: number, fiscal: boolean | undefined): Period | undefined {
  return unit === "half" && n > 2 ? undefined : period(unit, { n, fiscal });
}

/** Periods that have a name of their own. */
export const PERIOD_RULES: readonly Rule[] = [...YEARS, ...MONTHS_AND_DAYS, ...QUARTERS_AND_WEEKS];
