import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Read,
  readWith,
  type TestBook,
  type TestCell,
  xlsx,
  xlsxMembers,
  zip,
} from "../../../../../../test/support/data-files.ts";
import { LIMITS } from "../../../../../platform/analytics/limits.ts";
import type { ReadOptions } from "../table-reader.ts";
import { openExcel } from "./excel-reader.ts";
import { cellFormat } from "./workbook.ts";

const read = (book: TestBook, options?: ReadOptions): Promise<Read> =>
  readWith(openExcel, xlsx(book), options);
const readRows = (rows: TestCell[][], options?: ReadOptions): Promise<Read> =>
  read({ sheets: [{ name: "S", rows }] }, options);
const typesOf = ({ report }: Read): Record<string, string> =>
  Object.fromEntries(report.columns.map(({ name, type }) => [name, type]));

/** 0 plain, 1 date, 2 date and time, 3 time, 4 elapsed time, 5 percent, 6 money. */
const STYLES = `<numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode="[h]:mm:ss;@"/>
  <numFmt numFmtId="166" formatCode="[$€-407] #,##0.00;[Red]&quot;days&quot;"/></numFmts>
  <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
  <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="20"/><xf numFmtId="165"/><xf numFmtId="9"/><xf numFmtId="166"/></cellXfs>`;
const styled = (style: number, value: number): TestCell => ({ xml: `<c s="${style}"><v>${value}</v></c>` });

describe("rows without a value", () => {
  const failed: TestCell = { xml: '<c t="e"><v>#DIV/0!</v></c>' };
  const pending: TestCell = { xml: "<c><f>A1</f></c>" };

  it("stay where a cell shows an error, or was not calculated", async () => {
    const { rows, report } = await readRows([
      ["a", "b"],
      [1, 2],
      [failed, failed],
      [pending, null],
      [3, 4],
    ]);
    expect(rows).toEqual([{ a: 1, b: 2 }, {}, {}, { a: 3, b: 4 }]);
    expect(report.notes).toEqual([
      expect.stringContaining("2 cells show an error"),
      expect.stringContaining("1 formulas have no stored value"),
    ]);
  });

  it("are none where there is only a header", async () => {
    const { lines, report } = await readRows([["name", "age"]]);
    expect(lines).toEqual([""]);
    expect(report).toMatchObject({ header: true, columns: [{ name: "name" }, { name: "age" }] });
  });

  it("are no reason to pass over a sheet with rows", async () => {
    const { report } = await read({
      sheets: [
        { name: "Empty", rows: [["a", "b"]] },
        {
          name: "Full",
          rows: [
            ["a", "b"],
            [1, 2],
          ],
        },
      ],
    });
    expect(report.sheet).toBe("Full");
  });

  it("make no table where all cells show errors", async () => {
    await expect(readRows([[failed], [failed]])).rejects.toThrow(
      "The Excel file has no values: it has nothing but cells that show an error such as #REF! or #DIV/0! (2).",
    );
    await expect(readRows([[pending]])).rejects.toThrow("nothing but formulas without a stored value (1)");
  });

  it("are looked for on sheets that are shown, and the others are named", async () => {
    const sheets = [{ name: "Shown" }, { name: "Notes", rows: [["a"], [1]], state: "hidden" }];
    await expect(read({ sheets })).rejects.toMatchObject({
      message: "No sheet of the Excel file that is shown has rows.",
      hint: expect.stringContaining('"Notes"'),
    });
  });
});

describe("values", () => {
  it("keeps numbers, truth values and texts as they are", async () => {
    const result = await readRows([
      ["id", "price", "ok", "name"],
      [1, 1.5, true, 'Ä "quoted"\nsecond line  '],
      [9007199254740991, 0.1, false, "😀"],
      [-3, 1e300, null, " x "],
    ]);
    expect(result.rows).toEqual([
      { id: 1, price: 1.5, ok: true, name: 'Ä "quoted"\nsecond line  ' },
      { id: 9007199254740991, price: 0.1, ok: false, name: "😀" },
      { id: -3, price: 1e300, name: " x " },
    ]);
    expect(typesOf(result)).toEqual({ id: "BIGINT", price: "DOUBLE", ok: "BOOLEAN", name: "VARCHAR" });
  });

  it("tells dates, times and durations by their formats", async () => {
    const rows: TestCell[][] = [
      ["day", "at", "time", "took", "share", "sum"],
      [
        styled(1, 45351),
        styled(2, 45351.5625),
        styled(3, 0.75),
        styled(4, 1.25),
        styled(5, 0.19),
        styled(6, 12.5),
      ],
      [styled(1, 59), styled(2, 61), styled(3, 0.999999999999), styled(4, -0.5), styled(5, 1), styled(6, 3)],
      [styled(1, 0), null, null, null, null, 1],
    ];
    const result = await read({ sheets: [{ name: "S", rows }], styles: STYLES });
    expect(typesOf(result)).toEqual({
      day: "DATE",
      at: "TIMESTAMP",
      time: "TIME",
      took: "INTERVAL",
      share: "DOUBLE",
      sum: "DOUBLE",
    });
    expect(result.rows).toEqual([
      {
        day: "2024-02-29",
        at: "2024-02-29 13:30:00",
        time: "18:00:00",
        took: "30:00:00",
        share: 0.19,
        sum: 12.5,
      },
      {
        day: "1900-02-28",
        at: "1900-03-01 00:00:00",
        time: "23:59:59.999",
        took: "-12:00:00",
        share: 1,
        sum: 3,
      },
      { sum: 1 },
    ]);
  });

  it("counts days from 1904 where the file says so", async () => {
    const rows = [["day"], [styled(1, 0)], [styled(1, 43889)]];
    const { rows: read1904 } = await read({ sheets: [{ name: "S", rows }], styles: STYLES, is1904: true });
    expect(read1904).toEqual([{ day: "1904-01-01" }, { day: "2024-02-29" }]);
  });

  it("keeps a number that is no day", async () => {
    const result = await read({
      sheets: [{ name: "S", rows: [["d"], [styled(1, -5)], [styled(1, 4e6)]] }],
      styles: STYLES,
    });
    expect(result.rows).toEqual([{ d: -5 }, { d: 4e6 }]);
  });

  it("makes a column text when it holds texts beside other values, and says where", async () => {
    const result = await readRows([
      ["n", "m"],
      [1, 1],
      [0.5, "open"],
      [null, true],
    ]);
    expect(typesOf(result)).toEqual({ n: "DOUBLE", m: "VARCHAR" });
    expect(result.rows).toEqual([{ n: 1, m: "1" }, { n: 0.5, m: "open" }, { m: "true" }]);
    expect(result.report.notes).toEqual([
      '"m" is text, because it holds other values and texts, first in row 3: "open".',
    ]);
    expect(typesOf(await readRows([["m"], [1], ["open"], [2]], { nulls: ["open"] }))).toEqual({
      m: "BIGINT",
    });
  });

  it("reads words for no value as that beside numbers only, and says so", async () => {
    const result = await readRows([
      ["n", "country", "all", "mixed"],
      [1, "NA", "NA", 1],
      ["N/A", "DE", "NA", "NA"],
      ["-", "FR", "NA", "x"],
    ]);
    expect(typesOf(result)).toEqual({ n: "BIGINT", country: "VARCHAR", all: "VARCHAR", mixed: "VARCHAR" });
    expect(result.rows).toEqual([
      { n: 1, country: "NA", all: "NA", mixed: "1" },
      { country: "DE", all: "NA", mixed: "NA" },
      { country: "FR", all: "NA", mixed: "x" },
    ]);
    expect(result.report.notes[0]).toMatch(/^"-", "N\/A" was read as no value in "n"/);
  });

  it("reads shared, rich, phonetic and escaped texts", async () => {
    const texts = [
      "<t>plain</t>",
      "<r><t>rich </t></r><r><rPr/><t>text</t></r>",
      "<t>東京</t><rPh><t>トウキョウ</t></rPh>",
      "<t>a_x000D_b_x005F_x0041_</t>",
    ];
    const cell = (index: number): TestCell => ({ xml: `<c t="s"><v>${index}</v></c>` });
    const result = await read({
      sheets: [{ name: "S", rows: [["t"], [cell(0)], [cell(1)], [cell(2)], [cell(3)]] }],
      texts,
    });
    expect(result.rows.map(({ t }) => t)).toEqual(["plain", "rich text", "東京", "a\rb_x0041_"]);
  });

  it("takes the stored values of formulas, and counts what has none", async () => {
    const result = await readRows([
      ["sum", "text", "bad"],
      [
        { xml: "<c><f>1+1</f><v>2</v></c>" },
        { xml: '<c t="str"><f>A1&amp;"x"</f><v>ax</v></c>' },
        { xml: '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>' },
      ],
      [
        { xml: "<c><f>NOW()</f></c>" },
        { xml: '<c t="str"><f>""</f><v></v></c>' },
        { xml: '<c t="d"><v>2024-01-02T03:04:05Z</v></c>' },
      ],
    ]);
    expect(result.rows).toEqual([{ sum: 2, text: "ax", bad: null }, { bad: "2024-01-02 03:04:05" }]);
    expect(result.report.notes).toEqual([
      "1 cells show an error such as #DIV/0! and were read as empty.",
      expect.stringContaining("1 formulas have no stored value"),
    ]);
  });

  it.each([
    ["General", "number"],
    ["0.00E+00", "number"],
    ["#,##0_);[Red](#,##0)", "number"],
    ["0\\d", "number"],
    ['"day" 0', "number"],
    ["@", "number"],
    ["yyyy-mm-dd", "date"],
    ["mmm-yy", "date"],
    ["[$-409]d/m/yy;@", "date"],
    ['yyyy"年"m"月"', "date"],
    ["h:mm AM/PM", "time"],
    ["mm:ss.0", "time"],
    ["yyyy-mm-dd\\Thh:mm:ss.000", "datetime"],
    ["[mm]:ss", "duration"],
  ])("knows the format %s as %s", (code, format) => {
    expect(cellFormat(170, code)).toBe(format);
  });

  it("gives back whatever is written, in order", async () => {
    const cell = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1 }).filter(isXmlText),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 20 }),
        async (rows) => {
          const { rows: found } = await readRows([["a", "b", "c"], ...rows], { header: true });
          const filled = rows.filter((row) => row.some((value) => value !== null));
          fc.pre(filled.length > 0);
          expect(found.length).toBe(filled.length);
          for (const [index, row] of filled.entries()) {
            for (const [column, name] of ["a", "b", "c"].entries()) {
              const [value, got] = [row[column], found[index]![name] ?? null];
              expect(typeof got === "string" ? got : got).toEqual(
                typeof got === "string" && value !== null
                  ? String(value === 0 ? 0 : value)
                  : value === 0
                    ? 0
                    : value,
              );
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

/** What XML can carry without help. */
function isXmlText(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\ufffe\uffff]|_x/u.test(text);
}

describe("the table", () => {
  it("takes the first sheet that can be seen and holds rows, and lists all", async () => {
    const rows = [["a"], [1]];
    const book = {
      sheets: [
        { name: "Empty" },
        { name: "Old", rows, state: "hidden" },
        { name: "Data", rows: [["b"], [2]] },
      ],
    };
    const { report, rows: found } = await read(book);
    expect(report).toMatchObject({ sheet: "Data", sheets: ["Empty", "Old", "Data"], header: true });
    expect(found).toEqual([{ b: 2 }]);
    expect((await read(book, { sheet: "old" })).rows).toEqual([{ a: 1 }]);
    expect((await read(book, { sheet: 2 })).rows).toEqual([{ a: 1 }]);
    await expect(read(book, { sheet: "Empty" })).rejects.toThrow('The sheet "Empty" has no rows.');
    await expect(read(book, { sheet: "Nope" })).rejects.toMatchObject({
      code: "bad_request",
      hint: expect.stringContaining('"Empty", "Old", "Data"'),
    });
  });

  it("takes years above a corner for names, and rows of years for data", async () => {
    const years = [null, 1963, 1983, 1989, 1992];
    const rows = [["Wealth"], years, ["White", 210, 395, 423.5, 509], ["Black", 3, 4, 5, 6.5]];
    const { report, rows: found } = await readRows(rows);
    expect(report.columns.map(({ name }) => name)).toEqual(["column_1", "1963", "1983", "1989", "1992"]);
    expect(found).toHaveLength(2);
    expect((await readRows([years, ["a", 1964, 1984, 1990, 1993], ["b", 1, 2, 3, 4]])).report.header).toBe(
      false,
    );
    expect(
      (
        await readRows([
          [1963, 1983, 1989, 1992],
          [1, 2, 3, 4],
          [5, 6, 7, 8],
        ])
      ).report.header,
    ).toBe(false);
  });

  it("passes over titles above the header, and empty rows and columns", async () => {
    const result = await readRows([
      ["Sales of the year"],
      [],
      [null, "region", null, "sum", "count"],
      [null, "North", null, 10, 1],
      [],
      [null, "South", null, 20, null],
    ]);
    expect(result.rows).toEqual([
      { region: "North", sum: 10, count: 1 },
      { region: "South", sum: 20 },
    ]);
    expect(result.report).toMatchObject({ header: true, skippedLines: 2 });
    expect(result.report.notes).toEqual(["1 rows above the header in row 3 were left out."]);
    // Whoever names a line of the rows names the row of the sheet.
    expect(result.lines.map((line) => line !== "")).toEqual([false, false, false, true, false, true]);
  });

  it("names columns without a name, and those whose name is taken", async () => {
    const { rows, report } = await readRows([
      ["a", null, "A", "a", "a_2", "  "],
      [1, 2, 3, 4, 5, 6],
    ]);
    expect(rows).toEqual([{ a: 1, column_2: 2, A_3: 3, a_4: 4, a_2: 5, column_6: 6 }]);
    expect(report.renamed).toEqual([
      { position: 2, from: "", to: "column_2" },
      { position: 3, from: "A", to: "A_3" },
      { position: 4, from: "a", to: "a_4" },
      { position: 6, from: "  ", to: "column_6" },
    ]);
  });

  it.each<[string, TestCell[][], boolean]>([
    [
      "texts above numbers",
      [
        ["a", "b"],
        [1, 2],
      ],
      true,
    ],
    [
      "nothing but texts",
      [
        ["a", "b"],
        ["c", "d"],
      ],
      true,
    ],
    [
      "years above numbers",
      [
        ["region", 2023, 2024],
        ["North", 10, 20],
      ],
      true,
    ],
    [
      "numbers in order above numbers",
      [
        ["team", 1, 2, 3],
        ["x", 7, 7, 9],
      ],
      true,
    ],
    [
      "every other name",
      [
        [null, "var", null, "var"],
        [1, "a", 1.1, "aa"],
        [2, "b", 2.1, "bb"],
      ],
      true,
    ],
    [
      "a factor among many names",
      [
        ["player", "pg", "sg", "sf", "pf", 1.17],
        ["x", 30, 1, 2, 3, 4.5],
        ["y", 10, 1, 2, 3, 4.5],
      ],
      true,
    ],
    [
      "a number among the names",
      [
        [0, "name", "age", "id"],
        [1, "x", 30, 1562],
        [2, "y", 10, 1582],
      ],
      true,
    ],
    [
      "numbers that go on below",
      [
        ["x", 1, 2, 3],
        ["y", 4, 5, 6],
      ],
      false,
    ],
    [
      "numbers above numbers",
      [
        ["x", 1],
        ["y", 2],
      ],
      false,
    ],
    [
      "years above years",
      [
        ["x", 2023],
        ["y", 2024],
      ],
      false,
    ],
    [
      "numbers only",
      [
        [1, 2],
        [3, 4],
      ],
      false,
    ],
  ])("finds out whether there is a header: %s", async (_, rows, header) => {
    expect((await readRows(rows)).report.header).toBe(header);
  });

  it("takes a single date above texts for a value, and dates above numbers for names", async () => {
    const headerOf = async (rows: TestCell[][]) =>
      (await read({ styles: STYLES, sheets: [{ name: "S", rows }] })).report.header;
    expect(
      await headerOf([
        ["x", styled(1, 41_796)],
        ["y", "z"],
      ]),
    ).toBe(false);
    expect(
      await headerOf([
        ["x", styled(1, 41_796)],
        ["y", 4],
      ]),
    ).toBe(true);
  });

  it("does as it is told about the header", async () => {
    expect((await readRows([["a"], ["b"]], { header: false })).rows).toEqual([
      { column_1: "a" },
      { column_1: "b" },
    ]);
    expect((await readRows([[1], [2]], { header: true })).rows).toEqual([{ 1: 2 }]);
    expect((await readRows([["x"], ["a"], ["b"]], { skipLines: 1 })).rows).toEqual([{ a: "b" }]);
  });

  it("keeps hostile names", async () => {
    const names = [
      '"; DROP TABLE x; --',
      "line\nbreak",
      "__proto__",
      "constructor",
      "ä".repeat(10_000),
      "'",
      "{}",
    ];
    const { report, rows } = await readRows([names, names.map((_, index) => index)]);
    expect(report.columns.map(({ name }) => name)).toEqual(names);
    expect(Object.keys(rows[0]!)).toEqual(names);
  });

  it("reads cells and rows without references, prefixes, other paths, Zip64 and stored files", async () => {
    const data = "<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>";
    expect((await read({ sheets: [{ name: "S", data }] })).rows).toEqual([
      { column_1: 1, column_2: 2 },
      { column_1: 3 },
    ]);
    expect((await read({ sheets: [{ name: "S", rows: [["a"], [1]] }], prefix: "x" })).rows).toEqual([
      { a: 1 },
    ]);
    const members = xlsxMembers({ sheets: [{ name: "S", rows: [["a"], [1]] }] });
    const stored = Object.fromEntries(
      Object.entries(members).map(([name, content]) => [
        name.toUpperCase(),
        { content: content as string, stored: true, isLarge: true },
      ]),
    );
    expect((await readWith(openExcel, zip(stored))).rows).toEqual([{ a: 1 }]);
    const windows = Object.entries(members).map(([name, content]) => [name.replaceAll("/", "\\"), content]);
    expect((await readWith(openExcel, zip(Object.fromEntries(windows)))).rows).toEqual([{ a: 1 }]);
  });
});

describe("hostile files", () => {
  const members = xlsxMembers({ sheets: [{ name: "S", rows: [["a"], [1]] }] });
  const sheetPath = "xl/worksheets/sheet1.xml";
  const refusal = (bytes: Buffer): Promise<unknown> =>
    readWith(openExcel, bytes).catch((error: unknown) => error);

  it("stops a bomb before it is unpacked", async () => {
    const bomb = zip({
      ...members,
      "xl/media/image1.png": { content: "x", says: { bytes: 3_000_000_000 } },
      "xl/a": { content: "x", says: { bytes: 3_000_000_000 } },
    });
    expect(await refusal(bomb)).toMatchObject({
      code: "too_large",
      message: expect.stringContaining("4 GB"),
    });
    const dense = zip({ ...members, [sheetPath]: Buffer.alloc(100_000_000, "<row/>").toString() });
    expect(await refusal(dense)).toMatchObject({
      code: "too_large",
      message: expect.stringContaining("times its size"),
    });
  });

  it("stops one that lies about its size", async () => {
    const lie = zip({
      ...members,
      [sheetPath]: { content: Buffer.alloc(100_000_000, "<row/>"), says: { bytes: 1_000 } },
    });
    expect(await refusal(lie)).toMatchObject({
      code: "too_large",
      message: expect.stringContaining("more than it says"),
    });
  });

  it("counts the files inside", async () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`f${index}`, ""]));
    expect(await refusal(zip({ ...members, ...many }))).toMatchObject({ code: "too_large" });
  });

  it.each<[string, (book: Buffer) => Buffer]>([
    ["cut off", (book) => book.subarray(0, -30)],
    ["cut in half", (book) => book.subarray(0, book.length / 2)],
    [
      "with a wrong checksum",
      () => zip({ ...members, [sheetPath]: { content: members[sheetPath] as string, says: { crc: 1 } } }),
    ],
    [
      "with another offset",
      () => zip({ ...members, [sheetPath]: { content: members[sheetPath] as string, says: { offset: 5 } } }),
    ],
    [
      "with an offset outside",
      () =>
        zip({
          ...members,
          [sheetPath]: { content: members[sheetPath] as string, says: { offset: 4_000_000_000 } },
        }),
    ],
    ["without its workbook", () => zip({ "xl/styles.xml": "<a/>", "[Content_Types].xml": "<a/>" })],
    [
      "with texts that are not there",
      () => xlsx({ sheets: [{ name: "S", rows: [["a"], [{ xml: '<c t="s"><v>7</v></c>' }]] }] }),
    ],
    [
      "with a column that Excel does not have",
      () => xlsx({ sheets: [{ name: "S", data: '<row r="1"><c r="ZZZZ1"><v>1</v></c></row>' }] }),
    ],
    [
      "with rows in the wrong order",
      () => xlsx({ sheets: [{ name: "S", data: '<row r="5"/><row r="2"/>' }] }),
    ],
  ])("says so when the file is damaged: %s", async (_, change) => {
    expect(await refusal(change(zip(members)))).toMatchObject({
      code: "bad_request",
      message: "The Excel file is damaged or cut off.",
    });
  });

  it("fails in an expected way wherever bytes are turned over", async () => {
    const book = zip(members);
    for (let at = 0; at < book.length; at += 37) {
      const broken = Buffer.from(
        book.map((byte, index) => (index >= at && index < at + 8 ? byte ^ 0xff : byte)),
      );
      const result = await refusal(broken);
      if (result instanceof Error) expect(result).toMatchObject({ name: "AppError" });
    }
  });

  it("refuses passwords, .xlsb and other archives by name", async () => {
    const encrypted = zip({ ...members, [sheetPath]: { content: "x", says: { isEncrypted: true } } });
    expect(await refusal(encrypted)).toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("password"),
    });
    const relation = '<Relationship Id="r" Type="x/officeDocument" Target="xl/workbook.bin"/>';
    const rels = `<Relationships xmlns="urn:x">${relation}</Relationships>`;
    expect(await refusal(zip({ "_rels/.rels": rels, "xl/workbook.bin": "x" }))).toMatchObject({
      message: expect.stringContaining(".xlsb"),
    });
    expect(await refusal(zip({ "word/document.xml": "<a/>" }))).toMatchObject({
      message: expect.stringContaining("zip archive"),
    });
  });

  it("expands no entities", async () => {
    const dtd =
      '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY f SYSTEM "file:///etc/passwd">]><worksheet>&f;</worksheet>';
    expect(await refusal(zip({ ...members, [sheetPath]: dtd }))).toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("document type"),
    });
    expect(await refusal(zip({ ...members, [sheetPath]: "<worksheet>&f;</worksheet>" }))).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("not well-formed"),
    });
  });

  it("takes no more time for formats that are made to take it", async () => {
    const started = performance.now();
    const styles = `<numFmts><numFmt numFmtId="170" formatCode="${"[".repeat(1_000_000)}"/></numFmts><cellXfs><xf numFmtId="170"/></cellXfs>`;
    expect((await read({ sheets: [{ name: "S", rows: [["a"], [1]] }], styles })).rows).toEqual([{ a: 1 }]);
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it("holds a cell in the last corner without a table around it", async () => {
    const data =
      '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>';
    const { rows, report } = await read({ sheets: [{ name: "S", data }] });
    expect(report.columns).toHaveLength(2);
    expect(rows).toEqual([{ column_1: 1, column_2: null }, { column_2: 2 }]);
  });

  it("refuses more columns than a dataset can have, and a giant row", async () => {
    const row = Array.from({ length: 16_384 }, () => 1);
    await expect(readRows([row])).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("columns"),
    });
    const cells = '<c t="s"><v>0</v></c>'.repeat(LIMITS.analytics.columns);
    await expect(
      read(
        { sheets: [{ name: "S", data: `<row>${cells}</row>` }], texts: [`<t>${"x".repeat(32_767)}</t>`] },
        { header: false },
      ),
    ).rejects.toMatchObject({
      code: "too_large",
      message: "A row is larger than 16 MB.",
    });
  });
});
