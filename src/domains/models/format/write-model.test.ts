import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { DATA_TYPES, type SemanticModel } from "../model.ts";
import { dataTypeOf, isOwnType, isTemporal, keptDialects } from "./extensions.ts";
import { readModels } from "./read-models.ts";
import { writeModel } from "./write-model.ts";

/* Models as the reader makes them: texts without space around them, names that differ, dialects in our order. */

const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom("\n", "\r", "\t", " ", ":", "#", "'", '"', "-", "|", "\\", "\u2028", "\u0085", "€"),
  ),
  maxLength: 12,
});
/** What PostgreSQL cannot keep, and the sign of a file in another encoding. */
const UNWANTED = /\0|\uFFFD/gu;
const text = anyText.map((one) => one.replace(UNWANTED, "").trim()).filter((one) => one !== "");
const name = fc.oneof(
  text,
  fc.constantFrom("null", "true", "1.0", "<<", "~", "- a", "constructor"),
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 8 }).filter((one) => one.trim() !== ""),
);
const modelName = name.filter((one) => !/[\p{Cc}/\\]/u.test(one));
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) =>
    JSON.parse(JSON.stringify(value).replaceAll("__proto__", "proto").replaceAll("\\u0000", "")),
  );
const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: null });
const few = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 3 });
const named = <T extends { name: string }>(one: fc.Arbitrary<T>) =>
  fc.uniqueArray(one, { maxLength: 3, selector: (item) => item.name.toLowerCase() });

const ai = fc.record({
  instructions: optional(text),
  synonyms: fc.uniqueArray(text, { maxLength: 3 }),
  examples: few(text),
  more: fc.dictionary(
    fc.constantFrom("owner", "1", "a b", "<<"),
    json.filter((one) => one !== null),
    { noNullPrototype: true },
  ),
});
const extensions = few(
  fc.record({
    vendor: fc.constantFrom("COMMON", "KENNING", "DBT"),
    data: json.filter((one) => !isOurs(one)),
  }),
);
const isOurs = (data: unknown) => data !== null && typeof data === "object" && "dialects" in data;
const expression = fc
  .uniqueArray(
    fc.record({ dialect: fc.constantFrom("ANSI_SQL", "SNOWFLAKE", "DUCKDB", "POSTGRES"), expression: text }),
    {
      minLength: 1,
      maxLength: 3,
      selector: ({ dialect }) => dialect,
    },
  )
  .map((dialects) => ({ dialects: keptDialects(dialects) }));
const type = optional(fc.constantFrom(...DATA_TYPES));
const field = fc
  .record({
    name,
    expression,
    label: optional(text),
    description: optional(text),
    dataType: type,
    typeText: optional(fc.oneof(fc.constantFrom("VARCHAR(3)", "bigint"), text)),
    isTime: optional(fc.boolean()),
    distinctValues: few(
      fc.oneof(
        anyText.map((one) => one.replace(UNWANTED, "")),
        fc.integer(),
        fc.boolean(),
      ),
    ),
    ai,
    extensions,
  })
  .map((one) => ({
    ...one,
    typeText: one.typeText === null || isOwnType(one.typeText) ? null : one.typeText,
    dataType:
      one.dataType ??
      (one.typeText === null ? null : isOwnType(one.typeText) ? one.typeText : dataTypeOf(one.typeText)),
  }))
  .map((one) => ({ ...one, isTime: one.isTime ?? (isTemporal(one.dataType) ? false : null) }));
const dataset = fc.record({
  name,
  source: text,
  viewQuery: optional(text),
  primaryKey: few(name),
  uniqueKeys: few(few(name)),
  description: optional(text),
  ai,
  fields: named(field),
  policies: few(fc.record({ name: fc.constantFrom("own", "team"), hide: few(fc.constantFrom("a", "b")) })),
  extensions,
});
const relationship = fc.record({
  name,
  from: fc.constant("nowhere near"),
  to: fc.constant("either"),
  fromColumns: few(name),
  toColumns: few(name),
  ai,
  extensions: extensions,
});
const metric = fc.record({ name, expression, description: optional(text), dataType: type, ai, extensions });
const model: fc.Arbitrary<SemanticModel> = fc.record({
  name: modelName,
  description: optional(text),
  ai,
  datasets: named(dataset),
  relationships: named(relationship),
  metrics: named(metric),
  extensions,
});

/** The keys of each part that the format's schema allows, those that it wants first, then the others. */
const SCHEMA: Record<string, [needed: string, others: string]> = {
  semantic_model: ["name datasets", "description ai_context relationships metrics custom_extensions"],
  datasets: ["name source", "primary_key unique_keys description ai_context fields custom_extensions"],
  fields: ["name expression", "dimension label description datatype ai_context custom_extensions"],
  relationships: ["name from to from_columns to_columns", "ai_context custom_extensions"],
  metrics: ["name expression", "description datatype ai_context custom_extensions"],
  custom_extensions: ["vendor_name data", ""],
  dialects: ["dialect expression", ""],
};
const DIALECTS = ["ANSI_SQL", "SNOWFLAKE", "MDX", "TABLEAU", "DATABRICKS", "MAQL", "BIGQUERY"];

function expectValid(key: string, value: unknown): void {
  if (key === "ai_context") return;
  if (Array.isArray(value)) for (const item of value) expectValid(key, item);
  if (key === "datatype") expect(DATA_TYPES).toContain(value);
  if (key === "dialect") expect(DIALECTS).toContain(value);
  if (key === "data") expect(value).toBeTypeOf("string");
  if (value === null || typeof value !== "object" || Array.isArray(value)) return;
  const [needed, others] = SCHEMA[key]?.map((keys) => keys.split(" ").filter(Boolean)) ?? [];
  if (needed !== undefined && others !== undefined) {
    expect(Object.keys(value)).toEqual(expect.arrayContaining(needed));
    expect([...needed, ...others]).toEqual(expect.arrayContaining(Object.keys(value)));
  }
  for (const [name, part] of Object.entries(value)) expectValid(name, part);
}

describe("a written model", () => {
  it("is the same when it is read again, and as the schema wants it", () => {
    fc.assert(
      fc.property(model, (before) => {
        const written = writeModel(before);
        const { models, problems } = readModels([{ name: "m.yaml", text: written }]);
        expect(problems).toEqual([]);
        expect(models[0]?.model).toEqual(before);
        expect(writeModel(models[0]!.model)).toBe(written);
        const file = parse(written);
        expect(Object.keys(file)).toEqual(["version", "semantic_model"]);
        expect(file.version).toBe("0.2.0.dev0");
        expectValid("semantic_model", file.semantic_model);
      }),
      { numRuns: 150 },
    );
  });

  it("reads well", () => {
    const read = readModels([
      {
        name: "src/sales.yaml",
        text: JSON.stringify({
          name: "sales",
          description: "What was sold.\nAnd where.",
          ai_context: "Count paid orders only.",
          datasets: [
            {
              name: "orders",
              source: "orders",
              primary_key: "id",
              fields: [
                { name: "id", datatype: "BIGINT" },
                {
                  name: "month",
                  datatype: "Date",
                  expression: { dialects: [{ dialect: "DUCKDB", expression: "date_trunc('month', at)" }] },
                  ai_context: { synonyms: ["calendar month", "period"] },
                },
              ],
              custom_extensions: [
                { vendor_name: "COMMON", data: { graph_x: 1, view_query: "SELECT 1" } },
                { vendor_name: "KENNING", data: { policies: [{ name: "p", hide: ["a"] }] } },
              ],
            },
          ],
        }),
      },
    ]).models[0]!;
    expect(writeModel(read.model)).toMatchInlineSnapshot(`
      "version: 0.2.0.dev0
      semantic_model:
        - name: sales
          description: |-
            What was sold.
            And where.
          ai_context:
            instructions: Count paid orders only.
          datasets:
            - name: orders
              source: orders
              primary_key: [id]
              fields:
                - name: id
                  expression:
                    dialects:
                      - dialect: ANSI_SQL
                        expression: '"id"'
                  datatype: Integer
                  custom_extensions:
                    - vendor_name: COMMON
                      data: '{"data_type":"BIGINT"}'
                - name: month
                  expression:
                    dialects:
                      - dialect: ANSI_SQL
                        expression: date_trunc('month', at)
                  dimension:
                    is_time: true
                  datatype: Date
                  ai_context:
                    synonyms: [calendar month, period]
                  custom_extensions:
                    - vendor_name: KENNING
                      data: "{\\"dialects\\":[{\\"dialect\\":\\"DUCKDB\\",\\"expression\\":\\"date_trunc('month', at)\\"}]}"
              custom_extensions:
                - vendor_name: KENNING
                  data: '{"policies":[{"name":"p","hide":["a"]}]}'
                - vendor_name: COMMON
                  data: '{"graph_x":1,"view_query":"SELECT 1"}'
      "
    `);
  });
});
