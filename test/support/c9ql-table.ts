import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import {
  type CompiledQuery,
  type CompileOptions,
  compile,
  compileOn,
  parse,
} from "../../src/domains/data/c9ql/index.ts";
import { quoteText } from "../../src/kernel/sql-text.ts";

/** Fixed, so that date tokens mean the same in every run. A Wednesday. */
export const NOW = new Date("2024-03-06T12:30:00Z");

const TABLES = `
  CREATE TABLE sales AS SELECT * FROM (VALUES
    (1, 'West', 'Transactional', 100, 40, DATE '2024-01-05', TIMESTAMP '2024-01-05 10:00:00', true,
      [{'name': 'pen', 'price': 1.5}, {'name': 'ink', 'price': 4.0}], {'first': 'Ann', 'zip code': '94016'},
      '{"device": {"os": "ios"}, "tags": ["a", "b"]}', '01/31/2024'),
    (2, 'East', 'Promotional', 300, 90, DATE '2024-02-10', TIMESTAMP '2024-02-10 11:15:00', false,
      [{'name': 'pad', 'price': 3.0}], {'first': 'Bob', 'zip code': '10001'},
      '{"device": {"os": "android"}, "tags": []}', '02/10/2024'),
    (3, 'West', 'Promotional', 50, NULL, DATE '2024-03-05', TIMESTAMP '2024-03-05 23:30:00', NULL,
      [], {'first': 'Cid', 'zip code': NULL}, NULL, 'soon'),
    (4, 'North', 'Transactional', 0, 0, DATE '2024-03-06', TIMESTAMP '2024-03-06 08:00:00', true,
      NULL, NULL, 'no json', NULL)
  ) AS t(id, "Region", "Message Type", "Sent", "Opened", "Date", "Created", "Active", "Items", "Customer", "Extra",
    "Due");
  ALTER TABLE sales ADD COLUMN "Seen" TIMESTAMP WITH TIME ZONE;
  UPDATE sales SET "Seen" = TIMESTAMPTZ '2024-03-06 22:30:00+00' - to_days(CAST(id - 1 AS INTEGER));
`;

export interface ResultTable {
  names: string[];
  types: string[];
  rows: unknown[][];
}

/** A small table in DuckDB, and queries against it. */
export class TestTable {
  readonly columns: CompileOptions["columns"];
  readonly #connection: DuckDBConnection;

  private constructor(columns: CompileOptions["columns"], connection: DuckDBConnection) {
    this.columns = columns;
    this.#connection = connection;
  }

  static async open(set: string = TABLES, table = "sales"): Promise<TestTable> {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run("SET threads = 2; SET TimeZone = 'UTC'");
    await connection.run(set);
    const described = await connection.runAndReadAll(`DESCRIBE ${table}`);
    const columns = described.getRowsJson().map((row) => ({ name: String(row[0]), type: String(row[1]) }));
    return new TestTable(columns, connection);
  }

  compile(text: string, options: Partial<CompileOptions> = {}): CompiledQuery {
    const columns = options.columns ?? this.columns;
    return compile(parse(text, { columns }), {
      columns,
      source: '"sales"',
      now: NOW,
      timezone: "UTC",
      ...options,
    });
  }

  async sql(sql: string, params: readonly string[] = []): Promise<ResultTable> {
    const reader = await this.#connection.runAndReadAll(sql, [...params]);
    return {
      names: reader.columnNames(),
      types: reader.columnTypes().map(String),
      rows: reader.getRowsJson(),
    };
  }

  /** Lets DuckDB read the SQL and bind its names and types, without running it. */
  async prepare(sql: string): Promise<void> {
    (await this.#connection.prepare(sql)).destroySync();
  }

  /** DuckDB's own tree of a query. */
  async tree(sql: string): Promise<unknown> {
    const { rows } = await this.sql(`SELECT json_serialize_sql(${quoteText(sql)})`);
    return JSON.parse(String(rows[0]?.[0]));
  }

  /** The result of a query, after checking that its columns are what the compiler said. */
  async rows(text: string, options: Partial<CompileOptions> = {}): Promise<ResultTable> {
    const columns = options.columns ?? this.columns;
    const whole = { columns, source: '"sales"', now: NOW, timezone: "UTC", ...options };
    const compiled = await compileOn(parse(text, { columns }), whole, async (sql, params) =>
      (await this.sql(sql, params)).rows.map(([value]) => value as string | null),
    );
    const result = await this.sql(compiled.sql, compiled.params);
    const described = await this.sql(`DESCRIBE ${compiled.sql}`, compiled.params);
    const types = described.rows.map((row) => String(row[1]));
    compiled.columns.forEach(({ name, type }, index) => {
      if (name !== result.names[index] || (type !== undefined && type !== types[index])) {
        throw new Error(`${text}: ${name} ${type} is ${result.names[index]} ${types[index]}`);
      }
    });
    if (compiled.columns.length !== result.names.length) throw new Error(`${text}: columns are missing`);
    return result;
  }

  async values(text: string, options: Partial<CompileOptions> = {}): Promise<unknown[][]> {
    return (await this.rows(text, options)).rows;
  }
}
