import { describe, expect, it } from "vitest";
import type { VisibleModel } from "../../models/index.ts";
import { say } from "../explain/say.ts";
import { buildKnowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Cond, Num } from "../query/semantic-query.ts";
import { holdPlan } from "./hold-plan.ts";

/** Plans of a language model over a model with rules of its own: which date, which place, two fields with one value. */

const AI: VisibleModel["ai"] = { instructions: null, synonyms: [], examples: [], more: {} };
const field = (name: string, type = "VARCHAR") => ({
  ...{ name, type, isTime: type === "DATE" ? true : type === "VARCHAR" ? false : null, ai: AI },
  ...{ description: null, label: null, dataType: null, distinctValues: [], sql: null },
});
const dataset = (name: string, fields: ReturnType<typeof field>[]) => ({
  ...{ name, source: name, description: null, ai: AI, primaryKey: [fields[0]?.name ?? ""] },
  ...{ uniqueKeys: [], rowCount: null, fields },
});
const link = (from: string, to: string, column: string) => ({
  ...{ name: `${from}_${to}`, from, to, fromColumns: [column], toColumns: [column], ai: AI },
});
const metric = (name: string, sql: string) => ({
  ...{ name, description: null, dataType: "Decimal" as const, ai: AI, sql, type: "DOUBLE" },
});
const id = (name: string) => field(name, "BIGINT");
const MODEL: VisibleModel = {
  id: "m",
  name: "shop",
  version: 1,
  description: null,
  ai: {
    ...AI,
    instructions:
      "Place: the region, country, state or city of an order or of revenue is that of the customer, unless the question speaks of stores.\nDates: revenue and orders go by order date.",
  },
  datasets: [
    dataset("regions", [id("region_id"), field("region_name")]),
    dataset("stores", [id("store_id"), field("store_name"), field("city"), id("region_id")]),
    dataset("customers", [
      ...[id("customer_id"), field("customer_name"), field("city"), id("region_id")],
      field("signup_date", "DATE"),
    ]),
    dataset("products", [id("product_id"), field("product_name"), field("brand")]),
    dataset("orders", [
      ...[id("order_id"), field("order_date", "DATE"), id("customer_id"), id("store_id"), id("product_id")],
      ...[field("channel"), field("status"), field("amount", "DOUBLE")],
    ]),
  ],
  relationships: [
    link("stores", "regions", "region_id"),
    link("customers", "regions", "region_id"),
    link("orders", "customers", "customer_id"),
    link("orders", "stores", "store_id"),
    link("orders", "products", "product_id"),
  ],
  metrics: [
    metric("revenue", "SUM(orders.amount)"),
    metric("order_count", "COUNT(DISTINCT orders.order_id)"),
  ],
};
const values = (ds: string, name: string, ...all: string[]) => ({
  ds,
  field: name,
  values: all,
  isCut: false,
});
const knowledge = buildKnowledge(MODEL, [
  values("regions", "region_name", "North", "Alpine"),
  values("products", "brand", "Luma", "Alpine"),
  values("customers", "city", "Berlin", "Graz"),
  values("stores", "city", "Berlin", "Linz"),
  values("orders", "channel", "Online", "Store"),
  values("orders", "status", "completed", "cancelled"),
]);

const YEAR = { from: "2025-01-01", to: "2026-01-01", said: "2025 (1 Jan to 31 Dec 2025)" };
const REVENUE: Num = { k: "metric", name: "revenue" };
const ORDERS: Num = { k: "metric", name: "order_count" };
const CHANNEL = { ds: "orders", field: "channel" };
const table = (cols: Num[], more: object = {}): Ask => ({
  k: "table",
  by: [],
  cols,
  scope: { win: YEAR },
  ...more,
});
const where = (ds: string, name: string, value: string) => {
  const cond: Cond = { k: "is", key: { ds, field: name }, values: [value], match: "equal" };
  return { scope: { win: YEAR, if: cond } };
};
const MOOLAH: [string, string] = ["moolah", "revenue"];

function hold(text: string, query: Ask, words: [string, string][] = [MOOLAH]) {
  const plan = { query, words: words.map(([word, means]) => ({ word, means })) };
  const question = { text, now: "2026-03-31T12:00:00", timeZone: "UTC" };
  return holdPlan({ plan, answers: [], windows: [] }, question, knowledge);
}

describe("a plan", () => {
  const signup = { ds: "customers", field: "signup_date" };
  it.each<[string, string, Ask, RegExp, [string, string][]?]>([
    [
      "a value on another field than the word beside it names",
      "moolah in the Alpine region in 2025",
      table([REVENUE], where("products", "brand", "Alpine")),
      /says nothing of "Alpine"/,
    ],
    [
      "a period on a date that nobody named",
      "moolah of customers in 2025",
      table([REVENUE], { scope: { win: { ...YEAR, on: signup } } }),
      /asks for customers.signup_date/,
    ],
    [
      "that period as a condition",
      "moolah of customers in 2025",
      table([REVENUE], { scope: { if: { k: "during", win: { ...YEAR, on: signup } } } }),
      /asks for customers.signup_date/,
    ],
    [
      "an adjective for what its noun says",
      "shiny orders by channel in 2025",
      table([ORDERS], { by: [CHANNEL] }),
      /"shiny" of the question is carried by nothing/,
      [
        ["shiny", "order_count"],
        ["orders", "order_count"],
      ],
    ],
    [
      "a currency for nothing",
      "dollar moolah by channel in 2025",
      table([REVENUE], { by: [CHANNEL] }),
      /carried by nothing/,
      [["dollar", "revenue"], MOOLAH],
    ],
  ])("with %s does not hold", (_, text, query, problem, words) => {
    expect(hold(text, query, words)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it.each<[string, Ask, string, [string, string][]?]>([
    // What the rules read has to have the same rows as the plan; here it is another query.
    ["moolah by city in 2025", table([REVENUE], { by: [{ ds: "stores", field: "city" }] }), "customers"],
    ["moolah by city in 2025", table([REVENUE], { by: [{ ds: "customers", field: "city" }] }), "customers"],
    ["moolah by store city in 2025", table([REVENUE], { by: [{ ds: "stores", field: "city" }] }), "stores"],
  ])("is held against what the rules read with its words: %s", (text, query, ds) => {
    const held = hold(text, query);
    expect("byRules" in held && held.byRules[0]).toMatchObject({ ask: { by: [{ ds, field: "city" }] } });
  });

  it.each<[string, Ask, string, [string, string][]?]>([
    [
      "moolah in the Alpine region in 2025",
      table([REVENUE], where("regions", "region_name", "Alpine")),
      "revenue where region is Alpine in 2025",
    ],
    [
      "moolah per order in 2025",
      table([{ k: "calc", op: "/", a: REVENUE, b: ORDERS }]),
      "revenue per order in 2025",
    ],
    ["moolah of customers in 2025", table([REVENUE]), "revenue in 2025"],
    [
      "number of shiny orders in 2025",
      table([ORDERS], where("orders", "status", "completed")),
      "number of orders where order status is completed in 2025",
      [["shiny", "completed"]],
    ],
  ])("that is right holds: %s", (text, query, said, words) => {
    const held = hold(text, query, words);
    expect(held).toMatchObject({ ask: query });
    expect("byRules" in held && held.byRules.slice(0, 1).map(({ ask }) => say(ask))).toEqual([said]);
  });
});
