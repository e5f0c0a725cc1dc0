import { AppError } from "../../../kernel/errors.ts";
import { toOnePath } from "../compile/paths.ts";
import { qualified } from "../query/names.ts";
import { isSameField, nodesIn, whereAll } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Cond, Hop, Key, Window } from "../query/semantic-query.ts";
import { backTo, linking } from "./entities.ts";

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
  for (const cond of conds) {
    const far = ownKeys(cond).find((key) => toOnePath(schema, ds, key.ds, key.path) === undefined);
    if (far === undefined || linking(schema, [ds, far.ds]).length === 0) own.push(cond);
    else join(linked, { cond, key: far }, ds, schema);
  }
  const during: Cond[] = win === undefined ? [] : [{ k: "during", win }];
  const exists = linked.map(({ conds: of, keys }): Cond => {
    const via = onlyOf(schema, ds, keys);
    const to = whereAll({ k: "all", ds: via }, [...of, ...during]);
    return { k: "link", at: ds, path: backTo(schema, via, ds) as Hop[], to };
  });
  // What is counted of each of them is of that period, and not they themselves.
  const isCounted = linked.length > 0 || own.some(({ k }) => k === "link");
  return [...own, ...(isCounted ? [] : during), ...exists];
}

/** Puts a condition to those that one row can meet with it; no row is of two values. */
function join(linked: Linked[], { cond, key }: { cond: Cond; key: Key }, ds: string, schema: Schema): void {
  if (cond.k === "not") throw notOfOne(schema, ds, key);
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

function onlyOf(schema: Schema, ds: string, keys: readonly Key[]): string {
  const [via = "", ...others] = linking(schema, [ds, ...keys.map((key) => key.ds)]);
  if (others.length === 0) return via;
  const names = keys.map(qualified).join(" and ");
  throw new AppError("bad_request", `${names} is linked to ${ds} by ${[via, ...others].join(" and by ")}.`, {
    hint: `Say by which: where field ${formOf(via, keys[0] as Key, ds)}, op ">", value 0.`,
  });
}

function notOfOne(schema: Schema, ds: string, key: Key): AppError {
  const [via = ""] = linking(schema, [ds, key.ds]);
  const form = formOf(via, key, ds);
  return new AppError("bad_request", `One of ${ds} may have several ${via}, so this may mean two things.`, {
    hint: `None of them is: where field ${form}, op "=", value 0. One is another: field ${form.replace(" = ", " != ")}, op ">", value 0.`,
  });
}

/** What to write instead. */
function formOf(via: string, key: Key, ds: string): string {
  return `"count(${via}[${qualified(key)} = …]) per ${ds}"`;
}

/** The fields that a condition speaks of itself, and not of what belongs to a row. */
function ownKeys(cond: Cond): Key[] {
  if (cond.k === "link") return [];
  if (cond.k === "and" || cond.k === "or") return cond.of.flatMap(ownKeys);
  if (cond.k === "not") return ownKeys(cond.of);
  return nodesIn(cond).filter((node) => "ds" in node && "field" in node) as unknown as Key[];
}
