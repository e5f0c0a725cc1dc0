import { describe, expect, it } from "vitest";
import { type Read, readWith } from "../../../../../../test/support/data-files.ts";
import type { ReadOptions } from "../table-reader.ts";
import { openExcel } from "./excel-reader.ts";

const book = (sheets: string, prefix = ""): string => `<?xml version="1.0"?>
<?mso-application progid="Excel.Sheet"?>
<${prefix}Workbook xmlns${prefix === "" ? "" : ":ss"}="urn:schemas-microsoft-com:office:spreadsheet" ${prefix === "" ? 'xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"' : ""} xmlns:x="urn:schemas-microsoft-com:office:excel">
 <${prefix}Styles><${prefix}Style ss:ID="s21"><${prefix}Font ss:FontName="Arial"/></${prefix}Style></${prefix}Styles>
 ${sheets}
</${prefix}Workbook>`;
const cell = (type: string, value: string, more = ""): string =>
  `<Cell${more}><Data ss:Type="${type}">${value}</Data></Cell>`;
const texts = (...values: string[]): string => values.map((value) => cell("String", value)).join("");
const sheet = (name: string, rows: string, more = ""): string =>
  `<Worksheet ss:Name="${name}"><Table>${rows}</Table>${more}</Worksheet>`;
const read = (content: string, options?: ReadOptions): Promise<Read> => readWith(openExcel, content, options);

const PEOPLE = sheet(
  "People",
  `<Row>${texts("name", "age", "born", "seen", "active")}</Row>
   <Row>${cell("String", "B&#228;r, Änne")}${cell("Number", "41")}${cell("DateTime", "1983-02-28T00:00:00.000")}${cell("DateTime", "2024-05-06T07:08:09.000")}${cell("Boolean", "1")}</Row>
   <Row ss:Index="5">${cell("String", "<B>Eve</B> Ulf")}${cell("Number", "1.5", ' ss:Index="2"')}${cell("DateTime", "2001-01-01T00:00:00.000")}${cell("DateTime", "2024-05-07T00:00:00.000")}${cell("Boolean", "0", ' ss:Index="5"')}</Row>`,
);

describe("XML Spreadsheet 2003", () => {
  it("gives the rows of the sheet, by the types of their cells", async () => {
    const { report, rows } = await read(book(PEOPLE));
    expect(rows).toEqual([
      { name: "Bär, Änne", age: 41, born: "1983-02-28", seen: "2024-05-06 07:08:09.000", active: true },
      { name: "Eve Ulf", age: 1.5, born: "2001-01-01", seen: "2024-05-07", active: false },
    ]);
    expect(report.columns).toEqual([
      { name: "name", type: "VARCHAR" },
      { name: "age", type: "DOUBLE" },
      { name: "born", type: "DATE" },
      { name: "seen", type: "TIMESTAMP" },
      { name: "active", type: "BOOLEAN" },
    ]);
    expect(report).toMatchObject({ sheet: "People", sheets: ["People"], header: true });
  });

  it("whatever the prefix of its elements", async () => {
    const prefixed = PEOPLE.replaceAll(/<(\/?)(Worksheet|Table|Row|Cell|Data)/g, "<$1ss:$2");
    expect((await read(book(prefixed, "ss:"))).rows).toHaveLength(2);
  });

  it("passes over hidden sheets, and takes the one that is asked for", async () => {
    const hidden =
      "<x:WorksheetOptions xmlns:x='urn:x'><x:Visible>SheetHidden</x:Visible></x:WorksheetOptions>";
    const content = book(
      sheet("Secret", `<Row>${texts("a")}</Row><Row>${cell("Number", "1")}</Row>`, hidden) + PEOPLE,
    );
    expect((await read(content)).report).toMatchObject({ sheet: "People", sheets: ["Secret", "People"] });
    expect((await read(content, { sheet: "Secret" })).rows).toEqual([{ a: 1 }]);
  });

  it("keeps merged cells apart, and rows that have only errors", async () => {
    const { rows, report } = await read(
      book(
        sheet(
          "S",
          `<Row>${texts("a", "b", "c")}</Row>
           <Row>${cell("String", "x", ' ss:MergeAcross="1"')}${cell("Number", "3")}</Row>
           <Row>${cell("Error", "#DIV/0!")}</Row>
           <Row>${texts("y", "z")}${cell("Number", "-0.5")}</Row>`,
        ),
      ),
    );
    expect(rows).toEqual([{ a: "x", b: null, c: 3 }, {}, { a: "y", b: "z", c: -0.5 }]);
    expect(report.notes).toEqual(["1 cells show an error such as #DIV/0! and were read as empty."]);
  });

  it.each([
    ["rows that go back", `<Row ss:Index="3">${texts("a")}</Row><Row ss:Index="2">${texts("b")}</Row>`],
    ["columns beyond the last", `<Row>${cell("String", "a", ' ss:Index="99999"')}</Row>`],
    ["places that are no numbers", `<Row ss:Index="x">${texts("a")}</Row>`],
  ])("refuses %s", async (_, rows) => {
    await expect(read(book(sheet("S", rows)))).rejects.toMatchObject({ code: "bad_request" });
  });
});
