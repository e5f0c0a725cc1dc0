import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { addDocument, makeBase } from "../../../../test/support/knowledge.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

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
const BILL = `# Invoice

Invoice No.: R-2207/18 Currency: EUR

Date: 27.02.2026

Due: 13.03.2026

## Customer

Name: Brunswick Marina

| Position | Amount |
| --- | --- |
| Sails | 120.00 |
| Subtotal | 120.00 |
| Ropes | 80.50 |
| Subtotal | 80.50 |

Total: Policy 202309097001

Plate: M-MM 0000 CO2: 150

IBAN: DE00 3704 0044 0532 0130 00

Notes:
Signature:
`;
const VISIT = "Inspection date: 01/09/2015";

const server = await serverOfFile();
const ada = await server.token({ role: "contributor" });
const base = await makeBase(server, ada, { name: "Contracts" });
const files = {
  "acme.md": CONTRACT,
  "müller.md": VERTRAG,
  "poem.txt": "Roses are red.",
  "bill.md": BILL,
  "visit.txt": VISIT,
  "paid.txt": "Total: 30.50 EUR\nAmount paid: 20.00 EUR\nTotal due: 10.50 EUR",
  "form.txt": "Invoice No      INV-2024-00817\n\nName: Name\n\nTotal due in EUR 17.50",
};
const ids: string[] = [];
for (const [name, text] of Object.entries(files))
  ids.push(String((await addDocument(server, ada, base, name, text)).document_id));

interface Extracted {
  dataset_id: number;
  dataset_name: string;
  columns: { name: string; type: string }[];
  rows: number;
  documents: {
    values: { field: string; value: unknown; confidence: number; quote: string; reason?: string }[];
  }[];
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
    expect(value).toMatchObject({ field: "company_name", quote: "Company name: Acme Ltd." });
    expect(value?.confidence).toBeGreaterThan(0.9);
  });

  it("says where it found nothing", async () => {
    const made = await extract({ fields: "contract_value", documentIds: [ids[2]] });
    expect(made.notes).toEqual(["In 1 of 1 documents none of the fields was found."]);
    expect(made.documents[0]?.values).toMatchObject([
      { value: null, confidence: 0, reason: "No label like it was found." },
    ]);
  });

  it("writes a value only where its kind fits and its place says so, and why not elsewhere", async () => {
    const made = await extract({
      fields:
        "grand_total, invoice_number, invoice_date, due_date, order_date, subtotal, customer_name, iban, notes, delivery_date, hourly_rate, plate",
      documentIds: [ids[3]],
    });
    const values = made.documents[0]?.values ?? [];
    expect(Object.fromEntries(values.map(({ field, value }) => [field, value]))).toEqual({
      // Not the number that stands beside another "Total".
      grand_total: null,
      invoice_number: "R-2207/18",
      invoice_date: "2026-02-27",
      due_date: "2026-03-13",
      order_date: null,
      subtotal: null,
      customer_name: "Brunswick Marina",
      iban: null,
      notes: null,
      delivery_date: null,
      hourly_rate: null,
      plate: "M-MM 0000",
    });
    const reasons = Object.fromEntries(values.map(({ field, reason }) => [field, reason]));
    expect(reasons).toMatchObject({
      grand_total: "“Total: Policy 202309097001” has no value that is an amount of money.",
      subtotal: "Several values have such a label: 120; 80.5.",
      iban: "“IBAN: DE00 3704 0044 0532 0130 00” has no value that is a valid IBAN.",
      notes: "“Notes: Signature:” has no value that is a text.",
      delivery_date: "No label like it was found.",
    });
    expect(
      values.filter(({ value }) => value !== null).every(({ quote, reason }) => quote !== "" && !reason),
    ).toBe(true);
  });

  it("takes nothing away from a value that begins like a small word, and no label for its own value", async () => {
    const made = await extract({ fields: "invoice_number, name, total_due", documentIds: [ids[6]] });
    expect(made.documents[0]?.values.map(({ value }) => value)).toEqual(["INV-2024-00817", null, 17.5]);
  });

  it("takes a total that is due for the total, unless another stands there", async () => {
    const totalOf = async (id: string | undefined) =>
      (await extract({ fields: "total_amount", documentIds: [id] })).documents[0]?.values[0]?.value;
    expect(await Promise.all([totalOf(ids[6]), totalOf(ids[5])])).toEqual([17.5, 30.5]);
  });

  it("reads dates of numbers as the document or the prompt says, and otherwise not", async () => {
    const documentIds = [ids[4]];
    const [value] = (await extract({ fields: "inspection_date", documentIds })).documents[0]?.values ?? [];
    expect(value).toMatchObject({
      value: null,
      reason: expect.stringContaining("“01/09/2015” may have the day"),
    });
    const extractionPrompt = "Dates are MM/DD/YYYY.";
    const told = await extract({ fields: "inspection_date", documentIds, extractionPrompt });
    expect(told.documents[0]?.values[0]).toMatchObject({ value: "2015-01-09" });
  });

  it("makes a dataset of its own each time, also twice at once", async () => {
    const wish = { fields: "company_name", documentIds: ids.slice(0, 1) };
    const made = await Promise.all([extract(wish), extract(wish), extract(wish)]);
    expect(new Set(made.map(({ dataset_id }) => dataset_id)).size).toBe(3);
    expect(made.every(({ dataset_name }) => /^Extracted \d{4}-\d\d-\d\d /.test(dataset_name))).toBe(true);
  });

  it("refuses what it cannot do, and whoever may not", async () => {
    await expect(extract({ fields: " , " })).rejects.toThrow(/no fields/);
    await expect(extract({ fields: "a", detailsDepth: 21 })).rejects.toThrow(/detailsDepth/);
    const viewer = await server.token({ role: "viewer" });
    const denied = await callTool(server, viewer, "extract_document_data", { fields: "a" });
    expect(denied.result?.content[0]?.text).toMatch(/bi:write is missing/);
  });
});
