import { beforeAll, describe, expect, it } from "vitest";
import { TestTable } from "../../../../test/support/c9ql-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await TestTable.open();
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
    ["select array(Active, true, true) as a where Active = false; select length(a[0]) as n", ["n"], [["5"]]],
  ])("%s", async (query, names, rows) => {
    const result = await table.rows(query);
    expect({ names: result.names, rows: result.rows }).toEqual({ names, rows });
  });

  it("leaves the rows as they are when there is nothing to do", async () => {
    const { rows } = await table.sql("SELECT * FROM sales");
    for (const text of ["", "select *", "*; select *"]) expect(await table.values(text)).toEqual(rows);
    expect(table.compile("").columns[1]).toEqual({ name: "Region", type: "VARCHAR" });
  });

  it("does not show columns of the source that it was not told of", async () => {
    const columns = table.columns.filter(({ name }) => name === "id" || name === "Sent");
    for (const text of [
      "",
      "select *",
      "where Sent > 0",
      "*; select distinct *",
      "select *, ~id",
      "order by id; limit 1",
    ]) {
      const { sql } = table.compile(text, { columns });
      expect(sql).not.toContain("Region");
      const { names } = await table.sql(sql);
      expect(names.filter((name) => name !== "id")).toEqual(["Sent"]);
    }
    expect(() => table.compile("select Region", { columns })).toThrow(/no field "Region"/);
    expect(() => table.compile("where Region = 'West'", { columns })).toThrow(/no field "Region"/);
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
