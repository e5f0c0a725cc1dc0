import type { LinearModel } from "../../src/domains/agent/reader/classifiers.ts";
import { AGGREGATES, OPERATORS } from "../../src/domains/agent/reader/draft.ts";
import { Features, type Use, usesIn } from "../../src/domains/agent/reader/features.ts";
import { bestScore, unknownIn } from "../../src/domains/agent/reader/link.ts";
import { type SlotModels, sketchOf } from "../../src/domains/agent/reader/models.ts";
import {
  aggregateGrams,
  HEADS,
  hashOf,
  operatorGrams,
  sketchGrams,
  sketchNumbers,
} from "../../src/domains/agent/reader/sketch.ts";
import type { Example } from "./examples.ts";
import { allIn, conditionFor, type Gold, headsOf, operatorOf } from "./gold.ts";
import { learnLinear, learnTrees } from "./learners.ts";

/** Parts of the databases, each of which is read by models that were learned on the others. */
export const FOLDS = 3;

const HEAD_WIDTHS = Object.values(HEADS).map((choices) => choices.length);
const TREES = { trees: 60, depth: 5, rate: 0.2, share: 0.4 };

type Read = Example & { gold: Gold };

/** Rows of one decision, with what is right and the fold of their database. */
interface Rows {
  rows: Float32Array[];
  right: number[];
  folds: number[];
}

/** What was learned without each fold, and of all. */
export interface Learned {
  without: SlotModels[];
  all: SlotModels;
}

/** The models of parts of queries, from the queries that people wrote. */
export function learnSlots(examples: readonly Example[]): Learned {
  const quiet = quietWords(examples);
  const read = examples.filter((example): example is Read => example.gold !== undefined);
  const folds = Array.from({ length: FOLDS }, (_, fold) => fold);
  const others = (fold: number) => read.filter((example) => example.fold !== fold);
  const sketches = folds.map((fold) => learnSketch(others(fold)));
  const decisions = decisionsOf(read, sketches);
  const of = (fold: number | undefined, sketch: LinearModel): SlotModels => {
    const some = fold === undefined ? read : others(fold);
    const trees = (rows: Rows) => {
      const kept = rows.folds.flatMap((each, i) => (each === fold ? [] : [i]));
      return learnTrees(
        kept.map((i) => rows.rows[i] as Float32Array),
        kept.map((i) => rows.right[i] as number),
        TREES,
      );
    };
    return {
      sketch,
      quiet,
      aggregate: learnLinear(some.flatMap(aggregateRows), [AGGREGATES.length]),
      operator: learnLinear(some.flatMap(operatorRows), [OPERATORS.length]),
      shown: trees(decisions.shown),
      grouped: trees(decisions.grouped),
      ordered: trees(decisions.ordered),
      table: trees(decisions.table),
      use: trees(decisions.use),
    };
  };
  return {
    without: folds.map((fold) => of(fold, sketches[fold] as LinearModel)),
    all: of(undefined, learnSketch(read)),
  };
}

/** Sets in whose questions a word that names nothing there has to be. */
const QUIET_SETS = 3;

/** Words that people use whatever the data are. */
function quietWords(examples: readonly Example[]): LinearModel {
  const sets = new Map<string, Set<string>>();
  for (const { linked, set } of examples)
    for (const word of unknownIn(linked)) sets.set(word, (sets.get(word) ?? new Set()).add(set));
  const words = [...sets].filter(([, all]) => all.size >= QUIET_SETS).map(([word]) => hashOf(word));
  const vocabulary = new Map(words.toSorted((a, b) => a - b).map((word, i) => [word, i]));
  return { widths: [], vocabulary, weights: new Float32Array() };
}

function learnSketch(examples: readonly Read[]): LinearModel {
  const rows = examples.map(({ linked, gold }) => ({
    grams: sketchGrams(linked),
    right: Object.values(headsOf(gold)),
  }));
  return learnLinear(rows, HEAD_WIDTHS);
}

function aggregateRows({ schema, linked, gold }: Read) {
  const features = new Features(schema, linked, []);
  return gold.select.flatMap(({ column, agg }) => {
    const own = schema.columns[column];
    const right = (AGGREGATES as readonly string[]).indexOf(agg);
    if (own === undefined || right === -1) return [];
    return [{ grams: aggregateGrams(linked, own, features.mentionOf(column)), right: [right] }];
  });
}

function operatorRows({ schema, linked, gold }: Read) {
  return usesIn(schema, linked).flatMap((use) => {
    const condition = conditionOf(gold, schema, use);
    const right =
      condition === undefined ? -1 : (OPERATORS as readonly string[]).indexOf(operatorOf(condition));
    return right === -1 ? [] : [{ grams: operatorGrams(linked, use), right: [right] }];
  });
}

function conditionOf(gold: Gold, schema: Read["schema"], use: Use) {
  const part = use.link?.part;
  const value = part ?? use.value;
  const how = { isPart: part !== undefined || use.kind === "text", isDate: use.kind === "date" };
  return conditionFor(gold, schema, { column: use.column, value }, how);
}

function isRightUse(gold: Gold, schema: Read["schema"], use: Use): boolean {
  const all = allIn(gold);
  if (use.kind === "limit") return all.some(({ limit }) => limit > 0 && limit === use.value);
  const having = all.flatMap((each) => each.having);
  if (use.kind === "having") return having.some(({ agg, value }) => agg === "count" && value === use.value);
  const isHeld = having.some(
    ({ agg, column, value }) => agg !== "count" && column === use.column && value === use.value,
  );
  return isHeld || conditionOf(gold, schema, use) !== undefined;
}

/** Every decision about the parts of these queries, as numbers, with the sketch of models that have not read them. */
function decisionsOf(examples: readonly Read[], sketches: readonly LinearModel[]) {
  const empty = (): Rows => ({ rows: [], right: [], folds: [] });
  const all = { shown: empty(), grouped: empty(), ordered: empty(), table: empty(), use: empty() };
  for (const { schema, linked, gold, fold } of examples) {
    const sketch = sketchOf(sketches[fold] as LinearModel, linked);
    const features = new Features(schema, linked, sketchNumbers(sketch));
    const put = (to: Rows, row: Float32Array, isRight: boolean) => {
      to.rows.push(row);
      to.right.push(isRight ? 1 : 0);
      to.folds.push(fold);
    };
    const shown = new Set(gold.select.map(({ column }) => column));
    const ordered = new Set(gold.order.map(({ column }) => column));
    for (const { sub, column } of [...gold.where, ...gold.having])
      if ((sub?.select[0]?.agg ?? "") !== "") ordered.add(column);
    for (const column of features.columns()) {
      const row = Float32Array.from(features.ofColumn(column));
      put(all.shown, row, shown.has(column));
      put(all.grouped, row, gold.group.includes(column));
      put(all.ordered, row, ordered.has(column));
    }
    const tables = new Set(allIn(gold).flatMap((each) => each.tables));
    for (const { index } of schema.tables)
      put(all.table, Float32Array.from(features.ofTable(index)), tables.has(index));
    for (const [i, use] of usesIn(schema, linked).entries()) {
      const isRight = isRightUse(gold, schema, use);
      const own = schema.columns[use.column];
      const isFar =
        use.kind === "number" &&
        bestScore(linked.columns[use.column]) < 0.3 &&
        bestScore(linked.tables[own?.table ?? -1]) < 0.4;
      // Of the many numbers that are nothing, every third is enough.
      if (isRight || !isFar || i % 3 === 0) put(all.use, Float32Array.from(features.ofUse(use)), isRight);
    }
  }
  return all;
}
