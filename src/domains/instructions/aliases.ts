import type { Caller } from "../../registry/caller.ts";
import type { ModelsServices, VisibleModel } from "../models/index.ts";
import { keyOf } from "./words.ts";

/** What a word of a model's author stands for: a column, or the rows of the dataset. */
export interface Alias {
  column: string | null;
  aggregate?: string;
}

export type Aliases = ReadonlyMap<string, Alias>;

/** The author's words of all published models that a caller may use, by the name of the dataset. */
export async function aliasesFor(
  caller: Caller,
  models: ModelsServices["models"],
): Promise<ReadonlyMap<string, Aliases>> {
  const found = new Map<string, Map<string, Alias>>();
  if (!caller.permissions.includes("ontologies:read")) return found;
  for (const published of await models.published(caller)) {
    const seen = await models.see(caller, published);
    for (const { source, of, names, alias } of [...ofFields(seen), ...ofMetrics(seen)]) {
      const known = found.get(source) ?? new Map<string, Alias>();
      for (const name of names) if (keyOf(name) !== keyOf(of)) known.set(keyOf(name), alias);
      found.set(source, known);
    }
  }
  return found;
}

interface Said {
  source: string;
  /** What it is called by itself. */
  of: string;
  names: string[];
  alias: Alias;
}

const sourceOf = (source: string) => source.split(".").at(-1) ?? source;

function ofFields({ datasets }: VisibleModel): Said[] {
  return datasets.flatMap(({ source, name, ai, fields }) => [
    {
      source: sourceOf(source),
      of: sourceOf(source),
      names: [name, ...ai.synonyms],
      alias: { column: null },
    },
    ...fields.flatMap(({ name: field, label, sql, ai: { synonyms } }) => {
      const column = sql === null ? field : /^"?(\w+)"?$/.exec(sql)?.[1];
      if (column === undefined) return [];
      const names = [field, ...(label === null ? [] : [label]), ...synonyms];
      return [{ source: sourceOf(source), of: column, names, alias: { column } }];
    }),
  ]);
}

/** Metrics that are one aggregate of one column; others no chart of a dataset can show. */
function ofMetrics({ datasets, metrics }: VisibleModel): Said[] {
  return metrics.flatMap(({ name, sql, ai: { synonyms } }) => {
    const found = /^(sum|avg|min|max|count)\s*\(\s*"?(\w+)"?\."?(\w+)"?\s*\)$/i.exec(sql.trim());
    const dataset = datasets.find((each) => each.name === found?.[2]);
    const field = dataset?.fields.find((each) => each.name === found?.[3]);
    if (found === null || dataset === undefined || field === undefined) return [];
    const aggregate = (found[1] as string).toLowerCase();
    const column = field.sql === null ? field.name : (/^"?(\w+)"?$/.exec(field.sql)?.[1] ?? null);
    const alias =
      aggregate === "count" ? { column: null } : { column, ...(aggregate !== "sum" && { aggregate }) };
    return [{ source: sourceOf(dataset.source), of: column ?? "", names: [name, ...synonyms], alias }];
  });
}
