import { shift } from "../dates/calendar.ts";
import type { Ask, Grain, Num, Window } from "../query/semantic-query.ts";
import { isYearly, yearsBetween } from "../query/years-apart.ts";
import { languagesOf } from "../understand/languages/languages.ts";
import type { Context } from "./context.ts";
import { type Table, undated, windowOf, windowsIn } from "./parts.ts";
import { lastDay, spanOf, yearOf } from "./pointing.ts";

type Closed = Pick<Window, "from" | "to">;

/** "in that period", "im selben Zeitraum", "damals": whatever the period is. */
const PERIOD =
  /(?<!\p{L})(?:(?:in|over|during|for|im|at) )?(?:that|(?:the )?same|de[mn]selben|selben|gleichen|diese[mn]) (?:time ?frame|period|time|zeitraum|zeit)(?!\p{L})(?! (?:last|in|of|a|one|the|im|des|vor)\b)|(?<!\p{L})(?:back then|damals|then$)(?!\p{L})/iu;
/** "the quarter after it", "im Monat danach", "the following week" */
const AFTER =
  /(?<!\p{L})(?:(?:in|on|during|im|am) )?(?:the |der |die |das )?(?:(?:following|folgenden?) (?<next>\p{L}+)|(?<unit>\p{L}+) (?:after(?: (?:it|that|this))?|danach|darauf)$)/iu;
export const UNITS: Readonly<Record<string, Grain>> = {
  day: "day",
  week: "week",
  month: "month",
  quarter: "quarter",
  year: "year",
  tag: "day",
  woche: "week",
  monat: "month",
  quartal: "quarter",
  jahr: "year",
};

/** "the week before that": what is before it is read as any other time before. */
const BEFORE_THAT = /(?<=\b(?:before|prior to|previous to|earlier than)) (?:that|this|it|then)(?: one)?$/i;

interface Pointed {
  start: number;
  end: number;
  unit: Grain | undefined;
  by: 0 | 1;
}

/** "since", "since then", "seitdem": from when they came on. */
const SINCE = /(?<!\p{L})(?:since(?: then)?|seitdem|seither)$/iu;

/** A text with the time that it points to in the place of the words that do; these, where that cannot be told. */
export async function withTimes(
  text: string,
  before: Ask,
  context: Context,
): Promise<{ text: string } | { open: string }> {
  const said = text
    .replace(/(?<!\p{L})(in|an|zu) de[mr] (?=(?:tag|woche|monat|quartal|jahr)(?!\p{L}))/iu, "$1 jenem ")
    .replace(BEFORE_THAT, "");
  const since = SINCE.test(said) ? windowsIn(before)[0]?.from : undefined;
  if (since != null)
    return {
      text: said.replace(
        SINCE,
        `${languagesOf(text)[0]?.isForeign ? "seit" : "since"} ${since.slice(0, 10)}`,
      ),
    };
  const point = pointedIn(said, context);
  if (point === undefined) return { text: BEFORE_THAT.test(text) ? said : text };
  const { start, end, unit, by } = point;
  const win = await timeOf(before, unit, context);
  if (win?.from == null || win.to == null || (by > 0 && unit === undefined))
    return { open: said.slice(start, end) };
  const moved =
    unit === undefined || by === 0
      ? win
      : { from: movedBy(win.from, unit, by), to: movedBy(win.to, unit, by) };
  const head = said.slice(0, start).replace(/(?<!\p{L})(?:in|on|during|for|im|am|an)\s+$/iu, "");
  return { text: `${head}${inWords(moved, text)}${said.slice(end)}` };
}

function pointedIn(text: string, { dates }: Context): Pointed | undefined {
  const isMoved = (end: number) =>
    /^\s+(?:a|one|the|last|of|in|im|des|ein|vor)(?!\p{L})/iu.test(text.slice(end));
  const same = dates(text).find(
    (each) => each.kind === "same" && each.window === undefined && !isMoved(each.end),
  );
  if (same?.kind === "same") return { start: same.start, end: same.end, unit: same.grain, by: 0 };
  const period = PERIOD.exec(text);
  if (period !== null)
    return { start: period.index, end: period.index + period[0].length, unit: undefined, by: 0 };
  const after = AFTER.exec(text);
  const unit = UNITS[(after?.groups?.next ?? after?.groups?.unit ?? "").toLowerCase()];
  return after === null || unit === undefined
    ? undefined
    : { start: after.index, end: after.index + after[0].length, unit, by: 1 };
}

/** The period that was shown last: a single month or day that was, else that of everything. */
async function timeOf(before: Ask, unit: Grain | undefined, { rows }: Context): Promise<Closed | undefined> {
  const bucket = before.k === "table" ? before.by[0]?.bucket : undefined;
  if (bucket !== undefined && (unit === undefined || bucket === unit)) {
    const [only, ...others] = await rows(before);
    const from = String(only?.[0] ?? "").slice(0, 10);
    if (others.length === 0 && from !== "") return { from, to: movedBy(from, bucket, 1) };
    if (unit !== undefined) return undefined;
  }
  const own = before.k === "table" ? (before.scope?.win ?? windowOf(before.cols[0])) : undefined;
  const all = windowsIn(before);
  const win = own ?? (all.length === 1 ? all[0] : undefined);
  if (win?.from == null || win.to == null || unit === undefined || win.to === movedBy(win.from, unit, 1))
    return win;
  // The year of a month is the one that it is in; a year has no month of its own.
  const year = Number(win.from.slice(0, 4));
  const isWithin = unit === "year" && win.to <= `${year + 1}-01-01`;
  return isWithin ? { from: `${year}-01-01`, to: `${year + 1}-01-01` } : undefined;
}

function movedBy(day: string, unit: Grain, n: number): string {
  return new Date(shift(Date.parse(day.slice(0, 10)), { unit, n })).toISOString().slice(0, 10);
}

/** A period as a question would say it. */
function inWords({ from, to }: Closed, text: string): string {
  const [first, last] = [from ?? "", movedBy(to ?? "", "day", -1)];
  const isGerman = languagesOf(text)[0]?.isForeign === true;
  if (first === last) return `${isGerman ? "am" : "on"} ${first}`;
  return isGerman ? `zwischen ${first} und ${last}` : `between ${first} and ${last}`;
}

/** "the second one", "the top one": of those that were shown last. */
const NTH =
  /(?<!\p{L})(?:the|der|die|das|dem|den|des|vom|beim|zum) (?<nth>\p{L}+)(?: one)?(?=$|\s+(?:in|for|from|have|has|had|make|made|sell|sold|place|placed|spend|spent|bring|brought|cost|do|did|2\d{3}|im|für|hat|hatte)(?!\p{L}))/iu;

/** A text with the names of those that it points to by their place. */
export async function withNames(text: string, asks: readonly Ask[], context: Context): Promise<string> {
  const found = NTH.exec(text);
  const place = found === null ? undefined : placeOf(found.groups?.nth ?? "");
  if (found === null || place === undefined) return text;
  for (const ask of asks) {
    const key = ask.k === "table" ? ask.by[0] : ask.show[0];
    if (key === undefined || key.bucket !== undefined) continue;
    const rows = await context.rows(ask);
    const name = rows.at(place)?.[0];
    if (rows.length < 2 || typeof name !== "string") continue;
    return `${text.slice(0, found.index)}${name}${text.slice(found.index + found[0].length)}`;
  }
  return text;
}

function placeOf(word: string): number | undefined {
  if (/^(?:last|letzte[nrms]?)$/i.test(word)) return -1;
  if (/^(?:top|first|erste[nrms]?|oberste[nrms]?)$/i.test(word)) return 0;
  const [language] = languagesOf(word);
  return (
    language?.ordinals.get(word.toLowerCase()) ?? language?.ordinals.get(language.stem(language.fold(word)))
  );
}

/** Whether nothing but times is said: "last week, day by day". */
export function isTime(text: string, { dates }: Context): boolean {
  return /^[^\p{L}\d]*(?:(?:in|for|of|on|the|and|by|per|im|für|am|und|pro|je)(?!\p{L})[^\p{L}\d]*)*$/iu.test(
    without(text, dates(text)),
  );
}

/** A text of the same length without what stands at some places. */
export function without(text: string, places: readonly { start: number; end: number }[]): string {
  return places.reduce(
    (rest, { start, end }) => `${rest.slice(0, start)}${" ".repeat(end - start)}${rest.slice(end)}`,
    text,
  );
}

/** Words of a period that say by themselves of which year it is. */
const OF_NOW =
  /\d{4}|\b(?:last|this|next|current|previous|past|ago|since|until|to date|before|after|today|yesterday|now|same|letzte\w*|diese\w*|nächste\w*|aktuell\w*|vorig\w*|vergangen\w*|seit|bis|vor|nach|heute|gestern|vorletzte\w*)\b/i;

/** A month or a quarter without a year is one of the year that is spoken of, and not of this one. */
export function inTheirYear(fragment: string, ask: Ask, { dates }: Context): string {
  const years = new Set(
    windowsIn(ask).flatMap(({ from, to }) => [from?.slice(0, 4), lastDay(to)?.slice(0, 4)]),
  );
  const [year, ...others] = years;
  const [found, ...more] = dates(fragment).filter(({ kind }) => kind === "window" || kind === "compare");
  if (year === undefined || others.length > 0 || found === undefined || more.length > 0) return fragment;
  const said = fragment.slice(found.start, found.end);
  if (OF_NOW.test(said.replace(/\b(?:compared|verglichen)\b.*? /i, ""))) return fragment;
  const dated = [`${said} ${year}`, `${said} of ${year}`].find((text) => {
    const [whole] = dates(text);
    return (
      whole !== undefined &&
      whole.end - whole.start === text.length &&
      "window" in whole &&
      whole.window?.from?.startsWith(year) === true
    );
  });
  return dated === undefined
    ? fragment
    : `${fragment.slice(0, found.start)}${dated}${fragment.slice(found.end)}`;
}

/** The quarters of a fiscal year are its own. */
export function inTheirCalendar(fragment: string, ask: Ask, { dates }: Context): string {
  const said = dates(fragment).flatMap((each) => (each.kind === "window" ? [each.said] : []));
  const spoken = said.length > 0 ? said : windowsIn(ask).map((win) => win.said);
  const isFiscal = spoken.length > 0 && spoken.every((each) => each.startsWith("fiscal"));
  return isFiscal ? fragment.replace(/(?<=^| )(by|per) (?=quarters?$)/i, "$1 fiscal ") : fragment;
}

const SAME =
  /(?:same|gleichen?|selben?) (?:period|time|months?|quarters?|weeks?|days|zeitraum|monat|quartal|woche)(?: (?:in|of|im|von))?\s+(?<year>\d{4})$/iu;

/** "the same month this year": as its number. */
function inYears(fragment: string, { dates }: Context): string {
  return fragment.replace(/(?:this year|diese[sn] jahr(?:es)?)$/i, (said) => {
    const [found] = dates(said);
    return found?.kind === "window" ? (found.window.from ?? said).slice(0, 4) : said;
  });
}

/** As many days and months, in another year. */
export function sameIn(fragment: string, { from, to, on }: Window, context: Context): Window | undefined {
  const { year } = SAME.exec(inYears(fragment, context))?.groups ?? {};
  if (year === undefined || from === null || to === null) return undefined;
  const years = Number(year) - Number(from.slice(0, 4));
  const moved = (day: string) => `${Number(day.slice(0, 4)) + years}${day.slice(4)}`;
  const win = { from: moved(from), to: moved(to) };
  return { ...win, said: yearOf(win) ?? spanOf(win), ...(on !== undefined && { on }) };
}

/** Months of two years stand beside each other as each and the same a year before. */
export function asLag([a, b, ...more]: readonly Num[], { scope, by }: Table): Num[] | undefined {
  const [mine, theirs] = [windowOf(a), windowOf(b)];
  if (a === undefined || mine === undefined || theirs === undefined || more.length > 0) return undefined;
  const years = yearsBetween(theirs, mine);
  const isWhole = scope?.win?.from === mine.from && scope.win.to === mine.to;
  if (years === undefined || years <= 0 || !isYearly(by) || !isWhole) return undefined;
  const of = undated(a);
  return [of, { k: "lag", of, n: years, grain: "year" }];
}
