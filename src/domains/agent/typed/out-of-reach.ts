import { AppError } from "../../../kernel/errors.ts";
import { columnName } from "../compile/columns.ts";
import { homesIn, toOnePath } from "../compile/paths.ts";
import { isToldBy } from "../compile/told-by.ts";
import { shortWindow } from "../explain/say.ts";
import { qualified } from "../query/names.ts";
import { datasetIn, swapped } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Key, Num, Rel, Window } from "../query/semantic-query.ts";
import { belonging, linking } from "./entities.ts";

export const ALWAYS: Window = { from: null, to: null, said: "all time" };

type Leaf = Extract<Num, { k: "metric" | "agg" }>;

/** The metrics and aggregates that a number is calculated from. */
export function leavesOf(num: Num): Leaf[] {
  switch (num.k) {
    case "metric":
    case "agg":
      return [num];
    case "calc":
      return [...leavesOf(num.a), ...leavesOf(num.b)];
    case "each":
    case "lag":
    case "running":
      return leavesOf(num.of);
    default:
      return [];
  }
}

/** The datasets whose rows make up a number. */
export function homesOfLeaf(leaf: Leaf, schema: Schema): string[] {
  if (leaf.k === "agg") return [datasetIn(leaf.in as Rel) ?? []].flat();
  const { aggregates = [] } = schema.metrics.get(leaf.name)?.formula ?? {};
  return [...new Set(aggregates.flatMap((each) => homesIn(schema, each).slice(0, 1)))];
}

/**
 * A sum or an average of what measured rows belong to is no event of a period: the floor area of stores beside their
 * revenue is that of all of them, whenever they were opened.
 */
export function timeless(cols: Num[], schema: Schema): Num[] {
  const leaves = cols.flatMap(leavesOf);
  const homes = leaves.flatMap((leaf) => homesOfLeaf(leaf, schema));
  const isAround = (of: string) => homes.some((ds) => ds !== of && toOnePath(schema, ds, of) !== undefined);
  const around = leaves.filter(
    (leaf) =>
      leaf.k === "agg" &&
      !["count", "distinct"].includes(leaf.fn) &&
      leaf.scope?.win === undefined &&
      homesOfLeaf(leaf, schema).every(isAround),
  );
  return swapped(cols, (part) =>
    around.includes(part as Leaf) ? { ...part, scope: { ...(part as Leaf).scope, win: ALWAYS } } : undefined,
  );
}

interface Asked {
  cols: readonly Num[];
  keys: readonly Key[];
  win: Window | undefined;
}

/** What a number cannot be told by is said with what can be asked instead. */
export function requireReach({ cols, keys, win }: Asked, schema: Schema): void {
  for (const leaf of cols.flatMap(leavesOf))
    for (const home of homesOfLeaf(leaf, schema)) {
      const far = keys.find(
        ({ bucket, part, ...key }) =>
          !bucket && !part && !reaches(schema, home, key) && !isToldBy(schema, leaf, home, key),
      );
      if (far !== undefined) throw severalOf(leaf, home, far, schema);
      const date = leaf.k === "metric" ? schema.metrics.get(leaf.name)?.date : null;
      if (win !== undefined && leaf.scope?.win === undefined && !date && !schema.datasets.get(home)?.date)
        throw dateless(leaf, home, win, schema);
    }
}

function reaches(schema: Schema, home: string, { ds, path }: Key): boolean {
  return toOnePath(schema, home, ds, path) !== undefined;
}

function severalOf(leaf: Leaf, home: string, key: Key, schema: Schema): AppError {
  const others = linking(schema, [home, key.ds]).flatMap((via) => countedIn(schema, via, home));
  const metrics = [...schema.metrics.keys()].filter((name) =>
    homesOfLeaf({ k: "metric", name }, schema).every((each) => reaches(schema, each, key)),
  );
  const what = `${home} cannot be told apart by ${key.field} of ${key.ds}, so there is no ${columnName(leaf)} by ${qualified(key)}.`;
  const counted = others.length === 0 ? "" : `To count each of ${home} with all that it has: ${others[0]}. `;
  const able =
    metrics.length === 0 ? "" : `Metrics that can be told by it: ${metrics.slice(0, 10).join(", ")}. `;
  return new AppError("bad_request", what, {
    hint: `${counted}${able}Or use fields of ${home}, or of what each of its rows belongs to.`,
  });
}

function dateless(leaf: Leaf, home: string, win: Window, schema: Schema): AppError {
  const dated = belonging(schema, home).filter((ds) => schema.datasets.get(ds)?.date);
  const forms = dated.flatMap((ds) => countedIn(schema, ds, home)).slice(0, 3);
  return new AppError("bad_request", `${home} has no date, so it cannot be limited to ${shortWindow(win)}.`, {
    hint:
      forms.length === 0
        ? `Leave the period out, or write ${columnName(leaf)} beside numbers with periods of their own: "revenue[${shortWindow(win)}]".`
        : `Count those with rows in that period: ${forms.join(", ")}.`,
  });
}

/** The entities that rows belong to, counted by the column that says so: `distinct(orders.customer_id)`. */
function countedIn({ datasets, links }: Schema, ds: string, entity: string): string[] {
  return [...links.values()].flatMap(({ from, to, columns: [only, ...others], isSoft }) =>
    from === ds && to === entity && isSoft !== true && only !== undefined && others.length === 0
      ? datasets.get(ds)?.fields.has(only.from) === true
        ? [`distinct(${ds}.${only.from})`]
        : []
      : [],
  );
}
