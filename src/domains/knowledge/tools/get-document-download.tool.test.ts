import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { zip } from "../../../../test/support/data-files.ts";
import { resultOf } from "../../../../test/support/datasets.ts";
import { TestClock } from "../../../../test/support/identity.ts";
import { addDocument, callKnowledge, makeBase } from "../../../../test/support/knowledge.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";
import { DOWNLOAD_HEADER } from "../downloads.ts";

const DOWNLOAD = "wegent_kb_get_document_download";
const TEXT = "Größe: 0123456789";
const NAME = "Bericht „Größe“ (1).txt";
let server: TestServer;
let clock: TestClock;
let ada: string;
let bob: string;
let base: number;
let id: number;

beforeAll(async () => {
  clock = new TestClock();
  server = await startTestServer({ clock, env: { API_PREFIX: "/api" } });
  const member = { workspace: "acme", role: "contributor" } as const;
  await server.app.identity.users.create({ email: "bob@example.com", ...member });
  ada = await server.token({ role: "contributor" });
  bob = await server.token({ email: "bob@example.com" });
  base = await makeBase(server, ada, { name: "Diary", personal: true });
  await share("reader");
  id = (await addDocument(server, ada, base, NAME, TEXT)).document_id;
});
afterAll(() => server.stop());

const share = (access: string) =>
  resultOf(server, ada, "share_knowledge_base", {
    knowledge_base_id: base,
    email: "bob@example.com",
    access,
  });

const ask = (args: Record<string, unknown>, token = bob, path?: string) =>
  callKnowledge(server, token, DOWNLOAD, args, path);

async function fetchFile(
  credential: { resource_url: string; headers: Record<string, string> },
  headers: Record<string, string> = {},
): Promise<Response> {
  return server.request(credential.resource_url, { headers: { ...credential.headers, ...headers } });
}

describe("wegent_kb_get_document_download", () => {
  it("[knowledge.download.shape] [knowledge.download.expiry] gives a credential for 300 seconds", async () => {
    expect(await ask({ document_id: id })).toEqual({
      document_id: id,
      node_id: `document:${id}`,
      knowledge_base_id: base,
      resource_url: `/mcp/knowledge-external/documents/${id}/file`,
      headers: { "X-Wegent-Download-Token": expect.any(String) },
      expiration_seconds: 300,
      disposition: "inline",
      mime_type: "text/plain",
      file_name: NAME,
      file_extension: "txt",
      file_size: Buffer.byteLength(TEXT),
      downloadable: true,
      previewable: true,
    });
    const below = await ask({ document_id: id }, bob, "/api/mcp/knowledge-external/sse");
    expect(below.resource_url).toBe(`/api/mcp/knowledge-external/documents/${id}/file`);
    expect((await fetchFile(below)).status).toBe(200);
    const late = await ask({ document_id: id });
    clock.advance(301_000);
    expect((await fetchFile(late)).status).toBe(401);
  });

  it("[knowledge.file.headers] sends the file as it is, with its name, and nothing to guess", async () => {
    const answer = await fetchFile(await ask({ document_id: id, disposition: "attachment" }));
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(TEXT);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toBe(
      `attachment; filename="Bericht _Gr__e_ (1).txt"; filename*=UTF-8''Bericht%20%E2%80%9EGr%C3%B6%C3%9Fe%E2%80%9C%20%281%29.txt`,
    );
  });

  it("[knowledge.file.ranges] sends parts", async () => {
    const credential = await ask({ document_id: id });
    const part = await fetchFile(credential, { range: "bytes=-4" });
    expect({ status: part.status, text: await part.text() }).toEqual({ status: 206, text: "6789" });
    expect(part.headers.get("content-range")).toBe("bytes 15-18/19");
    expect((await fetchFile(credential, { range: "bytes=99-" })).status).toBe(416);
    expect((await fetchFile(credential, { range: "bytes=0-1,3-4" })).status).toBe(200);
    const head = await server.request(credential.resource_url, {
      method: "HEAD",
      headers: credential.headers,
    });
    expect({ status: head.status, length: head.headers.get("content-length") }).toEqual({
      status: 200,
      length: "19",
    });
  });

  it("sends nothing again that the client says it has", async () => {
    const credential = await ask({ document_id: id });
    const etag = (await fetchFile(credential)).headers.get("etag") as string;
    for (const [known, status] of [
      [etag, 304],
      [`W/${etag}, "another"`, 304],
      ['"another"', 200],
    ] as const)
      expect((await fetchFile(credential, { "if-none-match": known })).status).toBe(status);
    expect((await fetchFile({ ...credential, headers: {} }, { "if-none-match": etag })).status).toBe(401);
  });

  it("[knowledge.download.inline] inline only for what a browser shows without running it", async () => {
    for (const [name, content] of [
      ["page.html", "<script>alert(1)</script>"],
      ["picture.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>"],
      ["sheet.xlsx", Buffer.from("PK\u0003\u0004 not really")],
    ] as const) {
      const { document_id } = await addDocument(server, ada, base, name, content);
      expect(await ask({ document_id })).toMatchObject({ code: "unsupported_media_type" });
      const answer = await fetchFile(await ask({ document_id, disposition: "attachment" }));
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-disposition")).toMatch(/^attachment;/);
    }
    expect(await ask({ document_id: id, disposition: "inlin" })).toEqual({
      error: "disposition must be inline or attachment",
      code: "bad_request",
    });
  });

  it("[knowledge.file.inline] not inline what has become another type since", async () => {
    const { document_id } = await addDocument(
      server,
      ada,
      base,
      "note.pdf",
      Buffer.from("%PDF-1.4 plain words"),
    );
    const inline = await ask({ document_id });
    expect((await fetchFile(inline)).status).toBe(200);
    const mimetype = { content: "application/vnd.oasis.opendocument.text", stored: true };
    const other = zip({
      mimetype,
      "content.xml": "<o:c xmlns:o='o' xmlns:t='t'><t:p>Other words.</t:p></o:c>",
    });
    expect(await addDocument(server, ada, base, "note.pdf", other)).toMatchObject({ outcome: "version" });
    const refused = await fetchFile(inline);
    expect([refused.status, await refused.json()]).toMatchObject([415, { code: "unsupported_media_type" }]);
    const asked = await server.request(`${inline.resource_url}?disposition=attachment`, {
      headers: inline.headers,
    });
    expect(asked.status).toBe(415);
  });

  it("[knowledge.file.token] only with the token of this very document", async () => {
    const other = await addDocument(server, ada, base, "other.txt", "something else");
    const { headers, resource_url } = await ask({ document_id: id });
    const token = headers[DOWNLOAD_HEADER] as string;
    const status = async (url: string, sent: Record<string, string>) =>
      (await server.request(url, { headers: sent })).status;
    expect(await status(`/mcp/knowledge-external/documents/${other.document_id}/file`, headers)).toBe(401);
    expect(await status(resource_url, {})).toBe(401);
    expect(await status(resource_url, { authorization: `Bearer ${bob}` })).toBe(401);
    expect(await status(resource_url, { [DOWNLOAD_HEADER]: `${token.slice(0, -3)}AAA` })).toBe(401);
    expect(await status("/mcp/knowledge-external/documents/x/file", headers)).toBe(400);
    expect(await status(resource_url, headers)).toBe(200);
  });

  it("[knowledge.file.recheck] forbidden to a reader who was removed since, and where the token was revoked", async () => {
    const credential = await ask({ document_id: id });
    await share("none");
    const refused = await fetchFile(credential);
    expect({ status: refused.status, body: await refused.json() }).toMatchObject({
      status: 403,
      body: { code: "forbidden" },
    });
    expect(await ask({ document_id: id })).toMatchObject({ code: "forbidden" });
    await share("reader");
    expect((await fetchFile(credential)).status).toBe(200);
    const { identity } = server.app;
    const made = await identity.tokens.create({
      email: "bob@example.com",
      workspace: "acme",
      kind: "knowledge",
    });
    const short = await ask({ document_id: id }, made.token);
    await identity.tokens.revoke(made.info.id);
    expect((await fetchFile(short)).status).toBe(403);
  });

  it("[knowledge.file.unavailable] says so when the original is lost", async () => {
    const { document_id } = await addDocument(server, ada, base, "lost.txt", "soon gone");
    const credential = await ask({ document_id });
    const { rm } = await import("node:fs/promises");
    await rm(`${server.home}/blobs/documents`, { recursive: true });
    const answer = await fetchFile(credential);
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 404,
      body: { code: "file_unavailable" },
    });
    expect(await ask({ document_id })).toMatchObject({ code: "file_unavailable" });
  });
});
