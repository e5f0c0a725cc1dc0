import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

/** Tenants of a marina: since when and until when, where they lie, and how often they sailed. */
const TENANTS = Array.from({ length: 60 }, (_, i) => ({
  tenant_no: 100 + i,
  tenant_name: `${["Ida", "Ole", "Uma", "Kim", "Bo"][i % 5]} ${["Moor", "Brandt", "Sato"][i % 3]} ${i}`,
  joined_on: `${2023 + (i % 3)}-0${1 + (i % 9)}-15`,
  cancelled_on: i % 4 === 0 ? `2025-1${i % 3}-20` : null,
  trips_last_month: i % 10 === 0 ? 0 : 1 + (i % 7),
  jetty: ["Eastside", "Westside", "Harbour"][i % 3],
  tariff: ["Summer", "Allyear"][i % 2],
}));
const both = TENANTS.filter(
  ({ joined_on, cancelled_on }) => joined_on.startsWith("2025") && cancelled_on !== null,
).length;
const allowed = TENANTS.filter(({ jetty, tariff }) => jetty !== "Eastside" && tariff !== "Summer").length;
const harbour = TENANTS.filter(({ jetty, tariff }) => jetty === "Harbour" && tariff !== "Summer").length;

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
const token = await server.token();
const tenants = await makeDataset(server, token, "tenants", TENANTS);

async function ask(question: string) {
  const { outcome, rows, answer } = await resultOf<{
    outcome: string;
    answer: string;
    rows: Record<string, unknown>[];
  }>(server, token, "ask_data", { question, dataset_ids: [tenants] });
  return { question, got: outcome === "answer" ? rows.map((row) => Object.values(row)) : outcome, answer };
}

describe("rows that last for a while", () => {
  it.each([
    ["How many tenants had 0 trips last month?", 6],
    ["How many tenants had zero trips last month?", 6],
    ["how many tenants had no trips last month?", 6],
    ["How many tenants joined and cancelled in 2025?", both],
    ["how many tenants joined and then cancelled in 2025?", both],
    ["how many tenants excluding Eastside and Summer?", allowed],
    ["how many tenants except for Summer or Eastside?", allowed],
    ["number of tenants without Eastside, Westside and Summer", harbour],
    ["Wie viele Tenants ohne Eastside und Summer?", allowed],
    ["how many tenants without Eastside and without Summer?", allowed],
  ])("%s", async (question, got) => {
    expect(await ask(question)).toMatchObject({ question, got: [[got]] });
  });

  it.each([
    "How many tenants did we have at the end of 2025?",
    "how many tenants were there at the start of March 2025?",
    "Wie viele Tenants hatten wir Ende 2025?",
    "How many tenants had not cancelled by the end of 2025?",
  ])("refuses how many there were at a date: %s", async (question) => {
    const { got, answer } = await ask(question);
    expect([question, got]).toEqual([question, "refuse"]);
    expect(answer).toContain("only what happened in a period is counted");
  });

  it("counts what was done at the end of a period", async () => {
    const got = TENANTS.filter(({ cancelled_on }) => cancelled_on !== null).length;
    expect(await ask("How many tenants cancelled at the end of 2025?")).toMatchObject({ got: [[got]] });
  });
});
