import { DAY, shift, yearOf } from "./calendar.ts";
import { a, type Rule, rulesOf } from "./chart.ts";
import { PLACES, unitOf } from "./places.ts";
import type { Calendar } from "./profile.ts";
import { derived, halfOf, lacksYear, period, present, readings, sure, swung, windowOf } from "./resolve.ts";
import type { Closed, Period, Step, Unit, Value, Window } from "./values.ts";

/** What is counted back from today where "past" is said; a past quarter is a whole one. */
const ROLLED: readonly Unit[] = ["week", "month", "year"];

const { rule } = rulesOf({
  ...PLACES,
  DayUnit: unitOf("day"),
  DayOrLonger: a("unit", ({ unit, plural }) => !plural && unit !== "hour"),
  WeekendOrFortnight: a(
    "unit",
    ({ unit, plural }) => !plural && (unit === "weekend" || unit === "fortnight"),
  ),
  Rolled: a("unit", ({ unit, plural, fiscal }) => !plural && fiscal !== true && ROLLED.includes(unit)),
  Many: a("unit", ({ plural }) => plural),
  /** March, Friday, Q2: of any year or week. */
  Recurring: a("time", (time) => lacksYear(time) && time.day === undefined && time.unit !== "week"),
  Present: a("time", ({ fixed, away, part }) => fixed !== undefined && away?.n === 0 && part === undefined),
  Dated: a("time", ({ fixed, part, unit }) => fixed !== undefined && part === undefined && unit !== "day"),
});

const BY = { last: -1, this: 0, next: 1 } as const;
const SIGN = { last: -1, next: 1, before: -1, after: 1 } as const;
/** These are counted as whole ones: nobody means a quarter that begins on the 12th. */
const WHOLE: readonly Unit[] = ["quarter", "half", "decade", "century", "weekend", "workweek"];

/** The last or next so many: whole ones, or those that end today (business) or yesterday. */
function several(by: -1 | 1, steps: readonly Step[], calendar: Calendar): Window | undefined {
  const [{ unit, n, fiscal = false }] = steps as [Step];
  const isWhole = steps.length === 1 && (fiscal || WHOLE.includes(unit));
  const span = isWhole ? wholeSpan(by, unit, n, fiscal, calendar) : rollingSpan(by, steps, calendar);
  return span && windowOf(unit, span, isWhole && fiscal ? { fiscal } : {});
}

function rollingSpan(by: -1 | 1, steps: readonly Step[], calendar: Calendar): Closed | undefined {
  const hours = steps.some(({ unit }) => unit === "hour");
  const tomorrow = calendar.today + DAY;
  const start = hours ? calendar.now : by > 0 || calendar.business ? tomorrow : calendar.today;
  return spanFrom(start, steps, by);
}

function wholeSpan(by: -1 | 1, unit: Unit, n: number, fiscal: boolean, calendar: Calendar): Closed {
  const near = present(unit, calendar, fiscal, by).fixed as Closed;
  const far = present(unit, calendar, fiscal, by * n).fixed as Closed;
  return by < 0 ? { from: far.from, to: near.to } : { from: near.from, to: far.to };
}

function moveBy(from: number, steps: readonly Step[], sign: 1 | -1): number {
  return steps.reduce((moved, { unit, n }) => shift(moved, { unit, n: sign * n }), from);
}

/** From a moment on, or up to it. */
function spanFrom(start: number, steps: readonly Step[], sign: 1 | -1): Closed | undefined {
  const end = moveBy(start, steps, sign);
  if (start === end || !Number.isFinite(end)) return undefined;
  return start < end ? { from: start, to: end } : { from: end, to: start };
}

function firstOf(time: Period, calendar: Calendar): Closed | undefined {
  return readings(time, calendar)[0];
}

/** Days that are said by so many from today. */
const DAYS = [
  ["today", 0],
  ["this date", 0],
  ["yesterday", -1],
  ["tomorrow", 1],
  ["daybefore", -2],
  ["dayafter", 2],
  ["DayUnit before yesterday", -2],
  ["DayUnit after tomorrow", 2],
] as const;

/** Periods by so many from the present one. */
const MOVED = [
  ["last DayOrLonger", -1],
  ["this DayOrLonger", 0],
  ["next DayOrLonger", 1],
  ["this last One", -1],
  ["this next One", 1],
  ["penult One", -2],
  ["second One", 2],
  ["One before last", -2],
  ["One after next", 2],
] as const;

const PERIODS: readonly Rule[] = [
  ...DAYS.map(([said, by]) => rule(said as string, (_, calendar) => present("day", calendar, false, by))),
  rule("thisyear", (_, calendar) => present("year", calendar)),
  ...MOVED.map(([said, by]) =>
    rule(said, ([{ unit, fiscal }], calendar) => present(unit, calendar, fiscal, by)),
  ),
  rule("a One ago", ([{ unit }], calendar) => ago([{ unit, n: 1 }], calendar)),
  // last March, this Friday, next Q2
  rule("(last|this|next) Recurring", ([which, time], calendar) => {
    const fixed = swung(time, BY[which], calendar);
    return fixed && { ...sure(time), fixed, isLast: BY[which] < 0 };
  }),
  // of the month, in the year, the weekend: the present one, unless it is said otherwise
  rule("in|of the One", ([{ unit, fiscal }], calendar) => ({
    ...present(unit, calendar, fiscal),
    led: true,
    latent: calendar.business,
  })),
  rule("[the] WeekendOrFortnight", ([{ unit }], calendar) => ({ ...present(unit, calendar), latent: true })),
  rule("the One", ([{ unit, fiscal }], calendar) =>
    calendar.business ? undefined : { ...present(unit, calendar, fiscal), latent: true },
  ),
  rule(
    "that|same One",
    ([{ unit }], calendar): Value => (calendar.business ? { t: "same", unit } : present(unit, calendar)),
  ),

  rule("Duration ago", ([{ steps }], calendar) => ago(steps, calendar)),
  rule("ago Duration", ([{ steps }], calendar) => ago(steps, calendar)),
  rule("Duration (before|after) Day", ([{ steps }, side, time], calendar) =>
    calendar.business && isLong(steps)
      ? undefined
      : derived(time, "day", calendar, ({ from }) => dayAt(moveBy(from, steps, SIGN[side]))),
  ),
];

function dayAt(from: number): Closed {
  return { from, to: from + DAY };
}

/** Weeks before a day are all of them; a few days before it is one day. */
function isLong(steps: readonly Step[]): boolean {
  return steps.every(({ unit }) => unit !== "day" && unit !== "hour" && unit !== "workday");
}

function ago(steps: readonly Step[], calendar: Calendar): Period | undefined {
  const [{ unit, n }] = steps as [Step];
  if (steps.some((step) => step.unit === "hour")) return undefined;
  if (steps.length === 1 && calendar.business && unit !== "workday")
    return present(unit, calendar, false, -n);
  return period("day", { fixed: dayAt(moveBy(calendar.today, steps, -1)) });
}

const WINDOWS: readonly Rule[] = [
  // the six weeks before Christmas
  rule("[(the)] Duration (before|after) Day", ([the, { steps }, side, time], calendar) => {
    const day = firstOf(time, calendar);
    if (day === undefined || !calendar.business || (the === undefined && !isLong(steps))) return undefined;
    return windowFrom(side === "before" ? day.from : day.to, steps, SIGN[side]);
  }),
  // the week before Christmas
  rule("the One (before|after) Day", ([{ unit }, side, time], calendar) => {
    const day = firstOf(time, calendar);
    if (day === undefined || !calendar.business) return undefined;
    return windowFrom(side === "before" ? day.from : day.to, [{ unit, n: 1 }], SIGN[side]);
  }),
  rule("(last|next) [only] Duration", ([which, { steps }], calendar) =>
    several(SIGN[which], steps, calendar),
  ),
  // the past year, over the last year: the twelve months up to today, whatever year it is
  ...["past Rolled", "lasting [the] past Rolled", "lasting the latest Rolled"].map((said) =>
    rule(said as "past Rolled", ([{ unit }], calendar) =>
      calendar.business ? several(-1, [{ unit, n: 1 }], calendar) : undefined,
    ),
  ),
  rule("Count (last|next) Many", ([{ n }, which, { unit }], calendar) =>
    several(SIGN[which], [{ unit, n }], calendar),
  ),
  rule("more than Duration (before|after) Day", ([{ steps }, side, time], calendar) => {
    const from = firstOf(time, calendar)?.from;
    const moved = from && moveBy(from, steps, SIGN[side]);
    return moved === undefined
      ? undefined
      : windowOf("day", side === "before" ? { from: null, to: moved } : { from: moved, to: null });
  }),
  rule("more than Duration ago", ([{ steps }], calendar) =>
    windowOf("day", { from: null, to: moveBy(calendar.today, steps, -1) }),
  ),
  rule("less than Duration (before|after) Day", ([{ steps }, side, time], calendar) => {
    const from = firstOf(time, calendar)?.from;
    return from === undefined ? undefined : windowFrom(from, steps, SIGN[side]);
  }),
  rule("less than Duration ago", ([{ steps }], calendar) => several(-1, steps, calendar)),
  rule("ltm", (_, calendar) => several(-1, [{ unit: "month", n: 12 }], calendar)),
  // the twelve months ending March 2025, the year ended 31 March 2025
  rule("[last] Duration ending [in] Unled", ([{ steps }, time], calendar) => closing(steps, time, calendar)),
  rule("One ending [in] Unled", ([{ unit }, time], calendar) => closing([{ unit, n: 1 }], time, calendar)),
  // this and last year
  rule("(last|this|next) and (last|this|next) One", ([first, second, { unit, fiscal }], calendar) => {
    const two = [first, second].map((which) => present(unit, calendar, fiscal, BY[which]).fixed as Closed);
    const [from, to] = two.sort((x, y) => x.from - y.from) as [Closed, Closed];
    return from.to === to.from
      ? windowOf(unit, { from: from.from, to: to.to }, { ends: [from, to] })
      : undefined;
  }),
  // 3 days starting tomorrow, a week from 20 December
  rule("Duration [comma] starting|from [in|from] Day", ([{ steps }, time], calendar) =>
    beginning(steps, time, calendar),
  ),
  rule("a One starting|from [in|from] Day", ([{ unit }, time], calendar) =>
    beginning([{ unit, n: 1 }], time, calendar),
  ),
];

function windowFrom(start: number, steps: readonly Step[], sign: 1 | -1): Window | undefined {
  const span = spanFrom(start, steps, sign);
  return span && windowOf("day", span);
}

function closing(steps: readonly Step[], time: Period, calendar: Calendar): Window | undefined {
  const to = firstOf(time, calendar)?.to;
  const span = to === undefined ? undefined : spanFrom(to, steps, -1);
  return span && windowOf(steps[0]?.unit ?? "day", span);
}

function beginning(steps: readonly Step[], time: Period, calendar: Calendar): Window | undefined {
  const spans = readings(time, calendar);
  // What is planned for so long lies ahead.
  const from = (spans[1] ?? spans[0])?.from;
  return from === undefined ? undefined : windowOf("day", { from, to: moveBy(from, steps, 1) });
}

const TO_DATE = { ytd: "year", qtd: "quarter", mtd: "month", wtd: "week" } as const;

const SO_FAR: readonly Rule[] = [
  ...Object.entries(TO_DATE).flatMap(([name, unit]) => [
    rule(name, (_, calendar) => toDate(present(unit, calendar), calendar)),
    rule(`fiscal|fy ${name}`, (_, calendar) => toDate(present(unit, calendar, true), calendar)),
  ]),
  rule("fytd", (_, calendar) => toDate(present("year", calendar, true), calendar)),
  rule("One [dash] to [dash] date", ([{ unit, fiscal }], calendar) =>
    toDate(present(unit, calendar, fiscal), calendar),
  ),
  ...(["Present [so] far", "[so] far [in|of] Present", "Present to date"] as const).map((said) =>
    rule(said, ([time], calendar) => toDate(time, calendar)),
  ),
  rule("until|to date", (_, calendar) => windowOf("day", { from: null, to: untilNow(calendar) })),
  rule("[from] Time to date", ([time], calendar) => {
    const from = firstOf(time, calendar)?.from;
    // Last year to date ends a year ago.
    const away = time.away !== undefined && time.away.n < 0 ? time.away : undefined;
    const to = away ? shift(untilNow(calendar), away) : untilNow(calendar);
    return from === undefined || from >= to ? undefined : windowOf(away?.unit ?? "day", { from, to });
  }),
  rule("ytd [in|of] Year", ([time], calendar) => {
    const from = firstOf(time, calendar)?.from;
    if (from === undefined) return undefined;
    const start = present("year", calendar, time.fiscal).fixed as Closed;
    const to = shift(untilNow(calendar), { unit: "year", n: yearOf(from) - yearOf(start.from) });
    return from < to ? windowOf("year", { from, to }, { fiscal: time.fiscal }) : undefined;
  }),
  rule("rest [of] [the] One", ([{ unit, fiscal }], calendar) =>
    restOf(present(unit, calendar, fiscal), calendar),
  ),
  rule("rest [of] [the] Present", ([time], calendar) => restOf(time, calendar)),
  rule("(earlier|later) [in|of] [the] Dated", ([which, time], calendar) => halfWay(which, time, calendar)),
  rule("(earlier|later) [in|of] the One", ([which, { unit, fiscal }], calendar) =>
    halfWay(which, present(unit, calendar, fiscal), calendar),
  ),
];

function untilNow({ today, business }: Calendar): number {
  return business ? today + DAY : today;
}

function toDate({ unit, fixed, fiscal }: Period, calendar: Calendar): Window | undefined {
  const { from } = fixed as Closed;
  const to = untilNow(calendar);
  return from < to ? windowOf(unit, { from, to }, { fiscal }) : undefined;
}

/** Recognizers leave the last day out here as well. */
function restOf({ unit, fixed }: Period, calendar: Calendar): Window | undefined {
  const { to } = fixed as Closed;
  const end = calendar.business ? to : to - DAY;
  return calendar.today < end ? windowOf(unit, { from: calendar.today, to: end }) : undefined;
}

/** Earlier this year: up to today; with Recognizers, up to the middle at most. */
function halfWay(
  which: "earlier" | "later",
  { unit, fixed }: Period,
  calendar: Calendar,
): Window | undefined {
  const { from, to } = fixed as Closed;
  const half = halfOf({ from, to }, unit);
  const { today, business } = calendar;
  const within = today > from && today < to;
  const span =
    which === "earlier"
      ? { from, to: within ? (business ? today : Math.min(half, today)) : half }
      : { from: within ? (business ? today + DAY : Math.max(half, today)) : half, to };
  return span.from < span.to ? windowOf(unit, span) : undefined;
}

/** Periods that are counted from today. */
export const RELATIVE_RULES: readonly Rule[] = [...PERIODS, ...WINDOWS, ...SO_FAR];
