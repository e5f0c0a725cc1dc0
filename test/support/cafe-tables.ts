import { DuckDBInstance } from "@duckdb/node-api";
import { schemaOf } from "../../src/domains/agent/query/schema.ts";
import { isAggregate } from "../../src/domains/models/guard/functions/index.ts";
import type { VisibleModel } from "../../src/domains/models/index.ts";
import { CAFE_MODEL, type CAFE_ROWS } from "./questions.ts";

/** The cafés without a server: what the compiler knows of them, and their rows in an engine. */

export type CafeRows = { [Name in keyof typeof CAFE_ROWS]: Record<string, unknown>[] };

const AI = { instructions: null, synonyms: [], examples: [], more: {} };

const TYPES: Readonly<Record<string, string>> = {
  price: "DOUBLE",
  visited_on: "DATE",
  month: "DATE",
  region_name: "VARCHAR",
  shop_name: "VARCHAR",
  city: "VARCHAR",
  guest_name: "VARCHAR",
  home: "VARCHAR",
  product: "VARCHAR",
};

interface Written {
  name: string;
  description?: string;
  datasets: {
    name: string;
    source: string;
    primary_key: string[];
    fields: { name: string; description?: string; dimension?: { is_time: boolean } }[];
  }[];
  relationships: { name: string; from: string; to: string; from_columns: string[]; to_columns: string[] }[];
  metrics: { name: string; description?: string; expression: string }[];
}

/** The model as somebody sees it from whom nothing is hidden. */
export function visibleCafe(): VisibleModel {
  const [written] = (JSON.parse(CAFE_MODEL) as { semantic_model: [Written] }).semantic_model;
  return {
    id: "cafes",
    name: written.name,
    version: 1,
    description: written.description ?? null,
    ai: AI,
    datasets: written.datasets.map(({ name, source, primary_key, fields }) => ({
      name,
      source,
      description: null,
      ai: AI,
      primaryKey: primary_key,
      uniqueKeys: [],
      rowCount: null,
      fields: fields.map((field) => ({
        name: field.name,
        label: null,
        description: field.description ?? null,
        dataType: null,
        isTime: field.dimension?.is_time ?? null,
        distinctValues: [],
        ai: AI,
        type: TYPES[field.name] ?? "INTEGER",
        sql: null,
      })),
    })),
    relationships: written.relationships.map(({ name, from, to, from_columns, to_columns }) => ({
      name,
      from,
      to,
      fromColumns: from_columns,
      toColumns: to_columns,
      ai: AI,
    })),
    metrics: written.metrics.map(({ name, description, expression }) => ({
      name,
      description: description ?? null,
      dataType: null,
      ai: AI,
      sql: expression,
      type: "DOUBLE",
    })),
  };
}

export function cafeSchema(rules = {}) {
  return schemaOf(visibleCafe(), { rules, isAggregate });
}

/** Runs SQL over these rows; values are plain numbers and texts, days as ISO dates. */
export async function openCafeTables() {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  for (const { name, fields } of visibleCafe().datasets) {
    const columns = fields.map((field) => `"${field.name}" ${field.type}`);
    await connection.run(`CREATE TABLE "${name}" (${columns.join(", ")})`);
  }
  return {
    async fill(rows: CafeRows): Promise<void> {
      for (const { name, fields } of visibleCafe().datasets) {
        await connection.run(`DELETE FROM "${name}"`);
        const values = rows[name as keyof CafeRows].map(
          (row) => `(${fields.map((field) => literal(row[field.name])).join(", ")})`,
        );
        if (values.length > 0) await connection.run(`INSERT INTO "${name}" VALUES ${values.join(", ")}`);
      }
    },
    async query(sql: string): Promise<unknown[][]> {
      const reader = await connection.runAndReadAll(sql);
      return reader
        .getRowsJson()
        .map((row) => row.map((value) => (isNumberText(value) ? Number(value) : value)));
    },
    close: () => connection.closeSync(),
  };
}

/** Large integers come as text. */
function isNumberText(value: unknown): boolean {
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value);
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}
