import {
  aggregateIndex,
  type ConditionSet,
  conditionSets,
  logP,
  type Slots,
  topBy,
} from "./condition-sets.ts";
import {
  AGGREGATES,
  type Aggregate,
  type Condition,
  type Draft,
  type Item,
  type JoinTree,
  joinTree,
  tablesOf,
} from "./draft.ts";
import type { Use } from "./features.ts";
import type { Linked } from "./link.ts";
import type { Column, LinkSchema, Table } from "./schema.ts";
import { HEADS, headP } from "./sketch.ts";

/** A draft with how likely it is by its parts. */
export interface Candidate {
  draft: Draft;
  tree: JoinTree;
  logP: number;
  parts: Parts;
  uses: readonly Use[];
}

/** What the likelihood is made of. */
export const PARTS = [
  ...["kind", "shown", "conditions", "tables", "join", "counts", "tableCount", "conditionCount", "any"],
  ...["grouped", "ordered", "aggregate", "direction", "having", "limit"],
] as const;
export type Parts = Partial<Record<(typeof PARTS)[number], number>>;

const KINDS_TRIED = 5;
const LISTS = 8;
const OUT = 60;
/** Columns that are chosen one by one. */
const MOST_SHOWN = 5;

/** Typed candidates from the linked pieces, the likeliest first: by kind, what is shown, conditions and tables. */
export function enumerate(schema: LinkSchema, linked: Linked, slots: Slots): Candidate[] {
  return new Enumeration(schema, linked, slots).candidates();
}

interface Shown {
  columns: number[];
  logP: number;
}

class Enumeration {
  readonly #schema: LinkSchema;
  readonly #linked: Linked;
  readonly #slots: Slots;
  readonly #tablesByP: number[];
  readonly #ordered: readonly [column: number, p: number][];
  readonly #grouped: readonly [column: number, p: number][];
  readonly #found = new Map<string, Candidate>();

  constructor(schema: LinkSchema, linked: Linked, slots: Slots) {
    this.#schema = schema;
    this.#linked = linked;
    this.#slots = slots;
    const likely = (all: ReadonlyMap<number, number>, least: number) =>
      topBy(
        [...all].filter(([, p]) => p > least),
        4,
        ([, p]) => p,
      );
    this.#tablesByP = topBy(
      schema.tables.map(({ index }) => index),
      schema.tables.length,
      (i) => this.#tableP(i),
    );
    this.#ordered = likely(slots.ordered, 0.02);
    this.#grouped = likely(slots.grouped, 0.03);
  }

  candidates(): Candidate[] {
    const sets = conditionSets(this.#schema, this.#linked, this.#slots);
    const lists = this.#shownLists();
    const kinds = topBy(
      HEADS.kind
        .map((kind, i) => ({ kind, p: this.#slots.sketch.kind[i] ?? 0 }))
        .filter(({ p }) => p > 0.015),
      KINDS_TRIED,
      ({ p }) => p,
    );
    for (const { kind, p } of kinds)
      for (const shown of lists)
        for (const set of sets) {
          if (kind !== "having" && set.having !== undefined) continue;
          if (kind !== "top" && kind !== "gtop" && set.limit !== undefined) continue;
          this.#ofKind(kind, { kind: logP(p), shown: shown.logP }, shown.columns, set);
        }
    return topBy([...this.#found.values()], OUT, (each) => each.logP);
  }

  #ofKind(kind: string, parts: Parts, columns: number[], set: ConditionSet): void {
    if (kind === "plain" || kind === "order" || kind === "top") this.#rows(kind, parts, columns, set);
    if (kind === "cmpagg") this.#compared(parts, columns, set);
    if (kind === "agg") this.#numbers(parts, columns, set);
    if (kind === "group" || kind === "grouporder") this.#groups(kind, parts, columns, set);
    if (kind === "gtop" || kind === "having") this.#chosenGroups(kind, parts, columns, set);
    if (kind === "except") this.#without(parts, columns, set);
    if (kind === "intersect" || kind === "union") this.#both(kind, parts, columns, set);
  }

  #column(index: number): Column {
    return this.#schema.columns[index] as Column;
  }

  #table(index: number): Table {
    return this.#schema.tables[index] as Table;
  }

  #tableP(index: number): number {
    return this.#slots.tables[index] ?? 0;
  }

  /** Likely sets of shown columns, in the order in which they are mentioned; none last. */
  #shownLists(): Shown[] {
    const { sketch, shown, place } = this.#slots;
    const likely = topBy(
      [...shown].filter(([, p]) => p > 0.04),
      7,
      ([, p]) => p,
    );
    const none = likely.reduce((sum, [, p]) => sum + logP(1 - p), 0);
    const all: Shown[] = [];
    for (let bits = 0; bits < 1 << likely.length; bits += 1) {
      const on = likely.filter((_, i) => ((bits >> i) & 1) === 1);
      if (on.length > MOST_SHOWN) continue;
      const own = on.reduce((sum, [, p]) => sum + logP(p) - logP(1 - p), none);
      const columns = on.map(([column]) => column).sort((a, b) => place(a) - place(b) || a - b);
      all.push({ columns, logP: own + 0.8 * logP(sketch.shown[Math.min(4, on.length)] ?? 0) });
    }
    const lists = topBy(
      all.filter(({ columns }) => columns.length > 0),
      LISTS,
      (each) => each.logP,
    );
    lists.push(...all.filter(({ columns }) => columns.length === 0));
    const whole = headP(sketch, "all", "1");
    if (whole > 0.2)
      for (const table of this.#tablesByP.slice(0, 3))
        if (this.#tableP(table) > 0.15)
          lists.push({
            columns: this.#table(table).columns,
            logP: logP(whole) + logP(this.#tableP(table)),
          });
    return lists;
  }

  #emit(draft: Draft, parts: Parts, set: ConditionSet): void {
    const needed = tablesOf(this.#schema, draft);
    const tree = joinTree(this.#schema, needed);
    if (tree === undefined) return;
    const { except } = draft;
    const named = new Set([
      ...tree.tables,
      ...(except?.tables ?? []),
      ...(except?.where ?? []).map(({ column }) => this.#column(column).table),
    ]);
    const tables = this.#schema.tables.reduce((sum, { index }) => {
      const p = Math.min(0.98, Math.max(0.02, this.#tableP(index)));
      return sum + logP(named.has(index) ? p : 1 - p);
    }, 0);
    const { sketch } = this.#slots;
    const isCounted = draft.select.some(({ agg }) => agg === "count");
    const conditions = draft.where.length + (except?.where.length ?? 0) + (draft.other?.length ?? 0);
    const isOnce = draft.group === undefined && draft.order === undefined;
    draft.isDistinct ||=
      isOnce && !draft.select.some(({ agg }) => agg !== "") && headP(sketch, "distinct", "1") > 0.5;
    const all: Parts = {
      ...parts,
      conditions: set.logP,
      tables,
      join: -tree.cost,
      counts: logP(sketch.counts[isCounted ? 1 : 0] ?? 0),
      tableCount: logP(sketch.tables[Math.min(3, tree.tables.length) - 1] ?? 0),
      conditionCount: logP(sketch.conditions[Math.min(3, conditions)] ?? 0),
      any: logP(sketch.any[draft.isAny === true ? 1 : 0] ?? 0),
    };
    const of = (part: keyof Parts) => all[part] ?? 0;
    const sum =
      of("kind") +
      of("shown") +
      of("conditions") +
      0.6 * of("tables") +
      of("grouped") +
      of("ordered") +
      0.7 * of("aggregate") +
      of("direction") +
      of("having") +
      of("counts") +
      0.3 * of("tableCount") +
      0.3 * of("conditionCount") +
      0.5 * of("any") -
      0.15 * tree.cost;
    const key = JSON.stringify({ ...draft, tables: tree.tables });
    const known = this.#found.get(key);
    if (known === undefined || known.logP < sum)
      this.#found.set(key, { draft, tree, logP: sum, parts: all, uses: set.uses });
  }

  /** Tables that may be meant beside those of columns. */
  #moreTables(columns: readonly number[], set: ConditionSet, isNeeded = false): number[][] {
    const own = new Set([
      ...columns.map((column) => this.#column(column).table),
      ...set.conditions.map(({ condition }) => this.#column(condition.column).table),
    ]);
    const found: number[][] = !isNeeded || own.size > 0 ? [[]] : [];
    const isOnly = this.#schema.tables.length === 1;
    const free = this.#tablesByP.filter((table) => !own.has(table));
    found.push(
      ...free
        .filter((table) => isOnly || this.#tableP(table) > 0.15)
        .slice(0, 3)
        .map((table) => [table]),
    );
    const likely = free.filter((table) => this.#tableP(table) > 0.5).slice(0, 4);
    if (likely.length > 1) found.push(likely);
    if (found.length === 0) found.push(this.#tablesByP.slice(0, 1));
    return found;
  }

  #either(where: readonly Condition[]): boolean[] {
    if (where.length < 2) return [false];
    const [a, b] = where;
    const isOneColumn = where.length === 2 && a?.column === b?.column && a?.op === "=" && b?.op === "=";
    if (isOneColumn) return [true];
    return headP(this.#slots.sketch, "any", "1") > 0.1 ? [false, true] : [false];
  }

  #directions(least: number): { direction: "asc" | "desc"; p: number }[] {
    const up = headP(this.#slots.sketch, "direction", "asc");
    const down = headP(this.#slots.sketch, "direction", "desc");
    const all = [
      { direction: "asc" as const, p: up / (up + down + 1e-6) },
      { direction: "desc" as const, p: down / (up + down + 1e-6) },
    ];
    return all.filter(({ p }) => p >= least);
  }

  #plainP(columns: readonly number[]): number {
    // All that is known of something is no choice for each column.
    if (columns.length > MOST_SHOWN) return 0;
    return columns.reduce((sum, column) => sum + logP(this.#slots.aggregates(column)[0] ?? 0), 0);
  }

  #limitP(n: number): number {
    return logP(headP(this.#slots.sketch, "limit", n === 1 ? "1" : "n"));
  }

  #rows(kind: string, parts: Parts, columns: number[], set: ConditionSet): void {
    if (columns.length === 0) return;
    const where = set.conditions.map(({ condition }) => condition);
    const base = { ...parts, aggregate: this.#plainP(columns) };
    const select = columns.map(plainItem);
    for (const tables of this.#moreTables(columns, set))
      for (const isAny of this.#either(where)) {
        const draft = { kind, select, isDistinct: false, tables, where, ...(isAny && { isAny }) };
        if (kind === "plain") {
          this.#emit(draft, base, set);
          continue;
        }
        for (const [column, p] of this.#ordered)
          for (const { direction, p: directionP } of this.#directions(0.1)) {
            const limit = set.limit ?? 1;
            const isTop = kind === "top";
            this.#emit(
              { ...draft, order: plainItem(column), direction, ...(isTop && { limit }) },
              {
                ...base,
                ordered: logP(p),
                direction: logP(directionP),
                ...(isTop && { limit: this.#limitP(limit) }),
              },
              set,
            );
          }
      }
  }

  #has(...cues: string[]): boolean {
    return this.#linked.tokens.some(({ cue }) => cues.includes(cue));
  }

  /** "older than the average", "larger than any in …". */
  #compared(parts: Parts, columns: number[], set: ConditionSet): void {
    const { tokens } = this.#linked;
    const than = tokens.findLastIndex(({ cue }) => ["THAN", "AVG", "GT", "LT"].includes(cue));
    const isMore = this.#has("GT", "GE", "AFTER");
    const isLess = this.#has("LT", "LE", "BEFORE");
    const comparisons = [...(isMore || !isLess ? ([">"] as const) : []), ...(isLess ? (["<"] as const) : [])];
    const select: Item[] = columns.length > 0 ? columns.map(plainItem) : [{ agg: "count", column: -1 }];
    const own = (isBehind: boolean) =>
      set.conditions.flatMap(({ condition, at }) => (at > than === isBehind ? [condition] : []));
    const [inner, outer] = [own(true), own(false)];
    for (const [column, p] of this.#ordered)
      for (const tables of this.#column(column).kind === "number"
        ? this.#moreTables([...columns, column], set)
        : [])
        for (const op of comparisons)
          for (const against of this.#measures(op)) {
            const all = { ...parts, ordered: logP(p) };
            const draft = { kind: "cmpagg", select, isDistinct: false, tables };
            const where = [...inner, ...outer, { column, op, against }];
            this.#emit({ ...draft, where }, all, set);
            if (inner.length > 0)
              this.#emit({ ...draft, where: [...outer, { column, op, against, inner }] }, all, set);
          }
  }

  #measures(op: ">" | "<"): ("avg" | "min" | "max")[] {
    if (this.#has("AVG")) return ["avg"];
    if (this.#has("MAX")) return ["max"];
    if (this.#has("MIN")) return ["min"];
    const [all, any] = op === ">" ? (["max", "min"] as const) : (["min", "max"] as const);
    if (this.#has("ANY")) return [any, all];
    return this.#has("ALL") ? [all] : [all, any];
  }

  /** The likely aggregates of some columns together. */
  #aggregated(columns: readonly number[]): { items: Item[]; logP: number }[] {
    let beam: { items: Item[]; logP: number }[] = [{ items: [], logP: 0 }];
    for (const column of columns) {
      const odds = this.#slots.aggregates(column);
      const likely = topBy(
        AGGREGATES.map((agg, i) => ({ agg, p: odds[i] ?? 0 })).filter(
          ({ agg, p }) => p > 0.08 && agg !== "count",
        ),
        3,
        ({ p }) => p,
      ).filter(({ agg }) => fits(agg, this.#column(column)));
      const next = beam.flatMap((each) =>
        likely.map(({ agg, p }) => ({ items: [...each.items, { agg, column }], logP: each.logP + logP(p) })),
      );
      beam = topBy(next, 4, (each) => each.logP);
    }
    return [...beam, ...this.#severalOfOne(columns)];
  }

  /** "the maximum and minimum price". */
  #severalOfOne(columns: readonly number[]): { items: Item[]; logP: number }[] {
    const cues = this.#linked.tokens.flatMap(({ cue }) => AGGREGATE_CUES[cue] ?? []);
    const aggregates = [...new Set(cues)];
    const [number, ...others] = columns.filter((column) => this.#column(column).kind === "number");
    if (aggregates.length < 2 || number === undefined || others.length > 0) return [];
    const items = columns.flatMap((column): Item[] =>
      column === number ? aggregates.map((agg) => ({ agg, column })) : [plainItem(column)],
    );
    return [{ items, logP: logP(0.5) }];
  }

  #numbers(parts: Parts, columns: number[], set: ConditionSet): void {
    const where = set.conditions.map(({ condition }) => condition);
    const { sketch, aggregates } = this.#slots;
    const distinct = headP(sketch, "distinct", "1");
    const variants: { items: Item[]; logP: number }[] = [];
    if (columns.length === 0) variants.push({ items: [COUNT], logP: logP(1 - distinct) });
    else {
      const all = this.#aggregated(columns);
      variants.push(...all.filter(({ items }) => items.some(({ agg }) => agg !== "")));
      const [only, ...others] = columns as [number, ...number[]];
      if (others.length === 0)
        variants.push({
          items: [{ agg: "count", column: only, isDistinct: true }],
          logP: logP(distinct * 0.9) + 0.5 * logP(aggregates(only)[aggregateIndex("count")] ?? 0),
        });
      if (headP(sketch, "counts", "1") > 0.3)
        for (const each of all)
          if (each.items.every(({ agg }) => agg !== ""))
            variants.push({ items: [COUNT, ...each.items], logP: each.logP });
    }
    for (const { items, logP: p } of variants.filter(({ items }) => items.every(({ agg }) => agg !== "")))
      for (const tables of this.#moreTables(columns, set, columns.length === 0))
        for (const isAny of this.#either(where))
          this.#emit(
            { kind: "agg", select: items, isDistinct: false, tables, where, ...(isAny && { isAny }) },
            { ...parts, aggregate: p },
            set,
          );
  }

  /** What tells the groups apart: the entity, where its name is shown. */
  #groupKeys(column: number): number[] {
    const { table, nameLike, isUnique } = this.#column(column);
    const { key, label } = this.#table(table);
    const isName = nameLike > 0 || label === column || isUnique;
    return key >= 0 && key !== column && isName ? [key, column] : [column];
  }

  #groups(kind: string, parts: Parts, columns: number[], set: ConditionSet): void {
    if (columns.length === 0) return;
    const where = set.conditions.map(({ condition }) => condition);
    const { sketch, grouped } = this.#slots;
    const countP = headP(sketch, "counts", "1");
    for (const { items, logP: aggregate } of this.#aggregated(columns)) {
      const plain = items.filter(({ agg }) => agg === "");
      const hasAgg = plain.length < items.length;
      const own = [...new Set(plain.flatMap(({ column }) => this.#groupKeys(column)))];
      const keys = plain.length > 0 ? own : this.#grouped.map(([column]) => column);
      const counted = hasAgg ? [false, countP > 0.4] : kind === "group" ? [true] : [true, false];
      for (const group of topBy(keys, 2, (column) => grouped.get(column) ?? 0.01))
        for (const isCounted of new Set(counted))
          for (const tables of this.#moreTables([...columns, group], set)) {
            const select = [
              ...(plain.length > 0 ? items : [plainItem(group), ...items]),
              ...(isCounted ? [COUNT] : []),
            ];
            const all = { ...parts, aggregate, grouped: this.#groupP(group) };
            const draft = { kind, select, isDistinct: false, tables, where, group };
            if (kind === "group") this.#emit(draft, all, set);
            else this.#orderedGroups(draft, all, set);
          }
    }
  }

  #groupP(column: number): number {
    return logP(Math.max(0.02, this.#slots.grouped.get(column) ?? 0));
  }

  #orderedGroups(draft: Draft, parts: Parts, set: ConditionSet): void {
    const { sketch } = this.#slots;
    const items = draft.select.filter((item) => item !== COUNT);
    for (const order of [COUNT, ...items])
      for (const { direction, p } of this.#directions(0.15)) {
        const by = order.agg === "count" ? "count" : order.agg === "" ? "column" : "agg";
        const ordered = logP(headP(sketch, "order", by));
        this.#emit({ ...draft, order, direction }, { ...parts, ordered, direction: logP(p) }, set);
      }
  }

  #chosenGroups(kind: string, parts: Parts, columns: number[], set: ConditionSet): void {
    if (columns.length === 0) return;
    const { sketch, grouped } = this.#slots;
    const own = [
      ...columns.flatMap((column) => this.#groupKeys(column)),
      ...this.#grouped.slice(0, 2).map(([column]) => column),
    ];
    const aggregate = this.#plainP(columns);
    const counted = headP(sketch, "counts", "1") > 0.5 ? [COUNT] : [];
    const select = [...columns.map(plainItem), ...counted];
    for (const group of topBy([...new Set(own)], 3, (column) => grouped.get(column) ?? 0.02))
      for (const tables of this.#moreTables([...columns, group], set)) {
        const draft = { kind, select, isDistinct: false, tables, group };
        const all = { ...parts, aggregate, grouped: this.#groupP(group) };
        if (kind === "gtop") this.#firstGroups(draft, all, set);
        else this.#heldGroups(draft, all, set);
      }
  }

  #firstGroups(draft: Omit<Draft, "where">, parts: Parts, set: ConditionSet): void {
    const where = set.conditions.map(({ condition }) => condition);
    const { sketch } = this.#slots;
    const limit = set.limit ?? 1;
    const orders = [{ order: COUNT, p: headP(sketch, "order", "count") }];
    const byNumber = headP(sketch, "order", "agg");
    if (byNumber > 0.15)
      for (const [column, p] of this.#ordered)
        for (const agg of this.#column(column).kind === "number" && !this.#column(column).isId
          ? (["sum", "avg"] as const)
          : []) {
          const isSaid = this.#has(agg === "avg" ? "AVG" : "SUM");
          orders.push({ order: { agg, column }, p: byNumber * p * (isSaid ? 0.9 : 0.2) });
        }
    for (const { direction, p: directionP } of this.#directions(0.15))
      for (const { order, p } of orders)
        this.#emit(
          { ...draft, where, order, direction, limit },
          { ...parts, ordered: logP(p), direction: logP(directionP), limit: this.#limitP(limit) },
          set,
        );
  }

  #heldGroups(draft: Omit<Draft, "where">, parts: Parts, set: ConditionSet): void {
    const where = set.conditions.map(({ condition }) => condition);
    const { having } = this.#slots.sketch;
    if (set.having !== undefined) {
      const rest = 1 - (having[0] ?? 0) + 1e-6;
      for (const [i, op] of HEADS.having.entries()) {
        const p = op === "" ? 0 : (having[i] ?? 0) / rest;
        if (op !== "" && p > 0.15)
          this.#emit(
            { ...draft, where, having: { agg: "count", column: -1, op, value: set.having } },
            { ...parts, having: logP(p) },
            set,
          );
      }
      return;
    }
    for (const held of where)
      for (const [cue, aggregates] of Object.entries(AGGREGATE_CUES)) {
        const { column, op, value } = held;
        if (typeof value !== "number" || this.#column(column).kind !== "number" || !this.#has(cue)) continue;
        const [agg] = aggregates as [Aggregate];
        const rest = where.filter((each) => each !== held);
        const sign = op === "between" || op === "like" ? ">" : op;
        this.#emit({ ...draft, where: rest, having: { agg, column, op: sign, value } }, parts, set);
      }
  }

  /** What has no partner of some sort, or no value in common. */
  #without(parts: Parts, columns: number[], set: ConditionSet): void {
    const isNumber = columns.length === 0;
    const at = this.#linked.tokens.findIndex(({ cue }) => cue === "NOT" || cue === "EXC");
    const own = (isBehind: boolean) =>
      set.conditions.flatMap(({ condition, at: place }) => (place > at === isBehind ? [condition] : []));
    const where = own(false);
    const out = own(true).map((each): Condition => ({ ...each, op: each.op === "!=" ? "=" : each.op }));
    const select = isNumber ? [COUNT] : columns.map(plainItem);
    const roots = isNumber ? this.#tablesByP.slice(0, 2) : [this.#column(columns[0] as number).table];
    for (const table of roots) {
      const draft = { kind: "except", select, isDistinct: false, tables: [table], where };
      for (const other of this.#tablesByP
        .filter((each) => each !== table && this.#tableP(each) > 0.1)
        .slice(0, 3))
        this.#emit(
          { ...draft, except: { of: "entity", table, tables: [other], where: out } },
          { ...parts, aggregate: 0 },
          set,
        );
      if (out.length === 0) continue;
      this.#emit({ ...draft, except: { of: "entity", table, tables: [], where: out } }, parts, set);
      if (!isNumber)
        this.#emit({ ...draft, except: { of: "value", table, tables: [], where: out } }, parts, set);
    }
  }

  #both(kind: string, parts: Parts, columns: number[], set: ConditionSet): void {
    const where = set.conditions.map(({ condition }) => condition);
    if (columns.length === 0 || where.length < 2) return;
    const [first, second, ...shared] = where as [Condition, Condition, ...Condition[]];
    const halves =
      shared.length === 0
        ? [[[first], [second]]]
        : [
            [
              [first, ...shared],
              [second, ...shared],
            ],
            [[first, second], shared],
          ];
    for (const tables of this.#moreTables(columns, set))
      for (const [own = [], other = []] of halves)
        this.#emit(
          { kind, select: columns.map(plainItem), isDistinct: false, tables, where: own, other },
          parts,
          set,
        );
  }
}

const COUNT: Item = { agg: "count", column: -1 };
const AGGREGATE_CUES: Readonly<Record<string, Aggregate[]>> = {
  AVG: ["avg"],
  SUM: ["sum"],
  MAX: ["max"],
  MIN: ["min"],
};

function plainItem(column: number): Item {
  return { agg: "", column };
}

function fits(agg: Aggregate, { kind }: Column): boolean {
  if (agg === "" || agg === "count") return true;
  return kind === "number" || (kind === "date" && (agg === "min" || agg === "max"));
}
