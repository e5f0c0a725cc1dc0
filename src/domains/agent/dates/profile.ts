/** How an organisation counts its days. */
export interface DateProfile {
  /** ISO date-time; without an offset it is the wall clock of the time zone. */
  now: string;
  timeZone: string;
  weekStart: "monday" | "sunday" | "saturday";
  fiscalStart: { month: number; day: number; namedAfter: "start" | "end" };
  /**
   * business: the last 90 days end today, 2014 to 2018 has all of 2018, since March ends today.
   * recognizers: today and the last unit stay out, as in the specification of Microsoft Recognizers.
   */
  style: "business" | "recognizers";
}

/** A profile made ready for arithmetic: wall-clock times in milliseconds. */
export interface Calendar {
  now: number;
  today: number;
  /** 0 is Sunday. */
  weekStart: number;
  fiscalStart: DateProfile["fiscalStart"];
  business: boolean;
}

const WEEK_STARTS = { sunday: 0, monday: 1, saturday: 6 };
const DAY_MS = 86_400_000;

export function calendarOf(profile: DateProfile): Calendar {
  const now = wallClock(profile.now, profile.timeZone);
  if (Number.isNaN(now)) throw new RangeError(`not an ISO date-time: ${profile.now}`);
  return {
    now,
    today: Math.floor(now / DAY_MS) * DAY_MS,
    weekStart: WEEK_STARTS[profile.weekStart],
    fiscalStart: profile.fiscalStart,
    business: profile.style === "business",
  };
}

function wallClock(now: string, timeZone: string): number {
  if (/^\d{4}-\d\d-\d\d$/.test(now)) return Date.parse(`${now}T00:00:00Z`);
  if (!/(z|[+-]\d\d:?\d\d)$/i.test(now)) return Date.parse(`${now}Z`);
  const instant = Date.parse(now);
  if (Number.isNaN(instant)) return instant;
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(instant);
  const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}
