import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keysIn } from "../../../../test/support/template-keys.ts";
import type { Understanding } from "../understand/reading.ts";
import { show, showNumber } from "./format.ts";
import { GERMAN, READ, WORDS } from "./german.ts";
import { inLanguageOf, period, readIn, t, word } from "./words.ts";

const AGENT = join(import.meta.dirname, "..");
const sources = readdirSync(AGENT, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith("german.ts"))
  .map((name) => readFileSync(join(AGENT, name), "utf8"));
const all = sources.join("\n");

const keys = new Set(sources.flatMap(keysIn));
const inGerman = <T>(work: () => T) => inLanguageOf(["Wie viele gibt es?"], work);

describe("the table of sentences", () => {
  it("has every sentence of an answer in German, with the same values in it", () => {
    expect(keys.size).toBeGreaterThan(100);
    expect([...keys].filter((key) => GERMAN[key] === undefined)).toEqual([]);
    const valuesOf = (text: string) => [...new Set(text.match(/\{\d\}/g))].toSorted();
    for (const [english, german] of [...Object.entries(GERMAN), ...Object.entries(READ)])
      expect(valuesOf(german)).toEqual(valuesOf(english));
  });

  it("has nothing in German that no answer says", () => {
    expect(Object.keys(GERMAN).filter((key) => !keys.has(key) && !all.includes(key))).toEqual([]);
    const isSaid = (key: string) => key.split(/\{\d\}/).every((piece) => all.includes(piece));
    expect(Object.keys(READ).filter((key) => !isSaid(key))).toEqual([]);
  });

  it("has every grain and every kind of comparison", () => {
    const grains = ["year", "quarter", "month", "week", "day"].flatMap((grain) => [grain, `${grain}s`]);
    expect(grains.filter((each) => WORDS[each] === undefined)).toEqual([]);
    const said = ["number of", "total", "average", "at least", "at most", "more than", "less than"];
    expect(said.filter((each) => WORDS[each] === undefined)).toEqual([]);
  });
});

describe("the language of a question", () => {
  it("is that of what is written while it is answered, also later and beside another", async () => {
    const later = (text: string) =>
      inLanguageOf([text], async () => {
        await new Promise((done) => setImmediate(done));
        return t`largest rise: ${"{1}"}`;
      });
    expect(await Promise.all([later("Wie viele gibt es?"), later("How many are there?")])).toEqual([
      "größter Anstieg: {1}",
      "largest rise: {1}",
    ]);
    expect(t`largest rise: ${1}`).toBe("largest rise: 1");
  });

  it("is that of what was said before it, where it has no word of grammar", () => {
    const said = (...texts: (string | undefined)[]) => inLanguageOf(texts, () => word("month"));
    expect(said("2024?", undefined, "Umsatz nach Land")).toBe("Monat");
    expect(said("2024?", undefined, "revenue by country")).toBe("month");
    expect(said("and by month?", "Wie viele gibt es?")).toBe("month");
    expect(said("")).toBe("month");
  });
});

describe("in German", () => {
  it.each([
    ["2025 (1 Jan to 31 Dec 2025)", "2025 (1. Jan. bis 31. Dez. 2025)"],
    ["October 2026 (1 to 31 Oct 2026)", "Oktober 2026 (1. bis 31. Okt. 2026)"],
    ["in October 2026", "im Oktober 2026"],
    ["in 2025", "im Jahr 2025"],
    ["in Q4 2026", "in Q4 2026"],
    ["in first half of 2026", "im ersten Halbjahr 2026"],
    ["second half of fiscal 2026", "zweites Halbjahr Geschäftsjahr 2026"],
    ["fiscal Q1 2026", "Q1 im Geschäftsjahr 2026"],
    ["in fiscal year 2026", "im Geschäftsjahr 2026"],
    ["week 3 of 2026", "KW 3 2026"],
    ["on 5 May 2026", "am 5. Mai 2026"],
    ["from 19 Nov 2025 to 18 Nov 2026", "vom 19. Nov. 2025 bis 18. Nov. 2026"],
    ["from 2025-03-01 on", "ab 1. März 2025"],
    ["up to 5 Nov 2026", "bis 5. Nov. 2026"],
    ["2025 until 18 Nov", "2025 bis 18. Nov."],
    ["the 12 months up to today", "die 12 Monate bis heute"],
    ["October 2026 and March 2026", "Oktober 2026 und März 2026"],
  ])("a period is called %s: %s", (english, german) => {
    expect(inGerman(() => period(english))).toBe(german);
    expect(period(english)).toBe(english);
  });

  it("numbers and days are written as there", () => {
    const both = (work: () => string) => [work(), inGerman(work)];
    const money = { kind: "money", symbol: "€" } as const;
    expect(both(() => showNumber(-7_958_161.35, money))).toEqual(["−€7,958,161.35", "−7.958.161,35 €"]);
    expect(both(() => showNumber(0.125, { kind: "percent", by: 100 }))).toEqual(["12.5%", "12,5 %"]);
    expect(both(() => showNumber(0.0001, { kind: "percent", by: 100 }))).toEqual(["<0.1%", "<0,1 %"]);
    expect(both(() => show("12345678901234567", { kind: "integer" }))).toEqual([
      "12,345,678,901,234,567",
      "12.345.678.901.234.567",
    ]);
    expect(both(() => showNumber(1.5, { kind: "number", unit: "days" }))).toEqual(["1.5 days", "1,5 Tage"]);
    const on = (grain: "day" | "week" | "month" | "year", isFiscal = false) =>
      both(() => show("2025-11-17", { kind: "period", grain, isFiscal }));
    expect(on("day")).toEqual(["2025-11-17", "17. Nov. 2025"]);
    expect(on("week")).toEqual(["week of 2025-11-17", "Woche ab 17. Nov. 2025"]);
    expect(on("month")).toEqual(["Nov 2025", "Nov. 2025"]);
    expect(on("year", true)).toEqual(["fiscal year from Nov 2025", "Geschäftsjahr ab Nov. 2025"]);
  });

  it("what the reader says is said, whatever stands in it", () => {
    const understood: Understanding = {
      readings: [
        {
          ask: { k: "table", by: [], cols: [] },
          cost: 0,
          said: "",
          assumptions: [
            { at: null, choice: '"a" is taken for b is {1}', others: [] },
            { at: null, choice: "(", others: [] },
          ],
        },
      ],
      missing: [],
      unclear: [{ question: 'By which number is "be\nste" meant?', suggestions: ["revenue", "this year"] }],
    };
    const { readings, unclear } = inGerman(() => readIn(understood));
    expect(readings[0]?.assumptions.map(({ choice }) => choice)).toEqual(["„a“ steht für b is {1}", "("]);
    expect(unclear).toEqual([
      { question: "Nach welcher Zahl ist „be\nste“ gemeint?", suggestions: ["revenue", "dieses Jahr"] },
    ]);
    expect(readIn(understood)).toBe(understood);
  });
});
