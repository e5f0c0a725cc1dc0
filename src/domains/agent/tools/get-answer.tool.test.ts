import { expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { refusalsOf, textOf } from "../../../../test/support/models.ts";
import { openCafe } from "../../../../test/support/questions.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

interface Answer extends Record<string, unknown> {
  id: string;
  rows: unknown[][];
}

const clock = { now: () => new Date("2025-03-31T12:00:00Z") };
const server = await serverOfFile({ agent: { clock }, env: { RATE_LIMIT_ENABLED: "false" } });
const admin = await server.token();
const contributor = await server.token({ role: "contributor" });
await openCafe(server, admin);

const ask = (question: string) => resultOf<Answer>(server, contributor, "ask_question", { question });
const again = (answer_id: string, token = contributor) =>
  resultOf<Answer>(server, token, "get_answer", { answer_id });

async function read(id: string, token = contributor) {
  const params = { uri: `kenning://answers/${id}` };
  const json = { jsonrpc: "2.0", id: 1, method: "resources/read", params };
  const response = await server.request("/mcp", { json, token });
  return (await response.json()) as {
    result?: { contents: { text: string }[] };
    error?: { message: string };
  };
}

it("[agent.conversation.title] works an answer out again, by tool and by resource", async () => {
  const first = await ask("revenue this month");
  const second = await again(first.id);
  expect(second).toMatchObject({
    id: first.id,
    question: "revenue this month",
    conversation: expect.stringMatching(/^MCP: \S+ — revenue this month$/),
    askedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    mark: null,
    rows: [[20]],
    sql: first.sql,
  });
  const { result } = await read(first.id);
  expect(JSON.parse(result?.contents[0]?.text ?? "")).toEqual(second);
});

it("on the rows and with the rights of now", async () => {
  const { id, rows } = await ask("revenue by shop");
  expect(rows).toHaveLength(4);
  const { datasets } = await resultOf<{ datasets: { id: number; name: string }[] }>(
    server,
    admin,
    "list_datasets",
    {},
  );
  const dataset_id = datasets.find(({ name }) => name === "shops")?.id;
  const policy = {
    name: "Rome",
    roles: ["contributor"],
    rows: [{ field: "city", operator: "=", value: "Rome" }],
  };
  await resultOf(server, admin, "set_dataset_policies", { dataset_id, policies: [policy] });
  expect((await again(id)).rows).toEqual([["Bean", 5]]);
  await resultOf(server, admin, "set_dataset_policies", { dataset_id, policies: [] });
});

it("what was answered at the same time comes one after the other", async () => {
  const follow = (question: string, follow_up_to: string) =>
    resultOf<Answer>(server, contributor, "ask_question", { question, follow_up_to });
  let last = await ask("revenue this month");
  for (let round = 0; round < 6; round += 1) {
    last = await follow("by shop", last.id);
    expect(last.reading).toMatch(/by shop/);
    last = await follow("by month instead of shop", last.id);
    expect(last.reading).toMatch(/by month/);
  }
});

it("is for whoever asked, and for tokens of that model", async () => {
  const { id } = await ask("revenue");
  await expect(again(id, admin)).rejects.toThrow(/no answer .* of yours/);
  expect((await read(id, admin)).error?.message).toMatch(/no answer/);
  const other = await server.token({ email: "contributor-2@example.com", limits: { models: ["other"] } });
  const refused = textOf(await callTool(server, other, "get_answer", { answer_id: id }));
  expect(refused).toMatch(/no such semantic model/);
  await expect(again("6f1c0f5e-0000-4000-8000-000000000000")).rejects.toThrow(/no answer/);
  await expect(again("../../x")).rejects.toThrow(/answer_id/);
  const memory = await server.token({ kind: "memory" });
  expect(await refusalsOf(server, memory, "get_answer", { answer_id: id })).toMatchObject({ anonymous: 401 });
});

it("says that there was none", async () => {
  const { id, outcome } = await ask("xylophones");
  expect(outcome).toBe("refuse");
  expect(await again(id)).toMatchObject({ outcome: "refuse", rows: [], question: "xylophones" });
});

it("[agent.audit.response] the response is in the audit log", async () => {
  const { id } = await ask("revenue");
  const event = async () => {
    const { events } = await resultOf<{ events: object[] }>(server, admin, "list_audit_events", {
      action: "mcp.tool.call",
      limit: 50,
    });
    return JSON.stringify(events.find((each) => JSON.stringify(each).includes(id)) ?? null);
  };
  // Events are written a little later than they happen.
  await expect.poll(event, { timeout: 20_000 }).toMatch(/"response"/);
  expect(await event()).toMatch(/SELECT/);
});

it.each(["abc", "%00", "%27%20or%201=1--"])("knows no answer %s", async (id) => {
  expect((await read(id)).error?.message).toMatch(/no answer|not found/i);
});
