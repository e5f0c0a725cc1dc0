import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { TestTable } from "../../../../test/support/c9ql-table.ts";
import { AppError, messageOf } from "../../../kernel/errors.ts";
import { FUNCTION_NAMES, UNAVAILABLE } from "./functions.ts";
import { asQueryError, parse, print } from "./index.ts";
import { DATE_TOKENS } from "./parameters.ts";

/** docs/c9ql.md is run: every example gives the table or the error that stands below it. */

const PAGE = readFileSync(join(import.meta.dirname, "../../../../docs/c9ql.md"), "utf8");

const DATA: Readonly<Record<string, string>> = {
  campaigns: `CREATE TABLE campaigns AS SELECT * FROM (VALUES
    (DATE '2024-01-05', 'Acme', 'Transactional', 1000, 400),
    (DATE '2024-02-10', 'Acme', 'Promotional', 500, 50),
    (DATE '2024-02-20', 'Bolt', 'Transactional', 800, 600),
    (DATE '2024-03-05', 'Bolt', 'Promotional', 200, NULL),
    (DATE '2024-03-06', 'Core', 'Promotional', 0, 0)
  ) AS t("Date", "Customer", "Message Type", "Sent", "Opened")`,
  orders: `CREATE TABLE orders AS SELECT * FROM (VALUES
    (1, {'name': 'Ann', 'city': 'Bern'}, [{'name': 'pen', 'price': 1.5::DOUBLE}, {'name': 'ink', 'price': 4::DOUBLE}],
      ['new', 'big', 'web'], '{"gift": true}'),
    (2, {'name': 'Bob', 'city': 'Oslo'}, [{'name': 'pad', 'price': 3::DOUBLE}], [], NULL)
  ) AS t("Number", "Buyer", "Items", "Tags", "Note")`,
  prices: `CREATE TABLE prices AS SELECT * FROM (VALUES
    ('pen', '950', '31-Jan-2024'), ('ink', '1,200', '15-Feb-2024'), ('pad', NULL, 'soon'), ('cap', '80', '')
  ) AS t("Item", "Price", "Since")`,
};

interface Example {
  query: string;
  dataset: string;
  /** The lines of the table below it. */
  table: string[] | undefined;
  error: string | undefined;
}

const EXAMPLES: Example[] = [
  ...PAGE.matchAll(/```c9ql ?(\w*)\n(.*?)\n```\n(?:```error\n(.*?)\n```|((?:\|[^\n]*\n)+))?/gs),
].map(([, dataset, query, error, table]) => ({
  query: query as string,
  dataset: dataset === undefined || dataset === "" ? "campaigns" : dataset,
  table: table?.trim().split("\n"),
  error,
}));

/** A result as the page shows it. */
function asMarkdown(names: readonly string[], rows: readonly (readonly unknown[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(names), line(names.map(() => "---")), ...rows.map((row) => line(row.map(cellOf)))];
}

function cellOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "number") return String(Number(value.toPrecision(12)));
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** As the analytics engine hands on what DuckDB says. */
function asAppError(thrown: unknown): unknown {
  return asQueryError(thrown instanceof AppError ? thrown : new AppError("bad_request", messageOf(thrown)));
}

describe("the reference", () => {
  const tables = new Map<string, TestTable>();
  beforeAll(async () => {
    for (const [name, set] of Object.entries(DATA)) tables.set(name, await TestTable.open(set, name));
  });

  it("has examples", () => {
    expect(EXAMPLES.length).toBeGreaterThan(30);
    expect(PAGE.match(/```c9ql/g)?.length).toBe(EXAMPLES.length);
  });

  it.each(EXAMPLES)("$query", async ({ query, dataset, table, error }) => {
    const data = tables.get(dataset) as TestTable;
    const run = () => data.rows(query, { source: dataset });
    if (error !== undefined) {
      const failure = await run().catch(asAppError);
      expect(failure).toBeInstanceOf(AppError);
      expect((failure as AppError).advice.replace(/^C9QL(?:, line \d+, column \d+)?: /, "")).toContain(error);
      return;
    }
    const { names, rows } = await run();
    expect(table).toEqual(asMarkdown(names, rows));
    const printed = print(parse(query, { columns: data.columns }));
    expect((await data.rows(printed, { source: dataset })).rows).toEqual(rows);
  });

  it("names every function, date token and what is not there yet", () => {
    const named = new Set([...PAGE.matchAll(/`([a-z_]+)(?:\(|`)/g)].map(([, name]) => name));
    expect(FUNCTION_NAMES.filter((name) => !named.has(name))).toEqual([]);
    expect(Object.keys(UNAVAILABLE).filter((name) => !named.has(name))).toEqual([]);
    expect(Object.keys(DATE_TOKENS).filter((name) => !PAGE.includes(`\`$c9_${name}\``))).toEqual([]);
  });
});
