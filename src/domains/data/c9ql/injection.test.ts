import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { NOW, TestTable } from "../../../../test/support/c9ql-table.ts";
import { anyName, anyText, tokenSoup } from "../../../../test/support/c9ql-trees.ts";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import { filtersToQuery } from "../row-query.ts";
import { type CompileOptions, compile, parse, print } from "./index.ts";

const isLong = process.env.KENNING_TEST_LONG !== undefined;

/** What an attacker controls: names of columns, texts, aliases, formats, paths, parameters. */
interface Hostile {
  a: string;
  b: string;
  text: string;
  alias: string;
  field: string;
  parameter: string;
}

const hostile: fc.Arbitrary<Hostile> = fc
  .record({ a: anyName, b: anyName, text: anyText, alias: anyName, field: anyName, parameter: anyText })
  .filter(({ a, b, alias }) => new Set([a, b, alias].map((name) => name.toLowerCase())).size === 3)
  .filter(
    ({ text, parameter }) => ![text, parameter].some((each) => each.trim().toLowerCase().startsWith("$c9_")),
  );

const HARMLESS: Hostile = { a: "a", b: "b", text: "t", alias: "c", field: "f", parameter: "p" };

const quoted = (text: string, quote: string) => quote + text.replaceAll(quote, quote + quote) + quote;

/** An escape in a pattern is another operator, and meant to be. */
const plain = (text: string) => text.replaceAll("\\", "/");

/** Queries with a place for each of these. */
const TEMPLATES: readonly ((input: Hostile) => string)[] = [
  ({ a, text }) => `select * where ${quoted(a, "`")} = ${quoted(text, "'")}`,
  ({ a, text, alias }) =>
    `select ${quoted(a, '"')} as ${quoted(alias, '"')} where ${quoted(a, "`")} like ${quoted(plain(text), "'")}`,
  ({ a, b, text }) =>
    `select sum(${quoted(b, "`")}), ${quoted(a, "`")} where ${quoted(a, "`")} in (${quoted(text, "'")}, 'x') group by ${quoted(a, "`")} order by 1`,
  ({ a, field }) => `select ${quoted(a, "`")}.${quoted(field, '"')} as path where path != 'y'`,
  ({ a, b, text }) =>
    `select concat(${quoted(a, "`")}, ${quoted(text, "'")}) as x, case when ${quoted(b, "`")} > 1 then ${quoted(text, "'")} else 'z' end as y; select x, count(*) as n group by x`,
  ({ a, text }) =>
    `select regex_replace(${quoted(a, "`")}, 'q', ${quoted(text, "'")}), split(${quoted(a, "`")}, ${quoted(text, "'")})[0]`,
  ({ a }) => `select *, ~${quoted(a, "`")} where ${quoted(a, "`")} = $c9_p$ or ${quoted(a, "`")} like $c9_p$`,
  ({ a, alias }) =>
    `select max(${quoted(a, "`")}) as ${quoted(alias, '"')}; select ${quoted(alias, "`")}, upper(${quoted(alias, "`")})`,
];

function options({ a, b, parameter }: Hostile): CompileOptions {
  const source = `(SELECT CAST(NULL AS VARCHAR) AS ${quoteName(a)}, CAST(NULL AS BIGINT) AS ${quoteName(b)})`;
  const columns = [
    { name: a, type: "VARCHAR" },
    { name: b, type: "BIGINT" },
  ];
  return { columns, source, parameters: { p: plain(parameter) }, now: NOW, timezone: "UTC" };
}

/** DuckDB's tree without what may differ: names, constants and places. */
function skeleton(tree: unknown): unknown {
  return JSON.parse(
    JSON.stringify(tree, (key, value) => {
      if (["query_location", "alias", "column_names", "value", "identifier", "named_param_map"].includes(key))
        return "";
      return value;
    }),
  );
}

/** Everything in DuckDB's tree that reads from somewhere, and every function that is called. */
function inventory(tree: unknown) {
  const found = { statements: 0, tables: [] as string[], reads: [] as string[], subqueries: 0 };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { type, table_name, class: kind } = node as Record<string, unknown>;
    if (type === "BASE_TABLE") found.tables.push(String(table_name));
    if (type === "TABLE_FUNCTION" || type === "JOIN" || type === "SET_OPERATION_NODE")
      found.reads.push(String(type));
    if (kind === "SUBQUERY") found.subqueries += 1;
    Object.values(node).forEach(visit);
  };
  const { error, statements } = tree as { error: boolean; statements?: unknown[] };
  expect(error).toBe(false);
  found.statements = statements?.length ?? 0;
  visit(statements);
  return found;
}

describe("a query", { timeout: 600_000 }, () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await TestTable.open();
  });

  it("keeps its structure whatever the names and texts in it are", async () => {
    const shapes = await Promise.all(
      TEMPLATES.map(async (template) => {
        const { sql } = compile(parse(template(HARMLESS)), options(HARMLESS));
        return JSON.stringify(skeleton(await table.tree(sql)));
      }),
    );
    const numbered = fc.integer({ min: 0, max: TEMPLATES.length - 1 });
    await fc.assert(
      fc.asyncProperty(hostile, numbered, async (input, index) => {
        const text = (TEMPLATES[index] as (typeof TEMPLATES)[0])(input);
        const { sql, params, columns } = compile(parse(text), options(input));
        expect(JSON.stringify(skeleton(await table.tree(sql)))).toBe(shapes[index]);
        const { names } = await table.sql(sql, params);
        expect(names).toEqual(columns.map(({ name }) => name));
      }),
      { numRuns: isLong ? 20_000 : 1_500 },
    );
  });

  it("is one SELECT over its one source, whatever its text is", async () => {
    let compiled = 0;
    const columns = ["Sent", "Message Type", "name", "exact"].map((name) => ({ name, type: "BIGINT" }));
    await fc.assert(
      fc.asyncProperty(tokenSoup, async (text) => {
        const sql = sqlOrNothing(text, { columns, source: '"sales"', now: NOW, timezone: "UTC" });
        if (sql === undefined) return;
        compiled += 1;
        const { statements, tables, reads, subqueries } = inventory(await table.tree(sql));
        expect({ statements, tables, reads, subqueries }).toEqual({
          statements: 1,
          tables: ["sales"],
          reads: [],
          subqueries: 0,
        });
      }),
      { numRuns: isLong ? 50_000 : 5_000 },
    );
    expect(compiled).toBeGreaterThan(10);
  });

  it("holds for filters too, also after printing and reading again", async () => {
    await fc.assert(
      fc.asyncProperty(
        hostile,
        fc.constantFrom("=", "!=", "like", "in", "between"),
        async (input, operator) => {
          const value = operator === "between" ? [input.text, "z"] : [input.text];
          const query = filtersToQuery([{ field: input.a, operator, value }]);
          const { sql, params } = compile(query, options(input));
          expect(inventory(await table.tree(sql)).statements).toBe(1);
          expect(compile(parse(print(query)), options(input)).sql).toBe(sql);
          await table.sql(sql, params);
        },
      ),
      { numRuns: isLong ? 5_000 : 500 },
    );
  });

  it("refuses NUL in names, aliases and texts", () => {
    const columns = [{ name: "a\u0000b", type: "VARCHAR" }];
    expect(() => table.compile("select *, 1 as x", { columns })).toThrow(AppError);
    expect(() => table.compile('select Region as "a\u0000b"')).toThrow(AppError);
    const filter = filtersToQuery([{ field: "Region", operator: "=", value: "\u00000\u0000" }]);
    expect(() => compile(filter, { ...options(HARMLESS), columns: table.columns })).toThrow(/NUL/);
  });

  it("binds what comes in by parameters, and nothing else", () => {
    const text =
      "where Region = 'West' and Message Type in $c9_types$ and Sent > $c9_least$ and Date >= $c9_from$";
    const types = ["'; DROP TABLE sales; --", "b", "b"];
    const { sql, params } = table.compile(text, {
      parameters: { types, least: "5", from: "2024-01-01" },
      firstParam: 3,
    });
    expect(params).toEqual(["'; DROP TABLE sales; --", "b"]);
    expect(sql.slice(sql.indexOf(" FROM "))).toBe(
      ` FROM "sales" AS "c9" WHERE (("c9"."Region" = 'West') AND ("c9"."Message Type" IN ($3, $4, $4)) AND ("c9"."Sent" > 5) AND ("c9"."Date" >= DATE '2024-01-01'))`,
    );
  });
});

function sqlOrNothing(text: string, given: CompileOptions): string | undefined {
  try {
    return compile(parse(text, given), given).sql;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return undefined;
  }
}
