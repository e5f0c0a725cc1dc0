import { describe, expect, it } from "vitest";
import type { Problem } from "../model.ts";
import { readModels } from "./read-models.ts";
import { locate } from "./report.ts";

function readAll(files: Record<string, string>) {
  return readModels(Object.entries(files).map(([name, text]) => ({ name, text })));
}

/** The model of a file that holds one, with all problems in short. */
function readOne(text: string, name = "sales.yaml") {
  const { models, problems } = readAll({ [name]: text });
  const all = [...problems, ...(models[0]?.problems ?? [])];
  return { model: models[0]!.model, problems: all, short: all.map(short) };
}

function short({ severity, path, line, message, hint }: Problem): string {
  return `${severity} ${path}:${line} ${message}${hint === undefined ? "" : ` ${hint}`}`;
}

const NO_AI = { instructions: null, synonyms: [], examples: [], more: {} };

const SALES = `
version: "0.2.0.dev0"
semantic_model:
  - name: sales
    description: What was sold
    ai_context: { instructions: Count paid orders only., owner: { team: finance } }
    datasets:
      - name: orders
        source: shop.public.orders
        primary_key: [id]
        unique_keys: [[number, year]]
        ai_context: { synonyms: [purchases], examples: [How many orders were there?] }
        custom_extensions:
          - vendor_name: COMMON
            data: '{"view_query": "SELECT * FROM raw_orders", "graph_x": 12}'
          - vendor_name: KENNING
            data:
              policies: [{ name: own, rows: [{ field: region, operator: "=", value: { attribute: region } }] }]
        fields:
          - name: total
            expression:
              dialects:
                - { dialect: ANSI_SQL, expression: net + tax }
                - { dialect: snowflake, expression: "net + tax::NUMBER" }
            datatype: Decimal
            label: Money
          - name: ordered_on
            expression: { dialects: [{ dialect: ANSI_SQL, expression: ordered_on }] }
            datatype: Date
          - name: status
            expression: { dialects: [{ dialect: ANSI_SQL, expression: status }] }
            dimension: {}
            custom_extensions:
              - { vendor_name: COMMON, data: '{"data_type": "VARCHAR(20)", "distinct_values": ["open", "paid", null, 3]}' }
      - { name: customers, source: customers, primary_key: [id], fields: [{ name: id, expression: id }] }
    relationships:
      - { name: customer, from: orders, to: Customers, from_columns: [total], to_columns: [id] }
    metrics:
      - name: revenue
        expression: { dialects: [{ dialect: ANSI_SQL, expression: SUM(orders.total) }] }
        datatype: Decimal
    custom_extensions: [{ vendor_name: DBT, data: '{"id": 7}' }]
`;

describe("a file of the format", () => {
  it("is read as a whole", () => {
    const { model, short: problems } = readOne(SALES);
    expect(problems).toEqual([]);
    expect(model).toMatchObject({
      name: "sales",
      ai: { instructions: "Count paid orders only.", more: { owner: { team: "finance" } } },
      relationships: [
        { name: "customer", from: "orders", to: "customers", fromColumns: ["total"], toColumns: ["id"] },
      ],
      metrics: [{ name: "revenue", dataType: "Decimal", ai: NO_AI }],
      extensions: [{ vendor: "DBT", data: { id: 7 } }],
    });
    expect(model.datasets[0]).toEqual({
      name: "orders",
      source: "shop.public.orders",
      viewQuery: "SELECT * FROM raw_orders",
      primaryKey: ["id"],
      uniqueKeys: [["number", "year"]],
      description: null,
      ai: { ...NO_AI, synonyms: ["purchases"], examples: ["How many orders were there?"] },
      policies: [{ name: "own", rows: [{ field: "region", operator: "=", value: { attribute: "region" } }] }],
      extensions: [{ vendor: "COMMON", data: { graph_x: 12 } }],
      fields: [
        {
          name: "total",
          expression: {
            dialects: [
              { dialect: "ANSI_SQL", expression: "net + tax" },
              { dialect: "SNOWFLAKE", expression: "net + tax::NUMBER" },
            ],
          },
          label: "Money",
          description: null,
          dataType: "Decimal",
          typeText: null,
          isTime: null,
          distinctValues: [],
          ai: NO_AI,
          extensions: [],
        },
        expect.objectContaining({ name: "ordered_on", isTime: true }),
        expect.objectContaining({
          name: "status",
          dataType: "String",
          typeText: "VARCHAR(20)",
          isTime: false,
          distinctValues: ["open", "paid", 3],
          extensions: [],
        }),
      ],
    });
  });

  it.each(['"1.0"', "1.0", '"0.1.1"', "0.1.1", "0.2.0.dev0"])("may have the version %s", (version) => {
    expect(readOne(SALES.replace('"0.2.0.dev0"', version)).short).toEqual([]);
  });

  it("is read as the newest when its version is missing or unknown", () => {
    expect(readOne(SALES.replace('version: "0.2.0.dev0"', "")).short).toEqual([
      'warning :1 The file does not say its version: it is read as 0.2.0.dev0. Add the line version: "0.2.0.dev0".',
    ]);
    expect(readOne(SALES.replace("0.2.0.dev0", "9.9")).short[0]).toMatch(
      /^warning version:2 The version is not known/,
    );
  });

  it("may hold several models, in a list or in documents", () => {
    const wrap = (name: string) =>
      `version: 1.0\nsemantic_model: { name: ${name}, datasets: [{ name: a, source: a }] }\n`;
    const { models } = readAll({ "all.yaml": `${wrap("one")}---\n${wrap("two")}` });
    expect(models.map(({ model }) => model.name)).toEqual(["one", "two"]);
    const list = `version: 1.0\nsemantic_model:\n  - { name: a, datasets: [] }\n  - { name: A, datasets: [] }\n`;
    const second = readAll({ "all.yaml": list });
    expect(second.models).toHaveLength(1);
    expect(second.problems).toMatchObject([{ severity: "error", file: "all.yaml" }]);
  });
});

describe("variants met in the wild", () => {
  const text = `
name: sales
datasets:
  - name: orders
    source: orders
    primary_key: id
    ai_context: One row an order.
    fields:
      - name: id
      - { name: "odd \\"name\\"", type: bigint, synonyms: [number] }
      - { name: at, data_type: timestamp with time zone, description: "  " }
      - { name: share, datatype: "decimal(10, 2)", expression: a / b, ai_context: { synonyms: share } }
      - { name: tags, datatype: "VARCHAR[]" }
      - { name: odd, datatype: Strnig }
      - name: note
        ai_context:
          synonyms:
            - filter: vendor LIKE 'a%'
relationships:
  - { name: parent, from_model: orders, to_model: orders, from_columns: share, to_columns: id }
metrics:
  - { name: n, expression: COUNT(*), datatype: int }
`;

  it("are accepted", () => {
    const { model, short: problems } = readOne(text);
    expect(problems).toEqual([
      expect.stringContaining("does not say its version"),
      "warning datasets.orders.fields.odd.datatype:14 The type is not one that the format knows. Did you mean String?",
      expect.stringContaining("warning datasets.orders.fields.note.ai_context.synonyms[0]:18"),
    ]);
    const [orders] = model.datasets;
    expect(orders).toMatchObject({ primaryKey: ["id"], ai: { ...NO_AI, instructions: "One row an order." } });
    const [id, odd, at, share, tags, unknown, note] = orders!.fields;
    expect(id?.expression).toEqual({ dialects: [{ dialect: "ANSI_SQL", expression: '"id"' }] });
    expect(odd).toMatchObject({ dataType: "Integer", typeText: "bigint", ai: { synonyms: ["number"] } });
    expect(odd?.expression.dialects[0]?.expression).toBe('"odd ""name"""');
    expect(at).toMatchObject({ dataType: "DateTimeTz", isTime: true, description: null });
    expect(share).toMatchObject({
      dataType: "Decimal",
      typeText: "decimal(10, 2)",
      ai: { synonyms: ["share"] },
    });
    expect(share?.expression.dialects[0]?.expression).toBe("a / b");
    expect(tags?.dataType).toBe("Opaque");
    expect(unknown).toMatchObject({ dataType: null, typeText: "Strnig" });
    expect(note?.ai.synonyms).toEqual(["filter: vendor LIKE 'a%'"]);
    expect(model.relationships[0]).toMatchObject({ from: "orders", to: "orders", fromColumns: ["share"] });
    expect(model.metrics[0]).toMatchObject({ dataType: "Integer" });
  });

  it("keep a dialect of our own engine, but know an ANSI_SQL that only stands in for it", () => {
    const fields = (dialects: string) =>
      readOne(
        `name: m\ndatasets: [{ name: a, source: a, fields: [{ name: f, expression: { dialects: [${dialects}] } }] }]`,
      ).model.datasets[0]?.fields[0]?.expression.dialects;
    const duckdb = { dialect: "DUCKDB", expression: "x" };
    expect(fields("{ dialect: duckdb, expression: x }, { dialect: ANSI_SQL, expression: y }")).toEqual([
      { dialect: "ANSI_SQL", expression: "y" },
      duckdb,
    ]);
    expect(fields("{ dialect: ANSI_SQL, expression: x }, { dialect: DUCKDB, expression: x }")).toEqual([
      duckdb,
    ]);
  });
});

describe("mistakes", () => {
  it("are told with their path, line and what to do", () => {
    const text = `version: 1.0
semantic_model:
  - name: a/b
    descripton: typo
    datasets:
      - name: orders
        source: orders
        fields:
          - name: id
          - name: ID
          - { nam: x }
          - just a text
          - { name: f, expression: { dialects: [{ dialect: ANSI_SQL }] } }
      - { name: nowhere }
      - { name: Orders, source: x }
    relationships:
      - { name: r, from: orders }
      - { name: s, from: orders, to: order, from_columns: [id, f], to_columns: [id] }
    metrics: { name: m }
    custom_extensions: [{ vendor_name: DBT, data: "{bad" }]
`;
    expect(readOne(text).short).toEqual([
      "error name:3 The name of a model has no slashes.",
      expect.stringMatching(/^error datasets\.orders\.fields\.ID:10 There are two fields with the name ID/),
      "error datasets.orders.fields[2]:11 A field needs the key name.",
      "warning datasets.orders.fields[2].nam:11 A field has no key nam: it has no effect. Did you mean name?",
      "error datasets.orders.fields[3]:12 A field must be a map with keys, not “just a text”.",
      "error datasets.orders.fields.f.expression.dialects[0]:13 An expression in a dialect needs the key expression.",
      expect.stringMatching(/^error datasets\.nowhere:14 A dataset needs the key source\./),
      expect.stringMatching(/^error datasets\.Orders:15 There are two datasets with the name Orders/),
      "error relationships.r:17 A relationship needs the key to.",
      "error relationships.r:17 A relationship needs the key from_columns.",
      "error relationships.r:17 A relationship needs the key to_columns.",
      "error metrics:19 The metrics must be a list, not a map.",
      expect.stringMatching(/^error custom_extensions\[0\]\.data:20 The data is no valid JSON: /),
      "warning descripton:4 A semantic model has no key descripton: it has no effect. Did you mean description?",
      "error datasets.orders.fields.f:13 The field has no expression.",
      "warning datasets.nowhere:14 The dataset has no fields: nobody can ask about it. Describe its columns as fields.",
      "error relationships.s.to:18 There is no dataset order. Did you mean orders?",
      expect.stringMatching(/^error relationships\.s:18 The relationship joins 2 columns to 1\./),
    ]);
  });

  it("in extensions are errors where they matter to us", () => {
    const extended = (extension: string) =>
      readOne(
        `name: m\ndatasets:\n  - name: a\n    source: a\n    fields: [{ name: x }]\n    custom_extensions:\n      - ${extension}\n`,
        "src/m.yaml",
      ).short;
    const policy = `{ vendor_name: KENNING, data: { policies: [{ name: p, rows: [{ field: x, operator: "~", value: 1 }] }] } }`;
    expect(extended(policy)).toEqual([
      expect.stringMatching(
        /^error datasets\.a\.custom_extensions\[0\]\.policies\[0\]:7 The policy is not valid: .* \(at rows\.0\.operator\)\.$/,
      ),
    ]);
    expect(extended("{ vendor_name: KENNING, data: { polices: [] } }")[0]).toMatch(
      /^warning .*Did you mean policies\?$/,
    );
    expect(extended("{ vendor_name: kenning, data: [{ name: p, hide: [x] }] }")[0]).toMatch(
      /^error .*must be a map/,
    );
    expect(extended("{ vendor_name: COMMON, data: { view_query: [a] } }")[0]).toMatch(
      /^error .*must be a text/,
    );
    expect(extended(`{ vendor_name: X, data: '{"__proto__": {"a": 1}}' }`)[0]).toMatch(/__proto__/);
    expect(extended(`{ vendor_name: X, data: '${"[".repeat(60)}${"]".repeat(60)}' }`)[0]).toMatch(
      /nested deeper/,
    );
    expect(extended("{ vendor_name: X }")[0]).toMatch(/needs the key data/);
  });

  it("in names are errors", () => {
    const named = (name: string) =>
      readOne(`name: m\ndatasets: [{ name: ${name}, source: a, fields: [{ name: x }] }]`);
    expect(named('" "').short).toContain('error datasets." ".name:2 The name is empty.');
    expect(named("x".repeat(201)).short).toContain(
      "error datasets[0].name:2 The name is longer than 200 characters.",
    );
    expect(named("2024").model.datasets[0]?.name).toBe("2024");
    expect(named('"Umsätze, €/Monat"').model.datasets[0]?.name).toBe("Umsätze, €/Monat");
  });
});

describe("folders of archmax", () => {
  const ROOT =
    "name: sales\nrelationships:\n  - { name: r, from_model: orders, to_model: nobody, from_columns: [id], to_columns: [id] }\n";
  const ORDERS =
    "dataset:\n  name: orders\n  source: db.orders\n  fields:\n    - { name: id }\n    - { name: id }\n";

  it.each(["src/", "", "project/src/", "./"])(
    "below %s are put together, each problem with its own file",
    (folder) => {
      const { models, problems } = readAll({
        [`${folder}sales.yaml`]: ROOT,
        [`${folder}sales/orders.yaml`]: ORDERS,
        [`${folder}sales/stores.yaml`]: "source: stores\nfields: [{ name: id }]\n",
      });
      expect(problems).toEqual([]);
      const [sales] = models;
      expect(sales?.model.datasets.map(({ name, source }) => [name, source])).toEqual([
        ["orders", "db.orders"],
        ["stores", "stores"],
      ]);
      const bare = folder.replace("./", "");
      expect(sales?.files).toEqual(
        ["sales.yaml", "sales/orders.yaml", "sales/stores.yaml"].map((one) => bare + one),
      );
      expect(sales?.problems).toMatchObject([
        { path: "datasets.orders.fields.id", file: `${bare}sales/orders.yaml`, line: 6 },
        { path: "relationships.r.to", file: `${bare}sales.yaml`, line: 3 },
      ]);
    },
  );

  it("give way to their sources when they were assembled", () => {
    const { models, problems } = readAll({
      "build/sales.yaml": "name: sales\ndescription: built\ndatasets: []\n",
      "build/only.yaml": "name: only\ndatasets: []\n",
      "src/sales.yaml": "description: source\n",
      "src/sales/orders.yaml": ORDERS,
    });
    expect(models.map(({ model }) => [model.name, model.description])).toEqual([
      ["only", null],
      ["sales", "source"],
    ]);
    expect(problems.map(short)).toEqual([
      "warning :1 The model sales is read from its source src/sales.yaml, not from build/.",
    ]);
  });

  it("are not complete without the model", () => {
    const { models, problems } = readAll({ "src/sales/orders.yaml": ORDERS, "README.md": "# Sales" });
    expect(models).toEqual([]);
    expect(problems.map(short)).toEqual([
      "warning :1 The file is left out: it is neither YAML nor JSON.",
      "error :1 The file holds a dataset, but there is no model that it belongs to. Give the file src/sales.yaml as well.",
    ]);
    expect(readAll({ "README.md": "" }).problems.at(-1)?.message).toBe(
      "There is no file with a semantic model.",
    );
  });
});

it("locates what is found later, at the nearest part that stands in a file", () => {
  const { places } = readAll({ "sales.yaml": SALES }).models[0]!;
  const at = (path: string) => locate({ severity: "error", message: "", path }, places).line;
  expect(at("datasets.orders.fields.status")).toBe(30);
  expect(at("datasets.orders.fields.status.expression.ANSI_SQL")).toBe(31);
  expect(at("datasets.orders.policies[0]")).toBe(8);
  expect(at("nothing.like.it")).toBe(4);
});
