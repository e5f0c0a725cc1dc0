import { DuckDBInstance } from "@duckdb/node-api";
import { schemaOf } from "../../src/domains/agent/query/schema.ts";
import { isAggregate } from "../../src/domains/models/guard/functions/index.ts";
import type { VisibleModel } from "../../src/domains/models/index.ts";

/** A library, where a book has several authors and an author several books. */

const AI = { instructions: null, synonyms: [], examples: [], more: {} };

const TABLES = {
  books: { key: ["book_id"], fields: ["book_id", "title", "pages"] },
  authors: { key: ["author_id"], fields: ["author_id", "author_name", "country"] },
  writings: { key: ["book_id", "author_id"], fields: ["book_id", "author_id"] },
  loans: { key: ["loan_id"], fields: ["loan_id", "book_id", "loaned_on", "fee"] },
  notes: { key: ["note_id"], fields: ["note_id", "loan_id", "kind", "words"] },
  branches: { key: ["branch_id"], fields: ["branch_id", "branch_name", "town_id"] },
  towns: { key: ["town_id"], fields: ["town_id", "town_name"] },
  budgets: { key: ["budget_id"], fields: ["budget_id", "town_id", "amount"] },
  flights: { key: ["flight_id"], fields: ["flight_id", "origin_id", "target_id", "airline"] },
} as const;
export type LibraryRows = Record<string, Record<string, string | number | null>[]>;

const LINKS: readonly (readonly [from: string, to: string, column: string, toColumn?: string])[] = [
  ["writings", "books", "book_id"],
  ["writings", "authors", "author_id"],
  ["loans", "books", "book_id"],
  ["notes", "loans", "loan_id"],
  ["branches", "towns", "town_id"],
  ["budgets", "towns", "town_id"],
  ["flights", "towns", "origin_id", "town_id"],
  ["flights", "towns", "target_id", "town_id"],
];

const METRICS: Readonly<Record<string, string>> = {
  loans_made: "COUNT(DISTINCT loans.loan_id)",
  fees: "SUM(loans.fee)",
  average_fee: "AVG(loans.fee)",
  highest_fee: "MAX(loans.fee)",
  book_count: "COUNT(DISTINCT books.book_id)",
  all_pages: "SUM(books.pages)",
  author_count: "COUNT(DISTINCT authors.author_id)",
  fee_of_a_book: "SUM(loans.fee) / COUNT(DISTINCT books.book_id)",
  budget: "SUM(budgets.amount)",
  budget_count: "COUNT(DISTINCT budgets.budget_id)",
  town_count: "COUNT(DISTINCT towns.town_id)",
};

function typeOf(field: string): string {
  if (field === "loaned_on") return "DATE";
  return /name|title|country|kind|airline/.test(field) ? "VARCHAR" : "INTEGER";
}

const isNumber = (field: string) => /pages|fee|words|amount/.test(field);

function visibleLibrary(): VisibleModel {
  return {
    id: "library",
    name: "library",
    version: 1,
    description: null,
    ai: AI,
    datasets: Object.entries(TABLES).map(([name, { key, fields }]) => ({
      name,
      source: name,
      description: null,
      ai: AI,
      primaryKey: [...key],
      uniqueKeys: [],
      rowCount: null,
      fields: fields.map((field: string) => ({
        name: field,
        label: null,
        description: null,
        dataType: null,
        isTime: isNumber(field) ? null : field === "loaned_on",
        distinctValues: [],
        ai: AI,
        type: typeOf(field),
        sql: null,
      })),
    })),
    relationships: LINKS.map(([from, to, column, toColumn]) => ({
      name: `${from}_${column.replace(/_id$/, "")}`,
      from,
      to,
      fromColumns: [column],
      toColumns: [toColumn ?? column],
      ai: AI,
    })),
    metrics: Object.entries(METRICS).map(([name, sql]) => ({
      name,
      description: null,
      dataType: null,
      ai: AI,
      sql,
      type: "DOUBLE",
    })),
  };
}

export function librarySchema() {
  return schemaOf(visibleLibrary(), { isAggregate });
}

export async function openLibrary() {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  for (const [name, { fields }] of Object.entries(TABLES))
    await connection.run(
      `CREATE TABLE ${name} (${fields.map((field) => `${field} ${typeOf(field)}`).join(", ")})`,
    );
  const literal = (value: string | number | null | undefined) =>
    typeof value === "string" ? `'${value}'` : String(value ?? null);
  return {
    async fill(rows: LibraryRows): Promise<void> {
      for (const [name, { fields }] of Object.entries(TABLES)) {
        await connection.run(`DELETE FROM ${name}`);
        const values = (rows[name] ?? []).map(
          (row) => `(${fields.map((field) => literal(row[field])).join(", ")})`,
        );
        if (values.length > 0) await connection.run(`INSERT INTO ${name} VALUES ${values.join(", ")}`);
      }
    },
    async query(sql: string): Promise<unknown[][]> {
      const rows = (await connection.runAndReadAll(sql)).getRowsJson();
      return rows.map((row) =>
        row.map((value) =>
          typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value,
        ),
      );
    },
    close: () => connection.closeSync(),
  };
}
