import { allOf } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Key, Rel, Scope } from "../query/semantic-query.ts";
import type { Shift } from "./row-compiler.ts";
import type { Rows } from "./rows.ts";
import type { Spread } from "./told-by.ts";

/** Where a number stands: which rows it is made of, and how much earlier they are. */
export interface Place {
  scope: Scope;
  shift?: Shift;
}

/** Rows that are aggregated together: those of one dataset, in one place. */
export interface Part {
  name: string;
  rows: Rows;
  shift: Shift | undefined;
  date: Key | null;
  isWhole: boolean;
  /** What says which rows these are. */
  scope: Scope;
  of: Rel | undefined;
  /** Its rows may be in several groups. */
  spread: Spread | undefined;
  aggregates: { name: string; sql: string }[];
}

/** What is said of a number holds beside what is said of all of them. */
export function inner(place: Place, scope: Scope | undefined): Place {
  if (scope === undefined) return place;
  const all = allOf([place.scope.if, scope.if].filter((cond) => cond !== undefined));
  return { ...place, scope: { ...place.scope, ...scope, ...(all && { if: all }) } };
}

/** Two entities of one name are two groups. */
export function hiddenKeys({ datasets }: Schema, by: readonly Key[]): { name: string; key: Key }[] {
  return by.flatMap((key, i) => {
    const dataset = datasets.get(key.ds);
    if (dataset === undefined || key.bucket !== undefined) return [];
    if (!dataset.isKeyed || dataset.nameField !== key.field) return [];
    // What merely has a number is called by its name or by nothing.
    if (dataset.isNumbered) return [];
    // A name of rows that are told apart by other things is not that of one of them.
    if (dataset.key.length > 1 && !dataset.key.includes(key.field)) return [];
    return dataset.key
      .filter((field) => field !== key.field)
      .map((field, j) => ({ name: `k${i + 1}_${j + 1}`, key: { ...key, field } }));
  });
}
