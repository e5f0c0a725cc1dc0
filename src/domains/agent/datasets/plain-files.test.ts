import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

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

const MONTHS = "January February March April May June".split(" ");
/** Gifts to a zoo: a date in three columns, who gave, for what, and the number of whoever took it. */
const GIFTS = Array.from({ length: 60 }, (_, i) => ({
  gift_year: 2023 + (i % 2),
  gift_month: MONTHS[i % 6],
  gift_day: 1 + (i % 28),
  Giver: ["Ann Lee", "Bo Finch", "Cy Dunn"][i % 3],
  Animal: ["Otter", "Lynx"][i % 2],
  cashier: 100 + (i % 4),
  Amount: 1_000 + i * 100,
}));
/** Stays of cats in a clinic. */
const STAYS = Array.from({ length: 30 }, (_, i) => ({
  stay_no: `S-${100 + i}`,
  admitted_on: `2025-03-${String(1 + (i % 20)).padStart(2, "0")}`,
  discharged_on: `2025-03-${String(3 + (i % 20) + (i % 2)).padStart(2, "0")}`,
  nurse: ["Kim", "Noor", "Pat", "Noor"][i % 4],
  status: i % 5 === 0 ? "Open" : "Closed",
  Ward: ["North", "South"][i % 2],
}));

/** Hires of boats: on twelve days of 2025, none of them in March, June, September or November. */
const HIRES = [
  ["2025-01-01", "Birch", 60],
  ["2025-01-31", "Alder", 40],
  ["2025-02-03", "Birch", 30],
  ["2025-02-10", "Alder", 20],
  ["2025-04-07", "Birch", 50],
  ["2025-04-21", "Alder", 10],
  ["2025-05-05", "Birch", 90],
  ["2025-07-14", "Birch", 35],
  ["2025-08-04", "Birch", 25],
  ["2025-08-18", "Alder", 45],
  ["2025-10-06", "Birch", 15],
  ["2025-12-31", "Alder", 310],
].map(([hired_on, pier, price], i) => ({
  hire_id: `H-${1 + i}`,
  hired_on,
  pier,
  boat: i % 3 === 0 ? "Canoe" : "Punt",
  price,
}));

const ids: Record<string, number> = {};

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
const token = await server.token();
ids.stalls = await makeDataset(server, token, "market_stalls", STALLS);
ids.gifts = await makeDataset(server, token, "zoo_donations", GIFTS);
ids.hires = await makeDataset(server, token, "boat_hires", HIRES);
ids.stays = await makeDataset(server, token, "cat_stays", STAYS);

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
    const { got } = await ask("stalls", "top 4 goods by fee");
    if (got !== "clarify") expect(got).toHaveLength(3);
  });
});

describe("a date in several columns", () => {
  it.each([
    ["How many donations were there in March 2023?", [[10]]],
    ["donations by month in 2024", expect.arrayContaining([["2024-02-01", 10]])],
    [
      "donations by gift year",
      [
        [2023, 30],
        [2024, 30],
      ],
    ],
  ])("%s", async (question, got) => {
    expect(await ask("gifts", question)).toMatchObject({ question, got });
  });
});

describe("the one amount of money that rows are about", () => {
  const all = GIFTS.reduce((sum, { Amount }) => sum + Amount, 0);
  const of = (giver: string) =>
    GIFTS.filter(({ Giver }) => Giver === giver).reduce((sum, { Amount }) => sum + Amount, 0);

  it.each([
    ["How much money was given overall?", [[all]]],
    ["which givers gave more than 80,000 in total?", [["Cy Dunn", of("Cy Dunn")]]],
    ["average donation", [[all / 60]]],
    ["who gave the most?", [["Cy Dunn", of("Cy Dunn")]]],
    ["which giver donated the most money?", expect.toBeOneOf([[["Cy Dunn", of("Cy Dunn")]], "clarify"])],
    ["what share of the money went to the Otter?", [[expect.closeTo(0.4937, 4)]]],
    ["compare Otter and Lynx, average donation in 2023", [["Otter", 3_900]]],
    [
      "How do Ann Lee and Bo Finch compare on average donation?",
      [
        ["Bo Finch", 3_950],
        ["Ann Lee", 3_850],
      ],
    ],
  ])("%s", async (question, got) => {
    expect(await ask("gifts", question)).toMatchObject({ question, got });
  });

  it("is no number of who took it", async () => {
    const { got } = await ask("gifts", "Which three cashiers took the most donations?");
    expect(got).toHaveLength(3);
  });

  it("has whoever gave it beside it", async () => {
    const { got } = await ask("gifts", "What was the single largest donation and who made it?");
    expect(got).toEqual([expect.arrayContaining(["Cy Dunn"])]);
  });
});

describe("what is said of the rows of one table", () => {
  it.each([
    [
      "average length of stay by ward",
      [
        ["South", 3],
        ["North", 2],
      ],
    ],
    ["top 1 nurses by closed stays", [["Noor", 12]]],
    ["which nurse do we see most often?", expect.anything()],
  ])("%s", async (question, got) => {
    expect(await ask("stays", question)).toMatchObject({ question, got });
  });
});

describe("days and months on which nothing happened", () => {
  it.each([
    [
      "average number of hires per day in 2025",
      [[12 / 365]],
      "divided by all 365 days from 2025-01-01 to 2025-12-31",
    ],
    ["average number of hires per month at Alder in 2025", [[5 / 12]], "divided by all 12 months"],
    ["how many hires per day did we have on average in April 2025?", [[2 / 30]], "divided by all 30 days"],
    ["wie viele hires pro Tag im Durchschnitt 2025?", [[12 / 365]], "geteilt durch alle 365 tage"],
    ["median number of hires per month in 2025", [[1]], "all 12 months"],
  ])("count in %s", async (question, got, told) => {
    const { got: found, answer } = await ask("hires", question);
    expect([question, found]).toEqual([question, [[expect.closeTo(got[0]?.[0] as number)]]]);
    expect(answer.toLowerCase()).toContain(told);
  });

  it.each([
    ["monthly hires in 2025", 12, ["2025-08-01", 2]],
    ["quarterly hires at Alder", 4, ["2025-07-01", 1]],
    ["average weekly hires at Birch in 2025", 1, [expect.closeTo(6 / 51)]],
    ["durchschnittliche monatliche hires 2025", 1, [1]],
  ])("belong to %s", async (question, count, row) => {
    const { got } = await ask("hires", question);
    expect([question, got]).toEqual([question, expect.arrayContaining([row])]);
    expect(got).toHaveLength(count);
  });

  it.each([
    "how many hires of Canoe at Alder were there in March 2025?",
    "average number of hires per day of Canoe at Alder in March 2025",
  ])("are the answer where nothing is doubtful: %s", async (question) => {
    expect(await ask("hires", question)).toMatchObject({ question, got: [[0]] });
  });

  it("are left out of an average of what is no sum", async () => {
    const { got } = await ask("hires", "average price by month in 2025");
    expect(got).toHaveLength(12);
    expect(got).toContainEqual(["2025-03-01", null]);
  });

  it("lie within what a number without a period is of", async () => {
    const { answer } = await ask("hires", "how many hires were there?");
    expect(answer).toContain("*Period: all there is, 2025-01-01 to 2025-12-31 by hired on.*");
  });

  it("are shown in a series, which the text is about as well", async () => {
    const { got, answer } = await ask("hires", "number of hires by month");
    expect(got).toHaveLength(12);
    expect(got).toContainEqual(["2025-03-01", 0]);
    expect(answer).toContain("lowest: ");
    expect(answer).toMatch(/lowest: (Mar|Jun|Sep|Nov) 2025 with 0/);
  });
});
