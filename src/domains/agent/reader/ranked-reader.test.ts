import { afterAll, beforeAll, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

interface Output {
  id: string;
  outcome: string;
  questions: { question: string; suggestions: string[] }[];
  rows: Record<string, unknown>[];
  reading: string | null;
  confidence: number | null;
}

const SINGERS = [
  ["Ana Lopes", "Portugal", 31],
  ["Bo Berg", "Sweden", 44],
  ["Cem Kaya", "Turkey", 27],
  ["Dora Lund", "Sweden", 52],
  ["Eva Roth", "Austria", 36],
  ["Filip Nord", "Sweden", 29],
].map(([name, country, age], i) => ({ singer_id: i + 1, name, country, age }));
const CONCERTS = [1, 2, 2, 4, 4, 4, 5].map((singer_id, i) => ({
  concert_id: 100 + i,
  singer_id,
  hall: ["Atrium", "Bellevue"][i % 2],
  year: 2023 + (i % 2),
}));
const PETS = [
  ["cat", 4.5],
  ["dog", 22],
  ["dog", 9.5],
  ["parrot", 0.5],
  ["dog", 31],
].map(([pet_type, weight], i) => ({ pet_id: 2_000 + i, pet_type, weight }));

const CUSTOMERS = ["Ada Berg", "Ben Cole", "Cora Diaz", "Dan Eriks", "Eli Frost", "Fay Gould"].map(
  (full_name, i) => ({ customer_id: i + 1, full_name, town: ["Aarhus", "Bergen", "Cadiz"][i % 3] }),
);
const ORDERS = [1, 1, 2, 2, 2, 3, 4, 4, 1, 3].map((customer_id, i) => ({
  order_id: 500 + i,
  customer_id,
  order_date: `2025-0${1 + (i % 6)}-1${i % 10}`,
  total: 20 + 7 * i,
}));
const LINES = Array.from({ length: 24 }, (_, i) => ({
  line_id: 9_000 + i,
  order_id: 500 + (i % 10),
  product: ["Lamp", "Chair", "Desk"][i % 3],
  unit_price: 5 + i,
  quantity: 1,
}));

let server: TestServer;
let token: string;
let ids: { stage: number[]; pets: number[]; shop: number[] };

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
  token = await server.token();
  const singers = await makeDataset(server, token, "singer", SINGERS);
  const concerts = await makeDataset(server, token, "concert", CONCERTS);
  const shop = [
    await makeDataset(server, token, "customers", CUSTOMERS),
    await makeDataset(server, token, "orders", ORDERS),
    await makeDataset(server, token, "order_lines", LINES),
  ];
  ids = { stage: [singers, concerts], pets: [await makeDataset(server, token, "pets", PETS)], shop };
});
afterAll(() => server.stop());

async function ask(about: keyof typeof ids, question: string) {
  return resultOf<Output>(server, token, "ask_data", { question, dataset_ids: ids[about] });
}

it.each([
  [
    "stage",
    "Show all countries and the number of singers in each country.",
    [
      ["Austria", 1],
      ["Portugal", 1],
      ["Sweden", 3],
      ["Turkey", 1],
    ],
  ],
  ["pets", "How many pets have a greater weight than 10?", [[2]]],
  ["stage", "What are the names of singers in ascending order of age?", null],
  [
    "stage",
    "Show the name and age of singers older than 40.",
    [
      ["Bo Berg", 44],
      ["Dora Lund", 52],
    ],
  ],
] as const)("reads over tables that nobody has described (%s): %s", async (about, question, rows) => {
  const answer = await ask(about, question);
  expect(answer).toMatchObject({ outcome: "answer", reading: expect.stringMatching(/\w/) });
  const got = answer.rows.map((row) => Object.values(row));
  if (rows !== null) expect(got.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual(rows);
  else
    expect(got.map(([name]) => name)).toEqual(
      SINGERS.toSorted((a, b) => Number(a.age) - Number(b.age)).map(({ name }) => name),
    );
});

it("answers nothing where a word is of something else", async () => {
  const { outcome } = await ask("stage", "Show the warranty of each mortgage.");
  expect(outcome).not.toBe("answer");
});

it.each([
  ["how many customers bought something?", 4],
  ["units sold", 24],
] as const)("gives no number of orders for what was bought: %s", async (question, right) => {
  const { outcome, rows } = await ask("shop", question);
  if (outcome === "answer") expect(rows.map((row) => Object.values(row))).toEqual([[right]]);
  else expect(rows).toEqual([]);
});

it("asks which of two readings is meant, and answers with the one that is chosen", async () => {
  const open = [
    "Find the hall with the youngest singer",
    "names of singers with the most concerts",
    "What are the names of singers and the concerts that they are in?",
    "Show singers with a concert after the oldest singer.",
  ];
  for (const question of open) {
    const asked = await ask("stage", question);
    const [choice] = asked.questions;
    if (asked.outcome !== "clarify" || !/^Do you mean/.test(choice?.question ?? "")) continue;
    for (const chosen of choice?.suggestions ?? []) {
      const about = { question: chosen, dataset_ids: ids.stage, follow_up_to: asked.id };
      const answer = await resultOf<Output>(server, token, "ask_data", about);
      expect(answer).toMatchObject({ outcome: "answer", reading: chosen });
    }
    return;
  }
  expect(open).toContain("a question that is asked back");
});

it.each([
  ["stage", "Wie viele Singer gibt es pro Country?", 4],
  ["pets", "Zeige pet type und weight aller Pets, sortiert nach weight absteigend.", 5],
  ["pets", "Wie viele Pets haben ein weight von mehr als 10?", 1],
] as const)("knows what German words do in a question (%s): %s", async (about, question, rows) => {
  const answer = await ask(about, question);
  expect(answer).toMatchObject({ outcome: "answer" });
  expect(answer.rows).toHaveLength(rows);
});
