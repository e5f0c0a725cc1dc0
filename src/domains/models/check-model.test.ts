import { describe, expect, it } from "vitest";
import { makeDataset } from "../../../test/support/datasets.ts";
import { digestOf, query, saveModel, shopModel, shopServer } from "../../../test/support/models.ts";

/** What an author is told about a model that can be read, and what is not worth a word. */

const { server, shop } = await shopServer();

/** What is said about a draft; by severity and path, with the hint. */
async function saidOf(content: string): Promise<string[]> {
  const { problems } = await saveModel(server, shop.admin, content, { publish: false });
  return (problems as { severity: string; path: string; message: string; hint?: string }[]).map(
    ({ severity, path, message, hint }) => `${severity} ${path}: ${message} ${hint}`,
  );
}

const foreign = (expression: string) => ({ dialects: [{ dialect: "SNOWFLAKE", expression }] });

describe("the check of a model", () => {
  it("warns of a metric that is no aggregate", async () => {
    const metrics = {
      plain: "orders.id",
      running: "SUM(orders.net) OVER ()",
      counted: "COUNT(*) FILTER (WHERE orders.net > 10)",
      share: "1.0 * MAX(orders.net) / nullif(COUNT(DISTINCT orders.id), 0)",
    };
    expect(await saidOf(shopModel({ name: "plain", metrics }))).toEqual([
      "warning metrics.plain: The metric plain is no aggregate: orders.id has a value for each row. Say how rows are put together, such as SUM(…) or COUNT(…), or make it a field.",
      expect.stringMatching(/^warning metrics\.running: .* is no aggregate/),
      expect.stringMatching(/^warning ai_context: No rule was made of this sentence/),
    ]);
  });

  it("says of a field that is an aggregate that it should be a metric", async () => {
    expect(await saidOf(shopModel({ name: "summed", fields: { all: "sum(net)" } }))).toEqual([
      "error datasets.orders.fields.all: The field all of orders cannot be computed as sum(net), which makes one value of many rows. A field is computed for each row; make this a metric.",
    ]);
  });

  it("warns of expressions that are there in a foreign dialect only", async () => {
    const dataset = { name: "o", source: "Orders", fields: [{ name: "id", expression: foreign("id") }] };
    const metrics = [{ name: "n", expression: foreign("COUNT(o.id)") }];
    const model = { name: "foreign", datasets: [dataset], metrics };
    expect(await saidOf(JSON.stringify({ semantic_model: [model] }))).toEqual([
      "warning datasets.o.fields.id: The field id of o has an expression for SNOWFLAKE only, which is taken as DuckDB's SQL. Add one for ANSI_SQL or DUCKDB, and compare what both give.",
      expect.stringMatching(/^warning metrics\.n: The metric n has an expression for SNOWFLAKE only/),
    ]);
  });

  it("does not ask whether the data have a column once it has looked", async () => {
    await makeDataset(server, shop.admin, "Staff", [{ id: 1, manager_id: 1 }]);
    const staff = (column: string) =>
      JSON.stringify({
        semantic_model: [
          {
            name: "staff",
            datasets: [
              {
                name: "staff",
                source: "Staff",
                primary_key: ["id"],
                fields: [{ name: "id", expression: "id" }],
              },
            ],
            relationships: [
              { name: "boss", from: "staff", to: "staff", from_columns: [column], to_columns: ["id"] },
            ],
          },
        ],
      });
    expect(await saidOf(staff("manager_id"))).toEqual([]);
    expect(await saidOf(staff("ids"))).toEqual([
      "error relationships.boss: The relationship boss needs a column ids of staff, which there is not. Did you mean id?",
    ]);
  });

  it("says once that a field cannot be computed, also where a relationship needs it", async () => {
    const content = shopModel({ name: "broken", fields: { buyer: "customer_id + nothing" } }).replace(
      "from_columns: [customer_id]",
      "from_columns: [buyer]",
    );
    expect(await saidOf(content)).toEqual([
      expect.stringMatching(
        /^error datasets\.orders\.fields\.buyer: The field buyer of orders cannot be computed/,
      ),
    ]);
  });
});

describe("a metric", () => {
  it("has the type that it has in the data, where its author says none", async () => {
    expect(await digestOf(server, shop.viewer)).toMatch(
      /## Metrics \(2, formulas to paste, not columns\)\n- revenue int = `SUM\(orders\.net\)`/,
    );
  });

  it("that is taken for a column is given with its formula", async () => {
    for (const sql of ["SELECT Revenue FROM orders", "SELECT o.revenue FROM orders o, customers"]) {
      await expect(query(server, shop.viewer, sql)).rejects.toThrow(
        /revenue is a metric and no column; write its formula: SUM\(orders\.net\)$/,
      );
    }
  });
});

describe("a column that there is not", () => {
  it("is answered with those of the datasets that the statement uses", async () => {
    const ask = query(server, shop.viewer, "SELECT c.surname_of FROM customers c");
    await expect(ask).rejects.toThrow(/\^\n"customers" has "name", "id", "city"\.$/);
    await expect(ask).rejects.not.toThrow(/"orders" has/);
  });
});
