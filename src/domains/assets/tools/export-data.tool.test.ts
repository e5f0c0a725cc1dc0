import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportOf, makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
let server: TestServer;
let token: string;
let id: number;
let folder: string;

interface Exported {
  file_name: string;
  mime_type: string;
  content_base64: string;
  rows: number;
  total_rows: number;
  truncated: boolean;
  note?: string;
}

const rows = [
  { name: 'Said "hi"', n: 1.5, note: "two\nlines" },
  { name: "=SUM(A1)", n: -3, note: null },
  { name: "Ümläut, comma", n: null, note: "-12" },
];

beforeAll(async () => {
  server = await startTestServer();
  folder = await mkdtemp(join(tmpdir(), "kenning-export-"));
  token = await server.token({ role: "contributor" });
  id = await makeDataset(server, token, "Odd / name", rows);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const text = ({ content_base64 }: Exported) => Buffer.from(content_base64, "base64").toString();

describe("export", () => {
  it("[bi.export-csv.base64] gives a dataset as CSV, base64-encoded, without formulas that would run", async () => {
    const file = await resultOf<Exported>(server, token, "knowi_export_csv", { datasetId: id }, BI);
    expect(file).toMatchObject({ file_name: "Odd _ name.csv", rows: 3, total_rows: 3, truncated: false });
    expect(text(file)).toBe(
      'name,n,note\r\n"Said ""hi""",1.5,"two\nlines"\r\n\'=SUM(A1),-3,\r\n"Ümläut, comma",,-12\r\n',
    );
  });

  it("[bi.export-csv.limit] stops at the limit, and says so", async () => {
    const file = await resultOf<Exported>(server, token, "knowi_export_csv", { datasetId: id, limit: 1 }, BI);
    expect(file).toMatchObject({ rows: 1, total_rows: 3, truncated: true });
    expect(file.note).toMatch(/more rows than the limit.*offset 1/);
    await expect(
      resultOf(server, token, "knowi_export_csv", { datasetId: id, limit: 200_001 }, BI),
    ).rejects.toThrow(/limit/);
  });

  it("[bi.export-csv.limit] gives as many rows as that, or as many as fit into one file", async () => {
    const wide = await importRows("Wide", 200_000, 6);
    const file = await resultOf<Exported>(
      server,
      token,
      "knowi_export_csv",
      { datasetId: wide, limit: 200_000 },
      BI,
    );
    expect(file).toMatchObject({ rows: 200_000, total_rows: 200_000, truncated: false });
    const lines = text(file).split("\r\n");
    expect(lines).toHaveLength(200_002);
    expect(lines.at(-2)).toMatch(/^199999-0-0,199999-1-0,/);
    const some = await resultOf<Exported>(server, token, "knowi_export_csv", { datasetId: wide }, BI);
    expect(some).toMatchObject({ rows: 10_000, total_rows: 200_000, truncated: true });
  });

  it("gives large rows whole, of which get_data says that some are left", async () => {
    const large = await importRows("Large", 20, 1, 1_000_000);
    const most = await resultOf<Exported>(server, token, "knowi_export_csv", { datasetId: large }, BI);
    expect(most).toMatchObject({ rows: 16, total_rows: 20, truncated: true });
    expect(most.note).toMatch(/A file of 16 MiB is the most.* offset 16/);
    const all = await exportOf<Exported>(server, token, { dataset_id: large, offset: 16 });
    expect(all).toMatchObject({ rows: 4, total_rows: 20, truncated: false });
    const page = await resultOf<{ returnedRows: number; note?: string }>(server, token, "get_data", {
      dataset_id: large,
    });
    expect(page.returnedRows).toBe(2);
    expect(page.note).toMatch(
      /Only 2 rows fit into one answer \(2 MiB and 200,000 values\): get_data goes on with offset 2, /,
    );
    const rest = await exportOf<Exported>(server, token, {
      dataset_id: large,
      offset: 16,
      limit: 2,
      c9ql: "select substring(c0, 1, 4) as Start",
    });
    expect(rest).toMatchObject({ rows: 2, total_rows: 20, truncated: true });
    expect(rest.note).toMatch(/offset 18/);
    expect(rest.file.toString()).toBe("Start\r\n16-0\r\n17-0\r\n");
  });

  it("[all.files.once] sends a file once on /mcp, beside what is to be known of it", async () => {
    const { result } = await callTool(server, token, "export_data", { dataset_id: id });
    const uri = "kenning://exports/Odd%20_%20name.csv";
    const csv = 'name,n,note\r\n"Said ""hi""",1.5,"two\nlines"\r\n=SUM(A1),-3,\r\n"Ümläut, comma",,-12\r\n';
    const facts = {
      file_name: "Odd _ name.csv",
      mime_type: "text/csv; charset=utf-8",
      rows: 3,
      total_rows: 3,
      truncated: false,
      file_uri: uri,
    };
    expect(result?.structuredContent).toEqual(facts);
    expect(result?.content).toEqual([
      { type: "text", text: JSON.stringify(facts) },
      { type: "resource", resource: { uri, mimeType: "text/csv; charset=utf-8", text: csv } },
    ]);
    const whole = JSON.stringify(result);
    expect(whole.split("=SUM(A1)")).toHaveLength(2);
    expect(whole).not.toContain("content_base64");
  });

  it("can keep spreadsheets from running formulas", async () => {
    const file = await exportOf<Exported>(server, token, {
      dataset_id: id,
      escape_formulas: true,
    });
    expect(file.file.toString()).toContain("'=SUM(A1)");
    expect(file.file.toString()).toContain(",-12\r\n");
  });

  it("gives JSON and Parquet too", async () => {
    const json = await exportOf<Exported>(server, token, { dataset_id: id, format: "json" });
    expect(JSON.parse(json.file.toString())).toEqual(rows);
    const parquet = await exportOf<Exported>(server, token, {
      dataset_id: id,
      format: "parquet",
    });
    const { file } = parquet;
    expect([file.subarray(0, 4).toString(), file.subarray(-4).toString()]).toEqual(["PAR1", "PAR1"]);
  });

  it.each(["csv", "json", "parquet"])("keeps columns without any value in %s", async (format) => {
    const one = await makeDataset(server, token, `Empty columns ${format}`, [{ a: 1, x: null, y: "1" }]);
    await makeDataset(server, token, `Empty columns ${format}`, [{ a: 2, x: null, y: null }]);
    const c9ql = "select a, x, y where a > 1";
    const file = await exportOf<Exported>(server, token, { dataset_id: one, format, c9ql });
    const back = await resultOf<{ dataset_id: number }>(server, token, "import_file", {
      dataset_name: `Back ${format}`,
      file_type: format,
      content: file.file.toString("base64"),
    });
    const { columns, rows: seen } = await resultOf<{ columns: { name: string }[]; rows: object[] }>(
      server,
      token,
      "get_data",
      { dataset_id: back.dataset_id },
    );
    expect(columns.map(({ name }) => name)).toEqual(["a", "x", "y"]);
    expect(seen).toEqual([{ a: 2, x: null, y: null }]);
  });

  it("keeps bytes and maps in Parquet, or says why not", async () => {
    const values = `'\\x00\\xFFA'::BLOB AS b, ['\\x01'::BLOB, NULL] AS l, MAP {7: 'x', 8: NULL} AS m,
      MAP {'k': '\\x02'::BLOB} AS t, MAP {DATE '2024-01-31': {'a': 1.5::DOUBLE}} AS d, NULL::BLOB AS n`;
    const first = await importParquet("Bytes", values);
    const { file } = await exportOf(server, token, { dataset_id: first, format: "parquet" });
    const written = join(folder, "exported.parquet");
    await writeFile(written, file);
    const select = (source: string) => readRows(`SELECT COLUMNS(*)::VARCHAR FROM ${source}`);
    expect(await select(`'${written}'`)).toEqual(await select(`(SELECT ${values})`));
    expect(await readRows(`SELECT typeof(COLUMNS(*)) FROM '${written}'`)).toEqual([
      [
        "BLOB",
        "BLOB[]",
        "MAP(INTEGER, VARCHAR)",
        "MAP(VARCHAR, BLOB)",
        "MAP(DATE, STRUCT(a DOUBLE))",
        "BLOB",
      ],
    ]);
    // The whole dataset is copied as it is kept; what C9QL makes of it goes through JSON.
    const keys = "MAP {{'a': 1}: MAP {'x': [1::DECIMAL(38,9)]}} AS m";
    const second = await importParquet("Keys", keys);
    const whole = await exportOf(server, token, { dataset_id: second, format: "parquet" });
    await writeFile(written, whole.file);
    expect(await select(`'${written}'`)).toEqual(await select(`(SELECT ${keys})`));
    expect(whole).toMatchObject({ rows: 1, total_rows: 1, truncated: false });
    await expect(
      resultOf(server, token, "export_data", { dataset_id: second, format: "parquet", c9ql: "select m" }),
    ).rejects.toThrow(/Column "m" has maps with keys of the type STRUCT.*Export it as CSV or JSON/s);
  });

  it.each([
    [{}, /One of dashboardId, widgetId or datasetId/],
    [{ dashboardId: 3 }, /no dashboard/],
    [{ widgetId: 3 }, /no widget/],
    [{ datasetId: 99_999 }, /no dataset/],
  ])("[bi.export-csv.one-required] refuses %j", async (args, message) => {
    await expect(resultOf(server, token, "knowi_export_csv", args, BI)).rejects.toThrow(message);
  });

  it("needs a token that may read", async () => {
    expect((await callTool(server, undefined, "export_data", { dataset_id: id })).status).toBe(401);
    const narrow = await server.token({ scopes: ["memory:read"] });
    expect((await callTool(server, narrow, "export_data", { dataset_id: id })).status).toBe(403);
  });
});

async function importParquet(name: string, values: string): Promise<number> {
  const path = join(folder, `${name}.parquet`);
  await readRows(`COPY (SELECT ${values}) TO '${path}' (FORMAT parquet)`);
  const content = (await readFile(path)).toString("base64");
  const args = { dataset_name: name, file_type: "parquet", content };
  return (await resultOf<{ dataset_id: number }>(server, token, "import_file", args)).dataset_id;
}

async function readRows(sql: string): Promise<unknown[][]> {
  const engine = await DuckDBInstance.create(":memory:");
  const connection = await engine.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson();
  } finally {
    connection.closeSync();
    engine.closeSync();
  }
}

/** A dataset of many columns or long values, each with its row and column in front. */
async function importRows(name: string, count: number, columns: number, characters = 1): Promise<number> {
  // Not so much alike that it would be taken for a bomb when it is packed.
  const long = Array.from({ length: Math.ceil(characters / 500) }, (_, n) => `${n}x`.padEnd(500, "x"));
  const tail = long.join("").slice(0, characters);
  const names = Array.from({ length: columns }, (_, c) => `c${c}`);
  const lines = Array.from({ length: count }, (_, i) => names.map((_, c) => `${i}-${c}-${tail}`).join(","));
  const content = gzipSync([names.join(","), ...lines].join("\n")).toString("base64");
  const args = { dataset_name: name, content };
  return (await resultOf<{ dataset_id: number }>(server, token, "import_file", args)).dataset_id;
}
