import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { escapeXml, xlsx } from "../support/data-files.ts";
import { exportOf, resultOf } from "../support/datasets.ts";
import { callTool } from "../support/mcp.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** Files of every sort, all the way: in by import_file, asked by C9QL, and out again by export_data. */

type Row = Record<string, string | number | boolean | null>;

const ROWS: Row[] = [
  { city: "Köln, am Rhein", people: 1_087_353, area: 405.01, since: "0050-01-01", capital: false },
  { city: 'Say "Ulm"', people: 128_928, area: 118.68, since: "1181-06-15", capital: false },
  { city: "Berlin", people: 3_782_202, area: null, since: "1237-10-28", capital: true },
];
const NAMES = Object.keys(ROWS[0] ?? {});
const TOTAL = 4_998_483;

let server: TestServer;
let tokens: Record<"admin" | "contributor" | "viewer" | "stranger", string>;
let parquet: Buffer;

beforeAll(async () => {
  server = await startTestServer();
  await server.app.identity.workspaces.create({ slug: "other" });
  tokens = {
    admin: await server.token({ role: "admin" }),
    contributor: await server.token({ role: "contributor" }),
    viewer: await server.token({ role: "viewer" }),
    stranger: await server.token({ role: "admin", workspace: "other" }),
  };
  parquet = await writeParquet();
});
afterAll(() => server.stop());

/** As another program would write it. */
async function writeParquet(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "kenning-parquet-"));
  const path = join(folder, "cities.parquet");
  const literal = (value: Row[string]) =>
    typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
  const rows = ROWS.map((row) => `(${Object.values(row).map(literal).join(", ")})`).join(", ");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT * REPLACE (since::DATE AS since) FROM (VALUES ${rows}) t(${NAMES.join(", ")})) TO '${path}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

function delimited(delimiter: string): string {
  const quote = (value: Row[string] | undefined) => `"${String(value ?? "").replaceAll('"', '""')}"`;
  const lines = ROWS.map((row) => NAMES.map((name) => (row[name] === null ? "" : quote(row[name]))));
  return [NAMES, ...lines].map((line) => `${line.join(delimiter)}\n`).join("");
}

function xml(): string {
  const present = (row: Row) => Object.entries(row).filter(([, value]) => value !== null);
  const element = (row: Row) =>
    present(row).map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`);
  return `<cities>${ROWS.map((row) => `<row>${element(row).join("")}</row>`).join("")}</cities>`;
}

const FILES: [format: string, content: () => string][] = [
  ["csv", () => delimited(",")],
  ["tsv", () => delimited("\t")],
  ["json", () => JSON.stringify(ROWS)],
  ["ndjson", () => ROWS.map((row) => `${JSON.stringify(row)}\n`).join("")],
  ["xml", xml],
  [
    "excel",
    () =>
      xlsx({
        sheets: [{ name: "Cities", rows: [NAMES, ...ROWS.map((row) => Object.values(row))] }],
      }).toString("base64"),
  ],
  ["parquet", () => parquet.toString("base64")],
];

interface Imported {
  dataset_id: number;
  rows_read: number;
  detected: { format: string };
}

const take = (dataset_name: string, content: string, token = tokens.contributor, file_type?: string) =>
  resultOf<Imported>(server, token, "import_file", { dataset_name, content, file_type });

async function rowsOf(dataset_id: number, token: string, c9ql?: string): Promise<Row[]> {
  return (await resultOf<{ rows: Row[] }>(server, token, "get_data", { dataset_id, c9ql })).rows;
}

async function exported(dataset_id: number, token: string, format: string): Promise<Buffer> {
  return (await exportOf(server, token, { dataset_id, format })).file;
}

/** What a Parquet file holds, read by the server as a new dataset. */
async function rowsOfParquet(name: string, bytes: Buffer): Promise<Row[]> {
  const { dataset_id } = await take(name, bytes.toString("base64"), tokens.admin);
  return rowsOf(dataset_id, tokens.admin);
}

describe.each(FILES)("a file of %s", (format, content) => {
  let id: number;

  it("is taken in and known for what it is", async () => {
    const imported = await take(`Cities of ${format}`, content());
    expect(imported).toMatchObject({ rows_read: 3, detected: { format } });
    id = imported.dataset_id;
    expect(await rowsOf(id, tokens.viewer)).toEqual(ROWS);
  });

  it("answers C9QL", async () => {
    const total = "select sum(people) as Total, count(*) as Cities";
    expect(await rowsOf(id, tokens.viewer, total)).toEqual([{ Total: TOTAL, Cities: 3 }]);
    const old = "select city where area > 200";
    expect(await rowsOf(id, tokens.viewer, old)).toEqual([{ city: "Köln, am Rhein" }]);
  });

  it("comes out again as it was", async () => {
    expect(JSON.parse((await exported(id, tokens.viewer, "json")).toString())).toEqual(ROWS);
    const csv = (await exported(id, tokens.viewer, "csv")).toString();
    const again = await take(`Again ${format}`, csv);
    expect(await rowsOf(again.dataset_id, tokens.viewer)).toEqual(ROWS);
    expect(await rowsOfParquet(`Parquet ${format}`, await exported(id, tokens.viewer, "parquet"))).toEqual(
      ROWS,
    );
  });

  it("is for those who may, and for this workspace", async () => {
    const args = { dataset_name: "X", content: content(), file_type: format };
    expect((await callTool(server, undefined, "import_file", args)).status).toBe(401);
    expect((await callTool(server, undefined, "get_data", { dataset_id: id })).status).toBe(401);
    expect((await callTool(server, undefined, "export_data", { dataset_id: id })).status).toBe(401);
    await expect(resultOf(server, tokens.viewer, "import_file", args)).rejects.toThrow(/bi:write/);
    await expect(rowsOf(id, tokens.stranger)).rejects.toThrow(/no dataset/);
    await expect(exported(id, tokens.stranger, "csv")).rejects.toThrow(/no dataset/);
  });
});

describe("policies of an imported dataset", () => {
  const people = (salary: string) =>
    `name,region,${salary}\nAda,West,1001\nBob,East,2002\nCy,West,3003\nDee,,4004\n`;
  let id: number;

  beforeAll(async () => {
    id = (await take("Staff", people("salary"))).dataset_id;
    const policies = [
      {
        name: "west, no salaries",
        roles: ["viewer"],
        rows: [{ field: "region", operator: "=", value: "West" }],
        hide: ["salary"],
      },
    ];
    await resultOf(server, tokens.admin, "set_dataset_policies", { dataset_id: id, policies });
  });

  const west = [
    { name: "Ada", region: "West" },
    { name: "Cy", region: "West" },
  ];

  it("hold alike on rows, C9QL and every export", async () => {
    expect(await rowsOf(id, tokens.viewer)).toEqual(west);
    expect(await rowsOf(id, tokens.viewer, "select *")).toEqual(west);
    expect(await rowsOf(id, tokens.viewer, "select count(*) as n")).toEqual([{ n: 2 }]);
    expect(await rowsOf(id, tokens.viewer, "select region, count(*) as n group by region")).toEqual([
      { region: "West", n: 2 },
    ]);
    expect((await exported(id, tokens.viewer, "csv")).toString()).toBe(
      "name,region\r\nAda,West\r\nCy,West\r\n",
    );
    expect(JSON.parse((await exported(id, tokens.viewer, "json")).toString())).toEqual(west);
    expect(await rowsOfParquet("Seen by a viewer", await exported(id, tokens.viewer, "parquet"))).toEqual(
      west,
    );
  });

  it.each([
    "select salary",
    "select sum(salary) as s",
    "select name where salary > 1500",
    "select name order by salary",
    "select max(SALARY) as m group by region",
  ])("know nothing of a hidden column: %s", async (c9ql) => {
    const refusal = await rowsOf(id, tokens.viewer, c9ql).then(JSON.stringify, String);
    expect(refusal).toMatch(/^Error: .*salary/i);
    expect(refusal).not.toMatch(/1001|2002|3003|4004/);
    expect((await rowsOf(id, tokens.contributor, c9ql)).length).toBeGreaterThan(0);
  });

  it("outlive a new file, whatever its columns are called", async () => {
    await expect(take("staff", people("SALARY"))).rejects.toThrow(/only an admin may replace/);
    await take("staff", people("SALARY"), tokens.admin);
    expect(await rowsOf(id, tokens.viewer)).toEqual(west);
    expect(await rowsOf(id, tokens.contributor)).toHaveLength(4);
    // The column that decides who sees a row is gone: nobody can tell, so nothing is shown.
    await take("staff", "name,pay\nAda,1001\n", tokens.admin);
    expect(await rowsOf(id, tokens.viewer)).toEqual([]);
    expect((await exported(id, tokens.viewer, "csv")).toString()).toBe("name,pay\r\n");
    expect(await rowsOf(id, tokens.contributor)).toHaveLength(1);
  });
});
