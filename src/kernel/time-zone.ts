/** Whether there is a time zone of this name. Offsets are none: they know nothing of summer time. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

/** To make one takes longer than to use it, and there are some hundred time zones. */
const CLOCKS = new Map<string, Intl.DateTimeFormat>();

function clockIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-CA", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}

/** What clocks in a time zone show: `2026-11-17T03:08:00`. */
export function wallClock(at: Date, timeZone: string): string {
  const clock = CLOCKS.get(timeZone) ?? clockIn(timeZone);
  CLOCKS.set(timeZone, clock);
  const parts = clock.formatToParts(at);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}:${part("second")}`;
}
