import { fiscalYearOf, partsOf, periodAround, weekdayIn, yearOf } from "./calendar.ts";
import { a, type Rule, rulesOf } from "./chart.ts";
import { PLACES, unitOf } from "./places.ts";
import type { Calendar } from "./profile.ts";
import {
  derived,
  halfOf,
  inYear,
  lacksMonth,
  lacksYear,
  period,
  present,
  readings,
  sure,
  weekendAround,
} from "./resolve.ts";
import type { Closed, Period, Unit, Value } from "./values.ts";

const { rule } = rulesOf({
  ...PLACES,
  None: a("none"),
  /** A fiscal quarter is found by its fiscal year, not by counting in a calendar year. */
  Plain: a("unit", ({ plural, fiscal }) => !plural && fiscal !== true),
  Holidays: unitOf("weekend", "week"),
  Holding: a(
    "unit",
    ({ unit, plural }) => !plural && ["week", "weekend", "month", "quarter", "year"].includes(unit),
  ),
  Yearless: a("time", (time) => lacksYear(time) && !lacksMonth(time) && time.weekday === undefined),
  AnyWeekday: a("time", ({ weekday, fixed }) => weekday !== undefined && fixed === undefined),
  FixedWeek: a("time", ({ unit, fixed }) => unit === "week" && fixed !== undefined),
  FixedMonth: a(
    "time",
    ({ unit, part, fixed }) => unit === "month" && part === undefined && fixed !== undefined,
  ),
  Halved: a("time", ({ unit }) => unit !== "year" && unit !== "season"),
  Holiday: a("time", ({ holiday }) => holiday !== undefined),
  Whole: a("time", ({ part, unit, led }) => part === undefined && unit !== "day" && led !== true),
  Undivided: a("time", ({ part }) => part === undefined),
});

/** Gives a period the year that stands beside it. */
function withYear(time: Period, year: Period, calendar: Calendar): Value | undefined {
  const fiscal = year.fiscal === true;
  const number =
    year.year ?? (year.fixed && (fiscal ? fiscalYearOf(year.fixed.from, calendar) : yearOf(year.fixed.from)));
  if (number === undefined || time.unit === "year") return undefined;
  const rest = { ...sure(time), ...((year.away?.n ?? 0) < 0 && { isLast: true }) };
  // 29 February 2025, week 53 of 2025: not to be read as something else.
  if (!fiscal) return exists({ ...rest, year: number }, calendar) ?? { t: "none", absent: true };
  if (time.unit === "quarter" || time.unit === "half")
    return exists({ ...rest, year: number, fiscal }, calendar);
  // A month or day of a fiscal year may be in the next calendar year.
  const whole = inYear(period("year", { year: number, fiscal }), number, calendar) as Closed;
  return [yearOf(whole.from), yearOf(whole.to)]
    .map((each) => exists({ ...rest, year: each }, calendar))
    .find((each) => each !== undefined && (readings(each, calendar)[0]?.from ?? 0) >= whole.from);
}

function exists(time: Period, calendar: Calendar): Period | undefined {
  return readings(time, calendar).length > 0 ? time : undefined;
}

/** The nth of the units that a period is made of, or so many from there on. */
function nth(whole: Period, unit: Unit, n: number, calendar: Calendar, count = 1): Period | undefined {
  return derived(whole, unit, calendar, (each) => partsOf(each, unit, n, count, calendar));
}

/** The first or the second half. */
function half(whole: Period, n: number, calendar: Calendar): Period | undefined {
  return derived(whole, whole.unit, calendar, (each) => {
    const middle = halfOf(each, whole.unit);
    return n === 1 ? { from: each.from, to: middle } : { from: middle, to: each.to };
  });
}

const JOINED: readonly Rule[] = [
  rule("Yearless [of|in|comma|dash|slash|dot] [the] Year", ([time, year], calendar) =>
    withYear(time, year, calendar),
  ),
  rule("Year [dash|slash|possessive] [the] Yearless", ([year, time], calendar) =>
    withYear(time, year, calendar),
  ),
  rule("None [of|in|comma|dash|slash] Year", ([{ absent }]) => ({ t: "none", absent })),
  rule("on|in|of|from|since|until|before|after [the] None", ([{ absent }]) => ({ t: "none", absent })),
  // the third month of 2021, the first two weeks of May, the last week of July
  rule("Ord Plain [in|of] [the] Time", ([{ n }, { unit }, whole], calendar) => nth(whole, unit, n, calendar)),
  rule("last Plain [(in|of)] [the] Time", ([{ unit }, of, whole], calendar) =>
    of === undefined && whole.led !== true ? undefined : nth(whole, unit, -1, calendar),
  ),
  rule("(last|first) Count Unit [(in|of)] [the] Time", ([which, { n }, { unit }, of, whole], calendar) =>
    of === undefined && whole.led !== true && (which === "last" || whole.unit !== "year")
      ? undefined
      : nth(whole, unit, which === "first" ? 1 : -1, calendar, n),
  ),
  // the last day of the month: of the present one
  rule("Ord One of [the] One", ([{ n }, { unit }, whole], calendar) =>
    nth(present(whole.unit, calendar, whole.fiscal), unit, n, calendar),
  ),
  rule("last One of [the] One", ([{ unit }, whole], calendar) =>
    nth(present(whole.unit, calendar, whole.fiscal), unit, -1, calendar),
  ),
  rule("Time possessive Ord One", ([whole, { n }, { unit }], calendar) => nth(whole, unit, n, calendar)),
  // the second half of the month
  rule("OneOrTwo half of [the] One", ([{ n }, { unit, fiscal }], calendar) =>
    half(present(unit, calendar, fiscal), n, calendar),
  ),
  rule("OneOrTwo half of [the] Halved", ([{ n }, whole], calendar) => half(whole, n, calendar)),
  // Friday of last week
  rule("AnyWeekday [in|of] [the] FixedWeek", ([{ weekday = 0 }, { fixed }], calendar) =>
    period("day", { fixed: weekdayIn((fixed as Closed).from, weekday, calendar) }),
  ),
  // the 2nd of next month, the 5th of the month
  rule("Nth of [the] FixedMonth", ([{ n }, month], calendar) => nth(month, "day", n, calendar)),
  rule("Nth of [the] Month", ([{ n }], calendar) => nth(present("month", calendar), "day", n, calendar)),
  // the month of September
  rule("One of Undivided", ([{ unit }, time]) =>
    unit === time.unit && time.led !== true ? { ...time, weak: false, latent: false } : undefined,
  ),
  // the week of 10 April, week commencing 4 February, Labor Day weekend
  rule("Holding of|starting [in] [the] Day", ([{ unit, fiscal }, day], calendar) =>
    derived(day, unit, calendar, around(unit, calendar, fiscal, day.holiday !== undefined)),
  ),
  rule("w slash c Day", ([day], calendar) => derived(day, "week", calendar, around("week", calendar))),
  rule("Holiday Holidays", ([day, { unit }], calendar) =>
    derived(day, unit, calendar, around(unit, calendar)),
  ),
];

function around(unit: Unit, calendar: Calendar, fiscal = false, holiday = true): (day: Closed) => Closed {
  return (day) =>
    unit === "weekend" && holiday
      ? weekendAround(day, calendar)
      : periodAround(day.from, unit, calendar, 0, fiscal);
}

const PARTS: readonly Rule[] = [
  rule("One [dash] end", ([{ unit, fiscal }], calendar) => ({
    ...present(unit, calendar, fiscal),
    part: "end",
  })),
  rule("(early|mid|late|start|end) [dash] [(in|of)] [the] Whole", ([part, joint, time]) => {
    // What starts in the next decade is not the start of it.
    const edge = part === "start" || part === "end";
    if (joint === "in" && edge) return undefined;
    // High-end 2025 models are no end of 2025, which German calls Ende 2025.
    const latent = edge && joint === undefined && time.latent;
    return { ...sure(time), part, ...(latent && { latent }) };
  }),
  rule("(early|mid|late|start|end) [in|of] [the] One", ([part, { unit, fiscal }], calendar) => ({
    ...present(unit, calendar, fiscal),
    part,
  })),
  ...(["year", "quarter", "month", "week"] as const).flatMap((unit) =>
    (["start", "end"] as const).flatMap((part) => [
      rule(`${part}Of:${unit}`, (_, calendar) => ({ ...present(unit, calendar), part })),
      rule(`${part}Of:${unit} Undivided`, ([time]) =>
        time.unit === unit ? { ...sure(time), part } : undefined,
      ),
    ]),
  ),
];

/** Periods made of others: with their year, as a part of a longer one, around a day, and early, mid or late. */
export const PART_RULES: readonly Rule[] = [...JOINED, ...PARTS];
