import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { type Analysis, analyse } from "../src/domains/bi/insights/analyse.ts";
import { dataGapsOf } from "../src/domains/bi/insights/data-gaps.ts";
import { discoveries } from "../src/domains/bi/insights/statistics.ts";
import type { Grain } from "../src/domains/bi/shapes.ts";
import { noise, randomOf } from "../test/support/made-series.ts";
import { print } from "./data/report.ts";

/**
 * How often insights are told of noise, and how often planted effects are found, on series that nobody has seen: the
 * seed is another one each time, and is printed so that a run can be made again.
 */
const { values: given } = parseArgs({
  options: { seed: { type: "string" }, runs: { type: "string", default: "400" } },
});
const seed = Number(given.seed ?? randomInt(1, 2 ** 31));
const RUNS = Number(given.runs);
const random = randomOf(seed);

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

type Plant = (value: number, i: number, n: number) => number;

function share(
  length: number,
  plant: Plant,
  isFound: (kinds: string[]) => boolean,
  { runs = RUNS, phi = 0.5, grain = "day" as Grain } = {},
): string {
  let found = 0;
  for (let run = 0; run < runs; run += 1) {
    const values = noise(random, length, phi).map((value, i) => plant(value, i, length) + 100);
    if (isFound(told(analyse(values, grain)))) found += 1;
  }
  return `${((100 * found) / runs).toFixed(1)}%`;
}

const plain: Plant = (value) => value;
const any = (kinds: string[]) => kinds.length > 0;
const has = (kind: string) => (kinds: string[]) => kinds.includes(kind);
const LENGTHS = [24, 52, 104, 365];
const row = (name: string, of: (length: number) => string) => [name, ...LENGTHS.map(of)];
const runsOf = (length: number) => (length > 200 ? Math.ceil(RUNS / 4) : RUNS);

print(`Insights, seed ${seed}, ${RUNS} series each (a quarter of 365 points)`, [
  ["autocorrelation .5 unless said otherwise", ...LENGTHS.map((length) => `${length} points`)],
  row("noise: something is told", (n) => share(n, plain, any, { runs: runsOf(n) })),
  row("noise without autocorrelation", (n) => share(n, plain, any, { runs: runsOf(n), phi: 0 })),
  row("a step of 3 sd is found", (n) =>
    share(n, (value, i, all) => value + (i >= all * 0.6 ? 3 : 0), has("change"), { runs: runsOf(n) }),
  ),
  row("a trend of 8 sd is found", (n) =>
    share(n, (value, i, all) => value + (8 * i) / all, has("trend"), { runs: runsOf(n) }),
  ),
  row("a wild value of 6 sd is found", (n) =>
    share(n, (value, i, all) => (i === Math.floor(all * 0.4) ? value + 6 : value), has("outlier"), {
      runs: runsOf(n),
    }),
  ),
  row("noise by the week: something is told", (n) =>
    share(n, plain, any, { runs: runsOf(n), grain: "week" }),
  ),
]);

/** Counts by chance, fewer on Sundays, more in summer. */
function counts(mean: number): number[] {
  return Array.from({ length: 400 }, (_, i) => {
    const rate = mean * (i % 7 === 6 ? 0.6 : 1) * (1 + 0.5 * Math.cos((2 * Math.PI * i) / 365));
    let count = 0;
    for (let rest = Math.exp(-rate), p = random(); p > rest; p *= random()) count += 1;
    return count;
  });
}

const MEANS = [2, 5, 10, 20, 40];
const silent = (days: number) => (mean: number) => {
  let found = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const all = counts(mean).map((count, i) => (i >= 100 && i < 100 + days ? 0 : count));
    const told = dataGapsOf(all);
    if (days === 0 ? told.length > 0 : told.some(({ from, to }) => from <= 100 && to >= 100 + days))
      found += 1;
  }
  return `${((100 * found) / RUNS).toFixed(1)}%`;
};
print("Parts that fall silent, 400 days each", [
  ["rows a day, on average", ...MEANS.map(String)],
  ["no silence was planted: one is told", ...MEANS.map(silent(0))],
  ...[1, 2, 3].map((days) => [`${days} silent days are found`, ...MEANS.map(silent(days))]),
]);
