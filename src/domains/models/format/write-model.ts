import { Document, isMap, isScalar, isSeq } from "yaml";
import type {
  AiContext,
  Expression,
  Extension,
  Field,
  Metric,
  ModelDataset,
  Relationship,
  SemanticModel,
} from "../model.ts";
import { isTemporal, putIn, writtenDialects } from "./extensions.ts";

/** Longest list that is written in one line. */
const LINE_CHARACTERS = 100;

/** A model as an Ossie 0.2.0.dev0 file: always the same text for the same model. */
export function writeModel(model: SemanticModel): string {
  const file = { version: "0.2.0.dev0", semantic_model: [modelOf(model)] };
  const document = new Document(file, { aliasDuplicateObjects: false });
  layOut(document.contents);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function modelOf({ name, description, ai, datasets, relationships, metrics, extensions }: SemanticModel) {
  return filled({
    name,
    description,
    ai_context: aiOf(ai),
    datasets: datasets.map(datasetOf),
    relationships: some(relationships.map(relationshipOf)),
    metrics: some(metrics.map(metricOf)),
    custom_extensions: extensionsOf(extensions),
  });
}

function datasetOf(dataset: ModelDataset) {
  const common = { view_query: dataset.viewQuery ?? undefined };
  const kenning = { policies: some(dataset.policies) };
  return filled({
    name: dataset.name,
    source: dataset.source,
    primary_key: some(dataset.primaryKey),
    unique_keys: some(dataset.uniqueKeys),
    description: dataset.description,
    ai_context: aiOf(dataset.ai),
    fields: some(dataset.fields.map(fieldOf)),
    custom_extensions: extensionsOf(dataset.extensions, common, kenning),
  });
}

function fieldOf(field: Field) {
  const { expression, others } = expressionOf(field.expression);
  const common = { data_type: field.typeText ?? undefined, distinct_values: some(field.distinctValues) };
  return filled({
    name: field.name,
    expression,
    dimension: dimensionOf(field),
    label: field.label,
    description: field.description,
    datatype: field.dataType,
    ai_context: aiOf(field.ai),
    custom_extensions: extensionsOf(field.extensions, common, { dialects: others }),
  });
}

/** A temporal type alone says that it is a dimension of time, but whoever reads the file sees it better said. */
function dimensionOf({ isTime, dataType }: Field) {
  if (isTime !== null) return { is_time: isTime };
  return isTemporal(dataType) ? { is_time: false } : undefined;
}

function relationshipOf({ name, from, to, fromColumns, toColumns, ai, extensions }: Relationship) {
  return filled({
    name,
    from,
    to,
    from_columns: fromColumns,
    to_columns: toColumns,
    ai_context: aiOf(ai),
    custom_extensions: extensionsOf(extensions),
  });
}

function metricOf(metric: Metric) {
  const { expression, others } = expressionOf(metric.expression);
  return filled({
    name: metric.name,
    expression,
    description: metric.description,
    datatype: metric.dataType,
    ai_context: aiOf(metric.ai),
    custom_extensions: extensionsOf(metric.extensions, {}, { dialects: others }),
  });
}

function expressionOf({ dialects }: Expression) {
  const { inFormat, others } = writtenDialects(dialects);
  return { expression: inFormat.length === 0 ? undefined : { dialects: inFormat }, others: some(others) };
}

function aiOf({ instructions, synonyms, examples, more }: AiContext) {
  const context = filled({ instructions, synonyms: some(synonyms), examples: some(examples), ...more });
  return Object.keys(context).length === 0 ? undefined : context;
}

function extensionsOf(extensions: readonly Extension[], common = {}, kenning = {}) {
  const all = putIn(putIn(extensions, "KENNING", kenning), "COMMON", common);
  return some(all.map(({ vendor, data }) => ({ vendor_name: vendor, data: JSON.stringify(data ?? null) })));
}

function some<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}

function filled(parts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parts).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Short lists of plain values stand in one line, everything else in several. */
function layOut(node: unknown): void {
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      // Without quotes it would merge.
      if (isScalar(key) && key.value === "<<") key.type = "QUOTE_DOUBLE";
      layOut(value);
    }
  }
  if (!isSeq(node)) return;
  node.flow =
    node.items.every((item) => isScalar(item) && !String(item.value).includes("\n")) &&
    JSON.stringify(node).length <= LINE_CHARACTERS;
  if (!node.flow) for (const item of node.items) layOut(item);
}
