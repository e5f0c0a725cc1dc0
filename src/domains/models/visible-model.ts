import type { AiContext, Field, Metric, Relationship } from "./model.ts";

/**
 * A published model as one caller sees it: without the fields, values, relationships and metrics that the policies
 * of the datasets take away, and with the types that the data really have.
 */
export interface VisibleModel {
  /** Its UUID. */
  id: string;
  name: string;
  version: number;
  /** Nobody has said what its names mean. */
  isInferred?: true;
  description: string | null;
  ai: AiContext;
  datasets: VisibleDataset[];
  relationships: Pick<Relationship, "name" | "from" | "to" | "fromColumns" | "toColumns" | "ai">[];
  /** With the type in the engine, as in a field. */
  metrics: (Pick<Metric, "name" | "description" | "dataType" | "ai"> & { sql: string; type: string })[];
}

export interface VisibleDataset {
  name: string;
  /** As `schema.table`: what its author gave no schema is in that of the workspace. */
  source: string;
  description: string | null;
  ai: AiContext;
  primaryKey: string[];
  uniqueKeys: string[][];
  /** Null where policies keep rows from this caller: then even their number is not told. */
  rowCount: number | null;
  /** Policies keep rows from this caller. */
  isRestricted?: true;
  fields: VisibleField[];
}

export interface VisibleField
  extends Pick<Field, "name" | "label" | "description" | "dataType" | "isTime" | "distinctValues" | "ai"> {
  /** The type in the engine, such as `BIGINT`. */
  type: string;
  /** How it is computed; null when it is the column of the same name. */
  sql: string | null;
}
