import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/app/config.ts";
import { addDocument, callKnowledge, makeBase } from "../support/knowledge.ts";
import { needsRedis, startRedis } from "../support/redis.ts";
import { PATHS, rpc } from "../support/rpc.ts";
import { serverOfFile, startTestServer, type TestServer } from "../support/server.ts";

/** The knowledge endpoint counts for itself, even where the limits of all others are off. */

const PREFIX = "EXTERNAL_KNOWLEDGE_MCP_";

const env = {
  RATE_LIMIT_ENABLED: "false",
  KENNING_TRUSTED_PROXIES: "127.0.0.1,::1",
  [`${PREFIX}RATE_LIMIT_REQUESTS`]: "30",
  [`${PREFIX}SEARCH_RATE_LIMIT_REQUESTS`]: "2",
  [`${PREFIX}DOWNLOAD_PREAUTH_IP_RATE_LIMIT_REQUESTS`]: "12",
  [`${PREFIX}DOWNLOAD_PREAUTH_DOCUMENT_RATE_LIMIT_REQUESTS`]: "6",
  [`${PREFIX}DOWNLOAD_RATE_LIMIT_REQUESTS`]: "3",
};
const server = await serverOfFile({ env });
const ada = await server.token({ role: "contributor" });
const base = await makeBase(server, ada, { name: "Handbook" });
const id = (await addDocument(server, ada, base, "a.txt", "some words")).document_id;

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

  it("[knowledge.limit.transport] of requests, by address and by token", async () => {
    const ping = async (token: string, address: string) => {
      const headers = { "x-forwarded-for": address };
      return (await rpc(server, PATHS.knowledge, "ping", { token, headers })).status;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 31; i++) statuses.push(await ping(ada, `192.0.2.${i % 2}`));
    expect(statuses.indexOf(429)).toBeGreaterThan(10);
    const [eve, bob] = [await server.token({ role: "viewer" }), await server.token({ role: "viewer" })];
    for (let i = 0; i < 30; i++) await ping(eve, "192.0.2.9");
    expect([
      await ping(ada, "192.0.2.3"),
      await ping(bob, "192.0.2.9"),
      await ping(bob, "192.0.2.3"),
    ]).toEqual([429, 429, 200]);
    const headers = { "x-forwarded-for": "192.0.2.9" };
    const refused = await rpc(server, PATHS.knowledge, "ping", { token: bob, headers });
    expect(refused.body).toMatchObject({ code: "rate_limited" });
    expect((await rpc(server, PATHS.all, "ping", { token: ada })).status).toBe(200);
    expect((await server.request("/mcp/knowledge-external/health", { headers })).status).toBe(200);
  });

  it("[knowledge.limit.defaults] have the documented defaults", () => {
    const { knowledge } = loadConfig({ env: { RATE_LIMIT_ENABLED: "false" }, cwd: server.home });
    expect(knowledge).toMatchObject({
      enabled: false,
      requests: { enabled: true, requests: 120, windowSeconds: 60 },
      searches: { enabled: true, requests: 30, windowSeconds: 60 },
      downloads: { enabled: true, requests: 20, windowSeconds: 60 },
      downloadsByAddress: { requests: 300, windowSeconds: 60 },
      downloadsByAddressAndDocument: { requests: 60, windowSeconds: 60 },
    });
    const names = ["", "SEARCH_", "DOWNLOAD_", "DOWNLOAD_PREAUTH_IP_", "DOWNLOAD_PREAUTH_DOCUMENT_"];
    const env = Object.fromEntries(
      names.flatMap((name, i) => [
        [`${PREFIX}${name}RATE_LIMIT_REQUESTS`, String(i + 1)],
        [`${PREFIX}${name}RATE_LIMIT_WINDOW_SECONDS`, String(i + 11)],
      ]),
    );
    expect(loadConfig({ env, cwd: server.home }).knowledge).toMatchObject({
      requests: { requests: 1, windowSeconds: 11 },
      searches: { requests: 2, windowSeconds: 12 },
      downloads: { requests: 3, windowSeconds: 13 },
      downloadsByAddress: { requests: 4, windowSeconds: 14 },
      downloadsByAddressAndDocument: { requests: 5, windowSeconds: 15 },
    });
  });
});

describe("limits that are counted in Redis", () => {
  it("[knowledge.limit.unavailable] [knowledge.limit.keys] [knowledge.limit.switches] refuse all while it cannot be reached, and nothing else is done", async (context) => {
    needsRedis(context);
    const redis = await startRedis();
    const counted = await startTestServer({ env: { REDIS_URL: redis.url } });
    // Its transport is not counted, so that what comes after it can be seen.
    const open = await startTestServer({
      env: {
        REDIS_URL: redis.url,
        RATE_LIMIT_ENABLED: "false",
        [`${PREFIX}RATE_LIMIT_ENABLED`]: "false",
        [`${PREFIX}RATE_LIMIT_REQUESTS`]: "1",
      },
    });
    try {
      const [first, second] = [await documentOn(counted), await documentOn(open)];
      for (const { search, file } of [first, second]) {
        expect((await search()).total).toBe(1);
        expect((await file()).status).toBe(200);
      }
      const client = new Redis(redis.url);
      const keys = (await client.keys("*")).join(" ");
      expect(keys).toMatch(/knowledge_searches/);
      for (const { token, secret } of [first, second])
        for (const word of [token, secret]) expect(keys).not.toContain(word.slice(3, 20));
      client.disconnect();
      await redis.stop();
      const unavailable = { code: "rate_limit_unavailable" };
      const refused = await rpc(counted, PATHS.knowledge, "ping", { token: first.token });
      expect([refused.status, refused.body]).toMatchObject([503, unavailable]);
      expect(await second.search()).toMatchObject(unavailable);
      const ready = await counted.request("/api/health/ready");
      expect([ready.status, await ready.text()]).toMatchObject([
        503,
        expect.stringContaining("shared state"),
      ]);
      for (const { file } of [first, second]) {
        const answer = await file();
        expect([answer.status, await answer.json()]).toMatchObject([503, unavailable]);
      }
    } finally {
      await counted.stop();
      await open.stop();
      await redis.stop();
    }
  });
});

/** A document on a server, and how it is searched and fetched there. */
async function documentOn(on: TestServer) {
  const token = await on.token({ role: "contributor" });
  const own = await makeBase(on, token, { name: "Handbook" });
  const { document_id } = await addDocument(on, token, own, "a.txt", "some words");
  const args = { query: "words", knowledge_base_ids: [own] };
  const credential = await callKnowledge(on, token, "wegent_kb_get_document_download", { document_id });
  const { resource_url, headers } = credential;
  return {
    token,
    secret: Object.values(headers)[0] as string,
    search: () => callKnowledge(on, token, "wegent_kb_search_content", args),
    file: () => on.request(resource_url, { headers }),
  };
}
