import { AGGREGATES, type Condition, OPERATORS, type Operator } from "./draft.ts";
import type { Use } from "./features.ts";
import type { Linked } from "./link.ts";
import type { LinkSchema } from "./schema.ts";
import type { Sketch } from "./sketch.ts";

/** How likely each part of a query is, before any is put together. */
export interface Slots {
  sketch: Sketch;
  /** Words that name nothing here. */
  unknown: readonly string[];
  /** Of columns: to be shown, grouped by, ordered by. */
  shown: ReadonlyMap<number, number>;
  grouped: ReadonlyMap<number, number>;
  ordered: ReadonlyMap<number, number>;
  /** Of tables, by their place. */
  tables: readonly number[];
  uses: readonly Use[];
  /** Of an aggregate of a column (`AGGREGATES`), and of an operator of a value (`OPERATORS`). */
  aggregates: (column: number) => readonly number[];
  operators: (use: Use) => readonly number[];
  /** Where a column is mentioned. */
  place: (column: number) => number;
}

/** Uses of the values and numbers of a question that go together. */
export interface ConditionSet {
  uses: Use[];
  conditions: { condition: Condition; at: number }[];
  limit?: number;
  having?: number;
  logP: number;
}

export const logP = (p: number) => Math.log(Math.max(1e-4, Math.min(1, p)));

export function topBy<T>(all: readonly T[], most: number, score: (one: T) => number): T[] {
  return all
    .map((one) => ({ one, score: score(one) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ one }) => one);
}

const UNLIKELY = 0.03;
const USES_PER_SPAN = 4;
const BEAM = 10;
const KEPT = 8;

export function conditionSets(schema: LinkSchema, linked: Linked, slots: Slots): ConditionSet[] {
  let beam: ConditionSet[] = [{ uses: [], conditions: [], logP: 0 }];
  for (const span of spansOf(slots.uses)) {
    const some = topBy(span, USES_PER_SPAN, ({ p }) => p);
    const odds = some.map(({ p }) => Math.min(0.97, p) / (1 - Math.min(0.97, p)));
    const all = 1 + odds.reduce((a, b) => a + b, 0);
    const next = beam.flatMap((set) => [
      { ...set, logP: set.logP + logP(1 / all) },
      ...some.flatMap((use, i) =>
        withUse({ ...set, logP: set.logP + logP((odds[i] as number) / all) }, use, { schema, linked, slots }),
      ),
    ]);
    beam = topBy(next, BEAM, (set) => set.logP);
  }
  const whole = beam.filter(({ conditions }) =>
    conditions.every(({ condition }) => condition.op !== "between" || condition.value2 !== undefined),
  );
  return topBy(whole, KEPT, (set) => set.logP);
}

/** Uses of the same words, of which only one can be meant. */
function spansOf(uses: readonly Use[]): Use[][] {
  const spans: Use[][] = [];
  const likely = uses.filter(({ p }) => p > UNLIKELY).toSorted((a, b) => a.start - b.start || b.end - a.end);
  for (const use of likely) {
    const span = spans.find((all) => all.some((each) => each.start < use.end && use.start < each.end));
    if (span === undefined) spans.push([use]);
    else span.push(use);
  }
  return spans;
}

function withUse(
  set: ConditionSet,
  use: Use,
  { schema, linked, slots }: { schema: LinkSchema; linked: Linked; slots: Slots },
): ConditionSet[] {
  const uses = [...set.uses, use];
  if (use.kind === "limit")
    return set.limit === undefined && Number.isInteger(use.value)
      ? [{ ...set, uses, limit: use.value as number }]
      : [];
  if (use.kind === "having")
    return set.having === undefined ? [{ ...set, uses, having: use.value as number }] : [];
  const last = set.conditions.at(-1);
  const isSecond = last?.condition.column === use.column && last.condition.op === "between";
  if (last !== undefined && isSecond && last.condition.value2 === undefined) {
    const condition = { ...last.condition, value2: use.value };
    return [{ ...set, uses, conditions: [...set.conditions.slice(0, -1), { ...last, condition }] }];
  }
  const odds = slots.operators(use);
  const best = topBy(
    OPERATORS.map((op, i) => ({ op, p: odds[i] ?? 0 })),
    2,
    ({ p }) => p,
  );
  return best.flatMap(({ op, p }, i) => {
    const condition = p < 0.12 ? undefined : conditionOf(use, op, i === 0, { schema, linked });
    if (condition === undefined) return [];
    const conditions = [...set.conditions, { condition, at: use.start }];
    return [{ ...set, uses, conditions, logP: set.logP + 0.7 * logP(p) }];
  });
}

function conditionOf(
  use: Use,
  op: Operator,
  isBest: boolean,
  { schema, linked: { tokens } }: { schema: LinkSchema; linked: Linked },
): Condition | undefined {
  const { column, value, kind, link } = use;
  const before = (count: number) =>
    tokens.slice(Math.max(0, use.start - count), use.start).map(({ cue }) => cue);
  if (kind === "text") {
    const cues = before(6);
    return { column, op: cues.includes("NOT") ? "not like" : "like", value };
  }
  if (link?.part !== undefined)
    return isBest ? { column, op: op === "!=" ? "not like" : "like", value: link.part } : undefined;
  if (kind === "value") {
    if (op === "=" || op === "!=") return { column, op, value };
    // A name is no more or less than another, whatever stands before it.
    return schema.columns[column]?.kind === "text" && isBest ? { column, op: "=", value } : undefined;
  }
  if (op === "like") return kind === "date" ? { column, op: "=", value } : undefined;
  return { column, op, value };
}

export const aggregateIndex = (agg: string) => (AGGREGATES as readonly string[]).indexOf(agg);
