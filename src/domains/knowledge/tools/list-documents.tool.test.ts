import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { addDocument, makeBase } from "../../../../test/support/knowledge.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";

const server = await serverOfFile();
const ada = await server.token({ role: "contributor" });
const bob = await server.token({ role: "viewer" });
const base = await makeBase(server, ada, { name: "Handbook" });
const own = await makeBase(server, ada, { name: "Diary", personal: true });
await addDocument(server, ada, base, "rules 100%.txt", "Rules");
await addDocument(server, ada, base, "plans.txt", "Plans");
await addDocument(server, ada, own, "diary.txt", "Dear diary");

interface Listing {
  total: number;
  documents: { document_id: number; name: string }[];
}

const names = async (args: Record<string, unknown>, token = ada) =>
  (await resultOf<Listing>(server, token, "knowi_list_documents", args, BI)).documents.map(
    ({ name }) => name,
  );

describe("list_documents", () => {
  it("[bi.documents.list] by name and by base, with ids that the other tools take", async () => {
    expect(await names({})).toEqual(["diary.txt", "plans.txt", "rules 100%.txt"]);
    expect(await names({ query: "PLAN" })).toEqual(["plans.txt"]);
    expect(await names({ query: "%" })).toEqual(["rules 100%.txt"]);
    expect(await names({ datasourceId: base })).toEqual(["plans.txt", "rules 100%.txt"]);
    const { documents } = await resultOf<Listing>(server, ada, "knowi_list_documents", {}, BI);
    const documentId = documents[2]?.document_id as number;
    for (const documentIds of [[documentId], [String(documentId)]])
      expect(
        await resultOf(server, ada, "knowi_ask_document", { question: "Rules?", documentIds }, BI),
      ).toMatchObject({ citations: [{ document_id: documentId }] });
  });

  it("shows nobody what is another's", async () => {
    expect(await names({}, bob)).toEqual(["plans.txt", "rules 100%.txt"]);
    const other = await callTool(server, bob, "list_documents", { knowledge_base_id: base + 1 });
    expect(other.result?.content[0]?.text).toMatch(/not found/);
    expect((await callTool(server, undefined, "list_documents", {})).status).toBe(401);
  });
});
