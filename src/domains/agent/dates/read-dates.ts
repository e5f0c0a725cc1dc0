import { at, DAY, periodAround, shift } from "./calendar.ts";
import { fillChart, Grammar, type Item } from "./chart.ts";
import { type Calendar, calendarOf, type DateProfile } from "./profile.ts";
import { cut, readings } from "./resolve.ts";
import { ASIDE_RULES, isGrain } from "./rules-asides.ts";
import { NUMBER_RULES } from "./rules-numbers.ts";
import { PART_RULES } from "./rules-parts.ts";
import { PERIOD_RULES } from "./rules-periods.ts";
import { RELATIVE_RULES } from "./rules-relative.ts";
import { WINDOW_RULES } from "./rules-windows.ts";
import { sayGrain, sayShift, sayWindow } from "./say.ts";
import { select, shareYears } from "./select.ts";
import type { Closed, Compare, Grain, Period, Shift, Span, Window } from "./values.ts";
import { type Token, tokenize } from "./words.ts";

/** Half-open; ISO dates, or date-times of the wall clock where hours matter; null is open. */
export interface DateWindow {
  from: string | null;
  to: string | null;
}

interface Found {
  /** Offsets in the text. */
  start: number;
  end: number;
  /** How a person would say it back. */
  said: string;
}

export interface WindowFound extends Found {
  kind: "window";
  window: DateWindow;
  /** What the window was said in: years, months, days. */
  grain?: Grain;
  fiscal?: true;
  /** May be no date at all, as a bare 2025. */
  latent?: true;
  /** Both ends of "X to Y", which may also be two windows to compare. */
  ends?: [DateWindow, DateWindow];
}

/** By month, monthly: results are grouped by it. */
export interface GrainFound extends Found {
  kind: "grain";
  grain: Grain;
  fiscal?: true;
}

/** Compared with another window: with one that is named, or with what lies a shift away. */
export interface CompareFound extends Found {
  kind: "compare";
  window?: DateWindow;
  shift?: Shift;
  /** Each period with the one before it: month over month. */
  series?: true;
}

/** That year, the same month: the one that another window of the question is in. */
export interface SameFound extends Found {
  kind: "same";
  /** Absent where the question has no other window. */
  window?: DateWindow;
  grain?: Grain;
}

export type DateFound = WindowFound | GrainFound | CompareFound | SameFound;
type Unplaced = {
  [K in DateFound["kind"]]: Omit<Extract<DateFound, { kind: K }>, "start" | "end">;
}[DateFound["kind"]];

const GRAMMAR = new Grammar([
  ...NUMBER_RULES,
  ...PERIOD_RULES,
  ...PART_RULES,
  ...RELATIVE_RULES,
  ...WINDOW_RULES,
  ...ASIDE_RULES,
]);
const EARLIEST = at(1000);
const LATEST = at(3001);

/** Where a text speaks of a day or a week that no calendar has. */
export function absentDate(text: string, profile: DateProfile): { start: number; end: number } | undefined {
  const tokens = tokenize(text);
  const items = select(fillChart(tokens, GRAMMAR, calendarOf(profile)), tokens);
  const absent = items.find(({ value }) => value.t === "none" && value.absent && value.latent !== true);
  return absent && placeOf(absent, tokens);
}

/** Every date, period, grouping and comparison in a text, in the order of the text. */
export function readDates(text: string, profile: DateProfile): DateFound[] {
  const calendar = calendarOf(profile);
  const tokens = tokenize(text);
  const chosen = select(fillChart(tokens, GRAMMAR, calendar), tokens);
  const items = shareYears(
    chosen.filter(({ value }) => value.t !== "none"),
    tokens,
    calendar,
  );
  const windows = new Map<Item, Read>();
  for (const item of items) {
    const read =
      item.value.t === "time" || item.value.t === "window" ? readOf(item.value, calendar) : undefined;
    if (read !== undefined) windows.set(item, read);
  }
  return items.flatMap((item): DateFound[] => {
    const found = foundIn(item, windows, calendar);
    return found === undefined ? [] : [{ ...placeOf(item, tokens), ...found } as DateFound];
  });
}

function foundIn(item: Item, windows: ReadonlyMap<Item, Read>, calendar: Calendar): Unplaced | undefined {
  const { value } = item;
  const read = windows.get(item);
  if (read !== undefined) return windowFound(read, calendar);
  if (value.t === "grain") {
    const { grain, fiscal } = value;
    return { kind: "grain", grain, ...(fiscal && { fiscal }), said: sayGrain(grain, fiscal === true) };
  }
  if (value.t === "compare") return compareFound(value, nearest(windows, item), calendar);
  if (value.t !== "same") return undefined;
  const anchor = nearest(windows, item)?.span.from;
  const same = { kind: "same", ...grainOf(value.unit) } as const;
  if (anchor === undefined || anchor === null) return { ...same, said: `the same ${value.unit}` };
  const span = periodAround(anchor, value.unit, calendar);
  return { ...same, window: isoWindow(span), said: sayWindow(span, value.unit, false, calendar) };
}

interface Read {
  value: Period | Window;
  span: Span;
}

function readOf(value: Period | Window, calendar: Calendar): Read | undefined {
  const whole = value.t === "time" ? readings(value, calendar)[0] : undefined;
  const span = value.t === "window" ? value.span : whole && cut(whole, value, calendar);
  return span && isSound(span) ? { value, span } : undefined;
}

function isSound({ from, to }: Span): boolean {
  const low = from ?? EARLIEST;
  const high = to ?? LATEST;
  return low >= EARLIEST && low < high && high <= LATEST;
}

function windowFound({ value, span }: Read, calendar: Calendar): Extract<Unplaced, { kind: "window" }> {
  const fiscal = value.fiscal === true;
  const ends = value.t === "window" ? value.ends : undefined;
  return {
    kind: "window",
    window: isoWindow(span),
    ...grainOf(value.unit),
    said: sayWindow(span, value.unit, fiscal, calendar),
    ...(fiscal && { fiscal }),
    ...(value.latent === true && { latent: true }),
    ...(ends && { ends: [isoWindow(ends[0]), isoWindow(ends[1])] }),
  };
}

/** What lies a shift away from the question's window; failing that, the window that was named. */
function compareFound(
  value: Compare,
  anchor: Read | undefined,
  calendar: Calendar,
): Extract<Unplaced, { kind: "compare" }> | undefined {
  const by = value.shift;
  // Month over month in 2025 compares the months of 2025; year over year in May compares two months.
  const main = anchor?.span as Closed | undefined;
  const series =
    value.series === true &&
    (main === undefined || (by && shift(main.from, { unit: by.grain, n: 1 }) < main.to));
  const moved = main && by && !series ? shiftedSpan(main, by) : undefined;
  const of = moved && anchor ? { ...anchor, span: moved } : value.with && readOf(value.with, calendar);
  const { unit = "day", fiscal } = of?.value ?? {};
  const said = of ? sayWindow(of.span, unit, fiscal === true, calendar) : by && sayShift(by, series === true);
  if (said === undefined) return undefined;
  return {
    kind: "compare",
    ...(of && { window: isoWindow(of.span) }),
    ...(by && { shift: by }),
    ...(series && { series }),
    said,
  };
}

function shiftedSpan({ from, to }: Closed, { grain, by }: Shift): Span | undefined {
  const [start, end] = [from, to].map((ms) => shift(ms, { unit: grain, n: by })) as [number, number];
  return isSound({ from: start, to: end }) ? { from: start, to: end } : undefined;
}

/** The window that an aside speaks of: the last one before it, or else the first one after it. */
function nearest(windows: ReadonlyMap<Item, Read>, { from }: Item): Read | undefined {
  let chosen: Read | undefined;
  for (const [item, read] of windows) {
    if (read.span.from === null || read.span.to === null) continue;
    if (item.from > from && chosen !== undefined) break;
    chosen = read;
    if (item.from > from) break;
  }
  return chosen;
}

const LEADING: Partial<Record<string, readonly string[]>> = {
  time: ["in", "the", "of", "from", "equal"],
  window: ["in", "the", "of"],
  none: ["in", "on", "the", "of", "from", "since", "until", "before", "after"],
};

/** Articles and prepositions belong to the sentence, not to the date. */
function placeOf({ from, to, value }: Item, tokens: readonly Token[]): { start: number; end: number } {
  const leading = LEADING[value.t] ?? [];
  let first = from;
  while (first < to - 1 && isLead(tokens[first], leading)) first++;
  // The dot of "Dec." may be that of the sentence.
  const last = value.t === "time" && value.unit === "month" && tokens[to - 1]?.text === "." ? to - 2 : to - 1;
  return { start: tokens[first]?.start ?? 0, end: tokens[last]?.end ?? 0 };
}

/** German von leads to a period, and begins a range. */
function isLead(token: Token | undefined, leading: readonly string[]): boolean {
  const words = (token?.values ?? []).flatMap((each) => (each.t === "word" ? [each.word] : []));
  return (
    words.some((each) => leading.includes(each)) && (leading.includes("from") || !words.includes("from"))
  );
}

function grainOf(unit: Period["unit"]): { grain?: Grain } {
  return isGrain(unit) ? { grain: unit } : {};
}

function isoWindow({ from, to }: Span): DateWindow {
  return { from: from === null ? null : isoOf(from), to: to === null ? null : isoOf(to) };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, ms % DAY === 0 ? 10 : 19);
}
