import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { TestClock } from "../../../../test/support/identity.ts";
import { callKnowledge, makeBase } from "../../../../test/support/knowledge.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const clock = new TestClock();
const server = await serverOfFile({ clock });
await server.app.identity.users.create({
  email: "ada@example.com",
  workspace: "acme",
  role: "contributor",
});
const ada = await server.token({ email: "ada@example.com" });
const base = await makeBase(server, ada, { name: "Handbook" });

interface Credential {
  upload_url: string;
  headers: Record<string, string>;
}

const ask = (args: Record<string, unknown> = {}) =>
  resultOf<Credential>(server, ada, "request_upload", {
    knowledge_base_id: base,
    file_name: "big.txt",
    ...args,
  });
const put = ({ upload_url, headers }: Credential, body: string) =>
  server.request(upload_url, { method: "PUT", headers, body });

describe("request_upload", () => {
  it("takes a file that is larger than a message, and makes it searchable", async () => {
    const text = `The treasure is below the oak.\n\n${"Nothing here. ".repeat(1_300_000)}`;
    const answer = await put(await ask({ folder: "maps/old" }), text);
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 201,
      body: { document_id: expect.any(Number), outcome: "new" },
    });
    await expect
      .poll(
        async () =>
          (await callKnowledge(server, ada, "list_documents", {}, "/mcp")).documents[0].index_status,
        {
          timeout: 60_000,
        },
      )
      .toBe("success");
    const { records } = await callKnowledge(
      server,
      ada,
      "search_documents",
      { query: "treasure oak" },
      "/mcp",
    );
    expect(records).toMatchObject([{ title: "big.txt" }]);
  }, 90_000);

  it("takes nothing without a good token, and nothing empty", async () => {
    const credential = await ask();
    const status = async (headers: Record<string, string>, body = "x") =>
      (await put({ ...credential, headers }, body)).status;
    expect(await status({})).toBe(401);
    expect(await status({ "x-upload-token": "v1.a.b" })).toBe(401);
    expect(await status(credential.headers, "")).toBe(400);
    clock.advance(3_601_000);
    expect(await status(credential.headers)).toBe(401);
  });

  it("takes one file for each token, and none that says the same again", async () => {
    const credential = await ask({ file_name: "once.txt" });
    expect((await put(credential, "first")).status).toBe(201);
    const again = await put(credential, "second");
    expect([again.status, await again.json()]).toMatchObject([401, { code: "unauthorized" }]);
    const { documents } = await callKnowledge(server, ada, "list_documents", { query: "once" }, "/mcp");
    expect(documents).toMatchObject([{ name: "once.txt", version: 1, bytes: 5 }]);
  });

  it("takes nothing from whoever may not write any more", async () => {
    const credential = await ask();
    await server.app.identity.users.setRole({ email: "ada@example.com", workspace: "acme", role: "viewer" });
    expect((await put(credential, "x")).status).toBe(403);
    const { result } = await callTool(server, ada, "request_upload", {
      knowledge_base_id: base,
      file_name: "a.txt",
    });
    expect(result?.content[0]?.text).toMatch(/knowledge:write is missing/);
  });
});
