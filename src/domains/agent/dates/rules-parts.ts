import { DAY, fiscalYearOf, partsOf, periodAround, yearOf } from "./calendar.ts";
import { a, maybe, type Rule, rule, word } from "./chart.ts";
import { count, day, inside, one, ordinal, the, unitOf, year } from "./places.ts";
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
  weekendAround,
} from "./resolve.ts";
import type { Closed, Part, Period, Unit, Value } from "./values.ts";

const yearless = a("time", (time) => lacksYear(time) && !lacksMonth(time) && time.weekday === undefined);

/** Gives a period the year that stands beside it. */
function withYear(time: Period, year: Period, calendar: Calendar): Value | undefined {
  const fiscal = year.fiscal === true;
  const number =
    year.year ?? (year.fixed && (fiscal ? fiscalYearOf(year.fixed.from, calendar) : yearOf(year.fixed.from)));
  if (number === undefined || time.unit === "year") return undefined;
  const { weak: _weak, latent: _latent, ...rest } = time;
  // 29 February 2025, week 53 of 2025: not to be read as something else.
  if (!fiscal) return exists({ ...rest, year: number }, calendar) ?? { t: "none" };
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

/** A fiscal quarter is found by its fiscal year, not by counting in a calendar year. */
const plain = a("unit", ({ plural, fiscal }) => !plural && fiscal !== true);
const JOINED: readonly Rule[] = [
  rule(
    [yearless, maybe(word("of", "in", "comma", "dash", "slash", "dot")), the, year],
    ([time, , , of], calendar) => withYear(time, of, calendar),
  ),
  rule([year, maybe(word("dash", "slash", "possessive")), the, yearless], ([of, , , time], calendar) =>
    withYear(time, of, calendar),
  ),
  rule([a("none"), maybe(word("of", "in", "comma", "dash", "slash")), year], () => ({ t: "none" })),
  // the third month of 2021, the first two weeks of May, the last week of July
  rule([a("ord"), plain, maybe(inside), the, a("time")], ([{ n }, { unit }, , , whole], calendar) =>
    derived(whole, unit, calendar, (each) => partsOf(each, unit, n, 1, calendar)),
  ),
  rule([word("last"), plain, maybe(inside), the, a("time")], ([, { unit }, of, , whole], calendar) =>
    of === undefined && whole.led !== true
      ? undefined
      : derived(whole, unit, calendar, (each) => partsOf(each, unit, -1, 1, calendar)),
  ),
  rule(
    [word("last", "first"), count, a("unit"), maybe(inside), the, a("time")],
    ([which, { n }, { unit }, of, , whole], calendar) =>
      of === undefined && whole.led !== true && (which === "last" || whole.unit !== "year")
        ? undefined
        : derived(whole, unit, calendar, (each) =>
            partsOf(each, unit, which === "first" ? 1 : -1, n, calendar),
          ),
  ),
  // the last day of the month: of the present one
  rule([a("ord"), one, word("of"), the, one], ([{ n }, { unit }, , , whole], calendar) =>
    derived(present(whole.unit, calendar, whole.fiscal), unit, calendar, (each) =>
      partsOf(each, unit, n, 1, calendar),
    ),
  ),
  rule([word("last"), one, word("of"), the, one], ([, { unit }, , , whole], calendar) =>
    derived(present(whole.unit, calendar, whole.fiscal), unit, calendar, (each) =>
      partsOf(each, unit, -1, 1, calendar),
    ),
  ),
  rule([a("time"), word("possessive"), a("ord"), one], ([whole, , { n }, { unit }], calendar) =>
    derived(whole, unit, calendar, (each) => partsOf(each, unit, n, 1, calendar)),
  ),
  // the second half of the month
  rule([ordinal(2), word("half"), word("of"), the, one], ([{ n }, , , , { unit, fiscal }], calendar) =>
    derived(present(unit, calendar, fiscal), unit, calendar, (each) => halves(each, unit)[n - 1]),
  ),
  rule(
    [ordinal(2), word("half"), word("of"), the, a("time", ({ unit }) => unit !== "year")],
    ([{ n }, , , , whole], calendar) =>
      isUnit(whole.unit)
        ? derived(whole, whole.unit, calendar, (each) => halves(each, whole.unit)[n - 1])
        : undefined,
  ),
  // Friday of last week
  rule(
    [
      a("time", ({ weekday, fixed }) => weekday !== undefined && fixed === undefined),
      maybe(inside),
      the,
      a("time", ({ unit, fixed }) => unit === "week" && fixed !== undefined),
    ],
    ([{ weekday }, , , { fixed }], calendar) => {
      const from = (fixed as Closed).from + (((weekday ?? 0) - calendar.weekStart + 7) % 7) * DAY;
      return period("day", { fixed: { from, to: from + DAY } });
    },
  ),
  // the 2nd of next month, the 5th of the month
  rule(
    [
      ordinal(31),
      word("of"),
      the,
      a("time", ({ unit, part, fixed }) => unit === "month" && part === undefined && fixed !== undefined),
    ],
    ([{ n }, , , whole], calendar) =>
      derived(whole, "day", calendar, (each) => partsOf(each, "day", n, 1, calendar)),
  ),
  rule([ordinal(31), word("of"), the, unitOf("month")], ([{ n }], calendar) =>
    derived(present("month", calendar), "day", calendar, (each) => partsOf(each, "day", n, 1, calendar)),
  ),
  // the month of September
  rule([one, word("of"), a("time")], ([{ unit }, , time]) =>
    unit === time.unit && time.part === undefined && time.led !== true
      ? { ...time, weak: false, latent: false }
      : undefined,
  ),
  // the week of 10 April, week commencing 4 February, Labor Day weekend
  rule(
    [
      a(
        "unit",
        ({ unit, plural }) => !plural && ["week", "weekend", "month", "quarter", "year"].includes(unit),
      ),
      word("of", "starting"),
      maybe(word("in")),
      the,
      day,
    ],
    ([{ unit, fiscal }, , , , day], calendar) =>
      derived(day, unit, calendar, around(unit, calendar, fiscal, day.holiday !== undefined)),
  ),
  rule([word("w"), word("slash"), word("c"), day], ([, , , day], calendar) =>
    derived(day, "week", calendar, around("week", calendar)),
  ),
  rule(
    [a("time", ({ holiday }) => holiday !== undefined), unitOf("weekend", "week")],
    ([day, { unit }], calendar) => derived(day, unit, calendar, around(unit, calendar)),
  ),
];

function around(unit: Unit, calendar: Calendar, fiscal = false, holiday = true): (day: Closed) => Closed {
  return (day) =>
    unit === "weekend" && holiday
      ? weekendAround(day, calendar)
      : periodAround(day.from, unit, calendar, 0, fiscal);
}

const partWord = word("early", "mid", "late", "start", "end");
const PARTS: readonly Rule[] = [
  rule([one, maybe(word("dash")), word("end")], ([{ unit, fiscal }], calendar) => ({
    ...present(unit, calendar, fiscal),
    part: "end",
  })),
  rule(
    [
      partWord,
      maybe(word("dash")),
      maybe(inside),
      the,
      a("time", ({ part, unit, led }) => part === undefined && unit !== "day" && led !== true),
    ],
    ([part, , joint, , time]) => {
      // What starts in the next decade is not the start of it.
      const edge = part === "start" || part === "end";
      if (joint === "in" && edge) return undefined;
      const { latent, weak: _weak, ...rest } = time;
      // High-end 2025 models are no end of 2025, which German calls Ende 2025.
      return { ...rest, part: part as Part, ...(latent && edge && joint === undefined && { latent }) };
    },
  ),
  rule(
    [partWord, maybe(inside), the, a("unit", ({ plural }) => !plural)],
    ([part, , , { unit, fiscal }], calendar) => ({ ...present(unit, calendar, fiscal), part: part as Part }),
  ),
  ...(["year", "quarter", "month", "week"] as const).flatMap((unit) =>
    (["start", "end"] as const).flatMap((part) => [
      rule([word(`${part}Of ${unit}`)], (_, calendar) => ({ ...present(unit, calendar), part })),
      rule(
        [word(`${part}Of ${unit}`), a("time", (time) => time.unit === unit && time.part === undefined)],
        ([, time]) => {
          const { latent: _latent, ...rest } = time;
          return { ...rest, part };
        },
      ),
    ]),
  ),
];

function halves(whole: Closed, unit: Period["unit"]): [Closed, Closed] {
  const half = halfOf(whole, unit);
  return [
    { from: whole.from, to: half },
    { from: half, to: whole.to },
  ];
}

function isUnit(unit: Period["unit"]): unit is Unit {
  return unit !== "season";
}

/** Periods made of others: with their year, as a part of a longer one, around a day, and early, mid or late. */
export const PART_RULES: readonly Rule[] = [...JOINED, ...PARTS];
