import { choose, type LinearModel, likelihood, type Pack, type TreeModel } from "./classifiers.ts";
import type { Slots } from "./condition-sets.ts";
import { Features, type Use, usesIn } from "./features.ts";
import { type Linked, unknownIn } from "./link.ts";
import type { LinkSchema } from "./schema.ts";
import {
  aggregateGrams,
  HEADS,
  type Head,
  hashOf,
  operatorGrams,
  type Sketch,
  sketchGrams,
  sketchNumbers,
} from "./sketch.ts";

/** What was learned of the parts of queries. */
export interface SlotModels {
  sketch: LinearModel;
  aggregate: LinearModel;
  operator: LinearModel;
  /** Words that say nothing by themselves: of questions over many data, none of which knows them. */
  quiet: LinearModel;
  shown: TreeModel;
  grouped: TreeModel;
  ordered: TreeModel;
  table: TreeModel;
  use: TreeModel;
}

/** And of whole ones: how likely each is, and which of several. */
export interface RankModels {
  point: TreeModel;
  list: TreeModel;
}

export interface ReaderModels {
  slots: SlotModels;
  rank: RankModels;
}

export function packOf({ slots, rank }: ReaderModels): Pack {
  const { sketch, aggregate, operator, quiet, ...trees } = slots;
  return { linear: { sketch, aggregate, operator, quiet }, trees: { ...trees, ...rank } };
}

export function modelsOf({ linear, trees }: Pack): ReaderModels {
  const { point, list, ...slots } = trees;
  return { slots: { ...linear, ...slots } as unknown as SlotModels, rank: { point, list } as RankModels };
}

/** What the sketch says of a question. */
export function sketchOf(model: LinearModel, linked: Linked): Sketch {
  const all = choose(model, sketchGrams(linked));
  return Object.fromEntries(
    Object.keys(HEADS).map((head, i) => [head as Head, all[i] ?? []]),
  ) as unknown as Sketch;
}

/** How likely each part is to be in the query. */
export function slotsOf(schema: LinkSchema, linked: Linked, models: SlotModels): Slots {
  const sketch = sketchOf(models.sketch, linked);
  const features = new Features(schema, linked, sketchNumbers(sketch));
  const shown = new Map<number, number>();
  const grouped = new Map<number, number>();
  const ordered = new Map<number, number>();
  for (const column of features.columns()) {
    const row = features.ofColumn(column);
    shown.set(column, likelihood(models.shown, row));
    grouped.set(column, likelihood(models.grouped, row));
    ordered.set(column, likelihood(models.ordered, row));
  }
  const uses = usesIn(schema, linked).map((use) => ({
    ...use,
    p: likelihood(models.use, features.ofUse(use)),
  }));
  const aggregates = new Map<number, readonly number[]>();
  const operators = new Map<string, readonly number[]>();
  return {
    sketch,
    unknown: unknownIn(linked).filter((word) => !models.quiet.vocabulary.has(hashOf(word))),
    shown,
    grouped,
    ordered,
    tables: schema.tables.map(({ index }) => likelihood(models.table, features.ofTable(index))),
    uses,
    aggregates: (column) =>
      kept(aggregates, column, () => {
        const own = schema.columns[column];
        const grams = own === undefined ? [] : aggregateGrams(linked, own, features.mentionOf(column));
        return choose(models.aggregate, grams)[0] ?? [];
      }),
    operators: (use: Use) =>
      kept(
        operators,
        `${use.kind} ${use.start} ${use.end}`,
        () => choose(models.operator, operatorGrams(linked, use))[0] ?? [],
      ),
    place: (column) => features.mentionOf(column)?.start ?? 99,
  };
}

function kept<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
