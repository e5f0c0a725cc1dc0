import { afterAll, beforeAll, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

let server: TestServer;
let admin: string;

beforeAll(async () => {
  server = await startTestServer();
  admin = await server.token();
});
afterAll(() => server.stop());

it("tells what the workspace has used, by metric and by member", async () => {
  const before = await resultOf<{ metrics: unknown[] }>(server, admin, "get_usage", {});
  await resultOf(server, admin, "store_memory", { content: "The office is in Ulm." });
  const after = await resultOf<{ metrics: { metric: string }[]; members: unknown[] }>(
    server,
    admin,
    "get_usage",
    {},
  );
  expect(after.metrics).not.toEqual(before.metrics);
  expect(after.metrics).toContainEqual(expect.objectContaining({ metric: "memories", used: 1, limit: null }));
});

it("is for admins", async () => {
  const contributor = await server.token({ role: "contributor" });
  const refused = await refusalsOf(server, contributor, "get_usage", {});
  expect(refused).toEqual({ anonymous: 401, wrong: expect.stringContaining("admin is missing") });
});
