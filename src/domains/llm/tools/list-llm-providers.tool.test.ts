import { expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const admin = await server.token();
await server.app.identity.workspaces.create({ slug: "globex", name: "Globex" });
const other = await server.token({ workspace: "globex" });
for (const name of ["Main", "back"]) {
  const provider = { name, kind: "openai", model: "gpt-5", api_key: "sk-very-secret" };
  await resultOf(server, admin, "set_llm_provider", provider);
}

it("shows admins what their workspace has, without keys", async () => {
  const list = (token: string) =>
    resultOf<{ providers: { name: string }[] }>(server, token, "list_llm_providers", {});
  const { providers } = await list(admin);
  expect(providers).toMatchObject([
    { name: "back", has_key: true, default: false },
    { name: "Main", has_key: true, default: true },
  ]);
  expect(JSON.stringify(providers)).not.toContain("sk-very");
  expect(await list(other)).toEqual({ providers: [] });
});

it("is for admins", async () => {
  const viewer = await server.token({ role: "viewer" });
  const refused = await refusalsOf(server, viewer, "list_llm_providers", {});
  expect(refused).toEqual({ anonymous: 401, wrong: expect.stringContaining("admin is missing") });
});
