import { describe, expect, it } from "vitest";
import { visibleCafe } from "../../../../test/support/cafe-tables.ts";
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";
import { readPeriods, readValues } from "./read-values.ts";

const shops = visibleCafe().datasets.find(({ name }) => name === "shops") as ReturnType<
  typeof visibleCafe
>["datasets"][number];
const answer = (rows: [number, string][], isTruncated = false) => ({
  columns: [],
  rows,
  isTruncated,
  isTooLarge: false,
});

describe("values of a dataset", () => {
  it("are read by one statement, for the text dimensions alone", async () => {
    const asked: string[] = [];
    const values = await readValues(shops, async (sql) => {
      asked.push(sql);
      return answer([
        [1, "Bern"],
        [0, "Aroma"],
        [1, "Rome"],
      ]);
    });
    expect(values).toEqual([
      { ds: "shops", field: "shop_name", values: ["Aroma"], isCut: false },
      { ds: "shops", field: "city", values: ["Bern", "Rome"], isCut: false },
    ]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).not.toContain("seats");
  });

  it("are any texts where the author names no dimension", async () => {
    const fields = shops.fields.map((field) => ({ ...field, isTime: null }));
    const values = await readValues({ ...shops, fields }, async () => answer([]));
    expect(values.map(({ field }) => field)).toEqual(["shop_name", "city"]);
  });

  it("are read one by one where they do not fit into one answer, and are bounded", async () => {
    const many = Array.from({ length: LIMITS.agent.valuesPerField + 1 }, (_, i): [number, string] => [
      0,
      `v${i}`,
    ]);
    let asked = 0;
    const values = await readValues(shops, async () => {
      asked += 1;
      return asked === 1 ? answer(many, true) : answer(many);
    });
    expect(asked).toBe(3);
    expect(values.map(({ values, isCut }) => [values.length, isCut])).toEqual([
      [LIMITS.agent.valuesPerField, true],
      [LIMITS.agent.valuesPerField, true],
    ]);
  });

  it("of very many fields are read by few statements, each of which names the dataset once", async () => {
    const text = shops.fields.find(({ name }) => name === "city") as (typeof shops.fields)[number];
    const fields = Array.from({ length: 900 }, (_, i) => ({ ...text, name: `c${i}` }));
    const asked: { sql: string; rows: number }[] = [];
    const values = await readValues({ ...shops, fields }, async (sql, rows) => {
      asked.push({ sql, rows });
      return answer([[1, "Bern"]]);
    });
    expect(asked.length).toBeLessThan(10);
    expect(asked.every(({ sql }) => sql.split('"shops"').length === 2)).toBe(true);
    expect(asked.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(2 * LIMITS.agent.values);
    expect(values).toHaveLength(900);
    expect(values[1]).toEqual({ ds: "shops", field: "c1", values: ["Bern"], isCut: false });
  });

  it("are none where reading them takes too long; other failures are told", async () => {
    const failing = (code: "timeout" | "unavailable") =>
      readValues(shops, () => Promise.reject(new AppError(code, "no")));
    expect(await failing("timeout")).toEqual([
      { ds: "shops", field: "shop_name", values: [], isCut: true },
      { ds: "shops", field: "city", values: [], isCut: true },
    ]);
    await expect(failing("unavailable")).rejects.toThrow("no");
  });
});

describe("the days of a dataset", () => {
  const visits = {
    ...shops,
    fields: ["opened_on", "month", "year"].map((name) => ({
      ...(shops.fields[0] as (typeof shops.fields)[number]),
      name,
      type: "DATE",
      isTime: true,
    })),
  };

  it("are those between its first and last dates, for each field of them, in one statement", async () => {
    const asked: string[] = [];
    const days = ["2024-02-03", "2025-03-10", false, false];
    const months = ["2024-02-01", "2025-03-01", true, false];
    const years = ["2024-01-01", "2025-01-01", true, true];
    const periods = await readPeriods(visits, async (sql) => {
      asked.push(sql);
      return { ...answer([]), rows: [[...days, ...months, ...years]] };
    });
    expect(asked).toHaveLength(1);
    expect(periods).toEqual([
      { ds: "shops", field: "opened_on", first: "2024-02-03", last: "2025-03-10" },
      { ds: "shops", field: "month", first: "2024-02-01", last: "2025-03-31" },
      { ds: "shops", field: "year", first: "2024-01-01", last: "2025-12-31" },
    ]);
  });

  it("are none without rows or dates, and where looking takes too long", async () => {
    const nobody = () => Promise.reject(new Error("nobody should ask"));
    expect(await readPeriods(shops, nobody)).toEqual([]);
    const empty = Array.from({ length: 12 }, () => null);
    expect(await readPeriods(visits, async () => ({ ...answer([]), rows: [empty] }))).toEqual([]);
    expect(await readPeriods(visits, () => Promise.reject(new AppError("timeout", "no")))).toEqual([]);
  });
});
