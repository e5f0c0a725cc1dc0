import type { DatasetPolicy } from "../data/index.ts";

/**
 * A semantic model as Kenning keeps it, whichever file it came from. It is plain JSON: drafts and published
 * versions are stored in this form, and files are read into it and written from it (`format/`).
 */
export interface SemanticModel {
  name: string;
  description: string | null;
  ai: AiContext;
  datasets: ModelDataset[];
  relationships: Relationship[];
  metrics: Metric[];
  /** Other vendors' extensions; preserved as they are, for export. */
  extensions: Extension[];
}

/** Instructions of the model's author to people and language models. */
export interface AiContext {
  instructions: string | null;
  synonyms: string[];
  examples: string[];
  /** Further keys of the file's `ai_context`. */
  more: Record<string, unknown>;
}

export interface ModelDataset {
  name: string;
  /** The dataset behind it: its name in the workspace, or `database.schema.table` whose last part is that name. */
  source: string;
  /** One SELECT over datasets of the workspace that stands in the place of the source. */
  viewQuery: string | null;
  primaryKey: string[];
  uniqueKeys: string[][];
  description: string | null;
  ai: AiContext;
  fields: Field[];
  /** Take away beyond what the policies of the dataset itself take away; over the dataset's own columns. */
  policies: DatasetPolicy[];
  extensions: Extension[];
}

export const DATA_TYPES = [
  "String",
  "Integer",
  "Decimal",
  "Float",
  "Boolean",
  "Date",
  "Time",
  "DateTime",
  "DateTimeTz",
  "Opaque",
] as const;
export type DataType = (typeof DATA_TYPES)[number];

export interface Field {
  name: string;
  expression: Expression;
  label: string | null;
  description: string | null;
  /** What the author says of its type; `typeText` is how, where it is not one of the format's own types. */
  dataType: DataType | null;
  typeText: string | null;
  /** Null when it is no dimension; otherwise whether it is one of time. */
  isTime: boolean | null;
  /** All values that occur, where they are few. */
  distinctValues: (string | number | boolean)[];
  ai: AiContext;
  extensions: Extension[];
}

/** SQL for one or more dialects, in the order of the file. */
export interface Expression {
  dialects: { dialect: string; expression: string }[];
}

/** Every row of `from` has at most one partner in `to`. */
export interface Relationship {
  name: string;
  from: string;
  to: string;
  fromColumns: string[];
  toColumns: string[];
  ai: AiContext;
  extensions: Extension[];
}

export interface Metric {
  name: string;
  expression: Expression;
  description: string | null;
  dataType: DataType | null;
  ai: AiContext;
  extensions: Extension[];
}

export interface Extension {
  vendor: string;
  data: unknown;
}

/** Something about a model that its author should know. Errors keep it from being published. */
export interface Problem {
  severity: "error" | "warning";
  message: string;
  /** What to do about it. */
  hint?: string;
  /** Where in the model: `datasets.orders.fields.total`. */
  path: string;
  file?: string;
  /** Counts from 1. */
  line?: number;
}

/** The dialects that DuckDB understands well enough, best first. */
const DIALECTS = ["DUCKDB", "ANSI_SQL"];

/** The dialect whose expression is taken although our engine may not understand it. */
export function foreignDialect({ dialects }: Expression): string | undefined {
  const isOurs = dialects.some(({ dialect }) => DIALECTS.includes(dialect.toUpperCase()));
  return isOurs ? undefined : dialects[0]?.dialect;
}

/** The SQL of an expression for our engine; the first one if none is in a dialect that it surely understands. */
export function sqlOf({ dialects }: Expression): string {
  for (const wanted of DIALECTS) {
    const found = dialects.find(({ dialect }) => dialect.toUpperCase() === wanted);
    if (found !== undefined) return found.expression;
  }
  return dialects[0]?.expression ?? "";
}
