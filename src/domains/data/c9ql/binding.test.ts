import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { TestTable } from "../../../../test/support/c9ql-table.ts";
import { isAppError } from "../../../kernel/errors.ts";
import { FUNCTION_NAMES } from "./functions.ts";

const isLong = process.env.KENNING_TEST_LONG !== undefined;

/** A column of every kind. */
const KINDS = `CREATE TABLE kinds AS SELECT 'West' AS "Region", 'x' AS "Message Type", 5 AS "Sent",
  1.5::DECIMAL(10,2) AS "Opened", DATE '2024-01-05' AS "Date", TIMESTAMP '2024-01-05 10:00:00' AS "Created",
  TIMESTAMPTZ '2024-01-05 10:00:00+00' AS "Seen", true AS "Active", [{'name': 'pen', 'price': 1.5}] AS "Items",
  {'first': 'Ann'} AS "Customer", '{"device": {"os": "ios"}}'::JSON AS "Extra", '01/31/2024' AS "Due",
  gen_random_uuid() AS "Id", 'a'::ENUM('a', 'b') AS "Grade", TIME '10:30:00' AS "Clock", 7::HUGEINT AS "Huge",
  2.5::FLOAT AS "Ratio", 3::UTINYINT AS "Small", 'ab'::BLOB AS "Bytes", INTERVAL 3 DAY AS "Span",
  MAP {'k': 1} AS "Map", '1010'::BIT AS "Bits", TIMESTAMP_NS '2024-01-05 10:00:00' AS "Nanos"`;

/** Expressions over real columns, of any kind in any place. */
const { value } = fc.letrec<{ value: string }>((tie) => {
  const child = tie("value");
  const args = fc.array(child, { minLength: 1, maxLength: 3 }).map((each) => each.join(", "));
  return {
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(
        ..."Region,Message Type,Sent,Opened,Date,Created,Seen,Active,Items,Customer,Extra,Due,Items[0],Items[1].price,Customer.first,Extra.device.os,Id,Grade,Clock,Huge,Ratio,Small,Bytes,Span,Map,Map.k,Bits,Nanos".split(
          ",",
        ),
      ),
      fc.constantFrom(
        ..."1,-2,1.5,0,'West','12','2024-01-31','x',true,null,$c9_today,$c9_now-3h,{$c9_today:yyyyMMdd},$c9_text$(West)$,$c9_number$,$c9_date$,'month','2d','yyyy-MM-dd'".split(
          ",",
        ),
      ),
      fc.tuple(fc.constantFrom(...FUNCTION_NAMES), args).map(([name, each]) => `${name}(${each})`),
      fc
        .tuple(fc.constantFrom(..."sum avg count max min distinct median sd array".split(" ")), child)
        .map(([name, each]) => `${name}(${each}) over (partition by Region)`),
      fc
        .tuple(child, fc.constantFrom(..."+ - * / % ^".split(" ")), child)
        .map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc
        .tuple(child, fc.constantFrom(..."= != > >= < <=".split(" ")), child)
        .map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc.tuple(child, args).map(([a, each]) => `(${a} in (${each}))`),
      fc.tuple(child, child, child).map(([a, b, c]) => `(${a} between ${b} and ${c})`),
      fc.tuple(child, child).map(([a, b]) => `(${a} not like ${b})`),
      fc.tuple(child, child, child).map(([a, b, c]) => `case when ${a} = ${b} then ${b} else ${c} end`),
      child.map((each) => `(${each} is not null)`),
      child.map((each) => `(not ${each} and Active)`),
    ),
  };
});

const query = fc.oneof(
  fc.tuple(value, value).map(([a, b]) => `select ${a} as v, ${b} as w`),
  fc.tuple(value, value).map(([a, b]) => `select ${a} as v where ${b} = ${a}`),
  fc
    .tuple(value, value)
    .map(
      ([a, b]) =>
        `select ${a} as v, max(${b}) as w, count(*) group by v order by w desc; select * where v = w`,
    ),
  value.map((a) => `select ${a} as v order by v; select v, v as w where v is not null limit 3`),
  value.map((a) => `select distinct ${a} as v; select count(v), max(v), array(v)`),
);

describe("whatever compiles", { timeout: 600_000 }, () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await TestTable.open(KINDS, "kinds");
  });

  it("is bound by DuckDB without an error", async () => {
    const parameters = { number: 7, date: new Date("2024-02-01T00:00:00Z") };
    let compiled = 0;
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const sql = compiledOrNothing(table, text, parameters);
        if (sql === undefined) return;
        compiled += 1;
        await table.prepare(sql);
      }),
      { numRuns: isLong ? 50_000 : 3_000 },
    );
    expect(compiled).toBeGreaterThan(200);
  });
});

function compiledOrNothing(table: TestTable, text: string, parameters: Record<string, number | Date>) {
  try {
    return table.compile(text, { parameters, source: "kinds" }).sql;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return undefined;
  }
}
