import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StandIn, startStandIn } from "../../../test/support/language-model.ts";
import { createGuardedFetch, type GuardedFetch } from "../guarded-fetch/index.ts";
import { Secret } from "../vault/index.ts";
import { type Connection, LanguageModels, PROVIDER_KINDS, type Prompt, type ProviderKind } from "./index.ts";

const SCHEMA = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
  additionalProperties: false,
};
const PATHS: Record<ProviderKind, string> = {
  openai: "/v1/responses",
  anthropic: "/v1/messages",
  "openai-compatible": "/v1/chat/completions",
};

let standIn: StandIn;
let fetch: GuardedFetch;
let models: LanguageModels;
beforeAll(async () => {
  standIn = await startStandIn();
  fetch = createGuardedFetch({ allow: ["127.0.0.1"] });
  models = new LanguageModels(fetch);
});
afterAll(async () => {
  await fetch.close();
  await standIn.stop();
});

const to = (kind: ProviderKind): Connection => ({
  kind,
  model: "stand-in-1",
  baseUrl: standIn.url,
  key: new Secret("sk-very-secret"),
});
const prompt = (more: Partial<Prompt> = {}): Prompt => ({
  system: "You count.",
  text: "How many?",
  maxTokens: 50,
  timeoutMs: 20_000,
  signal: new AbortController().signal,
  ...more,
});

describe.each(PROVIDER_KINDS)("%s", (kind) => {
  it("is asked for a text in its own protocol", async () => {
    standIn.reply("three");
    expect(await models.complete(to(kind), prompt())).toEqual({
      text: "three",
      tokens: { input: 120, output: 30 },
    });
    const [call] = standIn.calls;
    expect(call).toMatchObject({
      path: PATHS[kind],
      key: "sk-very-secret",
      system: "You count.",
      text: "How many?",
      maxTokens: 50,
      schema: undefined,
    });
  });

  it("is asked for JSON of a schema", async () => {
    standIn.reply('{"n":3}');
    const { text } = await models.complete(to(kind), prompt({ schema: SCHEMA }));
    expect(JSON.parse(text)).toEqual({ n: 3 });
    expect(standIn.calls[0]?.schema).toMatchObject({ required: ["n"], additionalProperties: false });
  });

  it("may write what is no JSON: whoever asked sees it", async () => {
    standIn.reply("I would rather not.");
    const { text } = await models.complete(to(kind), prompt({ schema: SCHEMA }));
    expect(text).toContain("I would rather not.");
  });

  it.each([429, 500, 529])("is called once more after a status %i, and only once", async (status) => {
    const headers = { "retry-after-ms": "10" };
    standIn.reply({ status, headers }, "three");
    expect((await models.complete(to(kind), prompt())).text).toBe("three");
    expect(standIn.calls).toHaveLength(2);
    standIn.reply({ status, headers });
    const reason = status === 429 ? "rate_limited" : "failed";
    await expect(models.complete(to(kind), prompt())).rejects.toMatchObject({
      code: "unavailable",
      data: { reason },
    });
    expect(standIn.calls).toHaveLength(2);
  });

  it("says nothing of a refusal but its status", async () => {
    standIn.reply({ status: 401 });
    const failure = await models.complete(to(kind), prompt()).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: "unavailable", data: { reason: "refused" } });
    expect(String(failure) + JSON.stringify(failure)).not.toContain("sk-very");
    expect(standIn.calls).toHaveLength(1);
  });
});

describe("a call", () => {
  it("ends in time, or when whoever asked goes away", async () => {
    standIn.reply("silence");
    await expect(models.complete(to("openai"), prompt({ timeoutMs: 150 }))).rejects.toMatchObject({
      code: "unavailable",
      data: { reason: "timeout" },
    });
    const gone = AbortSignal.timeout(100);
    await expect(models.complete(to("openai"), prompt({ signal: gone }))).rejects.toMatchObject({
      name: "TimeoutError",
    });
  });

  it("goes to no private address that was not allowed, and follows no redirect", async () => {
    const strict = createGuardedFetch();
    await expect(new LanguageModels(strict).complete(to("openai"), prompt())).rejects.toMatchObject({
      data: { reason: "not_allowed" },
      cause: { code: "forbidden" },
    });
    await strict.close();
    standIn.reply({ status: 302, headers: { location: `${standIn.url}/elsewhere` } }, "three");
    await expect(models.complete(to("openai"), prompt())).rejects.toMatchObject({ code: "unavailable" });
    expect(standIn.calls).toHaveLength(1);
  });

  it("needs something to talk to", async () => {
    const nowhere = { ...to("openai-compatible"), baseUrl: "http://127.0.0.1:9/v1" };
    await expect(models.complete(nowhere, prompt())).rejects.toMatchObject({
      code: expect.stringMatching(/unavailable|forbidden/),
    });
  });
});
