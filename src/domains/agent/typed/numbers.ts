import { AppError } from "../../../kernel/errors.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { findMetric, isDate, isSameName, keysNamed, qualified, unknownName } from "../query/names.ts";
import { allOf, hasKind } from "../query/parts.ts";
import { kindOf as kindOfType, type Schema } from "../query/schema.ts";
import type { Aggregate, Cond, Key, Num, Scope } from "../query/semantic-query.ts";
import { keyOf, kindOf } from "./keys.ts";
import { leavesOf } from "./out-of-reach.ts";
import { beforeBracket, outside, splitOutside } from "./outside.ts";
import type { Scene } from "./scene.ts";

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
