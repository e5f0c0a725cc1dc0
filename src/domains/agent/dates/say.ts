import { DAY, dayOf, fiscalYearOf, monthOf, periodAround, weekOfYear, yearOf } from "./calendar.ts";
import type { Calendar } from "./profile.ts";
import type { Closed, Grain, Period, Shift, Span, Unit } from "./values.ts";

const MONTHS = {
  en: "January February March April May June July August September October November December".split(" "),
  de: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(" "),
};
const SHORT = {
  en: "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "),
  de: "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.".split(" "),
};
const GRAINS: Record<"en" | "de", Record<Grain, string>> = {
  en: { day: "day", week: "week", month: "month", quarter: "quarter", year: "year" },
  de: { day: "Tag", week: "Woche", month: "Monat", quarter: "Quartal", year: "Jahr" },
};
const WORDS = {
  en: {
    to: "to",
    upTo: "up to",
    from: "from",
    on: " on",
    all: "any time",
    half: ["first half", "second half"],
  },
  de: { to: "bis", upTo: "bis", from: "ab", on: "", all: "jederzeit", half: ["1. Halbjahr", "2. Halbjahr"] },
};

/** How a person would say a window back: its name if it has one, and its first and last day. */
export function sayWindow(span: Span, unit: Period["unit"], fiscal: boolean, calendar: Calendar): string {
  const words = WORDS[calendar.language];
  const { from, to } = span;
  if (from === null && to === null) return words.all;
  if (from === null) return `${words.upTo} ${sayMoment(last(to as number), calendar)}`;
  if (to === null) return `${words.from} ${sayMoment(from, calendar)}${words.on}`;
  const days = sayDays({ from, to }, calendar);
  const name = nameOf({ from, to }, unit, fiscal, calendar);
  return name === undefined ? days : `${name} (${days})`;
}

export function sayGrain(grain: Grain, fiscal: boolean, { language }: Calendar): string {
  const name = GRAINS[language][grain];
  if (language === "de") return `nach ${fiscal ? `Geschäfts${name.toLowerCase()}` : name}`;
  return `by ${fiscal ? "fiscal " : ""}${name}`;
}

export function saySame(unit: Unit, { language }: Calendar): string {
  const name = GRAINS[language][unit as Grain] ?? unit;
  return language === "de" ? `derselbe Zeitraum (${name})` : `the same ${name}`;
}

/** Compared with a window, or with so many periods before. */
export function sayCompare(
  said: string | undefined,
  shift: Shift | undefined,
  series: boolean,
  calendar: Calendar,
): string {
  const german = calendar.language === "de";
  if (said !== undefined) return `${german ? "verglichen mit" : "compared with"} ${said}`;
  const unit = shift === undefined ? "" : GRAINS[calendar.language][shift.grain];
  if (series) return german ? `${unit} für ${unit} verglichen` : `each ${unit} compared with the one before`;
  const n = Math.abs(shift?.by ?? 1);
  if (german) return `verglichen mit dem Zeitraum davor (${n} ${unit})`;
  return `compared with ${n === 1 ? `the ${unit} before` : `${n} ${unit}s before`}`;
}

/** The last day that a half-open window has. */
function last(to: number): number {
  return to % DAY === 0 ? to - DAY : to;
}

function sayDays({ from, to }: Closed, calendar: Calendar): string {
  const end = last(to);
  if (end === from) return sayMoment(from, calendar);
  const timed = from % DAY !== 0 || to % DAY !== 0;
  const { to: joint } = WORDS[calendar.language];
  if (timed || yearOf(from) !== yearOf(end))
    return `${sayMoment(from, calendar)} ${joint} ${sayMoment(end, calendar)}`;
  const dot = calendar.language === "de" ? "." : "";
  const month = monthOf(from) === monthOf(end) ? "" : ` ${SHORT[calendar.language][monthOf(from) - 1]}`;
  return `${dayOf(from)}${dot}${month} ${joint} ${sayMoment(end, calendar)}`;
}

function sayMoment(ms: number, { language }: Calendar): string {
  const dot = language === "de" ? "." : "";
  const day = `${dayOf(ms)}${dot} ${SHORT[language][monthOf(ms) - 1]} ${yearOf(ms)}`;
  return ms % DAY === 0 ? day : `${day} ${new Date(ms).toISOString().slice(11, 16)}`;
}

const NAMED: readonly Unit[] = ["year", "half", "quarter", "month", "week"];

/** Whole years, quarters, months and weeks have names, unless they were said in other units. */
function nameOf(span: Closed, unit: Period["unit"], fiscal: boolean, calendar: Calendar): string | undefined {
  const name = NAMED.find((each) => {
    if (each !== unit) return false;
    const whole = periodAround(span.from, each, calendar, 0, fiscal);
    return whole.from === span.from && whole.to === span.to;
  });
  if (name === undefined) return undefined;
  const { language } = calendar;
  const german = language === "de";
  const year = fiscal && name !== "month" ? fiscalYearOf(span.from, calendar) : yearOf(span.from);
  const start = periodAround(span.from, "year", calendar, 0, fiscal).from;
  const months = Math.round((span.from - start) / DAY / 30.4);
  const book = fiscal && name !== "month" ? (german ? "Geschäftsjahr " : "fiscal ") : "";
  if (name === "month") return `${MONTHS[language][monthOf(span.from) - 1]} ${year}`;
  if (name === "quarter")
    return german && fiscal ? `Q${months / 3 + 1} ${book}${year}` : `${book}Q${months / 3 + 1} ${year}`;
  if (name === "half") {
    const half = WORDS[language].half[months / 6];
    return german ? `${half} ${book}${year}` : `${half} of ${book}${year}`;
  }
  if (name === "year") return german || !fiscal ? `${book}${year}` : `fiscal year ${year}`;
  return weekName(span.from, calendar);
}

function weekName(from: number, calendar: Calendar): string {
  // A week belongs to the year that has most of it.
  const year = yearOf(from + 3 * DAY);
  const n = Math.round((from - (weekOfYear(year, 1, calendar) as Closed).from) / (7 * DAY)) + 1;
  return calendar.language === "de" ? `KW ${n} ${year}` : `week ${n} of ${year}`;
}
