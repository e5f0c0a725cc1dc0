import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const MAIN = { name: "main", kind: "openai", model: "gpt-5", api_key: "sk-very-secret-1" };

let server: TestServer;
let admin: string;
beforeAll(async () => {
  server = await startTestServer();
  admin = await server.token();
});
afterAll(() => server.stop());

const set = (more: object) => resultOf(server, admin, "set_llm_provider", { ...MAIN, ...more });
const list = async (token = admin) =>
  (await resultOf<{ providers: Record<string, unknown>[] }>(server, token, "list_llm_providers", {}))
    .providers;

describe("providers of language models", () => {
  it("are for admins to set", async () => {
    const contributor = await server.token({ role: "contributor" });
    const refused = await refusalsOf(server, contributor, "set_llm_provider", MAIN);
    expect(refused).toEqual({ anonymous: 401, wrong: expect.stringContaining("admin is missing") });
  });

  it("are set, listed and removed, one of them the default, and their keys are seen nowhere", async () => {
    const made = await set({});
    expect(made).toEqual({
      name: "main",
      kind: "openai",
      model: "gpt-5",
      base_url: null,
      has_key: true,
      default: true,
      send_rows: false,
      timeout_seconds: 30,
      failures_in_row: 0,
      last_failure: null,
      paused_until: null,
    });
    await set({
      name: "Other",
      kind: "openai-compatible",
      base_url: "http://localhost:11434/v1/",
      api_key: undefined,
    });
    expect((await list()).map(({ name, has_key, default: first }) => [name, has_key, first])).toEqual([
      ["main", true, true],
      ["Other", false, false],
    ]);
    const args = { kind: "openai-compatible", base_url: "http://localhost:11434/v1", api_key: undefined };
    await set({ ...args, name: "other", default: true });
    const both = await list();
    expect(both.map(({ name, default: first }) => [name, first])).toEqual([
      ["main", false],
      ["other", true],
    ]);
    await server.app.identity.audit.flush();
    const { events } = await resultOf<{ events: unknown[] }>(server, admin, "list_audit_events", {});
    const seen = JSON.stringify([made, both, events]);
    expect(seen).toContain("llm.provider.set");
    expect(seen).not.toContain("sk-very");
  });

  it("of which two that are made at once are not both the default", async () => {
    const names = ["a", "b", "c", "d"];
    await Promise.all(names.map((name) => set({ name, default: true })));
    expect((await list()).filter(({ default: first }) => first)).toHaveLength(1);
  });
});
