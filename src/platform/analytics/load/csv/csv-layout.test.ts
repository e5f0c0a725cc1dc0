import { describe, expect, it } from "vitest";
import { csvConverter } from "../../../../../test/support/csv.ts";

const convert = csvConverter();
const namesOf = ({ columns }: { columns: { name: string }[] }): string =>
  columns.map(({ name }) => name).join(" ");

describe("what stands above a table", () => {
  const table = "id,city,price\n1,Rome,3\n2,Oslo,6\n3,Bern,8\n";
  const texts = "name,city\nBob,Rome\nEve,Oslo\n";
  const names = "id city price";
  it.each<[string, string, string, number, string[]]>([
    ["a title", `Report 2024\n${table}`, names, 3, ['"Report 2024"']],
    ["a title and an empty line", `Report 2024\n\n${table}`, names, 3, ['"Report 2024"']],
    ["two titles", `Report\nQuarter 1\n\n${table}`, names, 3, ['"Report"', '"Quarter 1"']],
    ["a title with commas after it", `Report,,\n${table}`, names, 3, ['"Report"']],
    ["a title with a comma in it", `Sales, by region\n\n${table}`, names, 3, ['"Sales, by region"']],
    ["a title over two lines", `"Sales\nof 2024"\n${table}`, names, 3, ["Sales"]],
    ["a title in the middle", `,Report,\n,,\n${table}`, names, 3, ['",Report"']],
    ["names and values", `By:,Eve\nOn:,2024-01-01\n\n${table}`, names, 3, ['"By:,Eve"', "On:"]],
    ["a remark with commas", `# made by x, y, z, and others\n${table}`, names, 3, ["# made by"]],
    ["remarks of all widths", `# about\n# a, b\n\n# and, so, on\n${table}`, names, 3, ["# about"]],
    ["a title above texts", `Report 2024\n\n${texts}`, "name city", 2, ["Report 2024"]],
    ["a remark above more names than fields", "# gunk\na,b,c,d\n1,x,y\n2,z,w\n", "a b c d", 2, ["# gunk"]],
    ["empty lines alone", `\n\n${table}`, names, 3, []],
    ["delimiters alone", `,,\n${table}`, names, 3, ['",,"']],
    ["a single row below", "Report\n\na,b,c\n1,2,3\n", "a b c", 1, ["Report"]],
  ])("%s", async (_, content, header, rows, told) => {
    const result = await convert(content);
    expect(result).toMatchObject({ rows, rejectedRows: 0, detected: { header: true } });
    expect(namesOf(result)).toBe(header);
    if (told.length === 0) expect(result.notes).toEqual([]);
    else expect(result.notes[0]).toContain("above the table");
    for (const words of told) expect(result.notes[0]).toContain(words);
  });

  it.each<[string, string, string]>([
    ["an index without a name, as pandas writes it", ",0\na,1\nb,2\n", "column_1 0"],
    ["years of any century", ",1491,1555,1700,1751\na,,2,,\nb,1,,,\n", "column_1 1491 1555 1700 1751"],
    ["a name that is missing", "id,\n1,x\n2,y\n", "id column_2"],
    ["names above units", "time,speed\ns,m/s\n1,2\n2,3\n", "time speed"],
    ["names that are all but one missing", "name,\nBob,x\nEve,y\n", "name column_2"],
    [
      "a table of another width",
      "a,1\nb,2\nc,3\n\nx,y,z\n1,2,3\n4,5,6\n7,8,9\n",
      "column_1 column_2 column_3",
    ],
    ["a header above rows of all lengths", "a,b,c\n1\n1,2,3,4\n1,2,3,4,5\n1,2\n", "a b c"],
    ["a remark that names the columns", "# x,y,z\n1,2,3\n4,5,6\n", "# x y z"],
    ["a remark sign before a name", "#id,name\n1,x\n2,y\n", "#id name"],
  ])("but %s is no title", async (_, content, header) => {
    const result = await convert(content);
    expect(namesOf(result)).toBe(header);
    expect(result.detected.skippedLines).toBe(0);
  });
});

describe("one column whose values have commas", () => {
  it.each<[string, string, string, unknown[]]>([
    ["names", "name\nAbrahamsson, Bertil\nBerg, Anna\n", "VARCHAR", ["Abrahamsson, Bertil", "Berg, Anna"]],
    ["a single name", "name\nAbrahamsson, Bertil\n", "VARCHAR", ["Abrahamsson, Bertil"]],
    ["thousands", "total\n11,830,420\n9,100,200\n", "BIGINT", ["11830420", "9100200"]],
    ["decimals", "x\n1,5\n22,75\n", "DOUBLE", [1.5, 22.75]],
    [
      "sentences",
      "note\nfine\nyes, one\nno, two, three\n",
      "VARCHAR",
      ["fine", "yes, one", "no, two, three"],
    ],
    ["lists", "tags\na,b\nc\nd,e,f\n", "VARCHAR", ["a,b", "c", "d,e,f"]],
    ["few of them", `note\n${"x\n".repeat(9)}a, b\n`, "VARCHAR", [..."xxxxxxxxx", "a, b"]],
  ])("%s", async (_, content, type, values) => {
    const result = await convert(content);
    expect(result).toMatchObject({ rejectedRows: 0, columns: [{ type }] });
    expect(result.values.map(([value]) => value)).toEqual(values);
    expect(result.detected.delimiter).toBeUndefined();
  });

  it("comes late", async () => {
    const result = await convert(`note\n${"x\n".repeat(30_000)}a, b\n`);
    expect(result).toMatchObject({ rows: 30_001, rejectedRows: 0 });
    expect(result.values.at(-1)).toEqual(["a, b"]);
  });

  it("is told, and is cut where the caller says so", async () => {
    const content = "name\nBerg, Anna\nBerg, Ulf\n";
    expect((await convert(content)).notes).toEqual([
      'The file was read as one column, with "," as part of its values. If it stands between columns, say so in options.delimiter.',
    ]);
    expect(namesOf(await convert(content, { delimiter: "," }))).toBe("name column_2");
  });
});

describe("rows with more fields than the header", () => {
  const rowNames = expect.stringContaining("the first column holds the names of rows");
  it.each<[string, string, string, unknown[], unknown[]]>([
    ["names of rows", "a,b\nr1,1,2\nr2,3,4\n", "column_1 a b", ["r1", "1", "2"], [rowNames]],
    ["names of rows of one column", '"x"\n"1",5\n"2",7\n', "column_1 x", ["1", "5"], [rowNames]],
    [
      "a first column that comes again",
      "id,name\n1,Bob,x\n1,Eve,y\n",
      "id name column_3",
      ["1", "Bob", "x"],
      ["The rows have 3 fields, but the header has 2 names: the column at the end has none."],
    ],
    [
      "rows that are as long as the header",
      "id,name\n1,Bob,x\n2,Eve,y\n3,Al\n",
      "id name column_3",
      ["1", "Bob", "x"],
      [
        "The rows have 3 fields, but the header has 2 names: the column at the end has none.",
        "1 rows have fewer than 3 fields; the missing ones have no value.",
      ],
    ],
    [
      "two fields more",
      "a,b\n1,2,3,4\n5,6,7,8\n",
      "a b column_3 column_4",
      ["1", "2", "3", "4"],
      ["The rows have 4 fields, but the header has 2 names: the columns at the end have none."],
    ],
  ])("%s", async (_, content, header, first, notes) => {
    const result = await convert(content);
    expect(namesOf(result)).toBe(header);
    expect(result.values[0]).toEqual(first);
    expect(result.notes).toEqual(notes);
  });

  it("some of which have nothing in the fields behind", async () => {
    const result = await convert('a,b\n1,2\n3,4,\n5,"6,",,\n7,8\n');
    expect(result).toMatchObject({ rows: 4, rejectedRows: 0 });
    expect(result.values[2]).toEqual(["5", "6,"]);
  });

  it("are rejected where there are few of them, for a value may have a comma", async () => {
    const result = await convert("a,b\n1,2\n3,4,5\n6,7\n");
    expect(result).toMatchObject({ rows: 2, rejectedRows: 1, rejected: [{ line: 3 }] });
  });
});

it("names that come again are told", async () => {
  const result = await convert("a,A,b,a_2\n1,2,3,4\n");
  expect(namesOf(result)).toBe("a A_3 b a_2");
  expect(result.notes).toEqual(['Names that come again were changed: "A" is "A_3".']);
});

it.each([",,,\n", ",,,\n,,,\n", ";;\n", " , \n"])("nothing but delimiters: %j", async (content) => {
  await expect(convert(content)).rejects.toMatchObject({
    code: "bad_request",
    message: "The file has nothing but delimiters: no name and no value.",
  });
});
