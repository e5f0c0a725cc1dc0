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
  const own = fields.filter(
    ({ name }) =>
      schema.datasets.get(ds)?.fields.get(name)?.kind === wanted &&
      foreignLink(schema, ds, name) === undefined,
  );
  const says = (text: string, hint: string) => phraseKey(text).split(" ").includes(hint);
  for (const hint of DIMENSIONS.get(dim) ?? []) {
    // What a field is called says more than what else it may be called.
    const found =
      own.find(({ name }) => says(name, hint)) ??
      own.find(({ ai }) => ai.synonyms.some((text) => says(text, hint)));
    if (found !== undefined) return found.name;
  }
  return undefined;
}

/** What one entity is worth: an average order value is a revenue by the number of orders, so that of one order is its revenue. */
export function worths(
  model: VisibleModel,
  schema: Schema,
): { phrases: string[]; metric: string; ds: string }[] {
  return model.metrics.flatMap(({ name, ai }) => {
    const phrases = [name.replaceAll("_", " "), ...ai.synonyms].flatMap(
      (text) => /^(?:average|avg|mean) (.+)$/i.exec(text)?.[1] ?? [],
    );
    const formula = schema.metrics.get(name)?.formula;
    const [whole, number] = formula?.aggregates ?? [];
    const isRatio = formula?.aggregates.length === 2 && /^\s*\/\s*$/.test(formula.texts[1] ?? "");
    if (phrases.length === 0 || !isRatio || whole === undefined || number?.isCount !== true) return [];
    const counted = number.pieces.findLast((piece) => typeof piece !== "string");
    if (counted === undefined || typeof counted === "string") return [];
    const dataset = schema.datasets.get(counted.ds);
    if (dataset?.key.length !== 1 || dataset.key[0] !== counted.field) return [];
    const text = JSON.stringify(whole);
    const metric = [...schema.metrics.values()].find(
      (each) =>
        each.formula.aggregates.length === 1 &&
        each.formula.texts.every((part) => part.trim() === "") &&
        JSON.stringify(each.formula.aggregates[0]) === text,
    );
    return metric === undefined ? [] : [{ phrases, metric: metric.name, ds: counted.ds }];
  });
}
