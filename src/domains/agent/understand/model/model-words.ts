import type { VisibleModel } from "../../../models/index.ts";
import { measureOf, type Quantity } from "../../../models/quantities/index.ts";
import { toOnePath } from "../../compile/paths.ts";
import { isOfField } from "../../query/metric-formula.ts";
import { isEqual } from "../../query/parts.ts";
import type { Schema } from "../../query/schema.ts";
import { type Hop, isKey, type Key, type Num } from "../../query/semantic-query.ts";
import { DIMENSIONS } from "../languages/english/english.ts";
import { phraseKey } from "../languages/words.ts";
import { unitIn, unitNamed, unitsIn } from "./metric-facts.ts";

/** The link whose only column in `ds` is this field. */
export function foreignLink(schema: Schema, ds: string, field: string): Hop | undefined {
  for (const { name, from, columns } of schema.links.values()) {
    if (from === ds && columns.length === 1 && columns[0]?.from === field && !name.startsWith("~"))
      return { link: name, dir: "one" };
  }
  return undefined;
}

/** What everything else belongs to: the one table, or the one whose rows say what happened. */
export function mainDataset(schema: Schema): string | undefined {
  const all = [...schema.datasets.keys()];
  const roots = all.filter((ds) =>
    all.every((other) => other === ds || toOnePath(schema, ds, other) !== undefined),
  );
  return roots.length === 1 ? roots[0] : undefined;
}

/** The numbers by which an adjective compares entities of a dataset: those of the best word for it. */
export function dimensionFields(model: VisibleModel, schema: Schema, ds: string, dim: string): string[] {
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
    const ways = [
      own.filter(({ name, ai }) => [name, ...ai.synonyms].some((text) => phraseKey(text) === hint)),
      own.filter(({ name }) => says(name, hint)),
      own.filter(({ ai }) => ai.synonyms.some((text) => says(text, hint))),
    ];
    const found = ways.find((some) => some.length > 0);
    if (found !== undefined) return found.map(({ name }) => name);
  }
  const measured = QUANTITIES.get(dim) ?? [];
  const all = own.filter(({ name, description }) =>
    measured.includes(measureOf(name, description)?.quantity ?? "count"),
  );
  return all.map(({ name }) => name);
}

/** What is measured where nothing is called by the adjective or its noun. */
const QUANTITIES: ReadonlyMap<string, readonly Quantity[]> = new Map([
  ["long", ["duration", "length", "distance"]],
  ["high", ["height"]],
  ["heavy", ["weight"]],
  ["fast", ["speed"]],
  ["hot", ["temperature"]],
  ["deep", ["depth"]],
  ["wide", ["width"]],
  ["far", ["distance"]],
  ["powerful", ["power"]],
  ["age", ["age"]],
]);

/** Of a least and a greatest value, the one that speaks of the same end. */
export function endOf(fields: readonly string[], dir: "max" | "min"): readonly string[] {
  const [same, other] = dir === "max" ? [GREATEST, LEAST] : [LEAST, GREATEST];
  const fitting = fields.filter((name) => same.test(name));
  return fitting.length > 0 ? fitting : fields.filter((name) => !other.test(name));
}

const GREATEST = /(^|_)(max|maximum|high|highest|hoechst\w*)(_|$)/i;
const LEAST = /(^|_)(min|minimum|low|lowest|niedrigst\w*)(_|$)/i;

const MONEY =
  /price|amount|cost|revenue|money|dollar|(?<![a-z])(?:eur|usd|gbp|chf)(?![a-z])|euro|fee|spend|paid|profit|turnover|fund|fare|preis|betrag|kosten|umsatz/i;

export function isMoney({ name, sql, description }: VisibleModel["metrics"][number]): boolean {
  const isCounted = /^\s*count\s*\(/i.test(sql);
  return !isCounted && MONEY.test(`${name} ${sql} ${description ?? ""}`);
}

/** How long something took: hours that are added up by nobody. */
export function isTaken(field: string): boolean {
  return /(^|_)(reply|response|resolution|handling|waiting|wait|lead|delivery|processing|duration|delay|dauer|wartezeit)(_|$)/i.test(
    field,
  );
}

/** Numbers of rows that are added up rather than averaged. */
export function isSummed(field: string): boolean {
  return /(^|_)(quantity|amount|units?|count|total|area|volume|stock|seats|refund|refund_amount|net_amount)$/i.test(
    field,
  );
}

const PRICE =
  /price|cost|amount|revenue|sales|value|fee|fare|budget|spend|paid|charge|(^|_)total$|preis|kosten/i;

/** Whether a name is that of something by which things are cheap or expensive. */
export function isPrice(name: string): boolean {
  return PRICE.test(name.split(".").at(-1) ?? name);
}

const PEOPLE =
  /^(drivers?|pilots?|customers?|clients?|employees?|staff|persons?|people|patients?|students?|teachers?|players?|users?|members?|authors?|actors?|doctors?|physicians?|agents?|owners?|buyers?|workers?|passengers?|reps?|artists?|singers?|riders?|athletes?|guests?|subscribers?|tenants?|visitors?|donors?|borrowers?|pupils?)$/i;

const PERSONS =
  /(^|_)(agent|assignee|employee|technician|mechanic|seller|salesperson|rep|owner|manager|driver|rider|customer|client|buyer|donor|giver|user|member|author|doctor|nurse|teacher|student|player|person|operator|cashier|waiter|handler|engineer|consultant|reviewer|reporter|instructor|trainer|coach|director|artist|physician|staff|representative|guest|patient|requester|created_by|assigned_to|handled_by|mitarbeiter(in)?|verk[aä]ufer(in)?|sachbearbeiter(in)?|bearbeiter(in)?|techniker(in)?|fahrer(in)?|kunde|kundin|berater(in)?|betreuer(in)?|arzt|[aä]rztin|lehrer(in)?|trainer(in)?|nutzer(in)?|zust[aä]ndig|ansprechpartner(in)?)(_?name)?$/i;

/** Fields that say who it was, where whoever that is has no dataset of their own. */
export function personsOf(model: VisibleModel, schema: Schema): Key[] {
  return model.datasets.flatMap(({ name: ds, fields }) => {
    const dataset = schema.datasets.get(ds);
    const isPerson = ({ name: field }: (typeof fields)[number]) =>
      PERSONS.test(field) &&
      dataset?.fields.get(field)?.kind === "text" &&
      dataset.nameField !== field &&
      foreignLink(schema, ds, field) === undefined;
    return fields.filter(isPerson).map(({ name: field }) => ({ ds, field }));
  });
}

/** How long it took until a date, as an inferred model calls it. */
export function isSpan(field: string): boolean {
  return /^(days|hours|minutes)_to_/.test(field);
}

/** The datasets whose entities somebody is: whom "who" asks for. */
export function peopleOf(model: VisibleModel): string[] {
  return model.datasets
    .filter(({ name, ai }) => [name, ...ai.synonyms].some((text) => PEOPLE.test(text)))
    .map(({ name }) => name);
}

/** What a number is measured in, as far as the author says. */
export function unitOf(model: VisibleModel, num: Num | Key): string | undefined {
  if (isKey(num)) {
    const dataset = model.datasets.find(({ name }) => name === num.ds);
    const field = dataset?.fields.find(({ name }) => name === num.field);
    const { unit } = measureOf(field?.name ?? "", field?.description ?? null) ?? {};
    return unitIn([field?.name ?? null, field?.description ?? null]) ?? unit?.word;
  }
  if (num.k === "agg") return num.of === undefined ? undefined : unitOf(model, num.of);
  if (num.k === "each") return unitOf(model, num.of);
  if (num.k !== "metric") return undefined;
  const metric = model.metrics.find(({ name }) => name === num.name);
  return unitIn([metric?.name ?? null, metric?.description ?? null]);
}

/** The field of a dataset that says how long something takes; best in the unit that was said. */
export function timeField(
  model: VisibleModel,
  schema: Schema,
  ds: string,
  unit: string | null,
): Key | undefined {
  const fields = [...(schema.datasets.get(ds)?.fields.values() ?? [])]
    .filter(({ kind, isDimension }) => kind === "number" && !isDimension)
    .map(({ name }) => ({ key: { ds, field: name }, unit: unitOf(model, { ds, field: name }) }))
    .filter((each) => each.unit !== undefined && unitNamed(each.unit) === "time");
  const same = fields.find((each) => unit !== null && unitsIn(unit, each.unit as string) === 1);
  // Two lengths of different things: neither is the one that was meant.
  const isOne = new Set(fields.map(({ key }) => key.field)).size === 1;
  return (same ?? (isOne ? fields[0] : undefined))?.key;
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
    const counted = number.columns.at(-1);
    const [id, ...others] = schema.datasets.get(counted?.ds ?? "")?.key ?? [];
    if (counted === undefined || id !== counted.field || others.length > 0) return [];
    const metric = [...schema.metrics.values()].find(({ formula: { only } }) => isEqual(only, whole));
    return metric === undefined ? [] : [{ phrases, metric: metric.name, ds: counted.ds }];
  });
}

/** What has no name and one number is that number: a target is how much there should be. */
export function measuresOf(model: VisibleModel, schema: Schema): { phrases: string[]; metric: string }[] {
  return model.datasets.flatMap(({ name, ai, fields }) => {
    const dataset = schema.datasets.get(name);
    const numbers = fields.filter(
      (field) =>
        dataset?.fields.get(field.name)?.kind === "number" &&
        !dataset.key.includes(field.name) &&
        foreignLink(schema, name, field.name) === undefined,
    );
    const [only, ...others] = numbers;
    // Rows that are only numbered are things that happened: how many there were is no sum of what was measured.
    const isThing = dataset === undefined || dataset.nameField !== null || dataset.isNumbered;
    if (isThing || only === undefined || others.length > 0) return [];
    const metric = [...schema.metrics.values()].find(
      ({ formula }) => formula.only && isOfField(formula.only, { ds: name, field: only.name }),
    );
    return metric === undefined ? [] : [{ phrases: [name, ...ai.synonyms], metric: metric.name }];
  });
}
