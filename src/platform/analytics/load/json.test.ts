import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics, tableViewOf } from "../../../../test/support/analytics.ts";
import type { ConvertOptions, ConvertResult, FileFormat, JsonValue } from "../index.ts";

let analytics: TestAnalytics;
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
});
afterAll(() => analytics.remove());

async function convert(
  content: string | Buffer,
  format: FileFormat = "json",
  options: ConvertOptions = {},
): Promise<ConvertResult & { values: JsonValue[][] }> {
  const bytes = Buffer.from(content);
  const result = await analytics.convert({ source: { bytes }, format, key: analytics.key(), options });
  const tableView = tableViewOf("t", result.part, { version: result.part.key });
  const { rows } = await analytics.query({ scope: "w", tableViews: [tableView], sql: "SELECT * FROM t" });
  return { ...result, values: rows };
}

const schema = ({ columns }: ConvertResult): string =>
  columns.map(({ name, type }) => `${name} ${type}`).join(", ");

describe("JSON", () => {
  it.each<[string, string, string, JsonValue[][]]>([
    [
      "an array",
      '[{"a":1,"b":"x"},\n {"a":2.5,"c":true}]',
      "a DOUBLE, b VARCHAR, c BOOLEAN",
      [
        [1, "x", null],
        [2.5, null, true],
      ],
    ],
    ["a mark at the beginning", '\ufeff[{"a":1}]', "a BIGINT", [[1]]],
    [
      "nested values",
      '[{"n":{"x":1,"l":[{"y":"z"}]}},{"n":{"x":2.5}}]',
      'n STRUCT("x" DOUBLE, "l" STRUCT("y" VARCHAR)[])',
      [[{ x: 1, l: [{ y: "z" }] }], [{ x: 2.5, l: null }]],
    ],
    ["values that do not agree", '[{"a":1},{"a":"x"},{"a":true}]', "a VARCHAR", [["1"], ["x"], ["true"]]],
    [
      "values that do not agree at all",
      '[{"a":1},{"a":{"b":[1]}},{"a":"x"},{"a":null}]',
      "a JSON",
      [[1], [{ b: [1] }], ["x"], [null]],
    ],
    [
      "integers beyond 2^53",
      '[{"a":9007199254740993,"b":12345678901234567890},{"a":1,"b":2}]',
      "a BIGINT, b DECIMAL(38,0)",
      [
        ["9007199254740993", "12345678901234567890"],
        [1, 2],
      ],
    ],
    [
      "dates and times",
      '[{"d":"2024-02-29","t":"2024-01-01T10:00:00","z":"2024-01-01T10:00:00.5+02:00","x":"2024-02-30"}]',
      "d DATE, t TIMESTAMP, z TIMESTAMP WITH TIME ZONE, x VARCHAR",
      [["2024-02-29", "2024-01-01T10:00:00", "2024-01-01T08:00:00.5Z", "2024-02-30"]],
    ],
    [
      "dates beside times",
      '[{"d":"2024-01-01"},{"d":"2024-01-01T10:00:00Z"}]',
      "d TIMESTAMP WITH TIME ZONE",
      [["2024-01-01T00:00:00Z"], ["2024-01-01T10:00:00Z"]],
    ],
    [
      "dates as people write them",
      '[{"d":"Jun 12 1998","t":"31/01/2024 14:30","x":"Jun 12 1998","y":7},{"d":"Aug 7 1998","x":"some day"},{"d":null,"t":"1/2/2024 9:05","y":"Jun 12 1998"}]',
      "d DATE, t TIMESTAMP, x VARCHAR, y VARCHAR",
      [
        ["1998-06-12", "2024-01-31T14:30:00", "Jun 12 1998", "7"],
        ["1998-08-07", null, "some day", null],
        [null, "2024-02-01T09:05:00", null, "Jun 12 1998"],
      ],
    ],
    ["a date that stands twice", '[{"d":1,"d":"12-Jun-98"}]', "d DATE", [["1998-06-12"]]],
    ["names in different cases", '[{"a":1},\n{"A":2}]', "a BIGINT", [[1], [2]]],
    [
      "names in different cases side by side",
      '[{"b":0,"a":1},\n{"A":2},\n{"A":3,"a":4},\n{"A_2":5,"B":6}]',
      "b BIGINT, a BIGINT, A_3 BIGINT, A_2 BIGINT",
      [
        [0, 1, null, null],
        [null, null, 2, null],
        [null, 4, 3, null],
        [6, null, null, 5],
      ],
    ],
    [
      "digits beside other spellings",
      '[{"a":9007199254740993,"A":{"x":9007199254740995}},\n{"A":null,"b":1,"b":2}]',
      'a BIGINT, A_2 STRUCT("x" BIGINT), b BIGINT',
      [
        ["9007199254740993", { x: "9007199254740995" }, null],
        [null, null, 2],
      ],
    ],
    [
      "a field that stands twice",
      '[{"a":1,"a":2,"n":{"x":1,"x":3}}]',
      'a BIGINT, n STRUCT("x" BIGINT)',
      [[2, { x: 3 }]],
    ],
    [
      "odd texts",
      '[{"a":"x\\u0000y","b":"\\ud83d!","c":"\\ud83d\\ude00"}]',
      "a VARCHAR, b VARCHAR, c VARCHAR",
      [["x\u0000y", "\ufffd!", "😀"]],
    ],
    [
      "nothing in a column",
      '[{"a":1,"b":null},{"a":2}]',
      "a BIGINT, b NULL",
      [
        [1, null],
        [2, null],
      ],
    ],
    ["nothing in any column", '[{"a":null},{}]', "a NULL", [[null], [null]]],
    [
      "empty lists and objects",
      '[{"a":[],"b":{}},{"a":[1],"b":{}}]',
      "a BIGINT[], b JSON",
      [
        [[], {}],
        [[1], {}],
      ],
    ],
    [
      "odd names",
      '[{"":1,"it\'s":2,"a\\"b":3,"__proto__":4}]',
      "column_1 BIGINT, it's BIGINT, a\"b BIGINT, __proto__ BIGINT",
      [[1, 2, 3, 4]],
    ],
  ])("%s", async (_, text, expected, values) => {
    const result = await convert(text);
    expect(schema(result)).toBe(expected);
    expect(result.values).toEqual(values);
    expect(result.rejectedRows).toBe(0);
  });

  it("many different fields are a collection", async () => {
    const rows = Array.from({ length: 150 }, (_, index) => ({ n: { [`k${index}`]: index } }));
    const result = await convert(JSON.stringify(rows));
    expect(schema(result)).toBe("n JSON");
    expect(result.values[149]).toEqual([{ k149: 149 }]);
  });

  it("so are many objects with some fields each, which would take the engine hundreds of megabytes to read", async () => {
    const row = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `k${at}`,
        Object.fromEntries([..."abcdefghi"].map((f) => [f, at])),
      ]),
    );
    const { columns, values } = await convert(JSON.stringify([{ n: 1, tags: ["x"], ...row }]));
    expect(columns.map(({ type }) => type).slice(0, 4)).toEqual(["BIGINT", "JSON", "JSON", "JSON"]);
    expect(values[0]?.slice(0, 3)).toEqual([1, ["x"], row.k0]);
  });

  it("other encodings", async () => {
    const result = await convert(Buffer.from('\ufeff[{"ä":"€"}]', "utf16le"));
    expect(result).toMatchObject({
      values: [["€"]],
      columns: [{ name: "ä" }],
      detected: { encoding: "utf-16le" },
    });
  });

  it("a type that was chosen", async () => {
    expect(schema(await convert('[{"id":1}]', "json", { types: { ID: "varchar" } }))).toBe("id VARCHAR");
  });

  it.each<[string, string, FileFormat, number[]]>([
    [
      "one a line",
      '{"a":1,"b":"2024-01-01"}\n\nbroken\n{"a":"x"}\n{"a":null}\n{"b":"soon"}',
      "ndjson",
      [3, 4, 6],
    ],
    [
      "in an array",
      '[{"a":1,"b":"2024-01-01"},\n{"a":"x",\n"b":null},{"a":null},\n\n{"b":"soon"}]',
      "json",
      [2, 5],
    ],
    ["with a field twice", '{"a":1,"b":"2024-01-01"}\n{"a":2,"a":"x"}\n{"a":null}', "ndjson", [2]],
  ])("rejects rows that do not fit a type that was chosen, %s", async (_how, text, format, lines) => {
    const result = await convert(text, format, { types: { A: "integer", b: "date" } });
    expect(schema(result)).toBe("a INTEGER, b DATE");
    expect(result.values).toEqual([
      [1, "2024-01-01"],
      [null, null],
    ]);
    expect(result.rejected.map(({ line }) => line)).toEqual(lines);
    expect(result).toMatchObject({ rows: 2, rejectedRows: lines.length });
  });

  it("says why a row was rejected, and counts all of them", async () => {
    const text = Array.from({ length: 5_000 }, (_, n) => `{"n":${n % 2 === 0 ? n : '"odd"'}}`).join("\n");
    const result = await convert(text, "ndjson", { types: { n: "bigint" } });
    expect(result).toMatchObject({ rows: 2_500, rejectedRows: 2_500 });
    expect(result.rejected).toHaveLength(100);
    expect(result.rejected[1]).toEqual({
      line: 4,
      reason: 'Column "n": "odd" cannot be read as BIGINT.',
    });
    const none = await convert('[{"id":"x"}]', "json", { types: { id: "bigint" } });
    expect(none).toMatchObject({ rows: 0, rejectedRows: 1, values: [] });
  });

  it("a type for objects that do not fit it is refused as a whole", async () => {
    const types = { o: "STRUCT(x INTEGER)" };
    await expect(convert('[{"o":{"x":"y"}}]', "json", { types })).rejects.toMatchObject({
      code: "bad_request",
    });
  });

  it("values that are cut by the pieces in which a file is read", async () => {
    const rows = Array.from({ length: 30_000 }, (_, id) => ({
      id,
      text: 'a "quoted" \\ text, [with] {brackets}'.repeat(3),
    }));
    for (const [text, format] of [
      [JSON.stringify(rows), "json"],
      [JSON.stringify(rows, null, 2), "json"],
      [rows.map((row) => JSON.stringify(row)).join("\n"), "ndjson"],
    ] as const) {
      const result = await convert(text, format);
      const { rows: sums } = await analytics.query({
        scope: "w",
        tableViews: [tableViewOf("t", result.part, { version: result.part.key })],
        sql: "SELECT count(*), sum(id), count(DISTINCT text), min(text) FROM t",
      });
      expect(sums).toEqual([[30_000, 449_985_000, 1, rows[0]!.text]]);
    }
  });
});

describe("lines that are no JSON", () => {
  it("are left out, with their number and the reason", async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":1}\n{"a":\n\n[1]\n{"a":2}\n{"a":"'),
      Buffer.from([0xe4]),
      Buffer.from('"}\nnull\n{"a":3'),
    ]);
    const result = await convert(bytes, "ndjson", { encoding: "utf-8" });
    expect(result.values).toEqual([[1], [2]]);
    expect(result.rejectedRows).toBe(5);
    expect(result.rejected.map(({ line }) => line)).toEqual([2, 4, 6, 7, 8]);
    expect(result.rejected[1]).toEqual({ line: 4, reason: "it is not an object" });
  });
});

describe("what is no JSON file", () => {
  const deep = (levels: number): string => `[{"a":${"[".repeat(levels)}${"]".repeat(levels)}}]`;
  it.each<[string, string, FileFormat, string, RegExp]>([
    ["nothing", "", "json", "bad_request", /empty/],
    ["no rows", "[]", "json", "bad_request", /no rows/],
    ["no fields", "[{}, {}]", "json", "bad_request", /no fields/],
    ["only scalars", "[1,2]", "json", "bad_request", /line 1: it is not an object/],
    ["text", "hello\nworld\n", "ndjson", "bad_request", /No row can be read. Line 1/],
    ["a cut file", '[{"a":1},\n{"a":', "json", "bad_request", /ends in the middle \(line 2\)/],
    ["a missing comma", '[{"a":1}\n\n{"a":2}]', "json", "bad_request", /misses a comma \(line 3\)/],
    ["a comma too many", '[{"a":1},]x', "json", "bad_request", /line 1/],
    ["a broken value", '[{"a":1},\n{"a":tru}]', "json", "bad_request", /line 2/],
    ["great depth", deep(100_000), "json", "too_large", /200 levels/],
    ["great depth in a line", deep(100_000).slice(1, -1), "ndjson", "too_large", /200 levels/],
    ["a giant value", `[{"a":"${"x".repeat(17_000_000)}"}]`, "json", "too_large", /value at line 1/],
    [
      "too many columns",
      JSON.stringify([Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`c${index}`, 1]))]),
      "json",
      "too_large",
      /2,000/,
    ],
  ])("%s", async (_, text, format, code, message) => {
    await expect(convert(text, format)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it("moderate depth is kept", async () => {
    const result = await convert(deep(150));
    expect(JSON.stringify(result.values[0]![0])).toBe(`${"[".repeat(150)}${"]".repeat(150)}`);
  });
});

describe("Parquet", () => {
  it("comes in as it is, in types that last", async () => {
    const first = await convert('[{"a":1,"n":{"x":[1]}},{"a":12345678901234567890}]');
    const path = first.part.path;
    const result = await analytics.convert({ source: { path }, format: "parquet", key: analytics.key() });
    expect(result).toMatchObject({ rows: 2, columns: first.columns, detected: { format: "parquet" } });
  });

  it.each([
    ["no Parquet", Buffer.from("a,b\n1,2\n")],
    ["a cut file", Buffer.from("PAR1xxxxxxxxxxxxxxxx")],
    [
      "a lying footer",
      Buffer.concat([
        Buffer.from("PAR1"),
        Buffer.alloc(100, 7),
        Buffer.from([255, 255, 255, 127]),
        Buffer.from("PAR1"),
      ]),
    ],
  ])("%s is refused", async (_, bytes) => {
    await expect(convert(bytes, "parquet")).rejects.toMatchObject({ code: "bad_request" });
  });
});

describe("what the text of JSON tells besides its values", () => {
  it("an order of day and month that could be another is told, and can be said", async () => {
    const text = '[{"d":"03/04/2024","e":"x"},{"d":"05/06/2024","e":"y"}]';
    const result = await convert(text);
    const other = result.values[0]![0] === "2024-04-03" ? "%m/%d/%Y" : "%d/%m/%Y";
    expect(result.notes).toEqual([expect.stringContaining(`options.date_format "${other}"`)]);
    const said = await convert(text, "json", { dateFormat: other });
    expect(said.values[0]![0]).not.toBe(result.values[0]![0]);
    expect(said.notes).toEqual([]);
    const kept = await convert(text, "json", { types: { d: "VARCHAR" } });
    expect(kept.values[0]![0]).toBe("03/04/2024");
  });

  it("a date that comes late in a column is found", async () => {
    const rows = Array.from({ length: 3_000 }, (_, id) =>
      id < 2_900 ? { id, d: null } : { id, d: "1.12.2024" },
    );
    expect(schema(await convert(JSON.stringify(rows)))).toBe("id BIGINT, d DATE");
  });

  it("columns that are named by numbers keep their order", async () => {
    const text =
      '[{"name":"x","2019":1,"2020":[{"10":1}],"a\\"b":"{\\"7\\":1}"},{"name":"y","2018":3,"2019":2}]';
    expect((await convert(text)).columns.map(({ name }) => name)).toEqual([
      "name",
      "2019",
      "2020",
      'a"b',
      "2018",
    ]);
    const lines = await convert('{"z":1,"10":2,"2":3}\n{"2":4,"1":5}\n', "ndjson");
    expect(schema(lines)).toBe("z BIGINT, 10 BIGINT, 2 BIGINT, 1 BIGINT");
    expect(lines.values).toEqual([
      [1, 2, 3, null],
      [null, null, 4, 5],
    ]);
  });

  it("digits beyond a DOUBLE are told, and kept in other types", async () => {
    const text = '[{"pi":3.14159265358979323846,"n":0.1},{"pi":1.5,"n":0.30000000000000004}]';
    const result = await convert(text);
    expect(result.values.map(([pi]) => pi)).toEqual([Math.PI, 1.5]);
    expect(result.notes).toEqual([expect.stringMatching(/^Numbers in "pi" have more digits/)]);
    for (const type of ["DECIMAL(38,20)", "VARCHAR"]) {
      const exact = await convert(text, "json", { types: { pi: type } });
      expect(exact.values[0]![0]).toBe("3.14159265358979323846");
      expect(exact.notes).toEqual([]);
    }
  });

  it("inside of lists and objects they are told", async () => {
    const result = await convert('[{"a":[0.12345678901234567890123,{"b":9007199254740993}]},{"a":7}]');
    expect(schema(result)).toBe("a JSON");
    expect(result.values[0]![0]).toEqual([0.12345678901234568, { b: "9007199254740993" }]);
    expect(result.notes).toEqual([expect.stringMatching(/^Numbers in "a" have more digits/)]);
  });
});
