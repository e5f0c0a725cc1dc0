import type { Caller } from "../../registry/caller.ts";
import type { BoundField, BoundModel, SeenDataset } from "./bind/index.ts";
import type { AiContext } from "./model.ts";
import type { PublishedModel } from "./models.store.ts";
import type { VisibleDataset, VisibleField, VisibleModel } from "./visible-model.ts";

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
  const isWhole = !isRowRestricted && viewQuery === null;
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
