import { type ClientRequest, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domains/knowledge/limits.ts";
import { zip } from "../support/data-files.ts";
import { resultOf } from "../support/datasets.ts";
import { addDocument, callKnowledge, makeBase } from "../support/knowledge.ts";
import { compound } from "../support/office-files.ts";
import { serverOfFile } from "../support/server.ts";

/** Files that mean no good: each is refused or read with a clear word on it, and nothing that could run is shown inline. */

const env = { EXTERNAL_KNOWLEDGE_MCP_RATE_LIMIT_ENABLED: "false" };
const server = await serverOfFile({ env });
const token = await server.token({ role: "contributor" });
const base = await makeBase(server, token, { name: "Files" });

const SCRIPT = "<script>fetch('//evil.example')</script>";
const OFFICE = (part: string) =>
  `<Types><Override PartName="/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
const docx = (document: string) =>
  zip({ "[Content_Types].xml": OFFICE("word/document"), "word/document.xml": document });
const odt = (parts: Record<string, string>) =>
  zip({ mimetype: { content: "application/vnd.oasis.opendocument.text", stored: true }, ...parts });
const LAUGHS = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "${"&a;".repeat(99)}">]><x>&b;</x>`;
const MZ = Buffer.concat([Buffer.from("MZ\x90\x00\x03\x00", "latin1"), Buffer.alloc(4_000, 1)]);
const LOCKED_PDF = Buffer.from(
  `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]>>endobj
4 0 obj<</Filter/Standard/V 1/R 2/P -44/O<${"ab".repeat(32)}>/U<${"cd".repeat(32)}>>>endobj
trailer<</Root 1 0 R/Encrypt 4 0 R/ID[<aa><aa>]>>
`,
  "latin1",
);

const PASSWORD = /protected by a password. Save it without one/;

describe("hostile and broken files", () => {
  it.each([
    ["an encrypted PDF", "a.pdf", LOCKED_PDF, PASSWORD],
    [
      "a workbook with a password",
      "a.xlsx",
      compound({ EncryptedPackage: Buffer.alloc(5_000, 7) }),
      PASSWORD,
    ],
    [
      "an OpenDocument with a password",
      "a.odt",
      odt({
        "content.xml": "xyz",
        "META-INF/manifest.xml": "<m:manifest xmlns:m='m'><m:encryption-data/></m:manifest>",
      }),
      PASSWORD,
    ],
    [
      "a broken presentation from before 2007",
      "a.ppt",
      compound({ "PowerPoint Document": Buffer.alloc(5_000, 7), "Current User": Buffer.alloc(40) }),
      /damaged/,
    ],
    [
      "a presentation of PowerPoint 95",
      "b.ppt",
      compound({ PP40: Buffer.alloc(5_000, 7) }),
      /PowerPoint 95.*Save it as .pptx or PDF/,
    ],
    [
      "a broken Word document from before 2007",
      "a.doc",
      compound({ WordDocument: Buffer.alloc(5_000) }),
      /damaged/,
    ],
    ["a bomb", "a.docx", docx(" ".repeat(80_000_000)), /unpacks to more than/],
    ["entities that grow", "b.docx", docx(LAUGHS), /document type/],
    [
      "an outside entity",
      "a.svg",
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><svg><text>&e;</text></svg>',
      /^read: (?!.*root:)/,
    ],
    ["a program that says so", "a.exe", MZ, /cannot be read/],
    ["a cut archive", "c.docx", docx("<x/>").subarray(0, 150), /damaged|cannot be read/],
    [
      "a page that runs",
      "a.html",
      `<h1>Rules</h1>${SCRIPT}<p onclick="x()">Thirty days.</p>`,
      /^read: # Rules\n\nThirty days\.$/,
    ],
    [
      "a picture that runs",
      "b.svg",
      `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}<text>Legend</text></svg>`,
      /^read: Legend$/,
    ],
    ["a page by the name of a text", "a.txt", `${SCRIPT} Thirty days.`, /^read: /],
    [
      "a page by the name of a sheet",
      "a.xls",
      Buffer.from(`<html>${SCRIPT} Thirty days.</html>`),
      /^read: T/,
    ],
    [
      "a document by the name of a PDF",
      "c.pdf",
      odt({ "content.xml": "<o:c xmlns:o='o' xmlns:t='t'><t:p>Words.</t:p></o:c>" }),
      /^read: Words\.$/,
    ],
    [
      "a picture that is a script",
      "a.gif",
      Buffer.from("GIF89a/*\x01\x00\x01\x00*/=1;alert(1)//", "latin1"),
      /cannot be read/,
    ],
    ["a PDF that is a page", "d.pdf", Buffer.from(`%PDF-1.4\n<html>${SCRIPT}</html>`), /damaged/],
    ["a page that is a PDF", "e.html", `${SCRIPT}\n%PDF-1.4 and words`, /^read: /],
    ["white space", "white.txt", " \n\t ", /There is no text/],
  ])("%s", async (_, name, content, expected) => {
    const added = await addDocument(server, token, base, name, content as string | Buffer);
    const { document_id, index_status, error } = added;
    const read = await callKnowledge(server, token, "wegent_kb_get_document_content", { document_id });
    expect(index_status === "failed" ? error : `read: ${read.content}`).toMatch(expected);
    expect(read.index_status).toBe(index_status);
    await expectHarmless(document_id, Buffer.from(content as string));
  });

  /** The bytes come back as they were; inline only as something that a browser runs nothing of. */
  async function expectHarmless(document_id: number, bytes: Buffer): Promise<void> {
    for (const disposition of ["inline", "attachment"]) {
      const args = { document_id, disposition };
      const credential = await callKnowledge(server, token, "wegent_kb_get_document_download", args);
      if (disposition === "inline" && credential.code === "unsupported_media_type") continue;
      const answer = await server.request(credential.resource_url, { headers: credential.headers });
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
      expect(answer.headers.get("content-disposition")).toMatch(new RegExp(`^${disposition};`));
      if (disposition === "inline")
        expect(answer.headers.get("content-type")).toMatch(
          /^(?:application\/pdf|image\/(?:png|jpeg|webp|gif)|text\/(?:plain|markdown|csv); charset=utf-8)$/,
        );
    }
  }

  it("have names without a path, without marks that nobody sees, and no headers in them", async () => {
    for (const [given, kept] of [
      ["../../etc/passwd.txt", "passwd.txt"],
      ["..\\..\\boot.txt", "boot.txt"],
      ["/root/.ssh/keys.txt", "keys.txt"],
      ["report\u202Etxt.exe", "reporttxt.exe"],
      ['quo"te\r\nX-Evil: 1.txt', 'quo"teX-Evil: 1.txt'],
      ["nul\u0000l.txt", "null.txt"],
      [`${"long".repeat(200)}.txt`, `${"long".repeat(62)}lon.txt`],
    ] as const) {
      const content = `The words of ${kept}`;
      const sent = kept.endsWith(".exe") ? Buffer.from(content) : content;
      const { document_id } = await addDocument(server, token, base, given, sent);
      const credential = await callKnowledge(server, token, "wegent_kb_get_document_download", {
        document_id,
        disposition: "attachment",
      });
      expect(credential.file_name).toBe(kept);
      const { headers } = await server.request(credential.resource_url, { headers: credential.headers });
      expect(headers.get("x-evil")).toBe(null);
      expect(headers.get("content-disposition")).toMatch(
        /^attachment; filename="[^"\\]*"; filename\*=UTF-8''/,
      );
    }
    for (const name of ["..", "/", " ", "a/.."])
      await expect(addDocument(server, token, base, name, "x")).rejects.toThrow(/name/);
    for (const folder of ["../up", "a/./b"])
      await expect(addDocument(server, token, base, "a.txt", "x", folder)).rejects.toThrow(/folder/);
  });

  it("that are empty or too large are refused before they are read", async () => {
    await expect(addDocument(server, token, base, "empty.txt", "")).rejects.toThrow(/empty/);
    const args = { knowledge_base_id: base, file_name: "huge.bin" };
    const credential = await resultOf<{ upload_url: string; headers: Record<string, string> }>(
      server,
      token,
      "request_upload",
      args,
    );
    const huge = 500 * 1024 * 1024;
    const put = (headers: Record<string, string>) =>
      request(new URL(credential.upload_url, server.url), {
        method: "PUT",
        headers: { ...credential.headers, ...headers },
      });
    const told = put({ "content-length": String(huge) });
    told.flushHeaders();
    expect(await statusOf(told)).toBe(413);
    const untold = put({ "transfer-encoding": "chunked" });
    const sent = pour(untold, huge);
    expect(await statusOf(untold)).toBe(413);
    expect(await sent).toBeLessThan(LIMITS.knowledge.documentBytes * 1.5);
    const { documents } = await callKnowledge(server, token, "list_documents", { query: "huge" }, "/mcp");
    expect(documents).toEqual([]);
  }, 60_000);

  function statusOf(asked: ClientRequest): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      asked.on("response", (answer) => {
        answer.resume();
        resolve(answer.statusCode);
        asked.destroy();
      });
      asked.on("error", reject);
    });
  }

  /** Sends so many bytes, or as many as are taken. */
  async function pour(asked: ClientRequest, bytes: number): Promise<number> {
    const block = Buffer.alloc(1024 * 1024, 7);
    let sent = 0;
    for (; sent < bytes && !asked.destroyed; sent += block.length)
      if (!asked.write(block)) while (asked.writableNeedDrain && !asked.destroyed) await sleep(1);
    return sent;
  }
});
