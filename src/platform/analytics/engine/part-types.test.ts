import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import { type Column, inferColumns, type JsonValue, type Part, widenColumns } from "../index.ts";
import { widenColumn } from "../types/widen.ts";

let analytics: TestAnalytics;
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
});
afterAll(() => analytics.remove());

type Fields = Record<string, unknown>;

const write = (row: Fields, target: { columns?: Column[]; into?: Column[] } = {}): Promise<Part> =>
  analytics.rowsToPart({ rows: [row], key: analytics.key(), ...target });

async function read(parts: readonly Part[], columns: readonly Column[], select?: string): Promise<Fields[]> {
  const version = `${parts.map(({ key }) => key).join()} ${JSON.stringify(columns)} ${select}`;
  const tableView = { name: "t", parts: parts.map(({ path }) => path), columns, version };
  const policy = select === undefined ? {} : { select, isRestricted: true };
  const { rows } = await analytics.query({
    scope: "w",
    tableViews: [{ ...tableView, ...policy }],
    sql: "SELECT * FROM t",
  });
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
}

const merge = (parts: readonly Part[], columns: readonly Column[]): Promise<Part> =>
  analytics.mergeParts({ parts: parts.map(({ path }) => path), columns, key: analytics.key() });

/** What is left when only the form differs: a number and its text, a day and its midnight, no field and null. */
function canonical(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value === "object") {
    const fields = Object.entries(value).map(([name, field]) => [name, canonical(field)] as const);
    return Object.fromEntries(
      fields.filter(([, field]) => field !== null).sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }
  const text = String(value);
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const time = text.replace(" ", "T").replace(/[+]00(:00)?$|Z$/, "");
    return new Date(time.includes("T") ? `${time}Z` : time).toISOString();
  }
  if (text === "P1D") return "1 day";
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text) ? String(Number(text)) : text;
}

/** In a text column, objects and lists are their JSON. */
function same(got: unknown, sent: unknown, type: string): void {
  const isInText = type === "VARCHAR" && typeof sent === "object" && sent !== null;
  expect(canonical(isInText ? JSON.parse(got as string) : got)).toEqual(canonical(sent));
}

const KINDS: Readonly<Record<string, { type: string; value: JsonValue }>> = {
  boolean: { type: "BOOLEAN", value: true },
  integer: { type: "INTEGER", value: 7 },
  bigint: { type: "BIGINT", value: "4611686018427387904" },
  huge: { type: "DECIMAL(38,0)", value: "12345678901234567890123456789012345678" },
  decimal: { type: "DECIMAL(10,2)", value: 1.25 },
  double: { type: "DOUBLE", value: 2.5 },
  date: { type: "DATE", value: "2024-02-29" },
  timestamp: { type: "TIMESTAMP", value: "2024-02-29T10:00:00" },
  nanoseconds: { type: "TIMESTAMP_NS", value: "2024-02-29T10:00:00" },
  zoned: { type: "TIMESTAMP WITH TIME ZONE", value: "2024-02-29T10:00:00Z" },
  time: { type: "TIME", value: "10:00:00" },
  interval: { type: "INTERVAL", value: "1 day" },
  text: { type: "VARCHAR", value: "it's {'x': 1}" },
  "text of JSON": { type: "VARCHAR", value: '{"x": 1}' },
  uuid: { type: "UUID", value: "0b7b5a58-7d5c-4e2c-8f4c-7c6f3d1b2a3c" },
  "integer list": { type: "BIGINT[]", value: [1, 2] },
  "text list": { type: "VARCHAR[]", value: ["a", '"b"'] },
  "empty list": { type: "NULL[]", value: [] },
  object: { type: 'STRUCT("x" BIGINT)', value: { x: 1 } },
  "object of text": { type: 'STRUCT("x" VARCHAR)', value: { x: "{" } },
  "nested object": { type: 'STRUCT("x" STRUCT("y" BIGINT[]), "z" DATE)', value: { x: { y: [1] }, z: null } },
  "object of JSON": { type: 'STRUCT("x" JSON)', value: { x: { a: [1, "b"] } } },
  "objects in a list": { type: 'STRUCT("x" VARCHAR)[]', value: [{ x: "q" }] },
  "objects of JSON in a list": { type: 'STRUCT("x" JSON)[]', value: [{ x: { a: 1 } }, { x: "q" }] },
  "JSON object": { type: "JSON", value: { a: [1, null, "x"] } },
  "JSON text": { type: "JSON", value: "plain" },
  map: { type: "MAP(VARCHAR, BIGINT)", value: { k: 1 } },
};

describe("two parts of one column", () => {
  const pairs = Object.entries(KINDS).flatMap(([a, first]) =>
    Object.entries(KINDS).map(([b, second]) => ({ name: `${a}, then ${b}`, first, second })),
  );
  const accepted = pairs.flatMap((pair) => {
    const type = widenColumn(pair.first.type, pair.second.type);
    return type === undefined ? [] : [{ ...pair, type }];
  });
  const columns = accepted.map(({ name, type }) => ({ name, type }));

  it("are refused, or of a type that the first one had a use for", () => {
    expect(accepted.length).toBeGreaterThan(150);
    const lost = accepted.filter(
      ({ first, type }) =>
        /^(?:BOOLEAN|INTEGER|BIGINT|DATE|DOUBLE|DECIMAL.*|TIME.*|INTERVAL)$/.test(first.type) &&
        /^(?:VARCHAR|JSON)$/.test(type),
    );
    expect(lost.map(({ name }) => name)).toEqual([]);
    expect(accepted.filter(({ first, type }) => first.type === "VARCHAR" && type !== "VARCHAR")).toEqual([]);
  });

  it("give every value of every accepted pair, in order, and again when they are one part", async () => {
    const part = (which: "first" | "second"): Promise<Part> =>
      write(Object.fromEntries(accepted.map((pair) => [pair.name, pair[which].value])), {
        columns: accepted.map((pair) => ({ name: pair.name, type: pair[which].type })),
      });
    const parts = [await part("first"), await part("second"), await part("first")];
    const check = (rows: readonly Fields[]): void => {
      expect(rows).toHaveLength(3);
      for (const { name, type, first, second } of accepted) {
        same(rows[0]?.[name], first.value, type);
        same(rows[1]?.[name], second.value, type);
        same(rows[2]?.[name], first.value, type);
      }
    };
    check(await read(parts, columns));
    check(await read(parts, columns, "SELECT * FROM raw WHERE true"));
    const merged = await merge(parts, columns);
    expect(merged.columns.map(({ type }) => type)).not.toContain("NULL");
    check(await read([merged], columns));
    check((await read([await merge(parts.slice(0, 2), columns), parts[2]!], columns)).slice(0, 3));
  });

  it("keep the order of many rows, with and without a policy", async () => {
    const rowsFrom = (first: number, isText: boolean): Fields[] =>
      Array.from({ length: 150_000 }, (_, index) => ({
        id: first + index,
        v: isText ? `text ${index}` : { x: index },
      }));
    const parts: Part[] = [];
    for (const [index, isText] of [true, false, true].entries()) {
      const rows = rowsFrom(index * 150_000, isText);
      parts.push(await analytics.rowsToPart({ rows, key: analytics.key() }));
    }
    for (const policy of [{}, { select: "SELECT * FROM raw WHERE id >= 0", isRestricted: true }]) {
      const tableView = {
        name: "t",
        parts: parts.map(({ path }) => path),
        columns: parts[0]!.columns,
        version: JSON.stringify(policy),
        ...policy,
      };
      const request = { scope: "w", tableViews: [tableView] };
      let next = 0;
      let isOrdered = true;
      for await (const { rows } of analytics.queryStream({ ...request, sql: "SELECT * FROM t" }))
        for (const [id] of rows) isOrdered &&= id === next++;
      expect({ next, isOrdered }).toEqual({ next: 450_000, isOrdered: true });
      const page = await analytics.query({
        ...request,
        sql: "SELECT * FROM (SELECT * FROM t) LIMIT 3 OFFSET 149999",
      });
      expect(page.rows).toEqual([
        [149_999, "text 149999"],
        [150_000, '{"x":0}'],
        [150_001, '{"x":1}'],
      ]);
    }
  });

  it("keep nothing where there was nothing", async () => {
    const nothing = await write({ id: 0 });
    const values = await write(Object.fromEntries(accepted.map(({ name, second }) => [name, second.value])), {
      columns: accepted.map(({ name, second }) => ({ name, type: second.type })),
    });
    const empty = await write(Object.fromEntries(accepted.map(({ name }) => [name, null])));
    const rows = await read([nothing, values, empty], columns);
    expect(Object.values(rows[0]!).every((value) => value === null)).toBe(true);
    expect(Object.values(rows[2]!).every((value) => value === null)).toBe(true);
  });
});

describe("rows that join others", () => {
  it("are written in the types and spellings that are there", async () => {
    const into = [
      { name: "S", type: "VARCHAR" },
      { name: "n", type: "DOUBLE" },
      { name: "j", type: "JSON" },
      { name: "left", type: "DATE" },
    ];
    const part = await write({ s: { x: [1] }, n: 1, j: "text", more: true }, { into });
    expect(part.columns).toEqual([...into.slice(0, 3), { name: "more", type: "BOOLEAN" }]);
    expect(await read([part], part.columns)).toEqual([{ S: '{"x":[1]}', n: 1, j: "text", more: true }]);
  });

  it("are refused by row and value", async () => {
    const rows = [{ n: 1 }, { n: null }, { N: `three ${"x".repeat(100)}` }];
    const into = [{ name: "n", type: "BIGINT" }];
    await expect(analytics.rowsToPart({ rows, into, key: analytics.key() })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(
        /^Column "n" holds whole numbers and cannot take text\. rows\[2\] has "three x{50,60}…\.$/,
      ),
      hint: "Send numbers, or use another column name.",
      data: { column: "n", type: "BIGINT", incomingType: "VARCHAR", row: 2 },
    });
  });

  it.each([
    [[{}], "No row has a field: a row needs at least one."],
    [
      [{ a: 1 }, { b: 1, B: 2 }],
      'rows[1] has both "b" and "B", which name the same column: case does not count.',
    ],
  ])("%j are refused", async (rows, message) => {
    await expect(analytics.rowsToPart({ rows, key: analytics.key() })).rejects.toMatchObject({
      code: "bad_request",
      message,
    });
  });
});

describe("whatever is pushed", () => {
  const isLong = process.env.KENNING_TEST_LONG === "1";
  const scalar = fc.oneof(
    fc.boolean(),
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.integer({ min: -4_000, max: 4_000 }).map((n) => n / 8 + 0.0625),
    fc.constantFrom("2024-02-29", "1999-12-31"),
    fc.constantFrom("2024-02-29T10:00:00", "2024-02-29 10:00"),
    fc.constantFrom("2024-02-29T10:00:00Z"),
    fc.constantFrom("", "x", "null", "{", '{"a":1}', "{'a': 1}", "[1", '"q"', "12", "true", "ä\n"),
  );
  const { value } = fc.letrec<{ value: unknown; nested: unknown }>((tie) => ({
    nested: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      scalar,
      fc.constant(null),
      fc.array(tie("nested"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "c d"), tie("nested"), { maxKeys: 3, noNullPrototype: true }),
    ),
    value: fc.oneof(
      { weight: 3, arbitrary: scalar },
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 3, arbitrary: tie("nested") },
      { weight: 1, arbitrary: tie("nested").map((inner) => wrap(inner, 8)) },
    ),
  }));
  const batch = fc.record({
    isKnown: fc.boolean(),
    rows: fc.array(fc.array(value, { minLength: 12, maxLength: 12 }), { minLength: 1, maxLength: 2 }),
  });

  function wrap(inner: unknown, depth: number): unknown {
    return depth === 0 ? inner : { a: wrap(inner, depth - 1) };
  }

  it("is there afterwards, or was refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 2, maxLength: 4 }), async (batches) => {
        let columns: Column[] = [];
        const parts: Part[] = [];
        const sent: Fields[] = [];
        for (const { isKnown, rows } of batches) {
          // Each value stands in a column of its own, so that one that is refused takes no other with it.
          const named = rows.map((row) => Object.fromEntries(row.map((each, index) => [`c${index}`, each])));
          const refused = inferColumns(named).filter(({ name, type }) => {
            const present = columns.find((column) => column.name === name);
            return present !== undefined && widenColumn(present.type, type) === undefined;
          });
          const kept = named.map((row) => ({
            ...Object.fromEntries(
              Object.entries(row).filter(([key]) => !refused.some(({ name }) => name === key)),
            ),
            id: 1,
          }));
          // One who pushes at the same time as another does not know of its columns.
          const into = isKnown ? { into: columns } : {};
          parts.push(await analytics.rowsToPart({ rows: kept, key: analytics.key(), ...into }));
          sent.push(...kept);
          columns = widenColumns(columns, parts.at(-1)!.columns);
        }
        const check = (rows: readonly Fields[]): void => {
          expect(rows).toHaveLength(sent.length);
          for (const [index, row] of rows.entries())
            for (const { name, type } of columns) same(row[name], sent[index]![name], type);
        };
        check(await read(parts, columns));
        check(await read([await merge(parts, columns)], columns));
      }),
      { numRuns: isLong ? 400 : 25 },
    );
  }, 600_000);
});
