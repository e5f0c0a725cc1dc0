import { describe, expect, it } from "vitest";
import { readCondition } from "./read-condition.ts";

const ORDERS = {
  name: "Orders",
  columns: [
    { name: "id", type: "BIGINT" },
    { name: "day", type: "DATE" },
    { name: "status", type: "VARCHAR" },
    { name: "net_revenue", type: "DOUBLE" },
    { name: "Shipping Cost", type: "DECIMAL(10,2)" },
    { name: "isPaid", type: "BOOLEAN" },
  ],
};
const DAILY = {
  name: "By day",
  columns: [
    { name: "day", type: "DATE" },
    { name: "orders", type: "INTEGER" },
    { name: "gross total", type: "DOUBLE" },
    { name: "net total", type: "DOUBLE" },
  ],
};

describe("a condition", () => {
  it.each([
    ["id > 5", "select * where id > 5"],
    ["where status = failed", "select * where status = failed"],
    ["Shipping Cost > 5 and status = 'x'", "select * where Shipping Cost > 5 and status = 'x'"],
    [
      "select status, count(*) as n group by status; where n > 3",
      /^select status, count\(\*\) as n group by status;\nselect \* where n > 3$/,
    ],
  ])("in C9QL is taken as it is: %j", (text, c9ql) => {
    const read = readCondition(text, ORDERS).c9ql;
    if (typeof c9ql === "string") expect(read).toBe(c9ql);
    else expect(read).toMatch(c9ql);
  });

  it.each([
    ["where  id > 5;", "any row where id > 5"],
    ["sum(net_revenue) > 1000", "sum(net_revenue) > 1000"],
    [
      "select status, count(*) as n group by status;\nwhere n > 3",
      "this finds rows: select status, count(*) as n group by status; where n > 3",
    ],
  ])("in C9QL is said in one sentence: %j", (text, sentence) => {
    expect(readCondition(text, ORDERS).sentence).toBe(sentence);
  });

  it("on an aggregate looks at the one row of all", () => {
    expect(readCondition("sum(net_revenue) > 1000", ORDERS).c9ql).toBe(
      'select sum(net_revenue) as "sum(net_revenue)";\nselect * where `sum(net_revenue)` > 1000',
    );
  });

  it.each([
    ["orders drop below 50", DAILY, "select * where `orders` < 50", "any row where orders is below 50"],
    [
      "alert me when daily orders drop below 50",
      DAILY,
      "select * where `orders` < 50",
      "any row where orders is below 50",
    ],
    [
      "orders drop below 50",
      ORDERS,
      "select count(*) as value;\nselect * where `value` < 50",
      "the number of rows is below 50",
    ],
    [
      "Total revenue is over 1,000",
      ORDERS,
      "select sum(`net_revenue`) as value;\nselect * where `value` > 1000",
      "the sum of net_revenue is over 1000",
    ],
    [
      "average shipping cost exceeds $2.5k",
      ORDERS,
      "select avg(`Shipping Cost`) as value;\nselect * where `value` > 2500",
      "the average of Shipping Cost is over 2500",
    ],
    [
      "any row where status is Failed",
      ORDERS,
      "select * where lower(`status`) = 'failed'",
      "any row where status is 'Failed'",
    ],
    [
      "status is not O'Brien's",
      ORDERS,
      "select * where lower(`status`) != 'o''brien''s'",
      "any row where status is not 'O''Brien''s'",
    ],
    [
      "status contains err",
      ORDERS,
      "select * where `status` like 'err'",
      "any row where status contains 'err'",
    ],
    ["status is empty", ORDERS, "select * where `status` is null", "any row where status is empty"],
    [
      "revenue is between 5 and 10",
      ORDERS,
      "select * where `net_revenue` between 5 and 10",
      "any row where net_revenue is between 5 and 10",
    ],
    ["paid is false", ORDERS, "select * where `isPaid` = false", "any row where isPaid is false"],
    [
      "the number of rows is at least 10",
      ORDERS,
      "select count(*) as value;\nselect * where `value` >= 10",
      "the number of rows is at least 10",
    ],
  ])("in plain language is understood: %j", (text, source, c9ql, sentence) => {
    expect(readCondition(text, source)).toEqual({ c9ql, sentence });
  });

  it("counts the rows of each day", () => {
    const { c9ql, sentence } = readCondition("tell me when daily orders fall below 50", ORDERS);
    expect(c9ql).toContain("group by day");
    expect(c9ql).toMatch(/^select date_format\(/);
    expect(sentence).toBe("the number of rows of a day is below 50");
  });

  it.each([
    "weather turns bad",
    "orders",
    "status is over 5",
    "revenue drops below nothing",
    "🙂",
    "drop below 5",
  ])("that cannot be read is told with the columns and an example: %j", (text) => {
    expect(() => readCondition(text, ORDERS)).toThrow(
      expect.objectContaining({ code: "bad_request", hint: expect.stringContaining("Shipping Cost") }),
    );
  });

  it("with two readings asks which one", () => {
    expect(() => readCondition("total is over 5", DAILY)).toThrow(/gross total or net total/);
  });

  it("with a mistake in C9QL tells the place", () => {
    expect(() => readCondition("where statuss = 5", ORDERS)).toThrow(/no field "statuss"/);
  });

  it.each([
    ["Bestellungen fallen unter 50", DAILY, "select * where `orders` < 50"],
    ["benachrichtige mich, wenn die Bestellungen unter 50 fallen", DAILY, "select * where `orders` < 50"],
    ["wenn der Umsatz über 1.000,50 € steigt", ORDERS, "select * where `net_revenue` > 1000.5"],
    [
      "die Summe der Umsätze ist mehr als 2,5 Mio",
      ORDERS,
      "select sum(`net_revenue`) as value;\nselect * where `value` > 2500000",
    ],
    [
      "sag mir Bescheid, sobald die Anzahl der Bestellungen mindestens 10 ist",
      ORDERS,
      "select count(*) as value;\nselect * where `value` >= 10",
    ],
    [
      "tägliche Bestellungen sinken unter 5",
      ORDERS,
      "select date_format(`day`, 'yyyy-MM-dd') as day, count(*) as value group by day;\nselect * where `value` < 5",
    ],
    [
      "eine Zeile, in der Status gleich Storniert ist",
      ORDERS,
      "select * where lower(`status`) = 'storniert'",
    ],
    ["Status ist leer", ORDERS, "select * where `status` is null"],
    ["net revenue zwischen 5 und 10 liegt", ORDERS, "select * where `net_revenue` between 5 and 10"],
  ])("in German is read as well: %j", (text, source, c9ql) => {
    expect(readCondition(text, source).c9ql).toBe(c9ql);
  });
});
