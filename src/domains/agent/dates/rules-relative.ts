import { DAY, shift, yearOf } from "./calendar.ts";
import { a, maybe, type Rule, rule, word } from "./chart.ts";
import { count, inside, one, day as someDay, the, year } from "./places.ts";
import type { Calendar } from "./profile.ts";
import { derived, halfOf, lacksYear, present, readings, swung } from "./resolve.ts";

import type { Closed, Period, Span, Step, Unit, Value, Window } from "./values.ts";

const many = a("unit", ({ plural }) => plural);
const direction = word("last", "this", "next");
const BY = { last: -1, this: 0, next: 1 } as const;
/** These are counted as whole ones: nobody means a quarter that begins on the 12th. */
const WHOLE: readonly Unit[] = ["quarter", "half", "decade", "century", "weekend", "workweek"];

function day(calendar: Calendar, by: number): Period {
  const from = calendar.today + by * DAY;
  return { t: "time", unit: "day", fixed: { from, to: from + DAY }, away: { unit: "day", n: by } };
}

function window(unit: Period["unit"], span: Span, rest: Partial<Window> = {}): Window {
  return { t: "window", unit, span, ...rest };
}

/** The last or next so many: whole ones, or those that end today (business) or yesterday. */
function several(by: -1 | 1, steps: readonly Step[], calendar: Calendar): Window | undefined {
  const [{ unit, n, fiscal = false }] = steps as [Step];
  const rolling = rollingSpan(by, steps, calendar);
  const whole = steps.length === 1 ? wholeSpan(by, unit, n, fiscal, calendar) : undefined;
  if (whole !== undefined && fiscal) return window(unit, whole, { fiscal });
  if (whole !== undefined && WHOLE.includes(unit))
    return window(unit, whole, rolling && calendar.business ? { others: [rolling] } : {});
  if (rolling === undefined) return undefined;
  const others = calendar.business && whole !== undefined && unit !== "day" ? { others: [whole] } : {};
  return window(unit, rolling, others);
}

function rollingSpan(by: -1 | 1, steps: readonly Step[], calendar: Calendar): Closed | undefined {
  const hours = steps.some(({ unit }) => unit === "hour");
  const tomorrow = calendar.today + DAY;
  const start = hours ? calendar.now : by > 0 || calendar.business ? tomorrow : calendar.today;
  let end = start;
  for (const { unit, n } of steps) end = shift(end, { unit, n: by * n });
  return order(start, end);
}

function wholeSpan(
  by: -1 | 1,
  unit: Unit,
  n: number,
  fiscal: boolean,
  calendar: Calendar,
): Closed | undefined {
  if (unit === "hour" || unit === "workday" || unit === "fortnight") return undefined;
  const near = present(unit, calendar, fiscal, by).fixed as Closed;
  const far = present(unit, calendar, fiscal, by * n).fixed as Closed;
  return by < 0 ? { from: far.from, to: near.to } : { from: near.from, to: far.to };
}

function order(one: number, two: number): Closed | undefined {
  if (one === two || !Number.isFinite(one) || !Number.isFinite(two)) return undefined;
  return one < two ? { from: one, to: two } : { from: two, to: one };
}

const PERIODS: readonly Rule[] = [
  rule([word("today")], (_, calendar) => day(calendar, 0)),
  rule([word("this"), word("date")], (_, calendar) => day(calendar, 0)),
  rule([word("yesterday")], (_, calendar) => day(calendar, -1)),
  rule([word("tomorrow")], (_, calendar) => day(calendar, 1)),
  rule([word("daybefore")], (_, calendar) => day(calendar, -2)),
  rule([word("dayafter")], (_, calendar) => day(calendar, 2)),
  rule([a("unit", ({ unit }) => unit === "day"), word("before"), word("yesterday")], (_, calendar) =>
    day(calendar, -2),
  ),
  rule([a("unit", ({ unit }) => unit === "day"), word("after"), word("tomorrow")], (_, calendar) =>
    day(calendar, 2),
  ),
  rule([word("thisyear")], (_, calendar) => present("year", calendar)),

  rule([direction, one], ([which, { unit, fiscal }], calendar) => {
    const by = BY[which as keyof typeof BY];
    return unit === "hour" ? undefined : present(unit, calendar, fiscal, by);
  }),
  rule([word("this"), word("last", "next"), one], ([, which, { unit, fiscal }], calendar) =>
    present(unit, calendar, fiscal, which === "last" ? -1 : 1),
  ),
  rule([word("a"), one, word("ago")], ([, { unit }], calendar) => ago([{ unit, n: 1 }], calendar)),
  rule([word("penult"), one], ([, { unit, fiscal }], calendar) => present(unit, calendar, fiscal, -2)),
  rule([word("second"), one], ([, { unit, fiscal }], calendar) => present(unit, calendar, fiscal, 2)),
  rule([one, word("before"), word("last")], ([{ unit, fiscal }], calendar) =>
    present(unit, calendar, fiscal, -2),
  ),
  rule([one, word("after"), word("next")], ([{ unit, fiscal }], calendar) =>
    present(unit, calendar, fiscal, 2),
  ),
  // last March, this Friday, next Q2
  rule(
    [direction, a("time", (time) => lacksYear(time) && time.day === undefined && time.unit !== "week")],
    ([which, time], calendar) => {
      const fixed = swung(time, BY[which as keyof typeof BY], calendar);
      const { weak: _weak, latent: _latent, ...rest } = time;
      return fixed && { ...rest, fixed };
    },
  ),
  // of the month, in the year, the weekend: the present one, unless it is said otherwise
  rule([word("in", "of"), word("the"), one], ([, , { unit, fiscal }], calendar) => ({
    ...present(unit, calendar, fiscal),
    led: true,
    latent: calendar.business,
  })),
  rule(
    [the, a("unit", ({ unit, plural }) => !plural && (unit === "weekend" || unit === "fortnight"))],
    ([, { unit }], calendar) => ({ ...present(unit, calendar), latent: true }),
  ),
  rule([word("the"), one], ([, { unit, fiscal }], calendar) =>
    calendar.business ? undefined : { ...present(unit, calendar, fiscal), latent: true },
  ),
  rule(
    [word("that", "same"), one],
    ([, { unit }], calendar): Value => (calendar.business ? { t: "same", unit } : present(unit, calendar)),
  ),

  rule([a("duration"), word("ago")], ([{ steps }], calendar) => ago(steps, calendar)),
  rule([word("ago"), a("duration")], ([, { steps }], calendar) => ago(steps, calendar)),
  rule([a("duration"), word("before", "after"), someDay], ([{ steps }, side, time], calendar) =>
    calendar.business && isLong(steps)
      ? undefined
      : derived(time, "day", calendar, ({ from }) => {
          const moved = moveBy(from, steps, side === "before" ? -1 : 1);
          return { from: moved, to: moved + DAY };
        }),
  ),
];

/** Weeks before a day are all of them; a few days before it is one day. */
function isLong(steps: readonly Step[]): boolean {
  return steps.every(({ unit }) => unit !== "day" && unit !== "hour" && unit !== "workday");
}

function ago(steps: readonly Step[], calendar: Calendar): Period | undefined {
  const [{ unit, n }] = steps as [Step];
  if (steps.some((step) => step.unit === "hour")) return undefined;
  if (steps.length === 1 && calendar.business && unit !== "workday")
    return present(unit, calendar, false, -n);
  const from = moveBy(calendar.today, steps, -1);
  return { t: "time", unit: "day", fixed: { from, to: from + DAY } };
}

function moveBy(from: number, steps: readonly Step[], sign: 1 | -1): number {
  let moved = from;
  for (const { unit, n } of steps) moved = shift(moved, { unit, n: sign * n });
  return moved;
}

const WINDOWS: readonly Rule[] = [
  // the six weeks before Christmas
  rule(
    [maybe(word("the")), a("duration"), word("before", "after"), someDay],
    ([the, { steps }, side, time], calendar) => {
      const day = readings(time, calendar)[0];
      if (day === undefined || !calendar.business || (the === undefined && !isLong(steps))) return undefined;
      const start = side === "before" ? day.from : day.to;
      const span = order(start, moveBy(start, steps, side === "before" ? -1 : 1));
      return span && window("day", span);
    },
  ),
  // The past year may be the last calendar year or the twelve months up to today.
  rule([word("past"), one], ([, { unit }], calendar) => {
    if (!calendar.business || unit === "day" || unit === "hour") return undefined;
    const rolling = rollingSpan(-1, [{ unit, n: 1 }], calendar);
    const { fixed } = present(unit, calendar, false, -1);
    return fixed && rolling && window(unit, fixed, { others: [rolling] });
  }),
  rule([word("last", "next"), maybe(word("only")), a("duration")], ([which, , { steps }], calendar) =>
    several(which === "last" ? -1 : 1, steps, calendar),
  ),
  rule([count, word("last", "next"), many], ([{ n }, which, { unit }], calendar) =>
    several(which === "last" ? -1 : 1, [{ unit, n }], calendar),
  ),
  rule(
    [word("more"), word("than"), a("duration"), word("before", "after"), someDay],
    ([, , { steps }, side, time], calendar) => {
      const from = readings(time, calendar)[0]?.from;
      if (from === undefined) return undefined;
      const moved = moveBy(from, steps, side === "before" ? -1 : 1);
      return window("day", side === "before" ? { from: null, to: moved } : { from: moved, to: null });
    },
  ),
  rule([word("more"), word("than"), a("duration"), word("ago")], ([, , { steps }], calendar) =>
    window("day", { from: null, to: moveBy(calendar.today, steps, -1) }),
  ),
  rule(
    [word("less"), word("than"), a("duration"), word("before", "after"), someDay],
    ([, , { steps }, side, time], calendar) => {
      const from = readings(time, calendar)[0]?.from;
      const span =
        from === undefined ? undefined : order(from, moveBy(from, steps, side === "before" ? -1 : 1));
      return span && window("day", span);
    },
  ),
  rule([word("less"), word("than"), a("duration"), word("ago")], ([, , { steps }], calendar) =>
    several(-1, steps, calendar),
  ),
  rule([word("ltm")], (_, calendar) => several(-1, [{ unit: "month", n: 12 }], calendar)),
  // the twelve months ending March 2025, the year ended 31 March 2025
  rule(
    [
      maybe(word("last")),
      a("duration"),
      word("ending"),
      maybe(word("in")),
      a("time", ({ led }) => led !== true),
    ],
    ([, { steps }, , , time], calendar) => closing(steps, time, calendar),
  ),
  rule(
    [one, word("ending"), maybe(word("in")), a("time", ({ led }) => led !== true)],
    ([{ unit }, , , time], calendar) => closing([{ unit, n: 1 }], time, calendar),
  ),
  // this and last year
  rule([direction, word("and"), direction, one], ([first, , second, { unit, fiscal }], calendar) => {
    const two = [first, second].map(
      (which) => present(unit, calendar, fiscal, BY[which as keyof typeof BY]).fixed as Closed,
    );
    const [from, to] = two.sort((x, y) => x.from - y.from) as [Closed, Closed];
    return from.to === to.from
      ? window(unit, { from: from.from, to: to.to }, { ends: [from, to] })
      : undefined;
  }),
  // 3 days starting tomorrow, a week from 20 December
  rule(
    [a("duration"), maybe(word("comma")), word("starting", "from"), maybe(word("in", "from")), someDay],
    ([{ steps }, , , , time], calendar) => beginning(steps, time, calendar),
  ),
  rule(
    [word("a"), one, word("starting", "from"), maybe(word("in", "from")), someDay],
    ([, { unit }, , , time], calendar) => beginning([{ unit, n: 1 }], time, calendar),
  ),
];

function closing(steps: readonly Step[], time: Period, calendar: Calendar): Window | undefined {
  const to = readings(time, calendar)[0]?.to;
  const span = to === undefined ? undefined : order(to, moveBy(to, steps, -1));
  return span && window(steps[0]?.unit ?? "day", span);
}

function beginning(steps: readonly Step[], time: Period, calendar: Calendar): Window | undefined {
  const spans = readings(time, calendar);
  // What is planned for so long lies ahead.
  const from = (spans[1] ?? spans[0])?.from;
  return from === undefined ? undefined : window("day", { from, to: moveBy(from, steps, 1) });
}

const isPresent = a(
  "time",
  ({ fixed, away, part }) => fixed !== undefined && away?.n === 0 && part === undefined,
);
const dated = a(
  "time",
  ({ fixed, part, unit }) => fixed !== undefined && part === undefined && unit !== "day",
);

const SO_FAR: readonly Rule[] = [
  ...(["ytd", "qtd", "mtd", "wtd"] as const).flatMap((name) => {
    const unit = { ytd: "year", qtd: "quarter", mtd: "month", wtd: "week" }[name] as Unit;
    return [
      rule([word(name)], (_, calendar) => toDate(present(unit, calendar), calendar)),
      rule([word("fiscal", "fy"), word(name)], (_, calendar) =>
        toDate(present(unit, calendar, true), calendar),
      ),
    ];
  }),
  rule([word("fytd")], (_, calendar) => toDate(present("year", calendar, true), calendar)),
  rule(
    [one, maybe(word("dash")), word("to"), maybe(word("dash")), word("date")],
    ([{ unit, fiscal }], calendar) => toDate(present(unit, calendar, fiscal), calendar),
  ),
  rule([isPresent, maybe(word("so")), word("far")], ([time], calendar) => toDate(time, calendar)),
  rule([maybe(word("so")), word("far"), maybe(inside), isPresent], ([, , , time], calendar) =>
    toDate(time, calendar),
  ),
  rule([isPresent, word("to"), word("date")], ([time], calendar) => toDate(time, calendar)),
  rule([word("until", "to"), word("date")], (_, calendar) =>
    window("day", { from: null, to: untilNow(calendar) }),
  ),
  rule([maybe(word("from")), a("time"), word("to"), word("date")], ([, time], calendar) => {
    const from = readings(time, calendar)[0]?.from;
    // Last year to date ends a year ago.
    const away = time.away !== undefined && time.away.n < 0 ? time.away : undefined;
    const to = away ? shift(untilNow(calendar), away) : untilNow(calendar);
    return from === undefined || from >= to ? undefined : window(away?.unit ?? "day", { from, to });
  }),
  rule([word("ytd"), maybe(inside), year], ([, , time], calendar) => {
    const from = readings(time, calendar)[0]?.from;
    if (from === undefined) return undefined;
    const start = present("year", calendar, time.fiscal).fixed as Closed;
    const to = shift(untilNow(calendar), { unit: "year", n: yearOf(from) - yearOf(start.from) });
    return from < to ? window("year", { from, to }, time.fiscal ? { fiscal: true } : {}) : undefined;
  }),
  rule([word("rest"), maybe(word("of")), the, one], ([, , , { unit, fiscal }], calendar) =>
    restOf(present(unit, calendar, fiscal), calendar),
  ),
  rule([word("rest"), maybe(word("of")), the, isPresent], ([, , , time], calendar) => restOf(time, calendar)),
  rule([word("earlier", "later"), maybe(inside), the, dated], ([which, , , time], calendar) =>
    halfWay(which === "earlier", time, calendar),
  ),
  rule(
    [word("earlier", "later"), maybe(inside), word("the"), one],
    ([which, , , { unit, fiscal }], calendar) =>
      halfWay(which === "earlier", present(unit, calendar, fiscal), calendar),
  ),
];

function untilNow({ today, business }: Calendar): number {
  return business ? today + DAY : today;
}

function toDate({ unit, fixed, fiscal }: Period, calendar: Calendar): Window | undefined {
  const { from } = fixed as Closed;
  const to = untilNow(calendar);
  return from < to ? window(unit, { from, to }, fiscal ? { fiscal } : {}) : undefined;
}

/** Recognizers leave the last day out here as well. */
function restOf({ unit, fixed }: Period, calendar: Calendar): Window | undefined {
  const { to } = fixed as Closed;
  const end = calendar.business ? to : to - DAY;
  return calendar.today < end ? window(unit, { from: calendar.today, to: end }) : undefined;
}

/** Earlier this year: up to today; with Recognizers, up to the middle at most. */
function halfWay(earlier: boolean, { unit, fixed }: Period, calendar: Calendar): Window | undefined {
  const { from, to } = fixed as Closed;
  const half = halfOf({ from, to }, unit);
  const { today, business } = calendar;
  const within = today > from && today < to;
  const span = earlier
    ? { from, to: within ? (business ? today : Math.min(half, today)) : half }
    : { from: within ? (business ? today + DAY : Math.max(half, today)) : half, to };
  return span.from < span.to ? window(unit, span) : undefined;
}

/** Periods that are counted from today. */
export const RELATIVE_RULES: readonly Rule[] = [...PERIODS, ...WINDOWS, ...SO_FAR];
