import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Read, readWith } from "../../../../../test/support/data-files.ts";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../../../platform/analytics/limits.ts";
import { ElementSplitter } from "../../../../platform/files/index.ts";
import { openJson } from "./json-reader.ts";
import type { ReadOptions } from "./table-reader.ts";

const read = (json: string | Buffer, options?: ReadOptions): Promise<Read> =>
  readWith(openJson, json, options);
const refusal = (json: string | Buffer, options?: ReadOptions): Promise<unknown> =>
  read(json, options).catch((error: unknown) => error);

describe("objects around rows", () => {
  it.each<[string, string, string | undefined, unknown[]]>([
    ["one array inside", '{"total":2,"data":[{"a":1},{"a":2}],"tags":["x"]}', "data", [{ a: 1 }, { a: 2 }]],
    ["deeper inside", '{"response":{"meta":{},"items":[{"a":1}]}}', "response/items", [{ a: 1 }]],
    [
      "the least deep of several",
      '{"data":[{"a":[{"b":1}]}],"links":{"next":[{"c":1}]}}',
      "data",
      [{ a: [{ b: 1 }] }],
    ],
    ["names with slashes and escapes", '{"a\\u002fb~":{"\\"":[{"c":1}]}}', 'a~1b~0/"', [{ c: 1 }]],
    ["lists inside", '{"rows":[["a","b"],[1,2]]}', "rows", [{ a: 1, b: 2 }]],
    [
      "no table inside",
      '{"id":1,"tags":["x","y"],"in":{"a":1}}',
      undefined,
      [{ id: 1, tags: ["x", "y"], in: { a: 1 } }],
    ],
    ["brackets and quotes in texts", '{"a\\"[{":"]}","d":[{"x":"[{\\\\"}]}', "d", [{ x: "[{\\" }]],
  ])("%s", async (_, json, rowPath, rows) => {
    const result = await read(json);
    expect(result.rows).toEqual(rows);
    expect(result.report.rowPath).toBe(rowPath);
  });

  it("says what was taken where there are other lists, and takes the shapes of TopoJSON", async () => {
    const topology = {
      type: "Topology",
      arcs: [[[0, 1]], [[2, 3]]],
      objects: {
        land: { type: "MultiPolygon", arcs: [[[0]], [[1]]] },
        states: { type: "GeometryCollection", geometries: [{ type: "Polygon", id: "de" }] },
      },
    };
    const shapes = await read(JSON.stringify(topology));
    expect(shapes.rows).toEqual([{ type: "Polygon", id: "de" }]);
    expect(shapes.report).toMatchObject({ rowPath: "objects/states/geometries", notes: [] });
    const nested = '{"data":[{"a":1}],"links":{"next":[{"c":1}]}}';
    expect((await read(nested)).report.notes).toEqual([
      expect.stringMatching(/rows are those of data\..*row_path: "links\/next"/),
    ]);
    expect((await read(nested, { rowPath: "data" })).report.notes).toEqual([]);
  });

  it("takes objects of objects that are alike as rows with their names", async () => {
    const json = '{\n "ann":{"age":3,"city":"Bern"},\n "b\\"ob":{ "age":4,"city":null}, "eve":{"age":5}}';
    const { rows, report } = await read(json);
    expect(rows).toEqual([
      { key: "ann", age: 3, city: "Bern" },
      { key: 'b"ob', age: 4, city: null },
      { key: "eve", age: 5 },
    ]);
    expect(report.notes).toEqual([
      expect.stringMatching(/object of 3 objects.*key holds its name.*row_path/),
    ]);
    expect((await read(json, { rowPath: "." })).rows).toEqual([JSON.parse(json)]);
    expect((await read('{"a":{"key":1},"b":{"key":2},"c":{"key":3}}')).rows[0]).toEqual({
      _key: "a",
      key: 1,
    });
  });

  it.each([
    ["differ", '{"user":{"name":"x","age":1},"home":{"street":"y","zip":2}}'],
    ["are columns by the numbers of rows", '{"a":{"0":1,"1":2},"b":{"0":3,"1":4}}'],
    ["are one", '{"a":{"b":1}}'],
    ["stand beside values", '{"a":{"b":1},"c":{"b":2},"n":1}'],
  ])("leaves objects that %s in one row", async (_, json) => {
    expect((await read(json)).rows).toEqual([JSON.parse(json)]);
  });

  it("asks when several could be meant, and does as it is told", async () => {
    const json = '{"data":[{"a":1}],"included":[{"b":2}],"x":{"y":[3,4]}}';
    expect(await refusal(json)).toMatchObject({
      code: "bad_request",
      hint: expect.stringContaining('"data", "included"'),
    });
    expect((await read(json, { rowPath: "/included" })).rows).toEqual([{ b: 2 }]);
    expect((await read(json, { rowPath: "x/y" })).rows).toEqual([{ value: 3 }, { value: 4 }]);
    expect((await read(json, { rowPath: "." })).rows).toEqual([JSON.parse(json)]);
    expect(await refusal(json, { rowPath: "nope" })).toMatchObject({
      code: "bad_request",
      hint: expect.stringContaining('"x/y"'),
    });
  });
});

describe("other shapes", () => {
  it.each<[string, string, unknown[]]>([
    [
      "lists with a header",
      '[["a","b"],[1,"x"],[2]]',
      [
        { a: 1, b: "x" },
        { a: 2, b: null },
      ],
    ],
    [
      "lists of identifiers",
      '[["550e8400-e29b-41d4-a716-446655440000"],["b"]]',
      [{ column_1: "550e8400-e29b-41d4-a716-446655440000" }, { column_1: "b" }],
    ],
    [
      "lists without one",
      "[[1,2],[3,4,[5]]]",
      [
        { column_1: 1, column_2: 2, column_3: null },
        { column_1: 3, column_2: 4, column_3: [5] },
      ],
    ],
    ["lists a line", '["a","b"]\n[1,2]\n', [{ a: 1, b: 2 }]],
    ["names twice and not at all", '[["a","A","a"],[1,2,3,4]]', [{ a: 1, A_2: 2, a_3: 3, column_4: 4 }]],
    ["plain values", '[1,"x",null,true]', [{ value: 1 }, { value: "x" }, { value: null }, { value: true }]],
    ["objects one after the other", '{\n "a": 1\n}\n{\r\n "a": 2 } {"a":3}', [{ a: 1 }, { a: 2 }, { a: 3 }]],
    ["one object", '{"a":1}', [{ a: 1 }]],
    ["an array of objects", '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
  ])("%s", async (_, json, rows) => {
    expect((await read(json)).rows).toEqual(rows);
  });

  it("keeps every digit and every name", async () => {
    const { lines } = await read('[["n","__proto__"],[12345678901234567890.12345,1e400]]');
    expect(lines).toEqual(['{"n":12345678901234567890.12345,"__proto__":1e400}']);
    expect((await read('[["a"],["b"]]', { header: false })).rows).toEqual([
      { column_1: "a" },
      { column_1: "b" },
    ]);
  });

  it.each([
    ["utf-16", Buffer.from('\ufeff{"d":[{"a":"ä"}]}', "utf16le"), {}],
    ["a mark", Buffer.from('\ufeff{"d":[{"a":"ä"}]}'), {}],
    ["latin1", Buffer.from('{"d":[{"a":"ä"}]}', "latin1"), { encoding: "latin1" }],
  ])("through %s", async (_, bytes, options) => {
    expect((await read(bytes, options)).rows).toEqual([{ a: "ä" }]);
  });

  it.each([
    ["a number", "42", "bad_request", "single value"],
    ["a text", '"abc"', "bad_request", "single value"],
    ["nothing", "  ", "bad_request", "no rows"],
    ["an empty array", "[]", "bad_request", "no rows"],
    ["an empty array inside", '{"data":[[],[]]}', "bad_request", "no rows"],
    ["a header alone", '{"rows":[["a"]]}', undefined, ""],
    ["objects and lists", '[{"a":1},[2]]', "bad_request", "not alike"],
    ["values and lists", "[1,[2]]", "bad_request", "not alike"],
    ["cut off", '{"a":[{"b":1},\n{"b"', "bad_request", "ends in the middle (line 2)"],
    ["a bracket too many", '{"a":1}]', "bad_request", "closes nothing"],
    ["the wrong bracket", '{"a":[1}', "bad_request", "closes nothing"],
    ["names without quotes", "{a:1}", "bad_request", "name without quotes"],
    ["a sign apart from its number", "[- 1]", "bad_request", "misses a comma"],
    ["a space in a number", "[1 000.0]", "bad_request", "misses a comma"],
    ["two commas", "[1,,2]", "bad_request", "comma too many"],
    ["a comma before the first", "[,1]", "bad_request", "comma too many"],
    ["a comma behind the last", '["x",]', "bad_request", "misses a value"],
    ["a colon in a list", '["": 1]', "bad_request", "colon too many"],
    ["a name alone", '{"d":[1],"a"}', "bad_request", "misses a value"],
    ["a line break in a text", '["new\nline"]', "bad_request", "line break or a tab"],
    ["deep nesting", `{"a":${"[".repeat(100_000)}`, "too_large", "levels deep"],
    [
      "deep nesting in rows",
      `{"d":[{"a":${'{"a":'.repeat(300)}1${"}".repeat(300)}}]}`,
      "too_large",
      "levels deep",
    ],
    ["too many columns", `[[${"1,".repeat(LIMITS.analytics.columns)}1]]`, "too_large", "columns"],
    ["a giant row", `[["${"x".repeat(17_000_000)}"]]`, "too_large", "16 MB"],
  ])("%s", async (_, json, code, message) => {
    const result = await refusal(json);
    if (code === undefined) expect(result).not.toBeInstanceOf(Error);
    else expect(result).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

it("cuts JSON in the same way whatever pieces it comes in", () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { maxLength: 8 }),
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      (values, size, isArray) => {
        const layout = values.map((value, index) => JSON.stringify(value, undefined, index % 3));
        const bytes = Buffer.from(isArray ? `[ ${layout.join(" ,\n")}]` : layout.join("\n"));
        const splitter = new ElementSplitter({
          isInside: isArray,
          mostBytes: 1_000_000,
          tooLarge: () => new AppError("too_large", "unexpected"),
        });
        const found: string[] = [];
        for (let at = 0; at < bytes.length; at += size) {
          found.push(...splitter.push(bytes.subarray(at, at + size)).map(({ text }) => text));
        }
        found.push(...splitter.finish().map(({ text }) => text));
        expect(found.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(values)));
      },
    ),
  );
});

describe("whether the first list names the columns", () => {
  it.each<[string, unknown[][], boolean]>([
    [
      "texts above numbers",
      [
        ["name", "age"],
        ["Bob", 3],
        ["Eve", 5],
      ],
      true,
    ],
    [
      "texts above digits, as the census has them",
      [
        ["NAME", "state"],
        ["Alabama", "01"],
        ["Alaska", "02"],
      ],
      true,
    ],
    [
      "texts above dates",
      [
        ["who", "when"],
        ["Bob", "2024-01-01"],
        ["Eve", "2024-01-02"],
      ],
      true,
    ],
    [
      "names of programs above other texts",
      [
        ["first_name", "city"],
        ["Bob", "New York"],
      ],
      true,
    ],
    [
      "a row like those below",
      [
        ["Bob", "Rome"],
        ["Eve", "Oslo"],
      ],
      false,
    ],
    [
      "a value that comes again",
      [
        ["red", "x"],
        ["red", "y"],
      ],
      false,
    ],
    [
      "numbers in it",
      [
        ["Bob", 3],
        ["Eve", 5],
      ],
      false,
    ],
  ])("%s", async (_, lists, hasHeader) => {
    const { report, rows } = await readWith(openJson, JSON.stringify(lists));
    expect(report.header).toBe(hasHeader);
    expect(rows).toHaveLength(lists.length - (hasHeader ? 1 : 0));
  });

  it("is told where it is unclear", async () => {
    const { report } = await readWith(openJson, '[["Bob","Rome"],["Eve","Oslo"]]');
    expect(report.notes).toEqual([
      expect.stringContaining("If it names the columns, say options.header true."),
    ]);
    expect((await readWith(openJson, '[["Bob","Rome"],["Eve","Oslo"]]', { header: true })).rows).toEqual([
      { Bob: "Eve", Rome: "Oslo" },
    ]);
  });
});
