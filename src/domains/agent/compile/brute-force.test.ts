import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BruteForce, DATES, daysIn } from "../../../../test/support/brute-force.ts";
import { type CafeRows, cafeSchema, openCafeTables } from "../../../../test/support/cafe-tables.ts";
import type { DataPeriod } from "../query/schema.ts";
import type { Ask, Cond, Key, Num, Rel, Scope } from "../query/semantic-query.ts";
import { compile } from "./compile.ts";
import { CompileError } from "./paths.ts";

/** Whatever the rows are (none, empty values, names that occur twice, parents that are missing), SQL says the same. */

const schema = cafeSchema();
let tables: Awaited<ReturnType<typeof openCafeTables>>;
beforeAll(async () => {
  tables = await openCafeTables();
});
afterAll(() => tables.close());

const name = fc.constantFrom("A", "B", "C");
const small = fc.integer({ min: 0, max: 4 });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 4 });
const day = fc.constantFrom("2025-01-05", "2025-01-20", "2025-02-10", "2025-03-03", "2025-04-01");
const parent = orNull(fc.integer({ min: 1, max: 4 }));

/** Rows with ids from 1 on. */
const rows = (id: string, shape: Record<string, fc.Arbitrary<unknown>>, most: number) =>
  fc
    .array(fc.record(shape), { maxLength: most })
    .map((all) => all.map((row, i): Record<string, unknown> => ({ [id]: i + 1, ...row })));

const data: fc.Arbitrary<CafeRows> = fc.record({
  regions: rows("region_id", { region_name: name }, 3),
  shops: rows("shop_id", { shop_name: name, city: orNull(name), seats: orNull(small), region_id: parent }, 4),
  guests: rows("guest_id", { guest_name: name, home: name }, 3),
  visits: rows(
    "visit_id",
    { shop_id: parent, guest_id: parent, visited_on: orNull(day), tip: orNull(small) },
    7,
  ),
  items: rows("item_id", { visit_id: parent, product: name, quantity: orNull(small), price: small }, 8),
  goals: rows("goal_id", { region_id: parent, month: day, amount: small }, 4),
});

const REGION: Key = { ds: "regions", field: "region_name" };
const SHOP: Key = { ds: "shops", field: "shop_name" };
const CITY: Key = { ds: "shops", field: "city" };
const HOME: Key = { ds: "guests", field: "home" };
const PRODUCT: Key = { ds: "items", field: "product" };
const MONTH: Key = { ds: "visits", field: "visited_on", bucket: "month" };
const DAY: Key = { ds: "visits", field: "visited_on", bucket: "day" };
const WEEKDAY: Key = { ds: "visits", field: "visited_on", part: "weekday" };
const SEATS: Key = { ds: "shops", field: "seats" };

const metric = fc
  .constantFrom("revenue", "visit_count", "average_ticket", "goal", "average_tip")
  .map((of): Num => ({ k: "metric", name: of }));
const REVENUE: Num = { k: "metric", name: "revenue" };

const simpleCond: fc.Arbitrary<Cond> = fc.oneof(
  fc
    .record({
      key: fc.constantFrom(REGION, SHOP, CITY, HOME),
      values: fc.array(name, { minLength: 1, maxLength: 2 }),
    })
    .map(({ key, values }): Cond => ({ k: "is", key, values, match: "equal" })),
  fc.constantFrom(CITY, SEATS, REGION).map((key): Cond => ({ k: "null", key })),
  fc
    .record({ op: fc.constantFrom("<", ">=", "=", "<>" as const), v: small })
    .map(({ op, v }): Cond => ({ k: "cmp", a: SEATS, op, b: { k: "lit", v } })),
);
const link: fc.Arbitrary<Cond> = fc
  .record({
    count: fc.option(
      fc.record({ op: fc.constantFrom("<", ">=", "=" as const), n: fc.integer({ min: 0, max: 2 }) }),
      {
        nil: undefined,
      },
    ),
    isFar: fc.boolean(),
  })
  .map(
    ({ count, isFar }): Cond => ({
      k: "link",
      at: "shops",
      path: isFar
        ? [
            { link: "visits_shops", dir: "many" },
            { link: "visits_guests", dir: "one" },
          ]
        : [{ link: "visits_shops", dir: "many" }],
      to: isFar
        ? {
            k: "where",
            in: { k: "all", ds: "guests" },
            if: { k: "is", key: HOME, values: ["A", "B"], match: "equal" },
          }
        : { k: "all", ds: "visits" },
      ...(count !== undefined && { count }),
    }),
  );
const cond: fc.Arbitrary<Cond> = fc.oneof(
  simpleCond,
  link,
  simpleCond.map((of): Cond => ({ k: "not", of })),
  link.map((of): Cond => ({ k: "not", of })),
  fc.record({
    k: fc.constantFrom("and" as const, "or" as const),
    of: fc.array(simpleCond, { minLength: 2, maxLength: 2 }),
  }),
);

const win = fc.constantFrom(
  { from: "2025-01-01", to: "2025-03-01", said: "January and February" },
  { from: "2025-02-01", to: null, said: "since February" },
);
const scope: fc.Arbitrary<Scope> = fc
  .record({ if: fc.option(cond, { nil: undefined }), win: fc.option(win, { nil: undefined }) })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));

const comparison = fc.constantFrom("<", ">", "=", "<>", ">=" as const);
const winter = { from: "2025-01-01", to: "2025-02-01", said: "January" };
const spring = { from: "2025-02-01", to: "2025-05-01", said: "from February to April" };

/** One number of two periods, or of those from one home and those from another. */
const pair: fc.Arbitrary<[Num, Num]> = fc
  .tuple(
    fc.constantFrom("revenue", "visit_count", "average_tip"),
    fc.constantFrom<[Scope, Scope]>(
      [{ win: spring }, { win: winter }],
      [{ if: fromHome("A") }, { if: fromHome("B") }],
      [{ if: fromHome("A") }, {}],
    ),
  )
  .map(([name, [a, b]]) => [
    { k: "metric", name, scope: a },
    { k: "metric", name, scope: b },
  ]);

function fromHome(value: string): Cond {
  return { k: "is", key: HOME, values: [value], match: "equal" };
}

const pairCond: fc.Arbitrary<Cond> = fc
  .tuple(pair, comparison)
  .map(([[a, b], op]): Cond => ({ k: "cmp", a, op, b }));

const num: fc.Arbitrary<Num> = fc.oneof(
  fc.tuple(fc.constantFrom("-", "/" as const), pair).map(([op, [a, b]]): Num => ({ k: "calc", op, a, b })),
  { weight: 4, arbitrary: metric },
  metric.map((of): Num => ({ k: "calc", op: "/", a: of, b: { ...of, scope: { whole: true } } as Num })),
  fc
    .tuple(fc.constantFrom("+", "-", "*", "/" as const), metric, metric)
    .map(([op, a, b]): Num => ({ k: "calc", op, a, b })),
  fc.constant<Num>({ k: "each", fn: "avg", of: REVENUE, per: [CITY] }),
  {
    weight: 2,
    arbitrary: fc
      .record({
        fn: fc.constantFrom("avg", "median", "min" as const),
        of: metric,
        per: fc.constantFrom(MONTH, DAY).map((key): Key[] => [key]),
        isBeside: fc.boolean(),
      })
      .map(({ isBeside, ...own }): Num => {
        const each: Num = { k: "each", ...own };
        return isBeside ? { k: "calc", op: "-", a: own.of, b: { ...each, scope: { whole: true } } } : each;
      }),
  },
);
const by = fc.uniqueArray(fc.constantFrom(REGION, SHOP, CITY, HOME, PRODUCT, MONTH, WEEKDAY), {
  maxLength: 2,
});

/** How many come before the first that is wanted. */
const after = fc.constantFrom<{ skip?: number }>({}, {}, { skip: 1 }, { skip: 2 });

const tableAsk: fc.Arbitrary<Ask> = fc
  .record({
    by,
    cols: fc.array(num, { minLength: 1, maxLength: 2 }),
    scope,
    having: fc.option(fc.oneof(small, pairCond), { nil: undefined }),
    top: fc.option(
      fc.record({
        n: fc.integer({ min: 1, max: 2 }),
        dir: fc.constantFrom("max" as const, "min" as const),
        after,
      }),
      {
        nil: undefined,
      },
    ),
    hasLag: fc.boolean(),
    fill: fc.boolean(),
  })
  .map(({ by, cols: all, scope, having, top, hasLag, fill }): Ask => {
    const isMonthly = by.length === 1 && by[0] === MONTH;
    // What lies in a month has no months.
    const isFine = (num: Num) => num.k !== "each" || !by.some((key) => num.per.includes(key));
    const cols = all.some(isFine) ? all.filter(isFine) : [REVENUE];
    const lag: Num[] = hasLag && isMonthly ? [{ k: "lag", of: REVENUE, n: 1, grain: "month" }] : [];
    return {
      k: "table",
      by,
      cols: [...cols, ...lag],
      scope,
      ...(fill && isMonthly && { fill }),
      ...(having !== undefined &&
        by.length > 0 && {
          having:
            typeof having === "number"
              ? { k: "cmp", a: cols[0] as Num, op: ">", b: { k: "lit", v: having } }
              : having,
        }),
      ...(top !== undefined &&
        by.length > 0 && {
          top: { n: top.n, dir: top.dir, ...top.after, by: cols[0] as Num, ties: "keep" },
        }),
    };
  });

const shops = fc.oneof(
  fc.constant<Rel>({ k: "all", ds: "shops" }),
  fc
    .oneof({ weight: 3, arbitrary: cond }, pairCond)
    .map((all): Rel => ({ k: "where", in: { k: "all", ds: "shops" }, if: all })),
);
const rel: fc.Arbitrary<Rel> = fc.oneof(
  shops,
  fc
    .record({
      in: shops,
      by: fc.constantFrom<Num | Key>(SEATS, REVENUE, {
        k: "agg",
        fn: "count",
        path: [{ link: "visits_shops", dir: "many" }],
      }),
      dir: fc.constantFrom("max" as const, "min" as const),
      n: fc.integer({ min: 1, max: 2 }),
      per: fc.constantFrom<Key[]>([], [REGION]),
      after,
    })
    .map(({ after, ...top }): Rel => ({ k: "top", ties: "keep", ...top, ...after })),
  fc
    .record({
      op: fc.constantFrom("union" as const, "intersect" as const, "minus" as const),
      a: shops,
      b: shops,
    })
    .map((set): Rel => ({ k: "set", ...set })),
  cond.map(
    (all): Rel => ({
      k: "via",
      from: { k: "where", in: { k: "all", ds: "visits" }, if: all },
      path: [{ link: "visits_shops", dir: "one" }],
    }),
  ),
);
const listAsk: fc.Arbitrary<Ask> = fc.tuple(rel, fc.boolean()).map(([of, isDistinct]) => ({
  k: "list",
  rel: of,
  ...(isDistinct
    ? { show: [CITY, REGION], distinct: true }
    : { show: [{ ds: "shops", field: "shop_id" }, SHOP, REGION] }),
}));

const sorted = (all: readonly (readonly unknown[])[]) =>
  all
    .map((row) =>
      JSON.stringify(
        row.map((value) => (typeof value === "number" ? Math.round(value * 1e6) / 1e6 + 0 : value)),
      ),
    )
    .toSorted();

/** From when to when there are rows. */
function periodsIn(rows: CafeRows): DataPeriod[] {
  const dates = [DATES.visits, DATES.goals] as Key[];
  return dates.flatMap(({ ds, field }) => {
    const [first, last] = daysIn(rows, ds) ?? [];
    return first === undefined || last === undefined ? [] : [{ ds, field, first, last }];
  });
}

async function check(rows: CafeRows, ask: Ask): Promise<void> {
  let sql: string;
  try {
    sql = compile({ ...schema, periods: periodsIn(rows) }, ask).sql;
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return fc.pre(false);
  }
  await tables.fill(rows);
  const found = await tables.query(sql);
  expect(sorted(found), sql).toEqual(sorted(new BruteForce(rows).answer(ask)));
}

it("tables of numbers are what working them out row by row gives", async () => {
  await fc.assert(fc.asyncProperty(data, tableAsk, check), { numRuns: 250 });
});

it("lists of entities are what working them out row by row gives", async () => {
  await fc.assert(fc.asyncProperty(data, listAsk, check), { numRuns: 250 });
});
