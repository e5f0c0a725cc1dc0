import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeDataset, resultOf } from "../../../../test/support/datasets.ts";
import { PATHS } from "../../../../test/support/rpc.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";
import { ENGLISH } from "../understand/languages/english/english.ts";
import { GERMAN } from "../understand/languages/german/german.ts";
import { likeness } from "./likeness.ts";
import { codesOf } from "./place-codes.ts";

interface Output {
  outcome: string;
  answer: string;
  rows: Record<string, unknown>[];
  confidence: number | null;
}

const GYM = [
  ["Ada Long", "Yoga", "TX", 62, 20, 40, "Instagram", "Kim"],
  ["Ben Short", "Boxing", "TX", 45, 35, 60, "Flyer", "Kim"],
  ["Cleo Hart", "Yoga", "OH", 51, 50, 50, "Instagram", "Kim"],
  ["Dan Moss", "Rowing", "ME", 30, 90, 30, "Friends", "Lee"],
].map(
  ([
    memberName,
    courseType,
    homeState,
    restingTimeSec,
    salary,
    monthlyPrice,
    recruitmentSource,
    trainer,
  ]) => ({
    memberName,
    courseType,
    homeState,
    restingTimeSec,
    salary,
    monthlyPrice,
    recruitmentSource,
    trainer,
  }),
);
const HOUSES = [
  { wohnungsnummer: 1, verbrauchshoehe: 900, heizungsart: "Gasetagenheizung", stadtbezirk: "Nord" },
  { wohnungsnummer: 2, verbrauchshoehe: 500, heizungsart: "Fernwärmeheizung", stadtbezirk: "Süd" },
  { wohnungsnummer: 3, verbrauchshoehe: 700, heizungsart: "Gasetagenheizung", stadtbezirk: "Nord" },
];

let server: TestServer;
let viewer: string;
const ids: Record<string, number> = {};

beforeAll(async () => {
  server = await startTestServer({ env: { RATE_LIMIT_ENABLED: "false" } });
  const admin = await server.token();
  viewer = await server.token({ role: "viewer" });
  ids.gym = await makeDataset(server, admin, "gym_members", GYM);
  ids.houses = await makeDataset(server, admin, "heizkosten", HOUSES);
});
afterAll(() => server.stop());

const ask = (of: string, question: string) =>
  resultOf<Output>(server, viewer, "knowi_ask", { question, datasetIds: [ids[of]] }, PATHS.bi);
const valuesOf = ({ rows }: Output) => rows.map((row) => Object.values(row));

describe("a word that nothing is called by", () => {
  it.each([
    // a part of a name, and another form of one
    [
      "gym",
      "average price by course",
      [
        ["Boxing", 60],
        ["Rowing", 30],
        ["Yoga", 45],
      ],
      '"course" is taken for course type',
    ],
    [
      "gym",
      "How many members per recruiting source",
      [
        ["Instagram", 2],
        ["Flyer", 1],
        ["Friends", 1],
      ],
      "recruitment source",
    ],
    // what it means
    [
      "gym",
      "average monthly price by instructor",
      [
        ["Kim", 50],
        ["Lee", 30],
      ],
      '"instructor" is taken for trainer',
    ],
    ["gym", "Which member earns the most?", [["Dan Moss"]], '"earn" is taken for salary'],
    // a code for it
    ["gym", "How many members live in Texas?", [[2]], '"Texas" is taken for TX'],
    // parts of German compounds, with other endings
    ["houses", "Wie hoch ist der Verbrauch insgesamt?", [[2100]], "„Verbrauch“ steht für verbrauchshoehe"],
    [
      "houses",
      "durchschnittlicher Verbrauch bei Gasheizungen",
      [[800]],
      "„Gasheizungen“ steht für Gasetagenheizung",
    ],
  ])("is taken for what is nearest (%s: %s), and this is said", async (of, question, rows, said) => {
    const answer = await ask(of, question);
    expect([answer.outcome, answer.answer]).toEqual(["answer", expect.stringContaining(said)]);
    expect(valuesOf(answer)).toEqual(expect.arrayContaining(rows));
    expect(answer.confidence).toBeLessThan(0.9);
  });

  it.each([
    "average delivery price by course type",
    "average price by weather",
    "What profit did we make?",
    "Which competitor has the most members?",
    "How many members were injured?",
    "average age of members",
    "total tax by course type",
    "total discount by course type",
    "Which members speak Spanish?",
  ])("is refused where nothing is near: %s", async (question) => {
    expect((await ask("gym", question)).outcome).toBe("refuse");
  });
});

describe("likeness", () => {
  it.each([
    ["recruiting", "recruitment", ENGLISH],
    ["satisfied", "satisfaction", ENGLISH],
    ["satisfied", "sat", ENGLISH],
    ["schaden", "schadenshoehe", GERMAN],
    ["damenräder", "damenfahrrad", GERMAN],
    ["planungsräume", "planungsraueme", GERMAN],
  ])("%s is like %s", (word, name, language) => expect(likeness(word, name, language)).toBeGreaterThan(0.6));

  it.each([
    ["department", "departure", ENGLISH],
    ["cost", "coast", ENGLISH],
    ["weather", "whether", ENGLISH],
    ["marke", "markt", GERMAN],
  ])("%s is not like %s", (word, name, language) => expect(likeness(word, name, language)).toBe(0));
});

it("knows codes of states and countries only where a column has little else", () => {
  expect(codesOf(["MA", "OR", "TX"]).get("oregon")).toBe("OR");
  expect(codesOf(["DE", "FR", "IT"]).get("frankreich")).toBe("FR");
  expect(codesOf(["DE", "open", "closed"]).size).toBe(0);
});
