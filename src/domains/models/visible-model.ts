import type { Caller } from "../../registry/caller.ts";
import { isLiveDataset } from "../data/index.ts";
import type { BoundField } from "./bind/bind-dataset.ts";
import type { BoundModel, SeenDataset } from "./bind/binder.ts";
import type { AiContext, Field, Metric, Relationship } from "./model.ts";
import type { PublishedModel } from "./models.store.ts";

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

/** A published model without what the policies keep from the caller for whom it was bound. */
export function visibleModel(
  { record, version, document, isInferred }: PublishedModel,
  bound: BoundModel,
  { workspace }: Pick<Caller, "workspace">,
): VisibleModel {
  const datasets = bound.datasets.map((seen) => visibleDataset(seen, workspace.slug));
  const columns = new Map(
    bound.datasets.map(({ dataset, bound }) => [
      dataset.name.toLowerCase(),
      new Set(bound.columns.map(({ name }) => name.toLowerCase())),
    ]),
  );
  const restricted = new Set(
    bound.datasets
      .filter(({ isRowRestricted }) => isRowRestricted)
      .map(({ dataset }) => dataset.name.toLowerCase()),
  );
  const shownOf = (ai: AiContext, names: readonly string[]) =>
    names.some((name) => restricted.has(name.toLowerCase())) ? withoutValues(ai) : ai;
  const has = (dataset: string, wanted: readonly string[]) =>
    wanted.every((column) => columns.get(dataset.toLowerCase())?.has(column.toLowerCase()) ?? false);
  return {
    id: record.uuid,
    name: document.name,
    version,
    ...(isInferred === true && { isInferred }),
    description: document.description,
    ai: restricted.size > 0 ? withoutValues(document.ai) : document.ai,
    datasets,
    relationships: document.relationships
      .filter(({ from, to, fromColumns, toColumns }) => has(from, fromColumns) && has(to, toColumns))
      .map((each) => ({ ...each, ai: shownOf(each.ai, [each.from, each.to]) })),
    metrics: bound.metrics.map(({ metric, sql, type, datasets }) => ({
      ...metric,
      sql,
      type,
      ai: shownOf(metric.ai, datasets),
    })),
  };
}

function visibleDataset(
  { dataset, bases, bound, viewQuery, isRowRestricted }: SeenDataset,
  schema: string,
): VisibleDataset {
  const shown = new Set(bound.columns.map(({ name }) => name.toLowerCase()));
  const hasAll = (key: readonly string[]) => key.every((name) => shown.has(name.toLowerCase()));
  const isWhole =
    !isRowRestricted && viewQuery === null && !bases.some((base) => isLiveDataset(base.dataset));
  return {
    name: dataset.name,
    source: tableOf(dataset.source, viewQuery === null ? bases : [], schema),
    description: dataset.description,
    ai: isRowRestricted ? withoutValues(dataset.ai) : dataset.ai,
    primaryKey: hasAll(dataset.primaryKey) ? dataset.primaryKey : [],
    uniqueKeys: dataset.uniqueKeys.filter(hasAll),
    rowCount: isWhole ? (bases[0]?.dataset.rowCount ?? null) : null,
    ...(isRowRestricted && { isRestricted: true as const }),
    fields: bound.fields.map((each) => visibleField(each, isRowRestricted)),
  };
}

function tableOf(source: string, bases: SeenDataset["bases"], schema: string): string {
  const isPlainName = bases.some(({ dataset }) => dataset.name.toLowerCase() === source.toLowerCase());
  return isPlainName ? `${schema}.${source}` : source;
}

function visibleField({ field, type, sql }: BoundField, isRowRestricted: boolean): VisibleField {
  const { name, label, description, dataType, isTime, distinctValues, ai } = field;
  return {
    name,
    label,
    description,
    dataType,
    isTime,
    type,
    sql,
    distinctValues: isRowRestricted ? [] : distinctValues,
    ai: isRowRestricted ? withoutValues(ai) : ai,
  };
}

/** Values that the author wrote down may come from rows that this caller does not see. */
function withoutValues(ai: AiContext): AiContext {
  return { ...ai, examples: [], more: {} };
}
