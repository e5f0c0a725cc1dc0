import { AppError } from "../../../kernel/errors.ts";
import { toOnePath } from "../compile/paths.ts";
import { whereAll } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Cond, Key, Order, Window } from "../query/semantic-query.ts";
import { linking } from "./entities.ts";
import { linkedTo } from "./linked.ts";

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
export function listOf(conds: readonly Cond[], { keys, win, order, limit }: Shown, schema: Schema): Ask {
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
