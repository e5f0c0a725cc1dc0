import { describe, expect, it } from "vitest";
import { csvConverter } from "../../../../../test/support/csv.ts";
import { LIMITS } from "../../limits.ts";

const convert = csvConverter();

describe("a file that DuckDB does not read strictly", () => {
  const wide = "5,6,7";
  it.each<[string, string, string[], number[]]>([
    ["LF among CRLF, and a long row", `a,b\r\n1,2\n3,4\r\n${wide}\n8,9\r\n`, ["12", "34", "89"], [4]],
    ["CRLF among LF, and a long row", `a,b\n1,2\r\n${wide}\n3,4\n8,9\r\n`, ["12", "34", "89"], [3]],
    ["CR among LF", "a,b\r1,2\n3,4\r5,6\n8,9", ["12", "34", "56", "89"], []],
    ["CR CR LF", "a,b\r\r\n1,2\r\r\n3,4\r\r\n", ["12", "34"], []],
    ["line ends in values", 'a,b\r\n1,"2\r\n"\n3,"4\n"\n', ["12\r\n", "34\n"], []],
    ["another line end in a name", '"a\n",b\r\n1,2\r\n3,4\r\n', ["12", "34"], []],
    ["CRLF in a name above LF", '"a\r\nc",b\n1,"2\r\n"\n3,4\n', ["12\r\n", "34"], []],
    [
      "a long last row below another line end",
      "x\r\na;b;c;d;e\n1;2;3;4;5\n1;2;3;4;5\n",
      ["12345", "12345"],
      [],
    ],
    ["blanks before a value of two lines", 'a,b\r\n1\r\n  "2\r\n", 3\r\n', ["1null", "2\r\n3"], []],
    ["a quote without an end", 'a,b\n1,2\n3,"4\n5,6\n7,8\n', ["12", "56", "78"], [3]],
    ["such a quote in the first row", '1,"2,3\n4,5,6\n7,8,9\n', ["456", "789"], [1]],
    ["such a quote in the header", 'a,"b\n1,2\n3,4\n', ["12", "34"], []],
    ["a quote that ends in another row", 'a,b\n1,2\n3,"4\n5,6\n7,"8"\n9,1\n', ["12", "56", "78", "91"], [3]],
    ["such a quote, and short rows", 'a,b,c\n1,2\n3,4,5\n6,7,"8', ["12null", "345"], [4]],
    ["something behind a quote", 'a,b\n1,"2"x\n3,4\n5,6\n', ["34", "56"], [2]],
    ["short rows and line ends", 'a,b\r\n1\n2,"3"\r\n\n4', ["1null", "23", "4null"], []],
  ])("%s", async (_, content, rows, rejected) => {
    const result = await convert(content);
    expect(result.values.map((values) => values.map(String).join(""))).toEqual(rows);
    expect(result.rejected.map(({ line }) => line)).toEqual(rejected);
    expect(result.rejectedRows).toBe(rejected.length);
  });

  it("an empty line in one column is no row, but a quoted nothing is", async () => {
    const { values, notes } = await convert('n\n1\n\n2\n""\n\n3\n\n');
    expect(values).toEqual([["1"], ["2"], [null], ["3"]]);
    expect(notes).toEqual([]);
  });

  it("records that are cut by the pieces in which it is read, and a giant line", async () => {
    const long = "x\r\n".repeat(200_000);
    const giant = "y".repeat(2 * LIMITS.analytics.rowBytes);
    const rows = [0, 1, 2].map((n) => `${n},"${long.slice(n)}"\r\n${n}\n`).join("");
    const result = await convert(`a,b\n${rows}3,${giant}\n4,"é"\r`);
    expect(result.rejected).toMatchObject([{ line: 8 }]);
    expect(result.values).toEqual([
      ...[0, 1, 2].flatMap((n) => [
        [String(n), long.slice(n)],
        [String(n), null],
      ]),
      ["4", "é"],
    ]);
  });
});
