import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { SchemaField } from "../query/schema.ts";
import { foreignLink } from "../understand/model/model-words.ts";
import { partsOf } from "./likeness.ts";

/** A column or a table that a word can be taken for. */
export interface Target {
  /** As the rules know it. */
  name: string;
  /** The words that it is called by, one list for each name. */
  called: readonly (readonly string[])[];
  kind: SchemaField["kind"] | "table";
  /** It only numbers something: the last that is meant. */
  isId: boolean;
  /** Some of its values, as far as they are words. */
  values: readonly string[];
}

/** Columns and tables; more of them say too little about each. */
const MOST_TARGETS = 300;
/** Values that say what a column is about. */
const SHOWN_VALUES = 5;
const ID = /(^|_)(id|ids|key|code|nr|uuid|zip|plz)$/i;

export function targetsIn({ model, schema, values }: Knowledge): Target[] {
  const fields = model.datasets.flatMap((dataset) =>
    dataset.fields.flatMap((field): Target[] => {
      const { kind } = schema.datasets.get(dataset.name)?.fields.get(field.name) ?? {};
      if (kind === undefined || foreignLink(schema, dataset.name, field.name) !== undefined) return [];
      const own = values.find(({ ds, field: name }) => ds === dataset.name && name === field.name);
      const names = [field.name, ...(field.label === null ? [] : [field.label])];
      return [
        {
          name: field.name,
          called: names.map(partsOf),
          kind,
          isId: ID.test(field.name) || (dataset.primaryKey.includes(field.name) && kind === "number"),
          values: (own?.values ?? []).filter(isWords).slice(0, SHOWN_VALUES),
        },
      ];
    }),
  );
  const tables = model.datasets.map(
    ({ name }): Target => ({ name, called: [partsOf(name)], kind: "table", isId: false, values: [] }),
  );
  return [...fields, ...tables].slice(0, MOST_TARGETS);
}

function isWords(value: string): boolean {
  return /\p{L}{3}/u.test(value);
}
