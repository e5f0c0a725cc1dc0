import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { addDocument, callKnowledge, makeBase } from "../../../../test/support/knowledge.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const LIST = "wegent_kb_list_knowledge_bases";

const server = await serverOfFile();
const { identity } = server.app;
const workspace = "acme";
for (const email of ["ada@example.com", "bob@example.com"])
  await identity.users.create({ email, workspace, role: "contributor" });
await identity.groups.create({ workspace, name: "team-a", displayName: "Team A" });
await identity.groups.addMember({ workspace, group: "team-a", email: "ada@example.com" });
const ada = await server.token({ email: "ada@example.com", kind: "knowledge" });
const bob = await server.token({ email: "bob@example.com" });
const viewer = await server.token({ role: "viewer" });
const shared = await makeBase(server, ada, { name: "Handbook", description: "Rules for all" });
await makeBase(server, ada, { name: "Team notes", group: "team-a" });
await makeBase(server, ada, { name: "Diary", personal: true });
await addDocument(server, ada, shared, "a.txt", "First rule.");
const { document_id } = await addDocument(server, ada, shared, "b.txt", "Second rule.");
await resultOf(server, ada, "change_document", { document_id, active: false });

const list = (token: string, args: Record<string, unknown> = {}) => callKnowledge(server, token, LIST, args);
// biome-ignore lint/suspicious/noExplicitAny: whatever there is.
const names = ({ items }: any) => items.map((item: any) => item.knowledge_base_name);

describe("wegent_kb_list_knowledge_bases", () => {
  it("[knowledge.bases.shape] [knowledge.result.json] tells each base with its space, the newest first", async () => {
    const answer = await list(ada);
    expect(answer).toMatchObject({ total: 3, total_returned: 3, has_more: false, limit: 50, offset: 0 });
    expect(names(answer)).toEqual(["Diary", "Team notes", "Handbook"]);
    expect(
      answer.items.map((item: Record<string, unknown>) => [
        item.namespace_level,
        item.namespace_display_name,
      ]),
    ).toEqual([
      ["personal", "personal"],
      ["group", "Team A"],
      ["organization", "Acme"],
    ]);
    expect(answer.items[2]).toEqual({
      knowledge_base_id: expect.any(Number),
      knowledge_base_name: "Handbook",
      description: "Rules for all",
      namespace: "acme",
      namespace_level: "organization",
      namespace_display_name: "Acme",
      owner_user_id: expect.any(Number),
      creator: { user_id: expect.any(Number), user_name: expect.any(String), attributes: {} },
      document_count: 2,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      updated_at: expect.any(String),
    });
  });

  it("[knowledge.bases.access] shows nobody what is another's", async () => {
    expect(names(await list(bob))).toEqual(["Handbook"]);
    expect(names(await list(viewer))).toEqual(["Handbook"]);
    expect(names(await list(await server.token({ role: "admin" })))).toEqual(["Handbook"]);
    await server.app.identity.workspaces.create({ slug: "other" });
    expect((await list(await server.token({ workspace: "other" }))).total).toBe(0);
  });

  it("[knowledge.bases.scope] by scope, group, keyword and owner", async () => {
    expect(names(await list(ada, { scope: "personal" }))).toEqual(["Diary"]);
    expect(names(await list(ada, { scope: "organization" }))).toEqual(["Handbook"]);
    expect(names(await list(ada, { scope: "group", group_name: " team-a " }))).toEqual(["Team notes"]);
    expect(names(await list(bob, { scope: "group", group_name: "team-a" }))).toEqual([]);
    expect(names(await list(ada, { query: "RULES" }))).toEqual(["Handbook"]);
    expect(names(await list(ada, { query: "%" }))).toEqual([]);
    expect(names(await list(ada, { owner_user_ids: [999_999] }))).toEqual([]);
  });

  it("[knowledge.bases.paging] in pages", async () => {
    expect(await list(ada, { limit: 1, offset: 1 })).toMatchObject({
      total: 3,
      total_returned: 1,
      has_more: true,
    });
    expect(names(await list(ada, { limit: 1, offset: 1 }))).toEqual(["Team notes"]);
    expect(await list(ada, { offset: 3 })).toMatchObject({ total: 3, total_returned: 0, has_more: false });
  });

  it.each([
    ["group_name is required when scope is group", { scope: "group" }],
    ["group_name is required when scope is group", { scope: "group", group_name: "  " }],
    ["scope must be all, personal, group or organization", { scope: 1 }],
    ["group_name must be a string", { group_name: 1 }],
    ["limit must be between 1 and 100", { limit: 101 }],
    ["limit must be an integer", { limit: "5" }],
    ["offset must be greater than or equal to 0", { offset: -1 }],
    ["query must be at most 255 characters", { query: "x".repeat(256) }],
    ["owner_user_ids must contain at most 100 items", { owner_user_ids: Array(101).fill(1) }],
  ])("[knowledge.bases.bounds] %s", async (error, args) => {
    expect(await list(ada, args)).toEqual({ error, code: "bad_request" });
  });

  it("keeps to the bases that a token is for", async () => {
    const { items } = await list(ada, { scope: "organization" });
    const id = items[0].knowledge_base_id;
    const limited = await server.token({ email: "ada@example.com", limits: { knowledgeBases: [id] } });
    expect(names(await list(limited))).toEqual(["Handbook"]);
  });
});
