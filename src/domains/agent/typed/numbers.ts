import { AppError } from "../../../kernel/errors.ts";
import { toOnePath } from "../compile/paths.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { findMetric, isDate, isSameName, keysNamed, qualified, unknownName } from "../query/names.ts";
import { allOf, hasKind } from "../query/parts.ts";
import { kindOf as kindOfType, type Schema } from "../query/schema.ts";
import type { Aggregate, Cond, Grain, Key, Num, Scope, Window } from "../query/semantic-query.ts";
import { upToToday } from "../understand/readings/finish.ts";
import { beforeBracket, keyOf, kindOf, outside, splitOutside } from "./keys.ts";
import { linkedTo, ofThemselves, ownKeys } from "./linked.ts";
import { ALWAYS, homesOfLeaf, leavesOf } from "./remarks.ts";
import { Faults, periodIn, type Scene } from "./scene.ts";
import { conditionsOf, type Filter } from "./where.ts";

type Operator = "+" | "-" | "*" | "/";

const FUNCTIONS: ReadonlyMap<string, Aggregate> = new Map<string, Aggregate>([
  ...(["count", "distinct", "sum", "avg", "median", "min", "max"] as const).map((fn) => [fn, fn] as const),
  ["count_distinct", "distinct"],
  ["average", "avg"],
]);

const RUNNING = /^(running|running_total|running_sum|cumulative)$/i;
const PER = /\sper\s/i;

/** A dash may be part of a name, unless there is space around it. */
const SIGNS: readonly RegExp[] = [/\+|(?<=[\s)\]\d])-(?=[\s(\d])/, /[*/]/];

/** A metric by its name, an aggregate (`count(orders)`), or what is calculated of some: `revenue[2025] / count(orders)`. */
export function numberOf(scene: Scene, text: string): Num {
  const found = numberNamed(scene, text);
  if (found !== undefined) return found;
  const { schema, model } = scene.knowledge;
  if (model.metrics.some(({ name }) => isSameName(name, text)))
    throw new AppError("bad_request", `The formula of ${text} is not made of plain aggregates.`, {
      hint: "It cannot be worked out by groups. Take another metric, or an aggregate of a field.",
    });
  const ds = [...schema.datasets.keys()].find((each) => isSameName(each, text));
  if (ds !== undefined)
    throw new AppError("bad_request", `${ds} is a dataset, and no metric.`, {
      hint: `Its rows are count(${ds}).`,
    });
  const [field] = keysNamed(schema, text);
  if (field === undefined) throw unknownName("metric", text, [...schema.metrics.keys()]);
  throw new AppError("bad_request", `${text} is a field, and no metric.`, {
    hint: `Say what is wanted of it: sum(${qualified(field)}), avg, min, max, median, count or distinct.`,
  });
}

/** The same; undefined where it is a single name, and that of no metric. */
export function numberNamed(scene: Scene, said: string): Num | undefined {
  const text = said.trim();
  const name = findMetric(scene.knowledge.schema, text);
  if (name !== undefined) {
    scene.spend("queryNumbers", 1);
    return { k: "metric", name };
  }
  if (/^\d+(\.\d+)?$/.test(text)) return { k: "lit", v: Number(text) };
  // A field may be called like a calculation.
  if (keysNamed(scene.knowledge.schema, text).length > 0) return undefined;
  return calculated(scene, text) ?? scoped(scene, text) ?? called(scene, text);
}

/** The last sign of the weakest kind is worked out last. */
function calculated(scene: Scene, text: string): Num | undefined {
  for (const signs of SIGNS) {
    const { at, sign } = outside(text, signs)?.at(-1) ?? {};
    if (at === undefined) continue;
    const [a, b] = [text.slice(0, at), text.slice(at + 1)].map((side) => numberOf(scene, side.trim()));
    return { k: "calc", op: sign as Operator, a: a as Num, b: b as Num };
  }
  return undefined;
}

function scoped(scene: Scene, text: string): Num | undefined {
  const { head, inside } = beforeBracket(text, "[") ?? {};
  if (head === undefined || inside === undefined) return undefined;
  return within(numberOf(scene, head), scene.scopeIn(inside));
}

/** A number of fewer rows; of what is calculated each part is. */
function within(num: Num, scope: Scope): Num {
  switch (num.k) {
    case "metric":
    case "agg":
    case "each":
      return { ...num, scope: narrowed(num.scope, scope) };
    case "calc":
      return { ...num, a: within(num.a, scope), b: within(num.b, scope) };
    case "running":
      return { ...num, of: within(num.of, scope) };
    default:
      return num;
  }
}

function narrowed(own: Scope = {}, scope: Scope): Scope {
  const all = allOf([own.if, scope.if].filter((cond): cond is Cond => cond !== undefined));
  return { ...scope, ...own, ...(all && { if: all }) };
}

function called(scene: Scene, text: string): Num | undefined {
  const { head, inside } = beforeBracket(text, "(") ?? {};
  if (head === undefined || inside === undefined || !/^\w*$/.test(head)) return undefined;
  if (head === "") return numberOf(scene, inside);
  if (RUNNING.test(head)) return runningOf(numberOf(scene, inside));
  if (!/^share$/i.test(head)) return aggregateOf(scene, head, inside);
  const of = numberOf(scene, inside);
  if (leavesOf(of).length === 0)
    throw new AppError("bad_request", `share(${inside}) is none of the data.`, {
      hint: "Write share(revenue).",
    });
  // All that it is made of is there twice, which of a share of a share would be without end.
  scene.spend("queryNumbers", leavesOf(of).length);
  return { k: "calc", op: "/", a: of, b: within(of, { whole: true }) };
}

function runningOf(of: Num): Num {
  if (!hasKind(of, "running")) return { k: "running", of };
  throw new AppError("bad_request", "A running total of a running total is none.", {
    hint: "Write running(revenue).",
  });
}

/** Whether it is no amount but a date: the first or the last one of its rows. */
export function isDay(num: Num, { schema, model }: Knowledge): boolean {
  if (num.k === "agg" && num.of !== undefined)
    return (num.fn === "min" || num.fn === "max") && kindOf(schema, num.of) === "date";
  const type = num.k === "metric" ? model.metrics.find(({ name }) => name === num.name)?.type : undefined;
  return type !== undefined && kindOfType(type, null) === "date";
}

function aggregateOf(scene: Scene, said: string, inside: string): Num {
  const { schema } = scene.knowledge;
  const isDistinct = /^distinct\s+/i.test(inside);
  const whole = inside.replace(/^distinct\s+/i, "");
  const fn = isDistinct ? "distinct" : FUNCTIONS.get(said.toLowerCase());
  if (fn === undefined)
    throw new AppError("bad_request", `There is no function ${said}.`, {
      hint: "Those that there are: count, distinct, sum, avg, median, min, max, share, running.",
    });
  const each = splitOutside(whole, PER);
  if (each.length === 2) return eachOf(scene, fn, each as [string, string]);
  scene.spend("queryNumbers", 1);
  const { head: of, inside: scope } = beforeBracket(whole, "[") ?? { head: whole };
  const num = plainAggregate(scene.knowledge, fn, of);
  return scope === undefined || keysNamed(schema, whole).length > 0 ? num : within(num, scene.scopeIn(scope));
}

function plainAggregate({ schema }: Knowledge, fn: Aggregate, of: string): Num {
  const datasets = [...schema.datasets.keys()];
  const ds = datasets.find((each) => isSameName(each, of));
  const isCount = fn === "count" || fn === "distinct";
  if (isCount && ds !== undefined) return { k: "agg", fn: "count", in: { k: "all", ds } };
  if (fn === "count" && !/\S\s*[.:]/.test(of) && keysNamed(schema, of).length === 0)
    throw unknownName("dataset", of, datasets);
  const key = daysBetween(schema, of) ?? keyOf(schema, of);
  const kind = kindOf(schema, key);
  const isEither = fn === "min" || fn === "max" ? kind === "number" || kind === "date" : kind === "number";
  if (!isCount && !isEither)
    throw new AppError("bad_request", `${qualified(key)} is no number, so there is no ${fn} of it.`, {
      hint:
        kind === "boolean"
          ? `Its share is count(${key.ds}[${key.field} = true]) / count(${key.ds}).`
          : `Take a number, or distinct(${qualified(key)}).`,
    });
  return { k: "agg", fn, of: key, in: { k: "all", ds: key.ds } };
}

/** `shipped_on - ordered_on`: how many days the one is after the other. */
export function daysBetween(schema: Schema, text: string): Key | undefined {
  const [later, earlier, ...others] = splitOutside(text, /\s-\s/);
  if (later === undefined || earlier === undefined || others.length > 0) return undefined;
  if ([later, earlier].some((side) => keysNamed(schema, side).length === 0)) return undefined;
  const [key, since] = [keyOf(schema, later), keyOf(schema, earlier)];
  for (const each of [key, since])
    if (!isDate(schema, each))
      throw new AppError(
        "bad_request",
        `${qualified(each)} is no date, so there are no days from or to it.`,
        {
          hint: "Take two dates: avg(orders.shipped_on - orders.ordered_on).",
        },
      );
  return { ...key, since };
}

/** An aggregate of what each one has: `avg(count(orders) per customers)`. */
function eachOf(scene: Scene, fn: Aggregate, [number, keys]: [string, string]): Num {
  scene.spend("queryNumbers", 1);
  const of = numberOf(scene, number);
  const per = splitOutside(keys, /,/).flatMap((key) => keysOfEach(scene.knowledge, key));
  return { k: "each", fn, of, per };
}

function keysOfEach({ schema }: Knowledge, text: string): Key[] {
  const dataset = [...schema.datasets.values()].find(({ name }) => isSameName(name, text));
  if (dataset === undefined) return [keyOf(schema, text)];
  if (dataset.key.length > 0) return dataset.key.map((field) => ({ ds: dataset.name, field }));
  throw new AppError("bad_request", `The model does not say what tells ${dataset.name} apart.`, {
    hint: `Say one of its fields: ${[...dataset.fields.keys()].map((field) => `per ${dataset.name}.${field}`).join(", ")}.`,
  });
}

export const COMPARED = ["previous_period", "previous_year"] as const;
export type Compare = (typeof COMPARED)[number];

/** By how much the numbers are earlier that others are held against. */
export interface Earlier {
  n: number;
  grain: Grain;
  said: string;
}

const DAY_MS = 86_400_000;
const WEEKS_OF_YEAR = 52;

/** What is earlier by a period of the rows, or else by the period that all of them are of; or by a year. */
export function earlierOf(
  compare: Compare,
  { keys, win, isList }: { keys: readonly Key[]; win: Window | null | undefined; isList: boolean },
): Earlier {
  const grain = keys.find(({ bucket }) => bucket !== undefined)?.bucket;
  if (isList) throw new AppError("bad_request", "Only metrics can be compared.", { hint: "Give metrics." });
  // Weeks do not begin on the same days of each year.
  if (compare === "previous_year" && grain === "week") return earlier(WEEKS_OF_YEAR, "week");
  if (grain !== undefined) return earlier(1, compare === "previous_year" ? "year" : grain);
  if (win?.from == null || win.to == null)
    throw new AppError("bad_request", "To compare, a period with a beginning and an end is needed.", {
      hint: "Give period, or a date with a grain in by.",
    });
  return compare === "previous_year"
    ? earlier(1, "year")
    : lengthOf(win.from.slice(0, 10), win.to.slice(0, 10));
}

/** In years, quarters or months where it is made of whole ones; else in days. */
function lengthOf(from: string, to: string): Earlier {
  const [start, end] = [from, to].map((day) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1);
  const months = (end as number) - (start as number);
  if (!from.endsWith("-01") || !to.endsWith("-01") || months === 0)
    return earlier(Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)), "day");
  if (months % 12 === 0) return earlier(months / 12, "year");
  return months % 3 === 0 && (start as number) % 3 === 0
    ? earlier(months / 3, "quarter")
    : earlier(months, "month");
}

function earlier(n: number, grain: Grain): Earlier {
  return { n, grain, said: n === 1 ? `the ${grain} before` : `the ${n} ${grain}s before` };
}

/** A number, the same earlier, the change and the growth. */
export function besideEarlier(of: Num, { n, grain }: Earlier): Num[] {
  const b: Num = { k: "lag", of, n, grain };
  return [of, b, { k: "calc", op: "-", a: of, b }, { k: "calc", op: "growth", a: of, b }];
}

/** What is not over is held against as many days: of a month that has just begun, and of all that there is. */
export function soFar(win: Window | null | undefined, now: string): Window {
  const all = { from: null, to: "9999-12-31", said: "" };
  const { said, ...cut } = upToToday(win ?? all, now) ?? (win as Window);
  return { ...cut, said: said.trim() };
}

/** Conditions that hold for all numbers, and how to say the others of each of them. */
interface Spread {
  rows: Cond[];
  spread: (num: Num) => Num;
}

/**
 * A condition on what only some of the numbers' rows belong to is said of each number in its own way: orders with an
 * item of that product, and items of it.
 */
export function spreadOver(conds: readonly Cond[], cols: readonly Num[], schema: Schema): Spread {
  const homes = [...new Set(cols.flatMap(leavesOf).flatMap((leaf) => homesOfLeaf(leaf, schema)))];
  const [only = "", ...others] = homes;
  const rows = others.length > 0 ? conds : conds.map((cond) => ofThemselves(only, cond));
  const isFar = (home: string, cond: Cond) =>
    ownKeys(cond).some((key) => toOnePath(schema, home, key.ds, key.path) === undefined);
  // The date of one number is that of the others, each by its own.
  const isDate = (cond: Cond) => cond.k === "during" && homes.some((home) => !isFar(home, cond));
  const far = rows.filter((cond) => !isDate(cond) && homes.some((home) => isFar(home, cond)));
  if (far.length === 0) return { rows: [...rows], spread: (num) => num };
  const scopeOf = (own: readonly string[], scope: Scope | undefined): Scope => {
    const [home, ...more] = own;
    const isSame = own.every((each) => far.every((cond) => !isFar(each, cond)));
    const said =
      home === undefined || more.length > 0 || isSame ? far : linkedTo(home, far, undefined, schema);
    return { ...scope, if: allOf([...(scope?.if ? [scope.if] : []), ...said]) as Cond };
  };
  const spread = (num: Num): Num => {
    switch (num.k) {
      case "metric":
      case "agg":
        return { ...num, scope: scopeOf(homesOfLeaf(num, schema), num.scope) };
      case "calc":
        return { ...num, a: spread(num.a), b: spread(num.b) };
      case "each":
      case "lag":
      case "running":
        return { ...num, of: spread(num.of) };
      default:
        return num;
    }
  };
  return { rows: rows.filter((cond) => !far.includes(cond)), spread };
}

const OPERATOR =
  /<=|>=|<>|!=|==?|<|>|(?<=\s)(?:is\s+not\s+null|is\s+null|not\s+in|in|between|not\s+contains|contains|not\s+i?like|i?like)(?![\p{L}\p{N}_])/iu;
const SEPARATOR = /,|(?<=\s)and(?=\s)/i;

/** What stands in brackets behind a number: `[2025]`, `[customers.country = Austria, orders.status in (open, sent)]`. */
export function scopeOf(text: string, scene: Scene): Scope {
  const parts = rejoined(splitOutside(text, SEPARATOR)).filter((part) => part !== "");
  const filters = parts.map(filterIn);
  const [period, ...others] = parts.filter((_, i) => filters[i] === undefined);
  if (others.length > 0)
    throw new AppError("bad_request", `[${text}] has two periods, or a condition without an operator.`, {
      hint: `Write one period, and conditions as [customers.country = Austria, 2025]. A second period is another number.`,
    });
  const faults = new Faults();
  const { rows, groups } = conditionsOf(
    filters.filter((each) => each !== undefined),
    scene,
    { faults },
  );
  faults.require();
  if (groups.length > 0)
    throw new AppError("bad_request", `In [${text}] a number is compared, and it is not said of what.`, {
      hint: "Write whose number it is: [count(orders) per customers >= 3].",
    });
  const win = period === undefined ? undefined : periodIn(period, scene.knowledge, scene.moment);
  const all = allOf(rows);
  return { ...(all && { if: all }), ...(win !== undefined && { win: win ?? ALWAYS }) };
}

/** What lies between two values is one condition. */
function rejoined(parts: readonly string[]): string[] {
  const all: string[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last !== undefined && /\sbetween\s+(?!.*\sand\s)/i.test(last))
      all.splice(-1, 1, `${last} and ${part}`);
    else all.push(part);
  }
  return all;
}

/** `status = open`; undefined where nothing is compared. */
function filterIn(text: string): Filter | undefined {
  const [{ at, sign } = { at: 0, sign: "" }] = outside(text, OPERATOR) ?? [];
  const field = text.slice(0, at).trim();
  if (field === "") return undefined;
  const op = sign.toLowerCase().replaceAll(/\s+/g, " ");
  const said = text.slice(at + sign.length).trim();
  if (op.startsWith("is ")) return { field, op };
  if (op === "between") return { field, op, value: splitOutside(said, /\sand\s/i).map(bare) };
  const isList = /^(not )?in$/.test(op);
  return {
    field,
    op,
    value: isList ? splitOutside(said.replace(/^\((.*)\)$/s, "$1"), /,/).map(bare) : bare(said),
  };
}

function bare(text: string): string {
  return text.replace(/^(["'])(.*)\1$/s, "$2");
}
