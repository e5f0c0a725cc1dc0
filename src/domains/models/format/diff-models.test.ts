import { describe, expect, it } from "vitest";
import type { SemanticModel } from "../model.ts";
import { diffModels, printDiff } from "./diff-models.ts";
import { readModels } from "./read-models.ts";

const TEXT = `
version: 1.0
semantic_model:
  name: sales
  datasets:
    - name: orders
      source: orders
      primary_key: [id]
      fields:
        - { name: id }
        - { name: total, datatype: Decimal, expression: net, ai_context: { synonyms: [amount] } }
        - { name: old one }
    - { name: customers, source: customers, fields: [{ name: id }] }
  metrics:
    - { name: revenue, expression: SUM(a) }
    - { name: orders, expression: { dialects: [{ dialect: ANSI_SQL, expression: a }, { dialect: DUCKDB, expression: b }] } }
`;

function model(text = TEXT): SemanticModel {
  return readModels([{ name: "sales.yaml", text }]).models[0]!.model;
}

describe("the difference of two models", () => {
  it("is none when only the order differs", () => {
    const before = model();
    const [orders, customers] = before.datasets;
    const after = { ...before, datasets: [customers!, { ...orders!, fields: orders!.fields.toReversed() }] };
    expect(diffModels(before, after)).toEqual([]);
    expect(printDiff([])).toBe("");
  });

  it("goes by names, part by part", () => {
    const after = model(
      TEXT.replace("name: old one", "name: new_one, label: X")
        .replace("expression: net", "expression: net + tax, description: With tax")
        .replace("[amount]", "[amount, sum]")
        .replace("datatype: Decimal, ", "")
        .replace("SUM(a)", "SUM(b)")
        .replace("expression: b", "expression: c")
        .replace("source: orders", "source: shop.orders")
        .replace("name: customers", "name: Customers")
        .replace("  metrics:", "    - { name: stores, source: stores }\n  metrics:"),
    );
    expect(printDiff(diffModels(model(), after))).toBe(
      [
        '~ datasets.orders.source: "orders" → "shop.orders"',
        '~ datasets.orders.fields.total.expression: "net" → "net + tax"',
        '+ datasets.orders.fields.total.description: "With tax"',
        '- datasets.orders.fields.total.datatype: "Decimal"',
        '~ datasets.orders.fields.total.ai_context.synonyms: ["amount"] → ["amount","sum"]',
        '- datasets.orders.fields."old one"',
        "+ datasets.orders.fields.new_one",
        '~ datasets.Customers.name: "customers" → "Customers"',
        "+ datasets.stores",
        '~ metrics.revenue.expression: "SUM(a)" → "SUM(b)"',
        '~ metrics.orders.expression.DUCKDB: "b" → "c"',
      ].join("\n"),
    );
  });

  it("to nothing is what the model has", () => {
    expect(diffModels(null, model())).toEqual([
      { path: "name", kind: "added", after: "sales" },
      { path: "datasets.orders", kind: "added" },
      { path: "datasets.customers", kind: "added" },
      { path: "metrics.revenue", kind: "added" },
      { path: "metrics.orders", kind: "added" },
    ]);
  });

  it("does not depend on the order of keys, which PostgreSQL does not keep", () => {
    const [a, b] = [
      { x: 1, long: 2 },
      { long: 2, x: 1 },
    ].map((data) => ({
      ...model(),
      extensions: [{ vendor: "DBT", data }],
    }));
    expect(diffModels(a!, b!)).toEqual([]);
  });

  it("is printed within bounds", () => {
    const changes = Array.from({ length: 205 }, (_, i) => ({
      path: `p${i}`,
      kind: "added" as const,
      after: "x".repeat(500),
    }));
    const lines = printDiff(changes).split("\n");
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe("… and 5 more changes");
    expect(lines[0]?.length).toBeLessThan(140);
  });
});
