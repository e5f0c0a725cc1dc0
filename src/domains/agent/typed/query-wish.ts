import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { nearestFirst } from "../../../kernel/text.ts";
import { columnName, numberNames } from "../compile/columns.ts";
import { type Compiled, compile } from "../compile/compile.ts";
import { CompileError, toOnePath } from "../compile/paths.ts";
import { say } from "../explain/say.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { LIMITS } from "../limits.ts";
import type { Moment } from "../phases/plan.ts";
import { isSameName, keysNamed, qualified } from "../query/names.ts";
import { allOf, isEqual, isSameField, nodesIn, whereAll } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import {
  type Ask,
  type Cond,
  isKey,
  type Key,
  type Num,
  type Order,
  type Scope,
  type Window,
} from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";
import { inAuthorsPeriod } from "../understand/readings/finish.ts";
import { keyOf, linking, requireWays, splitOutside } from "./keys.ts";
import { linkedTo } from "./linked.ts";
import {
  besideEarlier,
  COMPARED,
  type Compare,
  type Earlier,
  earlierOf,
  isDay,
  numberNamed,
  numberOf,
  scopeOf,
  soFar,
  spreadOver,
} from "./numbers.ts";
import { leavesOf, remarksOn, requireReach, timeless } from "./remarks.ts";
import { counter, Faults, periodIn, type Scene } from "./scene.ts";
import { type Conditions, conditionsOf, type Filter, withNone } from "./where.ts";

/** A semantic query as its caller fills it in: names and values of the model, and no sentence but the period. */
export interface QueryWish {
  metrics?: readonly string[] | undefined;
  by?: readonly string[] | undefined;
  where?: readonly Filter[] | undefined;
  period?: string | undefined;
  compare?: Compare | undefined;
  order?: string | undefined;
  limit?: number | undefined;
}

type Table = Extract<Ask, { k: "table" }>;

/** What a wish is made of, each name found. */
interface Parts extends Conditions {
  keys: Key[];
  cols: Num[];
  win: Window | null | undefined;
  order: Ordered | undefined;
  earlier: Earlier | undefined;
  limit: number | undefined;
}

/** What a wish means on this model; an AppError says what of it is not there, or cannot be put together. */
export function readingOf(wish: QueryWish, knowledge: Knowledge, moment: Moment): Reading {
  const { schema } = knowledge;
  const parts = partsOf(wish, sceneOf(knowledge, moment));
  const { cols, earlier, win } = parts;
  const plain =
    cols.length === 0
      ? listOf(parts.rows, { ...parts, win: win ?? undefined }, schema)
      : plainTable(parts, schema);
  // Whoever says that all times are meant needs no period of the author's.
  const isOpen = plain.k === "table" && win === undefined;
  const whole = isOpen ? inAuthorsPeriod(plain, moment.now, knowledge.definitions) : plain;
  const ask = filled(
    whole,
    carried(() => compile(schema, whole)),
  );
  requireWays(ask, schema);
  const compiled = compile(schema, ask);
  const remarks = remarksOn(wish, { ask, compiled, knowledge });
  return {
    ask,
    said: earlier === undefined ? say(ask) : `${say(withoutEarlier(ask as Table))}, against ${earlier.said}`,
    cost: 0,
    isExact: true,
    assumptions: remarks.map((choice) => ({ at: null, choice, others: [] })),
  };
}

/** Of each number only itself, and not what it was earlier. */
function withoutEarlier(ask: Table): Table {
  const beside = besideEarlier({ k: "lit", v: 0 }, { n: 1, grain: "day", said: "" }).length;
  return { ...ask, cols: ask.cols.filter((_, i) => i % beside === 0) };
}

function sceneOf(knowledge: Knowledge, moment: Moment): Scene {
  const scene: Scene = {
    knowledge,
    moment,
    spend: counter(),
    scopeIn: (text) => scopeOf(text, scene),
  };
  return scene;
}

/** All names are looked up before any is complained of. */
function partsOf(wish: QueryWish, scene: Scene): Parts {
  const { knowledge, moment } = scene;
  const { where = [], metrics = [], by = [], limit } = wish;
  if (metrics.length + by.length + where.length === 0)
    throw new AppError("bad_request", NOTHING, { hint: FIRST });
  const faults = new Faults();
  const said = faults.tried("period", () =>
    wish.period === undefined ? undefined : periodIn(wish.period, knowledge, moment),
  );
  const found = conditionsOf(where, scene, { win: said ?? undefined, faults });
  const keys = distinct(faults.each("by", by, (text) => keyOf(knowledge.schema, text)));
  const named = distinct(faults.each("metrics", metrics, (name) => numberOf(scene, name)));
  // Whoever is chosen by a number is shown with it.
  const cols = named.length > 0 ? named : distinct(found.groups.map(({ number }) => number));
  const isComparable = faults.isFree && wish.compare !== undefined;
  const earlier = isComparable
    ? compared(wish.compare as Compare, { keys, cols, said }, knowledge)
    : undefined;
  const days = cols.length === 0 ? keys : keys.map((key) => inDays(key, knowledge.schema));
  const order = faults.tried("order", () =>
    wish.order === undefined
      ? undefined
      : orderOf(wish.order, { keys: days, cols, isList: metrics.length + cols.length === 0, earlier }, scene),
  );
  faults.require();
  const bare = cols.find((num) => leavesOf(num).length === 0);
  if (bare !== undefined)
    throw new AppError("bad_request", "A metric is a number of the data, and not one that is written down.", {
      hint: `Write one that is calculated from the data, such as "revenue * 1.19".`,
    });
  if (cols.length + keys.length === 0) throw new AppError("bad_request", NOTHING, { hint: FIRST });
  if (keys.length === 0 && nodesIn(cols).some(({ scope }) => (scope as Scope | undefined)?.whole === true))
    throw new AppError("bad_request", "A share is of groups, and there are none: it would be 1.", {
      hint: "Say in by what the groups are, or divide: revenue[customers.country = Austria] / revenue.",
    });
  if (order !== undefined && order.per.length > 0 && limit === undefined)
    throw new AppError("bad_request", `"${wish.order}" wants the first ones of each, and not how many.`, {
      hint: "Add limit: 3 for the first three of each.",
    });
  const win = earlier === undefined ? said : soFar(said, moment.now);
  const isTimed = win == null || days.some(({ bucket, part }) => bucket !== undefined || part !== undefined);
  const shown = isTimed ? cols : timeless(cols, knowledge.schema);
  return {
    ...withNone({ ...found, keys: days, cols: shown }, { named, win: said }, scene),
    win,
    order,
    earlier,
    limit,
  };
}

function compared(
  compare: Compare,
  { keys, cols, said }: { keys: Key[]; cols: Num[]; said: Window | null | undefined },
  knowledge: Knowledge,
): Earlier {
  const earlier = earlierOf(compare, { keys, win: said, isList: cols.length === 0 });
  const day = cols.find((num) => isDay(num, knowledge));
  if (day === undefined) return earlier;
  throw new AppError("bad_request", `${columnName(day)} is a date, which has no growth.`, {
    hint: "Compare numbers only, and query dates without compare.",
  });
}

function distinct<T>(parts: readonly T[]): T[] {
  return parts.filter((part, i) => parts.findIndex((each) => isEqual(each, part)) === i);
}

const NOTHING = "There is nothing to query: metrics and by are both empty.";
const FIRST = "Give metrics for numbers, by for what they are told apart by, or by alone for a list.";
const NO_GROUPS = "A condition on a number chooses groups, and there are none.";
const GROUPS =
  'Say in by what the groups are, or whose number it is: field "count(orders) per customers". For some rows of a metric: "revenue[orders.status = open]".';

function plainTable(parts: Parts, schema: Schema): Table {
  const { groups, win, keys } = parts;
  if (groups.length > 0 && keys.length === 0) throw new AppError("bad_request", NO_GROUPS, { hint: GROUPS });
  const { rows, spread } = spreadOver(parts.rows, numbersOf(parts), schema);
  const cols = parts.cols.map(spread);
  const order = parts.order && {
    ...parts.order,
    by: isKey(parts.order.by) ? parts.order.by : spread(parts.order.by),
  };
  requireReach({ cols: numbersOf({ ...parts, cols }), keys, win: win ?? undefined }, schema);
  const scope = { ...(rows.length > 0 && { if: allOf(rows) as Cond }), ...(win != null && { win }) };
  const having = rebuiltNumbers(allOf(groups.map(({ cond }) => cond)), spread);
  return { ...tableOf({ ...parts, cols, order }), scope, having };
}

/** All numbers of a table, whether they are shown or not. */
function numbersOf({ cols, groups, order }: Parts): Num[] {
  const by = order === undefined || isKey(order.by) ? [] : [order.by];
  return [...cols, ...groups.map(({ number }) => number), ...by];
}

function rebuiltNumbers(cond: Cond | undefined, change: (num: Num) => Num): Cond | undefined {
  if (cond === undefined) return undefined;
  if (cond.k === "and" || cond.k === "or")
    return { ...cond, of: cond.of.map((each) => rebuiltNumbers(each, change) as Cond) };
  if (cond.k === "not") return { ...cond, of: rebuiltNumbers(cond.of, change) as Cond };
  return cond.k === "cmp" && !isKey(cond.a) ? { ...cond, a: change(cond.a) } : cond;
}

function tableOf({ keys, cols, earlier, order, limit }: Parts): Table {
  const time = keys.find(({ bucket }) => bucket !== undefined);
  const sorted = order && { by: order.by, dir: order.dir };
  const table: Table = {
    k: "table",
    by: keys,
    cols: earlier === undefined ? cols : cols.flatMap((num) => besideEarlier(num, earlier)),
    ...(sorted !== undefined && { order: [sorted] }),
  };
  if (limit === undefined || keys.length === 0) return table;
  const by = order?.by ?? (time === undefined ? cols[0] : time);
  if (by === undefined || isKey(by)) return { ...table, limit };
  const { order: _, ...ranked } = table;
  const dir = order?.dir === "asc" ? "min" : "max";
  const per = order?.per ?? [];
  if (per.length === 0) return { ...ranked, top: { n: limit, by, dir, ties: "cut" } };
  const grouped = [
    ...per.map((key) => ({ by: key, dir: "asc" as const })),
    { by, dir: order?.dir ?? "desc" },
  ];
  return { ...ranked, order: grouped, top: { n: limit, by, dir, per, ties: "cut" } };
}

/** Periods without rows are shown as well, where the period of all rows goes by the date that tells them apart. */
function filled(ask: Ask, { used }: Compiled): Ask {
  if (ask.k === "list" || ask.top !== undefined || ask.limit !== undefined || ask.by.length !== 1) return ask;
  const [key] = ask.by as [Key];
  const isOwn = used.windows.every(({ date }) => isSameField(date, key));
  return key.bucket !== undefined && isOwn ? { ...ask, fill: true } : ask;
}

/** Moments are told apart by their day, unless another grain is said. */
function inDays(key: Key, schema: Schema): Key {
  const isMoment = schema.datasets.get(key.ds)?.fields.get(key.field)?.kind === "date";
  return isMoment && key.bucket === undefined && key.part === undefined ? { ...key, bucket: "day" } : key;
}

/** What the model cannot carry is said in the compiler's words. */
function carried(work: () => Compiled): Compiled {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    throw new AppError("bad_request", error.message, {
      hint: "Use fields of the dataset that is measured, or of one that each of its rows belongs to.",
      cause: error,
    });
  }
}

/** The dataset whose rows belong to all that is shown. */
export function listedDataset(keys: readonly Key[], schema: Schema): string | undefined {
  const named = [...new Set(keys.map(({ ds }) => ds))];
  return named.find((each) => keys.every((key) => toOnePath(schema, each, key.ds, key.path) !== undefined));
}

/** Whether its entities are shown by what they are called, or told apart by. */
export function showsEntities(ds: string, keys: readonly Key[], { datasets }: Schema): boolean {
  const { nameField, key } = datasets.get(ds) ?? { nameField: null, key: [] };
  return keys.some((each) => each.ds === ds && [nameField, ...key].includes(each.field));
}

interface Shown {
  keys: Key[];
  win: Window | undefined;
  order: Order | undefined;
  limit: number | undefined;
}

/** The entities, or else the different values, of the one dataset whose rows belong to all that is shown. */
function listOf(conds: readonly Cond[], { keys, win, order, limit }: Shown, schema: Schema): Ask {
  const ds = listedDataset(keys, schema);
  if (ds === undefined) throw apart(keys, schema);
  return {
    k: "list",
    rel: whereAll({ k: "all", ds }, linkedTo(ds, conds, win, schema)),
    show: keys,
    order: order === undefined ? keys.map((by) => ({ by, dir: "asc" })) : thenBy(order, keys),
    ...(limit !== undefined && { limit }),
    distinct: showsEntities(ds, keys, schema) ? undefined : true,
  };
}

function apart(keys: readonly Key[], schema: Schema): AppError {
  const named = [...new Set(keys.map(({ ds }) => ds))];
  const [between = "dataset"] = linking(schema, named);
  return new AppError("bad_request", `${named.join(" and ")} do not belong to each other by themselves.`, {
    hint: `Add a metric, or count(dataset) of the dataset that links them: metrics ["count(${between})"].`,
  });
}

/** Of those that are alike the same ones come first each time. */
function thenBy({ by: first, dir }: Order, keys: readonly Key[]): Order[] {
  return [
    { by: first, dir },
    ...keys.filter((by) => by !== first).map((by) => ({ by, dir: "asc" as const })),
  ];
}

/** In which order rows come, and within which groups the first ones are wanted. */
export interface Ordered extends Order {
  per: Key[];
}

interface Among {
  keys: Key[];
  cols: Num[];
  /** Without numbers it is a list. */
  isList: boolean;
  earlier?: Earlier | undefined;
}

/** `revenue desc`, `customers.segment`, a column by its name, with compare `growth`; `revenue desc per region`. */
function orderOf(text: string, among: Among, scene: Scene): Ordered {
  const [said = "", groups, ...more] = splitOutside(text, /\sper\s/i);
  const isGrouped = groups !== undefined && more.length === 0;
  const order = plainOrder(isGrouped ? said : text, among, scene);
  return {
    ...order,
    per: isGrouped ? splitOutside(groups, /,/).map((key) => keyAmong(key, among, scene)) : [],
  };
}

function plainOrder(text: string, among: Among, scene: Scene): Order {
  const { cols, isList, earlier } = among;
  const [, name = "", dir] = /^\s*(.*?)(?:\s+(asc|desc)(?:ending)?)?\s*$/is.exec(text) ?? [];
  const down = { dir: dir?.toLowerCase() === "asc" ? ("asc" as const) : ("desc" as const) };
  const beside = earlier === undefined ? [] : cols.flatMap((num) => besideEarlier(num, earlier));
  const [, , change, growth] = beside;
  const called = /^growth$/i.test(name) ? growth : /^change$/i.test(name) ? change : undefined;
  const names = numberNames(cols);
  const column =
    called ??
    cols.find((_, i) => isSameName(names[i] as string, name)) ??
    [...cols, ...beside].find((num) => isSameName(columnName(num), name));
  const number = column ?? (isList ? undefined : numberNamed(scene, name));
  if (number !== undefined) return { by: number, ...down };
  const up = { dir: dir?.toLowerCase() === "desc" ? ("desc" as const) : ("asc" as const) };
  return { by: keyAmong(name, among, scene), ...up };
}

function keyAmong(name: string, among: Among, { knowledge: { schema } }: Scene): Key {
  const { keys } = among;
  const shown = keys.filter((key) => isSameName(columnName(key), name));
  if (shown.length === 1) return shown[0] as Key;
  if (keysNamed(schema, name.replace(/\s*:.*$/s, "")).length === 0) throw unknownOrder(name, among, schema);
  const wanted = keyOf(schema, name);
  const isWanted = (key: Key) => isEqual(key, wanted) || (wanted.bucket === undefined && isOne(key, wanted));
  const by = keys.find(isWanted);
  if (by !== undefined) return by;
  throw new AppError("bad_request", `The rows cannot be ordered by ${name}, which is not among them.`, {
    hint: `Add it to by, or order by ${[...among.cols.map(columnName), ...keys.map(qualified)].join(", ")}.`,
  });
}

function unknownOrder(
  name: string,
  { keys, cols, isList }: Among,
  schema: Scene["knowledge"]["schema"],
): AppError {
  const columns = [...cols.map(columnName), ...keys.map(qualified)];
  const metrics = isList ? [] : [...schema.metrics.keys()];
  const [nearest = ""] = nearestFirst(name, [...columns, ...metrics]);
  return new AppError("bad_request", `There is no column or metric "${name}" to order by.`, {
    hint: `Write "${nearest} desc", for instance. Columns: ${columns.join(", ")}.${
      metrics.length === 0
        ? ""
        : ` Metrics: ${nearestFirst(name, metrics).slice(0, LIMITS.agent.listedNames).join(", ")}.`
    }`,
  });
}

function isOne(a: Key, b: Key): boolean {
  return qualified(a) === qualified(b) && (b.path === undefined || isEqual(a.path, b.path));
}

const { queryMetrics, queryFields, queryConditions, queryCharacters, rows } = LIMITS.agent;
export const wishText = z.string().trim().min(1).max(queryCharacters);

function isLimit(n: number): boolean {
  return n >= 1 && n <= rows;
}

/** A query by names, as callers fill it in. */
export const wishShape = z.strictObject({
  metrics: z
    .array(wishText)
    .max(queryMetrics)
    .optional()
    .describe(
      "revenue, count(orders), a / b, share(a), running(a), avg(a per customers), a[2024, city = Rome]",
    ),
  by: z.array(wishText).max(queryFields).optional().describe("city, orders.date:month"),
  where: z
    .array(z.strictObject({ field: wishText, op: wishText.optional(), value: z.unknown().optional() }))
    .max(queryConditions)
    .optional()
    .describe('op as in SQL. Metrics: having, or "count(orders) per customers"'),
  period: wishText.optional().describe("last quarter, 2025-01"),
  compare: z.enum(COMPARED).optional(),
  order: wishText.optional().describe("a desc, a desc per city"),
  limit: z.int().refine(isLimit, `has to be 1 to ${rows}`).optional(),
});
