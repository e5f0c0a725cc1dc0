import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

interface Output {
  outcome: string;
  answer: string;
  rows: Record<string, unknown>[];
}

/** Stalls of a market: who has one, for how many years' fair, what they sell and what they bring along. */
const STALLS = Array.from({ length: 60 }, (_, i) => ({
  Holder: ["Ida Moor", "Ole Brandt", "Uma Sato"][i % 3],
  Goods: ["Cheese", "N/A", "Honey and jam", "Pottery"][i % 4],
  Fee: 10 + (i % 5),
  tables: i % 5 === 0 ? 0 : 2,
  ponies: i % 10 === 0 ? 3 : 0,
  "Fair Year": 2021 + (i % 3),
}));

let server: TestServer;
let token: string;
const ids: Record<string, number> = {};

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
  token = await server.token();
  ids.stalls = await makeDataset(server, token, "market_stalls", STALLS);
});
afterAll(() => server.stop());

async function ask(table: string, question: string) {
  const { outcome, rows, answer } = await resultOf<Output>(server, token, "ask_data", {
    question,
    dataset_ids: [ids[table]],
  });
  return { question, got: outcome === "answer" ? rows.map((row) => Object.values(row)) : outcome, answer };
}

describe("rows that say how many of something they have", () => {
  it.each([
    ["How many stalls included ponies?", [[6]]],
    ["how many stalls had tables?", [[48]]],
    ["share of stalls with ponies", [[0.1]]],
    ["stalls with ponies by holder", expect.arrayContaining([["Ida Moor", 2]])],
    ["how many ponies were there in total?", [[18]]],
  ])("%s", async (question, got) => {
    expect(await ask("stalls", question)).toMatchObject({ question, got });
  });
});

describe("a column that holds years", () => {
  it.each([
    ["stalls by year", 3],
    ["How many stalls were there in 2022?", 1],
    ["how many stalls since 2022?", 1],
  ])("answers %s", async (question, rows) => {
    expect((await ask("stalls", question)).got).toHaveLength(rows);
  });

  it.each(["stalls by month in 2022", "how many stalls in March 2022?", "number of stalls by weekday"])(
    "refuses %s, as there are only years",
    async (question) => {
      const { got, answer } = await ask("stalls", question);
      expect([question, got]).toEqual([question, "refuse"]);
      expect(answer).toContain("only the year is known");
    },
  );
});

describe("a value that says there is none", () => {
  it("is a group as the data call it, and none of the first ones", async () => {
    expect((await ask("stalls", "number of stalls by goods")).got).toContainEqual(["N/A", 15]);
    expect((await ask("stalls", "top 4 goods by fee")).got).toHaveLength(3);
  });
});
