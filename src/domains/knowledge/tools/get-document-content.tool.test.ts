import { describe, expect, it } from "vitest";
import { addDocument, callKnowledge, makeBase } from "../../../../test/support/knowledge.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const READ = "wegent_kb_get_document_content";

const server = await serverOfFile();
const ada = await server.token({ role: "contributor" });
const viewer = await server.token({ role: "viewer" });
const base = await makeBase(server, ada, { name: "Handbook" });
const id = (await addDocument(server, ada, base, "doc.md", "hello external knowledge")).document_id;

const read = (args: Record<string, unknown>, token = viewer) => callKnowledge(server, token, READ, args);

describe("wegent_kb_get_document_content", () => {
  it("[knowledge.content.shape] [knowledge.content.paging] reads the parsed text in parts", async () => {
    expect(await read({ document_id: id, offset: 6, limit: 8 })).toEqual({
      document_id: id,
      node_id: `document:${id}`,
      knowledge_base_id: base,
      name: "doc.md",
      content: "external",
      content_format: "text",
      content_source: "parsed_attachment",
      content_available: true,
      offset: 6,
      returned_length: 8,
      total_length: 24,
      has_more: true,
      index_status: "success",
    });
    expect(await read({ document_id: id, offset: 99 })).toMatchObject({ content: "", has_more: false });
  });

  it("counts characters, not halves of them", async () => {
    const { document_id } = await addDocument(server, ada, base, "smile.txt", "a😀b😀c");
    expect(await read({ document_id, offset: 1, limit: 2 })).toMatchObject({
      content: "😀b",
      returned_length: 2,
      total_length: 5,
    });
  });

  it("[knowledge.content.unavailable] says that there is no text", async () => {
    const bytes = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 7) % 32));
    const added = await addDocument(server, ada, base, "noise.bin", bytes);
    expect(added).toMatchObject({ index_status: "failed", error: expect.any(String) });
    expect(await read({ document_id: added.document_id })).toMatchObject({
      content: "",
      content_available: false,
      total_length: 0,
      has_more: false,
      index_status: "failed",
    });
  });

  it.each([
    ["document_id must be a positive integer", { document_id: 0 }],
    ["document_id is required", {}],
    ["offset must be greater than or equal to 0", { document_id: 1, offset: -1 }],
    ["limit must be between 1 and 100000", { document_id: 1, limit: 100_001 }],
  ])("[knowledge.content.bounds] %s", async (error, args) => {
    expect(await read(args)).toEqual({ error, code: "bad_request" });
  });

  it("[knowledge.content.access] forbidden in the workspace, not_found beyond it", async () => {
    const diary = await makeBase(server, ada, { name: "Diary", personal: true });
    const { document_id } = await addDocument(server, ada, diary, "d.txt", "dear diary");
    expect(await read({ document_id })).toMatchObject({ code: "forbidden" });
    expect(await read({ document_id }, ada)).toMatchObject({ content: "dear diary" });
    expect(await read({ document_id: 999_999 })).toMatchObject({ code: "not_found" });
    await server.app.identity.workspaces.create({ slug: "other" });
    const stranger = await server.token({ workspace: "other" });
    expect(await read({ document_id: id }, stranger)).toMatchObject({ code: "not_found" });
  });
});
