import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { addDocument, makeBase } from "../../../../test/support/knowledge.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
const CONTRACT = `# Contract

Company name: Acme Ltd.
Contract value: EUR 12,500.50
Start date: 1 March 2026

Payments go to DE89 3704 0044 0532 0130 00.
`;
const VERTRAG = `# Vertrag

| Angabe | Wert |
| --- | --- |
| Company Name | Müller GmbH |
| Contract Value | 8.250,00 € |
| Start Date | 15.04.2026 |
`;
let server: TestServer;
let ada: string;
let ids: string[];

beforeAll(async () => {
  server = await startTestServer();
  ada = await server.token({ role: "contributor" });
  const base = await makeBase(server, ada, { name: "Contracts" });
  const files = { "acme.md": CONTRACT, "müller.md": VERTRAG, "poem.txt": "Roses are red." };
  ids = [];
  for (const [name, text] of Object.entries(files))
    ids.push(String((await addDocument(server, ada, base, name, text)).document_id));
});
afterAll(() => server.stop());

interface Extracted {
  dataset_id: number;
  columns: { name: string; type: string }[];
  rows: number;
  documents: { values: { field: string; value: unknown; confidence: number; place: string }[] }[];
  notes: string[];
}

const extract = (args: Record<string, unknown>) =>
  resultOf<Extracted>(server, ada, "knowi_extract_document_data", args, BI);

describe("extract_document_data", () => {
  it("[bi.documents.extract] makes typed rows that can be queried, and tells where each value is from", async () => {
    const fields = "company_name, contract_value, start_date, iban";
    const made = await extract({ fields, documentIds: ids.slice(0, 2), datasetName: "Contracts" });
    expect(made.rows).toBe(2);
    expect(made.columns).toMatchObject([
      { name: "document_id" },
      { name: "document" },
      { name: "company_name", type: "VARCHAR" },
      { name: "contract_value", type: "DOUBLE" },
      { name: "start_date", type: "DATE" },
      { name: "iban", type: "VARCHAR" },
    ]);
    const { rows } = await resultOf<{ rows: unknown[] }>(server, ada, "get_data", {
      dataset_id: made.dataset_id,
    });
    expect(rows).toMatchObject([
      {
        company_name: "Acme Ltd.",
        contract_value: 12500.5,
        start_date: "2026-03-01",
        iban: "DE89370400440532013000",
      },
      { company_name: "Müller GmbH", contract_value: 8250, start_date: "2026-04-15", iban: null },
    ]);
    const [value] = made.documents[0]?.values ?? [];
    expect(value).toMatchObject({ field: "company_name", place: "Company name: Acme Ltd." });
    expect(value?.confidence).toBeGreaterThan(0.9);
  });

  it("says where it found nothing", async () => {
    const made = await extract({ fields: "contract_value", documentIds: [ids[2]] });
    expect(made.notes).toEqual(["In 1 of 1 documents none of the fields was found."]);
    expect(made.documents[0]?.values).toMatchObject([{ value: null, confidence: 0 }]);
  });

  it("refuses what it cannot do, and whoever may not", async () => {
    await expect(extract({ fields: " , " })).rejects.toThrow(/no fields/);
    await expect(extract({ fields: "a", detailsDepth: 21 })).rejects.toThrow(/detailsDepth/);
    const viewer = await server.token({ role: "viewer" });
    const denied = await callTool(server, viewer, "extract_document_data", { fields: "a" });
    expect(denied.result?.content[0]?.text).toMatch(/bi:write is missing/);
  });
});
