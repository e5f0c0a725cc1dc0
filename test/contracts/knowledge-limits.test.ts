import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addDocument, callKnowledge, makeBase } from "../support/knowledge.ts";
import { needsRedis, startRedis } from "../support/redis.ts";
import { PATHS, rpc } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** The knowledge endpoint counts for itself, even where the limits of all others are off. */

const PREFIX = "EXTERNAL_KNOWLEDGE_MCP_";
let server: TestServer;
let ada: string;
let base: number;
let id: number;

beforeAll(async () => {
  const env = {
    RATE_LIMIT_ENABLED: "false",
    [`${PREFIX}RATE_LIMIT_REQUESTS`]: "30",
    [`${PREFIX}SEARCH_RATE_LIMIT_REQUESTS`]: "2",
    [`${PREFIX}DOWNLOAD_PREAUTH_IP_RATE_LIMIT_REQUESTS`]: "12",
    [`${PREFIX}DOWNLOAD_PREAUTH_DOCUMENT_RATE_LIMIT_REQUESTS`]: "6",
    [`${PREFIX}DOWNLOAD_RATE_LIMIT_REQUESTS`]: "3",
  };
  server = await startTestServer({ env });
  ada = await server.token({ role: "contributor" });
  base = await makeBase(server, ada, { name: "Handbook" });
  id = (await addDocument(server, ada, base, "a.txt", "some words")).document_id;
});
afterAll(() => server.stop());

const statusOf = async (documentId: number, headers: Record<string, string> = {}) => {
  const answer = await server.request(`/mcp/knowledge-external/documents/${documentId}/file`, { headers });
  const { code } = answer.status === 200 ? { code: "" } : ((await answer.json()) as { code: string });
  return `${answer.status} ${code}`.trim();
};

describe("limits of the knowledge endpoint", () => {
  it("[knowledge.limit.search] of searches by one user, with whatever token", async () => {
    const args = { query: "words", knowledge_base_ids: [base] };
    const search = (token: string) => callKnowledge(server, token, "wegent_kb_search_content", args);
    expect([(await search(ada)).total, (await search(ada)).total]).toEqual([1, 1]);
    expect(await search(ada)).toMatchObject({ code: "rate_limited" });
    expect((await search(await server.token({ role: "viewer" }))).total).toBe(1);
    expect((await callKnowledge(server, ada, "search_documents", args, "/mcp")).total).toBe(1);
  });

  it("[knowledge.limit.download-after] [knowledge.limit.download-before] of downloads, before and after the token", async () => {
    const { headers } = await callKnowledge(server, ada, "wegent_kb_get_document_download", {
      document_id: id,
    });
    const answers: string[] = [];
    for (let i = 0; i < 4; i++) answers.push(await statusOf(id, headers));
    expect(answers).toEqual(["200", "200", "200", "429 rate_limited"]);
    expect([await statusOf(id), await statusOf(id), await statusOf(id)]).toEqual([
      "401 unauthorized",
      "401 unauthorized",
      "429 rate_limited",
    ]);
    const others: string[] = [];
    for (let i = 0; i < 6; i++) others.push(await statusOf(1_000 + i));
    expect(others).toEqual([...Array(5).fill("401 unauthorized"), "429 rate_limited"]);
  });

  it("[knowledge.limit.transport] of requests, each message of a batch counted", async () => {
    const ping = async () => (await rpc(server, PATHS.knowledge, "ping", { token: ada })).status;
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) statuses.push(await ping());
    expect(statuses.indexOf(429)).toBeGreaterThan(10);
    expect(statuses.at(-1)).toBe(429);
    const refused = await rpc(server, PATHS.knowledge, "ping", { token: ada });
    expect(refused.body).toMatchObject({ code: "rate_limited" });
    expect((await rpc(server, PATHS.all, "ping", { token: ada })).status).toBe(200);
  });
});

describe("limits that are counted in Redis", () => {
  it("[knowledge.limit.unavailable] refuse all while it cannot be reached, and nothing else is done", async (context) => {
    needsRedis(context);
    const redis = await startRedis();
    const counted = await startTestServer({ env: { REDIS_URL: redis.url } });
    try {
      const token = await counted.token({ role: "contributor" });
      const own = await makeBase(counted, token, { name: "Handbook" });
      const { document_id } = await addDocument(counted, token, own, "a.txt", "some words");
      const args = { query: "words", knowledge_base_ids: [own] };
      const search = () => callKnowledge(counted, token, "wegent_kb_search_content", args);
      expect((await search()).total).toBe(1);
      const { resource_url, headers } = await callKnowledge(
        counted,
        token,
        "wegent_kb_get_document_download",
        { document_id },
      );
      expect((await counted.request(resource_url, { headers })).status).toBe(200);
      await redis.stop();
      const refused = await rpc(counted, PATHS.knowledge, "ping", { token });
      expect([refused.status, refused.body]).toMatchObject([503, { code: "rate_limit_unavailable" }]);
      const download = await counted.request(resource_url, { headers });
      expect([download.status, await download.json()]).toMatchObject([
        503,
        { code: "rate_limit_unavailable" },
      ]);
    } finally {
      await counted.stop();
      await redis.stop();
    }
  });
});
