import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { type Added, addDocument, callKnowledge, makeBase } from "../../../../test/support/knowledge.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";

const server = await serverOfFile();
const ada = await server.token({ role: "contributor" });
const base = await makeBase(server, ada, { name: "Handbook" });

const found = async (query: string) =>
  (await callKnowledge(server, ada, "search_documents", { query, knowledge_base_ids: [base] }, "/mcp"))
    .records;

describe("add_document", () => {
  it("makes versions of one name, and leaves the same file alone", async () => {
    const first = await addDocument(server, ada, base, "rule.txt", "The colour is green.");
    expect(first).toMatchObject({ outcome: "new", version: 1, index_status: "success" });
    expect(await addDocument(server, ada, base, "RULE.txt", "The colour is green.")).toMatchObject({
      document_id: first.document_id,
      outcome: "same",
      version: 1,
    });
    expect(await addDocument(server, ada, base, "rule.txt", "The colour is purple.")).toMatchObject({
      document_id: first.document_id,
      outcome: "version",
      version: 2,
    });
    expect(await found("green colour")).toMatchObject([{ content: "The colour is purple." }]);
  });

  it("tells of another document with the same bytes, and searches show it once", async () => {
    const { document_id } = await addDocument(server, ada, base, "one.txt", "Penguins live in the south.");
    expect(
      await addDocument(server, ada, base, "two.txt", "Penguins live in the south.", "birds"),
    ).toMatchObject({
      outcome: "new",
      duplicate_of: document_id,
    });
    expect(await found("penguins")).toHaveLength(1);
  });

  it.each([
    ["../../etc/passwd.txt", "passwd.txt"],
    ["C:\\windows\\win.txt", "win.txt"],
    ["a\u202Etxt.exe\u0000.txt", "atxt.exe.txt"],
    [`${"x".repeat(400)}.txt`, `${"x".repeat(251)}.txt`],
  ])("keeps the name %j as %j", async (given, kept) => {
    const { document_id } = await addDocument(server, ada, base, given, `named ${kept}`);
    expect(await callKnowledge(server, ada, "read_document", { document_id }, "/mcp")).toMatchObject({
      name: kept,
    });
  });

  it.each([
    [{ content: "x" }, /needs a file name/],
    [{ file_name: "x.txt" }, /There is no file/],
    [{ file_name: "x.txt", content: "" }, /empty/],
    [{ file_name: "..", content: "x" }, /has no name/],
    [{ file_name: "x.txt", content: "x", file_url: "http://example.com/x" }, /Both/],
    [{ file_url: "http://127.0.0.1:1/x" }, /./],
    [{ file_name: "x.pdf", content: "nö base64!" }, /base64/],
    // Words are letters of base64, too, and what they decode to may pass for a text.
    [{ file_name: "x.pdf", content: "hello world this is no file at all" }, /not a \.pdf file.*notes\.txt/s],
  ])("refuses %j", async (args, reason) => {
    const { result } = await callTool(server, ada, "add_document", { knowledge_base_id: base, ...args });
    expect(result?.isError).toBe(true);
    expect(result?.content[0]?.text).toMatch(reason);
  });

  it.each("pdf docx xlsx xlsb pptx odt ods odp rtf epub doc xls ppt msg png jpg jpeg webp gif".split(" "))(
    "refuses a text, and bytes of no kind, by the name of a .%s",
    async (extension) => {
      const program = Buffer.concat([Buffer.from("MZ\x90\x00", "latin1"), Buffer.alloc(4_000, 1)]);
      for (const [bytes, what] of [
        [Buffer.from("The quick brown fox jumps over the lazy dog."), "a text"],
        [program, "no file of a known kind"],
      ] as const) {
        const args = {
          knowledge_base_id: base,
          file_name: `fox.${extension}`,
          content: bytes.toString("base64"),
        };
        const { result } = await callTool(server, ada, "add_document", args);
        expect(result?.isError).toBe(true);
        expect(result?.content[0]?.text).toContain(`not a .${extension} file. What came is ${what}`);
      }
      const { total } = await callKnowledge(server, ada, "list_documents", { query: "fox." }, "/mcp");
      expect(total).toBe(0);
    },
  );

  it("refuses it by an upload of bytes, too", async () => {
    const ticket = { knowledge_base_id: base, file_name: "upload.pdf" };
    const { upload_url, headers } = await resultOf<{ upload_url: string; headers: Record<string, string> }>(
      server,
      ada,
      "request_upload",
      ticket,
    );
    const answer = await server.request(upload_url, { method: "PUT", headers, body: "just words" });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("not a .pdf file");
  });

  it("takes what a text says in base64 for the text, and says so", async () => {
    const content = Buffer.from("Walruses sleep on ice and dive for clams.").toString("base64");
    const added = await addDocument(server, ada, base, "walrus.txt", content);
    expect(added).toMatchObject({ index_status: "success", notes: ["The content was taken for base64."] });
    expect((await found("walruses"))[0]).toMatchObject({
      content: "Walruses sleep on ice and dive for clams.",
    });
  });

  it("takes words by the name of nothing known for a text", async () => {
    await addDocument(server, ada, base, "minutes.v2", "okapis were voted in by all");
    expect((await found("okapis"))[0]).toMatchObject({ content: "okapis were voted in by all" });
  });

  it("reads a page by the name of an old office file, as programs export it", async () => {
    const page = Buffer.from("<html><table><tr><td>Lemurs</td><td>12</td></tr></table></html>");
    expect(await addDocument(server, ada, base, "export.xls", page)).toMatchObject({
      index_status: "success",
    });
    expect((await found("lemurs"))[0].content).not.toContain("<td>");
  });

  it("is for those who may write, in bases that they may change", async () => {
    const viewer = await server.token({ role: "viewer" });
    const args = { knowledge_base_id: base, file_name: "x.txt", content: "x" };
    const denied = await callTool(server, viewer, "add_document", args);
    expect(denied.result?.content[0]?.text).toMatch(/knowledge:write is missing/);
    const diary = await makeBase(server, await server.token({ role: "admin" }), {
      name: "Diary",
      personal: true,
    });
    const other = await callTool(server, ada, "add_document", { ...args, knowledge_base_id: diary });
    expect(other.result?.content[0]?.text).toMatch(/not found/);
    expect((await callTool(server, undefined, "add_document", args)).status).toBe(401);
  });

  it("[bi.documents.ingest] ingests on the bi endpoint, into the base that everybody has", async () => {
    const args = { content: "The moon is made of rock.", fileName: "moon.txt" };
    const added = await resultOf<Added>(server, ada, "knowi_ingest_document", args, BI);
    expect(added).toMatchObject({ outcome: "new", index_status: "success" });
    const all = await callKnowledge(server, ada, "search_documents", { query: "moon rock" }, "/mcp");
    expect(all.records).toMatchObject([{ knowledge_base_name: "Documents", document_id: added.document_id }]);
  });
});
