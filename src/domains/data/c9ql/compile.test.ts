import { beforeAll, describe, expect, it } from "vitest";
import type { AppError } from "../../../kernel/errors.ts";
import { parametersOf, parse } from "./index.ts";
import { TestTable } from "./test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await TestTable.open();
});

/** The ids of the rows that a condition leaves. */
async function ids(condition: string, options: Parameters<TestTable["values"]>[1] = {}): Promise<unknown[]> {
  return (await table.values(`select id where ${condition} order by id`, options)).map(([id]) => id);
}

describe("conditions", () => {
  it.each<[condition: string, found: number[]]>([
    ["Message Type = Transactional", [1, 4]],
    ['"message type" = "Transactional"', [1, 4]],
    ["Message Type = 'transactional'", []],
    ["Region != West", [2, 4]],
    ["Region <> West and Sent > 100", [2]],
    ["Opened > 30 or Opened is null", [1, 2, 3]],
    ["Opened = null", [3]],
    ["Opened != null", [1, 2, 4]],
    ["not Opened > 30", [4]],
    ["not (Region = West or Region = East)", [4]],
    ["Region like est", [1, 3]],
    ["Region like 'W%'", [1, 3]],
    ["Region like %st", [1, 2, 3]],
    ["Region not like west", [2, 4]],
    ["Region like 'W_st'", [1, 3]],
    ["Region like 'W\\_st'", []],
    ["Sent like 00", [1, 2]],
    ["Date like 2024-03", [3, 4]],
    ["Region like Region", [1, 2, 3, 4]],
    ["Region in (West, 'North')", [1, 3, 4]],
    ["Region not in (West, North)", [2]],
    ["Sent in (100, '300')", [1, 2]],
    ["Opened in (40, null)", [1, 3]],
    ["Opened not in (40, null)", [2, 4]],
    ["Sent in (Opened, 300)", [2, 4]],
    ["Sent in ()", []],
    ["Sent not in ()", [1, 2, 3, 4]],
    ["Sent between 50 and 100", [1, 3]],
    ["Sent not between 50 and 100", [2, 4]],
    ["Date between 2024-02-01 and '2024-03-05'", [2, 3]],
    ["Sent > Opened", [1, 2]],
    ["Active", [1, 4]],
    ["Active = yes", [1, 4]],
    ["Active = 0", [2]],
    ["Active is null", [3]],
    ["Sent * 2 >= 200", [1, 2]],
    ["Sent > 20 + 40", [1, 2]],
    ["'West' = Region", [1, 3]],
    ["case when Sent > 60 then Active else Opened is null end", [1, 3]],
  ])("%s", async (condition, found) => {
    expect(await ids(condition)).toEqual(found);
  });

  it.each<[condition: string, found: number[]]>([
    ["Sent = '100'", [1]],
    ["Sent > ' 60.5 '", [1, 2]],
    ["Customer.zip code = 10001", [2]],
    ["Customer.zip code > 20000", [1]],
    ["Date = 2024-03-05", [3]],
    ["Date = '03/05/2024'", [3]],
    ["Date = '5.3.2024'", [3]],
    ["Date >= '2024-03-05 12:00'", [4]],
    ["Created >= 2024-03-05", [3, 4]],
    ["Created = '2024-03-06 08:00'", [4]],
    ["Created = Date", []],
    ["Date <= Created", [1, 2, 3, 4]],
    ["Due = 2024-01-31", []],
    ["Due > $c9_lastmonth", [2]],
    ["date(Due) = '2024-01-31'", [1]],
    ["Due = Date", [2]],
    ["Date = $c9_today", [4]],
    ["Date = $c9_yesterday", [3]],
    ["Date >= $c9_thismonth", [3, 4]],
    ["Date >= $c9_lastmonth and Date < $c9_thismonth", [2]],
    ["Created > $c9_now-5h", [4]],
    ["Seen >= $c9_today", [1]],
    ["Seen = '2024-03-06 22:30'", [1]],
    ["date_format(Date, yyyyMMdd) = {$c9_today:yyyyMMdd}", [4]],
    ["Extra.device.os = ios", [1]],
    ["Items[0].price > 2", [2]],
    ["$c9_today = Date", [4]],
  ])("fits values to what they are compared with: %s", async (condition, found) => {
    expect(await ids(condition)).toEqual(found);
  });

  it("reads days in the zone of the query", async () => {
    // 22:30 in London is the next day in Berlin.
    expect(await ids("Seen >= 2024-03-07", { timezone: "Europe/Berlin" })).toEqual([]);
    expect(await ids("Seen >= '2024-03-06 23:30'", { timezone: "Europe/Berlin" })).toEqual([1]);
    expect(await ids("date(Seen) = 2024-03-07", { timezone: "Asia/Tokyo" })).toEqual([1]);
    const now = new Date("2024-03-06T23:30:00Z");
    expect(await ids("Date = $c9_yesterday", { timezone: "Europe/Berlin", now })).toEqual([4]);
  });
});

describe("statements", () => {
  it.each<[query: string, names: string[], rows: unknown[][]]>([
    ["select region, sent limit 1", ["Region", "Sent"], [["West", 100]]],
    [
      "select sum(Sent), Region group by Region order by Region",
      ["sum(Sent)", "Region"],
      [
        ["300", "East"],
        ["0", "North"],
        ["150", "West"],
      ],
    ],
    [
      "select sum(Sent) as Total Sent, region group by REGION order by total sent desc limit 1",
      ["Total Sent", "Region"],
      [["300", "East"]],
    ],
    [
      "select count(*), count(Opened), distinct(Region), COUNT(distinct Active)",
      ["count(*)", "count(Opened)", "distinct(Region)", "distinct(Active)"],
      [["4", "3", "3", "2"]],
    ],
    ["select distinct Region order by Region", ["Region"], [["East"], ["North"], ["West"]]],
    [
      "select distinct upper(Region) as r order by upper(Region) desc",
      ["r"],
      [["WEST"], ["NORTH"], ["EAST"]],
    ],
    ["select id, ~Region where id = 1; select id, Sent", ["id", "Sent"], [[1, 100]]],
    [
      "select id, Sent / Opened as r where id != 3 order by id",
      ["id", "r"],
      [
        [1, 2.5],
        [2, 300 / 90],
        [4, null],
      ],
    ],
    ["select *, Sent * 2 as SENT where id = 1; select Sent", ["SENT"], [[200]]],
    [
      "select upper(Region) as region, count(*) as n group by region order by n desc, region",
      ["region", "n"],
      [
        ["WEST", "2"],
        ["EAST", "1"],
        ["NORTH", "1"],
      ],
    ],
    [
      "select month(Date) as m, count(*) as n group by 1 order by 1",
      ["m", "n"],
      [
        ["1", "1"],
        ["2", "1"],
        ["3", "2"],
      ],
    ],
    ["select Sent + Opened as total where total > 100 order by total * -1", ["total"], [[390], [140]]],
    [
      "select sum(Sent) as s, Region group by Region; select max(s) as m; select m + 1 as n",
      ["n"],
      [["301"]],
    ],
    [
      "select Region, sum(Sent) as s, sum(sum(Sent)) over () as all group by Region order by Region",
      ["Region", "s", "all"],
      [
        ["East", "300", "450"],
        ["North", "0", "450"],
        ["West", "150", "450"],
      ],
    ],
    [
      "select id, max(Sent) over (partition by Region) as most order by id",
      ["id", "most"],
      [
        [1, 100],
        [2, 300],
        [3, 100],
        [4, 0],
      ],
    ],
    [
      "select Region, count(*) as n group by Region order by count(*) desc, Region desc limit 2",
      ["Region", "n"],
      [
        ["West", "2"],
        ["North", "1"],
      ],
    ],
    ["select Region order by Sent desc limit 2", ["Region"], [["East"], ["West"]]],
    ["order by Sent desc; select id", ["id"], [[2], [1], [3], [4]]],
    ["select Region; select Region as r; select r limit 0", ["r"], []],
    ["select id where Opened is null or id = 4 order by Opened", ["id"], [[4], [3]]],
    ["select id, Opened order by Opened desc limit 4; select id", ["id"], [[2], [1], [4], [3]]],
    [
      "select Customer.first, Customer.ZIP CODE as zip, Items[1].name, Extra.tags[0] where id = 1",
      ["Customer.first", "zip", "Items[1].name", "Extra.tags[0]"],
      [["Ann", "94016", "ink", "a"]],
    ],
    ["select Customer.first where id = 1; select customer.first", ["Customer.first"], [["Ann"]]],
    ["select split(Message Type, 'o')[1] as s where id = 2", ["s"], [["m"]]],
    [
      "select expand(Items); select id, name, price order by price",
      ["id", "name", "price"],
      [
        [1, "pen", "1.5"],
        [2, "pad", "3.0"],
        [1, "ink", "4.0"],
      ],
    ],
    ["select *, expand(Items) where Region = East; select name", ["name"], [["pad"]]],
    [
      "select id, Items as i; select expand(i) order by price desc limit 1",
      ["id", "name", "price"],
      [[1, "ink", "4.0"]],
    ],
    [
      "select id, Customer where id < 3; select expand(Customer)",
      ["id", "first", "zip code"],
      [
        [1, "Ann", "94016"],
        [2, "Bob", "10001"],
      ],
    ],
    [
      "select Extra.tags as t, id; select expand(t)",
      ["t", "id"],
      [
        ['"a"', 1],
        ['"b"', 1],
      ],
    ],
    [
      "select id, Items, split('x,y,z', ',') as parts where id = 1; select expand_arrays(Items, parts)",
      ["id", "name", "price", "parts"],
      [
        [1, "pen", "1.5", "x"],
        [1, "ink", "4.0", "y"],
        [1, null, null, "z"],
      ],
    ],
    [
      "select id, Region as name, Items where id = 2; select expand(Items)",
      ["id", "name", "Items.name", "price"],
      [[2, "East", "pad", "3.0"]],
    ],
    [
      "select array(Sent) as a, Region where Region = East group by Region",
      ["a", "Region"],
      [[[300], "East"]],
    ],
    ["select array(Active, true, true) as a; select length(a[0]) as n", ["n"], [["5"]]],
  ])("%s", async (query, names, rows) => {
    const result = await table.rows(query);
    expect({ names: result.names, rows: result.rows }).toEqual({ names, rows });
  });

  it("leaves the rows as they are when there is nothing to do", () => {
    for (const text of ["", "select *", "*; select *"])
      expect(table.compile(text).sql).toBe('SELECT * FROM "sales"');
    expect(table.compile("").columns[1]).toEqual({ name: "Region", type: "VARCHAR" });
  });

  it("is not confused by columns that are called like its own table", async () => {
    const source = `(SELECT {'a': 5} AS c9, 7 AS a)`;
    const columns = [
      { name: "c9", type: "STRUCT(a INTEGER)" },
      { name: "a", type: "INTEGER" },
    ];
    expect(await table.values("select a, c9.a as b", { source, columns })).toEqual([[7, 5]]);
  });

  it("does not let an alias hide a column of the same name", async () => {
    expect(await table.values("select Sent as Opened, Opened as Sent where Opened = 40")).toEqual([
      [100, 40],
    ]);
  });

  it("reads maps, whose keys are data", async () => {
    const source = `(SELECT MAP {'x y': 1, 'z': 2} AS m)`;
    const columns = [{ name: "m", type: "MAP(VARCHAR, INTEGER)" }];
    expect(await table.values("select m.x y, m.w", { source, columns })).toEqual([[1, null]]);
    expect(await table.values("expand(m)", { source, columns })).toEqual([
      ["x y", 1],
      ["z", 2],
    ]);
  });
});

describe("functions", () => {
  const value = async (expression: string) =>
    (await table.values(`select ${expression} as v where id = 1`))[0]?.[0];

  it.each<[expression: string, value: unknown]>([
    ["abs(-3)", 3],
    ["acos(2)", null],
    ["asin(1)", Math.PI / 2],
    ["atan(1)", Math.PI / 4],
    ["round(cbrt(27), 9)", 3],
    ["ceil(1.2)", "2"],
    ["cos(0)", 1],
    ["cosh(0)", 1],
    ["floor(-1.2)", "-2"],
    ["sin(0)", 0],
    ["sqrt(16)", 4],
    ["sqrt(-1)", null],
    ["tan(0)", 0],
    ["round(2.567, 1)", "2.6"],
    ["round(Sent / 7)", 14],
    ["2 ^ 3 ^ 2", 512],
    ["-2 ^ 2", -4],
    ["7 % 4", 3],
    ["7 % 0", null],
    ["1 / 0", null],
    ["7 / 2", 3.5],
    ["1 + 2 * 3 - 4", 3],
    ["'5' * 2", 10],
    ["upper('aé')", "AÉ"],
    ["lower('AÉ')", "aé"],
    ["trim('  x ')", "x"],
    ["length('aé')", "2"],
    ["substring('hello', 2, 3)", "ell"],
    ["substring('hello', 2)", "ello"],
    ["split('a,b', ',')", ["a", "b"]],
    ["regex_replace('a1b22', '[0-9]+', '#')", "a#b#"],
    ["concat(Region, '-', Sent, '-', Date)", "West-100-2024-01-05"],
    ["concat('a', null, 'b')", "ab"],
    ["ifnull(null, 5)", 5],
    ["coalesce(null, Region, 'x')", "West"],
    ["ifnull(Sent, 'none')", "100"],
    ["ifnull(null, '2024-01-01')", "2024-01-01"],
    ["ifnull(Date, '2024-01-01')", "2024-01-05"],
    ["case when Sent > 50 then 'high' else Sent end", "high"],
    ["case when Sent > 500 then 1 end", null],
    ["now()", "2024-03-06 12:30:00"],
    ["date(Created)", "2024-01-05"],
    ["str_to_date('31/Jan/2024 07:05 PM', 'dd/MMM/yyyy hh:mm a')", "2024-01-31 19:05:00"],
    ["str_to_date('never', yyyy-MM-dd)", null],
    ["date_format(Created, 'EEEE d MMMM yyyy')", "Friday 5 January 2024"],
    ["date_format(Created, dd-MMM)", "05-Jan"],
    ["date_format(Date, 'yyyy''%''MM')", "2024%01"],
    ["date_trunc(Created, month)", "2024-01-01"],
    ["date_trunc(Created, hour)", "2024-01-05 10:00:00"],
    ["date_trunc('2024-05-17', 'quarter')", "2024-04-01"],
    ["date_add(Date, 2d)", "2024-01-07"],
    ["date_add(Date, -1, 'months')", "2023-12-05"],
    ["date_add(Date, 1, quarter)", "2024-04-05"],
    ["date_add(Date, '3h')", "2024-01-05 03:00:00"],
    ["date_add(Date, 7)", "2024-01-12"],
    ["date_add('2024-01-31', '1m')", "2024-02-29"],
    ["date_delta(Date, $c9_today)", "61"],
    ["date_delta('2024-01-31', '2024-03-01', month)", "1"],
    ["date_delta($c9_today, Date, weeks)", "-8"],
    ["year(Date)", "2024"],
    ["quarter(Date)", "1"],
    ["month('12/24/2023')", "12"],
    ["week(Date)", "1"],
    ["day_of_week(Date)", "5"],
    ["hour(Created)", "10"],
    ["Date + 30", "2024-02-04"],
    ["Created - 1", "2024-01-04 10:00:00"],
    ["$c9_today - Date", "61"],
    ["Created - Date", 10 / 24],
    ["'$c9_lastquarter'", "2023-10-01"],
    ["{$c9_thisweek:EEE yyyy}", "Mon 2024"],
    ["1 = 1", true],
    ["null", null],
    ["$c9_n$(5)$ + 1", 6],
  ])("%s", async (expression, expected) => {
    expect(await value(expression)).toEqual(expected);
  });

  it.each<[expression: string, value: unknown]>([
    ["sum(Sent)", "450"],
    ["avg(Sent)", 112.5],
    ["min(Region)", "East"],
    ["max(Date)", "2024-03-06"],
    ["median(Sent)", 75],
    ["percentile(Sent, 50)", 75],
    ["percentile(Sent, 0.5)", 75],
    ["percentile(Sent, 100)", 300],
    ["round(sd(Sent), 3)", 131.498],
    ["sum(Extra.tags)", null],
    ["sum(Customer.zip code)", 104_017],
    ["sum(Active)", "2"],
    ["sum(Sent) / count(*)", 112.5],
    ["sum(Opened) / sum(Sent) * 100", (130 / 450) * 100],
  ])("%s", async (expression, expected) => {
    const [[result] = []] = await table.values(`select ${expression} as v`);
    expect(result).toEqual(expected);
  });
});

describe("parameters", () => {
  it.each<[condition: string, parameters: Record<string, never> | object, found: number[]]>([
    ["Region = $c9_region$(West)$", {}, [1, 3]],
    ["Region = '$c9_region$(West)$[Region]$'", { region: "East" }, [2]],
    ["Region = $c9_REGION$", { region: "East" }, [2]],
    ["Region in $c9_region$", { region: ["East", "North"] }, [2, 4]],
    ["Region not in ($c9_region$, 'West')", { region: ["East"] }, [4]],
    ["Region = $c9_region$", { region: ["East", "North"] }, [2, 4]],
    ["Region != $c9_region$", { region: ["East", "North"] }, [1, 3]],
    ["Region in $c9_region$", { region: [] }, []],
    ["Region like $c9_part$", { part: "ort" }, [4]],
    ["Opened = $c9_x$", { x: null }, [3]],
    ["Opened in $c9_x$", { x: [null, 40] }, [1, 3]],
    ["Sent > $c9_least$", { least: 50 }, [1, 2]],
    ["Sent > $c9_least$", { least: "50" }, [1, 2]],
    ["Active = $c9_on$", { on: true }, [1, 4]],
    ["Date between $c9_range$", { range: { from: "2024-02-01", to: "2024-03-05" } }, [2, 3]],
    ["Date between $c9_range$ and Sent > 60", { range: ["2024-02-01", "2024-03-05"] }, [2]],
    ["Date = $c9_range$", { range: { from: "2024-02-01", to: "2024-03-05" } }, [2, 3]],
    [
      "Date >= $c9_range$ and Date <= $c9_range$",
      { range: { from: "2024-02-01", to: "2024-03-05" } },
      [2, 3],
    ],
    ["Date >= $c9_from$($c9_thismonth)$", {}, [3, 4]],
    ["Date >= $c9_from$", { from: "$c9_today-1d" }, [3, 4]],
    ["Seen >= $c9_from$", { from: new Date("2024-03-06T00:00:00Z") }, [1]],
    ["Date = $c9_day$", { day: new Date("2024-03-06T00:00:00Z") }, [4]],
    ["Region = $c9_q$", { q: "'; DROP TABLE sales; --" }, []],
  ])("%s with %j", async (condition, parameters, found) => {
    expect(await ids(condition, { parameters: parameters as Record<string, string> })).toEqual(found);
  });

  it("lists what a query asks for", () => {
    const text = "where a = $c9_x$(1)$[The X]$ and b in $c9_y$ and c > $c9_X$; select d limit 1";
    expect(parametersOf(parse(text))).toEqual([{ name: "x", fallback: "1", label: "The X" }, { name: "y" }]);
  });

  it("does not take parameters from the prototype", () => {
    expect(() => table.compile("where Region = $c9_constructor$", { parameters: {} })).toThrow(
      /has no value/,
    );
  });

  it("bounds the values of a list", () => {
    const parameters = { region: Array.from({ length: 10_001 }, String) };
    const run = () => table.compile("where Region in $c9_region$", { parameters });
    expect(run).toThrow(expect.objectContaining({ code: "too_large" } satisfies Partial<AppError>));
  });
});
