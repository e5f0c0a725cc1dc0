import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { addDocument, callKnowledge, makeBase } from "../../../../test/support/knowledge.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const ada = await server.token({ role: "contributor" });
const base = await makeBase(server, ada, { name: "Handbook" });
const id = (await addDocument(server, ada, base, "owls.txt", "Owls see at night.")).document_id;
await addDocument(server, ada, base, "bats.txt", "Bats hear.");

const change = (args: Record<string, unknown>) =>
  resultOf<Record<string, unknown>>(server, ada, "change_document", { document_id: id, ...args });
const titles = async (query: string) =>
  (await callKnowledge(server, ada, "search_documents", { query }, "/mcp")).records.map(
    ({ title }: { title: string }) => title,
  );

describe("change_document", () => {
  it("renames and moves it, and searches know it by its new name", async () => {
    expect(await change({ name: "strigidae.md", folder: "birds/night" })).toMatchObject({
      name: "strigidae.md",
      folder: "birds/night",
    });
    expect(await titles("strigidae")).toEqual(["strigidae.md"]);
    expect(await change({ folder: "" })).toMatchObject({ folder: "" });
    await expect(change({ name: "BATS.txt" })).rejects.toThrow(/already a document/);
  });

  it("takes it out of searches and into them again", async () => {
    await change({ active: false });
    expect(await titles("night")).toEqual([]);
    await change({ active: true });
    expect(await titles("night")).toHaveLength(1);
  });

  it("tells former versions, and reads the file again", async () => {
    await change({ name: "owls.txt" });
    await addDocument(server, ada, base, "owls.txt", "Owls hunt at night.");
    expect(await change({ reread: true })).toMatchObject({ former_versions: [{ version: 1, bytes: 18 }] });
  });

  it("is for those who may write", async () => {
    const viewer = await server.token({ role: "viewer" });
    const { result } = await callTool(server, viewer, "change_document", { document_id: id, active: false });
    expect(result?.content[0]?.text).toMatch(/knowledge:write is missing/);
  });
});
