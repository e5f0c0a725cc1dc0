import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics, tableViewOf } from "../../../../../test/support/analytics.ts";
import { type ConvertedCsv, csvConverter, typesOf as types } from "../../../../../test/support/csv.ts";
import type { JsonValue } from "../../index.ts";

let analytics: TestAnalytics;
const convert = csvConverter();
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
});
afterAll(() => analytics.remove());

/** One column of these values, with another beside it so that the semicolon is seen. */
const column = (...values: string[]): string => `n;t\n${values.map((value) => `"${value}";x\n`).join("")}`;
const firsts = ({ values }: ConvertedCsv): (number | null)[] =>
  values.map(([first]) => (first === null ? null : Number(first)));

describe("a column that can be read in one way", () => {
  it.each<[string, string[], string, (number | null)[], string, string]>([
    ["commas and a dot", ["1,234.56", "-12.5", "7"], "DOUBLE", [1234.56, -12.5, 7], ",", "."],
    [
      "dots and a comma",
      ["1.234,56", "-1.234.567,8", "0,25"],
      "DOUBLE",
      [1234.56, -1234567.8, 0.25],
      ".",
      ",",
    ],
    ["blanks and a comma", ["1 234,56", "-12,5", ""], "DOUBLE", [1234.56, -12.5, null], " ", ","],
    ["no-break blanks", ["1\u00a0234,5", "1\u202f234\u202f567,5"], "DOUBLE", [1234.5, 1234567.5], " ", ","],
    ["apostrophes", ["1'234.50", "-1’234’567.25"], "DOUBLE", [1234.5, -1234567.25], "'", "."],
    ["integers in two groups", ["1,234,567", "1,234", "-5"], "BIGINT", [1234567, 1234, -5], ",", "."],
    ["integers with blanks", ["1 234", "12 345", "6"], "BIGINT", [1234, 12345, 6], " ", "."],
    ["a few without groups", ["12.345,6", "1234,5", "1.234"], "DOUBLE", [12345.6, 1234.5, 1234], ".", ","],
    ["decimals that tell", ["1,234", "12.5"], "DOUBLE", [1234, 12.5], ",", "."],
    ["blanks around", [" 1,234.50 ", " 2 "], "DOUBLE", [1234.5, 2], ",", "."],
    ["no whole part", ["1,234.50", ".5"], "DOUBLE", [1234.5, 0.5], ",", "."],
  ])("%s", async (_, texts, type, numbers, thousands, decimal) => {
    const result = await convert(column(...texts));
    expect(types(result)).toBe(`${type} VARCHAR`);
    expect(firsts(result)).toEqual(numbers);
    const { thousands: told, decimal: file } = result.detected as unknown as Record<string, unknown>;
    expect(told).toEqual(file === decimal ? thousands : [{ column: "n", thousands, decimal }]);
    expect(result).toMatchObject({ notes: [], rejectedRows: 0 });
  });

  it("keeps integers of many digits", async () => {
    const long = await convert(column("12,345,678,901,234,567,890", "1"));
    expect(long.columns[0]!.type).toBe("DECIMAL(38,0)");
    expect(long.values[0]![0]).toBe("12345678901234567890");
    const longest = await convert(column("1,000,000,000,000,000,000,000,000,000,000,000,000,000,000", "1"));
    expect(longest.columns[0]!.type).toBe("VARCHAR");
  });

  it("goes the whole way to a dataset", async () => {
    const bytes = Buffer.from('city,people,share\nBerlin,"3,685,265",4.4\nUlm,"128,928",0.2\nSylt,980,0\n');
    const { part } = await analytics.convert({ source: { bytes }, format: "csv", key: analytics.key() });
    const { rows } = await analytics.query({
      scope: "w",
      tableViews: [tableViewOf("t", part, { version: part.key })],
      sql: "SELECT sum(people)::BIGINT, typeof(any_value(people)) FROM t",
    });
    expect(rows).toEqual([[3_815_173, "BIGINT"]]);
  });
});

describe("a column that can be read in several ways stays text", () => {
  it.each<[string, string, string[]]>([
    ["one group", 'n,t\n"1,234",x\n"5,678",y\n12,z\n', ["n"]],
    ["blanks, and what may be decimals", 'n,t\n1 234,x\n12 345,y\n"1,234",y\n', ["n"]],
    ["telephone numbers", column("601 234 567", "602 345 678"), []],
    ["telephone numbers with their country", column("+420 601 234 567", "+420 2 345 678"), []],
    ["addresses", column("192.168.100.200", "10.100.200.100"), []],
    ["identifiers with dots", column("123.456.789", "987.654.321"), []],
    ["leading zeros", column("001,234,567", "1,234,567"), []],
    ["groups of other sizes", column("1,23,456.00", "12,34,567.00"), []],
    ["two readings in one column", column("1,234.56", "1.234,56"), []],
    ["a currency among others", column("$1,234.56", "€2.00"), []],
    ["percent of some", column("1,234.5%", "2"), []],
    ["dates", column("1.234.567", "31.12.2024"), []],
  ])("%s", async (_, content, noted) => {
    const result = await convert(content);
    expect(types(result)).toBe("VARCHAR VARCHAR");
    expect(result.detected).not.toHaveProperty("thousands");
    expect(result.notes).toEqual(noted.map((name) => expect.stringContaining(`Column "${name}" stays text`)));
  });

  it("unless the decimal mark is said", async () => {
    const comma = 'n,t\n"1,234",x\n"5,678",y\n';
    const dot = await convert(comma, { decimal: "." });
    expect(dot).toMatchObject({ detected: { decimal: ".", thousands: "," }, notes: [] });
    expect(firsts(dot)).toEqual([1234, 5678]);
    expect(firsts(await convert(comma, { decimal: "," }))).toEqual([1.234, 5.678]);
    const german = await convert("n;t\n1.234;x\n5.678;y\n", { decimal: "," });
    expect(types(german)).toBe("BIGINT VARCHAR");
    expect(firsts(german)).toEqual([1234, 5678]);
  });

  it("unless its type is said", async () => {
    expect(types(await convert(column("1,234.56"), { types: { n: "VARCHAR" } }))).toBe("VARCHAR VARCHAR");
  });
});

describe("another column may tell the decimal mark", () => {
  it.each<[string, string, string, JsonValue[][]]>([
    ["decimals with a dot", 'a,b\n"1,234",0.5\n', "BIGINT DOUBLE", [["1234", 0.5]]],
    [
      "decimals with a comma",
      "a;b\n1.234;12,50\n5;0,1\n",
      "BIGINT DOUBLE",
      [
        ["1234", 12.5],
        ["5", 0.1],
      ],
    ],
    ["groups and a comma", "a;b\n1.234;1.234,56\n", "BIGINT DOUBLE", [["1234", 1234.56]]],
    ["groups and a dot", "a;b\n1,234;1,234.56\n", "BIGINT DOUBLE", [["1234", 1234.56]]],
    ["not when it may be a group as well", 'a;b\n"1,234";1.234\n', "VARCHAR DOUBLE", [["1,234", 1.234]]],
    [
      "not when a third one contradicts",
      "a;b;c\n1,234;0.5;0,5\n",
      "VARCHAR DOUBLE DOUBLE",
      [["1,234", 0.5, 0.5]],
    ],
  ])("%s", async (_, content, expected, values) => {
    const result = await convert(content);
    expect(types(result)).toBe(expected);
    expect(result.values).toEqual(values);
  });

  it("each column has its own where they differ", async () => {
    const result = await convert("a;b\n1,234.5;1.234,5\n");
    expect(result.values).toEqual([[1234.5, 1234.5]]);
    expect(result.detected).toMatchObject({
      thousands: [
        { column: "a", thousands: ",", decimal: "." },
        { column: "b", thousands: ".", decimal: "," },
      ],
    });
  });
});

describe("values that come late", () => {
  const rows = (value: string, other = "x"): string => `n;t\n${`${value};${other}\n`.repeat(30_000)}`;
  it.each<[string, string, string, string]>([
    ["text among groups", `${rows("1,234.5")}soon;x\n`, "VARCHAR VARCHAR", "soon"],
    ["the other reading", `${rows("1,234.5")}1.234,5;x\n`, "VARCHAR VARCHAR", "1.234,5"],
    ["a decimal among groups", `${rows("1,234,567")}1,234.5;x\n`, "DOUBLE VARCHAR", "1234.5"],
    [
      "a large one among groups",
      `${rows("1,234,567")}9${",000".repeat(7)};x\n`,
      "DECIMAL(38,0) VARCHAR",
      `9${"000".repeat(7)}`,
    ],
    [
      "another length among what may be identifiers",
      `${rows("601 234 567")}1 234;x\n`,
      "VARCHAR VARCHAR",
      "1 234",
    ],
    ["groups among integers", `${rows("5")}1,234,567;x\n`, "BIGINT VARCHAR", "1234567"],
    ["groups among decimals", `${rows("5.5")}1,234.5;x\n`, "DOUBLE VARCHAR", "1234.5"],
    ["one group among integers", `${rows("5")}1,234;x\n`, "VARCHAR VARCHAR", "1,234"],
    ["a witness that is text", `${rows("1.234", "0,5")}7;soon\n`, "VARCHAR VARCHAR", "7"],
    ["a witness that stays", `${rows("1.234", "0,5")}7;8\n`, "BIGINT DOUBLE", "7"],
  ])("%s", async (_, content, expected, value) => {
    const result = await convert(content);
    expect(types(result)).toBe(expected);
    expect(result).toMatchObject({ rows: 30_001, rejectedRows: 0 });
    expect(String(result.values[30_000]![0])).toBe(value);
  });

  it("tells at the end of a file whose beginning does not", async () => {
    const start = `n,t\n${'"1,234",x\n'.repeat(30_000)}`;
    const result = await convert(`${start}"1,234,567",x\n`);
    expect(types(result)).toBe("BIGINT VARCHAR");
    expect(await convert(start)).toMatchObject({
      columns: [{ type: "VARCHAR" }, {}],
      notes: [expect.any(String)],
    });
  });
});

describe("what a locale prints is read back", () => {
  const number = fc.integer({ min: -2_000_000_000_00, max: 2_000_000_000_00 }).map((cents) => cents / 100);
  const locale = fc.constantFrom("en-US", "de-DE", "fr-FR", "de-CH", "es-ES", "sv-SE", "pl-PL", "en-ZA");
  const print = (name: string, value: number): string =>
    // Some locales have a minus of their own.
    value.toLocaleString(name, { minimumFractionDigits: 2 }).replace("\u2212", "-");

  it("numbers", async () => {
    await fc.assert(
      fc.asyncProperty(
        locale,
        fc.array(number, { maxLength: 30 }),
        fc.constantFrom(",", ";", "\t"),
        async (name, some, delimiter) => {
          const numbers = [...some, -1_234_567.89];
          const lines = numbers.map((value) => `"${print(name, value)}"${delimiter}x\n`);
          const result = await convert(`n${delimiter}t\n${lines.join("")}`);
          expect(types(result)).toBe("DOUBLE VARCHAR");
          expect(firsts(result)).toEqual(numbers.map((value) => value + 0));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("and beside anything else it stays as it was", async () => {
    const other = fc.stringMatching(/^[1-9]?[0-9.,' a%$-]{1,8}[a%$]$/);
    await fc.assert(
      fc.asyncProperty(locale, fc.array(number, { maxLength: 10 }), other, async (name, some, text) => {
        const texts = [...some.map((value) => print(name, value)), text];
        const result = await convert(`n;t\n${texts.map((each) => `"${each}";x\n`).join("")}`);
        expect(result.values.map(([first]) => first)).toEqual(texts);
      }),
      { numRuns: 60 },
    );
  });
});
