import { describe, expect, it } from "vitest";
import type { VisibleModel } from "../../models/index.ts";
import { compile } from "../compile/compile.ts";
import { inTheirWords } from "../explain/say.ts";
import { buildKnowledge, type FieldValues } from "../knowledge/build-knowledge.ts";
import { rivalsOf } from "../phases/plan.ts";
import { understand } from "./understand.ts";

const NO_AI: VisibleModel["ai"] = { instructions: null, synonyms: [], examples: [], more: {} };
const called = (...synonyms: string[]) => ({ ...NO_AI, synonyms });

function field(name: string, type: string, ai = NO_AI, description: string | null = null) {
  const isTime = type === "DATE" ? true : type === "VARCHAR" ? false : null;
  return { name, type, isTime, ai, description, label: null, dataType: null, distinctValues: [], sql: null };
}

function dataset(name: string, key: string, fields: ReturnType<typeof field>[]) {
  const nothing = { description: null, ai: NO_AI, uniqueKeys: [], rowCount: null };
  return { name, source: name, primaryKey: [key], fields, ...nothing };
}

function link(from: string, to: string, column: string) {
  return { name: `${from}_${to}`, from, to, fromColumns: [column], toColumns: [column], ai: NO_AI };
}

function metric(name: string, sql: string, type = "DOUBLE", ai = NO_AI) {
  return { name, description: null, dataType: null, ai, sql, type };
}

/** A shop for plants, as people describe one in five minutes: names and keys, hardly a synonym, no instructions. */
const MODEL: VisibleModel = {
  id: "m",
  name: "plants",
  version: 1,
  description: null,
  ai: NO_AI,
  datasets: [
    dataset("invoices", "invoice_id", [
      field("invoice_id", "BIGINT"),
      field("customer_id", "BIGINT"),
      field("invoice_date", "DATE"),
      field("country", "VARCHAR"),
      field("shipping_fee", "DOUBLE"),
    ]),
    dataset("invoice_lines", "line_id", [
      field("line_id", "BIGINT"),
      field("invoice_id", "BIGINT"),
      field("plant_id", "BIGINT"),
      field("quantity", "BIGINT"),
      field("amount", "DOUBLE"),
      field("cost_amount", "DOUBLE"),
    ]),
    dataset("plants", "plant_id", [
      field("plant_id", "BIGINT"),
      field("plant_name", "VARCHAR", called("tree")),
      field("family", "VARCHAR"),
      field("price", "DOUBLE"),
    ]),
    dataset("customers", "customer_id", [
      field("customer_id", "BIGINT"),
      field("customer_name", "VARCHAR"),
      field("town", "VARCHAR"),
    ]),
    dataset("reviews", "review_id", [
      field("review_id", "BIGINT"),
      field("plant_id", "BIGINT"),
      field("written_on", "DATE"),
      field("topic", "VARCHAR"),
      field("rating", "BIGINT", NO_AI, "From 1 (bad) to 5 (good)"),
      field("reply_hours", "DOUBLE"),
      field("photo_count", "BIGINT"),
    ]),
  ],
  relationships: [
    link("invoices", "customers", "customer_id"),
    link("invoice_lines", "invoices", "invoice_id"),
    link("invoice_lines", "plants", "plant_id"),
    link("reviews", "plants", "plant_id"),
  ],
  metrics: [
    metric("revenue", "SUM(invoice_lines.amount)", "DOUBLE", called("Umsatz")),
    metric("pieces", "SUM(invoice_lines.quantity)", "HUGEINT"),
    metric("gross_profit", "SUM(invoice_lines.amount - invoice_lines.cost_amount)"),
    metric("invoice_count", "COUNT(invoices.invoice_id)", "BIGINT"),
    metric("average_rating", "AVG(reviews.rating)"),
  ],
};

const VALUES: FieldValues[] = [
  { ds: "customers", field: "customer_name", values: ["Orbis", "Nadir"], isCut: false },
  { ds: "customers", field: "town", values: ["Bern", "Rome"], isCut: false },
  { ds: "plants", field: "plant_name", values: ["Red Oak", "White Oak", "Blue Fern"], isCut: false },
  { ds: "plants", field: "family", values: ["Large trees", "Small trees", "Ferns"], isCut: false },
  { ds: "invoices", field: "country", values: ["Italy", "Norway"], isCut: false },
  { ds: "reviews", field: "topic", values: ["Delivery", "Growth"], isCut: false },
];

const knowledge = buildKnowledge(MODEL, VALUES);

/** How the best reading is said back; or what is missing, or asked. */
function read(text: string): string {
  const { readings, missing, unclear } = understand(
    { text, now: "2026-03-31T12:00:00", timeZone: "UTC" },
    knowledge,
  );
  if (missing.length > 0) return `missing: ${missing.map((each) => each.text).join(", ")}`;
  if (unclear.length > 0) return unclear.map(({ question }) => question).join(" ");
  const [best] = inTheirWords(readings);
  if (best === undefined) return "nothing";
  compile(knowledge.schema, best.ask);
  return best.said;
}

describe("what was bought and sold, which nobody defined", () => {
  const TREES = "where plant family is Large trees or Small trees";
  it.each([
    ["who bought the most", "revenue by customer, the highest"],
    ["Wer hat am meisten gekauft?", "revenue by customer, the highest"],
    [
      "how many customers bought a fern",
      "number of customers with invoice lines where plant family is Ferns",
    ],
    ["customers who did not buy anything this year", "customers without invoice lines in 2026"],
    ["how many plants did we sell in 2025", "pieces in 2025"],
    ["how many trees were sold in 2025", `pieces ${TREES} in 2025`],
    ["how many trees were ordered in 2025", `pieces ${TREES} in 2025`],
    ["Wie viele Pflanzen haben wir 2025 verkauft?", "missing: Pflanzen"],
    ["how many trees did Orbis buy", `pieces of Orbis ${TREES}`],
    ["who bought the most trees", `pieces by customer ${TREES}, the highest`],
    [
      "how many customers bought more than 3 trees",
      `number of customers where pieces ${TREES} is more than 3`,
    ],
    ["what ferns do we sell", "nothing"],
    ["trees sold by country", `pieces by country ${TREES}`],
  ])("%s: %s", (question, wanted) => {
    expect(read(question)).toBe(wanted);
  });
});

describe("a verb that is said once", () => {
  const IN_MAY = "invoice lines of customers where customer town is Rome in May 2025";
  it.each([
    ["which plants did Orbis buy in May 2025", "plants with invoice lines of Orbis in May 2025"],
    ["which plants did the customers buy in May 2025", "plants with invoice lines of customers in May 2025"],
    ["which plants were bought in May 2025 by customers in Rome", `plants with ${IN_MAY}`],
    [
      "how many plants did customers in Rome buy in 2025",
      "pieces of plants and of customers where customer town is Rome in 2025",
    ],
    [
      "how many ferns did Orbis buy in 2025",
      "pieces of invoice lines of Orbis where plant family is Ferns in 2025",
    ],
    // No lines of invoices, and nobody who bought some.
    ["which ferns do we sell", "missing: ferns"],
    ["how many ferns did customers buy in 2025", "missing: ferns"],
  ])("is one deed: %s", (question, wanted) => {
    expect(read(question)).toBe(wanted);
  });
});

describe("a number for each of what there is so much of", () => {
  it.each([
    ["revenue per price", "revenue by price"],
    ["pieces per rating", "missing: rating"],
    ["revenue per reply hour", "missing: revenue"],
    ["revenue per photo", "revenue per photo count"],
  ])("%s: %s", (question, wanted) => {
    expect(read(question)).toBe(wanted);
  });
});

describe("what sold best", () => {
  it.each([
    ["which family sold best", "revenue by family, the highest", "pieces by family, the highest"],
    ["best selling plants", "revenue by plant, the highest", "pieces by plant, the highest"],
    [
      "welche Familie wurde am besten verkauft",
      "revenue by family, the highest",
      "pieces by family, the highest",
    ],
    ["which country sold best", "revenue by country, the highest"],
    ["which family was bought the most", "pieces by family, the highest"],
  ])("is so by money or by pieces: %s", (text, ...wanted) => {
    const { readings } = understand({ text, now: "2026-03-31T12:00:00", timeZone: "UTC" }, knowledge);
    expect([...new Set(rivalsOf(inTheirWords(readings)).map(({ said }) => said))]).toEqual(wanted);
  });
});

describe("growth", () => {
  const GROWTH = "growth of revenue over the year before";
  it.each([
    ["revenue growth by country in 2025", `${GROWTH} by country in 2025`],
    ["how much did we grow this year", `${GROWTH} in 2026 until today`],
    ["which country grew the most last year", `${GROWTH} by country in 2025, the highest`],
    [
      "Welche Länder sind letztes Jahr geschrumpft?",
      `${GROWTH} by country in 2025, where ${GROWTH} is less than 0`,
    ],
  ])("%s: %s", (question, wanted) => {
    expect(read(question)).toBe(wanted);
  });
});

describe("numbers of many rows", () => {
  it.each([
    ["rating by topic", "average rating by topic"],
    ["what is the rating in 2025", "average rating in 2025"],
    ["which topic has the worst rating", "average rating by topic, the lowest"],
    ["reply hours by topic", "average reply hours of reviews by topic"],
    ["shipping fee by country", "total shipping fee of invoices by country"],
    ["quantity by country", "pieces by country"],
    ["photos by topic", "total photo count of reviews by topic"],
    ["which topic has the most photos", "total photo count of reviews by topic, the highest"],
    ["total rating", "missing: total"],
    ["which reviews have the lowest rating", "the reviews with the lowest rating, with rating"],
    ["how many reviews have a rating below 3", "number of reviews where review rating is less than 3"],
  ])("%s: %s", (question, wanted) => {
    expect(read(question)).toBe(wanted);
  });
});

describe("what everybody in business means", () => {
  it.each([
    ["average order value by country", "missing: value"],
    ["profit margin by family this year", "missing: profit, margin"],
    ["cumulative revenue this year", "running total of revenue by month in 2026"],
    ["what does the Red Oak cost", "price of Red Oak"],
    ["cheapest fern", "the plants where plant family is Ferns with the lowest price"],
    ["how many plants cost less than 20", "number of plants where plant price is less than 20"],
    ["reviews per 100 invoices by plant", "missing: plant"],
  ])("%s: %s", (question, wanted) => {
    expect(read(question)).toBe(wanted);
  });
});

describe("rows that are called sales", () => {
  const sold = (...metrics: ReturnType<typeof metric>[]) =>
    buildKnowledge(
      {
        ...MODEL,
        datasets: [
          dataset("sales", "sale_id", [
            field("sale_id", "BIGINT"),
            field("stall_id", "BIGINT"),
            field("sold_on", "DATE"),
            field("amount", "DOUBLE"),
          ]),
          dataset("stalls", "stall_id", [field("stall_id", "BIGINT"), field("stall_name", "VARCHAR")]),
        ],
        relationships: [link("sales", "stalls", "stall_id")],
        metrics,
      },
      [{ ds: "stalls", field: "stall_name", values: ["Elm", "Ash"], isCut: false }],
    );
  const takings = metric("takings", "SUM(sales.amount)");
  const net = metric("net_takings", "SUM(sales.amount) * 0.9");
  const meant = (text: string, ...metrics: ReturnType<typeof metric>[]) => {
    const { readings, missing } = understand(
      { text, now: "2026-03-31T12:00:00", timeZone: "UTC" },
      sold(...metrics),
    );
    expect(missing).toEqual([]);
    return [...new Set(rivalsOf(inTheirWords(readings)).map(({ said }) => said))];
  };

  it.each([
    ["total sales by stall last year", "takings by stall in 2025"],
    ["sales by stall", "takings by stall"],
    ["sales in 2025", "takings in 2025"],
    ["how much did we sell in 2025", "takings in 2025"],
    ["average sales per month in 2025", "average takings for each month in 2025"],
    ["stall with the highest sales", "takings by stall, the highest"],
    ["how many sales in 2025", "number of sales in 2025"],
    ["number of sales by stall", "number of sales by stall"],
    ["stalls with more than 2 sales", "number of sales by stall, where number of sales is more than 2"],
    ["list sales in May 2025", "sales in May 2025"],
    ["stalls without sales in 2025", "stalls without sales in 2025"],
  ])("%s: %s", (text, said) => {
    expect(meant(text, takings)).toEqual([said]);
  });

  it.each(["total sales by stall", "sales by stall"])(
    "%s: asks where two numbers are of money, or where only a column is",
    (text) => {
      expect(meant(text, takings, net)).toEqual(["takings by stall", "net takings by stall"]);
      expect(meant(text)).toEqual(["total amount of sales by stall", "number of sales by stall"]);
    },
  );
});
