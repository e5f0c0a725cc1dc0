import { describe, expect, it } from "vitest";
import type { DateProfile } from "./profile.ts";
import { type DateFound, readDates } from "./read-dates.ts";

const PROFILE: DateProfile = {
  now: "2026-03-17T10:30:00",
  timeZone: "Europe/Berlin",
  weekStart: "monday",
  fiscalStart: { month: 2, day: 1, namedAfter: "start" },
  style: "business",
};

/** All that is found but for its place in the text. */
function meaning(text: string): Omit<DateFound, "start" | "end">[] {
  return readDates(text, PROFILE).map(({ start: _start, end: _end, ...rest }) => rest);
}

describe("German means what English means", () => {
  it.each([
    ["heute", "today"],
    ["gestern", "yesterday"],
    ["vorgestern", "the day before yesterday"],
    ["letzte Woche", "last week"],
    ["im vergangenen Monat", "in the last month"],
    ["Umsatz vorigen Monat", "last month"],
    ["vorletzten Monat", "the month before last"],
    ["dieses Jahr", "this year"],
    ["nächstes Quartal", "next quarter"],
    ["naechstes Quartal", "next quarter"],
    ["seit Januar", "since January"],
    ["seit Januar 2025", "since January 2025"],
    ["zwischen Januar und März 2025", "between January and March 2025"],
    ["von 2014 bis 2018", "from 2014 to 2018"],
    ["2014 bis 2018", "2014 to 2018"],
    ["vom 1.1.2025 bis 31.3.2025", "from 2025-01-01 to 2025-03-31"],
    ["vom 1. bis zum 15. März 2025", "from the 1st to the 15th of March 2025"],
    ["von Januar bis einschließlich März 2025", "from January to March 2025"],
    ["in diesem und letztem Jahr", "in this and last year"],
    ["KW 12", "week 12"],
    ["KW12/2025", "week 12 of 2025"],
    ["12. Kalenderwoche 2025", "week 12 of 2025"],
    ["KW 10 bis 12 2025", "weeks 10 to 12 of 2025"],
    ["3. Quartal", "third quarter"],
    ["im dritten Quartal 2025", "in the third quarter of 2025"],
    ["Q3/2025", "Q3 2025"],
    ["im ersten Halbjahr", "in the first half"],
    ["1. Halbjahr 2025", "H1 2025"],
    ["Anfang März 2025", "the start of March 2025"],
    ["Mitte März 2025", "mid March 2025"],
    ["Ende März 2025", "the end of March 2025"],
    ["31.12.2025", "2025-12-31"],
    ["am 3. Oktober 2025", "on 3 October 2025"],
    ["im Dezember letzten Jahres", "in December last year"],
    ["erstes Quartal dieses Jahres", "first quarter of this year"],
    ["in den letzten 90 Tagen", "in the last 90 days"],
    ["die letzten zwölf Monate", "the last twelve months"],
    ["der letzten fünfundzwanzig Jahre", "the last twenty-five years"],
    ["in den letzten 24 Stunden", "in the last 24 hours"],
    ["vor drei Tagen", "three days ago"],
    ["vor 2 Jahren", "2 years ago"],
    ["vor dem 1. Mai 2025", "before May 1, 2025"],
    ["nach dem 1. Mai 2025", "after May 1, 2025"],
    ["ab Januar 2025", "starting January 2025"],
    ["bis Ende März 2025", "until the end of March 2025"],
    ["seit Jahresbeginn", "since the start of this year"],
    ["bis Jahresende", "until the end of this year"],
    ["dieses Jahr bisher", "this year so far"],
    ["bisher in diesem Jahr", "so far this year"],
    ["Geschäftsjahr 2025", "fiscal year 2025"],
    ["im laufenden Geschäftsjahr", "in the current fiscal year"],
    ["im Geschäftsjahr 2024/25", "in FY2024/25"],
    ["in den ersten drei Monaten 2025", "in the first three months of 2025"],
    ["letzter Tag des Monats", "last day of the month"],
    ["erste Woche im März 2025", "first week in March 2025"],
    ["in den 1990er Jahren", "in the 1990s"],
    ["im Sommer 2025", "in summer 2025"],
    ["Weihnachten 2025", "Christmas 2025"],
    ["Umsatz 2024 und 2025", "revenue 2024 and 2025"],
    ["pro Monat", "per month"],
    ["monatlich", "monthly"],
    ["monatlicher Umsatz", "monthly"],
    ["je Quartal", "by quarter"],
    ["wöchentlich", "weekly"],
    ["nach Monaten", "by month"],
    ["Monat für Monat", "month by month"],
    ["nach Geschäftsquartal", "by fiscal quarter"],
    ["im letzten halben Jahr", "in the last six months"],
    ["übernächste Woche", "the week after next"],
    ["im Vorjahr", "in the last year"],
    ["Umsatz 2025 ggü. Vorjahr", "revenue 2025 compared with the year before"],
    ["2025 gegenüber dem Vorjahr", "2025 compared with the year before"],
    ["Q4 2025 im Vergleich zum Vorquartal", "Q4 2025 compared with the quarter before"],
    ["im März gegenüber dem Vormonat", "in March compared with the month before"],
    ["Q4 2025 und der Vorjahreszeitraum", "Q4 2025 and the year before"],
    ["2025 mehr als im Vorjahr", "2025 vs the year before"],
    ["Umsatz 2025 verglichen mit 2024", "revenue 2025 compared with 2024"],
    ["Käufe in 2025 im selben Jahr", "purchases in 2025 that year"],
  ])("%s = %s", (german, english) => {
    expect(meaning(german)).not.toEqual([]);
    expect(meaning(german)).toEqual(meaning(english));
  });

  it("is said back in German where that is the language", () => {
    const said = (text: string): string[] =>
      readDates(text, { ...PROFILE, language: "de" }).map((found) => found.said);
    expect(said("Q4 2025")).toEqual(["Q4 2025 (1. Okt. bis 31. Dez. 2025)"]);
    expect(said("letzten Monat")).toEqual(["Februar 2026 (1. bis 28. Feb. 2026)"]);
    expect(said("Geschäftsjahr 2025")).toEqual(["Geschäftsjahr 2025 (1. Feb. 2025 bis 31. Jan. 2026)"]);
    expect(said("vor 2020")).toEqual(["bis 31. Dez. 2019"]);
    expect(said("ab 2024")).toEqual(["ab 1. Jan. 2024"]);
    expect(said("KW 12 2025")).toEqual(["KW 12 2025 (17. bis 23. März 2025)"]);
    expect(said("pro Monat")).toEqual(["nach Monat"]);
    expect(said("2025 gegenüber dem Vorjahr")).toEqual([
      "2025 (1. Jan. bis 31. Dez. 2025)",
      "verglichen mit 2024 (1. Jan. bis 31. Dez. 2024)",
    ]);
  });
});
