import { AppError } from "../../../kernel/errors.ts";
import { columnName } from "../compile/columns.ts";
import { isEqual } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import { type Cond, isKey, type Key, type Num, type Window } from "../query/semantic-query.ts";
import { datedNumber, isAmount, ofEach, ofEntity, orNone } from "./entities.ts";
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
