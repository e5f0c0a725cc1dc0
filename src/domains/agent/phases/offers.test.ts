import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

interface Output {
  id: string;
  outcome: string;
  answer?: string;
  narrative?: string;
  rows: unknown[];
  questions: { question: string; suggestions: string[] }[];
}

const BOATS = Array.from({ length: 40 }, (_, i) => ({
  hull_no: 500 + i,
  harbour: ["Kiel", "Bremen"][i % 2],
  skipper: ["Ida Moor", "Ole Brandt", "Uma Sato", "Kim Po"][i % 4],
  purpose: ["Fishing", "Ferry"][i % 2],
  engine_power_kw: 40 + i,
}));

let admin: string;
let member: string;

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
[admin, member] = [await server.token(), await server.token({ role: "contributor" })];
const boats = await makeDataset(server, admin, "boats", BOATS);
await resultOf(server, admin, "infer_semantic_model", { name: "fleet", datasets: ["boats"] });
await resultOf(server, admin, "publish_semantic_model", { modelName: "fleet" });

const doors = {
  "a table": (question: string, more = {}) =>
    resultOf<Output>(server, member, "ask_data", { question, dataset_ids: [boats], ...more }),
  "a model": (question: string, more = {}) =>
    resultOf<Output>(server, member, "ask_question", { question, model: "fleet", ...more }),
};

it("counts those of the West for nobody who asks about the hidden East", async () => {
  const clients = ["West", "West", "North", "East", "East"].map((region, i) => ({ name: `P${i}`, region }));
  const id = await makeDataset(server, admin, "clients", clients);
  const rows = [{ field: "region", operator: "!=", value: "East" }];
  const policies = [{ name: "no East", roles: ["contributor"], rows }];
  await resultOf(server, admin, "set_dataset_policies", { dataset_id: id, policies });
  const ask = (question: string) =>
    resultOf<Output>(server, member, "ask_data", { question, dataset_ids: [id] });
  const west = await ask("how many clients in region West?");
  expect([west.outcome, JSON.stringify(west.rows)]).toEqual(["answer", expect.stringContaining("2")]);
  for (const question of ["how many clients in region East?", "number of clients in East"]) {
    const { outcome, rows } = await ask(question);
    expect([question, outcome, rows]).toEqual([question, "refuse", []]);
  }
});

describe.each(Object.entries(doors))("a refusal over %s", (_, ask) => {
  it("ends with the nearest question that can be answered, which is asked by confirming it", async () => {
    const refused = await ask("number of boats by captains");
    const said = refused.answer ?? refused.narrative ?? "";
    expect([refused.outcome, said]).toEqual(["refuse", expect.stringContaining("- captain")]);
    expect(said).toMatch(/Nearest that can be answered: number of boats by skipper$/m);
    expect(refused.questions[0]?.suggestions).toEqual(["number of boats by skipper"]);
    const meant = await ask("yes", { follow_up_to: refused.id });
    expect([meant.outcome, meant.rows]).toEqual(["answer", expect.objectContaining({ length: 4 })]);
    const bracket = "number of boats by captains [Do you mean this?: number of boats by skipper]";
    expect((await ask(bracket)).rows).toEqual(meant.rows);
  });

  it.each(["number of boats by astrology", "average quarrel of boats", "how many boats did we captain?"])(
    "offers nothing where nothing is near: %s",
    async (question) => {
      expect(await ask(question)).toMatchObject({ outcome: "refuse", questions: [] });
    },
  );

  it("offers nothing that is hidden", async () => {
    const set = (policies: unknown[]) =>
      resultOf(server, admin, "set_dataset_policies", { dataset_id: boats, policies });
    await set([{ name: "no names", roles: ["contributor"], hide: ["skipper"] }]);
    try {
      const refused = await ask("number of boats by captains");
      expect(refused.outcome).toBe("refuse");
      expect(JSON.stringify(refused)).not.toContain("skipper");
    } finally {
      await set([]);
    }
  });
});
