import { describe, expect, it } from "vitest";
import { csvConverter, typesOf } from "../../../../../test/support/csv.ts";

const convert = csvConverter();
const one = (...values: string[]): string => `v,t\n${values.map((value) => `"${value}",x\n`).join("")}`;
const namesOf = ({ columns }: { columns: { name: string }[] }): string =>
  columns.map(({ name }) => name).join(" ");

describe("types", () => {
  it.each<[string, string[], string, (string | boolean | number | null)[]]>([
    ["Norway", ["NO", "NO"], "VARCHAR", ["NO", "NO"]],
    ["F", ["F", "F"], "VARCHAR", ["F", "F"]],
    ["yes and no", ["Yes", "No", "Yes"], "VARCHAR", ["Yes", "No", "Yes"]],
    ["0 and 1", ["0", "1"], "BIGINT", ["0", "1"]],
    ["true and false", ["TRUE", "false", "NA", "True"], "BOOLEAN", [true, false, null, true]],
    ["NA among numbers", ["1", "NA", "3", " "], "BIGINT", ["1", null, "3", null]],
    ["blanks among numbers", ["1.5", " ", "3"], "DOUBLE", [1.5, null, 3]],
    ["several words", ["1.5", "N/A", "NULL", "-", "n/a"], "DOUBLE", [1.5, null, null, null, null]],
    ["NA among dates", ["2024-01-31", "NA"], "DATE", ["2024-01-31", null]],
    ["NA among other dates", ["31.01.2024", "-"], "DATE", ["2024-01-31", null]],
    ["NA among groups", ["1,234,567", "NA"], "BIGINT", ["1234567", null]],
    ["Namibia", ["NA", "DE", "FR"], "VARCHAR", ["NA", "DE", "FR"]],
    ["nothing but NA", ["NA", "NA"], "VARCHAR", ["NA", "NA"]],
    ["blanks among texts", ["a", " ", "-"], "VARCHAR", ["a", " ", "-"]],
    ["postal codes", ["01234", "NA", "99999"], "VARCHAR", ["01234", "NA", "99999"]],
    [
      "telephone numbers",
      ["+4915112345678", "+441632960961"],
      "VARCHAR",
      ["+4915112345678", "+441632960961"],
    ],
    ["short telephone numbers", ["+49123", "NA", "+4412345"], "VARCHAR", ["+49123", "NA", "+4412345"]],
    ["signed numbers", ["+5", "-3", "+1.5"], "DOUBLE", [5, -3, 1.5]],
    ["large signed numbers", ["+12345", "-30210", "+22123"], "BIGINT", ["12345", "-30210", "22123"]],
    ["hexadecimal and underscores", ["0x1F", "1_000"], "VARCHAR", ["0x1F", "1_000"]],
    ["percent", ["12%", "0.5%", "-3 %"], "DOUBLE", [12, 0.5, -3]],
    ["percent and NA", ["12%", "NA"], "BIGINT", ["12", null]],
    ["dollars", ["$1,234.50", "-$2.00", "($3.25)"], "DOUBLE", [1234.5, -2, -3.25]],
    ["euros", ["1.234,50 €", "2,00 €"], "DOUBLE", [1234.5, 2]],
    ["two currencies", ["$5", "€5"], "VARCHAR", ["$5", "€5"]],
    ["millions", ["$5M", "$7M"], "VARCHAR", ["$5M", "$7M"]],
    [
      "a two-digit year with a time",
      ["7/10/14 18:37", "7/31/14 8:05"],
      "TIMESTAMP",
      ["2014-07-10 18:37:00", "2014-07-31 08:05:00"],
    ],
    ["nanoseconds", ["2024-01-05 10:00:00.123456789"], "VARCHAR", ["2024-01-05 10:00:00.123456789"]],
  ])("%s", async (_, texts, type, values) => {
    const result = await convert(one(...texts));
    expect(result.columns[0]!.type).toBe(type);
    expect(result.values.map(([first]) => first)).toEqual(values);
  });

  it("say that a plus was left out", async () => {
    const { notes } = await convert("a,b,c\n+1,1,+49123\n-2,2,+49124\n");
    expect(notes).toEqual([
      'Numbers in "a" had a plus in front, which is left out. To keep it, give the column the type VARCHAR in options.types.',
    ]);
  });

  it("say what was taken for no value, and which unit was left out", async () => {
    const result = await convert("n,p,d,c\n1,5%,$2,NA\nNA,6%,$3,DE\n-,7%,$4,FR\n");
    expect(typesOf(result)).toBe("BIGINT BIGINT BIGINT VARCHAR");
    expect(result.values.map((row) => row[3])).toEqual(["NA", "DE", "FR"]);
    expect(result.notes).toEqual([
      '"-", "NA" was read as no value in "n". To keep it, give the column the type VARCHAR in options.types.',
      'Numbers in "p" are in %, which is left out: 12% is 12.',
      'Numbers in "d" are in $, which is left out: $12 is 12.',
    ]);
    const kept = await convert("n,t\n1,x\nNA,y\n", { types: { n: "VARCHAR" } });
    expect(kept.values.map(([first]) => first)).toEqual(["1", "NA"]);
  });

  it("are found in columns that begin late, and hold when a unit is missing late", async () => {
    const empty = "1,,,5%\n".repeat(21_300);
    const result = await convert(`a,b,c,d\n${empty}2,7.5,31.12.2024,5%\n3,8,NA,6\n`);
    expect(typesOf(result)).toBe("BIGINT DOUBLE DATE VARCHAR");
    expect(result.values.slice(-2)).toEqual([
      ["2", 7.5, "2024-12-31", "5%"],
      ["3", 8, null, "6"],
    ]);
  });
});

describe("headers", () => {
  it.each<[string, string, boolean, string]>([
    ["a year", "state,2022\nOhio,-12.5\nIowa,7.25\n", true, "state 2022"],
    ["years", "region,2023,2024\nNorth,10,20\nSouth,30,40\n", true, "region 2023 2024"],
    ["numbers in order", "team,0,1,2\nHawks,0.5,0.51,0.6\nNets,0.5,0.4,0.3\n", true, "team 0 1 2"],
    ["numbers in order, none before them", ",0,1,2\na,0.5,0.51,0.6\n", true, "column_1 0 1 2"],
    ["text above dates and NA", "who,start,days\nann,1/21/77,245\nbob,2/28/77,NA\n", true, "who start days"],
    ["years above years", "x,2023\ny,2024\n", false, "column_1 column_2"],
    ["numbers above numbers", "x,1\ny,2\n", false, "column_1 column_2"],
    ["texts that come again", "red,on\nblue,on\nred,off\n", false, "column_1 column_2"],
    ["dates above dates", "31-Jan-2024,x\n1-Feb-2024,y\n", false, "column_1 column_2"],
    ["a text above many numbers", `id,1,1\n${"7,5,6\n".repeat(10)}`, true, "id 1 1_2"],
    [
      "a text above numbers, beside many values",
      `x,0,1,0,1,0,1\n${"7,0,1,0,1,0,1\n".repeat(10)}`,
      false,
      "column_1 column_2 column_3 column_4 column_5 column_6 column_7",
    ],
    [
      "a name that is missing",
      ",time,temp\n0,2022-07-29,03:14:50,18.1\n",
      true,
      "column_1 time temp column_4",
    ],
    ["a row without values above", ",,\na,b,c\nx,y,1\nz,y,2\n", true, "a b c"],
    ["an empty line above", "\nname\nann\n", true, "name"],
    ["names of rows", '"x","y"\n"1",5,6\n"2",7,8\n', true, "column_1 x y"],
    ["failed formulas in both rows", ",name,#REF!\n,x,#REF!\n", true, "column_1 name #REF!"],
    ["two tables", "month,cost\n1,2\n2,3\n3,4\n4,5\nmonth,cost\n5,6\n", true, "month cost"],
  ])("%s", async (_, content, header, names) => {
    const result = await convert(content);
    expect(result.detected.header).toBe(header);
    expect(namesOf(result)).toBe(names);
  });
});

it("more columns than are looked at together, and a name with a NUL in it", async () => {
  const names = Array.from({ length: 450 }, (_, index) => `c${index}`).join(",");
  const result = await convert(`x\u0000y,${names}\n${"1,".repeat(450)}NA\n${"2,".repeat(450)}5\n`);
  expect(new Set(result.columns.map(({ type }) => type))).toEqual(new Set(["BIGINT"]));
  expect(result.values[0]!.at(-1)).toBeNull();
  expect(result.detected.renamed).toEqual([{ position: 1, from: "xy", to: "xy" }]);
});

describe("rows and columns", () => {
  const rows = (row: string, count: number): string => `${row}\n`.repeat(count);
  it.each<[string, string, number, string, string[]]>([
    [
      "a comma after the header",
      `a,b,c,\n${rows("1,2,3", 300)}`,
      300,
      "a b c",
      ["The header ends with a delimiter, behind which there is neither a name nor a column."],
    ],
    [
      "a comma after each row",
      `a,b\n${rows("1,2,", 300)}`,
      300,
      "a b",
      ["A column after the first 2 had no name and no value and was left out."],
    ],
    [
      "commas after all lines",
      `a,b,,\n${rows("1,2,,", 300)}`,
      300,
      "a b",
      ["2 columns after the first 2 had no name and no value and were left out."],
    ],
    ["a late value below no name", `a,b,\n${rows("1,2,", 21_000)}1,2,3\n`, 21_001, "a b column_3", []],
    [
      "a header that names more",
      `a,b,c,d\n${rows("1,2,3", 300)}`,
      300,
      "a b c d",
      ["300 rows have fewer than 4 fields; the missing ones have no value."],
    ],
    [
      "short rows, empty lines and values of two lines",
      `a,b,c\n1,"x\ny",3\n4\n\n5,z\n6,z,7\n`,
      4,
      "a b c",
      ["2 rows have fewer than 3 fields; the missing ones have no value."],
    ],
  ])("%s", async (_, content, count, names, notes) => {
    const result = await convert(content);
    expect(result).toMatchObject({ rows: count, rejectedRows: 0 });
    expect(namesOf(result)).toBe(names);
    expect(result.notes).toEqual(notes);
  });

  it("a word in a short row is a value of its column", async () => {
    const result = await convert("a,b,c\n1,2,3\n4,5,6\nSource\n");
    expect(result.values).toEqual([
      ["1", "2", "3"],
      ["4", "5", "6"],
      ["Source", null, null],
    ]);
  });
});
