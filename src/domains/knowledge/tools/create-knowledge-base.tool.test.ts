import { describe, expect, it } from "vitest";
import { makeBase } from "../../../../test/support/knowledge.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const ada = await server.token({ role: "contributor" });
await server.app.identity.groups.create({ workspace: "acme", name: "team" });

const create = async (args: Record<string, unknown>, token = ada) =>
  (await callTool(server, token, "create_knowledge_base", args)).result?.content[0]?.text ?? "";

describe("create_knowledge_base", () => {
  it("has each name once in its space", async () => {
    await makeBase(server, ada, { name: "Notes" });
    expect(await create({ name: "notes" })).toMatch(/already a knowledge base/);
    await makeBase(server, ada, { name: "Notes", personal: true });
    await makeBase(server, await server.token({ role: "contributor" }), { name: "Notes", personal: true });
  });

  it.each([
    [{ name: " " }, /1 to 255/],
    [{ name: "a\u200bb" }, /visible/],
    [{ name: "x", group: "nobody" }, /no group/],
    [{ name: "x", group: "team" }, /not in the group/],
    [{ name: "x", group: "team", personal: true }, /not both/],
  ])("refuses %j", async (args, reason) => {
    expect(await create(args)).toMatch(reason);
  });

  it("is not for viewers", async () => {
    const viewer = await server.token({ role: "viewer" });
    expect(await create({ name: "x" }, viewer)).toMatch(/knowledge:write is missing/);
  });
});
