import { AppError } from "../../../kernel/errors.ts";
import { toOnePath } from "../compile/paths.ts";
import { dayAfter } from "../phases/data-period.ts";
import { overBridge, withBridged } from "../query/bridged.ts";
import { qualified } from "../query/names.ts";
import { isSameField, nodesIn, whereAll } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import { type Cond, type Hop, isKey, type Key, type Rel, type Window } from "../query/semantic-query.ts";
import { backTo, linking } from "./keys.ts";

/** Conditions that hold of one row at once, of which a listed one has at least one. */
interface Linked {
  conds: Cond[];
  keys: Key[];
}

/**
 * Conditions on what others link to the listed ones: "products" of "customers in Austria" are those with a row that
 * belongs to both. What can be said of one row holds of one of them at once, in the period of the query.
 */
export function linkedTo(
  ds: string,
  conds: readonly Cond[],
  win: Window | undefined,
  schema: Schema,
): Cond[] {
  const own: Cond[] = [];
  const linked: Linked[] = [];
  const bridged: Cond[] = [];
  for (const said of conds) {
    const cond = ofThemselves(ds, said);
    const far = ownKeys(cond).find((key) => toOnePath(schema, ds, key.ds, key.path) === undefined);
    if (far === undefined) own.push(cond);
    else if (linking(schema, [ds, far.ds]).length === 0)
      withBridged(bridged, overBridge(schema, ds, cond, far) ?? raise(unlinked(schema, ds, cond, far)));
    else if (isWithout(cond, far, schema)) own.push(without(schema, ds, far.ds));
    else join(linked, { cond, key: far }, ds, schema);
  }
  const during: Cond[] = win === undefined ? [] : [{ k: "during", win }];
  const exists = linked.map(({ conds: of, keys }): Cond => {
    const via = onlyOf(schema, ds, keys);
    const to = whereAll({ k: "all", ds: via }, [...of, ...during]);
    return { k: "link", at: ds, path: backTo(schema, via, ds) as Hop[], to };
  });
  // What is counted of each of them is of that period, and not they themselves.
  const isCounted = linked.length > 0 || conds.some(({ k }) => k === "link");
  return [...own, ...(isCounted ? [] : during), ...exists, ...bridged];
}

function raise(error: Error): never {
  throw error;
}

/** What is said of those who are one of the listed is said of these. */
export function ofThemselves(ds: string, cond: Cond): Cond {
  const isOwn = cond.k === "link" && cond.at === ds && cond.path.length === 0 && cond.to.k === "where";
  return isOwn ? (cond.to as Extract<Rel, { k: "where" }>).if : cond;
}

/** Puts a condition to those that one row can meet with it; no row is of two values. */
function join(linked: Linked[], { cond, key }: { cond: Cond; key: Key }, ds: string, schema: Schema): void {
  if (cond.k === "not") throw notOfOne(schema, ds, cond.of, key);
  const fits = linked.find(
    ({ keys }) =>
      !keys.some((each) => isSameField(each, key)) &&
      linking(schema, [ds, key.ds, ...keys.map((each) => each.ds)]).length > 0,
  );
  if (fits === undefined) linked.push({ conds: [cond], keys: [key] });
  else {
    fits.conds.push(cond);
    fits.keys.push(key);
  }
}

/** `orders.order_id is null`: there is no order. */
function isWithout(cond: Cond, { ds, field }: Key, { datasets }: Schema): boolean {
  return cond.k === "null" && datasets.get(ds)?.key.includes(field) === true;
}

function without(schema: Schema, ds: string, far: string): Cond {
  const path = backTo(schema, far, ds) as Hop[];
  return { k: "not", of: { k: "link", at: ds, path, to: { k: "all", ds: far } } };
}

/** What both are linked to may be chosen by what belongs to it: revenue of customers with a ticket. */
function unlinked(schema: Schema, ds: string, cond: Cond, key: Key): AppError {
  const shared = [...schema.datasets.keys()]
    .map((each) => ({ each, far: toOnePath(schema, ds, each)?.length ?? Number.POSITIVE_INFINITY }))
    .filter(({ each, far }) => Number.isFinite(far) && linking(schema, [each, key.ds]).length > 0)
    .toSorted((a, b) => a.far - b.far);
  const said = `Rows of ${ds} do not belong to one row of ${key.ds}.`;
  const [nearest] = shared;
  if (nearest === undefined)
    return new AppError("bad_request", said, { hint: `No relationship links ${ds} and ${key.ds}.` });
  const [via = ""] = linking(schema, [nearest.each, key.ds]);
  const form = `"count(${via}[${sayIn(cond, key)}]) per ${nearest.each}"`;
  return new AppError("bad_request", said, {
    hint: `Both have to do with ${nearest.each}. Those with such ${via}: where field ${form}, op ">", value 0; those without: op "=".`,
  });
}

function onlyOf(schema: Schema, ds: string, keys: readonly Key[]): string {
  const [via = "", ...others] = linking(schema, [ds, ...keys.map((key) => key.ds)]);
  if (others.length === 0) return via;
  const names = keys.map(qualified).join(" and ");
  throw new AppError("bad_request", `${names} is linked to ${ds} by ${[via, ...others].join(" and by ")}.`, {
    hint: `Say by which: where field "count(${via}[${names} = …]) per ${ds}", op ">", value 0.`,
  });
}

function notOfOne(schema: Schema, ds: string, of: Cond, key: Key): AppError {
  const [via = ""] = linking(schema, [ds, key.ds]);
  const form = (cond: Cond) => `"count(${via}[${sayIn(cond, key)}]) per ${ds}"`;
  return new AppError("bad_request", `One of ${ds} may have several ${via}, so this may mean two things.`, {
    hint: `None of them is: where field ${form(of)}, op "=", value 0. One is another: where field ${form({ k: "not", of })}, op ">", value 0.`,
  });
}

/** A condition as it is written in brackets. */
function sayIn(cond: Cond, key: Key): string {
  const isNot = cond.k === "not";
  const of = cond.k === "not" ? cond.of : cond;
  if (of.k === "null") return `${qualified(key)} is ${isNot ? "not " : ""}null`;
  if (of.k === "is" && of.match === "contains")
    return `${qualified(key)} ${isNot ? "not " : ""}contains ${of.values.join()}`;
  if (of.k === "is" && of.values.length > 1)
    return `${qualified(key)} ${isNot ? "not " : ""}in (${of.values.join(", ")})`;
  const value = of.k === "is" ? of.values.join() : "…";
  if (of.k === "during") return `${qualified(key)} ${isNot ? "!" : ""}${saySpan(of.win)}`;
  return `${qualified(key)} ${isNot ? "!=" : "="} ${value}`;
}

function saySpan({ from, to }: Window): string {
  if (to === null) return `>= ${from}`;
  return from === null ? `< ${to}` : `= ${from} to ${dayAfter(to, -1)}`;
}

/** The fields that a condition speaks of itself, or the entity of which it says what belongs to it. */
export function ownKeys(cond: Cond): Key[] {
  if (cond.k === "link") return [{ ds: cond.at, field: "" }];
  if (cond.k === "and" || cond.k === "or") return cond.of.flatMap(ownKeys);
  if (cond.k === "not") return ownKeys(cond.of);
  // A number of each row goes its own way to what it is made of.
  if (cond.k === "cmp")
    return [cond.a, cond.b].filter(isKey).flatMap(({ since, ...key }) => [key, since ?? key]);
  return nodesIn(cond).filter((node) => "ds" in node && "field" in node) as unknown as Key[];
}
