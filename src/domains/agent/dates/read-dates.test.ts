import { describe, expect, it } from "vitest";
import type { DateProfile } from "./profile.ts";
import { absentDate, type DateFound, readDates } from "./read-dates.ts";

/** A Tuesday in the middle of things: no period ends with it. */
const BUSINESS: DateProfile = {
  now: "2026-03-17T10:30:00",
  timeZone: "Europe/Berlin",
  weekStart: "monday",
  fiscalStart: { month: 2, day: 1, namedAfter: "start" },
  style: "business",
};
const EXCLUSIVE: DateProfile = { ...BUSINESS, style: "recognizers" };

function windows(text: string, profile: DateProfile): string {
  return readDates(text, profile)
    .flatMap((found) => (found.kind === "window" ? [`${found.window.from} ${found.window.to}`] : []))
    .join(", ");
}

function only(text: string, profile = BUSINESS): DateFound {
  const found = readDates(text, profile);
  expect(found).toHaveLength(1);
  return found[0] as DateFound;
}

describe("windows as a business means them", () => {
  it.each([
    ["today", "2026-03-17 2026-03-18"],
    ["yesterday", "2026-03-16 2026-03-17"],
    ["the day before yesterday", "2026-03-15 2026-03-16"],
    ["this week", "2026-03-16 2026-03-23"],
    ["last week", "2026-03-09 2026-03-16"],
    ["last month", "2026-02-01 2026-03-01"],
    ["last quarter", "2025-10-01 2026-01-01"],
    ["previous year", "2025-01-01 2026-01-01"],
    ["the month before last", "2026-01-01 2026-02-01"],
    ["last 90 days", "2025-12-18 2026-03-18"],
    ["past four weeks", "2026-02-18 2026-03-18"],
    ["over the past year", "2025-03-18 2026-03-18"],
    ["over the last year", "2025-03-18 2026-03-18"],
    ["in the past month", "2026-02-18 2026-03-18"],
    ["in the past week", "2026-03-11 2026-03-18"],
    ["over the previous year", "2025-01-01 2026-01-01"],
    ["last 12 months", "2025-03-18 2026-03-18"],
    ["the last 5 years", "2021-03-18 2026-03-18"],
    ["last 2 quarters", "2025-07-01 2026-01-01"],
    ["last 3 months and 2 days", "2025-12-16 2026-03-18"],
    ["in the last 24 hours", "2026-03-16T10:30:00 2026-03-17T10:30:00"],
    ["next 7 days", "2026-03-18 2026-03-25"],
    ["three days ago", "2026-03-14 2026-03-15"],
    ["two years ago", "2024-01-01 2025-01-01"],
    ["YTD", "2026-01-01 2026-03-18"],
    ["month to date", "2026-03-01 2026-03-18"],
    ["this quarter so far", "2026-01-01 2026-03-18"],
    ["since January", "2026-01-01 2026-03-18"],
    ["since January 2025", "2025-01-01 2026-03-18"],
    ["since the start of 2024", "2024-01-01 2026-03-18"],
    ["rest of the year", "2026-03-17 2027-01-01"],
    ["earlier this year", "2026-01-01 2026-03-17"],
  ])("%s", (text, expected) => {
    expect(windows(text, BUSINESS)).toBe(expected);
  });

  it.each([
    ["in 2025", "2025-01-01 2026-01-01"],
    ["December 2025", "2025-12-01 2026-01-01"],
    ["Dec '25", "2025-12-01 2026-01-01"],
    ["12/2025", "2025-12-01 2026-01-01"],
    ["2025-12", "2025-12-01 2026-01-01"],
    ["in december", "2025-12-01 2026-01-01"],
    ["in March", "2026-03-01 2026-04-01"],
    ["last March", "2025-03-01 2025-04-01"],
    ["2025-12-31", "2025-12-31 2026-01-01"],
    ["31.12.2025", "2025-12-31 2026-01-01"],
    ["12/31/2025", "2025-12-31 2026-01-01"],
    ["12th of March", "2026-03-12 2026-03-13"],
    ["March 12th, 2024", "2024-03-12 2024-03-13"],
    ["Friday 5 December 2025", "2025-12-05 2025-12-06"],
    ["Q4 2025", "2025-10-01 2026-01-01"],
    ["2025-Q4", "2025-10-01 2026-01-01"],
    ["Q4'25", "2025-10-01 2026-01-01"],
    ["third quarter of last year", "2025-07-01 2025-10-01"],
    ["H1 2025", "2025-01-01 2025-07-01"],
    ["the 2nd half of 2024", "2024-07-01 2025-01-01"],
    ["week 12 of 2025", "2025-03-17 2025-03-24"],
    ["2025-W12", "2025-03-17 2025-03-24"],
    ["the week of March 9", "2026-03-09 2026-03-16"],
    ["weeks 10 to 12 of 2025", "2025-03-03 2025-03-24"],
    ["the last week of July 2025", "2025-07-28 2025-08-04"],
    ["the first 10 days of March 2025", "2025-03-01 2025-03-11"],
    ["the last two months of 2025", "2025-11-01 2026-01-01"],
    ["last day of the month", "2026-03-31 2026-04-01"],
    ["early March", "2026-03-01 2026-03-11"],
    ["mid-March 2025", "2025-03-11 2025-03-21"],
    ["late 2024", "2024-09-01 2025-01-01"],
    ["the 1990s", "1990-01-01 2000-01-01"],
    ["summer 2025", "2025-06-01 2025-09-01"],
    ["Black Friday 2025", "2025-11-28 2025-11-29"],
    ["Easter 2025", "2025-04-20 2025-04-21"],
    ["in two thousand and fifteen", "2015-01-01 2016-01-01"],
    ["last weekend", "2026-03-14 2026-03-16"],
    ["the 2nd of last month", "2026-02-02 2026-02-03"],
    ["the 5th of the month", "2026-03-05 2026-03-06"],
    ["Friday of last week", "2026-03-13 2026-03-14"],
  ])("%s", (text, expected) => {
    expect(windows(text, BUSINESS)).toBe(expected);
  });

  it.each([
    ["2014 to 2018", "2014-01-01 2019-01-01"],
    ["2014-2018", "2014-01-01 2019-01-01"],
    ["between 2014 and 2018", "2014-01-01 2019-01-01"],
    ["from Q1 to Q3 2025", "2025-01-01 2025-10-01"],
    ["Nov–Feb 2025", "2024-11-01 2025-03-01"],
    ["Nov to Feb", "2025-11-01 2026-03-01"],
    ["January through March 2025", "2025-01-01 2025-04-01"],
    ["2025-01-01 - 2025-03-31", "2025-01-01 2025-04-01"],
    ["2025-01-01..2025-03-31", "2025-01-01 2025-04-01"],
    ["from 1/1/2025 until 1/3/2025", "2025-01-01 2025-01-04"],
    ["1-15 March 2025", "2025-03-01 2025-03-16"],
    ["March 1st through 15th, 2025", "2025-03-01 2025-03-16"],
    ["from the ninth to the seventeenth of February", "2026-02-09 2026-02-18"],
    ["from March 2025 to today", "2025-03-01 2026-03-18"],
    ["before 2020", "null 2020-01-01"],
    ["until March 2025", "null 2025-04-01"],
    ["by the end of 2025", "null 2026-01-01"],
    ["after Q2 2025", "2025-07-01 null"],
    ["2025 or later", "2025-01-01 null"],
    ["no later than 2024", "null 2025-01-01"],
    ["from March 2025 onwards", "2025-03-01 null"],
    [">= 2025-05-01", "2025-05-01 null"],
    ["more than 2 years ago", "null 2024-03-17"],
    ["the twelve months ending March 2025", "2024-04-01 2025-04-01"],
    ["the year ended 31 March 2025", "2024-04-01 2025-04-01"],
    ["last year to date", "2025-01-01 2025-03-18"],
    ["YTD 2024", "2024-01-01 2024-03-18"],
    ["YTD last year", "2025-01-01 2025-03-18"],
    ["this and last year", "2025-01-01 2027-01-01"],
    ["LTM", "2025-03-18 2026-03-18"],
    ["revenue to date", "null 2026-03-18"],
    ["what it adds up to in Q3 2025", "2025-07-01 2025-10-01"],
  ])("%s", (text, expected) => {
    expect(windows(text, BUSINESS)).toBe(expected);
  });

  it.each([
    ["FY2025", "2025-02-01 2026-02-01"],
    ["FY25", "2025-02-01 2026-02-01"],
    ["fiscal year 2025", "2025-02-01 2026-02-01"],
    ["fiscal 2025", "2025-02-01 2026-02-01"],
    ["FY25/26", "2025-02-01 2026-02-01"],
    ["Q1 FY2025", "2025-02-01 2025-05-01"],
    ["first fiscal quarter", "2026-02-01 2026-05-01"],
    ["first fiscal quarter of 2025", "2025-02-01 2025-05-01"],
    ["last fiscal year", "2025-02-01 2026-02-01"],
    ["last fiscal quarter", "2025-11-01 2026-02-01"],
    ["this fiscal year so far", "2026-02-01 2026-03-18"],
    ["last 2 fiscal quarters", "2025-08-01 2026-02-01"],
    ["last two fiscal years", "2024-02-01 2026-02-01"],
    ["second quarter of this fiscal year", "2026-05-01 2026-08-01"],
    ["first half of the fiscal year", "2026-02-01 2026-08-01"],
    ["January FY2025", "2026-01-01 2026-02-01"],
    ["FY2024 to FY2025", "2024-02-01 2026-02-01"],
  ])("fiscal: %s", (text, expected) => {
    expect(windows(text, BUSINESS)).toBe(expected);
  });

  it("names a fiscal year after its end where the organisation does", () => {
    const fiscalStart = { month: 10, day: 1, namedAfter: "end" } as const;
    const profile: DateProfile = { ...BUSINESS, fiscalStart };
    expect(windows("FY2026", profile)).toBe("2025-10-01 2026-10-01");
    expect(windows("FY25/26", profile)).toBe("2025-10-01 2026-10-01");
    expect(windows("this fiscal quarter", profile)).toBe("2026-01-01 2026-04-01");
  });

  it("starts weeks where the organisation does", () => {
    expect(windows("last week", { ...BUSINESS, weekStart: "sunday" })).toBe("2026-03-08 2026-03-15");
  });

  it("takes the day of the time zone", () => {
    expect(windows("today", { ...BUSINESS, now: "2026-03-17T23:30:00Z" })).toBe("2026-03-18 2026-03-19");
    expect(windows("today", { ...BUSINESS, now: "2026-03-17" })).toBe("2026-03-17 2026-03-18");
    expect(() => readDates("today", { ...BUSINESS, now: "soon" })).toThrow(RangeError);
  });
});

describe("windows as the specification of Recognizers means them", () => {
  it.each([
    ["last 90 days", "2025-12-17 2026-03-17"],
    ["past 5 years", "2021-03-17 2026-03-17"],
    ["next 3 weeks", "2026-03-18 2026-04-08"],
    ["2014 to 2018", "2014-01-01 2018-01-01"],
    ["from January to March 2025", "2025-01-01 2025-03-01"],
    ["since January", "2026-01-01 null"],
    ["year to date", "2026-01-01 2026-03-17"],
    ["until March 2025", "null 2025-03-01"],
    ["next 4 business days", "2026-03-18 2026-03-24"],
    ["previous 4 business days", "2026-03-11 2026-03-17"],
    ["mid November 2025", "2025-11-10 2025-11-21"],
    ["the end of 2025", "2025-09-01 2026-01-01"],
    ["by the end of this month", "null 2026-04-01"],
    ["from the end of 2023 to the end of 2024", "2024-01-01 2025-01-01"],
    ["Labor Day 2025 weekend", "2025-08-30 2025-09-02"],
    ["3 days starting from next Monday", "2026-03-23 2026-03-26"],
  ])("%s", (text, expected) => {
    expect(windows(text, EXCLUSIVE)).toBe(expected);
  });
});

describe("places and readings", () => {
  it("gives the place of the date without the words that lead to it", () => {
    const text = "Revenue in the last 90 days and since March, by month";
    expect(readDates(text, BUSINESS).map(({ start, end }) => text.slice(start, end))).toEqual([
      "last 90 days",
      "since March",
      "by month",
    ]);
  });

  it("calls a bare year latent, and one that is led to not", () => {
    expect(only("revenue per channel, 2025")).toMatchObject({ kind: "window", latent: true });
    expect(only("revenue in 2025")).not.toHaveProperty("latent");
    expect(readDates("bought in both 2024 and 2025", BUSINESS).filter((each) => "latent" in each)).toEqual(
      [],
    );
  });

  it.each([
    "orders worth more than 2000 euros",
    "$2025",
    "product X2000",
    "0.2025",
    "order 20250131",
    "may I see all orders",
    "closed within 24 hours",
    "the last 5 orders",
    "sales by day of the week",
    "30 February 2025",
    "31.02.2025",
    "29 February 2025",
    "week 53 of 2025",
    "invoice INV-2025-03",
    "",
  ])("finds no date in: %s", (text) => {
    expect(readDates(text, BUSINESS)).toEqual([]);
  });

  it.each([
    ["sales on 31 February 2025", "31 February 2025"],
    ["Umsatz am 30.02.2025", "30.02.2025"],
    ["Umsatz am 30.02.", "30.02."],
    ["since 31 June", "31 June"],
    ["29 February 2025", "29 February 2025"],
    ["orders in week 53 of 2025", "week 53 of 2025"],
    ["a margin below 31.2.", ""],
    ["29 February 2024", ""],
    ["by day of the week", ""],
  ])("says that no calendar has it: %s", (text, absent) => {
    const { start = 0, end = 0 } = absentDate(text, BUSINESS) ?? {};
    expect(text.slice(start, end)).toBe(absent);
  });

  it("takes the likeliest of several readings, and keeps both ends of a range", () => {
    expect(only("on 12/03/2025")).toMatchObject({ window: { from: "2025-12-03" } });
    expect(only("in December")).toMatchObject({ window: { from: "2025-12-01" } });
    expect(only("the past quarter")).toMatchObject({ window: { from: "2025-10-01", to: "2026-01-01" } });
    expect(only("from FY2024 to FY2025")).toMatchObject({
      ends: [
        { from: "2024-02-01", to: "2025-02-01" },
        { from: "2025-02-01", to: "2026-02-01" },
      ],
    });
  });

  it("lets neighbours share a year", () => {
    expect(windows("January, February and March 2025", BUSINESS)).toBe(
      "2025-01-01 2025-02-01, 2025-02-01 2025-03-01, 2025-03-01 2025-04-01",
    );
    expect(windows("Q1, Q2 and Q3", BUSINESS)).toBe(
      "2025-01-01 2025-04-01, 2025-04-01 2025-07-01, 2025-07-01 2025-10-01",
    );
    expect(windows("Q2 vs Q1 2025", BUSINESS)).toBe("2025-04-01 2025-07-01");
    expect(windows("compare March with April 2025", BUSINESS)).toBe(
      "2025-03-01 2025-04-01, 2025-04-01 2025-05-01",
    );
  });

  it("says windows back", () => {
    const said = (text: string): string[] => readDates(text, BUSINESS).map((found) => found.said);
    expect(said("Q4 2025")).toEqual(["Q4 2025 (1 Oct to 31 Dec 2025)"]);
    expect(said("in 2025")).toEqual(["2025 (1 Jan to 31 Dec 2025)"]);
    expect(said("last month")).toEqual(["February 2026 (1 to 28 Feb 2026)"]);
    expect(said("last week")).toEqual(["week 11 of 2026 (9 to 15 Mar 2026)"]);
    expect(said("FY2025")).toEqual(["fiscal year 2025 (1 Feb 2025 to 31 Jan 2026)"]);
    expect(said("Q1 FY2025")).toEqual(["fiscal Q1 2025 (1 Feb to 30 Apr 2025)"]);
    expect(said("H1 2025")).toEqual(["first half of 2025 (1 Jan to 30 Jun 2025)"]);
    expect(said("yesterday")).toEqual(["16 Mar 2026"]);
    expect(said("before 2020")).toEqual(["up to 31 Dec 2019"]);
    expect(said("after Q2 2025")).toEqual(["from 1 Jul 2025 on"]);
    expect(said("last 24 hours")).toEqual(["16 Mar 2026 10:30 to 17 Mar 2026 10:30"]);
    expect(said("monthly")).toEqual(["by month"]);
    expect(said("month over month")).toEqual(["each month compared with the one before"]);
  });
});

describe("groupings and comparisons", () => {
  it.each([
    ["by month", "month"],
    ["monthly", "month"],
    ["per quarter", "quarter"],
    ["month by month", "month"],
    ["each week", "week"],
    ["daily", "day"],
    ["annual", "year"],
    ["by year and quarter", "quarter"],
  ])("%s groups", (text, grain) => {
    expect(only(text)).toMatchObject({ kind: "grain", grain });
  });

  it("groups by fiscal quarter", () => {
    expect(only("by fiscal quarter")).toMatchObject({ kind: "grain", grain: "quarter", fiscal: true });
  });

  it.each([
    ["year over year", "year"],
    ["year-over-year", "year"],
    ["yoy", "year"],
    ["month on month", "month"],
    ["QoQ", "quarter"],
  ])("%s compares each with the one before", (text, grain) => {
    expect(only(text)).toMatchObject({ kind: "compare", shift: { grain, by: -1 }, series: true });
  });

  it.each([
    ["Q1 2026 vs last year", "2025-01-01", "2025-04-01", true],
    ["YTD compared with last year", "2025-01-01", "2025-03-18", true],
    ["2025 compared with the year before", "2024-01-01", "2025-01-01", true],
    ["Q4 2025 vs the same period last year", "2024-10-01", "2025-01-01", true],
    ["this month vs last month", "2026-02-01", "2026-03-01", true],
    ["Q1 2026 vs Q1 2025", "2025-01-01", "2025-04-01", false],
    ["Q4 vs. Q3", "2025-07-01", "2025-10-01", false],
    ["Q2 vs Q1", "2025-01-01", "2025-04-01", false],
    ["more tickets in 2025 than in 2024", "2024-01-01", "2025-01-01", false],
    ["revenue growth 2025 over 2024", "2024-01-01", "2025-01-01", false],
    ["yoy growth for Q4 2025", "2024-10-01", "2025-01-01", true],
  ])("%s", (text, from, to, shifted) => {
    const compare = readDates(text, BUSINESS).find(({ kind }) => kind === "compare");
    expect(compare).toMatchObject({ window: { from, to } });
    expect(compare !== undefined && "shift" in compare).toBe(shifted);
  });

  it.each([
    ["February compared to February last year", "2026-02-01", "2025-02-01"],
    ["March so far versus March last year", "2026-03-01", "2025-03-01"],
    ["Q1 and Q1 last year", "2026-01-01", "2025-01-01"],
    ["February vs February 2024", "2026-02-01", "2024-02-01"],
    ["February last year compared to February", "2025-02-01", "2026-02-01"],
    // The last October was one of last year.
    ["October compared to October last year", "2025-10-01", "2024-10-01"],
    ["February vs last February", "2026-02-01", "2025-02-01"],
    ["March vs April 2025", "2025-03-01", "2025-04-01"],
    ["Q1 vs Q2 last year", "2025-01-01", "2025-04-01"],
  ])("%s: never the same one twice", (text, ...starts) => {
    const found = readDates(text, BUSINESS);
    expect(found.map((each) => ("window" in each ? each.window?.from : undefined))).toEqual(starts);
  });

  it("leaves a series to the months of its window", () => {
    const [compare] = readDates("month over month growth in 2025", BUSINESS);
    expect(compare).toMatchObject({ kind: "compare", series: true });
    expect(compare).not.toHaveProperty("window");
  });

  it("takes that year from the window before it", () => {
    const [, same] = readDates("tickets opened in Q2 2024 by customers who bought that year", BUSINESS);
    expect(same).toMatchObject({
      kind: "same",
      grain: "year",
      window: { from: "2024-01-01", to: "2025-01-01" },
    });
  });

  it("knows no same day without another window", () => {
    expect(only("returned on the same day")).toMatchObject({
      kind: "same",
      grain: "day",
      said: "the same day",
    });
    expect(only("returned on the same day")).not.toHaveProperty("window");
  });
});
