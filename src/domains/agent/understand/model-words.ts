import type { VisibleModel } from "../../models/index.ts";
import type { Schema } from "../query/schema.ts";
import type { Hop } from "../query/semantic-query.ts";
import { DIMENSIONS } from "./english.ts";
import { phraseKey } from "./words.ts";

/** The link whose only column in `ds` is this field. */
export function foreignLink(schema: Schema, ds: string, field: string): Hop | undefined {
  for (const { name, from, columns } of schema.links.values()) {
    if (from === ds && columns.length === 1 && columns[0]?.from === field && !name.startsWith("~"))
      return { link: name, dir: "one" };
  }
  return undefined;
}

/** The number by which an adjective compares entities of a dataset. */
export function dimensionField(
  model: VisibleModel,
  schema: Schema,
  ds: string,
  dim: string,
): string | undefined {
  const fields = model.datasets.find(({ name }) => name === ds)?.fields ?? [];
  const wanted = dim === "date" ? "date" : "number";
  for (const hint of DIMENSIONS.get(dim) ?? []) {
    const found = fields.find(({ name, ai }) => {
      if (schema.datasets.get(ds)?.fields.get(name)?.kind !== wanted) return false;
      if (foreignLink(schema, ds, name) !== undefined) return false;
      return [name, ...ai.synonyms].some((text) => phraseKey(text).split(" ").includes(hint));
    });
    if (found !== undefined) return found.name;
  }
  return undefined;
}
