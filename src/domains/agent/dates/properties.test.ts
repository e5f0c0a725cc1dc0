import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DateProfile } from "./profile.ts";
import { type DateFound, readDates } from "./read-dates.ts";

const WORDS =
  "last next this past 3 12 31 2024 2025 Q3 H1 FY25 of in the to - until from between and since before after by per month months week weeks day days quarter year years March May 5th first early end . / , vs yesterday today Monday letzte seit bis im Jahr Monat KW 3. Vorjahr revenue customers 2025-03-01 12/2025 '25".split(
    " ",
  );
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 25 }).map((words) => words.join(" "));
const day = fc
  .integer({ min: 0, max: 20_000 })
  .map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
const profile: fc.Arbitrary<DateProfile> = fc.record({
  now: day,
  timeZone: fc.constant("Europe/Berlin"),
  weekStart: fc.constantFrom("monday", "sunday", "saturday"),
  fiscalStart: fc.record({
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.constant(1),
    namedAfter: fc.constantFrom("start", "end"),
  }),
  style: fc.constantFrom("business", "recognizers"),
});

function windowsOf(found: DateFound): { from: string | null; to: string | null }[] {
  return "window" in found && found.window !== undefined ? [found.window] : [];
}

/** Days before the 29th, so that every year has them. */
function aYearAfter(iso: string | null): string | null {
  return iso === null ? null : `${Number(iso.slice(0, 4)) + 1}${iso.slice(4)}`;
}

describe("whatever is read", () => {
  it("has windows that begin before they end, in places that do not overlap", () => {
    fc.assert(
      fc.property(
        fc.oneof(text, fc.string({ unit: "grapheme", maxLength: 80 })),
        profile,
        (question, about) => {
          let end = 0;
          for (const found of readDates(question, about)) {
            expect(found.start).toBeGreaterThanOrEqual(end);
            expect(found.end).toBeGreaterThan(found.start);
            end = found.end;
            expect(found.said).not.toBe("");
            for (const { from, to } of windowsOf(found))
              if (from !== null && to !== null) expect(from < to).toBe(true);
          }
          expect(end).toBeLessThanOrEqual(question.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("reads the same whatever stands around it and however it is written", () => {
    const dates = fc.constantFrom(
      "last 90 days",
      "Q3 2025",
      "between March and May 2024",
      "seit Januar 2025",
    );
    fc.assert(
      fc.property(
        dates,
        fc.constantFrom("revenue of Acme ", "Umsatz: ", "x "),
        profile,
        (date, before, about) => {
          const alone = readDates(date, about).flatMap(windowsOf);
          expect(readDates(`${before}${date} please`, about).flatMap(windowsOf)).toEqual(alone);
          expect(readDates(date.toUpperCase(), about).flatMap(windowsOf)).toEqual(alone);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("what is counted from today", () => {
  const relative = fc.constantFrom(
    "last month",
    "next quarter",
    "this year",
    "last 3 months",
    "last 2 quarters",
    "past 5 years",
    "year to date",
    "since March",
    "letzten Monat",
    "in the last 6 months",
    "two years ago",
    "last fiscal year",
    "this fiscal quarter so far",
    "first half of last year",
  );

  it("moves by a year when today does", () => {
    // Months back from the end of a month depend on how long February is.
    const before28 = day.filter((iso) => Number(iso.slice(8)) < 28);
    fc.assert(
      fc.property(relative, before28, profile, (question, now, about) => {
        const later = aYearAfter(now) ?? "";
        const [one, two] = [now, later].map(
          (each) => readDates(question, { ...about, now: each }).flatMap(windowsOf)[0],
        );
        expect(one).toBeDefined();
        const { from = null, to = null } = one ?? {};
        expect(two).toEqual({ from: aYearAfter(from), to: aYearAfter(to) });
      }),
      { numRuns: 300 },
    );
  });

  it("has as many days as it says", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), profile, (n, about) => {
        const [window] = readDates(`last ${n} days`, about).flatMap(windowsOf);
        const days = (Date.parse(window?.to ?? "") - Date.parse(window?.from ?? "")) / 86_400_000;
        expect(days).toBe(n);
        const last = new Date(Date.parse(window?.to ?? "") - 86_400_000).toISOString().slice(0, 10);
        expect(last === about.now).toBe(about.style === "business");
      }),
      { numRuns: 100 },
    );
  });
});

describe("German and English", () => {
  const MONTHS = "January Januar,March März,May Mai,October Oktober,December Dezember"
    .split(",")
    .map((pair) => pair.split(" "));
  const FRAMES = [
    ["in %m %y", "im %m %y"],
    ["since %m %y", "seit %m %y"],
    ["from %m to December %y", "von %m bis Dezember %y"],
    ["the end of %m %y", "Ende %m %y"],
    ["last %n weeks", "die letzten %n Wochen"],
    ["%n. %m %y", "%n. %m %y"],
    ["week %n of %y", "KW %n %y"],
    ["before %y", "vor %y"],
  ] as const;

  it("are twins", () => {
    const number = fc.integer({ min: 2, max: 28 });
    const year = fc.integer({ min: 1950, max: 2090 });
    fc.assert(
      fc.property(
        fc.constantFrom(...FRAMES),
        fc.constantFrom(...MONTHS),
        number,
        year,
        profile,
        (frame, month, n, y, about) => {
          const [english, german] = frame.map((each, i) =>
            readDates(
              each
                .replace("%m", month[i] as string)
                .replace("%n", String(n))
                .replace("%y", String(y)),
              about,
            ),
          );
          expect(english).toHaveLength(1);
          expect(german?.map(({ start: _s, end: _e, ...rest }) => rest)).toEqual(
            english?.map(({ start: _s, end: _e, ...rest }) => rest),
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("a hostile text", () => {
  const PROFILE: DateProfile = {
    now: "2026-03-17",
    timeZone: "UTC",
    weekStart: "monday",
    fiscalStart: { month: 1, day: 1, namedAfter: "start" },
    style: "business",
  };

  it.each([
    "1",
    "last ",
    "1 ",
    "2025 ",
    "2025-",
    "3. ",
    "first ",
    "2 weeks and ",
    "in the ",
    "March 3 to ",
    "q1 2025 and ",
  ])("of 100 kB made of %j is read as far as the limit, and no further", (piece) => {
    const long = piece.repeat(Math.ceil(100_000 / piece.length));
    const found = readDates(long, PROFILE);
    expect(found).toEqual(readDates(long + long, PROFILE));
    expect(found.length).toBeLessThanOrEqual(1_000);
    expect(found.at(-1)?.end ?? 0).toBeLessThanOrEqual(10_000);
  });

  it("with numbers beyond all calendars is survived", () => {
    for (const question of [
      "last 999 centuries",
      "next 999 decades",
      "999 years ago",
      "since 999 years ago",
      "9999",
      "30th century",
    ])
      for (const found of readDates(question, PROFILE))
        for (const { from, to } of windowsOf(found)) expect(`${from} ${to}`).not.toMatch(/[+]|^-/);
  });
});
