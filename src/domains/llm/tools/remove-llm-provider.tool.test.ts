import { expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { refusalsOf, textOf } from "../../../../test/support/models.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const admin = await server.token();
await server.app.identity.workspaces.create({ slug: "globex", name: "Globex" });
const other = await server.token({ workspace: "globex" });
for (const name of ["Main", "back"]) {
  const provider = { name, kind: "openai", model: "gpt-5", api_key: "sk-very-secret" };
  await resultOf(server, admin, "set_llm_provider", provider);
}

it("takes one away, of the own workspace alone", async () => {
  const missing = async (token: string) =>
    textOf(await callTool(server, token, "remove_llm_provider", { name: "main" }));
  expect(await missing(other)).toMatch(/no language model called main/);
  expect(await resultOf(server, admin, "remove_llm_provider", { name: "main" })).toEqual({ removed: "main" });
  expect(await missing(admin)).toMatch(/no language model called main/);
  const { providers } = await resultOf<{ providers: object[] }>(server, admin, "list_llm_providers", {});
  expect(providers).toMatchObject([{ name: "back" }]);
});

it("is for admins", async () => {
  const contributor = await server.token({ role: "contributor" });
  const refused = await refusalsOf(server, contributor, "remove_llm_provider", { name: "back" });
  expect(refused).toEqual({ anonymous: 401, wrong: expect.stringContaining("admin is missing") });
});
