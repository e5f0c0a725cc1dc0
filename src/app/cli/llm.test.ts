import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CommandLine } from "../../../test/support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { type StandIn, startStandIn } from "../../../test/support/language-model.ts";

let kenning: CommandLine;
let database: TestDatabase;
let standIn: StandIn;
let env: Record<string, string>;

beforeAll(async () => {
  standIn = await startStandIn();
  kenning = await CommandLine.open();
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1" };
  await kenning.call(["workspace", "create", "acme"], { env });
});
afterAll(async () => {
  await database.drop();
  kenning.remove();
  await standIn.stop();
});

const llm = (words: string[], input = "") =>
  kenning.call(["llm", ...words, "--workspace", "acme"], { env, input });
const set = (name: string, ...more: string[]) => ["set", name, "--model", "stand-in-1", ...more];

describe("kenning llm", () => {
  test("sets, lists, tests and removes a language model, and shows its key nowhere", async () => {
    expect(await llm(["list"])).toMatchObject({ code: 0, err: expect.stringContaining("by rules alone") });
    const made = await llm(
      set("main", "--kind", "openai", "--base-url", standIn.url, "--key-stdin"),
      "sk-1\n",
    );
    expect(made).toEqual({
      code: 0,
      out: "",
      err: "main is stand-in-1 (openai) in acme, the default of the workspace.\n",
    });
    const file = join(kenning.home, "key");
    writeFileSync(file, "sk-2\n");
    const other = set("Second", "--kind", "anthropic", "--key-file", file, "--timeout", "5s", "--send-rows");
    expect((await llm(other)).err).toBe("Second is stand-in-1 (anthropic) in acme.\n");

    const { out } = await llm(["list", "--json"]);
    expect(JSON.parse(out)).toMatchObject([
      { name: "main", kind: "openai", baseUrl: standIn.url, hasKey: true, isDefault: true, sendsRows: false },
      {
        name: "Second",
        kind: "anthropic",
        baseUrl: null,
        isDefault: false,
        sendsRows: true,
        timeoutMs: 5_000,
      },
    ]);
    expect(out + (await llm(["list"])).out).not.toContain("sk-");

    standIn.reply("yes");
    expect(await llm(["test", "MAIN"])).toMatchObject({ code: 0, out: "main: stand-in-1 answers.\n" });
    expect(standIn.calls[0]).toMatchObject({ key: "sk-1", path: "/v1/responses" });
    standIn.reply({ status: 401 });
    const refused = await llm(["test", "main"]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("refused the call (status 401)") });
    expect(refused.err).not.toContain("sk-1");

    expect((await llm(["remove", "second"])).code).toBe(0);
    expect(await llm(["remove", "second"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("no language model called second"),
    });
  });

  test.each([
    [["--kind", "openai"], "needs a key"],
    [["--kind", "openai-compatible"], "needs its address"],
    [["--kind", "openai", "--key-file", "/nowhere"], "cannot be read"],
    [["--kind", "openai", "--key-file", "x", "--key-stdin"], "not both"],
    [["--kind", "openai", "--key-stdin"], "key is empty"],
    [["--kind", "openai-compatible", "--base-url", "https://u:p@example.com/v1"], "without user"],
    [["--kind", "openai-compatible", "--base-url", "https://example.com/v1?key=1"], "query"],
    [["--kind", "openai", "--timeout", "1h", "--key-stdin"], "between 1 and 120 seconds"],
  ])("refuses %j", async (options, why) => {
    const input = options.includes("--timeout") ? "sk-3" : "";
    const { code, err } = await llm(set("broken", ...options), input);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(why) });
  });

  test("a key goes nowhere but where it was given for", async () => {
    expect((await llm(set("main", "--kind", "openai", "--base-url", standIn.url))).code).toBe(0);
    const elsewhere = await llm(set("main", "--kind", "openai", "--base-url", "https://example.com/v1"));
    expect(elsewhere).toMatchObject({ code: 1, err: expect.stringContaining("given again") });
  });
});

describe("kenning channel", () => {
  const channel = (words: string[], input = "") =>
    kenning.call(["channel", ...words, "--workspace", "acme"], { env, input });

  test("sets, lists, rotates and removes channels, and shows no secret but the signing one", async () => {
    expect((await channel(["list"])).err).toContain("no channels yet");
    const bot = await channel(
      ["set", "Bot", "--kind", "slack_bot", "--room", "#general", "--secret-stdin"],
      "xoxb-1234567890-abc\n",
    );
    expect(bot).toMatchObject({ code: 0, out: "" });
    const hook = ["set", "Hook", "--kind", "webhook", "--url", "https://example.com/hook"];
    const first = await channel(hook);
    expect(first.out).toMatch(/^whsec_/);
    expect(await channel(hook)).toMatchObject({ code: 0, out: "" });
    const rotated = await channel([...hook, "--rotate"]);
    expect(rotated.out).toMatch(/^whsec_/);
    expect(rotated.out).not.toBe(first.out);
    const { out } = await channel(["list", "--json"]);
    expect(JSON.parse(out)).toMatchObject([
      { name: "Bot", kind: "slack_bot", room: "#general" },
      { name: "Hook", kind: "webhook", url: "https://example.com/hook" },
    ]);
    expect(out).not.toMatch(/xoxb|whsec/);
    expect((await channel(["remove", "bot"])).code).toBe(0);
    expect((await channel(["remove", "bot"])).code).not.toBe(0);
  });
});
