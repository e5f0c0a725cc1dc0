import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cafeSchema, openCafeTables, visibleCafe } from "../../../../test/support/cafe-tables.ts";
import { CAFE_ROWS, MONTH, REGION, REVENUE, SHOP, YEAR } from "../../../../test/support/questions.ts";
import { isAggregate } from "../../models/guard/functions/index.ts";
import { schemaOf } from "../query/schema.ts";
import type { Ask, Cond, Hop, Key, Num, Rel, Scope } from "../query/semantic-query.ts";
import { compile } from "./compile.ts";
import { CompileError } from "./paths.ts";

const schema = cafeSchema();
let tables: Awaited<ReturnType<typeof openCafeTables>>;

beforeAll(async () => {
  tables = await openCafeTables();
  await tables.fill(CAFE_ROWS);
});
afterAll(() => tables.close());

const rowsOf = (ask: Ask, over = schema) => tables.query(compile(over, ask).sql);

const CITY: Key = { ds: "shops", field: "city" };
const NAME: Key = { ds: "guests", field: "guest_name" };
const PRODUCT: Key = { ds: "items", field: "product" };
const metric = (name: string, scope = {}): Num => ({ k: "metric", name, scope });
const guests: Rel = { k: "all", ds: "guests" };
const shops: Rel = { k: "all", ds: "shops" };
const visitsOf: Hop[] = [{ link: "visits_guests", dir: "many" }];
const is = (key: Key, ...values: string[]): Cond => ({ k: "is", key, values, match: "equal" });
const guestsWho = (cond: Cond): Ask => ({
  k: "list",
  rel: { k: "where", in: guests, if: cond },
  show: [NAME],
});
const shopsWho = (cond: Cond): Ask => ({ k: "list", rel: { k: "where", in: shops, if: cond }, show: [SHOP] });
const seats = (op: "<" | ">" | "=", v: number): Cond => ({
  k: "cmp",
  a: { ds: "shops", field: "seats" },
  op,
  b: { k: "lit", v },
});
const JANUARY = { ...YEAR, to: "2025-02-01" };
const per = (key: Key): Num => ({ k: "calc", op: "/", a: REVENUE, b: { k: "field", key } });
const table = (by: Key[], cols: Num[], more: object = {}): Ask => ({ k: "table", by, cols, ...more });

const GOLD: readonly (readonly [title: string, ask: Ask, rows: unknown[][]])[] = [
  [
    "all",
    { k: "list", rel: guests, show: [NAME], order: [{ by: NAME, dir: "asc" }] },
    [["Ada"], ["Bob"], ["Cleo"]],
  ],
  [
    "limit and order",
    { k: "list", rel: guests, show: [NAME], order: [{ by: NAME, dir: "desc" }], limit: 1 },
    [["Cleo"]],
  ],
  ["is", shopsWho(is(CITY, "Bern", "Oslo")), [["Aroma"], ["Crema"]]],
  ["is, across a relationship", shopsWho(is(REGION, "South")), [["Bean"]]],
  [
    "contains",
    shopsWho({ k: "is", key: CITY, values: ["O"], match: "contains" }),
    [["Bean"], ["Crema"], ["Drip"]],
  ],
  ["no values", shopsWho({ k: "is", key: CITY, values: [], match: "equal" }), []],
  ["null", shopsWho({ k: "null", key: { ds: "shops", field: "region_id" } }), [["Drip"]]],
  [
    "not: what is unknown is not the case",
    shopsWho({ k: "not", of: is(REGION, "North") }),
    [["Bean"], ["Drip"]],
  ],
  ["and", shopsWho({ k: "and", of: [seats(">", 15), seats("<", 35)] }), [["Aroma"], ["Bean"]]],
  ["or", shopsWho({ k: "or", of: [seats("<", 15), seats(">", 35)] }), [["Crema"], ["Drip"]]],
  [
    "during",
    {
      k: "list",
      rel: {
        k: "where",
        in: { k: "all", ds: "visits" },
        if: { k: "during", win: { ...YEAR, to: "2025-02-01" } },
      },
      show: [{ ds: "visits", field: "visit_id" }],
    },
    [[1], [2]],
  ],
  [
    "link",
    guestsWho({ k: "link", at: "guests", path: visitsOf, to: { k: "all", ds: "visits" } }),
    [["Ada"], ["Bob"]],
  ],
  [
    "no link",
    guestsWho({ k: "not", of: { k: "link", at: "guests", path: visitsOf, to: { k: "all", ds: "visits" } } }),
    [["Cleo"]],
  ],
  [
    "link with a count, over two steps",
    guestsWho({
      k: "link",
      at: "guests",
      path: [...visitsOf, { link: "visits_shops", dir: "one" }],
      to: { k: "where", in: shops, if: seats(">", 10) },
      count: { op: ">=", n: 2 },
    }),
    [["Ada"], ["Bob"]],
  ],
  [
    "link without a path",
    shopsWho({
      k: "link",
      at: "shops",
      path: [],
      to: { k: "top", in: shops, by: { ds: "shops", field: "seats" }, dir: "max", n: 1, ties: "keep" },
    }),
    [["Drip"]],
  ],
  [
    "via",
    {
      k: "list",
      rel: {
        k: "via",
        from: { k: "where", in: guests, if: is(NAME, "Ada") },
        path: [...visitsOf, { link: "visits_shops", dir: "one" }],
      },
      show: [SHOP],
    },
    [["Aroma"], ["Bean"]],
  ],
  [
    "top by a field",
    {
      k: "list",
      rel: { k: "top", in: shops, by: { ds: "shops", field: "seats" }, dir: "min", n: 2, ties: "keep" },
      show: [SHOP],
    },
    [["Aroma"], ["Crema"]],
  ],
  [
    "top by a metric",
    { k: "list", rel: { k: "top", in: shops, by: REVENUE, dir: "max", n: 1, ties: "keep" }, show: [SHOP] },
    [["Drip"]],
  ],
  [
    "top by a count along a path, with ties",
    {
      k: "list",
      rel: {
        k: "top",
        in: guests,
        by: { k: "agg", fn: "count", path: visitsOf },
        dir: "max",
        n: 1,
        ties: "keep",
      },
      show: [NAME],
    },
    [["Ada"], ["Bob"]],
  ],
  [
    "top of each region",
    {
      k: "list",
      rel: {
        k: "top",
        in: shops,
        by: { ds: "shops", field: "seats" },
        dir: "max",
        n: 1,
        per: [REGION],
        ties: "keep",
      },
      show: [SHOP],
    },
    [["Aroma"], ["Bean"], ["Drip"]],
  ],
  [
    "union",
    {
      k: "list",
      rel: {
        k: "set",
        op: "union",
        a: { k: "where", in: shops, if: seats("<", 15) },
        b: { k: "where", in: shops, if: seats(">", 35) },
      },
      show: [SHOP],
    },
    [["Crema"], ["Drip"]],
  ],
  [
    "minus",
    {
      k: "list",
      rel: { k: "set", op: "minus", a: shops, b: { k: "where", in: shops, if: seats(">", 15) } },
      show: [SHOP],
    },
    [["Crema"]],
  ],
  ["metric", table([], [REVENUE]), [[50]]],
  ["metric in a scope", table([], [REVENUE], { scope: { if: is(CITY, "Bern") } }), [[13]]],
  [
    "metrics of different datasets do not multiply",
    table([REGION], [REVENUE, metric("goal")]),
    [
      ["North", 25, 30],
      ["South", 5, 30],
    ],
  ],
  [
    "a ratio of two datasets",
    table([], [{ k: "calc", op: "/", a: REVENUE, b: metric("goal") }]),
    [[50 / 60]],
  ],
  [
    "a metric of two leaves",
    table([SHOP], [metric("average_ticket")]),
    [
      ["Aroma", 6.5],
      ["Bean", 5],
      ["Crema", 12],
      ["Drip", 20],
    ],
  ],
  ["count of entities", table([], [{ k: "agg", fn: "count", in: guests }]), [[3]]],
  ["distinct", table([], [{ k: "agg", fn: "distinct", of: PRODUCT }]), [[3]]],
  [
    "sum, avg, median, min, max",
    table(
      [],
      (["sum", "avg", "median", "min", "max"] as const).map(
        (fn): Num => ({ k: "agg", fn, of: { ds: "shops", field: "seats" } }),
      ),
    ),
    [[100, 25, 25, 10, 40]],
  ],
  [
    "fields of a group",
    table([SHOP], [REVENUE, { k: "field", key: { ds: "shops", field: "seats" } }], {
      scope: { if: is(CITY, "Bern") },
    }),
    [["Aroma", 13, 20]],
  ],
  ...(["in January", "by the month of January"] as const).map(
    (title, i): readonly [string, Ask, unknown[][]] => [
      `a ratio, ${title}: what is divided by is of January too`,
      table(
        i === 0 ? [SHOP] : [MONTH, SHOP],
        [per({ ds: "items", field: "quantity" }), per({ ds: "visits", field: "tip" })],
        {
          scope: { win: JANUARY },
        },
      ),
      [[...(i === 0 ? [] : ["2025-01-01"]), "Aroma", 3.25, 13]],
    ],
  ),
  [
    "a ratio of another dataset: what is divided by is of February too",
    table([], [per({ ds: "goals", field: "amount" })], {
      scope: { win: { ...YEAR, from: "2025-02-01", to: "2025-03-01" } },
    }),
    [[0.34]],
  ],
  [
    "a ratio of what is there always: in January as well",
    table([SHOP], [per({ ds: "shops", field: "seats" })], { scope: { win: JANUARY } }),
    [["Aroma", 0.65]],
  ],
  [
    "share of the whole",
    table([PRODUCT], [{ k: "calc", op: "/", a: REVENUE, b: metric("revenue", { whole: true }) }]),
    [
      ["Cake", 0.48],
      ["Coffee", 0.42],
      ["Tea", 0.1],
    ],
  ],
  ["average of groups", table([], [{ k: "each", fn: "avg", of: REVENUE, per: [SHOP] }]), [[12.5]]],
  [
    "having",
    table([SHOP], [REVENUE], {
      having: {
        k: "cmp",
        a: REVENUE,
        op: ">",
        b: { k: "each", fn: "avg", of: REVENUE, per: [SHOP], scope: { whole: true } },
      },
    }),
    [
      ["Aroma", 13],
      ["Drip", 20],
    ],
  ],
  [
    "those above the average of all",
    table(
      [],
      [
        {
          k: "agg",
          fn: "count",
          in: {
            k: "where",
            in: { k: "all", ds: "shops" },
            if: {
              k: "cmp",
              a: REVENUE,
              op: ">",
              b: { k: "each", fn: "avg", of: REVENUE, per: [SHOP], scope: { whole: true } },
            },
          },
        },
      ],
    ),
    [[2]],
  ],
  [
    "top of a table",
    table([SHOP], [REVENUE], { top: { n: 2, by: REVENUE, dir: "max", ties: "keep" } }),
    [
      ["Aroma", 13],
      ["Drip", 20],
    ],
  ],
  [
    "top of a table for each",
    table([REGION, SHOP], [REVENUE], { top: { n: 1, by: REVENUE, dir: "max", per: [REGION], ties: "keep" } }),
    [
      ["North", "Aroma", 13],
      ["South", "Bean", 5],
    ],
  ],
  [
    "by month",
    table([MONTH], [REVENUE]),
    [
      ["2025-01-01", 13],
      ["2025-02-01", 17],
      ["2025-03-01", 20],
    ],
  ],
  [
    "growth over the month before",
    table(
      [MONTH],
      [{ k: "calc", op: "growth", a: REVENUE, b: { k: "lag", of: REVENUE, n: 1, grain: "month" } }],
      { scope: { win: { from: "2025-02-01", to: "2025-04-01", said: "" } } },
    ),
    [
      ["2025-02-01", 4 / 13],
      ["2025-03-01", 3 / 17],
    ],
  ],
  [
    "running total",
    table([MONTH], [{ k: "running", of: REVENUE }]),
    [
      ["2025-01-01", 13],
      ["2025-02-01", 30],
      ["2025-03-01", 50],
    ],
  ],
  [
    "two windows side by side",
    table(
      [],
      [
        metric("revenue", { win: { from: "2025-02-01", to: "2025-03-01", said: "Feb" } }),
        metric("revenue", { win: { from: "2025-01-01", to: "2025-02-01", said: "Jan" } }),
      ],
    ),
    [[17, 13]],
  ],
  [
    "only",
    table(
      [],
      [
        {
          k: "calc",
          op: "-",
          a: { k: "agg", fn: "max", of: { ds: "shops", field: "seats" } },
          b: { k: "lit", v: 1 },
        },
      ],
    ),
    [[39]],
  ],
];

describe("compile", () => {
  it.each(GOLD)("%s", async (_title, ask, rows) => {
    const found = await rowsOf(ask);
    const sorted = (all: unknown[][]) => all.map((row) => JSON.stringify(row.map(rounded))).toSorted();
    expect(sorted(found)).toEqual(sorted(rows));
  });

  it("a rank by a ratio of what is there always is by what is shown, also where that has a date of its own", () => {
    const shop = schema.datasets.get("shops");
    if (shop === undefined) throw new Error("There are no shops.");
    const opened = { ...shop, date: { ds: "shops", field: "opened" } };
    const dated = { ...schema, datasets: new Map([...schema.datasets, ["shops", opened]]) };
    const ratio = per({ ds: "shops", field: "seats" });
    const top = { n: 2, by: ratio, dir: "max" as const, ties: "cut" as const };
    const { sql } = compile(dated, table([SHOP], [ratio], { scope: { win: YEAR }, top }));
    expect(sql).not.toContain("opened");
  });

  it("a metric that divides by nothing has no number", async () => {
    const nobody: Cond = { k: "is", key: CITY, values: ["Paris"], match: "equal" };
    const items = { k: "agg", fn: "count", in: { k: "all", ds: "items" } } as const;
    const ratio = { name: "per_visit", sql: "SUM(items.price) * 0 / COUNT(DISTINCT visits.visit_id)" };
    const model = visibleCafe();
    const metrics = [...model.metrics, { ...(model.metrics[0] as (typeof model.metrics)[number]), ...ratio }];
    const own = schemaOf({ ...model, metrics }, { isAggregate });
    const noVisits = { scope: { if: nobody } };
    const ask = table([], [{ k: "metric", name: "per_visit", scope: {} }, items]);
    expect(compile(own, ask).sql).toContain("nullif(n2, 0)");
    expect(await rowsOf(table([], [{ k: "metric", name: "per_visit" }], noVisits), own)).toEqual([[null]]);
  });

  it("what stands in several rows under one name is summed up and averaged once", async () => {
    const model = visibleCafe();
    const datasets = model.datasets.map((each) =>
      each.name === "items"
        ? { ...each, primaryKey: [], fields: each.fields.filter(({ name }) => name !== "visit_id") }
        : each,
    );
    const own = schemaOf({ ...model, datasets, relationships: [], metrics: [] }, { isAggregate });
    const price = (fn: "sum" | "avg" | "median"): Num => ({
      k: "agg",
      fn,
      of: { ds: "items", field: "price" },
      in: { k: "all", ds: "items" },
    });
    const count: Num = { k: "agg", fn: "count", in: { k: "all", ds: "items" } };
    const rows = await rowsOf(table([], [count, price("sum"), price("avg"), price("median")]), own);
    expect(rows).toEqual([[3, 9.5, 9.5 / 3, 3]]);
  });

  it("the first by a running total is found", async () => {
    const running: Num = { k: "running", of: REVENUE };
    const top = { n: 1, by: running, dir: "max", ties: "keep" };
    expect(await rowsOf(table([MONTH], [running], { top }))).toEqual([["2025-03-01", 50]]);
    const having: Cond = { k: "cmp", a: running, op: ">", b: { k: "lit", v: 20 } };
    const above = await rowsOf(table([MONTH], [running], { having }));
    expect(above.map(([month]) => month)).toEqual(["2025-02-01", "2025-03-01"]);
  });

  it("what comes later can be set beside what was before", async () => {
    const later: Num = { k: "lag", of: REVENUE, n: -1, grain: "month" };
    const february = { from: "2025-02-01", to: "2025-03-01", said: "February" };
    const rows = await rowsOf(table([MONTH], [REVENUE, later], { scope: { win: february } }));
    expect(rows).toEqual([["2025-02-01", 17, 20]]);
  });

  it("what was before is before by whichever date was said", async () => {
    const before: Num = { k: "lag", of: REVENUE, n: 1, grain: "month" };
    const win = { from: "2025-02-01", to: "2025-03-01", said: "February" };
    const scope: Scope = { if: { k: "during", win } };
    expect(await rowsOf(table([], [REVENUE, before], { scope }))).toEqual([[17, 13]]);
  });

  it("fiscal years begin in their month", async () => {
    const fiscal = table([{ ...MONTH, bucket: "year", fiscal: true }], [REVENUE]);
    expect(await rowsOf(fiscal, cafeSchema({ fiscalMonth: 2 }))).toEqual([
      ["2024-02-01", 13],
      ["2025-02-01", 37],
    ]);
  });

  it("tells what was read, and by which date", () => {
    const { used } = compile(schema, table([REGION], [REVENUE], { scope: { win: YEAR } }));
    expect([...used.datasets].toSorted()).toEqual(["items", "regions", "shops", "visits"]);
    expect([...used.links].map(({ name }) => name).toSorted()).toEqual([
      "items_visits",
      "shops_regions",
      "visits_shops",
    ]);
    expect(used.windows).toEqual([{ date: { ds: "visits", field: "visited_on" }, win: YEAR }]);
  });

  it.each<[string, Ask]>([
    ["an unknown field", table([{ ds: "shops", field: "colour" }], [REVENUE])],
    ["an unknown metric", table([], [metric("profit")])],
    ["what rows do not belong to", table([PRODUCT], [metric("goal")])],
    [
      "a period of what has no date",
      table([], [{ k: "agg", fn: "count", in: guests, scope: { win: YEAR } }]),
    ],
    ["a running total without periods", table([SHOP], [{ k: "running", of: REVENUE }])],
  ])("refuses %s", (_title, ask) => {
    expect(() => compile(schema, ask)).toThrow(CompileError);
  });

  it("quotes names and values that look like SQL", async () => {
    const rows = await rowsOf(shopsWho(is(CITY, "'; DROP TABLE shops; --")));
    expect(rows).toEqual([]);
    expect(await rowsOf({ k: "list", rel: shops, show: [SHOP] })).toHaveLength(4);
  });
});

function rounded(value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 1e9) / 1e9 : value;
}
