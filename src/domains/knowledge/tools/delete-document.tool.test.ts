import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { addDocument, callKnowledge, makeBase } from "../../../../test/support/knowledge.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";

const server = await serverOfFile();
const ada = await server.token({ role: "contributor" });
const base = await makeBase(server, ada, { name: "Handbook" });

const found = async (query: string) =>
  (await callKnowledge(server, ada, "search_documents", { query }, "/mcp")).total;
const textOf = async (name: string, args: Record<string, unknown>, token = ada, path = BI) => {
  const { result, error } = await callTool(server, token, name, args, path);
  return result?.content[0]?.text ?? error?.message ?? "";
};

describe("delete_document", () => {
  it("[bi.documents.delete] only when confirmed; then it is found no more, until it is brought back", async () => {
    const { document_id } = await addDocument(server, ada, base, "penguins.txt", "Penguins swim.");
    const documentId = String(document_id);
    expect(await textOf("knowi_delete_document", { documentId, confirm: false })).toMatch(
      /confirm must be true/,
    );
    expect(await found("penguins")).toBe(1);
    await resultOf(server, ada, "knowi_delete_document", { documentId, confirm: true }, BI);
    expect(await found("penguins")).toBe(0);
    expect(await textOf("knowi_delete_document", { documentId, confirm: true })).toMatch(/not found/);
    const back = await resultOf(server, ada, "change_document", { document_id, restore: true });
    expect(back).toMatchObject({ name: "penguins.txt", active: true });
    expect(await found("penguins")).toBe(1);
  });

  it("is for those who may change the base", async () => {
    const { document_id } = await addDocument(server, ada, base, "owls.txt", "Owls see.");
    const viewer = await server.token({ role: "viewer" });
    const args = { document_id, confirm: true };
    expect(await textOf("delete_document", args, viewer, "/mcp")).toMatch(/knowledge:write is missing/);
    expect(await textOf("knowi_delete_document", { documentId: "x1", confirm: true })).toMatch(/no document/);
  });
});
