import { describe, expect, it } from "vitest";
import type { VisibleModel } from "../../models/index.ts";
import { say } from "../explain/say.ts";
import { buildKnowledge, type FieldValues } from "../knowledge/build-knowledge.ts";
import { rivalsOf } from "../phases/plan.ts";
import { understand } from "./understand.ts";

const NO_AI: VisibleModel["ai"] = { instructions: null, synonyms: [], examples: [], more: {} };
const called = (...synonyms: string[]) => ({ ...NO_AI, synonyms });

/** `name TYPE`, and what else it is called. */
function field(words: string, ...synonyms: string[]) {
  const [name = "", type = ""] = words.split(" ");
  const isTime = /DATE|TIMESTAMP/.test(type) ? true : type === "VARCHAR" ? false : null;
  const none = { description: null, label: null, dataType: null, distinctValues: [], sql: null };
  return { name, type, isTime, ai: called(...synonyms), ...none };
}

function dataset(name: string, synonym: string, fields: ReturnType<typeof field>[]) {
  const primaryKey = [fields[0]?.name as string];
  const none = { description: null, uniqueKeys: [], rowCount: null };
  return { name, source: name, ai: called(synonym), primaryKey, fields, ...none };
}

function link(from: string, to: string, column: string) {
  return { name: `${from}_${to}`, from, to, fromColumns: [column], toColumns: [column], ai: NO_AI };
}

function metric(name: string, dataType: "Decimal" | "Integer", sql: string, ...synonyms: string[]) {
  return { name, description: null, dataType, ai: called(...synonyms), sql, type: "DOUBLE" };
}

/** Florists: shops in districts, clients who order flowers, and complaints about them. */
const MODEL: VisibleModel = {
  id: "m",
  name: "florists",
  version: 1,
  description: null,
  ai: {
    ...NO_AI,
    instructions:
      "The value of an order is the sum over its lines. Place: the district of an order or of revenue is that of the client, unless the question speaks of shops. Dates: revenue and orders go by order date; tickets go by the time the ticket was opened.",
  },
  datasets: [
    dataset("districts", "district", [
      field("district_id BIGINT"),
      field("district_name VARCHAR", "district"),
    ]),
    dataset("shops", "shop", [
      field("shop_id BIGINT"),
      field("shop_name VARCHAR", "shop"),
      field("town VARCHAR"),
      field("floor_area BIGINT", "size"),
      field("opened_date DATE", "opening date"),
      field("district_id BIGINT"),
    ]),
    dataset("clients", "client", [
      field("client_id BIGINT"),
      field("client_name VARCHAR", "client"),
      field("signup_date DATE", "signed up"),
      field("district_id BIGINT"),
    ]),
    dataset("orders", "order", [
      field("order_id BIGINT"),
      field("order_date DATE"),
      field("status VARCHAR"),
      field("channel VARCHAR"),
      field("client_id BIGINT"),
      field("shop_id BIGINT"),
    ]),
    dataset("order_lines", "order line", [
      field("line_id BIGINT"),
      field("order_id BIGINT"),
      field("flower VARCHAR"),
      field("quantity BIGINT"),
      field("net_amount DOUBLE", "order value", "amount"),
    ]),
    dataset("tickets", "ticket", [
      field("ticket_id BIGINT"),
      field("opened_at TIMESTAMP", "opened"),
      field("closed_at TIMESTAMP", "closed"),
      field("resolution_hours DOUBLE", "resolution time"),
      field("client_id BIGINT"),
    ]),
  ],
  relationships: [
    link("shops", "districts", "district_id"),
    link("clients", "districts", "district_id"),
    link("orders", "clients", "client_id"),
    link("orders", "shops", "shop_id"),
    link("order_lines", "orders", "order_id"),
    link("tickets", "clients", "client_id"),
  ],
  metrics: [
    metric("revenue", "Decimal", "SUM(order_lines.net_amount)", "turnover"),
    metric("order_count", "Integer", "COUNT(DISTINCT orders.order_id)", "number of orders"),
    metric("ticket_count", "Integer", "COUNT(DISTINCT tickets.ticket_id)", "number of tickets"),
    metric(
      "average_order_value",
      "Decimal",
      "SUM(order_lines.net_amount) / COUNT(DISTINCT orders.order_id)",
      "average basket",
    ),
  ],
};

const VALUES: FieldValues[] = [
  { ds: "districts", field: "district_name", values: ["Harbour", "Hill"], isCut: false },
  { ds: "shops", field: "shop_name", values: ["Rose Corner", "Green Leaf"], isCut: false },
  { ds: "shops", field: "town", values: ["Ely", "Bath"], isCut: false },
  { ds: "clients", field: "client_name", values: ["Ann Fox", "Ben Hall"], isCut: false },
  { ds: "orders", field: "status", values: ["completed", "cancelled", "pending"], isCut: false },
  { ds: "orders", field: "channel", values: ["Online", "Phone", "Shop"], isCut: false },
  { ds: "order_lines", field: "flower", values: ["Rose", "Tulip"], isCut: false },
];

const knowledge = buildKnowledge(MODEL, VALUES);
const read = (text: string) =>
  understand({ text, now: "2026-03-31T12:00:00", timeZone: "Europe/Berlin" }, knowledge);
/** What is missing, asked, or read. */
function outcome(text: string): string {
  const { readings, missing, unclear } = read(text);
  const [best] = readings;
  if (missing.length > 0) return `no: ${missing.map((each) => each.text).join(" ")}`;
  if (unclear.length > 0) return `ask: ${unclear[0]?.question}`;
  return best === undefined ? "nothing" : say(best.ask);
}

describe("words that are carried or missed", () => {
  it.each([
    ["how many orders went out in 2025", "no: went out"],
    ["how many clients were let go in 2025", "no: let go"],
    ["clients who were dropped for cause", "no: cause"],
    ["how many orders arrived in 2025", "no: arrived"],
    ["revenue of Ann Fox's team in 2025", "no: team"],
    ["cost of goods sold in 2025", "no: cost goods"],
    ["how many orders ran late in 2025", "no: ran"],
    ["wie viele Bestellungen kamen 2025 pünktlich an", "no: pünktlich"],
    ["Umsatz der Firmen 2025", "no: Firmen"],
    ["Umsatz des Teams von Ann Fox 2025", "no: Teams"],
    ["how many work in Harbour", "ask: Which number do you want to see?"],
    ["wie viele wohnen in Harbour", "ask: Which number do you want to see?"],
  ])("%s: %s", (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });

  it.each([
    ["how many orders were placed in 2025", "number of orders in 2025"],
    ["let me know the revenue in 2025", "revenue in 2025"],
    ["hi team, what was our revenue in 2025", "revenue in 2025"],
    ["how many tickets came in in 2025", "number of tickets in 2025"],
    ["how much revenue did we make right now in 2025", "revenue in 2025"],
    ["how many clients live in Harbour", "number of clients of Harbour"],
    ["wie viele Bestellungen gingen 2025 ein", "number of orders in 2025"],
  ])("%s: %s", (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });
});

describe("what stands before a question, or beside its words", () => {
  it.each([
    ["Norway: revenue in 2025", "no: Norway"],
    ["Depot 7: revenue in 2025", "no: Depot"],
    ["Report for Norway: revenue in 2025", "no: Norway"],
    ["In Norway, what was our revenue in 2025?", "no: Norway"],
    ["Norway, how much revenue in 2025", "no: Norway"],
    ["For Norway I need revenue in 2025", "no: Norway"],
    ["After tax, what was revenue in 2025?", "no: After tax"],
    ["Net: revenue in 2025", "no: Net"],
    ["Only look at Norway. What was the revenue in 2025?", "no: Norway"],
    ["revenue in 2025. PS: only Norway", "no: PS Norway"],
    ["Für Norwegen: wie hoch war der Umsatz 2025?", "no: Norwegen"],
    ["Nur Norwegen. Wie hoch war der Umsatz 2025?", "no: Norwegen"],
    ["How many orders did Norway have? What was the revenue in 2025?", "nothing"],
    ["🇳🇴 revenue in 2025", "no: 🇳🇴"],
    ["revenue ☕ in 2025", "no: ☕"],
    ["revenue -Harbour in 2025", "no: -"],
    ["revenue ÷ orders in 2025", "no: ÷"],
  ])("%s: %s", (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });

  it.each([
    "For the board meeting tomorrow: revenue in 2025",
    "We are planning the budget. What was the revenue in 2025?",
    "My boss wants to know: revenue in 2025",
    "Sarah from finance wants to know revenue in 2025",
    "As a new analyst, I need revenue in 2025",
    "Quick question: revenue in 2025",
    "Revenue is our topic today. What was the revenue in 2025?",
    "Für die Geschäftsleitung: wie hoch war der Umsatz 2025?",
    "Kurze Frage: Umsatz 2025?",
    "🚀 revenue in 2025 📈",
  ])("%s: says why it is asked", (text) => {
    expect(outcome(text)).toBe("revenue in 2025");
  });

  it.each([
    ["clients with revenue > 500 in 2025", "revenue by client in 2025, where revenue is more than 500"],
    ["clients with revenue >= 500 in 2025", "revenue by client in 2025, where revenue is at least 500"],
    ["Kunden mit Umsatz ≤ 500 im Jahr 2025", "revenue by client in 2025, where revenue is at most 500"],
    ["revenue != Harbour in 2025", "revenue where district is not Harbour in 2025"],
    ["revenue !Harbour in 2025", "revenue where district is not Harbour in 2025"],
  ])("%s: %s", (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });
});

describe("words go with what they stand beside", () => {
  it.each([
    ["revenue by shop district in 2025", "shops_districts"],
    ["revenue per client district in 2025", "clients_districts"],
    ["which shop district had the most revenue in 2025", "shops_districts"],
    ["Umsatz nach Kundenbezirk 2025", "clients_districts"],
  ])("%s: by the second noun, through %s", (text, link) => {
    const [best] = read(text).readings;
    const path = [{ link, dir: "one" }];
    expect(best?.ask).toMatchObject({ by: [{ ds: "districts", field: "district_name", path }] });
    expect(JSON.stringify(best?.ask)).not.toContain('"k":"link"');
  });

  it.each([
    ["revenue of shops by town in 2025", "shops"],
    ["orders of shops by town in 2025", "shops"],
    ["revenue by shop town in 2025", "shops"],
    ["revenue by town in 2025", "clients"],
    ["revenue of clients by town in 2025", "clients"],
  ])("%s: by the town of %s, as the author says", (text, ds) => {
    const town = field("town VARCHAR");
    const datasets = MODEL.datasets.map((each) =>
      each.name === "clients" ? { ...each, fields: [...each.fields, town] } : each,
    );
    const both = buildKnowledge({ ...MODEL, datasets }, VALUES);
    const now = "2026-03-31T12:00:00";
    const { readings } = understand({ text, now, timeZone: "Europe/Berlin" }, both);
    for (const { ask } of rivalsOf(readings)) expect(ask).toMatchObject({ by: [{ ds, field: "town" }] });
  });

  it("lists the second noun of each of the first", () => {
    const show = [
      { ds: "districts", field: "district_name", path: [{ link: "shops_districts", dir: "one" }] },
    ];
    expect(read("list the shop districts").readings[0]?.ask).toMatchObject({
      rel: { k: "all", ds: "shops" },
      show,
    });
  });

  it.each([
    ["biggest order in 2025", "the orders in 2025 with the highest revenue"],
    ["kleinste Bestellung 2025", "the orders in 2025 with the lowest revenue"],
    ["average tickets per month in 2025", "average number of tickets for each month in 2025"],
    ["durchschnittliche Tickets pro Monat 2025", "average number of tickets for each month in 2025"],
    ["average ticket in 2025", "no: average"],
    ["shops and their revenue in 2025", "revenue by shop in 2025"],
    ["list districts with revenue in 2025", "revenue by district in 2025"],
    [
      "which shops had more revenue than the average shop in 2025",
      "revenue by shop in 2025, where revenue is more than average revenue for each shop of all",
    ],
    [
      "how much of the revenue in 2025 came from Harbour, in percent",
      "share of total revenue where district is Harbour in 2025",
    ],
    ["Läden mit ihrem Umsatz 2025", "revenue by shop in 2025"],
    ["list the shops and their town", "shops, with town"],
    ["clients with their orders in 2025", "number of orders in 2025 by client"],
    ["email addresses of clients", "no: email-addresses"],
    ["how many open tickets are there", "no: open"],
    ["how many tickets are open", "no: open"],
    ["how many tickets were opened in 2025", "number of tickets in 2025 by opened at"],
    ["Umsatz nicht aus Läden 2025", "revenue where order channel is not Shop in 2025"],
    [
      "how many clients cancelled more than 2 orders in 2025",
      "number of clients where order count where order status is cancelled in 2025 is more than 2",
    ],
    [
      "wie viele Kunden haben 2025 mehr als 2 Bestellungen storniert",
      "number of clients where number of orders where order status is cancelled in 2025 is more than 2",
    ],
  ])("%s: %s", (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });

  it.each(["revenue not from shops in 2025", "revenue outside shops in 2025"])(
    "%s: the period stays with the number",
    (text) => {
      expect(JSON.stringify(read(text).readings)).not.toContain("opened_date");
    },
  );
});
