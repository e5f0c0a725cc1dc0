import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeXml, type Read, readWith } from "../../../../../test/support/data-files.ts";
import { LIMITS } from "../../../../platform/analytics/limits.ts";
import type { ReadOptions } from "./table-reader.ts";
import { openXml } from "./xml-reader.ts";

const read = (xml: string | Buffer, options?: ReadOptions): Promise<Read> => readWith(openXml, xml, options);
const refusal = (xml: string | Buffer, options?: ReadOptions): Promise<unknown> =>
  read(xml, options).catch((error: unknown) => error);

describe("which elements are rows", () => {
  it.each<[string, string, string, Record<string, unknown>[]]>([
    ["those that repeat", "<r><b><t>1</t></b><b><t>2</t></b></r>", "r/b", [{ t: 1 }, { t: 2 }]],
    [
      "the least deep ones",
      "<r><m><k>a</k><k>b</k></m><i><x>1</x><x>2</x></i><i><x>3</x></i></r>",
      "r/i",
      [{ x: [1, 2] }, { x: [3] }],
    ],
    [
      "the most frequent ones of a level",
      "<r><h>a</h><h>b</h><i>1</i><i>2</i><i>3</i></r>",
      "r/i",
      [{ i: 1 }, { i: 2 }, { i: 3 }],
    ],
    [
      "deeper ones, where nothing else repeats",
      "<rss><channel><title>t</title><item><n>1</n></item><item><n>2</n></item></channel></rss>",
      "rss/channel/item",
      [{ n: 1 }, { n: 2 }],
    ],
    [
      "those in several parents",
      "<r><g><i>1</i></g><g><i>2</i><i>3</i></g></r>",
      "r/g",
      [{ i: [1] }, { i: [2, 3] }],
    ],
    [
      "the only one there is",
      "<orders><order id='7'><sum>1.5</sum></order></orders>",
      "orders/order",
      [{ id: 7, sum: 1.5 }],
    ],
    ["the root", "<person><name>A</name><age>3</age></person>", "person", [{ name: "A", age: 3 }]],
    ["the root, even of text", "<a>x</a>", "a", [{ a: "x" }]],
  ])("%s", async (_, xml, rowPath, rows) => {
    const result = await read(xml);
    expect(result.rows).toEqual(rows);
    expect(result.report.rowPath).toBe(rowPath);
  });

  it("those that the caller names", async () => {
    const xml = "<r><g><i>1</i></g><g><i>2</i><i>3</i></g></r>";
    for (const rowPath of ["r/g/i", "/r/g/i", "i"])
      expect((await read(xml, { rowPath })).rows).toEqual([{ i: 1 }, { i: 2 }, { i: 3 }]);
    expect((await read(xml, { rowPath: "." })).rows).toEqual([{ g: [{ i: [1] }, { i: [2, 3] }] }]);
    expect(await refusal(xml, { rowPath: "x" })).toMatchObject({
      code: "bad_request",
      hint: expect.stringContaining('"r", "r/g", "r/g/i"'),
    });
  });
});

describe("values", () => {
  it("become fields: attributes, children, lists and texts", async () => {
    const { rows, report } = await read(`<?xml version="1.0"?>
      <catalog xmlns="urn:x" xmlns:d="urn:y">
        <book id="1" lang="en"><title>A &amp; B</title><d:price cur="EUR">9.50</d:price><tag>x</tag><id>inner</id>
          <at><day>2024-02-29</day></at>Loose text</book>
        <book id="2"><title><![CDATA[<b>C</b>]]></title><d:price cur="USD">10</d:price><tag>y</tag><tag>z</tag></book>
      </catalog>`);
    expect(rows).toEqual([
      {
        "@id": 1,
        lang: "en",
        title: "A & B",
        "d:price": { cur: "EUR", "#text": 9.5 },
        tag: ["x"],
        id: "inner",
        at: { day: "2024-02-29" },
        "#text": "Loose text",
      },
      { "@id": 2, title: "<b>C</b>", "d:price": { cur: "USD", "#text": 10 }, tag: ["y", "z"] },
    ]);
    expect(Object.keys(rows[0]!)).toEqual(["@id", "lang", "title", "d:price", "tag", "id", "at", "#text"]);
    expect(report.columns).toEqual([
      { name: "@id", type: "BIGINT" },
      { name: "lang", type: "VARCHAR" },
      { name: "title", type: "VARCHAR" },
      { name: "d:price", type: 'STRUCT("cur" VARCHAR, "#text" DOUBLE)' },
      { name: "tag", type: "VARCHAR[]" },
      { name: "id", type: "VARCHAR" },
      { name: "at", type: 'STRUCT("day" DATE)' },
      { name: "#text", type: "VARCHAR" },
    ]);
  });

  it.each([
    ["BIGINT", ["1", "-9223372036854775808"], [1, Number("-9223372036854775808")]],
    ["DECIMAL(38,0)", ["1", "9223372036854775808"], ["1", "9223372036854775808"]],
    ["DOUBLE", ["1", "2.50", "-1e-7", "NaN", "-INF"], [1, 2.5, -1e-7, "NaN", "-Infinity"]],
    ["BOOLEAN", ["true", "false"], [true, false]],
    ["DATE", ["2024-02-29", "0001-01-01"], ["2024-02-29", "0001-01-01"]],
    ["TIMESTAMP", ["2024-02-29", "2024-02-29T10:00:00.5"], ["2024-02-29", "2024-02-29T10:00:00.5"]],
    [
      "TIMESTAMP WITH TIME ZONE",
      ["2024-02-29T10:00:00Z", "2024-02-29T10:00:00+02:00"],
      ["2024-02-29T10:00:00Z", "2024-02-29T10:00:00+02:00"],
    ],
    ["TIME", ["10:00:00", "23:59:59.123"], ["10:00:00", "23:59:59.123"]],
    ["VARCHAR", ["007", "1"], ["007", "1"]],
    ["VARCHAR", ["2023-02-29"], ["2023-02-29"]],
    ["VARCHAR", ["1", "true"], ["1", "true"]],
    ["VARCHAR", ["9".repeat(39)], ["9".repeat(39)]],
    ["VARCHAR", ["NaN"], ["NaN"]],
    ["VARCHAR", ["1e999"], ["1e999"]],
    ["VARCHAR", [" x ", "+5"], [" x ", "+5"]],
  ])("have the type that holds all of them: %s", async (type, texts, values) => {
    const { rows, report } = await read(
      `<r>${[...texts, ""].map((text) => `<i><v>${text}</v></i>`).join("")}</r>`,
    );
    expect(report.columns).toEqual([{ name: "v", type }]);
    expect(rows.map(({ v }) => v)).toEqual([...values, undefined]);
  });

  it("are missing where there are none", async () => {
    const xml = `<r xmlns:xsi="urn:i"><i><a/><b xsi:nil="true">5</b><c>  \n </c><d>n/a</d></i><i><a>1</a><b>2</b><c>3</c><d>4</d></i></r>`;
    const { rows } = await read(xml, { nulls: ["n/a"] });
    expect(rows).toEqual([
      { a: null, b: null, c: null, d: null },
      { a: 1, b: 2, c: 3, d: 4 },
    ]);
  });

  it("lose the layout around them and nothing else", async () => {
    const { rows } = await read("<r><i><v>\n    first\n    second\n  </v></i><i><v> kept </v></i></r>");
    expect(rows.map(({ v }) => v)).toEqual(["first\n    second", " kept "]);
  });

  it("keep names apart that differ only in case", async () => {
    const { rows, report } = await read('<r><i Id="1"><id>2</id><ID>3</ID></i><i/></r>');
    expect(rows[0]).toEqual({ Id: 1, id_2: 2, ID_3: 3 });
    expect(report.notes).toHaveLength(2);
  });

  it("come back as they were written, whatever they are", async () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((each) => each.trim() === each && !/[\p{Cc}\ufffe\uffff]/u.test(each) && each.isWellFormed());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 2, maxLength: 20 }), async (pairs) => {
        const xml = `<r>${pairs.map(([a, b]) => `<i a="${escapeXml(a)}"><b>${escapeXml(b)}</b></i>`).join("")}</r>`;
        const { rows } = await read(xml);
        const typed = (value: unknown, source: string): void => {
          if (typeof value === "string") expect(value).toBe(source);
          else expect(String(value)).toBe(String(JSON.parse(source)));
        };
        for (const [index, [a, b]] of pairs.entries()) {
          typed(rows[index]!.a, a);
          typed(rows[index]!.b, b);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe("encodings", () => {
  const xml = (encoding: string): string =>
    `<?xml version="1.0" encoding="${encoding}"?><r><i>Zürich</i><i>Köln</i></r>`;
  it.each([
    ["utf-8", Buffer.from(`\ufeff${xml("UTF-8")}`)],
    ["windows-1252", Buffer.from(xml("ISO-8859-1"), "latin1")],
    ["utf-16le", Buffer.from(`\ufeff${xml("UTF-16")}`, "utf16le")],
    ["utf-16le", Buffer.from(xml("UTF-16"), "utf16le")],
    ["utf-16be", Buffer.from(`\ufeff${xml("UTF-16")}`, "utf16le").swap16()],
  ])("%s", async (encoding, bytes) => {
    const { rows, report } = await read(bytes);
    expect(rows).toEqual([{ i: "Zürich" }, { i: "Köln" }]);
    expect(report.encoding).toBe(encoding);
  });

  it("are errors when they are wrong or unknown", async () => {
    expect(await refusal(Buffer.from(xml("UTF-8"), "latin1"))).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("not utf-8"),
    });
    expect((await read(Buffer.from(xml("UTF-8"), "latin1"), { encoding: "latin1" })).rows[0]).toEqual({
      i: "Zürich",
    });
    expect(await refusal(xml("klingon"))).toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("klingon"),
    });
  });
});

describe("hostile files", () => {
  const laughs = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, n) => `<!ENTITY lol${n + 1} "${`&lol${n || ""};`.repeat(10)}">`).join("")}]><lolz>&lol9;</lolz>`;
  it.each([
    ["a billion laughs", laughs, "unsupported", "document type"],
    [
      "a file from outside",
      '<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><r>&f;</r>',
      "unsupported",
      "document type",
    ],
    [
      "a document type from outside",
      '<!DOCTYPE r SYSTEM "http://127.0.0.1/x.dtd"><r/>',
      "unsupported",
      "document type",
    ],
    ["an unknown entity", "<r>&xxe;</r>", "bad_request", "not well-formed (line 1)"],
    ["a file that is cut off", "<r>\n<i>1</i>\n<i>", "bad_request", "not well-formed (line 3)"],
    ["tags that cross", "<r><a></b></r>", "bad_request", "not well-formed"],
    ["an attribute twice", "<r><a x='1' x='2'/></r>", "bad_request", "not well-formed"],
    ["deep nesting", `${"<a>".repeat(101)}${"</a>".repeat(101)}`, "too_large", "100 levels"],
    [
      "100,000 attributes",
      `<r><i ${Array.from({ length: 100_000 }, (_, n) => `a${n}="1"`).join(" ")}/><i/></r>`,
      "too_large",
      "attributes",
    ],
    [
      "100,000 columns",
      `<r><i>${Array.from({ length: 100_000 }, (_, n) => `<a${n}/>`).join("")}</i><i/></r>`,
      "too_large",
      "different elements",
    ],
    [
      "more columns than a dataset can have",
      `<r><i>${Array.from({ length: LIMITS.analytics.columns + 1 }, (_, n) => `<a${n}/>`).join("")}</i><i/></r>`,
      "too_large",
      "columns",
    ],
    ["a giant text", `<r><i>${"x".repeat(20_000_000)}</i><i/></r>`, "too_large", "16 MB"],
    [
      "a giant row",
      `<r><i>${"<v>0123456789</v>".repeat(1_700_000)}</i><i/></r>`,
      "too_large",
      "A row is larger than 16 MB",
    ],
    ["a giant comment", `<r><!--${"x".repeat(20_000_000)}--></r>`, "too_large", "16 MB"],
    ["no XML at all", "hello", "bad_request", "not well-formed"],
  ])("%s", async (_, xml, code, message) => {
    expect(await refusal(xml)).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it("takes no more time for texts that are made to take it", async () => {
    const started = performance.now();
    const spaces = " ".repeat(2_000_000);
    const { rows } = await read(`<r><i>x${spaces}y </i><i>${spaces}</i><i>\n${spaces}z${spaces}\n</i></r>`);
    expect(rows.map(({ i }) => String(i).length)).toEqual([2_000_003, "undefined".length, 1]);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it("keeps hostile names and texts", async () => {
    const name = "n".repeat(10_000);
    const { rows } = await read(
      `<r><${name} __proto__="1" constructor="2"><toString>'"; DROP TABLE x</toString></${name}><${name}/></r>`,
    );
    expect(Object.entries(rows[0]!)).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
      ["toString", `'"; DROP TABLE x`],
    ]);
  });
});
