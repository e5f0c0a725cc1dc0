import { describe, expect, it } from "vitest";
import { csvConverter, typesOf } from "../../../../../test/support/csv.ts";

const convert = csvConverter();
/** More than are looked at before the file is read. */
const MANY = 30_000;

describe("a value that DuckDB would bend, far below others", () => {
  it.each([
    ["a zero in front of decimals", "1.5", "007"],
    ["a telephone number among decimals", "1.5", "+4930123456"],
    ["digits joined by a line", "1.5", "1_000"],
    ["a number too large for its type", "1.5", "1e400"],
    ["a day without its end", "2024-01-31", "2024-02-1x"],
    ["a day that is none", "2024-01-31", "infinity"],
    ["a day that is none in another format", "31.01.2024", "epoch"],
    ["a time in a column of days", "2024-01-31", "2024-02-01T"],
    ["a zone among timestamps", "2024-01-31 12:00:00", "2024-01-31 12:00+02 x"],
    ["a year of two digits", "2024-01-31 12:00:00", "24-01-31 12:00:00"],
    ["a yes among truth values", "TRUE", "yes"],
    ["a sign among decimal commas", "1,5", "1.5"],
  ])("%s", async (_, usual, late) => {
    const result = await convert(`v;n\n${`${usual};1\n`.repeat(MANY)}${late};2\n`);
    expect(typesOf(result)).toBe("VARCHAR BIGINT");
    expect([result.values[0], result.values.at(-1)]).toEqual([
      [usual, "1"],
      [late, "2"],
    ]);
  });

  it.each<[string, string, string, string, unknown]>([
    ["blanks", "5", " 6 ", "BIGINT", "6"],
    ["a plus", "1.5", "+2.5", "DOUBLE", 2.5],
    ["a T", "2024-01-31 12:00:00", "2024-02-01T13:00:00", "TIMESTAMP", "2024-02-01 13:00:00"],
    [
      "parts of a second",
      "2024-01-31 12:00:00",
      "2024-02-01 13:00:00.25",
      "TIMESTAMP",
      "2024-02-01 13:00:00.25",
    ],
    ["capitals", "true", "False", "BOOLEAN", false],
    ["a name of a number", "1.5", "NaN", "DOUBLE", "NaN"],
    [
      "a plain number that a program printed",
      "1.5",
      "123456789012345680000",
      "DOUBLE",
      123456789012345680000,
    ],
  ])("but %s are of the type", async (_, usual, late, type, value) => {
    const result = await convert(`v,n\n${`${usual},1\n`.repeat(MANY)}${late},2\n`);
    expect(typesOf(result)).toBe(`${type} BIGINT`);
    expect(result.values.at(-1)).toEqual([value, "2"]);
  });
});

describe("whole numbers of many digits beside fractions", () => {
  const long = "12345678901234567";
  it.each([
    ["at once", `v,n\n${long},1\n1.5,2\n-0.25,3\n`],
    ["late", `v,n\n${"1.5,1\n".repeat(MANY)}${long},1\n1.5,2\n-0.25,3\n`],
    ["late, fractions", `v,n\n${`${long},1\n`.repeat(MANY)}${long},1\n1.5,2\n-0.25,3\n`],
  ])("%s keep all of them", async (_, text) => {
    const result = await convert(text);
    expect(typesOf(result)).toBe("DECIMAL(38,2) BIGINT");
    expect(result.values.slice(-3)).toEqual([
      [`${long}.00`, "1"],
      ["1.50", "2"],
      ["-0.25", "3"],
    ]);
  });

  it("with a decimal comma, words for no value and groups of digits", async () => {
    const text = `v;g\nNA;12.345.678.901.234.567,25\n${long};1,5\n1,250;2,5\n`;
    const result = await convert(text);
    expect(typesOf(result)).toBe("DECIMAL(38,2) DECIMAL(38,2)");
    expect(result.values).toEqual([
      [null, `${long}.25`],
      [`${long}.00`, "1.50"],
      ["1.25", "2.50"],
    ]);
  });

  it("and one with more decimals than the first ones", async () => {
    const result = await convert(`v,n\n${`${long}.5,1\n`.repeat(MANY)}0.125,2\n`);
    expect(typesOf(result)).toBe("DECIMAL(38,3) BIGINT");
    expect(result.values.at(-1)).toEqual(["0.125", "2"]);
  });

  it("stay text, and a note says so, where no number holds them", async () => {
    const rows = Array.from({ length: 20 }, (_, row) => `${row}.1234567890123456789012345\n`).join("");
    const result = await convert(`v\n${rows}${long}\n`);
    expect(typesOf(result)).toBe("VARCHAR");
    expect(result.notes).toEqual([expect.stringContaining('Column "v" is text: no type holds all digits')]);
  });
});

it("many columns are read as few are", async () => {
  const width = 250;
  const line = (fields: readonly string[]): string => `${fields.join(",")}\n`;
  const row = (value: string): string[] => Array.from({ length: width }, () => value);
  const names = line(row("").map((_, index) => `c${index}`));
  const result = await convert(
    `${names}${line(row("5")).repeat(4_100)}${line([" 6 ", "07", ...row("7").slice(2)])}`,
  );
  expect(typesOf(result)).toBe(`BIGINT VARCHAR${" BIGINT".repeat(width - 2)}`);
  expect(result.values.at(-1)).toEqual(["6", "07", ...row("7").slice(2)]);
});

it("says where a fraction has more digits than a DOUBLE, and keeps them in other types", async () => {
  const content = "pi,n\n3.14159265358979323846,0.30000000000000004\n1.5,2\n";
  expect((await convert(content)).notes).toEqual([
    expect.stringMatching(/^Numbers in "pi" have more digits/),
  ]);
  const exact = await convert(content, { types: { pi: "DECIMAL(38,20)" } });
  expect(exact.values[0]![0]).toBe("3.14159265358979323846");
  expect(exact.notes).toEqual([]);
});
