import { describe, expect, it } from "vitest";
import { noise, randomOf } from "../../../../test/support/made-series.ts";
import type { Grain } from "../shapes.ts";
import { type Analysis, analyse } from "./analyse.ts";
import { dataGapsOf } from "./data-gaps.ts";
import { concentrationOf, driversOf, mixAndRate } from "./driver-findings.ts";
import { beginning, isTotal, mayBeTotal, partOf, relativeChange } from "./finding.ts";
import { discoveries, significantCorrelation } from "./statistics.ts";

/** What would be told of a series that is looked at alone. */
function told({ season, changes, trend, outliers }: Analysis): string[] {
  const all = [
    ...(season === undefined ? [] : [{ kind: "season", p: season.p }]),
    ...changes.map(({ p }) => ({ kind: "change", p })),
    ...(trend === undefined ? [] : [{ kind: "trend", p: trend.p }]),
    ...outliers.map(({ p }) => ({ kind: "outlier", p })),
  ];
  const held = discoveries(all.map(({ p }) => p));
  return all.filter((_, i) => held[i]).map(({ kind }) => kind);
}

/** The share of series in which something is found. */
function rate(
  runs: number,
  length: number,
  plant: (values: number[], random: () => number) => number[],
  isFound: (kinds: string[], analysis: Analysis) => boolean,
  grain: Grain = "day",
): number {
  const random = randomOf(length * 7 + runs);
  let found = 0;
  for (let run = 0; run < runs; run += 1) {
    const analysis = analyse(plant(noise(random, length, 0.5), random), grain);
    if (isFound(told(analysis), analysis)) found += 1;
  }
  return found / runs;
}

const lift = (values: number[]) => values.map((value) => value + 100);

describe("insights on noise", () => {
  it("finds next to nothing in 1,000 series of noise in which values are like those before them", () => {
    const runs = { 24: 320, 52: 320, 104: 320, 365: 40 };
    const rates = Object.entries(runs).map(([length, count]) =>
      rate(count, Number(length), lift, (kinds) => kinds.length > 0),
    );
    const all = rates.reduce((sum, each) => sum + each, 0) / rates.length;
    expect(all).toBeLessThanOrEqual(0.06);
    for (const each of rates) expect(each).toBeLessThanOrEqual(0.1);
  });

  it("takes no noise for a season of the year, or for more than it would without one", () => {
    for (const length of [104, 150]) {
      expect(rate(150, length, lift, (kinds) => kinds.length > 0, "week")).toBeLessThanOrEqual(0.1);
      expect(rate(150, length, lift, (kinds) => kinds.includes("season"), "week")).toBeLessThanOrEqual(0.02);
    }
    expect(rate(150, 30, lift, (kinds) => kinds.length > 0, "month")).toBeLessThanOrEqual(0.1);
  });
});

describe("insights on planted effects", () => {
  it("finds a step of the level, and does not call it a trend", () => {
    const step = (values: number[]) => values.map((value, i) => value + (i >= values.length * 0.6 ? 3 : 0));
    const found = rate(100, 104, step, (kinds) => kinds.includes("change"));
    const asTrend = rate(100, 104, step, (kinds) => kinds.includes("trend"));
    expect(found).toBeGreaterThanOrEqual(0.75);
    expect(asTrend).toBeLessThanOrEqual(0.15);
  });

  it("finds a trend, and does not call it steps", () => {
    const rise = (values: number[]) => values.map((value, i) => value + (8 * i) / values.length);
    const found = rate(100, 104, rise, (kinds) => kinds.includes("trend"));
    const asSteps = rate(100, 104, rise, (kinds) => kinds.includes("change"));
    expect(found).toBeGreaterThanOrEqual(0.75);
    expect(asSteps).toBeLessThanOrEqual(0.25);
  });

  it("finds a wild value where it is", () => {
    const spike = (values: number[]) => values.map((value, i) => (i === 40 ? value + 8 : value));
    const found = rate(
      100,
      104,
      spike,
      (kinds, { outliers }) => kinds.includes("outlier") && outliers.some(({ at }) => at === 40),
    );
    expect(found).toBeGreaterThanOrEqual(0.85);
  });

  it("finds the week, and what is wild within it", () => {
    const week = [0, 1, 2, 3, 3, -4, -5];
    const weekly = (values: number[]) => values.map((value, i) => value + (week[i % 7] ?? 0));
    const found = rate(100, 104, weekly, (kinds) => kinds.includes("season"));
    expect(found).toBeGreaterThanOrEqual(0.95);
    const other = rate(100, 104, weekly, (kinds) => kinds.some((kind) => kind !== "season"));
    expect(other).toBeLessThanOrEqual(0.1);
  });
});

describe("insights on seasons of the year", () => {
  const year = (size: number) => (values: number[]) =>
    values.map((value, i) => 20 + value + size * Math.cos((2 * Math.PI * i) / 52));

  it("finds them from two years on, and tells nothing else", () => {
    for (const length of [104, 150]) {
      expect(rate(60, length, year(6), (kinds) => kinds.includes("season"), "week")).toBeGreaterThanOrEqual(
        0.95,
      );
      const other = rate(60, length, year(6), (kinds) => kinds.some((kind) => kind !== "season"), "week");
      expect(other).toBeLessThanOrEqual(0.1);
    }
  });

  it("does not tell the way up and down again as news where there is less than two years", () => {
    expect(rate(60, 80, year(6), (kinds) => kinds.includes("change"), "week")).toBeLessThanOrEqual(0.3);
  });
});

describe("parts that fall silent", () => {
  const shop = (day: number) => (day % 7 === 6 ? 0 : 10 + ((day * 7) % 5));
  const days = Array.from({ length: 200 }, (_, day) => shop(day));
  const silent = (from: number, to: number) =>
    days.map((count, day) => (day >= from && day < to ? 0 : count));

  it("are found with what was to be expected, but not on the days on which they always are", () => {
    expect(dataGapsOf(days)).toEqual([]);
    const [found, ...others] = dataGapsOf(silent(100, 103));
    expect([found?.from, found?.to, others]).toEqual([100, 103, []]);
    expect(found?.expected).toBeCloseTo(36, -1);
    // Beside a Sunday, on which it is closed.
    expect(dataGapsOf(silent(102, 104))).toMatchObject([{ from: 102, to: 105 }]);
    // It may only not be there yet.
    expect(dataGapsOf(silent(197, 200))).toEqual([]);
  });

  it("are not told where none is nothing special", () => {
    const random = randomOf(77);
    const rare = Array.from({ length: 400 }, () => (random() < 0.4 ? 1 : 0));
    expect(dataGapsOf(rare)).toEqual([]);
  });
});

describe("parts of a change", () => {
  it("names the fewest that account for most", () => {
    const segments = [
      { name: "North", before: 100, after: 40 },
      { name: "South", before: 100, after: 98 },
      { name: "East", before: 100, after: 101 },
      { name: "West", before: 100, after: 95 },
    ];
    expect(driversOf(segments)).toMatchObject({ leading: [{ name: "North" }] });
    expect(driversOf(segments.map((each) => ({ ...each, after: each.before - 10 })))).toBeUndefined();
  });

  it("takes an average apart into mix and rate, which add up", () => {
    const parts = mixAndRate([
      { name: "a", before: 10, after: 10, weightBefore: 90, weightAfter: 50 },
      { name: "b", before: 50, after: 52, weightBefore: 10, weightAfter: 50 },
    ]);
    expect(parts.mix).toBeCloseTo(16);
    expect(parts.mix + parts.rate).toBeCloseTo(31 - 14);
  });

  it("tells how much a few have", () => {
    const values = [500, 300, 20, 20, 20, 20, 20, 20, 20, 20];
    expect(concentrationOf(values)).toMatchObject({ leading: 2, share: 800 / 960 });
    expect(concentrationOf([1, 2])).toBeUndefined();
    expect(concentrationOf([5, -3, 2])).toBeUndefined();
  });
});

describe("the words of a finding", () => {
  it("name the field of a part only where its value says too little", () => {
    const field = { name: "sales_channel" };
    expect(["Cargo Lite", "7", "no", "A1", "–"].map((value) => partOf(field, value))).toEqual([
      "Cargo Lite",
      "sales channel 7",
      "sales channel no",
      "sales channel A1",
      "no sales channel",
    ]);
    expect(["revenue for north", "average pH", "pH", "Test rides"].map(beginning)).toEqual([
      "Revenue for north",
      "Average pH",
      "pH",
      "Test rides",
    ]);
  });

  it("tell a share only of what it can be a share of", () => {
    expect(relativeChange(100, 20)).toBe(-0.8);
    expect(relativeChange(-10, -15)).toBe(-0.5);
    expect(relativeChange(10, 0)).toBe(-1);
    for (const [before, after] of [
      [-0.252, 0.77],
      [0, 5],
      [0.2, 22],
      [5, -5],
    ] as const)
      expect(relativeChange(before, after)).toBeUndefined();
  });

  it("take nobody for a total who is only called like one", () => {
    expect(["Total", "all", "Total Energies", "Allen"].map(isTotal)).toEqual([true, true, false, false]);
    expect(["All disasters", "Total Energies", "Allen"].map(mayBeTotal)).toEqual([true, true, false]);
  });
});

describe("series that go together", () => {
  it("are told by their steps: two trends do not", () => {
    const random = randomOf(5);
    const [a, b] = [noise(random, 60, 0), noise(random, 60, 0)];
    expect(
      significantCorrelation(
        a,
        a.map((value, i) => 3 * value + 0.3 * (b[i] ?? 0)),
      ),
    ).toMatchObject({ n: 59 });
    const rising = (values: number[]) => values.map((value, i) => value + i);
    expect(significantCorrelation(rising(a), rising(b))).toBeUndefined();
  });
});
