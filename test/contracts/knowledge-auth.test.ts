import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addDocument, makeBase } from "../support/knowledge.ts";
import { callOf, PATHS, rpc } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

const MODULE = `
export function authenticate(token, request) {
  const employee = request.headers.get("X-User-Name");
  if (!employee) return null;
  return { email: employee + "@example.com", workspace: "acme" };
}
`;
let folder: string;
let server: TestServer;
let token: string;
let base: number;
let diary: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kenning-auth-"));
  const file = join(folder, "auth.mjs");
  writeFileSync(file, MODULE);
  server = await startTestServer({ env: { KENNING_KNOWLEDGE_AUTH: file } });
  for (const email of ["ada@example.com", "bob@example.com"])
    await server.app.identity.users.create({ email, workspace: "acme", role: "contributor" });
  token = await server.token({ email: "ada@example.com" });
  base = await makeBase(server, token, { name: "Handbook" });
  diary = await makeBase(server, token, { name: "Diary", personal: true });
  await addDocument(server, token, base, "leave.txt", "Thirty days of leave.");
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const names = async (headers: Record<string, string>) => {
  const { body } = await callOf(server, PATHS.knowledge, "wegent_kb_list_knowledge_bases", {}, { headers });
  const { items } = JSON.parse(body.result?.content[0]?.text ?? "{}");
  return items.map((item: { knowledge_base_name: string }) => item.knowledge_base_name);
};

describe("an operator's own way to say who calls", () => {
  it("[knowledge.auth.module] goes by the header of a trusted gateway, and by no token", async () => {
    expect(await names({ "x-user-name": "ada" })).toEqual(["Diary", "Handbook"]);
    expect(await names({ "x-user-name": "bob" })).toEqual(["Handbook"]);
    for (const headers of [{}, { "x-user-name": "nobody" }, { authorization: `Bearer ${token}` }] as const) {
      const { status, body } = await rpc(server, PATHS.knowledge, "ping", { headers });
      expect({ status, body }).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    }
  });
});

describe("POST /retrieval", () => {
  const retrieve = async (json: unknown, headers: Record<string, string> = { "x-user-name": "bob" }) => {
    const answer = await server.request("/retrieval", { json, headers });
    return { status: answer.status, body: await answer.json() };
  };
  const question = { knowledge_id: "", query: "leave", retrieval_setting: { top_k: 3, score_threshold: 0 } };

  it("[knowledge.retrieval] gives records whose metadata is never null", async () => {
    expect(await retrieve({ ...question, knowledge_id: String(base) })).toEqual({
      status: 200,
      body: {
        records: [
          {
            content: "Thirty days of leave.",
            score: expect.any(Number),
            title: "leave.txt",
            metadata: { document_id: expect.any(Number), knowledge_base_id: base },
          },
        ],
      },
    });
    const strict = { top_k: 3, score_threshold: 1 };
    expect(
      await retrieve({
        ...question,
        knowledge_id: String(base),
        query: "leave trains",
        retrieval_setting: strict,
      }),
    ).toMatchObject({
      body: { records: [] },
    });
  });

  it("refuses in the form that such tools know", async () => {
    expect(await retrieve({ ...question, knowledge_id: String(diary) })).toMatchObject({
      status: 404,
      body: { error_code: 2001 },
    });
    expect(await retrieve(question)).toMatchObject({ status: 400, body: { error_msg: expect.any(String) } });
    expect(await retrieve(question, {})).toMatchObject({ status: 401, body: { error_code: 1002 } });
  });
});
