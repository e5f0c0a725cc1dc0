import { AskBack } from "./plan.ts";
import { DAYS, FREQUENCIES } from "./words.ts";

/** When a report is sent, as create_report takes it. */
export interface Timing {
  frequency?: string;
  every?: number;
  day_of_week?: string;
  day_of_month?: number;
  start_time?: string;
}

const COUNTS: Record<string, number> = {
  two: 2,
  zwei: 2,
  three: 3,
  drei: 3,
  four: 4,
  vier: 4,
  six: 6,
  sechs: 6,
};
const UNITS: Record<string, string> = {
  mi: "minutes",
  ho: "hours",
  st: "hours",
  da: "days",
  ta: "days",
  we: "weeks",
  wo: "weeks",
  mo: "months",
};
const EVERY =
  /\b(?:every|alle)\s+(\d{1,3}|two|three|four|six|zwei|drei|vier|sechs)\s+((?:minute|hour|day|week|month)s|minuten|stunden|tagen?|wochen|monaten?)\b/i;
const MONTHDAY =
  /\b(?:(?:on|every|each|jede[nr]?|am)\s+)?(?:the\s+)?(?:(first|ersten)|(\d{1,2})(?:st|nd|rd|th|\.)) (?:day )?(?:of (?:the|each|every) month|(?:im|des|jede[ns]) monats?)\b/i;
const ON_THE = /\b(?:on the (\d{1,2})(?:st|nd|rd|th)|am (\d{1,2})\.)(?!\d)/i;
const LAST_MONTHDAY = 28;
const TIMES = [
  /(?:\b(?:at|um)|@)\s*(\d{1,2})(?:[:.](\d{2}))?(?:\s*(am|pm|uhr)\b)?/i,
  /\b(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm|uhr)\b/i,
];

/** How often, on which day, and when; and what of the text says something else. */
export function timingIn(text: string): Timing & { rest: string } {
  let rest = text;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = pattern.exec(rest);
    if (found !== null) rest = rest.replace(found[0], " ");
    return found;
  };
  const counted = take(EVERY);
  const often = FREQUENCIES.find(([pattern]) => take(pattern) !== null)?.[1];
  const monthday = take(MONTHDAY) ?? (often === "months" ? take(ON_THE) : null);
  const day = monthday === null ? DAYS.find(([pattern]) => take(dayOf(pattern)) !== null)?.[1] : undefined;
  const time = TIMES.map(take).find((found) => found !== null);
  const counts = counted?.[1]?.toLowerCase() ?? "1";
  const unit = UNITS[counted?.[2]?.slice(0, 2).toLowerCase() ?? ""];
  const frequency = monthday !== null ? "months" : (unit ?? (day !== undefined ? "weeks" : often));
  return {
    ...(frequency !== undefined && { frequency }),
    ...(unit !== undefined && { every: COUNTS[counts] ?? Number(counts) }),
    ...(day !== undefined && { day_of_week: day }),
    ...(monthday !== null && {
      day_of_month: Number(monthday.slice(1).find((each) => /^\d/.test(each ?? "")) ?? 1),
    }),
    ...(time != null && { start_time: timeOf(time) }),
    rest,
  };
}

/** A day with the words that belong to it: what stands before it alone says whether it comes again. */
function dayOf({ source }: RegExp): RegExp {
  return new RegExp(String.raw`(?:\b(?:every|each|jeden|on|am)\s+)?(?:${source})`, "i");
}

function timeOf([, hour, minute = "00", half]: RegExpExecArray): string {
  const isHalf = half !== undefined && !/uhr/i.test(half);
  const shifted = isHalf ? (Number(hour) % 12) + (/pm/i.test(half) ? 12 : 0) : Number(hour);
  return `${String(shifted === 24 ? 0 : shifted).padStart(2, "0")}:${minute}`;
}

/** At once and not again. "Once a week" is something else. */
const ONCE =
  /(?<!\p{L})(?:(?:just )?(?:this )?once(?! an? )|one[- ]off|one[- ]time|right now|now|immediately|at once|today|einmal(?:ig)?|sofort|jetzt|gleich|heute)(?!\p{L})(?! (?:per|each|every|pro|je|im|in|am|every)(?!\p{L}))/giu;
/** Whatever speaks of a time: where none of it was understood, a guess would send mails that nobody wanted. */
const SPEAKS_OF_TIME =
  /(?<!\p{L})(?:every|each|jede[rsnm]?|alle|once|twice|(?:two|three|\d+) times|\p{L}*mal|(?:bi|semi)?-?week\p{L}*|woch\p{L}*|wöchent\p{L}*|\p{L}*days?|\p{L}*tags?|\p{L}*tage[ns]?|\p{L}*täglich\p{L}*|mittwochs?|month\p{L}*|\p{L}*monat\p{L}*|quarter\p{L}*|quart[ae]l\p{L}*|year\p{L}*|annual\p{L}*|jahr\p{L}*|jähr\p{L}*|fortnight\p{L}*|hour\p{L}*|st[uü]nd\p{L}*|minut\p{L}*|daily|tomorrow|tonight|(?:über)?morgen\p{L}*|heute|\p{L}*abends?|evenings?|mornings?|\p{L}*noon|midnight|\p{L}*mittags?|mitternacht|nachts?|night\p{L}*|later|später|next|n[äa]chst\p{L}*|kommend\p{L}*|until|starting|wenn|sobald|whenever|regular\p{L}*|regelmäßig\p{L}*|recurring|periodic\p{L}*|schedul\p{L}*)(?!\p{L})|\d{1,2}[:.]\d{2}|\d(?:st|nd|rd|th)\b|\d\.\s?\d|(?<!\p{L})(?:at|um|on|am|in|from|ab|by|bis) \d/iu;

/** A report is something that comes again, unless it is said to be for once. */
const SETS_UP = /\b(?:create|set up|erstell\w*|richte|leg\w*)\b.*(?:report|bericht)/i;
const EVENING = /\bevenings?\b|abends?\b/i;
const AGAIN =
  /(?<!\p{L})(?:every|each|jeden|alle|weekly|wöchentlich\p{L}*|\p{L}+(?:days|tags|mittwochs))(?!\p{L})/iu;

/** The schedule of something new, or none where it is sent once and at once. What is not understood is asked about. */
export function scheduleIn(text: string): Timing {
  const { rest: said, ...timing } = timingIn(text);
  const { frequency, start_time, day_of_week, day_of_month = 1 } = timing;
  const rest = said.replace(/\bfrom now(?: on)?\b|\bab (?:sofort|jetzt|heute)\b/gi, " ");
  const later = rest.replace(ONCE, " ");
  const isOnce = later !== rest;
  const isOpen =
    (frequency === undefined ? start_time !== undefined || (SETS_UP.test(text) && !isOnce) : isOnce) ||
    (day_of_week !== undefined && !AGAIN.test(text)) ||
    day_of_month > LAST_MONTHDAY ||
    (EVENING.test(text) && (start_time ?? "") < "12") ||
    SPEAKS_OF_TIME.test(later);
  if (!isOpen) return timing;
  throw new AskBack(
    "When should it be sent? I know: once and now; every so many minutes, hours, days, weeks or months; on one day of the week; on a day of the month up to the 28th; and at which time.",
    ["once, now", "every day at 8:00", "every Monday at 8:00", "on the first of each month"],
  );
}

/** A schedule in words. */
export function saidOf({
  frequency,
  every = 1,
  day_of_week,
  day_of_month,
  start_time = "08:00",
}: Timing): string {
  if (frequency === undefined) return "once, now; what is sent cannot be taken back";
  const unit = frequency.replace(/s$/, "");
  const often = every === 1 ? `every ${unit}` : `every ${every} ${frequency}`;
  if (frequency === "minutes" || frequency === "hours") return often;
  const day = (day_of_week ?? "MONDAY").toLowerCase().replace(/^./, (first) => first.toUpperCase());
  const on =
    frequency === "weeks" ? ` on ${day}` : frequency === "months" ? ` on day ${day_of_month ?? 1}` : "";
  return `${often}${on} at ${start_time}`;
}
