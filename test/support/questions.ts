import type { Understand } from "../../src/domains/agent/index.ts";
import { makeDataset } from "./datasets.ts";
import { type SavedModel, saveModel } from "./models.ts";
import type { TestServer } from "./server.ts";

/** A few cafés with their guests: data, a model of them, and questions whose readings are written down. */

type Understanding = Awaited<ReturnType<Understand>>;
export type Reading = Understanding["readings"][number];
export type Ask = Reading["ask"];
export type Key = Extract<Ask, { k: "table" }>["by"][number];
export type Num = Extract<Ask, { k: "table" }>["cols"][number];

export const CAFE_ROWS = {
  regions: [
    { region_id: 1, region_name: "North" },
    { region_id: 2, region_name: "South" },
    { region_id: 3, region_name: "East" },
  ],
  shops: [
    { shop_id: 1, shop_name: "Aroma", city: "Bern", seats: 20, region_id: 1 },
    { shop_id: 2, shop_name: "Bean", city: "Rome", seats: 30, region_id: 2 },
    { shop_id: 3, shop_name: "Crema", city: "Oslo", seats: 10, region_id: 1 },
    { shop_id: 4, shop_name: "Drip", city: "Bonn", seats: 40, region_id: null },
  ],
  guests: [
    { guest_id: 1, guest_name: "Ada", home: "Bern" },
    { guest_id: 2, guest_name: "Bob", home: "Rome" },
    { guest_id: 3, guest_name: "Cleo", home: "Oslo" },
  ],
  visits: [
    { visit_id: 1, shop_id: 1, guest_id: 1, visited_on: "2025-01-05", tip: 1 },
    { visit_id: 2, shop_id: 1, guest_id: 2, visited_on: "2025-01-20", tip: null },
    { visit_id: 3, shop_id: 2, guest_id: 1, visited_on: "2025-02-10", tip: 2 },
    { visit_id: 4, shop_id: 3, guest_id: null, visited_on: "2025-02-11", tip: null },
    { visit_id: 5, shop_id: 4, guest_id: 2, visited_on: "2025-03-03", tip: 4 },
  ],
  items: [
    { item_id: 1, visit_id: 1, product: "Coffee", quantity: 2, price: 3 },
    { item_id: 2, visit_id: 1, product: "Cake", quantity: 1, price: 4 },
    { item_id: 3, visit_id: 2, product: "Coffee", quantity: 1, price: 3 },
    { item_id: 4, visit_id: 3, product: "Tea", quantity: 2, price: 2.5 },
    { item_id: 5, visit_id: 4, product: "Coffee", quantity: 4, price: 3 },
    { item_id: 6, visit_id: 5, product: "Cake", quantity: 5, price: 4 },
  ],
  goals: [
    { goal_id: 1, region_id: 1, month: "2025-01-01", amount: 10 },
    { goal_id: 2, region_id: 1, month: "2025-02-01", amount: 20 },
    { goal_id: 3, region_id: 2, month: "2025-02-01", amount: 30 },
  ],
};

interface FieldWish {
  name: string;
  expression?: string;
  dimension?: "text" | "time";
  description?: string;
}

const field = ({ name, expression = name, dimension, description }: FieldWish) => ({
  name,
  expression,
  ...(dimension !== undefined && { dimension: { is_time: dimension === "time" } }),
  ...(description !== undefined && { description }),
});
const numbers = (...names: string[]) => names.map((name) => field({ name }));
const text = (name: string) => field({ name, dimension: "text" });
const date = (name: string) => field({ name, expression: `CAST(${name} AS DATE)`, dimension: "time" });
const link = (from: string, to: string, column: string) => ({
  name: `${from}_${to}`,
  from,
  to,
  from_columns: [column],
  to_columns: [column],
});

/** JSON is YAML. */
export const CAFE_MODEL = JSON.stringify({
  version: "0.1.1",
  semantic_model: [
    {
      name: "cafes",
      description: "Cafés and their guests. All money is in euros.",
      datasets: [
        {
          name: "regions",
          primary_key: ["region_id"],
          fields: [...numbers("region_id"), text("region_name")],
        },
        {
          name: "shops",
          primary_key: ["shop_id"],
          fields: [...numbers("shop_id", "seats", "region_id"), text("shop_name"), text("city")],
        },
        {
          name: "guests",
          primary_key: ["guest_id"],
          fields: [...numbers("guest_id"), text("guest_name"), text("home")],
        },
        {
          name: "visits",
          primary_key: ["visit_id"],
          fields: [
            ...numbers("visit_id", "shop_id", "guest_id"),
            date("visited_on"),
            field({ name: "tip", description: "Money left for the staff, in euros" }),
          ],
        },
        {
          name: "items",
          primary_key: ["item_id"],
          fields: [...numbers("item_id", "visit_id", "quantity", "price"), text("product")],
        },
        {
          name: "goals",
          primary_key: ["goal_id"],
          fields: [...numbers("goal_id", "region_id", "amount"), date("month")],
        },
      ].map((dataset) => ({ source: dataset.name, ...dataset })),
      relationships: [
        link("shops", "regions", "region_id"),
        link("visits", "shops", "shop_id"),
        link("visits", "guests", "guest_id"),
        link("items", "visits", "visit_id"),
        link("goals", "regions", "region_id"),
      ],
      metrics: [
        {
          name: "revenue",
          description: "Money for what was served",
          expression: "SUM(items.quantity * items.price)",
        },
        { name: "visit_count", expression: "COUNT(DISTINCT visits.visit_id)" },
        {
          name: "average_ticket",
          description: "Revenue per visit, in euros",
          expression: "SUM(items.quantity * items.price) / COUNT(DISTINCT visits.visit_id)",
        },
        { name: "goal", description: "Revenue that was planned", expression: "SUM(goals.amount)" },
        { name: "average_tip", description: "Average tip in euros", expression: "AVG(visits.tip)" },
      ],
    },
  ],
});

export const REGION: Key = { ds: "regions", field: "region_name" };
export const SHOP: Key = { ds: "shops", field: "shop_name" };
export const MONTH: Key = { ds: "visits", field: "visited_on", bucket: "month" };
export const REVENUE: Num = { k: "metric", name: "revenue" };
export const YEAR = { from: "2025-01-01", to: "2026-01-01", said: "2025" };

export function reading(said: string, ask: Ask, more: Partial<Reading> = {}): Reading {
  return { ask, said, cost: 0, assumptions: [], ...more };
}

/** Understands exactly these questions, in the way that is written down for them. */
export function scripted(script: Record<string, Partial<Understanding>>): Understand {
  return async ({ text }) => ({ readings: [], missing: [], unclear: [], trace: [], ...script[text] });
}

/** The data and the model, published by this admin. */
export async function openCafe(server: TestServer, admin: string, model = CAFE_MODEL): Promise<SavedModel> {
  for (const [name, rows] of Object.entries(CAFE_ROWS)) await makeDataset(server, admin, name, rows);
  return saveModel(server, admin, model);
}
