import { AppError } from "../../../kernel/errors.ts";
import { columnName } from "../compile/columns.ts";
import type { FieldValues, Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import { dayAfter } from "../phases/data-period.ts";
import type { Moment } from "../phases/plan.ts";
import { keysNamed, qualified } from "../query/names.ts";
import { isEqual, isSameField } from "../query/parts.ts";
import type { Schema, SchemaField } from "../query/schema.ts";
import {
  type Comparison,
  type Cond,
  isKey,
  type Key,
  type Literal,
  type Num,
  type Window,
} from "../query/semantic-query.ts";
import { fold } from "../understand/languages/words.ts";
import {
  datedNumber,
  entityNamed,
  isAmount,
  keyOf,
  kindOf,
  ofEach,
  ofEntity,
  orNone,
  splitOutside,
} from "./keys.ts";
import { daysBetween, isDay, numberNamed, numberOf } from "./numbers.ts";
import { listedDataset, showsEntities } from "./query-wish.ts";
import { type Faults, periodIn, type Scene } from "./scene.ts";

/** A condition as its caller writes it. */
export interface Filter {
  field: string;
  op?: string | undefined;
  value?: unknown;
}

type Said = Filter & { op: string };

/** What rows have to meet, and what groups have to by one of their numbers. */
export interface Conditions {
  rows: Cond[];
  groups: { number: Num; cond: Cond }[];
}

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  "=": "=",
  "!=": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
};
const OPERATORS = [
  ...Object.keys(COMPARISONS),
  "in",
  "not in",
  "between",
  "contains",
  "not contains",
  "is null",
  "is not null",
];
const PATTERNS = ["like", "not like", "ilike", "not ilike"];

/** `win` is the period of the whole query, and `faults` are told of what is wrong with each. */
export function conditionsOf(
  filters: readonly Filter[],
  scene: Scene,
  { win, faults }: { win?: Window | undefined; faults: Faults },
): Conditions {
  const all = faults.each("where", filters, (filter) => conditionsIn(filter, scene, win));
  const { knowledge, moment } = scene;
  const sayOf = (text: string) => periodIn(text, knowledge, moment)?.said ?? text;
  return {
    rows: joined(
      all.flatMap(({ rows }) => rows),
      sayOf,
    ),
    groups: all.flatMap(({ groups }) => groups),
  };
}

function conditionsIn(filter: Filter, scene: Scene, win: Window | undefined): Conditions {
  const { knowledge, moment } = scene;
  scene.spend("queryValues", Array.isArray(filter.value) ? filter.value.length : 1);
  const op = operatorOf(filter.op);
  const sides = sidesOf({ ...filter, op });
  const [of = "", whose, ...more] = splitOutside(filter.field, /\sper\s/i);
  if (whose !== undefined && more.length === 0 && !isField(filter.field, knowledge)) {
    const ds = entityNamed(knowledge.schema, whose);
    const number = ofEach(numberOf(scene, of), ds, knowledge.schema);
    const then = win === undefined ? number : datedNumber(number, win, knowledge.schema);
    return {
      rows: sides.map((said) =>
        ofEntity(ds, orNone(ofGroups(then, said, knowledge, moment), knowledge.schema)),
      ),
      groups: [],
    };
  }
  const isDays = daysBetween(knowledge.schema, filter.field) !== undefined;
  const number = isDays ? undefined : numberNamed(scene, filter.field);
  if (number === undefined) return { rows: sides.map((said) => ofRows(said, knowledge, moment)), groups: [] };
  return {
    rows: [],
    groups: sides.map((said) => ({ number, cond: ofGroups(number, said, knowledge, moment) })),
  };
}

function isField(text: string, { schema }: Knowledge): boolean {
  return keysNamed(schema, text).length > 0;
}

/** From one day on and until another is one period, and said as such. */
function joined(conds: readonly Cond[], sayOf: (text: string) => string): Cond[] {
  const [since, until] = [isSince, isUntil].map((is) => conds.find((cond) => is(openEnd(cond))));
  const [{ from, on } = {}, { to } = {}] = [openEnd(since), openEnd(until)];
  if (from == null || to == null || !isEqual(on, openEnd(until)?.on) || from >= to) return [...conds];
  const win = { from, to, ...(on && { on }), said: sayOf(`${from} to ${dayAfter(to, -1)}`) };
  return [...conds.filter((cond) => cond !== since && cond !== until), { k: "during", win }];
}

function openEnd(cond: Cond | undefined): Window | undefined {
  return cond?.k === "during" ? cond.win : undefined;
}

function isSince(win: Window | undefined): boolean {
  return win?.to === null;
}

function isUntil(win: Window | undefined): boolean {
  return win?.from === null;
}

/** `like '%on%'` says that something is contained; anything else of patterns is not there. */
function plainly({ field, op, value }: Said): Said {
  const pattern = typeof value === "string" ? value : "";
  const [, not, , of] = /^(not )?i?like\n(%)([^%_]+)%$/i.exec(`${op}\n${pattern}`) ?? [];
  if (of !== undefined) return { field, op: not === undefined ? "contains" : "not contains", value: of };
  throw new AppError("bad_request", `${field} ${op} takes a text within percent signs, such as %word%.`, {
    hint: `Write op "contains" and the word alone.`,
  });
}

/** Between two values is from the one on, and until the other. */
function sidesOf(said: Said): Said[] {
  if (/like$/.test(said.op)) return [plainly(said)];
  if (said.op !== "between") return [said];
  const [from, to, ...others] = Array.isArray(said.value) ? said.value : [];
  if (to === undefined || others.length > 0)
    throw new AppError("bad_request", `${said.field} between takes a list of two values.`);
  return [
    { ...said, op: ">=", value: from },
    { ...said, op: "<=", value: to },
  ];
}

function operatorOf(said = "="): string {
  const op = said
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, " ")
    .replace(/^<>$/, "!=")
    .replace(/^==$/, "=")
    .replace(/^does not contain$/, "not contains");
  if (OPERATORS.includes(op) || PATTERNS.includes(op)) return op;
  throw new AppError("bad_request", `There is no operator ${said}.`, {
    hint: `Take one of ${OPERATORS.join(", ")}.`,
  });
}

function ofGroups(number: Num, said: Said, knowledge: Knowledge, moment: Moment): Cond {
  const isEmpty = said.op === "is null" && isAmount(number, knowledge.schema);
  const { field, op, value } = isEmpty ? { ...said, op: "=", value: 0 } : said;
  const comparison = COMPARISONS[op];
  if (comparison === undefined)
    throw new AppError("bad_request", `${field} is a number of groups, which ${op} does not compare.`, {
      hint: `Take one of ${Object.keys(COMPARISONS).join(", ")}.`,
    });
  const one = oneOf(field, op, value);
  if (isDay(number, knowledge)) return ofDays(number, op, dayOf(one, knowledge, moment));
  return { k: "cmp", a: number, op: comparison, b: { k: "lit", v: numberIn(field, one) } };
}

/** The first or the last day of a group lies before, behind or in a period. */
function ofDays(number: Num, op: string, win: Window): Cond {
  if (op === "!=") return { k: "not", of: ofDays(number, "=", win) };
  if (op === "=") return { k: "and", of: [ofDays(number, ">=", win), ofDays(number, "<=", win)] };
  const side = beside(op, win);
  if (side.from === null && side.to === null)
    throw new AppError("bad_request", `Nothing lies ${side.said}.`, {
      hint: "Give a day or a whole period.",
    });
  return { k: "cmp", a: number, op: side.from === null ? "<" : ">=", b: { k: "day", win: side } };
}

function ofRows({ field, op, value }: Said, knowledge: Knowledge, moment: Moment): Cond {
  const { schema } = knowledge;
  const { bucket: _, fiscal: __, ...key } = daysBetween(schema, field) ?? keyOf(schema, field);
  if (op === "is null") return { k: "null", key };
  if (op === "is not null") return { k: "not", of: { k: "null", key } };
  const kind = kindOf(schema, key);
  const other = fieldIn(value, kind, knowledge);
  if (other !== undefined && op in COMPARISONS)
    return { k: "cmp", a: key, op: COMPARISONS[op] as Comparison, b: other };
  const values = op === "in" || op === "not in" || op === "=" || op === "!=" ? listOf(field, op, value) : [];
  if (values.length > 0) {
    const cond =
      kind === "date" ? duringAny(key, values, knowledge, moment) : isAny(key, kind, values, knowledge);
    return op === "!=" || op === "not in" ? { k: "not", of: cond } : cond;
  }
  const one = oneOf(field, op, value);
  if (op === "contains" || op === "not contains") {
    const has: Cond = { k: "is", key, values: [String(one)], match: "contains" };
    if (kind === "text") return op === "contains" ? has : { k: "not", of: has };
    throw new AppError("bad_request", `${qualified(key)} is no text, so it contains nothing.`);
  }
  const comparison = COMPARISONS[op] as Comparison;
  if (kind === "number")
    return { k: "cmp", a: key, op: comparison, b: { k: "lit", v: numberIn(field, one) } };
  if (kind === "date") return { k: "during", win: { ...beside(op, dayOf(one, knowledge, moment)), on: key } };
  throw new AppError("bad_request", `${qualified(key)} is ${kind}, which ${op} does not compare.`, {
    hint: "Take =, !=, in, not in or contains.",
  });
}

/** Another field of the same kind, by its whole name: `orders.required_on`. */
function fieldIn(value: unknown, kind: SchemaField["kind"], { schema }: Knowledge): Key | undefined {
  const [found] = typeof value === "string" && value.includes(".") ? keysNamed(schema, value) : [];
  return found !== undefined && kindOf(schema, found) === kind ? found : undefined;
}

function isAny(key: Key, kind: SchemaField["kind"], values: readonly Literal[], knowledge: Knowledge): Cond {
  const stored = values.map((value): Literal => {
    if (kind === "number") return numberIn(qualified(key), value);
    if (kind === "boolean") return booleanIn(qualified(key), value);
    return key.part === undefined ? storedAs(key, String(value), knowledge) : capitalised(String(value));
  });
  return { k: "is", key, values: stored, match: "equal" };
}

/** Texts are found in whatever case they are written, where exactly one is known. */
function storedAs(key: Key, value: string, { values }: Knowledge): string {
  const known = values.find((each) => isSameField(each, key));
  if (known === undefined || known.values.includes(value)) return value;
  return foldedOf(known).get(fold(value)) ?? value;
}

/** The known values by how they are compared; null where several are alike. Made once a field, as there may be thousands. */
const folded = new WeakMap<FieldValues, ReadonlyMap<string, string | null>>();

function foldedOf(known: FieldValues): ReadonlyMap<string, string | null> {
  const made = folded.get(known);
  if (made !== undefined) return made;
  const all = new Map<string, string | null>();
  for (const value of known.values) all.set(fold(value), all.has(fold(value)) ? null : value);
  folded.set(known, all);
  return all;
}

function duringAny(key: Key, values: readonly Literal[], knowledge: Knowledge, moment: Moment): Cond {
  const of = values.map(
    (value): Cond => ({ k: "during", win: { ...dayOf(value, knowledge, moment), on: key } }),
  );
  return of.length === 1 ? (of[0] as Cond) : { k: "or", of };
}

function dayOf(value: Literal, knowledge: Knowledge, moment: Moment): Window {
  const win = periodIn(String(value), knowledge, moment);
  if (win !== null) return win;
  throw new AppError("bad_request", "All time is no condition on a date.", { hint: "Leave it out." });
}

/** What lies before or behind a period. */
function beside(op: string, { from, to, said }: Window): Window {
  switch (op) {
    case ">":
      return { from: to, to: null, said: `after ${said}` };
    case ">=":
      return { from, to: null, said: `from ${said} on` };
    case "<":
      return { from: null, to: from, said: `before ${said}` };
    default:
      return { from: null, to, said: `until ${said}` };
  }
}

function listOf(field: string, op: string, value: unknown): Literal[] {
  const all = Array.isArray(value) ? value : [value];
  if (all.length === 0) throw new AppError("bad_request", `${field} ${op} needs a value.`);
  return all.map((each) => literalIn(field, op, each));
}

function oneOf(field: string, op: string, value: unknown): Literal {
  if (!Array.isArray(value)) return literalIn(field, op, value);
  throw new AppError("bad_request", `${field} ${op} takes one value, and not a list.`, { hint: "Use in." });
}

function literalIn(field: string, op: string, value: unknown): Literal {
  const isLiteral = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (isLiteral && String(value).length <= LIMITS.agent.queryCharacters) return value;
  const wrong = isLiteral ? "is too long" : "has to be a text, a number, true or false";
  throw new AppError("bad_request", `The value of ${field} ${op} ${wrong}.`, {
    hint: "For what is empty, use is null.",
  });
}

function numberIn(field: string, value: Literal): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw new AppError("bad_request", `${field} is a number, and "${value}" is none.`);
}

function booleanIn(field: string, value: Literal): boolean {
  const found = /^(?:(true|yes|1)|false|no|0)$/i.exec(String(value));
  if (found !== null) return found[1] !== undefined;
  throw new AppError("bad_request", `${field} is true or false, and not "${value}".`);
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

interface Wanted extends Conditions {
  keys: Key[];
  cols: Num[];
}

/**
 * Groups are made of rows, so none of them has no rows: who is wanted with a count of 0 is looked for among the
 * entities themselves.
 */
export function withNone(
  wanted: Wanted,
  { named, win }: { named: readonly Num[]; win: Window | null | undefined },
  { knowledge: { schema } }: Scene,
): Wanted {
  const { rows, groups, keys } = wanted;
  const none = groups.filter(({ number, cond }) => isNone(cond) && isAmount(number, schema));
  const others = named.filter((num) => !none.some(({ number }) => isEqual(number, num)));
  // A number of other rows brings in the groups that have none of these.
  if (none.length === 0 || none.length < groups.length || others.length > 0) return wanted;
  const ds = listedDataset(keys, schema);
  if (ds === undefined || !showsEntities(ds, keys, schema) || schema.datasets.get(ds)?.key.length === 0)
    throw noGroups(none[0]?.number as Num, keys, schema);
  const conds = none.map(({ number, cond }) => {
    const a = ofEach(number, ds, schema);
    const then = win == null ? a : datedNumber(a, win, schema);
    return ofEntity(ds, orNone({ ...(cond as Compared), a: then }, schema));
  });
  return { rows: [...rows, ...conds], groups: [], keys, cols: [] };
}

type Compared = Extract<Cond, { k: "cmp" }>;

/** Who is wanted with less than one is wanted with none. */
function isNone(cond: Cond): boolean {
  if (cond.k !== "cmp" || isKey(cond.b) || cond.b.k !== "lit") return false;
  const { v } = cond.b;
  return cond.op === "<" ? v > 0 && v <= 1 : (cond.op === "=" || cond.op === "<=") && v === 0;
}

function noGroups(num: Num, keys: readonly Key[], { datasets }: Schema): AppError {
  const [{ ds } = { ds: "" }] = keys;
  const { nameField, key = [] } = datasets.get(ds) ?? {};
  const name = nameField ?? key[0];
  const entity = name == null ? "" : ` Ask for entities: by ["${ds}.${name}"].`;
  return new AppError("bad_request", `Groups are made of rows, so none has a ${columnName(num)} of 0.`, {
    hint: `Add count(${ds}) to metrics, whose groups are then looked through.${entity}`,
  });
}
