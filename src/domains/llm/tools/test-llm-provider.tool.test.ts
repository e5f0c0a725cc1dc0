import { afterAll, beforeAll, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { type StandIn, startStandIn } from "../../../../test/support/language-model.ts";
import { refusalsOf } from "../../../../test/support/models.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

let server: TestServer;
let standIn: StandIn;
let admin: string;

beforeAll(async () => {
  standIn = await startStandIn();
  server = await startTestServer({ env: { KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1" } });
  admin = await server.token();
  const provider = { name: "main", kind: "openai", model: "stand-in-1", api_key: "sk-secret-7" };
  await resultOf(server, admin, "set_llm_provider", { ...provider, base_url: standIn.url });
});
afterAll(async () => {
  await server.stop();
  await standIn.stop();
});

const test = (name: string) => resultOf(server, admin, "test_llm_provider", { name });

it("says whether a model answers, and else why not, without its key", async () => {
  standIn.reply("yes");
  expect(await test("MAIN")).toEqual({ name: "main", model: "stand-in-1", ms: expect.any(Number) });
  standIn.reply({ status: 401 });
  const refused = await test("main").catch(String);
  expect(refused).toMatch(/refused the call \(status 401\)/);
  expect(refused).not.toContain("sk-secret-7");
  await expect(test("other")).rejects.toThrow(/no language model called other/i);
});

it("is for admins", async () => {
  const contributor = await server.token({ role: "contributor" });
  const refused = await refusalsOf(server, contributor, "test_llm_provider", { name: "main" });
  expect(refused).toEqual({ anonymous: 401, wrong: expect.stringContaining("admin is missing") });
});
