import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
let server: TestServer;
let token: string;
let id: number;

interface Exported {
  file_name: string;
  mime_type: string;
  content_base64: string;
  rows: number;
  total_rows: number;
  truncated: boolean;
}

const rows = [
  { name: 'Said "hi"', n: 1.5, note: "two\nlines" },
  { name: "=SUM(A1)", n: -3, note: null },
  { name: "Ümläut, comma", n: null, note: "-12" },
];

beforeAll(async () => {
  server = await startTestServer();
  token = await server.token({ role: "contributor" });
  id = await makeDataset(server, token, "Odd / name", rows);
});
afterAll(() => server.stop());

const text = ({ content_base64 }: Exported) => Buffer.from(content_base64, "base64").toString();

describe("export", () => {
  it("[bi.export-csv.base64] gives a dataset as CSV, base64-encoded", async () => {
    const file = await resultOf<Exported>(server, token, "knowi_export_csv", { datasetId: id }, BI);
    expect(file).toMatchObject({ file_name: "Odd _ name.csv", rows: 3, total_rows: 3, truncated: false });
    expect(text(file)).toBe(
      'name,n,note\r\n"Said ""hi""",1.5,"two\nlines"\r\n=SUM(A1),-3,\r\n"Ümläut, comma",,-12\r\n',
    );
  });

  it("[bi.export-csv.limit] stops at the limit, and says so", async () => {
    const file = await resultOf<Exported>(server, token, "knowi_export_csv", { datasetId: id, limit: 1 }, BI);
    expect(file).toMatchObject({ rows: 1, total_rows: 3, truncated: true });
    await expect(
      resultOf(server, token, "knowi_export_csv", { datasetId: id, limit: 200_001 }, BI),
    ).rejects.toThrow(/limit/);
  });

  it("can keep spreadsheets from running formulas", async () => {
    const file = await resultOf<Exported>(server, token, "export_data", {
      dataset_id: id,
      escape_formulas: true,
    });
    expect(text(file)).toContain("'=SUM(A1)");
    expect(text(file)).toContain(",-12\r\n");
  });

  it("gives JSON and Parquet too", async () => {
    const json = await resultOf<Exported>(server, token, "export_data", { dataset_id: id, format: "json" });
    expect(JSON.parse(text(json))).toEqual(rows);
    const parquet = await resultOf<Exported>(server, token, "export_data", {
      dataset_id: id,
      format: "parquet",
    });
    const bytes = Buffer.from(parquet.content_base64, "base64");
    expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(["PAR1", "PAR1"]);
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
