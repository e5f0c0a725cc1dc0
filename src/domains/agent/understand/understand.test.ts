import { describe, expect, it } from "vitest";
import type { VisibleModel } from "../../models/index.ts";
import { compile } from "../compile/compile.ts";
import { buildKnowledge, type FieldValues } from "../knowledge/build-knowledge.ts";
import { understand } from "./understand.ts";

const NO_AI: VisibleModel["ai"] = { instructions: null, synonyms: [], examples: [], more: {} };
const called = (...synonyms: string[]) => ({ ...NO_AI, synonyms });

function field(name: string, type: string, ai = NO_AI, description: string | null = null) {
  const isTime = type === "DATE" ? true : type === "VARCHAR" ? false : null;
  return { name, type, isTime, ai, description, label: null, dataType: null, distinctValues: [], sql: null };
}

function dataset(name: string, primaryKey: string[], ai: typeof NO_AI, fields: ReturnType<typeof field>[]) {
  return { name, source: name, description: null, ai, primaryKey, uniqueKeys: [], rowCount: null, fields };
}

const MODEL: VisibleModel = {
  id: "m",
  name: "library",
  version: 1,
  description: null,
  ai: {
    ...NO_AI,
    instructions:
      "A book counts as long when its pages exceed 500. Fiscal year: starts on 1 April. Takings, without more, means fees. Dates: fees and loans go by loan date. The moon is made of cheese.",
  },
  datasets: [
    dataset("branches", ["branch_id"], called("branch", "library"), [
      field("branch_id", "BIGINT"),
      field("branch_name", "VARCHAR", called("branch")),
      field("town", "VARCHAR"),
      field("floor_area", "BIGINT", called("size", "big", "square metres")),
    ]),
    dataset("books", ["book_id"], called("book", "title"), [
      field("book_id", "BIGINT"),
      field("book_name", "VARCHAR", called("book")),
      field("genre", "VARCHAR", called("kind of book")),
      field("pages", "BIGINT", called("long", "length")),
    ]),
    dataset("loans", ["loan_id"], called("loan", "borrowed"), [
      field("loan_id", "BIGINT"),
      field("loan_date", "DATE"),
      field("book_id", "BIGINT"),
      field("branch_id", "BIGINT"),
      field("returned_date", "DATE", called("returned"), "Day it came back; empty while it is out"),
      field("fee", "DOUBLE"),
    ]),
  ],
  relationships: [
    {
      name: "loan_of_book",
      from: "loans",
      to: "books",
      fromColumns: ["book_id"],
      toColumns: ["book_id"],
      ai: NO_AI,
    },
    {
      name: "loan_at_branch",
      from: "loans",
      to: "branches",
      fromColumns: ["branch_id"],
      toColumns: ["branch_id"],
      ai: NO_AI,
    },
  ],
  metrics: [
    { name: "fees", description: null, dataType: null, ai: NO_AI, sql: "SUM(loans.fee)", type: "DOUBLE" },
    {
      name: "loan_count",
      description: null,
      dataType: null,
      ai: called("loans", "number of loans"),
      sql: "COUNT(DISTINCT loans.loan_id)",
      type: "BIGINT",
    },
  ],
};

const VALUES: FieldValues[] = [
  { ds: "branches", field: "branch_name", values: ["Old Mill", "Harbour", "Riverside"], isCut: false },
  { ds: "branches", field: "town", values: ["Ely", "Bath"], isCut: false },
  { ds: "books", field: "book_name", values: ["Emma", "Dune", "Bath"], isCut: false },
  { ds: "books", field: "genre", values: ["Crime", "Poetry"], isCut: false },
];

const KNOWLEDGE = buildKnowledge(MODEL, VALUES);
const read = (text: string) => understand({ text, now: "2026-05-20", timeZone: "UTC" }, KNOWLEDGE);
const sqlOf = (text: string) => {
  const { readings, missing, unclear } = read(text);
  expect({ missing, unclear }).toEqual({ missing: [], unclear: [] });
  const [best] = readings;
  if (best === undefined) throw new Error("nothing was understood");
  return { ask: best.ask, sql: compile(KNOWLEDGE.schema, best.ask).sql };
};

const fees = { k: "metric", name: "fees" };
const branch = { ds: "branches", field: "branch_name" };

describe("what a question asks for", () => {
  it.each([
    ["fees", { k: "table", by: [], cols: [fees] }],
    [
      "What were our takings in 2025?",
      { cols: [fees], scope: { win: { from: "2025-01-01", to: "2026-01-01" } } },
    ],
    [
      "fees per branch last month",
      { by: [branch], cols: [fees], scope: { win: { from: "2026-04-01", to: "2026-05-01" } } },
    ],
    [
      "monthly fees 2025",
      { by: [{ ds: "loans", field: "loan_date", bucket: "month" }], cols: [fees], fill: true },
    ],
    ["top 3 branches by fees in 2025", { by: [branch], top: { n: 3, dir: "max", by: fees, ties: "cut" } }],
    ["which branch had the most fees", { by: [branch], top: { n: 1, dir: "max", ties: "keep" } }],
    ["branches with more than 5k fees", { by: [branch], having: { k: "cmp", op: ">", b: { v: 5000 } } }],
    ["fees of poetry", { scope: { if: { k: "is", values: ["Poetry"] } } }],
    ["fees without crime", { scope: { if: { k: "not", of: { k: "is", values: ["Crime"] } } } }],
    [
      "share of fees from crime",
      { cols: [{ k: "calc", op: "/", a: { scope: { if: { values: ["Crime"] } } }, b: fees }] },
    ],
    [
      "fees 2025 vs 2024",
      { cols: [{ scope: { win: { from: "2025-01-01" } } }, { scope: { win: { from: "2024-01-01" } } }] },
    ],
    ["growth of fees 2025 over 2024", { cols: [{ k: "calc", op: "growth" }] }],
    ["average monthly fees in 2025", { by: [], cols: [{ k: "each", fn: "avg", of: fees }] }],
    ["fees per square metre by branch", { by: [branch], cols: [{ k: "calc", op: "/" }] }],
    [
      "fees by quarter in 2025 vs 2024",
      { by: [{ bucket: "quarter" }], cols: [fees, { k: "lag", of: fees, n: 1, grain: "year" }] },
    ],
    ["fees per 100 loans", { by: [], cols: [{ op: "/", a: fees, b: { op: "/", b: { v: 100 } } }] }],
    ["fees in fiscal year 2025", { scope: { win: { from: "2025-04-01", to: "2026-04-01" } } }],
  ])("%s", (text, ask) => {
    expect(sqlOf(text).ask).toMatchObject(ask);
  });

  it.each([
    ["the longest book", { k: "list", rel: { k: "top", dir: "max", by: { field: "pages" } } }],
    [
      "how many long books are there",
      { cols: [{ k: "agg", fn: "count", in: { k: "where", if: { k: "cmp", op: ">" } } }] },
    ],
    [
      "books that were never borrowed",
      { k: "list", rel: { k: "where", if: { k: "not", of: { k: "link" } } } },
    ],
    ["floor area by branch", { k: "list", show: [branch, { field: "floor_area" }] }],
    ["floor area per branch", { k: "list", show: [branch, { field: "floor_area" }] }],
    ["floor area of each branch", { k: "list", show: [branch, { field: "floor_area" }] }],
    ["how long is Emma", { k: "list", show: [{ ds: "books", field: "pages" }] }],
    ["which loans are out", { k: "list", rel: { if: { k: "null", key: { field: "returned_date" } } } }],
    ["the size of the Old Mill branch", { k: "list", show: [{ field: "floor_area" }] }],
  ])("%s", (text, ask) => {
    expect(sqlOf(text).ask).toMatchObject(ask);
  });

  it.each([
    ["fees per brnch", "fees per branch"],
    ["please show me the fees per branch", "fees per branch"],
    ["For the board tomorrow: fees per branch", "fees per branch"],
    ["FEES PER BRANCH?", "fees per branch"],
    ["I'd like to see the fees per branch", "fees per branch"],
    ["For the board pack I need fees split by branch", "fees per branch"],
    ["Quick one from my desk, what are the fees per outlet?", "fees per branch"],
    ["the three outlets with the highest fees", "the 3 branches with the highest fees"],
    ["crime books - how many?", "how many crime books"],
    ["nr of books apart from poetry", "number of books without poetry"],
    ["books which weren't borrowed", "books that were not borrowed"],
  ])("%s means the same as %s", (said, plain) => {
    expect(sqlOf(said).sql).toBe(sqlOf(plain).sql);
  });
});

it("reads instructions within bounds, however they are written", () => {
  const instructions = `${"of a x is ".repeat(50_000)}. A book counts as long when its pages exceed 500.`;
  const { definitions } = buildKnowledge({ ...MODEL, ai: { ...MODEL.ai, instructions } }, VALUES);
  expect(definitions.adjectives.map(({ word }) => word)).not.toContain("long");
  expect(definitions.unread).toHaveLength(1);
});

describe("what is not answered", () => {
  it.each([
    ["average salary of our staff", "salary"],
    ["fees per astronaut", "astronaut"],
    ["weather in Ely", "weather"],
  ])("%s: %s is not in the model", (text, word) => {
    expect(read(text).missing.map((each) => each.text)).toContain(word);
  });

  it.each(["which is our best branch", "top branches", "the most popular branch", "how many new loans"])(
    "%s: asks what is meant",
    (text) => {
      expect(read(text)).toMatchObject({ missing: [], unclear: [{ question: expect.any(String) }] });
    },
  );

  it("takes SQL for no question", () => {
    expect(read("fees'; DROP TABLE loans").missing).toMatchObject([{ text: "DROP TABLE" }]);
  });

  it("has two readings of equal cost where a value stands in two columns", () => {
    const [first, second] = read("fees of Bath").readings;
    expect(Math.abs((first?.cost ?? 0) - (second?.cost ?? 9))).toBeLessThan(0.3);
  });

  it("makes nothing of what is empty, and does not try to read what is too long", () => {
    expect(read("").readings).toEqual([]);
    expect(read("?!").readings).toEqual([]);
    expect(read("the of and").readings).toEqual([]);
    const long = read("fees per branch and book in 2025 of poetry ".repeat(40));
    expect(long).toMatchObject({
      readings: [],
      unclear: [{ question: expect.stringContaining("too long") }],
    });
  });
});

describe("instructions", () => {
  it("of one model say nothing about another", () => {
    const saying = (instructions: string) =>
      buildKnowledge({ ...MODEL, ai: { ...NO_AI, instructions } }, VALUES).definitions.defaultMonths;
    const period = "If no period is named, the last 6 months count.";
    expect([...saying(`Fees: what is paid. ${period}`)]).toEqual([["fees", 6]]);
    saying("Fees: what is paid.");
    expect([...saying(period)]).toEqual([]);
  });

  it("are compiled, and what was not understood is told", () => {
    const { definitions } = KNOWLEDGE;
    expect(definitions.adjectives).toMatchObject([{ word: "out" }, { word: "long", ds: "books" }]);
    expect(definitions.rules.fiscalMonth).toBe(4);
    expect(definitions.unread).toEqual(["The moon is made of cheese"]);
  });
});
