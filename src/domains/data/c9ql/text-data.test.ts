import { beforeAll, describe, expect, it } from "vitest";
import { TestTable } from "../../../../test/support/c9ql-table.ts";
import { AppError } from "../../../kernel/errors.ts";
import { asQueryError } from "./index.ts";

/** Columns of texts that hold numbers and dates, as an import leaves them that could not tell. */
const TEXTS = `CREATE TABLE texts AS SELECT * FROM (VALUES
  (1, 'a', '999', '9', '31-Jan-2024', '10001', '2024-01-31', '{"n": "7"}'::JSON),
  (2, 'a', '1.5', ' 10 ', '5-Feb-2024', '10002', '2024-02-05 10:00', '{"n": 8}'::JSON),
  (3, 'b', '1,234,567', '', '', '90210', ' 3/1/2024', '{"n": null}'::JSON),
  (4, 'b', NULL, NULL, NULL, NULL, '15.3.2024', '{}'::JSON),
  (5, 'c', 'nan', '-3', '1 March 2024', '', 'soon', '{"n": "x"}'::JSON)
) AS t(id, k, "Revenue", "Count", "Day", "Zip", "Mixed", "Doc")`;

let table: TestTable;
beforeAll(async () => {
  table = await TestTable.open(TEXTS, "texts");
});

const run = (text: string) => table.values(text, { source: "texts" });
const ids = async (condition: string) =>
  (await run(`select id where ${condition} order by id`)).map(([id]) => id);

describe("numbers in texts", () => {
  it.each<[select: string, value: unknown]>([
    ["sum(Count)", 16],
    ["avg(Count)", 16 / 3],
    ["median(Count)", 9],
    ["sum(Revenue) where k = a", 1000.5],
    ["sum(Revenue * 2) where k = a", 2001],
    ["sum(number(Revenue, null))", 1000.5],
    ["sum(number(Revenue, 0))", 1000.5],
    ["count(number(Revenue, null))", "2"],
    ["count(number(Revenue, 0))", "4"],
    ["sum(regex_replace(Revenue, ',', '')) where Revenue != nan", 1_235_567.5],
    ["max(number(Count))", 10],
    ["min(number(Count))", -3],
    ["max(Zip)", "90210"],
    ["min(Zip) where Zip != ''", "10001"],
    ["max(k)", "c"],
    ["max(Day)", "5-Feb-2024"],
    ["max(Revenue) where id = 2", "1.5"],
    ["sum(Doc.n) where id < 5", 15],
  ])("select %s", async (select, value) => {
    const [items, where] = select.split(" where ");
    const rows = await run(`select ${items} as v ${where === undefined ? "" : `where ${where}`}`);
    expect(rows).toEqual([[value]]);
  });

  it("are compared as numbers by order, and as texts by equality", async () => {
    expect(await ids("Count > 5")).toEqual([1, 2]);
    expect(await ids("Count between -5 and 9")).toEqual([1, 5]);
    expect(await ids("Count < id * 3")).toEqual([5]);
    expect(await ids("Count = 9 or Count in (10)")).toEqual([1]);
    expect(await ids("Revenue = 1.5")).toEqual([2]);
    // Rows that another condition leaves out are not looked at.
    expect(await ids("Revenue > 1 and k = a")).toEqual([1, 2]);
    expect(await ids("Revenue > 1 and Revenue not like ',' and Revenue not like n")).toEqual([1, 2]);
  });
});

describe("dates in texts", () => {
  it.each<[condition: string, found: number[]]>([
    ["Day >= 2024-02-01", [2, 5]],
    ["'2024-02-01' <= Day", [2, 5]],
    ["Day = 2/5/2024", [2]],
    ["Day = '31 Jan 2024'", [1]],
    ["Day != 2024-01-31", [2, 5]],
    ["Day in (2024-01-31, '1 March 2024')", [1, 5]],
    ["Day in ('31-Jan-2024', soon, '2024-02-05')", [1]],
    ["Day between 2024-02-01 and 2024-02-29", [2]],
    ["Day < $c9_thismonth", [1, 2]],
    ["month(Day) = 2", [2]],
    ["Mixed >= 2024-02-05 and Mixed != soon", [2, 3, 4]],
    ["Mixed = soon", [5]],
    ["Mixed = '20240131'", []],
    ["str_to_date(Mixed, yyyy-MM-dd) >= 2024-01-01", [1]],
  ])("%s", async (condition, found) => {
    expect(await ids(condition)).toEqual(found);
  });
});

it("reads the same in grouping, ordering and windows", async () => {
  expect(
    await run("select month(Day) as m, count(*) as n where Day != '' group by m order by m desc"),
  ).toEqual([
    ["3", "1"],
    ["2", "1"],
    ["1", "1"],
  ]);
  expect(await run("select id where Day != '' order by date(Day) desc")).toEqual([[5], [2], [1]]);
  expect(await run("select distinct number(Count) as c order by c; select sum(c) as s")).toEqual([[16]]);
  expect(await run("select id, max(Zip) over (partition by k) as z where id < 3 order by id")).toEqual([
    [1, "10002"],
    [2, "10002"],
  ]);
});

describe("what cannot be read", () => {
  it.each<[query: string, message: RegExp]>([
    ["select sum(Revenue)", /Revenue has texts that are not numbers, such as "(1,234,567|nan)"/],
    ["select k, avg(Revenue) group by k", /number\(Revenue, null\)/],
    ["select median(Revenue) where k = b", /"1,234,567"/],
    ["select sd(Revenue), percentile(Revenue, 90) where k = c", /"nan"/],
    ["select sum(Revenue) over (partition by k) as s", /Revenue has texts/],
    ["select Revenue / 2 as h where id = 3", /Revenue has texts/],
    ["select number(Revenue) as n", /Revenue has texts/],
    ["where Revenue > 1000", /Revenue has texts/],
    ["where Revenue < id", /Revenue has texts/],
    ["select sum(Doc.n)", /Doc\.n has texts that are not numbers, such as "x"/],
    [
      "select max(Revenue) where k = a",
      /Revenue is a text column that holds numbers.*max\(number\(Revenue\)\)/,
    ],
    ["select min(Count)", /min\(number\(Count\)\)/],
    ["select k, max(Count) over () as top", /max\(number\(Count\)\)/],
    ["where Mixed >= 2024-02-01", /Mixed has texts that are not understood as dates, such as "soon"/],
    ["where Mixed = 2024-02-01", /str_to_date\(Mixed, /],
    ["where Mixed in (2024-02-01)", /"soon"/],
    ["select month(Mixed) as m", /"soon"/],
  ])("fails the query: %s", async (query, message) => {
    const failure = await run(query).catch((error: Error) => error);
    const engine = new AppError("bad_request", (failure as Error).message);
    const error = asQueryError(engine) as AppError;
    expect(error.message).toMatch(/^C9QL: /);
    expect(error.message).toMatch(message);
  });

  it("shows a part of a long text only, whatever is in it", async () => {
    const sql = `CREATE TABLE odd AS SELECT concat('it''s "', repeat('x', 1000)) AS "a'b"`;
    const odd = await TestTable.open(sql, "odd");
    const failure = await odd.values("select sum(`a'b`)", { source: "odd" }).catch((error: Error) => error);
    expect((failure as Error).message).toMatch(
      /`a'b` has texts that are not numbers, such as "it's "x{34}"\./,
    );
  });
});
