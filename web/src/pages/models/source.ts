import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from "yaml";

/** What a model says, as far as its diagram and forms show it. */
export interface Model {
  description: string;
  instructions: string;
  datasets: Dataset[];
  relationships: Relationship[];
  metrics: Entry[];
}

export interface Entry {
  name: string;
  description: string;
  synonyms: string[];
  expression: string;
  /** Where it stands in the file. */
  path: (string | number)[];
}

export interface Field extends Entry {
  role: "time" | "dimension" | "plain";
}

export interface Dataset {
  name: string;
  source: string;
  description: string;
  synonyms: string[];
  keys: string[];
  fields: Field[];
  path: (string | number)[];
}

interface Relationship {
  name: string;
  from: string;
  to: string;
  fromColumns: string[];
  toColumns: string[];
}

/** Null while what is written is not yet YAML of a model. */
export function modelIn(source: string): Model | null {
  const document = parseDocument(source);
  if (document.errors.length > 0) return null;
  const root = ["semantic_model", 0];
  const model = document.getIn(root);
  if (!isMap(model)) return null;
  return {
    description: text(model, "description"),
    instructions: String(document.getIn([...root, "ai_context", "instructions"]) ?? ""),
    datasets: itemsOf(document, [...root, "datasets"]).map(([item, path]) => ({
      name: text(item, "name"),
      source: text(item, "source"),
      description: text(item, "description"),
      synonyms: list(item, ["ai_context", "synonyms"]),
      keys: list(item, ["primary_key"]),
      path,
      fields: itemsOf(document, [...path, "fields"]).map(([field, fieldPath]): Field => {
        const time = field.getIn(["dimension", "is_time"]);
        return {
          ...entryOf(field, fieldPath),
          role: time === true ? "time" : time === false ? "dimension" : "plain",
        };
      }),
    })),
    relationships: itemsOf(document, [...root, "relationships"]).map(([item]) => ({
      name: text(item, "name"),
      from: text(item, "from"),
      to: text(item, "to"),
      fromColumns: list(item, ["from_columns"]),
      toColumns: list(item, ["to_columns"]),
    })),
    metrics: itemsOf(document, [...root, "metrics"]).map(([item, path]) => entryOf(item, path)),
  };
}

function entryOf(item: YAMLMap, path: (string | number)[]): Entry {
  return {
    name: text(item, "name"),
    description: text(item, "description"),
    synonyms: list(item, ["ai_context", "synonyms"]),
    expression: String(item.getIn(["expression", "dialects", 0, "expression"]) ?? ""),
    path,
  };
}

function itemsOf(document: Document, path: (string | number)[]): [YAMLMap, (string | number)[]][] {
  const items = document.getIn(path);
  if (!isSeq(items)) return [];
  return items.items.flatMap((item, at) => (isMap(item) ? [[item as YAMLMap, [...path, at]]] : []));
}

function text(item: YAMLMap, key: string): string {
  return String(item.get(key) ?? "");
}

function list(item: YAMLMap, path: string[]): string[] {
  const found = item.getIn(path);
  return isSeq(found) ? found.items.map((each) => String((each as { value?: unknown })?.value ?? each)) : [];
}

interface Change {
  description?: string;
  synonyms?: string[];
  expression?: string;
}

/** The same file with one entry changed; comments and everything else stay as they are. */
export function changed(
  source: string,
  path: (string | number)[],
  { description, synonyms, expression }: Change,
): string {
  const document = parseDocument(source);
  const set = (keys: (string | number)[], value: unknown, isEmpty: boolean) => {
    if (isEmpty) document.deleteIn([...path, ...keys]);
    else document.setIn([...path, ...keys], document.createNode(value, { flow: Array.isArray(value) }));
  };
  if (description !== undefined) set(["description"], description, description === "");
  if (expression !== undefined) set(["expression", "dialects", 0, "expression"], expression, false);
  if (synonyms !== undefined) {
    const isLonely = synonyms.length === 0 && document.getIn([...path, "ai_context"]) === undefined;
    if (!isLonely) set(["ai_context", "synonyms"], synonyms, synonyms.length === 0);
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
