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

type Side = (period: Period, calendar: Calendar) => Window | undefined;

/** Open to one side: the span that each reading of a period makes. */
function open(spanOf: (span: Closed, whole: Closed, period: Period, calendar: Calendar) => Span): Side {
  return (period, calendar) => {
    const [span, ...others] = readings(period, calendar).map((whole) =>
      spanOf(cut(whole, period, calendar), whole, period, calendar),
    );
    if (span === undefined) return undefined;
    const { unit, fiscal } = period;
    return { t: "window", unit, span, ...(fiscal && { fiscal }), ...(others.length > 0 && { others }) };
  };
}

/** Before and after leave the period itself out; before its end is up to it. */
const before = open(({ from }, whole, { part }) => ({ from: null, to: part === "end" ? whole.to : from }));
const after = open(({ to }) => ({ from: to, to: null }));
const onwards = open(({ from }) => ({ from, to: null }));
const until = open(({ from, to }, whole, { part }, { business }) => ({
  from: null,
  to: part === "end" ? whole.to : business ? to : from,
}));

/** A question about what happened since then is about what happened until today. */
const since: Side = (period, calendar) => {
  const found = onwards(period, calendar);
  const tomorrow = calendar.today + DAY;
  if (found === undefined || !calendar.business || (found.span.from ?? tomorrow) >= tomorrow) return found;
  const { others: _others, ...rest } = found;
  return { ...rest, span: { from: found.span.from, to: tomorrow } };
};

/** The period and all before it: no later than, up to and including. */
const upTo: Side = (period, calendar) => {
  const found = until(period, calendar);
  const whole = readings(period, calendar)[0];
  return found && whole && { ...found, span: { from: null, to: cut(whole, period, calendar).to } };
};

const later = word("later", "after");
const sooner = word("earlier", "before");
const than = word("than");
const either = word("or", "and");
type Words = readonly (readonly [side: Side, words: readonly Place<unknown>[]])[];

const BEFORE_PERIOD: Words = [
  [since, [word("since")]],
  [before, [word("before")]],
  [after, [word("after")]],
  [until, [word("until"), maybe(word("with"))]],
  [until, [word("up"), word("to")]],
  [upTo, [word("up"), word("to"), word("and"), word("the")]],
  [before, [word("prior"), word("to")]],
  [onwards, [word("on", "equal"), either, later, maybe(than)]],
  [upTo, [word("on", "equal"), either, sooner, maybe(than)]],
  [onwards, [word("starting"), maybe(word("in", "from"))]],
  [until, [word("ending"), maybe(word("in", "by"))]],
  [onwards, [word("as"), word("early"), word("as")]],
  [until, [word("as"), word("late"), word("as")]],
  [onwards, [word("no"), word("before")]],
  [upTo, [word("no"), word("after")]],
  [onwards, [later, than, word("or"), word("equal"), maybe(word("to"))]],
  [upTo, [sooner, than, word("or"), word("equal"), maybe(word("to"))]],
  [upTo, [word("no"), later, than]],
  [onwards, [word("no"), sooner, than]],
  [after, [later, than]],
  [before, [sooner, than]],
  [upTo, [word("below"), word("equal")]],
  [upTo, [word("upto")]],
  [onwards, [word("above"), word("equal")]],
  [onwards, [word("atleast")]],
  [before, [word("below")]],
  [after, [word("above")]],
];
const AFTER_PERIOD: Words = [
  [onwards, [either, later]],
  [upTo, [either, sooner]],
  [onwards, [word("onwards")]],
];

const SIDES: readonly Rule[] = [
  ...BEFORE_PERIOD.map(([side, words]) =>
    rule([...words, the, unled], (parts, calendar) => side(parts.at(-1) as Period, calendar)),
  ),
  ...AFTER_PERIOD.map(([side, words]) =>
    rule([maybe(word("from")), the, time, ...words], ([, , period], calendar) => side(period, calendar)),
  ),
  // "from 2024 on", "von 2024 an"
  rule([word("from"), the, time, word("onto")], ([, , period], calendar) => onwards(period, calendar)),
  rule([word("by"), the, unled], ([, , period], calendar) => {
    // By 2025 revenue sorts; by the end of 2025 is a term.
    const term = period.latent !== true && (period.unit === "day" || period.part === "end");
    return term || !calendar.business ? until(period, calendar) : undefined;
  }),
  rule(
    [a("unit", ({ unit }) => unit === "year"), maybe(word("is")), word("more", "less"), than, year],
    ([, , which, , period], calendar) => (which === "more" ? after : before)(period, calendar),
  ),
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
