import { quoteName } from "../../../kernel/sql-text.ts";
import { invisibleIn } from "../../../kernel/text.ts";
import { type DatasetPolicy, datasetPolicy } from "../../data/policy/index.ts";
import { LIMITS } from "../limits.ts";
import {
  type AiContext,
  DATA_TYPES,
  type DataType,
  type Extension,
  type Field,
  type Metric,
  type ModelDataset,
  type Relationship,
  type SemanticModel,
} from "../model.ts";
import {
  dataTypeOf,
  dialects,
  expression,
  extension,
  isOwnType,
  isTemporal,
  keptDialects,
  type RawExtension,
  type Taken,
  takeOut,
} from "./extensions.ts";
import { plain, type Tree } from "./parse.ts";
import {
  flag,
  type Keys,
  list,
  name,
  namedList,
  object,
  type Reader,
  readNamed,
  text,
  texts,
} from "./readers.ts";
import { type Spot, spellingSuggestion } from "./report.ts";

/* The format as tables: which keys a part has, by which other names they go, and how each is read. */

const partName = name(LIMITS.models.partNameCharacters);
const modelName = name(LIMITS.models.modelNameCharacters, modelNameFault);

const aiFields = object(
  "The context for AI",
  { instructions: { read: text }, synonyms: { read: texts }, examples: { read: texts } },
  { keepsOthers: true },
);

const aiContext: Reader<AiContext> = (tree, spot) => {
  if (tree.kind === "scalar") return { ...NO_AI, instructions: text(tree, spot) ?? null };
  const { instructions, synonyms, examples, others } = aiFields(tree, spot) ?? {};
  return {
    instructions: instructions ?? null,
    synonyms: synonyms ?? [],
    examples: examples ?? [],
    more: others ?? {},
  };
};

const NO_AI: AiContext = { instructions: null, synonyms: [], examples: [], more: {} };

/** Keys that every part has. */
const SHARED = {
  ai_context: { read: aiContext },
  synonyms: { read: texts },
  custom_extensions: { read: list("The custom extensions", extension), also: ["extensions"] },
} as const;

function aiOf(read: { ai_context: AiContext | undefined; synonyms: string[] | undefined }): AiContext {
  const ai = read.ai_context ?? NO_AI;
  return { ...ai, synonyms: [...new Set([...ai.synonyms, ...(read.synonyms ?? [])])], more: { ...ai.more } };
}

/** Takes nothing out. */
function extensionsOf(read: { custom_extensions: RawExtension[] | undefined }): Extension[] {
  return (read.custom_extensions ?? []).map(({ vendor, data }) => ({ vendor, data: plain(data) }));
}

interface ReadType {
  dataType: DataType | null;
  typeText: string | null;
}

const type: Reader<ReadType> = (tree, spot) => {
  const said = text(tree, spot);
  if (said === undefined) return undefined;
  if (isOwnType(said)) return { dataType: said, typeText: null };
  const dataType = dataTypeOf(said);
  if (dataType === null) {
    const meant = spot.report.hasRoom("warning")
      ? spellingSuggestion(said, DATA_TYPES, spot.report)
      : undefined;
    spot.warn(
      "The type is not one that the format knows.",
      meant === undefined ? `It knows ${DATA_TYPES.join(", ")}.` : `Did you mean ${meant}?`,
    );
  }
  return { dataType, typeText: said };
};

const scalars: Reader<(string | number | boolean)[]> = list("The distinct values", (tree, spot) => {
  if (tree.kind === "scalar") return tree.value ?? undefined;
  spot.error("A distinct value must be a text, a number, true or false.");
  return undefined;
});

const FIELD_EXTENSION = {
  data_type: { read: text },
  distinct_values: { read: scalars },
  dialects: { read: dialects },
} satisfies Keys;
const FIELD_TAKEN: Taken<typeof FIELD_EXTENSION> = {
  COMMON: ["data_type", "distinct_values"],
  KENNING: ["data_type", "distinct_values", "dialects"],
};

const dimension = object("A dimension", { is_time: { read: flag } });

const fieldFields = object("A field", {
  name: { read: partName, isNeeded: true },
  expression: { read: expression, also: ["expr"] },
  dimension: { read: dimension },
  label: { read: text },
  description: { read: text },
  datatype: { read: type, also: ["data_type", "type"] },
  ...SHARED,
});

const field: Reader<Field> = (tree, spot) => {
  const read = fieldFields(tree, spot);
  if (read?.name === undefined) return undefined;
  const { values, extensions } = takeOut(read.custom_extensions ?? [], FIELD_EXTENSION, FIELD_TAKEN);
  const own = read.expression ?? [{ dialect: "ANSI_SQL", expression: quoteName(read.name) }];
  const typed = typeOf(read.datatype, values.data_type);
  return {
    name: read.name,
    expression: { dialects: keptDialects([...own, ...(values.dialects ?? [])]) },
    label: read.label ?? null,
    description: read.description ?? null,
    ...typed,
    isTime: isTime(read.dimension, typed.dataType),
    distinctValues: values.distinct_values ?? [],
    ai: aiOf(read),
    extensions,
  };
};

/** The extension says more exactly what the format's own type says roughly. */
function typeOf(own: ReadType | undefined, inExtension: string | undefined): ReadType {
  if (inExtension === undefined) return own ?? { dataType: null, typeText: null };
  const said = isOwnType(inExtension) ? inExtension : dataTypeOf(inExtension);
  const typeText = inExtension === said ? (own?.typeText ?? null) : inExtension;
  return { dataType: own?.dataType ?? said, typeText };
}

/** As the format says: a temporal type makes a dimension of time unless the file says otherwise. */
function isTime(
  read: { is_time: boolean | undefined } | undefined,
  dataType: DataType | null,
): boolean | null {
  if (read === undefined) return isTemporal(dataType) ? true : null;
  return read.is_time ?? isTemporal(dataType);
}

const policies: Reader<DatasetPolicy[]> = list("The policies", (tree, spot) => {
  const { success, data, error } = datasetPolicy.safeParse(plain(tree));
  if (success) return data;
  const [issue] = error.issues;
  const where = issue?.path.length ? ` (at ${issue.path.join(".")})` : "";
  spot.error(`The policy is not valid: ${issue?.message}${where}.`);
  return undefined;
});

const DATASET_EXTENSION = { view_query: { read: text }, policies: { read: policies } } satisfies Keys;
const DATASET_TAKEN: Taken<typeof DATASET_EXTENSION> = {
  COMMON: ["view_query"],
  KENNING: ["view_query", "policies"],
};

const columns = list("The columns", partName, { isOneEnough: true });

const datasetFields = object("A dataset", {
  name: { read: partName, isNeeded: true },
  source: { read: text },
  primary_key: { read: columns },
  unique_keys: { read: list("The unique keys", columns) },
  description: { read: text },
  fields: { read: namedList("field", field) },
  ...SHARED,
});

const dataset: Reader<ModelDataset> = (tree, spot) => {
  const read = datasetFields(tree, spot);
  if (read?.name === undefined) return undefined;
  const { values, extensions } = takeOut(read.custom_extensions ?? [], DATASET_EXTENSION, DATASET_TAKEN);
  if (read.source === undefined && values.view_query === undefined) {
    spot.error("A dataset needs the key source.", "Name the dataset of the workspace that it stands for.");
  }
  return {
    name: read.name,
    source: read.source ?? read.name,
    viewQuery: values.view_query ?? null,
    primaryKey: read.primary_key ?? [],
    uniqueKeys: read.unique_keys ?? [],
    description: read.description ?? null,
    ai: aiOf(read),
    fields: read.fields ?? [],
    policies: values.policies ?? [],
    extensions,
  };
};

const relationshipFields = object("A relationship", {
  name: { read: partName, isNeeded: true },
  from: { read: partName, also: ["from_model", "from_dataset"], isNeeded: true },
  to: { read: partName, also: ["to_model", "to_dataset"], isNeeded: true },
  from_columns: { read: columns, isNeeded: true },
  to_columns: { read: columns, isNeeded: true },
  ...SHARED,
});

const relationship: Reader<Relationship> = (tree, spot) => {
  const read = relationshipFields(tree, spot);
  if (read?.name === undefined || read.from === undefined || read.to === undefined) return undefined;
  return {
    name: read.name,
    from: read.from,
    to: read.to,
    fromColumns: read.from_columns ?? [],
    toColumns: read.to_columns ?? [],
    ai: aiOf(read),
    extensions: extensionsOf(read),
  };
};

const METRIC_EXTENSION = { dialects: { read: dialects } } satisfies Keys;

const metricFields = object("A metric", {
  name: { read: partName, isNeeded: true },
  expression: { read: expression, also: ["expr"] },
  description: { read: text },
  datatype: { read: type, also: ["data_type", "type"] },
  ...SHARED,
});

const metric: Reader<Metric> = (tree, spot) => {
  const read = metricFields(tree, spot);
  if (read?.name === undefined) return undefined;
  const taken = { COMMON: [], KENNING: ["dialects"] } as const;
  const { values, extensions } = takeOut(read.custom_extensions ?? [], METRIC_EXTENSION, taken);
  return {
    name: read.name,
    expression: { dialects: keptDialects([...(read.expression ?? []), ...(values.dialects ?? [])]) },
    description: read.description ?? null,
    dataType: read.datatype?.dataType ?? null,
    ai: aiOf(read),
    extensions,
  };
};

const modelFields = object(
  "A semantic model",
  {
    name: { read: modelName },
    description: { read: text },
    datasets: { read: namedList("dataset", dataset) },
    relationships: { read: namedList("relationship", relationship) },
    metrics: { read: namedList("metric", metric) },
    ...SHARED,
  },
  { ignored: ["version"] },
);

/** A semantic model as far as it can be read, with datasets that stand in files of their own. */
export function readModel(
  tree: Tree,
  spot: Spot,
  {
    fileName,
    isNamedByFile,
    datasets,
  }: { fileName: string; isNamedByFile: boolean; datasets: DatasetFile[] },
): SemanticModel | undefined {
  const read = modelFields(tree, spot);
  if (read === undefined) return undefined;
  if (read.name === undefined && !spot.report.places.has("name")) {
    if (!isNamedByFile) spot.error("A semantic model needs the key name.");
    else modelName({ kind: "scalar", line: spot.place.line, value: fileName, text: fileName }, spot);
  }
  const all = new Map((read.datasets ?? []).map((one) => [one.name.toLowerCase(), one]));
  for (const one of readNamed("dataset", dataset, datasets)) {
    if (!all.has(one.name.toLowerCase())) all.set(one.name.toLowerCase(), one);
    else spot.error(`The dataset ${one.name} stands both in the model's file and in one of its own.`);
  }
  // Names differ in more than upper and lower case, so a relationship may use either.
  const spelling = (wanted: string) => all.get(wanted.toLowerCase())?.name ?? wanted;
  return {
    name: read.name ?? fileName,
    description: read.description ?? null,
    ai: aiOf(read),
    datasets: [...all.values()],
    relationships: (read.relationships ?? []).map((one) => ({
      ...one,
      from: spelling(one.from),
      to: spelling(one.to),
    })),
    metrics: read.metrics ?? [],
    extensions: extensionsOf(read),
  };
}

export interface DatasetFile {
  tree: Tree;
  spot: Spot;
}

/** Fault of a model's name; undefined for a valid one. */
export function modelNameFault(name: string): string | undefined {
  if (name.trim() === "") return "The name is empty.";
  if (/[/\\]/.test(name)) return "The name of a model has no slashes.";
  const invisible = invisibleIn(name);
  return invisible && `The name of a model has a character in it that nobody sees: ${invisible}.`;
}
