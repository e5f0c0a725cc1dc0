import { describe, expect, it } from "vitest";
import { makeDataset } from "../support/datasets.ts";
import { callTool } from "../support/mcp.ts";
import { query, saveModel, shopModel, shopServer, textOf } from "../support/models.ts";

/** Two names that differ only by what nobody sees would pass for one another, whatever they are names of. */

const ZERO_WIDTH = "Ord\u200bers";
const REFUSED = /character in it that nobody sees: U\+200B/;
const { server, shop } = await shopServer();

const refusal = async (tool: string, args: Record<string, unknown>) =>
  textOf(await callTool(server, shop.admin, tool, args));

describe("a name with an invisible character is refused", () => {
  it.each([
    ["push_data", { dataset_name: ZERO_WIDTH, rows: [{ a: 1 }] }],
    ["import_file", { dataset_name: ZERO_WIDTH, content: "a\n1\n", file_type: "csv" }],
    ["save_semantic_model", { content: shopModel({ name: ZERO_WIDTH }), publish: true }],
  ])("by %s", async (tool, args) => {
    expect(await refusal(tool, args)).toMatch(REFUSED);
  });

  it("for a stored query", async () => {
    const { storedQueryId } = await query(server, shop.admin, "SELECT 1 AS one FROM orders");
    expect(await refusal("update_stored_query", { storedQueryId, name: ZERO_WIDTH })).toMatch(REFUSED);
  });

  it("for workspaces, people, groups, tokens and apps", async () => {
    const { identity } = server.app;
    const person = { email: "z@example.com", workspace: "acme", role: "viewer" } as const;
    const refused = [
      identity.workspaces.create({ slug: "invisible", name: ZERO_WIDTH }),
      identity.users.create({ ...person, name: ZERO_WIDTH }),
      identity.groups.create({ workspace: "acme", name: ZERO_WIDTH }),
      identity.tokens.create({
        email: "admin-1@example.com",
        workspace: "acme",
        kind: "api",
        name: ZERO_WIDTH,
      }),
      identity.oauthClients.register({ name: ZERO_WIDTH, redirectUris: ["https://example.com/"] }),
    ];
    await Promise.all(refused.map((attempt) => expect(attempt).rejects.toThrow(REFUSED)));
  });

  it("and one with all that can be seen is not", async () => {
    for (const name of ["Umsätze 2026", "売上", "Love ❤️"]) {
      expect(await makeDataset(server, shop.admin, name, [{ a: 1 }])).toBeGreaterThan(0);
      expect(await saveModel(server, shop.admin, shopModel({ name }))).toMatchObject({
        name,
        state: "published",
      });
    }
  });
});
