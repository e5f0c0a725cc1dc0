import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { type StandIn, startStandIn } from "../../../../test/support/language-model.ts";
import { openCafe } from "../../../../test/support/questions.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

interface Asked extends Record<string, unknown> {
  outcome: string;
  narrative: string;
  rows: unknown[][];
  caveats: string[];
  assumptions: string[];
}

/** What a good model makes of "plonkage by shop". */
const BY_SHOP = {
  query: {
    k: "table",
    by: [{ ds: "shops", field: "shop_name" }],
    cols: [{ k: "metric", name: "revenue" }],
  },
  words: [
    { word: "plonkage", means: "revenue" },
    { word: "shop", means: "shops.shop_name" },
  ],
};

let server: TestServer;
let standIn: StandIn;
let admin: string;
let contributor: string;

beforeAll(async () => {
  standIn = await startStandIn();
  const env = { RATE_LIMIT_ENABLED: "false", KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1" };
  server = await startTestServer({ env });
  admin = await server.token();
  contributor = await server.token({ role: "contributor" });
  await openCafe(server, admin);
});
afterAll(async () => {
  await server.stop();
  await standIn.stop();
});

const provide = (more: object = {}) =>
  resultOf(server, admin, "set_llm_provider", {
    name: "main",
    kind: "openai-compatible",
    model: "stand-in-1",
    base_url: standIn.url,
    api_key: "sk-stand-in",
    ...more,
  });
const ask = (question: string, token = contributor) =>
  resultOf<Asked>(server, token, "ask_question", { question });

describe("a question that the rules refuse", () => {
  it("is refused without a language model", async () => {
    const { outcome, caveats } = await ask("plonkage by shop");
    expect({ outcome, caveats }).toEqual({ outcome: "refuse", caveats: [] });
  });

  it.each(["openai", "anthropic", "openai-compatible"])("is answered with one of %s", async (kind) => {
    await provide({ kind });
    standIn.reply(JSON.stringify(BY_SHOP));
    const answer = await ask("plonkage by shop");
    expect(answer).toMatchObject({
      outcome: "answer",
      columns: ["shop_name", "revenue"],
      rows: [
        ["Drip", 20],
        ["Aroma", 13],
        ["Crema", 12],
        ["Bean", 5],
      ],
      reading: "revenue by shop",
      assumptions: ['"plonkage" is taken for revenue'],
      sql: expect.stringContaining("SUM("),
    });
    expect(standIn.calls).toHaveLength(1);
  });
});
