import { describe, expect, it } from "vitest";
import { csvConverter, typesOf } from "../../../../../test/support/csv.ts";

const convert = csvConverter();

describe("zeros in front", () => {
  it.each([
    ["12345", "01234"],
    ["12345678901234567890", "00000000000000000001"],
  ])("come late among %s", async (usual, late) => {
    const result = await convert(`zip,n\n${`${usual},1\n`.repeat(30_000)}${late},2\n7,3\n`);
    expect(typesOf(result)).toBe("VARCHAR BIGINT");
    expect(result.values.slice(-2)).toEqual([
      [late, "2"],
      ["7", "3"],
    ]);
  });

  it("but zero itself, and decimals, are numbers", async () => {
    const result = await convert(`a,b\n${"5,1.5\n".repeat(30_000)}0,0.5\n-1,-0.5\n`);
    expect(typesOf(result)).toBe("BIGINT DOUBLE");
  });
});

describe("a column that is text although most of it is not", () => {
  const numbers = Array.from({ length: 50 }, (_, index) => `${index},x\n`).join("");
  it.each<[string, string, string]>([
    [
      "at once",
      `n,t\n${numbers}n/a,x\nnone given,x\n7,x\n`,
      '"none given" (line 53). If it means no value, say so in options.nulls.',
    ],
    ["late", `n,t\n${numbers.repeat(700)}open,x\n7,x\n`, '"open" (row 35,001). If it means'],
    ["after a value of two lines", `n,t\n1,"x\ny"\n${numbers}7a,x\n`, '"7a" (line 54).'],
    ["among dates", `n,t\n${"31.12.2024,x\n".repeat(20)}soon,x\n`, '"soon" (line 22)'],
  ])("%s", async (_, content, told) => {
    const result = await convert(content);
    expect(typesOf(result)).toBe("VARCHAR VARCHAR");
    expect(result.notes).toEqual([expect.stringContaining(`Column "n" is text`)]);
    expect(result.notes[0]).toContain(told);
  });

  it("becomes numbers when that value is said to be none", async () => {
    const result = await convert(`n,t\n${numbers}open,x\n,x\n`, { nulls: ["open"] });
    expect(typesOf(result)).toBe("BIGINT VARCHAR");
    expect(result.notes).toEqual([]);
  });

  it("is not worth a word where it is meant to be text", async () => {
    const zips = Array.from({ length: 50 }, (_, index) => `${index % 5 === 0 ? "0" : ""}${1234 + index},x\n`);
    expect((await convert(`zip,t\n${zips.join("")}`)).notes).toEqual([]);
  });
});

it.each([
  ["sep=;\na;b\n1,5;x\n", [[1.5, "x"]], ";"],
  ['"sep=|"\r\na|b\r\n1|x\r\n', [["1", "x"]], "|"],
  [
    "SEP=,\nTitle\n\na,b\n1,x\n2,y\n3,z\n",
    [
      ["1", "x"],
      ["2", "y"],
      ["3", "z"],
    ],
    ",",
  ],
  ["sep=one,b\n1,x\n", [["1", "x"]], ","],
])("the line that tells Excel the delimiter: %j", async (content, values, delimiter) => {
  const result = await convert(content);
  expect(result).toMatchObject({ values, detected: { delimiter } });
});

it("types are found below a giant row", async () => {
  const result = await convert(`a,b,d\n1,${"y".repeat(5_000_000)},x\n2,3.5,31.12.2024\n4,5,01.02.2024\n`);
  expect(typesOf(result)).toBe("BIGINT DOUBLE DATE");
  expect(result).toMatchObject({ rows: 2, rejectedRows: 1, rejected: [{ line: 2 }] });
});

it.each<[string, string, number, unknown[], object]>([
  [
    "one mark in a column of texts",
    `${"x\n".repeat(58)};\n${"y\n".repeat(5)}`,
    64,
    ["y"],
    { skippedLines: 0 },
  ],
  ["an empty line above a name", "\r\nonly", 0, [], { skippedLines: 1, header: true }],
  ["a title with another line end", "Title\r\na;b\n1;2\n3;4\n", 2, ["3", "4"], { skippedLines: 1 }],
])("%s", async (_, content, rows, last, detected) => {
  const result = await convert(content);
  expect(result).toMatchObject({ rows, rejectedRows: 0, detected });
  expect(result.values.at(-1) ?? []).toEqual(last);
});

it("decimal commas beside decimal points, in a file with tabs", async () => {
  const result = await convert("zip\tsales\tlist\n90210.0\t45,06\t1,2\n\t2\t1,2,3\n10001.0\t20,992\t4\n", {});
  expect(typesOf(result)).toBe("DOUBLE DOUBLE VARCHAR");
  expect(result.values.map(([, sales]) => sales)).toEqual([45.06, 2, 20.992]);
  expect(result.notes).toContainEqual(
    expect.stringContaining('Numbers in "sales" were read with a decimal comma'),
  );
});
