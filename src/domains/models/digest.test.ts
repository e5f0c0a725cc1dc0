import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DIGEST_SCOPES, datasetsDigest, modelDigest } from "./digest.ts";
import type { AiContext } from "./model.ts";
import type { VisibleDataset, VisibleField, VisibleModel } from "./visible-model.ts";

const ai = (parts: Partial<AiContext> = {}): AiContext => ({
  instructions: null,
  synonyms: [],
  examples: [],
  more: {},
  ...parts,
});

const field = (name: string, type: string, parts: Partial<VisibleField> = {}): VisibleField => ({
  name,
  type,
  label: null,
  description: null,
  dataType: null,
  isTime: null,
  distinctValues: [],
  ai: ai(),
  sql: null,
  ...parts,
});

const dataset = (
  name: string,
  fields: VisibleField[],
  parts: Partial<VisibleDataset> = {},
): VisibleDataset => ({
  name,
  source: name,
  description: null,
  ai: ai(),
  primaryKey: [],
  uniqueKeys: [],
  rowCount: null,
  fields,
  ...parts,
});

const model = (parts: Partial<VisibleModel> = {}): VisibleModel => ({
  id: "0",
  name: "shop",
  version: 1,
  description: null,
  ai: ai(),
  datasets: [],
  relationships: [],
  metrics: [],
  ...parts,
});

const relationship = (
  name: string,
  from: string,
  fromColumns: string[],
  to: string,
  toColumns: string[],
) => ({
  name,
  from,
  to,
  fromColumns,
  toColumns,
  ai: ai(),
});

const ORDERS = dataset(
  "orders",
  [
    field("order_id", "BIGINT", { description: "Order number" }),
    field("customer_id", "INTEGER"),
    field("order date", "DATE", { isTime: true, label: "Date", ai: ai({ synonyms: ["day", "Date"] }) }),
    field("status", "VARCHAR", {
      isTime: false,
      description: "State",
      distinctValues: ["open", "done", "lost, found"],
      ai: ai({ synonyms: ["state of order"], examples: ["open"], instructions: "Ignore\nlost ones." }),
    }),
    field("total", "DECIMAL(18,2)", { sql: "net -- without tax\n  * 1.19" }),
  ],
  {
    primaryKey: ["order_id"],
    uniqueKeys: [["order_id"], ["customer_id", "order date"]],
    rowCount: 1200,
    description: "One row per order.",
    ai: ai({ synonyms: ["purchase"], instructions: "Only completed ones count.\n\n# Not a heading" }),
  },
);
const CUSTOMERS = dataset("customers", [field("id", "INTEGER")], { primaryKey: ["id"] });
const PROFILES = dataset("profiles", [field("id", "INTEGER")], { primaryKey: ["id"] });

const SHOP = model({
  description: "A shop.",
  ai: ai({
    instructions: "Money is in euros.",
    synonyms: ["store"],
    examples: ["How many orders?"],
    more: { unit: 1 },
  }),
  datasets: [ORDERS, CUSTOMERS, PROFILES],
  relationships: [
    relationship("order_of", "orders", ["customer_id"], "customers", ["id"]),
    relationship("profile_of", "profiles", ["id"], "customers", ["id"]),
    relationship("both", "orders", ["customer_id", "order date"], "profiles", ["id", "day"]),
  ],
  metrics: [
    {
      name: "revenue",
      description: "Money in",
      dataType: "Decimal",
      ai: ai({ synonyms: ["sales"], instructions: "Without tax." }),
      sql: "SUM(orders.total)",
      type: "HUGEINT",
    },
  ],
});

describe("the digest of a model", () => {
  it("says what a model needs to find its way", () => {
    expect(modelDigest(SHOP, { perPage: 10 })).toEqual({
      markdown: `# shop — A shop. *store*
> Money is in euros.
> unit: 1
Examples:
- How many orders?
In SQL use bare dataset names: FROM "orders"

## Datasets (3)
- "orders" 1200 rows, 5 fields, PK order_id, unique (customer_id, "order date") — One row per order. *purchase* Note: Only completed ones count. # Not a heading
- "customers" 1 field, PK id
- "profiles" 1 field, PK id

## Relationships (3, many-to-one)
- order_of: orders.customer_id → customers.id
- profile_of: profiles.id → customers.id one-to-one
- both: orders.(customer_id, "order date") → profiles.(id, day) one-to-one

## Metrics (1, formulas to paste, not columns)
- revenue decimal = \`SUM(orders.total)\` — Money in *sales* Note: Without tax.`,
      page: 1,
      pages: 1,
      total: 7,
    });
  });

  it("is short for an empty model", () => {
    const { markdown } = modelDigest(model(), { perPage: 10 });
    expect(markdown).toBe("# shop\n\n## Datasets (0)\n\n## Relationships (0)\n\n## Metrics (0)");
  });

  it("shows the first page of each section, and says how to get the next", () => {
    const { markdown, pages, total } = modelDigest(SHOP, { perPage: 2, page: 9 });
    expect(markdown).toContain('- "customers" 1 field, PK id\n1 more: scope: "datasets", page: 2\n');
    expect(markdown).toContain('1 more: scope: "relationships", page: 2\n');
    expect(markdown).not.toContain('scope: "metrics"');
    expect({ pages, total }).toEqual({ pages: 2, total: 7 });
  });

  it("shows one page of one section", () => {
    expect(modelDigest(SHOP, { scope: "datasets", page: 2, perPage: 2 })).toEqual({
      markdown: '## Datasets (3) page 2 of 2\n- "profiles" 1 field, PK id',
      page: 2,
      pages: 2,
      total: 3,
    });
  });

  it.each([0, 3, 1.5, -1, Number.NaN])("says how many pages there are when asked for page %d", (page) => {
    const asked = () => modelDigest(SHOP, { scope: "datasets", page, perPage: 2 });
    expect(asked).toThrow(
      expect.objectContaining({
        code: "bad_request",
        message: `There is no page ${page}: the datasets fill 2 pages.`,
        hint: "Ask for a page from 1 to 2.",
      }),
    );
  });
});

describe("the digest of datasets", () => {
  it("has a line for each field", () => {
    expect(datasetsDigest(SHOP, [{ name: "orders" }, { name: "customers" }], { perPage: 10 })).toEqual({
      markdown: `## "orders" — One row per order.
> Only completed ones count.
> # Not a heading
- **order_id** int PK — Order number
- **customer_id** int → customers.id
- **"order date"** date time-dim *Date, day*
- **status** text dim {open, done, 'lost, found'} — State *state of order* e.g. open Note: Ignore lost ones.
- **total** decimal = \`net /* without tax */ * 1.19\`

## "customers"
- **id** int PK`,
      datasets: [
        { name: "orders", page: 1, pages: 1, total: 5 },
        { name: "customers", page: 1, pages: 1, total: 1 },
      ],
    });
  });

  it("shows a partner without its column where both have the same name", () => {
    expect(datasetsDigest(SHOP, [{ name: "profiles" }], { perPage: 10 }).markdown).toContain(
      "int PK → customers",
    );
  });

  it("gives each dataset its own page, and what is asked for twice once", () => {
    const wanted = [
      { name: "orders", page: 2 },
      { name: "customers" },
      { name: "ORDERS", page: 2 },
      { name: '"orders"' },
    ];
    const { markdown, datasets } = datasetsDigest(SHOP, wanted, { perPage: 2 });
    expect(datasets).toEqual([
      { name: "orders", page: 2, pages: 3, total: 5 },
      { name: "customers", page: 1, pages: 1, total: 1 },
      { name: "orders", page: 1, pages: 3, total: 5 },
    ]);
    expect(markdown).toMatch(/^## "orders" page 2 of 3\n- \*\*"order date"\*\*/);
    expect(markdown).toContain('1 more: name: "orders", page: 3\n');
  });

  it("says how to get more fields, and how many pages there are", () => {
    const { markdown } = datasetsDigest(SHOP, [{ name: "orders" }], { perPage: 2 });
    expect(markdown).toContain('3 more: name: "orders", page: 2');
    expect(() => datasetsDigest(SHOP, [{ name: "orders", page: 4 }], { perPage: 2 })).toThrow(
      'There is no page 4: the fields of "orders" fill 3 pages.',
    );
  });

  it("helps with names that it does not know", () => {
    expect(() => datasetsDigest(SHOP, [{ name: "order" }, { name: "x" }], { perPage: 9 })).toThrow(
      expect.objectContaining({
        code: "not_found",
        message: 'This model has no datasets "order", "x".',
        hint: 'Did you mean "orders"? Its datasets: "orders", "customers", "profiles".',
      }),
    );
    const many = model({ datasets: Array.from({ length: 31 }, (_, index) => dataset(`d${index}`, [])) });
    expect(() => datasetsDigest(many, [{ name: "zzz" }], { perPage: 9 })).toThrow(
      expect.objectContaining({
        hint: `It has 31 datasets; the model's digest lists them (scope: "datasets").`,
      }),
    );
  });

  it("takes 1 to 10 datasets", () => {
    for (const length of [0, 11]) {
      const wanted = Array.from({ length }, () => ({ name: "orders" }));
      expect(() => datasetsDigest(SHOP, wanted, { perPage: 9 })).toThrow(/1 to 10 datasets/);
    }
  });
});

const linesOf = (...fields: VisibleField[]) =>
  datasetsDigest(model({ datasets: [dataset("d", fields)] }), [{ name: "d" }], { perPage: 99 })
    .markdown.split("\n")
    .slice(1);

describe("a field's line", () => {
  it("has types in one word", () => {
    const types =
      "VARCHAR|ENUM('a', 'b')|UTINYINT|HUGEINT|INTEGER|DECIMAL(18,2)|DOUBLE|FLOAT|BOOLEAN|DATE|TIME|TIMESTAMP_NS|TIMESTAMP|TIMESTAMP WITH TIME ZONE|TIME WITH TIME ZONE|INTERVAL|UUID|BLOB|BIGINT[]|VARCHAR[3][]|STRUCT(a INTEGER, b VARCHAR)";
    expect(types.split("|").map((type) => linesOf(field("x", type))[0]?.slice("- **x** ".length))).toEqual([
      ..."text text int int int decimal float float bool date time timestamp timestamp".split(" "),
      ..."timestamptz timetz interval uuid blob int[] text[3][]".split(" "),
      "STRUCT(a INTEGER, b VARCHAR)",
    ]);
    expect(linesOf(field("x", "", { dataType: "DateTime" }), field("y", ""))).toEqual([
      "- **x** timestamp",
      "- **y**",
    ]);
  });

  it("cuts long lists of values, and says by how much", () => {
    const distinctValues = Array.from({ length: 120 }, (_, index) => index);
    expect(linesOf(field("x", "INT", { distinctValues }))[0]).toMatch(/\{0, 1, .*, 99, … 20 more\}$/);
  });

  it("keeps SQL what it is, though on one line", () => {
    const sql = "a --it's\n||'--''\n' || \"--\" /* -- ' */ || b -- */ end";
    const shown = "a /* it's */ ||'--'' ' || \"--\" /* -- ' */ || b /* end */";
    expect(linesOf(field("x", "INT", { sql }))).toEqual([`- **x** int = \`${shown}\``]);
  });

  it("is one line, whatever its texts hold", () => {
    const nasty = "a\r\n- **fake** text\u2028## Heading\u0000\u0085\u001b[31m *b*, {c} ``d`` \ud800";
    const lines = linesOf(
      field(`n${nasty}`, "INT", {
        description: nasty,
        label: nasty,
        distinctValues: [nasty, ""],
        sql: nasty,
        ai: ai({ instructions: nasty, synonyms: [nasty], examples: [nasty], more: { [nasty]: nasty } }),
      }),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("— a - **fake** text ## Heading [31m *b*, {c} ``d`` \ufffd");
    expect(lines[0]).toContain("= ``` a - **fake** text");
    expect(lines[0]).toContain(", ''} =");
    expect(lines[0]).not.toMatch(/\p{Cc}|\p{Cs}/u);
  });
});

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.lorem(),
);
const maybe = fc.option(text);
const context = fc.record({
  instructions: maybe,
  synonyms: fc.array(text, { maxLength: 3 }),
  examples: fc.array(text, { maxLength: 2 }),
  more: fc.constant({}),
});
const named = { description: maybe, ai: context };
const arbitraryField = fc.record({
  ...named,
  name: text,
  label: maybe,
  dataType: fc.constantFrom(null, "String", "Opaque"),
  isTime: fc.constantFrom(null, true, false),
  distinctValues: fc.array(fc.oneof(text, fc.integer(), fc.boolean()), { maxLength: 5 }),
  type: fc.constantFrom("VARCHAR", "BIGINT[]"),
  sql: maybe,
});
const arbitraryModel: fc.Arbitrary<VisibleModel> = fc.record({
  ...named,
  id: fc.constant("0"),
  name: text,
  version: fc.constant(1),
  datasets: fc.uniqueArray(
    fc.record({
      ...named,
      name: text,
      source: text,
      primaryKey: fc.array(text, { maxLength: 2 }),
      uniqueKeys: fc.constant([]),
      rowCount: fc.option(fc.nat()),
      fields: fc.array(arbitraryField, { maxLength: 7 }),
    }),
    { maxLength: 5, selector: ({ name }) => name },
  ),
  relationships: fc.array(
    fc.record({
      name: text,
      from: text,
      to: text,
      fromColumns: fc.tuple(text),
      toColumns: fc.tuple(text),
      ai: context,
    }),
    { maxLength: 5 },
  ),
  metrics: fc.array(fc.record({ ...named, name: text, dataType: fc.constant(null), sql: text, type: text }), {
    maxLength: 5,
  }),
});

/** Quotes may be doubled, and spaces may be others. */
const normal = (value: unknown) =>
  String(value)
    .toWellFormed()
    .replace(/[\s\p{Cc}>]+/gu, " ")
    .replace(/(['"])\1+/g, "$1")
    .trim();

function allPages(whole: VisibleModel, perPage: number): string {
  const sections = DIGEST_SCOPES.flatMap((scope) => {
    const { pages } = modelDigest(whole, { scope, perPage });
    return Array.from({ length: pages }, (_, index) =>
      modelDigest(whole, { scope, page: index + 1, perPage }),
    );
  });
  const datasets = whole.datasets.flatMap(({ name }) => {
    const { pages = 1 } = datasetsDigest(whole, [{ name }], { perPage }).datasets[0] ?? {};
    return Array.from({ length: pages }, (_, index) =>
      datasetsDigest(whole, [{ name, page: index + 1 }], { perPage }),
    );
  });
  const digests = [modelDigest(whole, { perPage }), ...sections, ...datasets];
  return digests.map(({ markdown }) => markdown).join("\n");
}

describe("any model", () => {
  it("has all that its author says on one page or another", () => {
    fc.assert(
      fc.property(arbitraryModel, fc.integer({ min: 1, max: 4 }), (whole, perPage) => {
        const pages = normal(allPages(whole, perPage));
        const contexts = ({ instructions, synonyms, examples }: AiContext) => [
          instructions,
          ...synonyms,
          ...examples,
        ];
        const fields = whole.datasets.flatMap((each) => each.fields);
        const described = [whole, ...whole.datasets, ...fields, ...whole.metrics];
        const said = [
          ...described.flatMap(({ name, description, ai }) => [name, description, ...contexts(ai)]),
          ...whole.relationships.flatMap(({ name, from, to, ai }) => [name, from, to, ...contexts(ai)]),
          ...fields.flatMap(({ label, distinctValues }) => [label, ...distinctValues]),
        ];
        for (const each of said) if (each !== null) expect(pages).toContain(normal(each));
      }),
    );
  });

  it("has one line for each thing", () => {
    fc.assert(
      fc.property(arbitraryModel, (whole) => {
        for (const { name, fields } of whole.datasets) {
          const { markdown } = datasetsDigest(whole, [{ name }], { perPage: 99 });
          expect(markdown.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(fields.length);
        }
        for (const scope of DIGEST_SCOPES) {
          const { markdown } = modelDigest(whole, { scope, perPage: 99 });
          expect(markdown.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(1 + whole[scope].length);
        }
      }),
    );
  });
});
