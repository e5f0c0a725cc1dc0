import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../support/datasets.ts";
import { saveModel } from "../support/models.ts";
import { CAFE_MODEL, openCafe } from "../support/questions.ts";
import { callOf, PATHS } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** Questions that run into a limit, or are called off: as the rules read them, and by statements that really take long. */

const MANY = 2_000;
/** Each of some numbers with each other, and each of these with each: nobody waits for the sum. */
const SLOW_MODEL = JSON.stringify({
  version: "0.1.1",
  semantic_model: [
    {
      name: "slow",
      datasets: [
        {
          name: "pairs",
          source: "numbers",
          primary_key: ["pair_id"],
          fields: [
            { name: "pair_id", expression: "pair_id" },
            { name: "weight", expression: "weight" },
          ],
          custom_extensions: [
            {
              vendor_name: "KENNING",
              data: JSON.stringify({
                view_query:
                  "SELECT a.n AS pair_id, a.n + b.n + c.n + d.n AS weight FROM numbers a, numbers b, numbers c, numbers d",
              }),
            },
          ],
        },
      ],
      metrics: [{ name: "total_weight", expression: "SUM(pairs.weight % 7)" }],
    },
  ],
});
const SLOW = "What is the total weight?";

async function open(limits?: { rows: number; queryMs: number; totalMs: number }) {
  const server = await startTestServer({
    ...(limits !== undefined && { agent: { limits } }),
    env: { RATE_LIMIT_ENABLED: "false" },
  });
  const admin = await server.token();
  await makeDataset(
    server,
    admin,
    "numbers",
    Array.from({ length: MANY }, (_, n) => ({ n })),
  );
  return { server, admin, slow: (await saveModel(server, admin, SLOW_MODEL)).id };
}

const ask = (server: TestServer, token: string, ontologyId: string, question: string) =>
  callOf(server, PATHS.agent, "ask_question", { ontologyId, question }, { token, id: 9 });

describe("a query", () => {
  let opened: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    opened = await open({ rows: 3, queryMs: 1_000, totalMs: 300_000 });
  });
  afterAll(() => opened.server.stop());

  it("[agent.ask.limits] [agent.ask.timeout] [agent.error.timeout] ends after its time", async () => {
    const { server, admin, slow } = opened;
    const { status, body } = await ask(server, admin, slow, SLOW);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        jsonrpc: "2.0",
        id: 9,
        error: {
          code: -32004,
          message: "Agent execution timeout: one query took longer than 1 seconds",
          data: { question: SLOW, detail: expect.any(String), knecta_code: "AGENT_TIMEOUT" },
        },
      },
    });
  });

  it("[agent.ask.limits] reads so many rows, and says how many there are; also after one that took too long", async () => {
    const { server, admin } = opened;
    const { id } = await openCafe(server, admin, CAFE_MODEL);
    const { body } = await ask(server, admin, id, "revenue by shop");
    const output = { rowCount: 4, truncated: true, rows: { length: 3 } };
    expect(body.result).toMatchObject({ isError: false, structuredContent: output });
    expect(JSON.stringify(body)).toContain("There are 4 rows; those after the first 3 were not read.");
  });
});

describe("a question", () => {
  it("[agent.ask.limits] [agent.ask.timeout] ends after its time in all", async () => {
    const { server, admin, slow } = await open({ rows: 10_000, queryMs: 30_000, totalMs: 2_500 });
    try {
      const { body } = await ask(server, admin, slow, SLOW);
      expect(body.error).toEqual({
        code: -32004,
        message: "Agent execution timeout after 2.5 seconds",
        data: { question: SLOW, detail: expect.any(String), knecta_code: "AGENT_TIMEOUT" },
      });
    } finally {
      await server.stop();
    }
  });

  it("[agent.ask.cancelled] ends when it is called off", async () => {
    const { server, admin, slow } = await open();
    try {
      const session = "calling-off";
      const headers = { "mcp-session-id": session };
      const params = { name: "ask_question", arguments: { ontologyId: slow, question: SLOW } };
      const client = new AbortController();
      const call = { jsonrpc: "2.0", id: 77, method: "tools/call", params };
      const asking = server.request(PATHS.agent, {
        json: call,
        headers,
        token: admin,
        signal: client.signal,
      });
      const ended = async () => {
        await server.app.identity.audit.flush();
        const filter = { action: "agent.question", limit: 10 };
        const { events } = await resultOf<{ events: { outcome: string }[] }>(
          server,
          admin,
          "list_audit_events",
          filter,
        );
        return events.map(({ outcome }) => outcome);
      };
      const json = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 77 } };
      // Before it has begun there is nothing to call off.
      await expect
        .poll(
          async () => {
            await server.request(PATHS.agent, { json, headers, token: admin });
            return ended();
          },
          { timeout: 25_000, interval: 500 },
        )
        .toEqual(["cancelled"]);
      // What was called off has no answer.
      client.abort();
      await asking.catch(() => undefined);
    } finally {
      await server.stop();
    }
  });
});
