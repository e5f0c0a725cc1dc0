import { describe, expect, it } from "vitest";
import { MONTH, REVENUE, reading } from "../../../../test/support/questions.ts";
import type { Ask, Num, Window } from "../query/semantic-query.ts";
import { likeWithLike } from "./like-with-like.ts";

const during = (from: string, to: string): Num => ({
  ...(REVENUE as Extract<Num, { k: "metric" }>),
  scope: { win: { from, to, said: from.slice(0, 4) } },
});
const year = (of: number) => during(`${of}-01-01`, `${of + 1}-01-01`);
const beside = (a: Num, b: Num): Ask => ({ k: "table", by: [], cols: [a, b] });
const calc = (op: "growth" | "-" | "/", a: Num, b: Num): Ask => ({
  k: "table",
  by: [],
  cols: [{ k: "calc", op, a, b }],
});

/** Where the periods end, and how many assumptions are made. */
function endsOf(ask: Ask, text: string, today: string) {
  const [made] = likeWithLike([reading("", ask)], text, `${today}T09:00:00Z`);
  const ends: unknown[] = [];
  JSON.stringify(made?.ask, (_, value: unknown) => {
    if (typeof value === "object" && value !== null && "said" in value) ends.push((value as Window).to);
    return value;
  });
  return [...ends, made?.assumptions.length];
}

const MARCH = during("2026-03-01", "2026-04-01");
const Q1 = during("2026-01-01", "2026-04-01");
const whole = ["2027-01-01", "2026-01-01", 0];

describe("a period that is not over", () => {
  it.each<[string, Ask, string, string, string, string]>([
    ["years", calc("growth", year(2026), year(2025)), "", "2026-03-15", "2026-03-16", "2025-03-16"],
    ["a change", calc("-", year(2026), year(2025)), "", "2026-03-15", "2026-03-16", "2025-03-16"],
    [
      "columns",
      beside(year(2026), year(2025)),
      "this year vs last year",
      "2026-03-15",
      "2026-03-16",
      "2025-03-16",
    ],
    [
      "the later one last",
      beside(year(2025), year(2026)),
      "2025 vs 2026",
      "2026-03-15",
      "2025-03-16",
      "2026-03-16",
    ],
    ["two years", calc("growth", year(2026), year(2024)), "", "2026-03-15", "2026-03-16", "2024-03-16"],
    ["a leap day", calc("growth", year(2024), year(2023)), "", "2024-02-29", "2024-03-01", "2023-03-01"],
    [
      "the day before it",
      calc("growth", year(2024), year(2023)),
      "",
      "2024-02-28",
      "2024-02-29",
      "2023-03-01",
    ],
    [
      "months",
      beside(MARCH, during("2026-02-01", "2026-03-01")),
      "im Vergleich",
      "2026-03-15",
      "2026-03-16",
      "2026-02-16",
    ],
    [
      "a shorter month",
      calc("-", MARCH, during("2026-02-01", "2026-03-01")),
      "",
      "2026-03-30",
      "2026-03-31",
      "2026-03-01",
    ],
    [
      "quarters",
      calc("-", Q1, during("2025-10-01", "2026-01-01")),
      "",
      "2026-03-15",
      "2026-03-16",
      "2025-12-14",
    ],
    [
      "weeks",
      calc("-", during("2026-03-09", "2026-03-16"), during("2026-03-02", "2026-03-09")),
      "",
      "2026-03-11",
      "2026-03-12",
      "2026-03-05",
    ],
  ])("is held against as many days: %s", (_, ask, text, today, first, second) => {
    expect(endsOf(ask, text, today)).toEqual([first, second, 1]);
  });

  it("is told beside the answer", () => {
    const [made] = likeWithLike([reading("", calc("growth", year(2026), year(2025)))], "", "2026-03-15");
    expect(made?.said).toBe("growth of revenue from 2025 until 15 Mar to 2026 until today");
    expect(made?.assumptions.map(({ choice }) => choice)).toEqual([
      "2026 is not over: it is held against as many days, 2025 until 15 Mar",
    ]);
  });

  it("stays whole where nothing is compared, both are over, or they are no such two", () => {
    expect(endsOf(beside(year(2026), year(2025)), "this year and last year", "2026-03-15")).toEqual(whole);
    expect(endsOf(calc("/", year(2026), year(2025)), "", "2026-03-15")).toEqual(whole);
    expect(endsOf(calc("growth", year(2026), year(2025)), "", "2026-12-31")).toEqual(whole);
    expect(endsOf(calc("growth", year(2026), Q1), "", "2026-03-15")[2]).toBe(0);
    const monthly = { ...beside(year(2026), year(2025)), by: [MONTH] } as Ask;
    expect(endsOf(monthly, "by month, this year vs last year", "2026-03-15")).toEqual(whole);
  });
});
