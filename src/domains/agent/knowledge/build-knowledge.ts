import { isAggregate } from "../../models/guard/functions/index.ts";
import type { VisibleModel } from "../../models/index.ts";
import { type DataPeriod, daysOf, type Link, type Schema, schemaOf } from "../query/schema.ts";
import { type Definitions, readDefinitions } from "../understand/model/definitions.ts";
import { foreignLink } from "../understand/model/model-words.ts";
import type { FieldProfile } from "./read-profiles.ts";

/** Distinct values of a text dimension, as far as this caller sees them. */
export interface FieldValues {
  ds: string;
  field: string;
  values: string[];
  /** Whether there are more than were read. */
  isCut: boolean;
}

/** Everything that the rules know about a model. */
export interface Knowledge {
  model: VisibleModel;
  schema: Schema;
  definitions: Definitions;
  values: FieldValues[];
  /** What was counted in the fields of an inferred model. */
  profiles?: readonly FieldProfile[];
  /** By dataset: when its rows were changed last. */
  refreshedAt?: ReadonlyMap<string, Date>;
  /** Datasets that are live, whose rows are of now. */
  live?: ReadonlySet<string>;
}

/** The days of the rows by one date. */
export function daysBy(
  date: Pick<DataPeriod, "ds" | "field"> | null | undefined,
  { schema }: Pick<Knowledge, "schema">,
): DataPeriod | undefined {
  return daysOf(schema, date);
}

/** What the rules make of a model and its values, once for all questions. */
export function buildKnowledge(model: VisibleModel, values: FieldValues[]): Knowledge {
  const definitions = readDefinitions(model, schemaOf(model, { isAggregate }));
  const schema = schemaOf(model, { isAggregate, rules: definitions.rules });
  const links = new Map(schema.links);
  for (const link of softLinks(schema, values)) links.set(link.name, link);
  return { model, schema: { ...schema, links }, definitions, values };
}

const SOFT_SHARE = 0.6;
const SOFT_FEWEST = 10;

/** A text whose values mostly name entities of another dataset means these: a capital is a city. */
function softLinks(schema: Schema, all: readonly FieldValues[]): Link[] {
  const links: Link[] = [];
  const named = namesOf(schema, all);
  for (const { ds, field, values } of all) {
    const own = schema.datasets.get(ds);
    if (values.length < SOFT_FEWEST || own === undefined || own.key.includes(field)) continue;
    if (foreignLink(schema, ds, field) !== undefined) continue;
    for (const [target, { names, nameField }] of named) {
      if (target === ds || !isMostlyIn(values, names)) continue;
      const columns = [{ from: field, to: nameField }, ...sharedKeys(schema, ds, target)];
      links.push({ name: `~${ds}.${field}`, from: ds, to: target, columns, cost: 4, isSoft: true });
    }
  }
  return links;
}

/** What the entities of each dataset are called. */
function namesOf(schema: Schema, all: readonly FieldValues[]) {
  const named = new Map<string, { nameField: string; names: ReadonlySet<string> }>();
  for (const { ds, field, values } of all) {
    if (values.length === 0 || schema.datasets.get(ds)?.nameField !== field) continue;
    named.set(ds, { nameField: field, names: new Set(values.map((value) => value.toLowerCase())) });
  }
  return named;
}

/** Most texts have nothing to do with most names, which their first values tell. */
const LOOKED_AT = 20;

function isMostlyIn(values: readonly string[], names: ReadonlySet<string>): boolean {
  const isName = (value: string) => names.has(value.toLowerCase());
  if (!values.slice(0, LOOKED_AT).some(isName)) return false;
  return values.filter(isName).length >= values.length * SOFT_SHARE;
}

/** The city named as a state's capital is one in that state. */
function sharedKeys(schema: Schema, ds: string, target: string): Link["columns"] {
  const back = [...schema.links.values()].find(({ from, to }) => from === target && to === ds);
  return (back?.columns ?? []).map(({ from, to }) => ({ from: to, to: from }));
}
