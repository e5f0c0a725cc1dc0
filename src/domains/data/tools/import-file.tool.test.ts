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
  notes: string[];
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

  it("asks on bi which rows are meant, and takes the answer there", async () => {
    const wish = { datasetName: "Two lists", content: '{"a":[{"x":1}],"b":[{"y":2}]}', fileType: "json" };
    await expect(take(wish)).rejects.toThrow(/Say which one by options\.row_path: "a", "b"/);
    const file = await take({ ...wish, options: { row_path: "b" } });
    expect(await rows(file.dataset_id)).toEqual([{ y: 2 }]);
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

  const takeAs = (content: string, options?: object, name = "Options") =>
    resultOf<Imported>(server, token, "import_file", { dataset_name: name, content, options });

  it("takes 1,234 for a thousand only where that is known", async () => {
    const content = 'n,t\n"1,234",x\n"5,678",y\n';
    expect(await takeAs(content)).toMatchObject({
      columns: [{ type: "VARCHAR" }, {}],
      notes: [expect.stringContaining('options.decimal "."')],
    });
    const { dataset_id, detected, notes } = await takeAs(content, { decimal: "." });
    expect(detected).toMatchObject({ decimal: ".", thousands: "," });
    expect(notes).toEqual([]);
    expect(await rows(dataset_id)).toMatchObject([{ n: 1234 }, { n: 5678 }]);
    await takeAs(content, { decimal: "," });
    expect(await rows(dataset_id)).toMatchObject([{ n: 1.234 }, { n: 5.678 }]);
  });

  it.each<[string, string, object, object[]]>([
    ["delimiter", "a~b\n1~2\n", { delimiter: "~" }, [{ a: 1, b: 2 }]],
    ["quote", "a,b\n'x,y',2\n", { quote: "'" }, [{ a: "x,y", b: 2 }]],
    ["header", "x,y\nz,w\n", { header: false }, [{ column_1: "x" }, { column_1: "z" }]],
    ["date format", "d,t\n01/02/2024,x\n", { date_format: "MM/DD/YYYY" }, [{ d: "2024-01-02" }]],
    ["date format of strptime", "d,t\n20240102,x\n", { date_format: "%Y%m%d" }, [{ d: "2024-01-02" }]],
    ["lines above", "a,b\nx,y\n1,2\n", { skip_lines: 1 }, [{ x: 1, y: 2 }]],
    ["nulls", "a,b\n1,x\nn/a,y\n", { nulls: ["n/a"] }, [{ a: 1 }, { a: null, b: "y" }]],
    ["types", "a,b\n1,x\n", { types: { a: "VARCHAR" } }, [{ a: "1", b: "x" }]],
    ["row path", '{"x":{"y":[{"a":1}]}}', { row_path: "x/y" }, [{ a: 1 }]],
    ["encoding of the content", "YSxiCjEsMgo=", { content_encoding: "base64" }, [{ a: 1, b: 2 }]],
  ])("believes what is said: %s", async (name, content, options, expected) => {
    const { dataset_id } = await takeAs(content, options, `Said ${name}`);
    expect(await rows(dataset_id)).toMatchObject(expected);
  });

  it("says what of it was of no use", async () => {
    const { notes } = await takeAs("a,b\n1,2\n", { types: { c: "BIGINT", A: "DOUBLE" } });
    expect(notes).toEqual(['The types name columns that are not there: "c".']);
    const json = await takeAs('[{"a":1}]', { date_format: "DD.MM.YYYY", decimal: "," });
    expect(json.notes).toEqual([
      'No column has dates in the format "%d.%m.%Y".',
      expect.stringContaining("CSV only"),
    ]);
    await expect(takeAs("a,b\n1,2\n", { delimeter: ";" })).rejects.toThrow(/options\.delimeter/);
  });

  it("says how it took dates that can be read in two ways", async () => {
    const { detected, notes } = await takeAs("d,t\n01/02/2024,x\n03/04/2024,y\n");
    expect(detected).toMatchObject({ dateFormat: "%d/%m/%Y" });
    expect(notes).toEqual([expect.stringMatching(/day\/month\/year.*options\.date_format "%m\/%d\/%Y"/)]);
  });

  it.each<[string, Buffer, object[]]>([
    ["CSV", Buffer.from("a,b\n1,2\n"), [{ a: 1, b: 2 }]],
    ["Latin-1", Buffer.from("stra\xdfe,n\nH\xf6he,1\n", "latin1"), [{ straße: "Höhe", n: 1 }]],
    ["UTF-16", Buffer.from("\ufeffa;b\nä;2\n", "utf16le"), [{ a: "ä", b: 2 }]],
    ["JSON", Buffer.from('[{"a":1}]'), [{ a: 1 }]],
  ])("takes base64 of %s, and says so", async (name, bytes, expected) => {
    const file = await take({ datasetName: `Base64 ${name}`, content: bytes.toString("base64") });
    expect(await rows(file.dataset_id)).toEqual(expected);
    expect(file.notes[0]).toContain("taken for base64");
  });

  it("lets no file without rows replace rows, unless that is wanted", async () => {
    const { dataset_id } = await takeAs("a,b\n1,2\n", undefined, "Kept");
    await expect(takeAs("a,b\n", undefined, "Kept")).rejects.toThrow(/no rows/);
    await expect(take({ datasetName: "kept", content: "Dear all, this is no table" })).rejects.toThrow(
      /no rows/,
    );
    expect(await rows(dataset_id)).toEqual([{ a: 1, b: 2 }]);
    expect(await takeAs("a,b\n", { allow_empty: true }, "Kept")).toMatchObject({ total_rows: 0 });
    expect(await takeAs("c,d\n", undefined, "Kept")).toMatchObject({
      total_rows: 0,
      columns: [{ name: "c" }, { name: "d" }],
      notes: [expect.stringContaining("no rows")],
    });
  });

  it.each([
    ["neither content nor URL", {}, /content|fileUrl/],
    ["both", { content: "a\n1\n", fileUrl: "https://example.com/x.csv" }, /content|fileUrl/],
    ["nothing in it", { content: "" }, /empty|content/i],
    ["a file type that is not known", { content: "a\n1\n", fileType: "abacus" }, /csv/],
    ["a URL of another sort", { fileUrl: "file:///etc/passwd" }, /http/i],
    ["a sentence", { content: "There is no table in this sentence." }, /single line/],
    ["a PDF", { content: Buffer.from("%PDF-1.7\n1 0 obj").toString("base64") }, /a PDF document/],
    ["an image", { content: Buffer.from("89504e470d0a1a0a0000000d", "hex").toString("base64") }, /a PNG/],
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
