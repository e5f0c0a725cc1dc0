import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MS } from "../../kernel/time.ts";
import { dueSince, nextAfter, type Rule, type Unit } from "./occurrences.ts";

/** Zones whose clocks jump by an hour, by half an hour, at midnight, or that once left out a whole day. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Asia/Kathmandu",
  "Africa/Cairo",
];

const iso = (moment: Date) => moment.toISOString().replace(":00.000Z", "Z");
const rule = (unit: Unit, rest: Partial<Rule> = {}): Rule => ({
  unit,
  every: 1,
  time: "08:00",
  zone: "Europe/Berlin",
  anchor: new Date("2026-01-01T00:00:00Z"),
  ...rest,
});

function first(count: number, of: Rule, after: string): string[] {
  const moments: string[] = [];
  for (let at = new Date(after); moments.length < count; ) {
    at = nextAfter(of, at);
    moments.push(iso(at));
  }
  return moments;
}

describe("a schedule", () => {
  it("keeps the time of day when the clocks change", () => {
    expect(first(3, rule("days"), "2026-03-27T12:00:00Z")).toEqual([
      "2026-03-28T07:00Z",
      "2026-03-29T06:00Z",
      "2026-03-30T06:00Z",
    ]);
  });

  it("runs at 03:30 when 02:30 is left out, and once when it comes twice", () => {
    const night = rule("days", { time: "02:30" });
    expect(first(3, night, "2026-03-27T12:00:00Z")).toEqual([
      "2026-03-28T01:30Z",
      "2026-03-29T01:30Z",
      "2026-03-30T00:30Z",
    ]);
    expect(first(3, night, "2026-10-24T12:00:00Z")).toEqual([
      "2026-10-25T00:30Z",
      "2026-10-26T01:30Z",
      "2026-10-27T01:30Z",
    ]);
  });

  it("takes the last day of a month that has no 31st, and comes back to the 31st", () => {
    const monthly = rule("months", { monthday: 31, zone: "UTC" });
    expect(first(5, monthly, "2027-12-31T12:00:00Z")).toEqual([
      "2028-01-31T08:00Z",
      "2028-02-29T08:00Z",
      "2028-03-31T08:00Z",
      "2028-04-30T08:00Z",
      "2028-05-31T08:00Z",
    ]);
  });

  it("counts every second week and every third month from the anchor", () => {
    const weekly = rule("weeks", { every: 2, weekday: 5, zone: "UTC" });
    expect(first(2, weekly, "2026-01-02T08:00:00Z")).toEqual(["2026-01-16T08:00Z", "2026-01-30T08:00Z"]);
    const quarterly = rule("months", { every: 3, monthday: 15, zone: "UTC" });
    expect(first(2, quarterly, "2026-02-01T00:00:00Z")).toEqual(["2026-04-15T08:00Z", "2026-07-15T08:00Z"]);
  });

  it("lets hours elapse, and begins anew at its time each day where they divide one", () => {
    const sixHours = rule("hours", { every: 6 });
    expect(first(6, sixHours, "2026-03-28T06:00:00Z")).toEqual([
      "2026-03-28T07:00Z",
      "2026-03-28T13:00Z",
      "2026-03-28T19:00Z",
      "2026-03-29T01:00Z",
      "2026-03-29T06:00Z",
      "2026-03-29T12:00Z",
    ]);
    const sevenHours = rule("hours", { every: 7, zone: "UTC" });
    expect(first(3, sevenHours, "2026-01-01T08:00:00Z")).toEqual([
      "2026-01-01T15:00Z",
      "2026-01-01T22:00Z",
      "2026-01-02T05:00Z",
    ]);
  });
});

const formats = new Map<string, Intl.DateTimeFormat>();

/** What clocks in a zone show: `2026-11-17T03:08`. */
function wallMinute(ms: number, timeZone: string): string {
  const options = { timeZone, dateStyle: "short", timeStyle: "short", hourCycle: "h23" } as const;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", options);
  formats.set(timeZone, format);
  return format.format(ms).replace(" ", "T");
}

/** The model: what clocks show, minute by minute, without any arithmetic of calendars. */
const shown = new Map<string, Map<string, number>>();

function clockOf(zone: string, date: string): Map<string, number> {
  const key = `${zone} ${date}`;
  const known = shown.get(key);
  if (known !== undefined) return known;
  const minutes = new Map<string, number>();
  const noon = Date.parse(`${date}T12:00:00Z`);
  for (let ms = noon - 27 * MS.hour; ms <= noon + 27 * MS.hour; ms += MS.minute) {
    const wall = wallMinute(ms, zone);
    if (wall.startsWith(date) && !minutes.has(wall)) minutes.set(wall, ms);
  }
  shown.set(key, minutes);
  return minutes;
}

/** The first minute that shows this time; if none does, as much later as the clocks jumped. */
function modelMoment(zone: string, date: string, time: string): number {
  const minutes = clockOf(zone, date);
  const exact = minutes.get(`${date}T${time}`);
  if (exact !== undefined) return exact;
  const earlier = [...minutes.keys()].filter((wall) => wall < `${date}T${time}`).sort();
  const before = earlier.at(-1);
  if (before !== undefined) {
    const behind = Date.parse(`${date}T${time}:00Z`) - Date.parse(`${before}:00Z`);
    return (minutes.get(before) as number) + behind;
  }
  const previous = new Date(Date.parse(`${date}T00:00:00Z`) - MS.day).toISOString().slice(0, 10);
  const last = [...clockOf(zone, previous).entries()].sort(([a], [b]) => (a < b ? -1 : 1)).at(-1);
  const [wall, ms] = last as [string, number];
  return ms + Date.parse(`${date}T${time}:00Z`) - Date.parse(`${wall}:00Z`);
}

/** All dates on which the rule runs, by counting days one at a time. */
function modelDates(of: Rule, days: number): string[] {
  const begin = wallMinute(of.anchor.getTime(), of.zone).slice(0, 10);
  const all = Array.from({ length: days }, (_, n) =>
    new Date(Date.parse(`${begin}T00:00:00Z`) + n * MS.day).toISOString().slice(0, 10),
  );
  if (of.unit === "days") return all.filter((_, n) => n % of.every === 0);
  if (of.unit === "weeks") {
    const weekday = (date: string) => new Date(`${date}T00:00:00Z`).getUTCDay() || 7;
    return all.filter((date) => weekday(date) === of.weekday).filter((_, n) => n % of.every === 0);
  }
  const monthOf = (date: string) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7));
  return all.filter((date) => {
    const [year, month, day] = date.split("-").map(Number) as [number, number, number];
    const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
    const wanted = Math.min(of.monthday as number, lastDay);
    return day === wanted && (monthOf(date) - monthOf(begin)) % of.every === 0;
  });
}

const calendarRule = fc.record({
  unit: fc.constantFrom<Unit>("days", "weeks", "months"),
  every: fc.integer({ min: 1, max: 4 }),
  time: fc.constantFrom("00:00", "00:30", "01:59", "02:00", "02:30", "03:00", "08:15", "23:59"),
  zone: fc.constantFrom(...ZONES),
  weekday: fc.integer({ min: 1, max: 7 }),
  monthday: fc.integer({ min: 1, max: 31 }),
  anchor: fc
    .integer({ min: Date.parse("2023-06-01"), max: Date.parse("2028-03-01") })
    .map((ms) => new Date(ms)),
});

describe("occurrences, beside a model that only looks at clocks", () => {
  it("are the same over changes of clocks, ends of months and leap days", () => {
    fc.assert(
      fc.property(calendarRule, fc.integer({ min: 0, max: 300 }), (of, later) => {
        const after = new Date(of.anchor.getTime() + later * MS.day);
        const today = new Date(after.getTime() - 2 * MS.day).toISOString().slice(0, 10);
        const dates = modelDates(of, later + 140).filter((date) => date >= today);
        const momentOf = (date: string) => modelMoment(of.zone, date, of.time);
        const expected = dates.find((date) => momentOf(date) > after.getTime()) as string;
        expect(nextAfter(of, after).getTime()).toBe(momentOf(expected));
      }),
      { numRuns: 30 },
    );
  });

  it("that were missed are counted, and the newest one is caught up", () => {
    const units = fc.constantFrom<Unit>("minutes", "hours", "days", "weeks", "months");
    const steps = fc.constantFrom(1, 2, 5, 6, 7, 15, 45);
    fc.assert(
      fc.property(calendarRule, units, steps, fc.integer({ min: 0, max: 3_000 }), (of, unit, every, down) => {
        const any = { ...of, unit, every };
        const from = nextAfter(any, of.anchor);
        const now = new Date(from.getTime() + down * MS.minute);
        const all = [from];
        for (let at = nextAfter(any, from); at <= now; at = nextAfter(any, at)) all.push(at);
        expect(dueSince(any, from, now)).toEqual({ occurrence: all.at(-1), missed: all.length - 1 });
      }),
      { numRuns: 30 },
    );
  });

  it("of minutes and hours are never further apart than their step", () => {
    const elapsing = fc.record({
      unit: fc.constantFrom<Unit>("minutes", "hours"),
      every: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(calendarRule, elapsing, fc.integer({ min: 0, max: 400_000 }), (of, step, later) => {
        const any = { ...of, ...step };
        const stepMs = step.every * (step.unit === "hours" ? MS.hour : MS.minute);
        const after = new Date(of.anchor.getTime() + MS.day + later * MS.minute);
        const next = nextAfter(any, after);
        const gap = nextAfter(any, next).getTime() - next.getTime();
        expect(next.getTime()).toBeGreaterThan(after.getTime());
        expect(gap).toBeGreaterThan(0);
        expect(gap).toBeLessThanOrEqual(stepMs);
        expect(nextAfter(any, new Date(next.getTime() - 1)).getTime()).toBe(next.getTime());
      }),
      { numRuns: 60 },
    );
  });
});
