import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { addDocument, callKnowledge, makeBase } from "../../../../test/support/knowledge.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const ada = await server.token({ role: "admin" });
const base = await makeBase(server, ada, { name: "Animals" });
await addDocument(server, ada, base, "owls.txt", "Owls see.", "birds/night");
const { items } = await callKnowledge(
  server,
  ada,
  "browse_knowledge_base",
  { knowledge_base_id: base, recursive: true },
  "/mcp",
);
const birds = items[0].raw_id;
const night = items[0].children[0].raw_id;

const change = (folder_id: number, args: Record<string, unknown>) =>
  resultOf<{ path: string }>(server, ada, "change_folder", { knowledge_base_id: base, folder_id, ...args });
const found = async () =>
  (await callKnowledge(server, ada, "search_documents", { query: "owls" }, "/mcp")).total;

describe("change_folder", () => {
  it("renames and moves, and not into itself", async () => {
    expect(await change(night, { name: "nocturnal", parent: "" })).toMatchObject({ path: "nocturnal" });
    expect(await change(night, { parent: "birds" })).toMatchObject({ path: "birds/nocturnal" });
    await expect(change(birds, { parent: "birds/nocturnal" })).rejects.toThrow(/into itself/);
    await expect(change(night, { name: "a/b" })).rejects.toThrow(/no slashes/);
    await expect(change(999_999, { name: "x" })).rejects.toThrow(/not found/);
  });

  it("deletes with all that is in it, when confirmed", async () => {
    await expect(change(birds, { delete: true })).rejects.toThrow(/confirm must be true/);
    expect(await found()).toBe(1);
    expect(await change(birds, { delete: true, confirm: true })).toMatchObject({ deleted_documents: 1 });
    expect(await found()).toBe(0);
  });

  it("brings a deleted folder back with what went with it", async () => {
    expect(await change(birds, { restore: true })).toMatchObject({ path: "birds", restored_documents: 1 });
    expect(await found()).toBe(1);
    await expect(change(birds, { restore: true })).rejects.toThrow(/no deleted folder/);
    await change(night, { delete: true, confirm: true });
    await change(birds, { delete: true, confirm: true });
    expect(await change(birds, { restore: true })).toMatchObject({ restored_documents: 0 });
    expect(await change(night, { restore: true })).toMatchObject({
      path: "birds/nocturnal",
      restored_documents: 1,
    });
    await change(birds, { delete: true, confirm: true });
  });
});

describe("a knowledge base as an asset", () => {
  it("is described, deleted and brought back, by its owner or an admin", async () => {
    await addDocument(server, ada, base, "bats.txt", "Bats hear owls.");
    const asset = { asset_type: "knowledge_base", asset_id: base };
    expect(await resultOf(server, ada, "get_details", asset)).toMatchObject({
      details: { name: "Animals", documents: 1 },
    });
    const other = await server.token({ role: "contributor" });
    const denied = await callTool(server, other, "delete_asset", { ...asset, confirm: true });
    expect(denied.result?.isError).toBe(true);
    await resultOf(server, ada, "delete_asset", { ...asset, confirm: true });
    expect(await found()).toBe(0);
    await resultOf(server, ada, "restore_asset", asset);
    expect(await found()).toBe(1);
  });
});
