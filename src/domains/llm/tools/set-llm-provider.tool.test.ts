import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { refusalsOf } from "../../../../test/support/models.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const MAIN = { name: "main", kind: "openai", model: "gpt-5", api_key: "sk-very-secret-1" };

const server = await serverOfFile();
const admin = await server.token();

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

  it.each([
    [{ api_key: undefined }, /needs a key/],
    [{ api_key: " " }, /key is empty/],
    [{ kind: "openai-compatible", api_key: undefined }, /needs its address/],
    [{ kind: "openai-compatible", base_url: "https://u:p@example.com/v1" }, /without user/],
    [{ kind: "openai-compatible", base_url: "https://example.com/v1?key=1" }, /query/],
    [{ timeout_seconds: 3_600 }, /timeout_seconds/],
  ])("refuse %j", async (more, why) => {
    await expect(set({ name: "broken", ...more })).rejects.toThrow(why);
  });

  it("give a key to nobody but whom it was given for", async () => {
    await set({ name: "moved", base_url: "https://example.com/v1" });
    const elsewhere = set({ name: "moved", base_url: "https://example.org/v1", api_key: undefined });
    await expect(elsewhere).rejects.toThrow(/given again/);
  });
});
