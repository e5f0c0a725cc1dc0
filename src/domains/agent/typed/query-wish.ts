import { AppError } from "../../../kernel/errors.ts";
import { columnName } from "../compile/columns.ts";
import { type Compiled, compile } from "../compile/compile.ts";
import { CompileError } from "../compile/compile-error.ts";
import { toOnePath } from "../compile/paths.ts";
import { say } from "../explain/say.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Moment } from "../phases/plan.ts";
import { isSameName, qualified } from "../query/names.ts";
import { allOf, isEqual, isSameField, whereAll } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import { type Ask, type Cond, isKey, type Key, type Num, type Order } from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";
import { finished } from "../understand/readings/finish.ts";
import { besideEarlier, type Compare, type Earlier, earlierOf, soFar } from "./earlier.ts";
import { keyOf } from "./keys.ts";
import { isDay, numberNamed, numberOf } from "./numbers.ts";
import { periodIn } from "./period.ts";
import { remarksOn } from "./remarks.ts";
import { requireWays } from "./ways.ts";
import { conditionsOf, type Filter } from "./where.ts";

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

/** What a wish means on this model; an AppError says what of it is not there, or cannot be put together. */
export function readingOf(wish: QueryWish, knowledge: Knowledge, moment: Moment): Reading {
  const { schema } = knowledge;
  const { rows, groups } = conditionsOf(wish.where ?? [], knowledge, moment);
  const keys = distinct((wish.by ?? []).map((text) => keyOf(schema, text)));
  const named = distinct((wish.metrics ?? []).map((name) => numberOf(knowledge, name)));
  // Whoever is chosen by a number is shown with it.
  const cols = named.length > 0 ? named : distinct(groups.map(({ number }) => number));
  if (cols.length + keys.length === 0) throw new AppError("bad_request", NOTHING, { hint: FIRST });
  if (groups.length > 0 && keys.length === 0) throw new AppError("bad_request", NO_GROUPS, { hint: GROUPS });
  const said = wish.period === undefined ? undefined : periodIn(wish.period, knowledge, moment);
  const earlier = wish.compare && earlierOf(wish.compare, { keys, win: said, isList: cols.length === 0 });
  const day = earlier && cols.find((num) => isDay(num, knowledge));
  if (day !== undefined)
    throw new AppError("bad_request", `${columnName(day)} is a date, which has no growth.`, {
      hint: "Compare numbers only, and query dates without compare.",
    });
  const win = earlier === undefined ? said : soFar(said, moment.now);
  const shown = { keys, earlier, order: wish.order, limit: wish.limit };
  const during: Cond[] = win == null ? [] : [{ k: "during", win }];
  const scope = { ...(rows.length > 0 && { if: allOf(rows) as Cond }), ...(win != null && { win }) };
  const plain: Ask =
    cols.length === 0
      ? listOf([...rows, ...during], shown, knowledge)
      : { ...tableOf(cols, shown, knowledge), scope, having: allOf(groups.map(({ cond }) => cond)) };
  // Whoever says that all times are meant needs no period of the author's.
  const whole = win === null ? plain : finished(plain, moment, knowledge, true);
  const ask = filled(
    whole,
    carried(() => compile(schema, whole)),
  );
  requireWays(ask, schema);
  const compiled = compile(schema, ask);
  const remarks = remarksOn(wish, { ask, compiled, knowledge });
  return {
    ask,
    said: earlier === undefined ? say(ask) : `${say({ ...(ask as Table), cols })}, against ${earlier.said}`,
    cost: 0,
    isExact: true,
    assumptions: remarks.map((choice) => ({ at: null, choice, others: [] })),
  };
}

function distinct<T>(parts: readonly T[]): T[] {
  return parts.filter((part, i) => parts.findIndex((each) => isEqual(each, part)) === i);
}

const NOTHING = "There is nothing to query: metrics and by are both empty.";
const FIRST = "Give metrics for numbers, by for what they are told apart by, or by alone for a list.";
const NO_GROUPS = "A condition on a number chooses groups, and there are none.";
const GROUPS = "Say in by what the groups are, or put the condition on a field.";

interface Shown {
  keys: Key[];
  earlier: Earlier | undefined;
  order: string | undefined;
  limit: number | undefined;
}

function tableOf(cols: Num[], { keys, earlier, order: said, limit }: Shown, knowledge: Knowledge): Table {
  const all = keys.map((key) => inDays(key, knowledge.schema));
  const order = said === undefined ? undefined : orderOf(said, { keys: all, cols, earlier }, knowledge);
  const time = all.find(({ bucket }) => bucket !== undefined);
  const table: Table = {
    k: "table",
    by: all,
    cols: earlier === undefined ? cols : cols.flatMap((num) => besideEarlier(num, earlier)),
    ...(order !== undefined && { order: [order] }),
  };
  if (limit === undefined || all.length === 0) return table;
  const by = order?.by ?? (time === undefined ? cols[0] : time);
  if (by === undefined || isKey(by)) return { ...table, limit };
  const { order: _, ...ranked } = table;
  return { ...ranked, top: { n: limit, by, dir: order?.dir === "asc" ? "min" : "max", ties: "cut" } };
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

/** The entities, or else the different values, of the one dataset whose rows belong to all that is shown. */
function listOf(conds: readonly Cond[], { keys, order: said, limit }: Shown, knowledge: Knowledge): Ask {
  const { schema } = knowledge;
  const named = [...new Set(keys.map(({ ds }) => ds))];
  const ds = named.find((each) =>
    keys.every((key) => toOnePath(schema, each, key.ds, key.path) !== undefined),
  );
  if (ds === undefined)
    throw new AppError("bad_request", `${named.join(" and ")} do not belong to each other by themselves.`, {
      hint: "Add a metric, or count(dataset) of the dataset that links them.",
    });
  const { nameField, key } = schema.datasets.get(ds) ?? { nameField: null, key: [] };
  const isEntity = keys.some((each) => each.ds === ds && [nameField, ...key].includes(each.field));
  const order = said === undefined ? undefined : orderOf(said, { keys, cols: [] }, knowledge);
  return {
    k: "list",
    rel: whereAll({ k: "all", ds }, conds),
    show: keys,
    order: order === undefined ? keys.map((by) => ({ by, dir: "asc" })) : thenBy(order, keys),
    ...(limit !== undefined && { limit }),
    distinct: isEntity ? undefined : true,
  };
}

/** Of those that are alike the same ones come first each time. */
function thenBy(order: Order, keys: readonly Key[]): Order[] {
  return [order, ...keys.filter((by) => by !== order.by).map((by) => ({ by, dir: "asc" as const }))];
}

/** `revenue desc`, `customers.segment`, a column by its name, or with compare `growth`. */
function orderOf(
  text: string,
  { keys, cols, earlier }: { keys: Key[]; cols: Num[]; earlier?: Earlier | undefined },
  knowledge: Knowledge,
): Order {
  const [, name = "", dir] = /^\s*(.*?)(?:\s+(asc|desc)(?:ending)?)?\s*$/is.exec(text) ?? [];
  const down = { dir: dir?.toLowerCase() === "asc" ? ("asc" as const) : ("desc" as const) };
  const beside = earlier === undefined ? [] : cols.flatMap((num) => besideEarlier(num, earlier));
  const [, , change, growth] = beside;
  const called = /^growth$/i.test(name) ? growth : /^change$/i.test(name) ? change : undefined;
  const column = called ?? [...cols, ...beside].find((num) => isSameName(columnName(num), name));
  const number = column ?? numberNamed(knowledge, name);
  if (number !== undefined && cols.length > 0) return { by: number, ...down };
  const up = { dir: dir?.toLowerCase() === "desc" ? ("desc" as const) : ("asc" as const) };
  const shown = keys.filter((key) => isSameName(columnName(key), name));
  if (shown.length === 1) return { by: shown[0] as Key, ...up };
  const wanted = keyOf(knowledge.schema, name);
  const isWanted = (key: Key) => isEqual(key, wanted) || (wanted.bucket === undefined && isOne(key, wanted));
  const by = keys.find(isWanted);
  if (by === undefined)
    throw new AppError("bad_request", `The rows cannot be ordered by ${name}, which is not among them.`, {
      hint: `Order by a metric or by ${keys.map(qualified).join(", ")}.`,
    });
  return { by, ...up };
}

function isOne(a: Key, b: Key): boolean {
  return qualified(a) === qualified(b) && (b.path === undefined || isEqual(a.path, b.path));
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
