import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

interface Output {
  outcome: string;
  answer: string;
  rows: Record<string, unknown>[];
  notes: string[];
  questions: { question: string; suggestions: string[] }[];
}

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
const token = await server.token();

/** Datasets of some rows, asked alone. */
async function tables(all: Record<string, Record<string, unknown>[]>) {
  const dataset_ids: number[] = [];
  for (const [name, rows] of Object.entries(all))
    dataset_ids.push(await makeDataset(server, token, name, rows));
  /** Rows without names of columns, or what else came back. */
  return async (question: string) => {
    const { outcome, rows } = await resultOf<Output>(server, token, "ask_data", { question, dataset_ids });
    return [question, outcome === "answer" ? rows.map((row) => Object.values(row)) : outcome];
  };
}

describe("a dataset that cannot be read", () => {
  it("is left out of questions about others, and named; asked about alone, it says why", async () => {
    await makeDataset(server, token, "ferries", [{ ferry: "Aurora", cabins: 40 }]);
    const folder = join(server.home, "blobs/parts");
    const files = () => new Set(readdirSync(folder, { recursive: true }).map(String));
    const before = files();
    const lost = await makeDataset(server, token, "lost_ships", [{ ship: "Vega", masts: 3 }]);
    const parts = [...files()].filter((each) => !before.has(each) && statSync(join(folder, each)).isFile());
    expect(parts).toHaveLength(1);
    for (const part of parts) rmSync(join(folder, part));
    const asked = { question: "total cabins of ferries" };
    const answer = await resultOf<Output>(server, token, "ask_data", asked);
    expect(answer).toMatchObject({ outcome: "answer", rows: [{ total_cabins: 40 }] });
    expect(answer.notes.join()).toMatch(/lost_ships was left out: it could not be read/);
    const alone = { question: "total masts", dataset_ids: [lost] };
    await expect(resultOf(server, token, "ask_data", alone)).rejects.toThrow();
    const all = { name: "fleet", datasets: ["ferries", "lost_ships"] };
    const inferred = await resultOf<{ guesses: object[] }>(server, token, "infer_semantic_model", all);
    expect(inferred.guesses).toContainEqual(
      expect.objectContaining({ about: "datasets.lost_ships", guess: "left out of the model" }),
    );
    await resultOf(server, token, "delete_asset", { asset_type: "dataset", asset_id: lost, confirm: true });
  });
});

describe("things that several rows are of", () => {
  const parts = Array.from({ length: 60 }, (_, i) => ({
    position: i + 1,
    "Repair No": 100 + Math.floor(i / 3),
    Day: i < 30 ? "2025-03-04" : "2025-04-05",
    Part: i % 6 === 0 ? "Valve" : "Gasket",
  }));

  it("are counted by their number, which nobody adds up", async () => {
    const ask = await tables({ spare_parts: parts });
    expect(await ask("How many repairs did we have?")).toEqual([expect.anything(), [[20]]]);
    expect(await ask("repairs by month")).toEqual([
      expect.anything(),
      [
        ["2025-03-01", 10],
        ["2025-04-01", 10],
      ],
    ]);
    // Of which there are as many rows, and fewer repairs.
    const most = expect.toBeOneOf([[["Gasket", 20]], "clarify"]);
    expect(await ask("Which part is in the most repairs?")).toEqual([expect.anything(), most]);
    expect((await ask("total repair no"))[1]).not.toEqual([[expect.any(Number)]]);
  });

  it("also where the dataset is called after them", async () => {
    const rows = parts.map(({ "Repair No": booking, ...more }) => ({ "Booking ID": booking, ...more }));
    const ask = await tables({ bookings: rows });
    expect(await ask("How many bookings were there in March 2025?")).toEqual([expect.anything(), [[10]]]);
    expect(await ask("how many bookings had a Valve?")).toEqual([expect.anything(), [[10]]]);
  });
});

describe("a name that many rows share", () => {
  const visits = Array.from({ length: 24 }, (_, i) => ({
    visit_id: i + 1,
    visited_on: `2025-01-${10 + i}`,
    member_name: i % 3 === 0 ? "Ida Moor" : "Ole Brandt",
    minutes: 30,
  }));
  const payments = Array.from({ length: 8 }, (_, i) => ({
    payment_id: 300 + i,
    visit_id: 1 + i,
    method: i < 3 ? "cash" : "card",
    amount: 10,
  }));

  it("is whoever has it, and no name of a row", async () => {
    const ask = await tables({ gym_visits: visits, gym_payments: payments });
    const first = expect.toBeOneOf([[["Ole Brandt", 480]], "clarify"]);
    expect(await ask("top 1 members by minutes")).toEqual([expect.anything(), first]);
    expect(await ask("How many members are there?")).toEqual([expect.anything(), [[2]]]);
    expect(await ask("How much was paid by card?")).toEqual([expect.anything(), [[50]]]);
  });
});

describe("a name that is the thing's own", () => {
  const boats = Array.from({ length: 40 }, (_, i) => ({
    "Boat Name": ["Gull", "Tern", "Skua", "Petrel"][i % 4],
    Built: 1990 + (i % 5),
    "Asking Price": 1_000 + i * 37,
    Hull: i % 8 === 0 ? "steel" : "wood",
  }));

  it("tells rows apart only where nothing else differs between two of one name", async () => {
    const sale = await tables({ boats });
    expect(await sale("How many boats are there?")).toEqual([expect.anything(), [[40]]]);
    expect(await sale("How many boats have a steel hull?")).toEqual([expect.anything(), [[5]]]);
    const crossings = boats.map(({ "Boat Name": boat }, i) => ({
      canal_name: boat,
      width: boat?.length,
      town: `Town ${i % 9}`,
    }));
    const map = await tables({ canals: crossings });
    expect(await map("How many canals are there?")).toEqual([expect.anything(), [[4]]]);
  });
});

describe("words that are a condition", () => {
  const crew = Array.from({ length: 12 }, (_, i) => ({
    sailor_no: 50 + i,
    sailor_name: `Sailor ${String.fromCharCode(65 + i)}`,
    age: 20 + i,
    DateofHire: `201${i % 3}-05-01`,
    DateofTermination: i < 4 ? null : `202${i % 2}-02-03`,
  }));

  it("are not left out: still, left, let go", async () => {
    const ask = await tables({ crew });
    for (const [question, wanted] of [
      ["How many people are still working here?", [[4]]],
      ["Wie viele Leute sind noch beschäftigt?", [[4]]],
      ["How many people work here?", [[4]]],
      ["How many people left in 2020?", [[4]]],
      [
        "How many sailors left each year?",
        [
          ["2020-01-01", 4],
          ["2021-01-01", 4],
        ],
      ],
      ["How many people were let go for cause?", "refuse"],
      ["How many sailors are in the IT department?", "refuse"],
    ] as const)
      expect(await ask(question)).toEqual([question, wanted]);
  });

  it("say nothing that no column tells", async () => {
    const ask = await tables({ crew_list: crew.map(({ DateofTermination: _, ...more }) => more) });
    expect((await ask("How many people are still working here?"))[1]).toBe("refuse");
    expect((await ask("How many people are there?"))[1]).toEqual([[12]]);
  });
});

describe("the rows' own noun", () => {
  const thefts = Array.from({ length: 30 }, (_, i) => ({
    lfd: 1000 + i,
    tatzeit: `2024-0${1 + (i % 3)}-11`,
    bezirk: i % 5 === 0 ? "Nord" : "Süd",
  }));

  it("means what happened, whatever the table is called", async () => {
    const ask = await tables({ anzeigen_export: thefts, bezirke: [{ bezirk: "Nord" }, { bezirk: "Süd" }] });
    for (const [question, wanted] of [
      ["Wie viele Fälle gab es?", [[30]]],
      ["How many cases were there in Nord?", [[6]]],
      ["Wie viele Taten gab es im März 2024?", [[10]]],
      [
        "Wie viele Fälle gab es 2024 Monat für Monat?",
        ["2024-01-01", "2024-02-01", "2024-03-01"].map((month) => [month, 10]),
      ],
      ["number of incidents", [[30]]],
    ] as const)
      expect(await ask(question)).toEqual([question, wanted]);
  });
});

describe("times, prices, ages and verbs", () => {
  const drinks = ["Mocha", "Latte", "Chai", "Cocoa"].map((title, i) => ({
    drink_id: 900 + i,
    title,
    kind: i < 2 ? "coffee" : "other",
    price: 2 + i,
  }));
  const receipts = Array.from({ length: 40 }, (_, i) => ({
    receipt_line_id: i + 1,
    receipt_id: 70 + Math.floor(i / 2),
    sold_on: `2024-0${1 + (i % 2)}-10`,
    sold_at: i % 4 === 0 ? "9:05:10 AM" : "2:30:00 PM",
    drink_id: 900 + (i % 8 === 0 ? 0 : 1 + (i % 3)),
  }));

  it("take the price of what was sold, once for each line", async () => {
    const ask = await tables({ receipt_lines: receipts, drinks });
    const [, rows] = await ask("total sales by kind");
    const price = (id: number) => 2 + id - 900;
    const sum = (is: (id: number) => boolean) =>
      receipts.filter(({ drink_id }) => is(drink_id)).reduce((all, { drink_id }) => all + price(drink_id), 0);
    expect(Object.fromEntries(rows as [string, number][])).toEqual({
      coffee: sum((id) => id < 902),
      other: sum((id) => id >= 902),
    });
    expect(await ask("How many receipts did we have?")).toEqual([expect.anything(), [[20]]]);
    const mochas = receipts.filter(({ drink_id }) => drink_id === 900).length;
    const sold = expect.toBeOneOf([[[mochas]], "clarify"]);
    expect(await ask("How many mochas were sold?")).toEqual([expect.anything(), sold]);
    expect(await ask("Which drink sells the least?")).toEqual([
      expect.anything(),
      expect.toBeOneOf([[["Mocha", mochas]], "clarify"]),
    ]);
    expect(await ask("Which hour of the day is the busiest?")).toEqual([expect.anything(), [[14, 30]]]);
  });

  it("know hours of a column beside its day, districts by long numbers, and who is how old", async () => {
    const places = Array.from({ length: 40 }, (_, i) => ({ area_id: 1_100_500 + i * 7, area: `Area ${i}` }));
    const thefts = Array.from({ length: 80 }, (_, i) => ({
      begin_date: "2024-05-05",
      begin_hour: i % 4 === 0 ? 3 : 18,
      victim_age: 10 + i,
      spot: 1_100_500 + (i % 40) * 7,
      item: i % 2 === 0 ? " Phone" : "Wallet ",
    }));
    const ask = await tables({ thefts, places });
    for (const [question, wanted] of [
      ["At what time do most thefts happen?", [[18, 60]]],
      ["How many phones were stolen?", [[40]]],
      ["How many wallets were stolen in Area 7?", [[2]]],
      ["How many people under 20 were there?", [[10]]],
      ["How many children were there?", "refuse"],
    ] as const)
      expect(await ask(question)).toEqual([question, wanted]);
  });
});
