import { DAY } from "./calendar.ts";
import { a, type Place, type Rule, rulesOf } from "./chart.ts";
import { PLACES, unitOf } from "./places.ts";
import type { Calendar } from "./profile.ts";
import { cut, lacksMonth, lacksYear, pair, period, readings, sure, windowOf } from "./resolve.ts";
import type { Closed, Period, Span, Value, Window } from "./values.ts";

/** The number of a day in a month: 3, third, 3rd. */
const dayNumber: Place<number> = {
  keys: ["int", "ord"],
  take: (value: Value) => {
    const fits = value.t === "ord" || (value.t === "int" && value.digits > 0 && value.digits < 3);
    return fits && value.n >= 1 && value.n <= 31 ? value.n : undefined;
  },
};

const { rule } = rulesOf({
  ...PLACES,
  DayNumber: dayNumber,
  AnyMonth: a("time", ({ unit, part, n }) => unit === "month" && part === undefined && n === undefined),
  WeekUnit: unitOf("week"),
  Week: a("int", ({ n, digits }) => digits > 0 && n >= 1 && n <= 53),
  UnledWindow: a("window", ({ led }) => led !== true),
  Named: a("time", ({ led, weak }) => led !== true && weak !== true),
});

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
  return windowOf(to.unit, span, { ends, ...(fiscal && { fiscal }) });
}

function days(first: number, last: number, inMonth: Period, calendar: Calendar): Window | undefined {
  const [span] = readings(inMonth, calendar).flatMap((whole): Closed[] => {
    const from = whole.from + (first - 1) * DAY;
    const to = whole.from + (calendar.business ? last : last - 1) * DAY;
    return from < to && whole.from + last * DAY <= whole.to ? [{ from, to }] : [];
  });
  if (span === undefined) return undefined;
  const end = calendar.business ? span.to - DAY : span.to;
  const ends: [Closed, Closed] = [
    { from: span.from, to: span.from + DAY },
    { from: end, to: end + DAY },
  ];
  return windowOf("day", span, { ends });
}

const inYear = (year: Period | undefined, time: Period): Period =>
  year?.year === undefined ? time : { ...time, year: year.year };

const RANGES: readonly Rule[] = [
  // weeks 10 to 12, KW 10-12 2025
  rule("WeekUnit Week to Week [of|in|slash] [Year]", ([, first, last, year], calendar) => {
    const [from, to] = [first, last].map(({ n }) => inYear(year, period("week", { n })));
    return range(from as Period, to as Period, calendar);
  }),
  rule("[(from)] [the] Time to [the] Unled", ([from, first, last], calendar) =>
    range(from === undefined ? first : { ...first, led: true }, last, calendar),
  ),
  rule("between [the] Time and|to [the] Unled", ([first, last], calendar) =>
    range({ ...first, led: true }, last, calendar),
  ),
  rule(
    "[(from|between)] [the] DayNumber (to|and) [the] DayNumber [of|in] [the] AnyMonth",
    ([lead, first, joint, last, month], calendar) =>
      joint === "and" && lead === undefined ? undefined : days(first, last, month, calendar),
  ),
  rule(
    "[(from|between)] AnyMonth [the] DayNumber (to|and) [the] DayNumber [comma|of] [Year]",
    ([lead, month, first, joint, last, year], calendar) =>
      joint === "and" && lead === undefined ? undefined : days(first, last, inYear(year, month), calendar),
  ),
];

type Side = (period: Period, calendar: Calendar) => Window | undefined;

/** Open to one side: the span that each reading of a period makes. */
function open(spanOf: (span: Closed, whole: Closed, period: Period, calendar: Calendar) => Span): Side {
  return (period, calendar) => {
    const { unit, fiscal } = period;
    const [whole] = readings(period, calendar);
    const span = whole && spanOf(cut(whole, period, calendar), whole, period, calendar);
    return span && windowOf(unit, span, { fiscal });
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
  return { ...found, span: { from: found.span.from, to: tomorrow } };
};

/** The period and all before it: no later than, up to and including. */
const upTo: Side = (period, calendar) => {
  const found = until(period, calendar);
  const whole = readings(period, calendar)[0];
  return found && whole && { ...found, span: { from: null, to: cut(whole, period, calendar).to } };
};

type Words = readonly (readonly [side: Side, patterns: readonly string[]])[];

/** What includes the period comes first: >= is no > with something behind it. */
const BEFORE_PERIOD: Words = [
  [since, ["since"]],
  [until, ["until [with]", "up to", "ending [in|by]", "as late as"]],
  [
    upTo,
    [
      "up to and the",
      "on|equal or|and earlier|before [than]",
      "no after",
      "earlier|before than or equal [to]",
      "no later|after than",
      "below equal",
      "upto",
    ],
  ],
  [
    onwards,
    [
      "on|equal or|and later|after [than]",
      "starting [in|from]",
      "as early as",
      "no before",
      "later|after than or equal [to]",
      "no earlier|before than",
      "above equal",
      "atleast",
    ],
  ],
  [before, ["before", "prior to", "earlier|before than", "below"]],
  [after, ["after", "later|after than", "above"]],
];
const AFTER_PERIOD: Words = [
  [onwards, ["or|and later|after", "onwards"]],
  [upTo, ["or|and earlier|before"]],
];

const SIDES: readonly Rule[] = [
  ...BEFORE_PERIOD.flatMap(([side, patterns]) =>
    patterns.map((said) => rule(`${said} [the] Unled`, ([period], calendar) => side(period, calendar))),
  ),
  ...AFTER_PERIOD.flatMap(([side, patterns]) =>
    patterns.map((said) => rule(`[from] [the] Time ${said}`, ([period], calendar) => side(period, calendar))),
  ),
  // "from 2024 on", "von 2024 an"
  rule("from [the] Time onto", ([period], calendar) => onwards(period, calendar)),
  rule("by [the] Unled", ([period], calendar) => {
    // By 2025 revenue sorts; by the end of 2025 is a term.
    const term = period.latent !== true && (period.unit === "day" || period.part === "end");
    return term || !calendar.business ? until(period, calendar) : undefined;
  }),
  rule("YearUnit [is] (more|less) than Year", ([, which, period], calendar) =>
    (which === "more" ? after : before)(period, calendar),
  ),
];

const LEADS: readonly Rule[] = [
  rule("in|of [the] UnledWindow", ([found]) => ({ ...found, led: true })),
  rule("the UnledWindow", ([found]) => ({ ...found, led: true })),
  rule("(in|of|from|equal) [the] Unled", ([lead, period]) => {
    // A growth of 1.5.
    if (period.latent === true && lead === "of" && period.unit === "day") return undefined;
    if (lacksMonth(period)) return undefined;
    // "For summer" may well be a campaign.
    const latent = period.unit === "season" && lacksYear(period);
    return { ...sure(period), led: true, ...(latent && { latent }) };
  }),
  rule("on [the] DayOfMonth", ([period]) => ({ ...sure(period), led: true })),
  rule("the Named", ([period]) => period),
];

/** Windows made of periods: ranges, and those open to one side. */
export const WINDOW_RULES: readonly Rule[] = [...RANGES, ...SIDES, ...LEADS];
