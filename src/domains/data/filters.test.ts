import { beforeAll, describe, expect, it } from "vitest";
import { NOW, TestTable } from "../../../test/support/c9ql-table.ts";
import { compile, parse, print } from "./c9ql/index.ts";
import { type Filter, filtersToQuery } from "./row-query.ts";

const filtersToC9ql = (filters: readonly Filter[]) => print(filtersToQuery(filters));

describe("filters of a widget", () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await TestTable.open();
  });

  it.each<[filter: Filter, c9ql: string, found: number[]]>([
    [{ field: "Region", operator: "=", value: "West" }, "`Region` = 'West'", [1, 3]],
    [{ field: "Region", operator: "!=", value: "West" }, "`Region` != 'West'", [2, 4]],
    [{ field: "Sent", operator: ">", value: 50 }, "`Sent` > 50", [1, 2]],
    [{ field: "Sent", operator: "<", value: "50" }, "`Sent` < '50'", [4]],
    [{ field: "Sent", operator: ">=", value: 100 }, "`Sent` >= 100", [1, 2]],
    [{ field: "Sent", operator: "<=", value: -1 }, "`Sent` <= -1", []],
    [{ field: "message type", operator: "LIKE", value: "promo" }, "`message type` like 'promo'", [2, 3]],
    [{ field: "Region", operator: "in", value: ["West", "East"] }, "`Region` in ('West', 'East')", [1, 2, 3]],
    [{ field: "Region", operator: "in", value: "West, North" }, "`Region` in ('West', 'North')", [1, 3, 4]],
    [{ field: "Sent", operator: "between", value: [50, 100] }, "`Sent` between 50 and 100", [1, 3]],
    [
      { field: "Date", operator: "between", value: "2024-02-01, 2024-03-05" },
      "`Date` between '2024-02-01' and '2024-03-05'",
      [2, 3],
    ],
    [{ field: "Date", operator: ">=", value: "$c9_thismonth" }, "`Date` >= $c9_thismonth", [3, 4]],
    [{ field: "Opened", operator: "=", value: null }, "`Opened` = null", [3]],
    [{ field: "Active", operator: "=", value: true }, "`Active` = true", [1, 4]],
    [{ field: "Region", operator: "=", value: ["East"] }, "`Region` = 'East'", [2]],
  ])("%j", async (filter, c9ql, found) => {
    expect(filtersToC9ql([filter])).toBe(`select * where ${c9ql}`);
    const options = { columns: table.columns, source: "sales", now: NOW, timezone: "UTC" };
    const { sql, params } = compile(filtersToQuery([filter]), options);
    const { rows } = await table.sql(sql, params);
    expect(rows.map(([id]) => id).sort()).toEqual(found);
    expect(compile(parse(filtersToC9ql([filter])), options).sql).toBe(sql);
  });

  it("are all to hold", () => {
    const filters = [
      { field: "Region", operator: "=", value: "West" },
      { field: "it's", operator: ">", value: 1 },
    ];
    expect(filtersToC9ql(filters)).toBe("select * where `Region` = 'West' and `it's` > 1");
    expect(filtersToC9ql([])).toBe("select *");
  });

  it("come before a widget's own query", async () => {
    const own = parse("select sum(Sent) as total, Region group by Region");
    const filters = filtersToQuery([{ field: "Region", operator: "=", value: "West" }]);
    const query = { text: own.text, statements: [...filters.statements, ...own.statements] };
    const { sql } = compile(query, { columns: table.columns, source: "sales", now: NOW, timezone: "UTC" });
    expect((await table.sql(sql)).rows).toEqual([["150", "West"]]);
    expect(print(query)).toBe(
      "select * where `Region` = 'West';\nselect sum(Sent) as total, Region group by Region",
    );
  });

  it.each<[filter: Filter, problem: RegExp, hint: RegExp]>([
    [
      { field: "a", operator: "is", value: 1 },
      /Filter on "a": there is no operator "is"/,
      /Did you mean in\?/,
    ],
    [{ field: "a", operator: "~~~~", value: 1 }, /no operator/, /The operators are =, !=/],
    [{ field: "a", operator: "=", value: [1, 2] }, /takes one value/, /Use in/],
    [{ field: "a", operator: "between", value: [1] }, /takes two values/, /list/],
    [{ field: "a", operator: "between", value: [1, 2, 3] }, /takes two values/, /list/],
    [{ field: "a", operator: "=", value: Number.NaN }, /not finite/, /^$/],
  ])("%j is refused", (filter, problem, hint) => {
    const run = () => filtersToQuery([filter]);
    expect(run).toThrow(
      expect.objectContaining({ code: "bad_request", message: expect.stringMatching(problem) }),
    );
    try {
      run();
    } catch (error) {
      expect((error as { hint?: string }).hint ?? "").toMatch(hint);
    }
  });

  it("name an unknown field without pointing at a text that is not there", () => {
    const query = filtersToQuery([{ field: "Regoin", operator: "=", value: "West" }]);
    const run = () => compile(query, { columns: table.columns, source: "sales", now: NOW, timezone: "UTC" });
    expect(run).toThrow(/^C9QL: there is no field "Regoin"\.$/);
  });
});
