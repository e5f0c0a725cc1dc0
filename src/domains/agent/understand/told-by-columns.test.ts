import { describe, expect, it } from "vitest";
import type { VisibleModel } from "../../models/index.ts";
import { compile } from "../compile/compile.ts";
import { inTheirWords } from "../explain/say.ts";
import { buildKnowledge, type FieldValues } from "../knowledge/build-knowledge.ts";
import { understand } from "./understand.ts";

const NO_AI: VisibleModel["ai"] = { instructions: null, synonyms: [], examples: [], more: {} };

function field(name: string, type: string, description: string | null = null) {
  const isTime = type === "DATE" ? true : type === "VARCHAR" ? false : null;
  return {
    name,
    type,
    isTime,
    ai: NO_AI,
    description,
    label: null,
    dataType: null,
    distinctValues: [],
    sql: null,
  };
}

function dataset(name: string, primaryKey: string[], fields: ReturnType<typeof field>[]) {
  return {
    name,
    source: name,
    primaryKey,
    fields,
    description: null,
    ai: NO_AI,
    uniqueKeys: [],
    rowCount: null,
  };
}

function link(from: string, to: string, column: string) {
  return { name: `${from}_${to}`, from, to, fromColumns: [column], toColumns: [column], ai: NO_AI };
}

function metric(name: string, sql: string) {
  return { name, description: null, dataType: null, ai: NO_AI, sql, type: "DOUBLE" };
}

/** A garage and its library of manuals: dates, stock and flags, and nobody who says what they mean. */
const MODEL: VisibleModel = {
  id: "m",
  name: "garage",
  version: 1,
  description: null,
  ai: NO_AI,
  datasets: [
    dataset(
      "clients",
      ["client_id"],
      [
        field("client_id", "BIGINT"),
        field("company", "VARCHAR"),
        field("active", "VARCHAR"),
        field("phone", "VARCHAR"),
        field("contact_name", "VARCHAR"),
      ],
    ),
    dataset(
      "repairs",
      ["repair_id"],
      [
        field("repair_id", "BIGINT"),
        field("client_id", "BIGINT"),
        field("mechanic_id", "BIGINT"),
        field("ship_name", "VARCHAR"),
        field("opened_on", "DATE"),
        field("promised_date", "DATE"),
        field("completed_on", "DATE"),
        field("paid_on", "DATE"),
      ],
    ),
    dataset(
      "parts",
      ["part_id"],
      [
        field("part_id", "BIGINT"),
        field("part_name", "VARCHAR"),
        field("quantity_on_hand", "BIGINT"),
        field("reorder_point", "BIGINT"),
        field("discontinued", "BIGINT", "1 if we do not sell it any more"),
      ],
    ),
    dataset(
      "used_parts",
      ["repair_id", "part_id"],
      [
        field("repair_id", "BIGINT"),
        field("part_id", "BIGINT"),
        field("quantity", "BIGINT"),
        field("amount", "DOUBLE"),
      ],
    ),
    dataset("manuals", ["manual_id"], [field("manual_id", "BIGINT"), field("title", "VARCHAR")]),
    dataset("mechanics", ["mechanic_id"], [field("mechanic_id", "BIGINT"), field("full_name", "VARCHAR")]),
    dataset(
      "manual_loans",
      ["loan_id"],
      [
        field("loan_id", "BIGINT"),
        field("manual_id", "BIGINT"),
        field("client_id", "BIGINT"),
        field("lent_on", "DATE"),
        field("return_date", "DATE"),
      ],
    ),
  ],
  relationships: [
    link("repairs", "clients", "client_id"),
    link("used_parts", "repairs", "repair_id"),
    link("used_parts", "parts", "part_id"),
    link("repairs", "mechanics", "mechanic_id"),
    link("manual_loans", "clients", "client_id"),
    link("manual_loans", "manuals", "manual_id"),
  ],
  metrics: [
    metric("parts_revenue", "SUM(used_parts.amount)"),
    metric("loan_count", "COUNT(manual_loans.loan_id)"),
  ],
};

const VALUES: FieldValues[] = [
  { ds: "clients", field: "company", values: ["Alder", "Birk"], isCut: false },
  { ds: "clients", field: "active", values: ["yes", "no"], isCut: false },
  { ds: "parts", field: "part_name", values: ["Clutch", "Wiper"], isCut: false },
];

const knowledge = buildKnowledge(MODEL, VALUES);
const defined = buildKnowledge(
  {
    ...MODEL,
    ai: { ...NO_AI, instructions: "A repair is late if it was completed after its promised date." },
  },
  VALUES,
);

function understood(text: string, known = knowledge) {
  return understand({ text, now: "2026-03-31T12:00:00", timeZone: "UTC" }, known);
}

/** How the best reading is said back; or what is missing, or asked. */
function read(text: string, known = knowledge): string {
  const { readings, missing, unclear } = understood(text, known);
  if (missing.length > 0) return `missing: ${missing.map((each) => each.text).join(", ")}`;
  if (unclear.length > 0) return unclear.map(({ question }) => question).join(" ");
  const [best] = inTheirWords(readings);
  if (best === undefined) return "nothing";
  compile(known.schema, best.ask);
  return best.said;
}

const LATE = "where repair completed on is more than repair promised date";

describe("what was done in time, and what was not", () => {
  it.each([
    ["which days had no repairs in January", "missing: days"],
    ["how many repairs are late", "missing: late"],
    ["how many repairs were completed late", "missing: late"],
    ["repairs completed on time by client", "missing: time"],
    ["which repairs are overdue", "missing: overdue"],
    ["repairs still waiting to be completed", "repairs where repair completed on is empty"],
    ["how many repairs are yet to be paid", "number of repairs where repair paid on is empty"],
    ["which manual loans are still out", "missing: still, out"],
  ])("%s: %s", (question, wanted) => {
    expect(read(question)).toBe(wanted);
  });

  it("is late by what the author calls so", () => {
    expect(read("how many repairs are late", defined)).toBe(`number of repairs ${LATE}`);
  });
});

describe("what is there, and what is not", () => {
  it.each([
    ["which parts are out of stock", "missing: out, stock"],
    ["how many parts are in stock", "missing: stock"],
    ["parts that have dropped below their reorder point", "missing: below"],
    ["discontinued parts", "parts where part discontinued is 1"],
    ["how many parts do we still sell", "number of parts where part discontinued is not 1"],
    ["parts revenue of discontinued parts", "parts revenue where part discontinued is 1"],
    ["inactive clients", "company of clients where client active is not yes"],
  ])("%s: %s", (question, wanted) => {
    expect(read(question)).toBe(wanted);
  });
});

describe("how long something took, and what is known of one", () => {
  const TOOK = "average days from opened on to completed on of repairs";
  it.each([
    ["how long does it take to complete a repair", TOOK],
    ["how long does it take to complete a repair on average in 2025", `${TOOK} in 2025`],
    ["how long does it take on average to complete a repair by mechanic", `${TOOK} by full`],
    ["phone number of Birk", "phone of clients where client company is Birk"],
    ["phone number and contact name of Birk", "phone and contact of clients where client company is Birk"],
    ["average reorder point per part", "average reorder point of parts"],
    [
      "by how much did turnover grow from Q3 to Q4 2025",
      "growth of parts revenue from 2025-07-01 to 2025-09-30 to 2025-10-01 to 2025-12-31",
    ],
  ])("%s: %s", (question, wanted) => {
    expect(read(question)).toBe(wanted);
  });
});

describe("words for the one thing of a kind", () => {
  it.each([
    ["turnover by buyer", "parts revenue by company"],
    ["which customers brought in the most money", "parts revenue by company, the highest"],
    ["what has Birk spent with us", "parts revenue where client company is Birk"],
    ["how much did we spend in 2025", "missing: spend"],
    ["which colleague has the most repairs", "the mechanics with the highest number of repairs"],
    ["suppliers by turnover", "missing: suppliers"],
    ["which clients never borrowed a manual", "company of clients without manual loans of manuals"],
    ["manuals that nobody borrowed", "manuals without manual loans"],
    ["how many manuals were borrowed in 2025", "loan count in 2025"],
    ["most borrowed manual", "loan count by title, the highest"],
    ["who borrowed the most manuals", "loan count by company, the highest"],
    [
      "are there any parts that we never sold? Which ones?",
      "parts where parts revenue is at most 0 or nothing",
    ],
    ["which repairs earn us the most? Top 3 parts by sales", "parts revenue by part, the 3 highest"],
  ])("%s: %s", (question, wanted) => {
    expect(read(question)).toBe(wanted);
  });

  it("says which was taken", () => {
    const [best] = understood("turnover by buyer").readings;
    expect(best?.assumptions.map(({ choice }) => choice)).toEqual([
      '"turnover" is taken for parts revenue',
      '"buyer" is taken for clients',
    ]);
  });
});
