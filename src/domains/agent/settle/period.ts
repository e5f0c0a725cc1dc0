import { compile } from "../compile/compile.ts";
import { ifCarried } from "../compile/paths.ts";
import { t } from "../explain/words.ts";
import { daysBy, type Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import { periodEnd } from "../phases/data-period.ts";
import type { Moment } from "../phases/plan.ts";
import type { Preferences } from "../preferences/preferences.ts";
import { hasKind, nodesIn } from "../query/parts.ts";
import type { Ask, Grain, Window } from "../query/semantic-query.ts";
import { datesIn } from "../understand/candidates/dates.ts";
import { fold } from "../understand/languages/words.ts";
import { mainDataset } from "../understand/model/model-words.ts";
import type { Clarification } from "../understand/reading.ts";
import { isKnown } from "./high-value.ts";

/** What says that a period matters, and not which. */
const VAGUE =
  /(?<!\p{L}|\bmost )(?:recently|lately|recent|kürzlich(?:e[nrs]?)?|neulich|in letzter zeit)(?!\p{L})/giu;
const TREND =
  /(?<!\p{L})(?:over time|im laufe der zeit|trends?|developed|develop|evolved?|entwickelt(?:e|en)?)(?!\p{L})(?:\s+(?:of|in|for|von|bei|für))?/giu;
const OPENER =
  /^\s*(?:please\s+)?(?:show|give|tell)(?:\s+(?:me|us))?(?:\s+(?:the|our))?\s+|^\s*(?:what|which)\s+(?:is|are|was|were)\s+(?:the|our)\s+|^\s*zeige?(?:\s+(?:mir|uns))?\s+/i;

/** What says that all times are meant. */
const ALL_TIME =
  /(?<!\p{L})(?:(?:(?:of|for|over|across) )?all[- ]times?(?: periods?)?|(?:over|across|in|for|of) all (?:the |our |these )?years|(?:since|from) (?:the )?(?:very )?(?:beginning|start|day one)(?! of (?!time))(?: of time)?|since we (?:began|started|opened)|aller zeiten|(?:seit|von) (?:beginn|anfang)(?: an)?|(?:über|in|für) alle[nr]? (?:zeiten|jahren?))(?!\p{L})/giu;
const EVER = /(?<!\p{L})(?:ever|jemals)(?!\p{L})/giu;

export const periodQuestion = (): Clarification => ({
  question: t`What time period should I analyze?`,
  suggestions: [t`Last 30 days`, t`Current quarter`, t`Year to date`],
});

/** "revenue growth by country": of which year over which is still to be said; all times have none before them. */
export function openGrowth(ask: Ask): Clarification[] {
  const nodes = nodesIn(ask);
  const isDated = nodes.some(
    ({ win, bucket, k }) => win !== undefined || bucket !== undefined || k === "during",
  );
  return isDated || !hasKind(ask, "lag") ? [] : [growthQuestion()];
}

const growthQuestion = (): Clarification => ({
  question: t`Growth of which period?`,
  suggestions: [t`year to date`, t`last year`, t`last quarter`],
});

type Dated = Pick<Moment, "now" | "timeZone">;

/** Whether a text names a period, or by which periods to tell things apart. */
export function namesTime(
  text: string,
  moment: Dated,
  knowledge: Knowledge,
): { period: boolean; grain: boolean } {
  // A longer one is no plain question, and dates take the square of its length.
  const found = text.length > LIMITS.agent.datedCharacters ? [] : datesIn({ text, ...moment }, knowledge);
  return {
    period: found.some(({ kind }) => kind === "window" || kind === "compare"),
    grain: found.some(({ kind }) => kind === "grain"),
  };
}

export function isVague(text: string): boolean {
  return text.search(VAGUE) !== -1;
}

const CHANGE =
  /(?<=\bhow (?:did|has|have)\b[^?]*)\bchanged?\b|(?<=\bwie (?:hat|haben) sich\b[^?]*)\bverändert\b/giu;

/** "how did it change": over the years that there are, where no period is named. */
export function isChange(text: string): boolean {
  return text.search(CHANGE) !== -1;
}

/** Whether a text says itself that it is about all times, in words that are no name of the model's. */
export function isAllTime(text: string, knowledge: Knowledge): boolean {
  const said = [...text.matchAll(ALL_TIME), ...text.matchAll(EVER)].map(([words]) => fold(words));
  return said.some((words) => !isKnown(words, knowledge));
}

/** The question without saying so; "ever" is read by the rules. */
export function withoutAllTime(text: string): string {
  return text.replaceAll(ALL_TIME, " ").replaceAll(/\s+/g, " ").trim();
}

export function isTrend(text: string): boolean {
  return text.search(TREND) !== -1;
}

/** The question without words that only say that there is a period or a development. */
export function withoutVague(text: string): string {
  return text
    .replaceAll(VAGUE, " ")
    .replaceAll(TREND, " ")
    .replaceAll(CHANGE, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

export function withoutOpener(text: string): string {
  return text.replace(OPENER, "");
}

/** A text that is a period and nothing else. */
export function periodOf(text: string, moment: Dated, knowledge: Knowledge): Window | undefined {
  if (text.length > LIMITS.agent.datedCharacters) return undefined;
  const found = datesIn({ text, ...moment }, knowledge).find(({ kind }) => kind === "window");
  if (found?.kind !== "window") return undefined;
  const rest = `${text.slice(0, found.start)} ${text.slice(found.end)}`.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return rest.length > 3 ? undefined : { ...found.window, said: found.said };
}

/** Null: they want no period to be assumed. */
export function preferredPeriod(
  { defaultTimePeriod }: Preferences,
  moment: Dated,
  knowledge: Knowledge,
): Window | null | undefined {
  if (defaultTimePeriod === undefined) return undefined;
  if (defaultTimePeriod === "all_time") return null;
  return periodOf(defaultTimePeriod.replaceAll("_", " "), moment, knowledge);
}

const DAY_MS = 86_400_000;

/** Periods that are long enough to see something in, and not too many of them. */
export function grainFor(win: Window | null | undefined): Grain {
  if (win?.from == null || win.to == null) return "month";
  const days = (Date.parse(win.to.slice(0, 10)) - Date.parse(win.from.slice(0, 10))) / DAY_MS;
  return days <= 14
    ? "day"
    : days <= 62
      ? "week"
      : days <= 1_100
        ? "month"
        : days <= 3_700
          ? "quarter"
          : "year";
}

/** Data that ended this long ago are looked at as a whole: nobody means their last 30 days. */
const OVER_DAYS = 100;

/** From when to when there are rows of the one dataset that everything belongs to, where they ended long ago. */
export function pastSpan(knowledge: Knowledge, { now }: Dated): Window | undefined {
  const { schema } = knowledge;
  const date = schema.datasets.get(mainDataset(schema) ?? "")?.date;
  if (date == null || date.ds !== mainDataset(schema)) return undefined;
  const data = daysBy(date, knowledge);
  if (data === undefined) return undefined;
  const to = periodEnd(data.last, "day");
  const isPast = Date.parse(now.slice(0, 10)) - Date.parse(to) > OVER_DAYS * DAY_MS;
  const said = `${data.first.slice(0, 4)} to ${data.last.slice(0, 4)}`;
  return isPast ? { from: data.first, to, said } : undefined;
}

const MONTH =
  /(?<!\p{L})(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|march|märz|april|may|mai|june|juni|july|juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)(?!\p{L})/iu;
const DATED = /\b\d{4}\b|(?<!\p{L})(?:last|this|next|letzten?|diese[ns]?|nächsten?)(?!\p{L})/iu;

/** "in May", of data that ended long ago: the last May that they have. */
export function momentFor<T extends Dated>(text: string, moment: T, knowledge: Knowledge): T {
  const { to } = (MONTH.test(text) && !DATED.test(text) && pastSpan(knowledge, moment)) || {};
  return to == null ? moment : { ...moment, now: `${to.slice(0, 10)}${moment.now.slice(10)}` };
}

/** The same within a period, where nothing of it has one and the model can carry it. */
export function withPeriod(ask: Ask, win: Window, { schema }: Knowledge): Ask | undefined {
  if (nodesIn(ask).some((node) => "said" in node)) return undefined;
  const within: Ask =
    ask.k === "table"
      ? { ...ask, scope: { ...ask.scope, win } }
      : { ...ask, rel: { k: "where", in: ask.rel, if: { k: "during", win } } };
  return ifCarried(() => compile(schema, within)) && within;
}

/** Numbers of what happens, which are of some period whether it is named or not. */
export function isOfEvents(ask: Ask): boolean {
  return ask.k === "table" && ask.cols.length > 0 && ask.cols.every((num) => num.k === "metric");
}
