import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer } from "../../support/server.ts";

let server: TestServer;

beforeAll(async () => {
  // Others that register clients on the same server would use up what is counted here.
  server = await startTestServer({ isOwn: true });
});
afterAll(() => server.stop());

async function statuses(path: string, init: RequestInit, count: number): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const response = await server.request(path, { method: "POST", ...init });
    if (response.status === 429) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    await response.arrayBuffer();
    seen.push(response.status);
  }
  return seen;
}

describe("limits of the authorization server, by address", () => {
  it("registers ten clients a minute", async () => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({
      redirect_uris: ["http://localhost/cb"],
      token_endpoint_auth_method: "none",
    });
    const seen = await statuses("/api/oauth/register", { headers, body }, 12);
    expect(seen.slice(0, 10)).toEqual(Array(10).fill(201));
    expect(seen.slice(10)).toEqual([429, 429]);
  });

  it("answers 300 requests for tokens a minute", async () => {
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: "x", client_id: "y" });
    const seen = await statuses("/api/oauth/token", { body }, 301);
    expect(new Set(seen.slice(0, 300))).toEqual(new Set([400]));
    expect(seen[300]).toBe(429);
  });
});
