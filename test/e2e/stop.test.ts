import { afterEach, beforeEach, expect, it } from "vitest";
import { LIMITS } from "../../src/surfaces/http/limits.ts";
import { mountFixtures } from "../contracts/fixtures.ts";
import { callOf, PATHS, rpc } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let token: string;

beforeEach(async () => {
  server = await startTestServer({ extend: mountFixtures });
  token = await server.token();
});
afterEach(() => server.stop());

const wait = (ms: number, session?: string) =>
  callOf(server, PATHS.all, "fixture_wait", { ms }, { token, session });
const isListening = () =>
  server.request("/api/health/live").then(
    () => true,
    () => false,
  );

it("[all.ops.stop] a stop lets running calls end, with and without a session, and takes no new ones", async () => {
  const begun = await rpc(server, PATHS.all, "initialize", { token, params: {} });
  const session = begun.headers.get("mcp-session-id") ?? "";
  const calls = [wait(3_000), wait(3_000, session)];
  // Both have to have arrived.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const stopped = server.app.close();
  await expect.poll(isListening).toBe(false);
  for (const { status, body } of await Promise.all(calls)) {
    expect({ status, result: body.result }).toMatchObject({
      status: 200,
      result: { structuredContent: { waitedMs: 3_000 } },
    });
  }
  await stopped;
});

it("[all.ops.stop] open streams do not hold it up", async () => {
  const begun = await rpc(server, PATHS.all, "initialize", { token, params: {} });
  const headers = {
    accept: "text/event-stream",
    "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
  };
  const stream = await server.request(PATHS.all, { token, headers });
  expect(stream.status).toBe(200);
  const started = performance.now();
  await server.app.close();
  expect(performance.now() - started).toBeLessThan(LIMITS.server.drainMs);
  await stream.body?.cancel().catch(() => undefined);
});
