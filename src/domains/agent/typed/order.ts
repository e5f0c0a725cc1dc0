import { AppError } from "../../../kernel/errors.ts";
import { nearestFirst } from "../../../kernel/text.ts";
import { columnName, numberNames } from "../compile/columns.ts";
import { LIMITS } from "../limits.ts";
import { isSameName, keysNamed, qualified } from "../query/names.ts";
import { isEqual } from "../query/parts.ts";
import type { Key, Num, Order } from "../query/semantic-query.ts";
import { besideEarlier, type Earlier } from "./earlier.ts";
import { keyOf } from "./keys.ts";
import { numberNamed } from "./numbers.ts";
import { splitOutside } from "./outside.ts";
import type { Scene } from "./scene.ts";

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
export function orderOf(text: string, among: Among, scene: Scene): Ordered {
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
