import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { CommandLine, type Ended } from "../../../test/support/command-line.ts";
import { makeDataset } from "../../../test/support/datasets.ts";
import { callTool } from "../../../test/support/mcp.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";

let kenning: CommandLine;
let server: TestServer;
let datasetId: number;

interface Event {
  action: string;
  resourceId: string | null;
  email: string | null;
  datasets: number[];
  outcome: string;
}

beforeAll(async () => {
  kenning = await CommandLine.open();
  server = await startTestServer();
  const reader = await server.token({ role: "viewer" });
  datasetId = await makeDataset(server, await server.token(), "Watched", [{ a: 1 }]);
  await callTool(server, reader, "get_data", { dataset_id: datasetId });
  await callTool(server, reader, "push_data", { dataset_name: "Watched", rows: [{ a: 2 }] });
  await vi.waitUntil(async () => (await eventsOf("--failed")).length > 0, { timeout: 20_000 });
});
afterAll(async () => {
  await server.stop();
  kenning.remove();
});

function audit(words: string): Promise<Ended> {
  const env = { DATABASE_URL: server.databaseUrl };
  return kenning.call(["audit", ...words.split(" ").filter(Boolean)], { env });
}

async function eventsOf(filter: string): Promise<Event[]> {
  return JSON.parse((await audit(`list --json ${filter}`)).out);
}

test("tells who read a dataset, what was refused, and what happened when", async () => {
  const read = await eventsOf(`--dataset ${datasetId} --user viewer-1@example.com`);
  expect(read).toMatchObject([{ resourceId: "get_data", email: "viewer-1@example.com", outcome: "ok" }]);
  expect(await eventsOf("--failed")).toMatchObject([{ resourceId: "push_data", outcome: "forbidden" }]);
  expect(await eventsOf("--until 2001-01-01")).toEqual([]);
  expect((await eventsOf("--since 1h --workspace acme --limit 2")).length).toBe(2);
  expect(await eventsOf("--slower-than 100000000")).toEqual([]);
  expect(await eventsOf("--address 192.0.2.1")).toEqual([]);
  const { out } = await audit(`list --dataset ${datasetId}`);
  expect(out).toMatch(/get_data +viewer-1@example\.com +token \d+/);
  expect((await audit("list --until 2001-01-01")).err).toMatch(/There are no such events/);
});

test("writes all of it as JSON Lines, and over no file that is there", async () => {
  const { out } = await audit("export --workspace acme");
  const lines = out.trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as Event).resourceId)).toEqual(
    expect.arrayContaining(["get_data", "push_data"]),
  );
  expect((await audit("export --output events.jsonl")).err).toMatch(/Wrote \d+ events to events\.jsonl/);
  expect(readFileSync(join(kenning.home, "events.jsonl"), "utf8")).toContain('"get_data"');
  const again = await audit("export --output events.jsonl");
  expect(again).toMatchObject({ code: 1, err: expect.stringMatching(/events\.jsonl.*exists already/) });
});

test.each([
  ["list --dataset one", /--dataset takes a whole number, not "one"/],
  ["list --since yesterday", /--since takes a time such as/],
  ["list --user nobody@acme.org", /There is no member nobody@acme\.org/],
  ["list --workspace nowhere", /nowhere/],
])("%s says what is wrong", async (words, message) => {
  expect(await audit(words)).toMatchObject({ code: 1, err: expect.stringMatching(message) });
});
