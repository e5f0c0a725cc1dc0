import { afterAll, beforeAll, expect, it } from "vitest";
import { callInConsole } from "../../../../test/support/console.ts";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";
import { type Browser, signedInPerson } from "../../../../test/support/oauth-client.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

interface Preview {
  columns: { name: string; type: string }[];
  rows: Record<string, unknown>[];
  rows_read: number;
  rows_rejected: number;
}

let server: TestServer;
let person: Browser;

beforeAll(async () => {
  server = await startTestServer();
  ({ person } = await signedInPerson(server, "contributor"));
});
afterAll(() => server.stop());

async function sent(name: string, content: string): Promise<string> {
  const response = await person.send(`/api/console/w/acme/files?name=${name}`, {
    method: "POST",
    headers: { "x-kenning-console": "1" },
    body: content,
  });
  return ((await response.json()) as { file: string }).file;
}

const preview = (file_url: string, options = {}) =>
  callInConsole<Preview>(person, "preview_file", { file_url, options });

it("reads as the import would, keeps nothing, and the same file is imported afterwards", async () => {
  const file = await sent(
    "towns.csv",
    "town;founded;people\nUlm;01.02.1954;126.000\nBonn;03.04.1920;330.000\n",
  );
  const shown = await preview(file, { decimal: "," });
  expect(shown).toMatchObject({
    columns: [{ name: "town" }, { name: "founded", type: "DATE" }, { name: "people" }],
    rows: [{ town: "Ulm", founded: "1954-02-01" }, { town: "Bonn" }],
    rows_read: 2,
    rows_rejected: 0,
  });
  const typed = await preview(file, { types: { people: "VARCHAR" } });
  expect(typed.columns[2]).toEqual({ name: "people", type: "VARCHAR" });
  expect(await callInConsole(person, "list_datasets", {})).toMatchObject({ total: 0 });
  const imported = await callInConsole(person, "import_file", { dataset_name: "Towns", file_url: file });
  expect(imported).toMatchObject({ rows_read: 2 });
});

it("says what is wrong with a file", async () => {
  await expect(preview(await sent("odd.parquet", "PAR1 and nothing"))).rejects.toThrow(/Parquet/i);
  await expect(preview("no such handle")).rejects.toThrow();
});

it("is for those who may import", async () => {
  const viewer = await server.token({ role: "viewer" });
  const refused = await refusalsOf(server, viewer, "preview_file", { file_url: "https://example.com/a.csv" });
  expect(JSON.stringify(refused)).toMatch(/bi:write/);
  await expect(
    resultOf(server, await server.token(), "preview_file", { file_url: "http://127.0.0.1:9/a.csv" }),
  ).rejects.toThrow();
});
