import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics, tableViewOf } from "../../../../test/support/analytics.ts";
import type { ConvertOptions, ConvertResult, FileFormat, JsonValue } from "../index.ts";
import { LIMITS } from "../limits.ts";

let analytics: TestAnalytics;
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
});
afterAll(() => analytics.remove());

interface Converted extends ConvertResult {
  values: JsonValue[][];
}

async function convert(
  content: string | Buffer,
  options: ConvertOptions = {},
  format: FileFormat = "csv",
): Promise<Converted> {
  const bytes = Buffer.from(content);
  const result = await analytics.convert({ source: { bytes }, format, key: analytics.key(), options });
  const tableView = tableViewOf("t", result.part, { version: result.part.key });
  const { rows } = await analytics.query({
    scope: "w",
    tableViews: [tableView],
    sql: "SELECT * FROM t",
    limits: { rows: 200 },
  });
  return { ...result, values: rows };
}

const types = ({ columns }: ConvertResult): string => columns.map(({ type }) => type).join(" ");
const names = ({ columns }: ConvertResult): string[] => columns.map(({ name }) => name);

describe("detection", () => {
  it.each<[string, string, Partial<Converted["detected"]>, string, JsonValue[][]]>([
    [
      "commas",
      "a,b,c\n1,x,2.5\n2,y,3\n",
      { delimiter: ",", header: true, decimal: "." },
      "BIGINT VARCHAR DOUBLE",
      [
        [1, "x", 2.5],
        [2, "y", 3],
      ],
    ],
    [
      "semicolons and decimal commas",
      "a;b\n1,5;x\n-2,75;y\n",
      { delimiter: ";", decimal: "," },
      "DOUBLE VARCHAR",
      [
        [1.5, "x"],
        [-2.75, "y"],
      ],
    ],
    [
      "pipes",
      "a|b\n1|2\n3|4\n",
      { delimiter: "|" },
      "BIGINT BIGINT",
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      "no header",
      "1,x\n2,y\n",
      { header: false },
      "BIGINT VARCHAR",
      [
        [1, "x"],
        [2, "y"],
      ],
    ],
    [
      "only text",
      "name,city\nann,rome\nbob,paris\n",
      { header: true },
      "VARCHAR VARCHAR",
      [
        ["ann", "rome"],
        ["bob", "paris"],
      ],
    ],
    ["one column", "name\nann\nbob\n", { header: true }, "VARCHAR", [["ann"], ["bob"]]],
    ["only a header", "a,b\n", { header: true }, "VARCHAR VARCHAR", []],
    [
      "a title above",
      "Report of the year\n\na,b\n1,2\n3,4\n5,6\n",
      { skippedLines: 2 },
      "BIGINT BIGINT",
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    ],
    [
      "Windows line ends",
      "a,b\r\n1,2\r\n3,4\r\n",
      {},
      "BIGINT BIGINT",
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      "mixed line ends",
      "a,b\r\n1,2\n3,4\r\n",
      {},
      "BIGINT BIGINT",
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      "quotes and line breaks",
      'a,b\n"x, ""y""",1\n"line\nbreak",2\n',
      { quote: '"' },
      "VARCHAR BIGINT",
      [
        ['x, "y"', 1],
        ["line\nbreak", 2],
      ],
    ],
    [
      "German dates",
      "d;b\n31.12.2024;x\n01.02.2023;y\n",
      { dateFormat: "%d.%m.%Y" },
      "DATE VARCHAR",
      [
        ["2024-12-31", "x"],
        ["2023-02-01", "y"],
      ],
    ],
    [
      "American dates",
      "d,b\n12/31/2024,x\n01/02/2023,y\n",
      { dateFormat: "%m/%d/%Y" },
      "DATE VARCHAR",
      [
        ["2024-12-31", "x"],
        ["2023-01-02", "y"],
      ],
    ],
    [
      "timestamps",
      "a,b\n2024-01-01 10:00:00,2024-01-01T10:00:00+02:00\n2024-01-01 10:00,2024-01-01T10:00:00Z\n",
      {},
      "TIMESTAMP TIMESTAMP WITH TIME ZONE",
      [
        ["2024-01-01T10:00:00", "2024-01-01T08:00:00Z"],
        ["2024-01-01T10:00:00", "2024-01-01T10:00:00Z"],
      ],
    ],
    [
      "leading zeros",
      "zip,b\n01234,1\n99999,2\n",
      {},
      "VARCHAR BIGINT",
      [
        ["01234", 1],
        ["99999", 2],
      ],
    ],
    ["NaN and infinity", "a\nNaN\n1.5\ninf\n", {}, "DOUBLE", [["NaN"], [1.5], ["Infinity"]]],
    [
      "integers beyond 64 bits",
      "a,b\n12345678901234567890,1\n7,2\n",
      {},
      "DECIMAL(38,0) BIGINT",
      [
        ["12345678901234567890", 1],
        [7, 2],
      ],
    ],
    [
      "integers beyond 38 digits",
      `a,b\n${"9".repeat(40)},1\n7,2\n`,
      {},
      "VARCHAR BIGINT",
      [
        ["9".repeat(40), 1],
        ["7", 2],
      ],
    ],
    [
      "missing values",
      "a,b,c\n1,,x\n,2,\n",
      {},
      "BIGINT BIGINT VARCHAR",
      [
        [1, null, "x"],
        [null, 2, null],
      ],
    ],
    ["a mark at the beginning", "\ufeffa,b\n1,2\n", { encoding: "utf-8" }, "BIGINT BIGINT", [[1, 2]]],
  ])("%s", async (_, text, detected, expectedTypes, values) => {
    const result = await convert(text);
    expect(result.detected).toMatchObject(detected);
    expect(types(result)).toBe(expectedTypes);
    expect(result.values).toEqual(values);
    expect(result).toMatchObject({ rows: values.length, rejectedRows: 0 });
  });

  it("tabs by the format's name", async () => {
    expect(await convert("a\tb\n1,5\tx\n", {}, "tsv")).toMatchObject({
      values: [[1.5, "x"]],
      detected: { delimiter: "\t" },
    });
  });

  it("believes what it is told", async () => {
    const options: ConvertOptions = {
      delimiter: ";",
      header: false,
      quote: "'",
      nulls: ["n/a"],
      types: { COLUMN_2: "VARCHAR", column_3: "DOUBLE" },
      skipLines: 1,
    };
    const result = await convert("junk\n'a;b';1;n/a\nc;2;3\n", options);
    expect(result.values).toEqual([
      ["a;b", "1", null],
      ["c", "2", 3],
    ]);
    expect(names(result)).toEqual(["column_1", "column_2", "column_3"]);
  });
});

describe("names", () => {
  it("keeps them as they are", async () => {
    const result = await convert(`"it's",ü 漢,"a ""q""",Total (€), x ,select\n1,2,3,4,5,6\n`);
    expect(names(result)).toEqual(["it's", "ü 漢", 'a "q"', "Total (€)", "x", "select"]);
    expect(result.detected.renamed).toBeUndefined();
  });

  it("gives empty and repeated ones a name, and says so", async () => {
    const result = await convert("a,a,A,,a_2,\n1,2,3,4,5,6\n");
    expect(names(result)).toEqual(["a", "a_3", "A_4", "column_4", "a_2", "column_6"]);
    expect(result.detected.renamed).toEqual([
      { position: 2, from: "a", to: "a_3" },
      { position: 3, from: "A", to: "A_4" },
      { position: 4, from: "", to: "column_4" },
      { position: 6, from: "", to: "column_6" },
    ]);
    expect(result.values).toEqual([[1, 2, 3, 4, 5, 6]]);
  });
});

describe("encodings", () => {
  const text = "name,città\nGrüße,naïve €\n";
  it.each<[string, Buffer, ConvertOptions, string]>([
    ["UTF-16, little end first, marked", Buffer.from(`\ufeff${text}`, "utf16le"), {}, "utf-16le"],
    ["UTF-16 without a mark", Buffer.from(text, "utf16le"), {}, "utf-16le"],
    ["UTF-16, big end first", Buffer.from(`\ufeff${text}`, "utf16le").swap16(), {}, "utf-16be"],
    ["Windows", Buffer.from(text.replace("€", "\u0080"), "latin1"), {}, "windows-1252"],
    [
      "what it is told",
      Buffer.from(text.replace("€", "\u00a4"), "latin1"),
      { encoding: "ISO-8859-15" },
      "iso-8859-15",
    ],
  ])("%s", async (_, bytes, options, encoding) => {
    const result = await convert(bytes, options);
    expect(result.detected.encoding).toBe(encoding);
    expect(names(result)).toEqual(["name", "città"]);
    expect(result.values).toEqual([["Grüße", "naïve €"]]);
  });

  it("notices late that a text is not UTF-8", async () => {
    const plain = `id,name\n${Array.from({ length: 400_000 }, (_, id) => `${id},plain name\n`).join("")}`;
    const result = await convert(
      Buffer.concat([Buffer.from(plain), Buffer.from("7,M\u00fcller\n", "latin1")]),
    );
    expect(result.detected.encoding).toBe("windows-1252");
    expect(result).toMatchObject({ rows: 400_001, rejectedRows: 0 });
  });

  it("rejects the rows when UTF-8 was promised", async () => {
    const bytes = Buffer.concat([
      Buffer.from("a,b\n1,x\n2,"),
      Buffer.from([0xe4, 0x0a]),
      Buffer.from("3,z\n"),
    ]);
    const result = await convert(bytes, { encoding: "utf8" });
    expect(result.values).toEqual([
      [1, "x"],
      [3, "z"],
    ]);
    expect(result.rejected).toEqual([{ line: 3, reason: expect.stringMatching(/unicode/) }]);
  });

  it("refuses an encoding that nobody knows", async () => {
    await expect(convert("a\n1\n", { encoding: "klingon" })).rejects.toMatchObject({ code: "bad_request" });
  });
});

describe("rows that do not fit", () => {
  it("leaves out broken rows and says which and why", async () => {
    const result = await convert('a,b,c\n1,2,3\n1,2\n1,2,3,4\n4,5,6\n7,"x"y,8\n9,10,11\n');
    expect(result.values).toEqual([
      [1, "2", 3],
      [1, "2", null],
      [4, "5", 6],
      [9, "10", 11],
    ]);
    expect(result.notes).toEqual(["1 rows have fewer than 3 fields; the missing ones have no value."]);
    expect(result.rejectedRows).toBe(2);
    expect(result.rejected).toEqual([
      { line: 4, reason: expect.stringContaining("Found: 4") },
      { line: 6, reason: expect.stringContaining("quote") },
    ]);
  });

  it("takes rows that are nearly as long as they may be", async () => {
    const long = "x".repeat(LIMITS.analytics.rowBytes - 100);
    const rows = Array.from({ length: 9 }, (_, n) => `${n},"${long.slice(n)}"\n${n},short\n`);
    const result = await convert(`n,text\n${rows.join("")}`);
    expect(result).toMatchObject({ rows: 18, rejectedRows: 0 });
  });

  it("lists the first hundred and counts all", async () => {
    const result = await convert(`a,b\n${"1,2\n1,2,3\n".repeat(5_000)}`);
    expect(result).toMatchObject({ rows: 5_000, rejectedRows: 5_000 });
    expect(result.rejected).toHaveLength(100);
    expect(result.rejected[99]).toEqual({ line: 201, reason: expect.any(String) });
  });

  it("rejects what does not fit a type that was chosen", async () => {
    const result = await convert("a,b\n1,2024-01-01\nx,2024-01-02\n3,soon\n", {
      types: { a: "INTEGER", b: "DATE" },
    });
    expect(types(result)).toBe("INTEGER DATE");
    expect(result.values).toEqual([[1, "2024-01-01"]]);
    expect(result.rejected.map(({ line }) => line)).toEqual([3, 4]);
  });

  it("refuses a file of which nothing fits", async () => {
    const bad = `a,b\n${"1,2\n".repeat(300)}${"1,2,3\n".repeat(120_000)}`;
    await expect(convert(bad)).rejects.toMatchObject({
      code: "bad_request",
      data: { rejected: expect.any(Array) },
    });
  });
});

describe("values that come late", () => {
  const rows = (row: string): string =>
    `id,v\n${Array.from({ length: 30_000 }, (_, id) => `${id},${row}\n`).join("")}`;
  it.each<[string, string, string, string, JsonValue]>([
    ["a fraction among integers", "5", "1.5", "DOUBLE", 1.5],
    ["an exponent among integers", "5", "1e-1", "DOUBLE", 0.1],
    ["a huge integer among integers", "5", "99999999999999999999", "DECIMAL(38,0)", "99999999999999999999"],
    ["text among integers", "5", "open", "VARCHAR", "open"],
    ["text among numbers", "5.5", "open", "VARCHAR", "open"],
    ["a word for no value among integers", "5", "n/a", "BIGINT", null],
    ["a word for no value among numbers", "5.5", "NULL", "DOUBLE", null],
    ["a date among dates that would be in the year 7", "2024-01-01", "7/10/14", "VARCHAR", "7/10/14"],
    ["a yes among truth values", "true", "yes", "VARCHAR", "yes"],
    ["a time among dates", "2024-01-01", "2024-01-01 10:11:12", "TIMESTAMP", "2024-01-01T10:11:12"],
    [
      "a zone among timestamps",
      "2024-01-01 10:00:00",
      "2024-01-01T10:00:00+02:00",
      "TIMESTAMP WITH TIME ZONE",
      "2024-01-01T08:00:00Z",
    ],
    ["text among dates", "2024-01-01", "soon", "VARCHAR", "soon"],
    ["text among booleans", "true", "maybe", "VARCHAR", "maybe"],
  ])("%s widens the column and loses nothing", async (_, early, late, type, value) => {
    const result = await convert(`${rows(early)}30000,${late}\n`);
    expect(types(result)).toBe(`BIGINT ${type}`);
    expect(result).toMatchObject({ rows: 30_001, rejectedRows: 0 });
    const tableView = tableViewOf("t", result.part, { version: result.part.key });
    const found = await analytics.query({
      scope: "w",
      tableViews: [tableView],
      sql: "SELECT v FROM t WHERE id = 30000",
    });
    expect(found.rows).toEqual([[value]]);
  });
});

describe("what is no CSV file", () => {
  it.each<[string, string | Buffer, string, RegExp]>([
    ["nothing", "", "bad_request", /empty/],
    ["blanks", " \n\n ", "bad_request", /empty/],
    ["an Excel file", Buffer.from("PK\u0003\u0004xxxxxxxxxxxxxx"), "bad_request", /Excel/],
    ["a gzip file", Buffer.from([0x1f, 0x8b, 8, 0, 0]), "bad_request", /gzip/],
    [
      "100,000 columns",
      `${Array.from({ length: 100_000 }, (_, index) => `c${index}`).join(",")}\n1,2\n`,
      "too_large",
      /2,000 columns/,
    ],
  ])("%s", async (_, content, code, message) => {
    await expect(convert(content)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it("a giant row is left out", async () => {
    const result = await convert(`a,b\n1,x\n2,${"y".repeat(5_000_000)}\n3,z\n`);
    expect(result.values).toEqual([
      [1, "x"],
      [3, "z"],
    ]);
    expect(result.rejected).toEqual([{ line: 3, reason: expect.stringMatching(/line size/i) }]);
  });

  it("random bytes get an answer", async () => {
    // The low bits of squares are random enough, and the same every time.
    const bytes = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, n) => ((n * n) / 7) & 255));
    const outcome = await convert(bytes).catch((error: unknown) => error);
    expect(outcome).toSatisfy(
      (value: { rows?: number; code?: string }) =>
        value.rows !== undefined || ["bad_request", "too_large"].includes(value.code ?? ""),
    );
  });
});
