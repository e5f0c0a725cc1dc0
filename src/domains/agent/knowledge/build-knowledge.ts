import { isAggregate, type VisibleModel } from "../../models/index.ts";
import { type Link, type Schema, schemaOf } from "../query/schema.ts";
import { type Definitions, readDefinitions } from "../understand/definitions.ts";
import { foreignLink } from "../understand/model-words.ts";

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
  /** By dataset: when its rows were changed last. */
  refreshedAt?: ReadonlyMap<string, Date>;
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
  for (const { ds, field, values } of all) {
    const own = schema.datasets.get(ds);
    if (own === undefined || own.key.includes(field) || foreignLink(schema, ds, field) !== undefined)
      continue;
    if (values.length < SOFT_FEWEST) continue;
    for (const target of schema.datasets.values()) {
      if (target.name === ds || target.nameField === null) continue;
      const names = all.find((each) => each.ds === target.name && each.field === target.nameField);
      const known = new Set(names?.values.map((value) => value.toLowerCase()));
      const hits = values.filter((value) => known.has(value.toLowerCase())).length;
      if (hits < values.length * SOFT_SHARE) continue;
      const columns = [{ from: field, to: target.nameField }, ...sharedKeys(schema, ds, target.name)];
      links.push({ name: `~${ds}.${field}`, from: ds, to: target.name, columns, cost: 4, isSoft: true });
    }
  }
  return links;
}

/** The city named as a state's capital is one in that state. */
function sharedKeys(schema: Schema, ds: string, target: string): Link["columns"] {
  const back = [...schema.links.values()].find(({ from, to }) => from === target && to === ds);
  return (back?.columns ?? []).map(({ from, to }) => ({ from: to, to: from }));
}
