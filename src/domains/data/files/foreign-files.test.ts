import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import { xlsx } from "../../../../test/support/data-files.ts";
import { createGuardedFetch, type GuardedFetch } from "../../../platform/guarded-fetch/index.ts";
import type { ImportedFile } from "./detect-format.ts";
import { type FileImports, openFileImports } from "./import-file.ts";

let analytics: TestAnalytics;
let fetch: GuardedFetch;
let imports: FileImports;

beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
  fetch = createGuardedFetch({ allow: [] });
  const tempFolder = join(analytics.home, "files");
  imports = await openFileImports({
    analytics,
    blobs: analytics.blobs,
    fetch,
    tempFolder,
    log: { warn: () => undefined },
  });
});
afterAll(async () => {
  await imports.close();
  await fetch.close();
  await analytics.remove();
});

async function importFile(content: string, fileType?: string): Promise<ImportedFile & { data: unknown[][] }> {
  const result = await imports.importFile({
    source: { content },
    scope: "1",
    key: analytics.key(),
    fileType,
  });
  const { part, columns } = result;
  const { rows } = await analytics.query({
    scope: "1",
    tableViews: [{ name: "t", parts: [part.path], columns, version: part.key }],
    sql: "SELECT * FROM t",
  });
  return { ...result, data: rows };
}

it.each<[string, string, string | undefined]>([
  ["CSV", "name,2019,2020\n", undefined],
  ["Excel", xlsx({ sheets: [{ name: "S", rows: [["name", "2019", "2020"]] }] }).toString("base64"), "excel"],
])("a header alone makes an empty table: %s", async (_, content, fileType) => {
  const result = await importFile(content, fileType);
  expect(result).toMatchObject({ rows: 0, data: [] });
  expect(result.columns.map(({ name }) => name)).toEqual(["name", "2019", "2020"]);
  expect(result.notes).toContain("The file has no rows, only the names of 3 columns.");
});

it("columns that are named by years keep their order in Excel", async () => {
  const rows = [
    ["name", 2020, 2019],
    ["Bob", 1.5, "x"],
    ["Eve", 2.5, "y"],
  ];
  const book = xlsx({ sheets: [{ name: "S", rows }] });
  const result = await importFile(book.toString("base64"), "excel");
  expect(result.columns.map(({ name }) => name)).toEqual(["name", "2020", "2019"]);
  expect(result.data).toEqual(rows.slice(1));
});

it("a workbook of Excel 2003 is its sheet, not its styles", async () => {
  const cell = (type: string, value: string): string =>
    `<Cell><Data ss:Type="${type}">${value}</Data></Cell>`;
  const result =
    await importFile(`<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
    <Styles><Style ss:ID="a"/><Style ss:ID="b"/><Style ss:ID="c"/></Styles>
    <Worksheet ss:Name="S"><Table><Row>${cell("String", "name")}${cell("String", "age")}</Row>
      <Row>${cell("String", "Bob")}${cell("Number", "41")}</Row></Table></Worksheet></Workbook>`);
  expect(result).toMatchObject({ data: [["Bob", 41]], detected: { format: "excel", sheet: "S" } });
});

it("a single line without a delimiter is no table, whatever its words", async () => {
  await expect(importFile("just some words\n", "csv")).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringContaining("a single line without a delimiter"),
  });
});
