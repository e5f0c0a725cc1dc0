import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { addDocument, callKnowledge, makeBase } from "../../../../test/support/knowledge.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const { identity } = server.app;
await identity.users.create({ email: "bob@example.com", workspace: "acme", role: "contributor" });
await identity.groups.create({ workspace: "acme", name: "team" });
await identity.groups.addMember({ workspace: "acme", group: "team", email: "bob@example.com" });
const ada = await server.token({ role: "contributor" });
const bob = await server.token({ email: "bob@example.com" });
const diary = await makeBase(server, ada, { name: "Diary", personal: true });

const share = (args: Record<string, unknown>, token = ada) =>
  callTool(server, token, "share_knowledge_base", { knowledge_base_id: diary, ...args });
const seen = async () => (await callKnowledge(server, bob, "list_knowledge_bases", {}, "/mcp")).total;
const mayAdd = () =>
  addDocument(server, bob, diary, "x.txt", "x").then(
    () => true,
    () => false,
  );

describe("share_knowledge_base", () => {
  it.each([{ email: "bob@example.com" }, { group: "team" }])(
    "lets %j read, edit, and neither",
    async (whom) => {
      expect(await seen()).toBe(0);
      const { shared_with } = await resultOf<{ shared_with: unknown[] }>(
        server,
        ada,
        "share_knowledge_base",
        {
          knowledge_base_id: diary,
          ...whom,
          access: "reader",
        },
      );
      expect(shared_with).toMatchObject([{ ...whom, access: "reader" }]);
      expect([await seen(), await mayAdd()]).toEqual([1, false]);
      await share({ ...whom, access: "editor" });
      expect([await seen(), await mayAdd()]).toEqual([1, true]);
      await share({ ...whom, access: "none" });
      expect([await seen(), await mayAdd()]).toEqual([0, false]);
    },
  );

  it("is the owner's alone", async () => {
    await share({ email: "bob@example.com", access: "editor" });
    const { result } = await share({ group: "team", access: "reader" }, bob);
    expect(result?.content[0]?.text).toMatch(/Only the owner/);
    const admin = await server.token({ role: "admin" });
    expect((await share({ group: "team", access: "reader" }, admin)).result?.content[0]?.text).toMatch(
      /not found/,
    );
  });

  it("tells its owner who has it", async () => {
    await share({ group: "team", access: "reader" });
    const shared = await resultOf(server, ada, "share_knowledge_base", { knowledge_base_id: diary });
    expect(shared).toMatchObject({
      shared_with: expect.arrayContaining([{ email: null, group: "team", access: "reader" }]),
    });
    expect((await share({}, bob)).result?.isError).toBe(true);
    await share({ group: "team", access: "none" });
  });

  it("renames it", async () => {
    const args = { knowledge_base_id: diary, name: "Journal", description: "Days" };
    expect(await resultOf(server, ada, "share_knowledge_base", args)).toMatchObject({ name: "Journal" });
    await makeBase(server, ada, { name: "Other", personal: true });
    expect((await share({ name: "other" })).result?.content[0]?.text).toMatch(/already/);
    expect((await share({ name: "Mine" }, bob)).result?.isError).toBe(true);
  });

  it.each([
    [{ email: "bob@example.com" }, /access/],
    [{ access: "reader" }, /either/],
    [{ access: "reader", email: "nobody@example.com" }, /no member/],
    [{ access: "owner", email: "bob@example.com" }, /access/],
  ])("refuses %j", async (args, reason) => {
    expect((await share(args)).result?.content[0]?.text).toMatch(reason);
  });
});
