import { DAY } from "./calendar.ts";
import { a, maybe, type Place, type Rule, rule, word } from "./chart.ts";
import { the, year } from "./places.ts";
import type { Calendar } from "./profile.ts";
import { cut, lacksMonth, lacksYear, pair, readings } from "./resolve.ts";
import type { Closed, Period, Span, Value, Window } from "./values.ts";

const time = a("time");
/** What adds up to in 2025 is not up to 2025. */
const unled = a("time", ({ led }) => led !== true);
const month = a("time", ({ unit, part, n }) => unit === "month" && part === undefined && n === undefined);
/** The number of a day in a month: 3, third, 3rd. */
const dayNumber: Place<number> = {
  keys: ["int", "ord"],
  take: (value: Value) => {
    const fits = value.t === "ord" || (value.t === "int" && value.digits > 0 && value.digits < 3);
    return fits && value.n >= 1 && value.n <= 31 ? value.n : undefined;
  },
};

/** The moment that "from the end of March" or "until mid May" speaks of. */
function edge(whole: Closed, period: Period, last: boolean, calendar: Calendar): number {
  const span = cut(whole, period, calendar);
  if (calendar.business) return last ? span.to : span.from;
  if (period.part === "end") return whole.to;
  if (period.part === "mid" && period.unit === "month") return whole.from + 15 * DAY;
  return span.from;
}

function range(from: Period, to: Period, calendar: Calendar): Window | undefined {
  if (lacksMonth(from) && lacksMonth(to) && from.led !== true) return undefined;
  // Dec-2018 and 2017-Q1 are no ranges: one gives the other its year.
  if ((from.unit === "year") !== (to.unit === "year") && (lacksYear(from) || lacksYear(to))) return undefined;
  const both = pair(from, to, calendar);
  if (both === undefined) return undefined;
  const span = {
    from: edge(both[0], from, false, calendar),
    to: edge(both[1], to, true, calendar),
  };
  if (span.from >= span.to) return undefined;
  const fiscal = from.fiscal === true && to.fiscal === true;
  const ends: [Closed, Closed] = [cut(both[0], from, calendar), cut(both[1], to, calendar)];
  return { t: "window", unit: to.unit, span, ends, ...(fiscal && { fiscal }) };
}

function days(first: number, last: number, inMonth: Period, calendar: Calendar): Window | undefined {
  const spans = readings(inMonth, calendar).flatMap((whole): Closed[] => {
    const from = whole.from + (first - 1) * DAY;
    const to = whole.from + (calendar.business ? last : last - 1) * DAY;
    return from < to && whole.from + last * DAY <= whole.to ? [{ from, to }] : [];
  });
  const [span, ...others] = spans;
  if (span === undefined) return undefined;
  const end = calendar.business ? span.to - DAY : span.to;
  const ends: [Closed, Closed] = [
    { from: span.from, to: span.from + DAY },
    { from: end, to: end + DAY },
  ];
  return { t: "window", unit: "day", span, ends, ...(others.length > 0 && { others }) };
}

const dated = (year_: Period | undefined, period: Period): Period =>
  year_?.year === undefined ? period : { ...period, year: year_.year };

const week = a("int", ({ n, digits }) => digits > 0 && n >= 1 && n <= 53);
const RANGES: readonly Rule[] = [
  // weeks 10 to 12, KW 10-12 2025
  rule(
    [
      a("unit", ({ unit }) => unit === "week"),
      week,
      word("to"),
      week,
      maybe(word("of", "in", "slash")),
      maybe(year),
    ],
    ([, first, , last, , inYear], calendar) =>
      range(
        dated(inYear, { t: "time", unit: "week", n: first.n }),
        dated(inYear, { t: "time", unit: "week", n: last.n }),
        calendar,
      ),
  ),
  rule([maybe(word("from")), the, time, word("to"), the, unled], ([from, , first, , , last], calendar) =>
    range(from === undefined ? first : { ...first, led: true }, last, calendar),
  ),
  rule([word("between"), the, time, word("and", "to"), the, unled], ([, , first, , , last], calendar) =>
    range({ ...first, led: true }, last, calendar),
  ),
  rule(
    [
      maybe(word("from", "between")),
      the,
      dayNumber,
      word("to", "and"),
      the,
      dayNumber,
      maybe(word("of", "in")),
      the,
      month,
    ],
    ([lead, , first, joint, , last, , , inMonth], calendar) =>
      joint === "and" && lead === undefined ? undefined : days(first, last, inMonth, calendar),
  ),
  rule(
    [
      maybe(word("from", "between")),
      month,
      the,
      dayNumber,
      word("to", "and"),
      the,
      dayNumber,
      maybe(word("comma", "of")),
      maybe(year),
    ],
    ([lead, inMonth, , first, joint, , last, , inYear], calendar) =>
      joint === "and" && lead === undefined ? undefined : days(first, last, dated(inYear, inMonth), calendar),
  ),
];

type Bound = "before" | "after" | "from" | "until";

/** One side is open; before and after leave the period itself out. */
function bound(side: Bound, period: Period, calendar: Calendar): Window | undefined {
  const spans = readings(period, calendar).map((whole): Span => {
    const span = cut(whole, period, calendar);
    const end = period.part === "end" ? whole.to : undefined;
    if (side === "before") return { from: null, to: end ?? span.from };
    if (side === "until") return { from: null, to: end ?? (calendar.business ? span.to : span.from) };
    return { from: side === "after" ? span.to : span.from, to: null };
  });
  const [span, ...others] = spans;
  if (span === undefined) return undefined;
  const { unit, fiscal } = period;
  return { t: "window", unit, span, ...(fiscal && { fiscal }), ...(others.length > 0 && { others }) };
}

/** A question about what happened since then is about what happened until today. */
function since(period: Period, calendar: Calendar): Window | undefined {
  const found = bound("from", period, calendar);
  const tomorrow = calendar.today + DAY;
  if (found === undefined || !calendar.business || (found.span.from ?? tomorrow) >= tomorrow) return found;
  const { others: _others, ...rest } = found;
  return { ...rest, span: { from: found.span.from, to: tomorrow } };
}

/** The period and all before it: no later than, up to and including. */
function upTo(period: Period, calendar: Calendar): Window | undefined {
  const found = bound("until", period, calendar);
  const whole = readings(period, calendar)[0];
  return found && whole && { ...found, span: { from: null, to: cut(whole, period, calendar).to } };
}

const later = word("later", "after");
const sooner = word("earlier", "before");
const SIDES: readonly Rule[] = [
  rule([word("since"), the, unled], ([, , period], calendar) => since(period, calendar)),
  rule([word("before", "after"), the, unled], ([side, , period], calendar) =>
    bound(side as Bound, period, calendar),
  ),
  rule([word("until"), maybe(word("with")), the, unled], ([, , , period], calendar) =>
    bound("until", period, calendar),
  ),
  rule([word("by"), the, unled], ([, , period], calendar) => {
    // By 2025 revenue sorts; by the end of 2025 is a term.
    const term = period.latent !== true && (period.unit === "day" || period.part === "end");
    return term || !calendar.business ? bound("until", period, calendar) : undefined;
  }),
  rule([word("up"), word("to"), the, unled], ([, , , period], calendar) => bound("until", period, calendar)),
  rule([word("prior"), word("to"), the, unled], ([, , , period], calendar) =>
    bound("before", period, calendar),
  ),
  rule(
    [word("on", "equal"), word("or", "and"), later, maybe(word("than")), the, unled],
    ([, , , , , period], calendar) => bound("from", period, calendar),
  ),
  rule(
    [word("on", "equal"), word("or", "and"), sooner, maybe(word("than")), the, unled],
    ([, , , , , period], calendar) => upTo(period, calendar),
  ),
  rule([word("starting"), maybe(word("in", "from")), the, unled], ([, , , period], calendar) =>
    bound("from", period, calendar),
  ),
  rule([word("ending"), maybe(word("in", "by")), the, unled], ([, , , period], calendar) =>
    bound("until", period, calendar),
  ),
  rule([word("as"), word("early"), word("as"), the, unled], ([, , , , period], calendar) =>
    bound("from", period, calendar),
  ),
  rule([word("as"), word("late"), word("as"), the, unled], ([, , , , period], calendar) =>
    bound("until", period, calendar),
  ),
  rule([word("no"), word("before", "after"), the, unled], ([, side, , period], calendar) =>
    side === "before" ? bound("from", period, calendar) : upTo(period, calendar),
  ),
  rule(
    [later, word("than"), word("or"), word("equal"), maybe(word("to")), unled],
    ([, , , , , period], calendar) => bound("from", period, calendar),
  ),
  rule(
    [sooner, word("than"), word("or"), word("equal"), maybe(word("to")), unled],
    ([, , , , , period], calendar) => upTo(period, calendar),
  ),
  rule([word("no"), later, word("than"), the, unled], ([, , , , period], calendar) => upTo(period, calendar)),
  rule([word("no"), sooner, word("than"), the, unled], ([, , , , period], calendar) =>
    bound("from", period, calendar),
  ),
  rule([later, word("than"), the, unled], ([, , , period], calendar) => bound("after", period, calendar)),
  rule([sooner, word("than"), the, unled], ([, , , period], calendar) => bound("before", period, calendar)),
  rule([time, word("or", "and"), later], ([period], calendar) => bound("from", period, calendar)),
  rule([time, word("or", "and"), sooner], ([period], calendar) => upTo(period, calendar)),
  rule([time, word("onwards")], ([period], calendar) => bound("from", period, calendar)),
  rule([word("from"), the, time, word("onwards")], ([, , period], calendar) =>
    bound("from", period, calendar),
  ),
  rule(
    [a("unit", ({ unit }) => unit === "year"), maybe(word("is")), word("more", "less"), word("than"), year],
    ([, , which, , period], calendar) => bound(which === "more" ? "after" : "before", period, calendar),
  ),
  rule([word("below"), word("equal"), unled], ([, , period], calendar) => upTo(period, calendar)),
  rule([word("upto"), unled], ([, period], calendar) => upTo(period, calendar)),
  rule([word("above"), word("equal"), unled], ([, , period], calendar) => bound("from", period, calendar)),
  rule([word("atleast"), unled], ([, period], calendar) => bound("from", period, calendar)),
  rule([word("below"), unled], ([, period], calendar) => bound("before", period, calendar)),
  rule([word("above"), unled], ([, period], calendar) => bound("after", period, calendar)),
];

const LEADS: readonly Rule[] = [
  rule([word("in", "of"), the, a("window", ({ led }) => led !== true)], ([, , found]) => ({
    ...found,
    led: true,
  })),
  rule([word("the"), a("window", ({ led }) => led !== true)], ([, found]) => ({ ...found, led: true })),
  rule([word("in", "of", "from", "equal"), the, unled], ([lead, , period]) => {
    const { latent, weak: _weak, ...rest } = period;
    // A growth of 1.5.
    if (latent === true && lead === "of" && period.unit === "day") return undefined;
    if (lacksMonth(period)) return undefined;
    // "For summer" may well be a campaign.
    return { ...rest, led: true, ...(period.unit === "season" && lacksYear(period) && { latent: true }) };
  }),
  rule([word("on"), the, a("time", lacksMonth)], ([, , period]) => {
    const { latent: _latent, weak: _weak, ...rest } = period;
    return { ...rest, led: true };
  }),
  rule([word("the"), a("time", ({ led, weak }) => led !== true && weak !== true)], ([, period]) => period),
];

/** Windows made of periods: ranges, and those open to one side. */
export const WINDOW_RULES: readonly Rule[] = [...RANGES, ...SIDES, ...LEADS];
