import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
let server: TestServer;
let token: string;
let files: Server;
let filesUrl: string;

interface Imported {
  dataset_id: number;
  total_rows: number;
  rows_read: number;
  rows_rejected: number;
  detected: Record<string, unknown>;
  columns: { name: string; type: string }[];
}

beforeAll(async () => {
  files = createServer((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
    else
      response.writeHead(200, { "content-type": "text/csv" }).end("city,people\nBonn,330000\nUlm,126000\n");
  }).listen(0, "127.0.0.1");
  await once(files, "listening");
  filesUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  server = await startTestServer({ env: { KENNING_ALLOW_PRIVATE_URLS: new URL(filesUrl).host } });
  token = await server.token({ role: "contributor" });
});
afterAll(async () => {
  files.close();
  await server.stop();
});

const take = (args: Record<string, unknown>) =>
  resultOf<Imported>(server, token, "knowi_import_file", args, BI);

async function rows(dataset_id: number): Promise<object[]> {
  return (await resultOf<{ rows: object[] }>(server, token, "get_data", { dataset_id })).rows;
}

describe("import_file", () => {
  it.each([
    ["csv", "name,n\nAda,1\nBob,2\n"],
    ["csv", "name;n\nAda;1\nBob;2\n"],
    ["tsv", "name\tn\nAda\t1\nBob\t2\n"],
    ["json", '[{"name":"Ada","n":1},{"name":"Bob","n":2}]'],
    ["ndjson", '{"name":"Ada","n":1}\n{"name":"Bob","n":2}\n'],
    [
      "xml",
      "<people><person><name>Ada</name><n>1</n></person><person><name>Bob</name><n>2</n></person></people>",
    ],
  ])(
    "[bi.import-file.inline] [bi.import-file.detects] takes inline %s, and detects what it is",
    async (format, content) => {
      const file = await take({ datasetName: `As ${format}`, content });
      expect(file).toMatchObject({ rows_read: 2, rows_rejected: 0, detected: { format } });
      expect(await rows(file.dataset_id)).toEqual([
        { name: "Ada", n: 1 },
        { name: "Bob", n: 2 },
      ]);
    },
  );

  it("[bi.import-file.updates] replaces the rows of a dataset that exists", async () => {
    const first = await take({ datasetName: "Again", content: "a\n1\n2\n" });
    const second = await take({ datasetName: "again", content: "b\nx\n" });
    expect(second).toMatchObject({ dataset_id: first.dataset_id, total_rows: 1, columns: [{ name: "b" }] });
    expect(await rows(first.dataset_id)).toEqual([{ b: "x" }]);
  });

  it("[bi.import-file.url] takes a file by its URL, through the guarded client", async () => {
    const file = await take({ datasetName: "Cities", fileUrl: `${filesUrl}/cities.csv` });
    expect(await rows(file.dataset_id)).toEqual([
      { city: "Bonn", people: 330000 },
      { city: "Ulm", people: 126000 },
    ]);
    await expect(take({ datasetName: "Away", fileUrl: `${filesUrl}/away` })).rejects.toThrow();
    await expect(take({ datasetName: "Self", fileUrl: `${server.url}/api/health/live` })).rejects.toThrow();
  });

  it.each([
    ["neither content nor URL", {}, /content|fileUrl/],
    ["both", { content: "a\n1\n", fileUrl: "https://example.com/x.csv" }, /content|fileUrl/],
    ["nothing in it", { content: "" }, /empty|content/i],
    ["a file type that is not known", { content: "a\n1\n", fileType: "abacus" }, /csv/],
    ["a URL of another sort", { fileUrl: "file:///etc/passwd" }, /http/i],
    ["JSON that is cut off", { content: '[{"a":1},{"a":', fileType: "json" }, /JSON|json/],
  ])("[bi.import-file.one-required] refuses %s, and stores nothing", async (_what, args, message) => {
    await expect(take({ datasetName: "Nothing", ...args })).rejects.toThrow(message);
    expect(await resultOf(server, token, "list_datasets", { query: "Nothing" })).toMatchObject({ total: 0 });
  });

  it("is for those who may write", async () => {
    const args = { datasetName: "X", content: "a\n1\n" };
    expect((await callTool(server, undefined, "knowi_import_file", args, BI)).status).toBe(401);
    const viewer = await callTool(
      server,
      await server.token({ role: "viewer" }),
      "knowi_import_file",
      args,
      BI,
    );
    expect(viewer.result?.isError).toBe(true);
  });
});
