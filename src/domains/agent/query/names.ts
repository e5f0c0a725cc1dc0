import { AppError } from "../../../kernel/errors.ts";
import { nearest, nearestFirst } from "../../../kernel/text.ts";
import { LIMITS } from "../limits.ts";
import type { Schema, SchemaField } from "./schema.ts";
import type { Key } from "./semantic-query.ts";

/** Names of a model's metrics and fields as callers write them: in any case, and only those that the caller sees. */

export function findMetric({ metrics }: Schema, name: string): string | undefined {
  return [...metrics.keys()].find((each) => isSameName(each, name));
}

export function metricNamed(schema: Schema, name: string): string {
  const found = findMetric(schema, name);
  if (found !== undefined) return found;
  throw unknownName("metric", name, [...schema.metrics.keys()]);
}

/** Those that are called so: `field`, or `dataset.field` where several datasets have one. */
export function keysNamed({ datasets }: Schema, name: string): Key[] {
  return [...datasets.values()].flatMap(({ name: ds, fields }) =>
    [...fields.keys()]
      .filter((field) => [field, `${ds}.${field}`].some((each) => isSameName(each, name)))
      .map((field) => ({ ds, field })),
  );
}

export function keyNamed(schema: Schema, name: string, likely: readonly string[] = []): Key {
  const [only, ...others] = keysNamed(schema, name);
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined)
    throw unknownName("field", name, fieldsOf(schema, name), [...likely, ...elsewhere(schema, name)]);
  throw new AppError("bad_request", `Several datasets of the model have a field ${name}.`, {
    hint: `Say which: ${[only, ...others].map(qualified).join(", ")}.`,
  });
}

export function unknownName(
  what: string,
  name: string,
  all: readonly string[],
  likely: readonly string[] = [],
): AppError {
  const near = likely.length > 0 ? likely.slice(0, MOST_LIKELY).join(" or ") : nearest(name, all);
  const most = near === undefined ? LIMITS.agent.listedNames : FEW_NAMES;
  const listed = nearestFirst(name, all).slice(0, most).join(", ");
  const more = all.length > most ? " …" : "";
  const meant = near === undefined ? "" : `Did you mean ${near}? `;
  return new AppError("bad_request", `The model has no ${what} "${name}".`, {
    hint: all.length === 0 ? `It has no ${what}s.` : `${meant}Its ${what}s are ${listed}${more}.`,
  });
}

export function qualified({ ds, field }: Pick<Key, "ds" | "field">): string {
  return `${ds}.${field}`;
}

export function kindOfKey({ datasets }: Schema, { ds, field }: Key): SchemaField["kind"] {
  return datasets.get(ds)?.fields.get(field)?.kind ?? "other";
}

export function isDate(schema: Schema, key: Key): boolean {
  return kindOfKey(schema, key) === "date";
}

export function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

const MOST_LIKELY = 3;
const FEW_NAMES = 10;

/** The fields of other datasets that are called so, or nearly so. */
function elsewhere(schema: Schema, name: string): string[] {
  const field = name.split(".").at(-1) ?? "";
  const exact = keysNamed(schema, field);
  const all = [...schema.datasets.values()].flatMap(({ fields }) => [...fields.keys()]);
  const near = exact.length > 0 ? undefined : nearest(field, all);
  return (near === undefined ? exact : keysNamed(schema, near)).map(qualified);
}

/** Those of the dataset that is named, where one is; all others else. */
function fieldsOf({ datasets }: Schema, name: string): string[] {
  const [before = ""] = name.split(".");
  const own = [...datasets.values()].filter((each) => isSameName(each.name, before));
  return (own.length === 0 ? [...datasets.values()] : own).flatMap(({ name: ds, fields }) =>
    [...fields.keys()].map((field) => qualified({ ds, field })),
  );
}
