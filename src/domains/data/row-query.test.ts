import { describe, expect, it } from "vitest";
import { compile, compileTest, parse, print } from "./c9ql/index.ts";
import {
  both,
  call,
  column,
  compare,
  constant,
  countRows,
  descending,
  following,
  ifElse,
  isNotNull,
  isOneOf,
  rowQuery,
  sumOverGroups,
  truncated,
} from "./row-query.ts";

const columns = [
  { name: "Order Date", type: "DATE" },
  { name: "it's `odd`", type: "VARCHAR" },
  { name: "amount", type: "DOUBLE" },
];
const options = { columns, source: '"rows"', now: new Date("2026-01-02"), timezone: "UTC" };
const byMonth = rowQuery({
  select: [
    ["month", truncated(column("Order Date"), "month")],
    ["total", call("sum", column("amount"))],
    ["all", sumOverGroups(call("sum", column("amount")))],
    ["n", countRows()],
  ],
  where: both(isNotNull(column("amount")), compare(column("amount"), ">", constant(-1.5))),
  groupBy: 1,
  orderBy: [descending(2), 1],
  limit: 5,
});

describe("a row query", () => {
  it("is the tree that its text is read as", () => {
    const text = print(byMonth);
    expect(text).toMatch(/^select date_trunc\(`Order Date`, 'month'\) as month, sum\(`amount`\) as total/);
    expect(compile(parse(text, { columns }), options).sql).toBe(compile(byMonth, options).sql);
  });

  it("takes names for columns and values for values, whatever is in them", () => {
    const odd = column("it's `odd`");
    const condition = isOneOf(odd, ["$c9_today", "a' or 1=1", null, true]);
    const query = rowQuery({ select: [["x", ifElse(condition, odd, constant("it's"))]] });
    const { sql } = compile(query, options);
    expect(sql).toContain("'$c9_today'");
    expect(sql).toContain("'a'' or 1=1'");
    expect(sql).toContain("'it''s'");
    expect(() => compile(rowQuery({ select: ["amoutn"] }), options)).toThrow("amoutn");
  });

  it("goes on where another ends, and an error still points into the text that it came from", () => {
    const before = rowQuery({ where: isNotNull(column("amount")) });
    const after = parse("select amount\norder by amoutn", { columns });
    expect(print(following(before, undefined, byMonth))).toBe(`${print(before)};\n${print(byMonth)}`);
    expect(() => compile(following(before, after), options)).toThrow("C9QL, line 2, column 10");
  });
});

describe("whether a query finds rows", () => {
  const testOf = (text: string) => compileTest(parse(text, { columns }), options);

  it("is one look at all rows for conditions on each of them", () => {
    expect(testOf("where amount > 5")).toMatchObject({ from: ' FROM "rows" AS "c9"' });
    expect(testOf("select sum(amount) as s; select * where s > 5")).toMatchObject({ from: "" });
    expect(testOf("select distinct * where amount > 5")).toMatchObject({ from: "" });
  });

  it("is not known beforehand where parameters are asked for", () => {
    expect(testOf("where amount > $c9_least$(5)$")).toBeUndefined();
  });
});
