import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cafeSchema, openCafeTables } from "../../../../test/support/cafe-tables.ts";
import { CAFE_ROWS, MONTH, REVENUE } from "../../../../test/support/questions.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Cond, Grain, Key, Num, Scope, Window } from "../query/semantic-query.ts";
import { bucketStart } from "./columns.ts";
import { compile } from "./compile.ts";
import { type Series, startsOf } from "./series.ts";

/** Visits on five days from 5 January to 3 March, of 58 in all. */
const schema: Schema = {
  ...cafeSchema(),
  periods: [{ ds: "visits", field: "visited_on", first: "2025-01-05", last: "2025-03-03" }],
};
let tables: Awaited<ReturnType<typeof openCafeTables>>;
beforeAll(async () => {
  tables = await openCafeTables();
  await tables.fill(CAFE_ROWS);
});
afterAll(() => tables.close());

const DATE: Key = { ds: "visits", field: "visited_on" };
const DAY: Key = { ...DATE, bucket: "day" };
const WEEKDAY: Key = { ...DATE, part: "weekday" };
const FEBRUARY: Window = { from: "2025-02-01", to: "2025-03-01", said: "February" };
const VISITS: Num = { k: "metric", name: "visit_count" };
const COFFEE: Cond = {
  k: "is",
  key: { ds: "items", field: "product" },
  values: ["Coffee"],
  match: "equal",
};
const on = (...values: string[]): Cond => ({ k: "is", key: WEEKDAY, values, match: "equal" });
const average = (of: Num, per: Key, scope: Scope = {}): Num => ({
  k: "each",
  fn: "avg",
  of,
  per: [per],
  scope,
});
const visitsIn = (win: Window): Num => ({
  k: "agg",
  fn: "count",
  in: { k: "where", in: { k: "all", ds: "visits" }, if: { k: "during", win } },
});

function asked(cols: Num[], more: Partial<Extract<Ask, { k: "table" }>> = {}) {
  const { sql, used } = compile(schema, { k: "table", by: [], cols, ...more });
  return { rows: tables.query(sql), averages: used.averages };
}

describe("an average by periods", () => {
  it.each<[string, Num, number, number | undefined]>([
    ["is of all days from the first to the last of the data", average(VISITS, DAY), 5 / 58, 58],
    ["is of all days of a period", average(VISITS, DAY, { win: FEBRUARY }), 2 / 28, 28],
    ["is of all months in which there was none of it", average(REVENUE, MONTH, { if: COFFEE }), 21 / 3, 3],
    [
      "of those that were counted in a period is of the days of that",
      average(visitsIn(FEBRUARY), DAY),
      2 / 28,
      28,
    ],
    ["of some days of the week is of these", average(VISITS, DAY, { if: on("Monday") }), 3 / 9, 9],
    [
      "of all but some is of the others",
      average(VISITS, DAY, { if: { k: "not", of: on("Monday") } }),
      2 / 49,
      49,
    ],
    ["of months has a Monday in each", average(VISITS, MONTH, { if: on("Monday") }), 1, 3],
    [
      "of days on which it can not be told is of those that have any",
      average(VISITS, DAY, { if: { k: "or", of: [on("Monday"), { k: "during", win: FEBRUARY }] } }),
      1,
      undefined,
    ],
    [
      "of what is no sum leaves out where there was none",
      average({ k: "metric", name: "average_tip" }, DAY),
      7 / 3,
      undefined,
    ],
  ])("%s", async (_title, num, value, count) => {
    const { rows, averages } = asked([num]);
    expect((await rows)[0]?.[0]).toBeCloseTo(value);
    const series = averages[0]?.series;
    expect(series && startsOf(schema, series).length).toBe(count);
  });

  it("is of the same ones for every group, and of its own where groups are of time", async () => {
    const byShop = asked([average(VISITS, MONTH)], { by: [{ ds: "shops", field: "city" }] });
    expect(await byShop.rows).toEqual([
      ["Bern", 2 / 3],
      ["Bonn", 1 / 3],
      ["Oslo", 1 / 3],
      ["Rome", 1 / 3],
    ]);
    const byMonth = asked([average(VISITS, DAY)], { by: [MONTH] });
    expect((await byMonth.rows).map(([, value]) => value)).toEqual([2 / 27, 2 / 28, 1 / 3]);
  });
});

describe("periods without rows", () => {
  it("are 0 for sums and counts and nothing for averages, of an earlier one unless that was before the data", async () => {
    const cols: Num[] = [
      VISITS,
      { k: "metric", name: "average_tip" },
      { k: "lag", of: REVENUE, n: 1, grain: "month" },
    ];
    const guest: Cond = { k: "is", key: { ds: "guests", field: "guest_id" }, values: [2], match: "equal" };
    const { rows } = asked(cols, { by: [MONTH], fill: true, scope: { if: guest } });
    expect(await rows).toEqual([
      ["2025-01-01", 1, null, null],
      ["2025-02-01", 0, null, 3],
      ["2025-03-01", 1, 4, 0],
    ]);
  });

  it("are left out where there would be thousands", async () => {
    const far = { ...schema, periods: [{ ...DATE, first: "0001-01-01", last: "2025-03-03" }] };
    const { sql } = compile(far, { k: "table", by: [MONTH], cols: [VISITS], fill: true });
    expect(await tables.query(sql)).toHaveLength(3);
  });

  it("begin where the engine says that they do", async () => {
    const ends = { first: "2024-12-29", last: "2025-04-07", parts: [] };
    for (const weekStart of ["monday", "sunday", "saturday"] as const)
      for (const grain of ["day", "week", "month", "quarter", "year"] satisfies Grain[])
        for (const fiscal of [true, false]) {
          const calendar: Schema = { ...schema, fiscalMonth: 4, weekStart };
          const series: Series = { ...ends, key: { ...DATE, bucket: grain, fiscal } };
          const start = bucketStart(calendar, "day", { grain, isFiscal: fiscal });
          const days = `SELECT unnest(generate_series(DATE '${ends.first}', DATE '${ends.last}', INTERVAL 1 DAY)) AS day`;
          const found = await tables.query(
            `SELECT DISTINCT CAST(${start} AS DATE) AS s FROM (${days}) ORDER BY s`,
          );
          expect(startsOf(calendar, series)).toEqual(found.map(([day]) => day));
        }
  });
});
