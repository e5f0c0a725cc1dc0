import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { openCafe } from "../../../../test/support/questions.ts";
import { PATHS } from "../../../../test/support/rpc.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

/** What the audit log keeps of a question, whichever tool it was put to. */

interface Event {
  action: string;
  user: string;
  resource_type: string;
  resource_id: string | null;
  outcome: string;
  dataset_ids: number[];
  metadata: { model: string | null; question: string; response: unknown; arguments?: string };
}

const ids: Record<string, number> = {};

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
const admin = await server.token();
await openCafe(server, admin);
ids.boats = await makeDataset(server, admin, "boats", [
  { boat_id: 1, boat_name: "Albatross", harbour: "Kiel", berths: 4, built_on: "2024-05-01" },
  { boat_id: 2, boat_name: "Seagull", harbour: "Wismar", berths: 6, built_on: "2025-05-01" },
]);

/** Asks as somebody new, so that all events are of this question. */
async function eventsOf(tool: string, question: string, more: object = {}, path: string = PATHS.all) {
  const email = `${crypto.randomUUID()}@example.com`;
  const password = "correct horse battery";
  await server.app.identity.users.create({ email, workspace: "acme", role: "contributor", password });
  const token = await server.token({ email });
  const { outcome } = await resultOf<{ outcome: string }>(server, token, tool, { question, ...more }, path);
  await server.app.identity.audit.flush();
  const all = await resultOf<{ events: Event[] }>(server, admin, "list_audit_events", { limit: 50 });
  const events = all.events.filter(({ user }) => user === email);
  const [call, ...calls] = events.filter(({ action }) => action === "mcp.tool.call");
  const [asked, ...others] = events.filter(({ action }) => action === "agent.question");
  expect([calls, others]).toEqual([[], []]);
  return { outcome, call: call as Event, asked: asked as Event };
}

const boats = () => ({ dataset_ids: [ids.boats] });

describe("a question, in its own event and in that of its call", () => {
  it.each([
    [
      "ask_question",
      "visit count of shops in Bern since 2024",
      "visit count of shops in ? since ?",
      "answer",
      {},
    ],
    ["ask_question", "revenue of cake by shop", "revenue of ? by shop", "answer", {}],
    ["ask_question", "revenue for cakes in Atlantis", "revenue for ? in ?", "refuse", {}],
    ["ask_question", "revenue for Bern", "revenue for ?", "clarify", {}],
    ["ask_data", "visit count of shops in Oslo", "visit count of shops in ?", "answer", {}],
    ["ask_data", "how many boats are in Kiel", "how many boats are in ?", "answer", {}],
    ["ask_data", "berths of the Seagull", "berths of the ?", "answer", boats],
    ["ask_data", "berths of the Seagull in Atlantis", "berths of the ? in ?", "refuse", {}],
    ["knowi_ask", "berths of boats in Wismar", "berths of boats in ?", "answer", {}],
  ] as const)("%s: %s", async (tool, question, kept, outcome, more) => {
    const args = typeof more === "function" ? more() : more;
    const path = tool === "knowi_ask" ? PATHS.bi : PATHS.all;
    const { call, asked, ...told } = await eventsOf(tool, question, args, path);
    expect(told.outcome).toBe(outcome);
    const response = expect.objectContaining({ characters: expect.any(Number), sha256: expect.any(String) });
    expect(asked).toMatchObject({ outcome, metadata: { question: kept, response } });
    expect(call.metadata.arguments).toContain(kept);
    expect(call.metadata.response).toContain(outcome);
    if (outcome === "answer") expect(asked.dataset_ids).not.toEqual([]);
    expect(JSON.stringify([call, asked])).not.toMatch(
      /Bern|Oslo|Rome|Kiel|Wismar|Seagull|Atlantis|cake|2024/i,
    );
  });

  it("names the model that answered, and none where it was guessed", async () => {
    const known = await eventsOf("ask_data", "revenue by shop");
    expect(known.asked).toMatchObject({ resource_type: "semantic_model", metadata: { model: "cafes" } });
    const guessed = await eventsOf("ask_data", "how many boats per harbour");
    expect(guessed.asked).toMatchObject({
      resource_type: "dataset",
      resource_id: null,
      metadata: { model: null },
      dataset_ids: expect.arrayContaining([ids.boats]),
    });
  });

  it("the SQL of an answer keeps its names, and none of its values", async () => {
    const { call } = await eventsOf("ask_question", "revenue of shops in Bern in 2025");
    const response = JSON.stringify(call.metadata.response);
    expect(response).toMatch(/SELECT.*\.\\+"city\\+"/);
    expect(response).not.toMatch(/Bern|2025/);
  });
});
