import { AppError } from "../../../kernel/errors.ts";
import { columnName } from "../compile/columns.ts";
import { isEqual } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Cond, Key, Num, Window } from "../query/semantic-query.ts";
import { datedNumber, ofEach, ofEntity } from "./entities.ts";
import { listedDataset, showsEntities } from "./list.ts";
import type { Scene } from "./scene.ts";
import type { Conditions } from "./where.ts";

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
  const none = groups.filter(({ number, cond }) => isNone(cond) && isCount(number, schema));
  const others = named.filter((num) => !none.some(({ number }) => isEqual(number, num)));
  // A number of other rows brings in the groups that have none of these.
  if (none.length === 0 || none.length < groups.length || others.length > 0) return wanted;
  const ds = listedDataset(keys, schema);
  if (ds === undefined || !showsEntities(ds, keys, schema) || schema.datasets.get(ds)?.key.length === 0)
    throw noGroups(none[0]?.number as Num, keys, schema);
  const conds = none.map(({ number, cond }) => {
    const a = ofEach(number, ds, schema);
    return ofEntity(ds, { ...cond, a: win == null ? a : datedNumber(a, win) } as Cond);
  });
  return { rows: [...rows, ...conds], groups: [], keys, cols: [] };
}

function isNone(cond: Cond): boolean {
  if (cond.k !== "cmp" || !("k" in cond.b) || cond.b.k !== "lit") return false;
  return (cond.op === "=" || cond.op === "<=" ? cond.b.v === 0 : false) || (cond.op === "<" && cond.b.v <= 1);
}

function isCount(num: Num, { metrics }: Schema): boolean {
  if (num.k === "agg") return num.fn === "count" || num.fn === "distinct";
  return num.k === "metric" && metrics.get(num.name)?.formula.only?.isCount === true;
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
