import {
  type Ask,
  type Cond,
  isKey,
  type Key,
  type Num,
  type Rel,
  type Scope,
} from "../../src/domains/agent/query/semantic-query.ts";
import { compared, isBefore, isPlaced, moved, ranksBefore, type Value } from "./brute-values.ts";
import type { CafeRows } from "./cafe-tables.ts";

/** What queries over the cafés mean, worked out row by row and without SQL: slow, simple, and written apart. */

type Row = Record<string, unknown>;
type Dataset = keyof CafeRows;
/** One row of one dataset. */
interface Thing {
  ds: string;
  row: Row;
}
interface Shift {
  months: number;
}

const PARENTS: Record<string, { column: string; ds: string }[]> = {
  shops: [{ column: "region_id", ds: "regions" }],
  visits: [
    { column: "shop_id", ds: "shops" },
    { column: "guest_id", ds: "guests" },
  ],
  items: [{ column: "visit_id", ds: "visits" }],
  goals: [{ column: "region_id", ds: "regions" }],
};
const IDS: Record<string, string> = {
  regions: "region_id",
  shops: "shop_id",
  guests: "guest_id",
  visits: "visit_id",
  items: "item_id",
  goals: "goal_id",
};
const NAMES: Record<string, string> = { regions: "region_name", shops: "shop_name", guests: "guest_name" };
export const DATES: Record<string, Key> = {
  visits: { ds: "visits", field: "visited_on" },
  items: { ds: "visits", field: "visited_on" },
  goals: { ds: "goals", field: "month" },
};

interface Leaf {
  ds: string;
  isAverage?: true;
  of(rows: Thing[]): Value;
}
const sumOf = (values: (number | null)[]): Value => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
};
const averageOf = (values: (number | null)[]): Value => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : (sumOf(known) as number) / known.length;
};
const number = (thing: Thing, field: string) => thing.row[field] as number | null;
const REVENUE: Leaf = {
  ds: "items",
  of: (rows) => sumOf(rows.map((row) => times(number(row, "quantity"), number(row, "price")))),
};
const VISITS: Leaf = { ds: "visits", of: (rows) => rows.length };
const METRICS: Record<string, { leaves: Leaf[]; of(values: Value[]): Value }> = {
  revenue: { leaves: [REVENUE], of: ([value]) => value as Value },
  visit_count: { leaves: [VISITS], of: ([value]) => (value ?? 0) as Value },
  average_ticket: {
    leaves: [REVENUE, VISITS],
    of: ([a, b]) => (a === null || !b ? null : (a as number) / (b as number)),
  },
  goal: {
    leaves: [{ ds: "goals", of: (rows) => sumOf(rows.map((row) => number(row, "amount"))) }],
    of: ([value]) => value as Value,
  },
  average_tip: {
    leaves: [
      { ds: "visits", isAverage: true, of: (rows) => averageOf(rows.map((row) => number(row, "tip"))) },
    ],
    of: ([value]) => value as Value,
  },
};

function times(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a * b;
}

export class BruteForce {
  readonly #data: CafeRows;

  constructor(data: CafeRows) {
    this.#data = data;
  }

  answer(ask: Ask): Value[][] {
    if (ask.k === "table") return this.#table(ask);
    const rows = this.#rel(ask.rel).map((thing) => ask.show.map((key) => this.#field(thing, key)));
    return ask.distinct === true
      ? [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]
      : rows;
  }

  #all(ds: string): Thing[] {
    return this.#data[ds as Dataset].map((row) => ({ ds, row }));
  }

  /** The row that this one belongs to; undefined where it belongs to none. */
  #above(thing: Thing, ds: string): Thing | undefined {
    if (thing.ds === ds) return thing;
    for (const { column, ds: parent } of PARENTS[thing.ds] ?? []) {
      const id = thing.row[column];
      const found = this.#all(parent).find(({ row }) => id !== null && row[IDS[parent] as string] === id);
      const end = found === undefined ? undefined : this.#above(found, ds);
      if (end !== undefined) return end;
    }
    return undefined;
  }

  #field(thing: Thing, key: Key, shift?: Shift): Value {
    const value = (this.#above(thing, key.ds)?.row[key.field] ?? null) as Value;
    if (key.part === "weekday" && value !== null)
      return new Date(`${value}T00:00:00Z`).toLocaleDateString("en-US", { weekday: "long", timeZone: "UTC" });
    if (key.bucket !== "month" || value === null) return value;
    return moved(`${String(value).slice(0, 7)}-01`, shift?.months ?? 0);
  }

  #rel(rel: Rel): Thing[] {
    switch (rel.k) {
      case "all":
        return this.#all(rel.ds);
      case "where":
        return this.#rel(rel.in).filter((thing) => this.#cond(thing, rel.if) === true);
      case "via": {
        const found = rel.path.reduce(
          (from, hop) => this.#step(from, hop.link, hop.dir),
          this.#rel(rel.from),
        );
        return unique(found);
      }
      case "top": {
        const { by, per = [] } = rel;
        const valued = this.#rel(rel.in)
          .map((thing) => ({ thing, value: isKey(by) ? this.#field(thing, by) : this.#rowNumber(thing, by) }))
          .filter(({ value }) => value !== null);
        const group = ({ thing }: { thing: Thing }) =>
          JSON.stringify(per.map((key) => this.#field(thing, key)));
        return valued
          .filter((each) => {
            const better = valued.filter(
              (other) => group(other) === group(each) && isBefore(other.value, each.value, rel.dir),
            );
            return isPlaced(
              better.map(({ value }) => value),
              rel,
            );
          })
          .map(({ thing }) => thing);
      }
      case "set": {
        const [a, b] = [this.#rel(rel.a), this.#rel(rel.b)];
        const isIn = (some: Thing[], { row }: Thing) => some.some((other) => other.row === row);
        if (rel.op === "union") return unique([...a, ...b]);
        return a.filter((thing) => isIn(b, thing) === (rel.op === "intersect"));
      }
    }
  }

  #step(from: Thing[], link: string, dir: "one" | "many"): Thing[] {
    const [below = "", above = ""] = link.split("_");
    const column = IDS[above] as string;
    const target = this.#all(dir === "one" ? above : below);
    return from.flatMap(({ row }) =>
      target.filter((other) => row[column] !== null && other.row[column] === row[column]),
    );
  }

  /** True, false or unknown. */
  #cond(thing: Thing, cond: Cond): boolean | null {
    switch (cond.k) {
      case "and": {
        const all = cond.of.map((each) => this.#cond(thing, each));
        return all.includes(false) ? false : all.includes(null) ? null : true;
      }
      case "or": {
        const all = cond.of.map((each) => this.#cond(thing, each));
        return all.includes(true) ? true : all.includes(null) ? null : false;
      }
      case "not":
        return this.#cond(thing, cond.of) !== true;
      case "is": {
        const value = this.#field(thing, cond.key);
        return value === null ? null : cond.values.includes(value);
      }
      case "null":
        return this.#field(thing, cond.key) === null;
      case "cmp": {
        const [a, b] = [cond.a, cond.b].map((side) =>
          isKey(side) ? this.#field(thing, side) : this.#rowNumber(thing, side),
        ) as [Value, Value];
        return compared(orNone(a, cond), cond.op, orNone(b, cond));
      }
      case "link": {
        const start = this.#above(thing, cond.at);
        const wanted = this.#rel(cond.to);
        const reached = cond.path.reduce(
          (from, hop) => this.#step(from, hop.link, hop.dir),
          start === undefined ? [] : [start],
        );
        const found = unique(reached).filter((each) => wanted.some(({ row }) => row === each.row)).length;
        return cond.count === undefined ? found > 0 : compared(found, cond.count.op, cond.count.n);
      }
      case "during":
        throw new Error("not needed here");
    }
  }

  #rowNumber(thing: Thing, num: Num): Value {
    switch (num.k) {
      case "lit":
        return num.v;
      case "metric": {
        const { leaves, of } = METRICS[num.name] as (typeof METRICS)[string];
        return of(
          leaves.map((leaf) =>
            leaf.of(
              this.#within(leaf.ds, num.scope ?? {}).filter(
                (each) => this.#above(each, thing.ds)?.row === thing.row,
              ),
            ),
          ),
        );
      }
      case "agg": {
        const reached = (num.path ?? []).reduce((from, hop) => this.#step(from, hop.link, hop.dir), [thing]);
        return unique(reached).length;
      }
      default:
        throw new Error("not needed here");
    }
  }

  #table(ask: Extract<Ask, { k: "table" }>): Value[][] {
    const scope = ask.scope ?? {};
    const compared = ask.having === undefined ? [] : alikeIn(ask.having);
    const extra = [...(ask.top === undefined ? [] : [ask.top.by]), ...compared];
    const all = [...ask.cols, ...extra];
    const periods = ask.fill === true ? this.#periods(ask.by[0] as Key, all, scope) : undefined;
    const groups = periods?.map((period) => [period]) ?? this.#groups(ask.by, all, scope);
    const number = (group: Value[], num: Num) =>
      this.#groupNumber(group, ask.by, num, scope, { isFilled: periods !== undefined });
    const rows = groups.map((group) => ({
      group,
      compared: compared.map((num) => number(group, num)),
      values: ask.cols.map((num) => number(group, num)),
      rank: ask.top === undefined ? null : number(group, ask.top.by),
    }));
    const isCount = (num: Num | undefined) => num?.k === "metric" && num.name === "visit_count";
    const shown = rows
      .filter(
        ({ group }) => ask.having === undefined || having((num) => number(group, num), ask.having) === true,
      )
      .filter(
        ({ values, compared: others }) =>
          ask.by.length === 0 ||
          periods !== undefined ||
          [...values, ...others].some(
            (value, i) => value !== null && !(isCount([...ask.cols, ...compared][i]) && value === 0),
          ),
      );
    const { top } = ask;
    // What has no name is none of the first ones.
    const isNamed = ({ group }: { group: Value[] }) => !group.slice(0, ask.by.length).includes(null);
    const best =
      top === undefined
        ? shown
        : shown.filter(isNamed).filter(({ rank }) =>
            isPlaced(
              shown
                .filter(isNamed)
                .map((other) => other.rank)
                .filter((other) => ranksBefore(other, rank, top.dir)),
              top,
            ),
          );
    return best.map(({ group, values }) => [...group.slice(0, ask.by.length), ...values]);
  }

  /** Names of groups: the keys, and the ids of entities that are called by name. */
  #groups(by: readonly Key[], nums: readonly Num[], scope: Scope): Value[][] {
    if (by.length === 0) return [[]];
    const found = new Map<string, Value[]>();
    for (const num of nums.flatMap(partsOf)) {
      const { shift } = num;
      for (const leaf of num.leaves) {
        for (const thing of this.#within(leaf.ds, innerOf(scope, num.scope), shift)) {
          for (const group of this.#groupsOf(thing, by, shift)) found.set(JSON.stringify(group), group);
        }
      }
    }
    for (const num of nums)
      if (num.k === "each")
        for (const { group } of this.#spread(num, by, scope) ?? []) found.set(JSON.stringify(group), group);
    return [...found.values()];
  }

  /** The groups of an aggregate of groups, each with the coarser one that it lies in: all periods of each of them. */
  #spread(
    { fn, of, per, scope: own }: Extract<Num, { k: "each" }>,
    by: readonly Key[],
    scope: Scope,
  ): { fine: Value[]; group: Value[] }[] | undefined {
    const [key, ...others] = per;
    if (key?.bucket === undefined || others.length > 0 || !["avg", "median", "min"].includes(fn))
      return undefined;
    const isFiner = (each: Key) => key.bucket === "day" || !isOfTime(each);
    if (!isSum(of) || !by.every(isFiner)) return undefined;
    const { whole: _, ...rest } = innerOf(scope, own);
    const periods = this.#periods(key, [of], rest);
    if (periods === undefined) return undefined;
    const all = [...by, ...per];
    const apart = this.#groups(all, [of], rest).map((group) =>
      group.map((value, i) => (i < all.length && isOfTime(all[i] as Key) ? null : value)),
    );
    const told = all.every(isOfTime) ? [all.map(() => null)] : apart;
    const unique = new Map(told.map((group) => [JSON.stringify(group), group] as const));
    return [...unique.values()].flatMap((group) =>
      periods.map((day) => {
        const thing = { ds: "visits", row: { visited_on: day } };
        const fine = group.map((value, i) =>
          i < all.length && isOfTime(all[i] as Key) ? this.#field(thing, all[i] as Key) : value,
        );
        return { fine, group: [...fine.slice(0, by.length), ...fine.slice(all.length)] };
      }),
    );
  }

  /** All months or days from the first to the last of the data, within the period; undefined where numbers differ in it. */
  #periods(key: Key, nums: readonly Num[], scope: Scope): string[] | undefined {
    const parts = nums
      .flatMap(partsOf)
      .flatMap((part) => part.leaves.map((leaf) => ({ ...part, ds: leaf.ds })));
    const wins = parts.map((part) => innerOf(scope, part.scope).win);
    const [win] = parts.length === 0 ? [scope.win] : wins;
    if (wins.some((each) => JSON.stringify(each) !== JSON.stringify(win))) return undefined;
    const sets =
      parts.length === 0 ? ["visits"] : parts.map(({ ds }) => (ds === "goals" ? "goals" : "visits"));
    const days = sets.map((ds) => daysIn(this.#data, ds));
    const known = days.flatMap((each) => each ?? []).toSorted();
    const isKnown = days.every((each) => each !== undefined);
    let first = win?.from ?? undefined;
    let last = win?.to == null ? undefined : dayBefore(win.to);
    if (isKnown) {
      const begin = known[0] as string;
      const isSoon =
        first !== undefined && last !== undefined && 10 * length(first, begin) <= length(first, last);
      if (!isSoon && begin > (first ?? "")) first = begin;
      if ((known.at(-1) as string) < (last ?? "9999")) last = known.at(-1);
    }
    if (first === undefined || last === undefined || last < first) return undefined;
    const found = new Set<string>();
    for (let day = first; day <= last; day = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10))
      found.add(key.bucket === "month" ? `${day.slice(0, 7)}-01` : day);
    return [...found];
  }

  /** A visit is in the group of each product that was bought then. */
  #groupsOf(thing: Thing, by: readonly Key[], shift: Shift | undefined): Value[][] {
    const isSeveral = thing.ds === "visits" && by.some(({ ds }) => ds === "items");
    const things = isSeveral
      ? this.#all("items").filter((item) => this.#above(item, "visits")?.row === thing.row)
      : [thing];
    return things.flatMap((each) => {
      const group = this.#groupOf(each, by, shift);
      return group === undefined ? [] : [group];
    });
  }

  #groupOf(thing: Thing, by: readonly Key[], shift: Shift | undefined): Value[] | undefined {
    const ids: Value[] = [];
    for (const key of by) {
      if (isOfTime(key)) continue;
      const owner = this.#above(thing, key.ds);
      if (owner === undefined) return undefined;
      if (NAMES[key.ds] === key.field) ids.push(owner.row[IDS[key.ds] as string] as Value);
    }
    const keys = by.map((key) => (isOfTime(key) ? this.#period(thing, key, shift) : this.#field(thing, key)));
    return [...keys, ...ids];
  }

  /** Each dataset has periods by its own date. */
  #period(thing: Thing, key: Key, shift: Shift | undefined): Value {
    const date = thing.ds === "goals" ? (DATES.goals as Key) : key;
    const { bucket, part } = key;
    return this.#field(thing, { ...date, ...(bucket && { bucket }), ...(part && { part }) }, shift);
  }

  #within(ds: string, { if: cond, win }: Scope, shift?: Shift): Thing[] {
    return this.#all(ds).filter((thing) => {
      if (cond !== undefined && this.#cond(thing, cond) !== true) return false;
      if (win === undefined) return true;
      const day = this.#field(thing, DATES[ds] as Key);
      if (day === null) return false;
      const months = -(shift?.months ?? 0);
      return (
        (win.from === null || day >= moved(win.from, months)) &&
        (win.to === null || day < moved(win.to, months))
      );
    });
  }

  #groupNumber(group: Value[], by: readonly Key[], num: Num, scope: Scope, how: How = {}): Value {
    const { shift } = how;
    switch (num.k) {
      case "lit":
        return num.v;
      case "metric": {
        const inner = innerOf(scope, num.scope);
        const { leaves, of } = METRICS[num.name] as (typeof METRICS)[string];
        const values = leaves.map((leaf) => {
          const rows = this.#within(leaf.ds, inner, shift).filter(
            (thing) =>
              inner.whole === true ||
              this.#groupsOf(thing, by, shift).some((each) => JSON.stringify(each) === JSON.stringify(group)),
          );
          // A group that has no rows of this kind has no number, not even a count.
          const value = rows.length === 0 && by.length > 0 && inner.whole !== true ? null : leaf.of(rows);
          return inner.whole === true || !this.#isZero(leaf, group, by, how) ? value : (value ?? 0);
        });
        return of(values);
      }
      case "calc": {
        const [a, b] = [num.a, num.b].map((side) => this.#groupNumber(group, by, side, scope, how)) as [
          Value,
          Value,
        ];
        const isNone = isAlike(num.a, num.b) && (num.op === "/" ? b !== null : a !== null || b !== null);
        if (!isNone && (a === null || b === null)) return null;
        const [x, y] = [(a ?? 0) as number, (b ?? 0) as number];
        if (num.op === "+") return x + y;
        if (num.op === "-") return x - y;
        if (num.op === "*") return x * y;
        if (y === 0) return null;
        return num.op === "/" ? x / y : (x - y) / y;
      }
      case "lag":
        return this.#groupNumber(group, by, num.of, scope, { ...how, shift: { months: num.n } });
      case "each": {
        const inner = innerOf(scope, num.scope);
        const isWhole = inner.whole === true;
        const { whole: _, ...rest } = inner;
        const fine = [...(isWhole ? [] : by), ...num.per];
        // Keys come first, then the ids of what is called by name: those of the coarse group before the others.
        const ids = group.length - by.length;
        const coarse = (each: Value[]) => [
          ...each.slice(0, by.length),
          ...each.slice(fine.length, fine.length + ids),
        ];
        const spread = this.#spread({ ...num, scope: {} }, isWhole ? [] : by, rest);
        const isOurs = (each: Value[]) => isWhole || JSON.stringify(each) === JSON.stringify(group);
        const values = spread
          ? spread
              .filter((each) => isOurs(each.group))
              .map((each) => this.#groupNumber(each.fine, fine, num.of, rest, { isFilled: true }))
          : this.#groups(fine, [num.of], rest)
              .filter((each) => isOurs(coarse(each)))
              .map((each) => this.#groupNumber(each, fine, num.of, rest));
        return aggregated(num.fn, values as (number | null)[]);
      }
      default:
        throw new Error("not needed here");
    }
  }

  /** Where periods are complete, sums and counts of none are 0; of an earlier one, unless that was before the data. */
  #isZero(leaf: Leaf, [period]: Value[], by: readonly Key[], { shift, isFilled }: How): boolean {
    if (isFilled !== true || leaf.isAverage === true) return false;
    const [first] = daysIn(this.#data, "visits") ?? [];
    if (shift === undefined) return true;
    return (
      first !== undefined &&
      by.length === 1 &&
      (period as string) >= moved(`${first.slice(0, 7)}-01`, shift.months)
    );
  }
}

interface How {
  shift?: Shift;
  /** Periods without rows are there as well. */
  isFilled?: boolean;
}

function having(number: (num: Num) => Value, cond: Cond): boolean | null {
  if (cond.k !== "cmp") throw new Error("not needed here");
  const [a, b] = [cond.a, cond.b].map((side) => number(side as Num)) as [Value, Value];
  return compared(orNone(a, cond), cond.op, orNone(b, cond));
}

const DAY_MS = 86_400_000;

function length(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10);
}

/** The first and the last day of visits or of goals. */
export function daysIn(data: CafeRows, ds: string): [string, string] | undefined {
  const [set, field] = ds === "goals" ? (["goals", "month"] as const) : (["visits", "visited_on"] as const);
  const days = data[set].flatMap((row) => (row[field] === null ? [] : [row[field] as string])).toSorted();
  const [first] = days;
  return first === undefined ? undefined : [first, days.at(-1) as string];
}

function aggregated(fn: string, values: (number | null)[]): Value {
  if (fn === "avg") return averageOf(values);
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  if (known.length === 0) return null;
  const at = (i: number) => known[i] as number;
  return fn === "min" ? at(0) : (at((known.length - 1) >> 1) + at(known.length >> 1)) / 2;
}

/** Whether it is 0 where there is nothing. */
function isSum(num: Num): boolean {
  if (num.k === "calc") return (num.op === "+" || num.op === "-") && isSum(num.a) && isSum(num.b);
  return num.k === "metric" && SUMS.includes(num.name);
}

/** Numbers of nothing that are 0. */
const SUMS = ["revenue", "visit_count", "goal"];

/** The same sum or count, of whichever rows. */
function isAlike(a: Num | Key, b: Num | Key): boolean {
  if (isKey(a) || isKey(b) || a.k !== "metric" || b.k !== "metric") return false;
  return a.name === b.name && SUMS.includes(a.name);
}

function orNone(value: Value, { a, b }: Extract<Cond, { k: "cmp" }>): Value {
  return value === null && isAlike(a, b) ? 0 : value;
}

/** The numbers that are compared with each other. */
function alikeIn(having: Cond): Num[] {
  return having.k === "cmp" && isAlike(having.a, having.b) ? [having.a as Num, having.b as Num] : [];
}

/** The leaves of a number that bring groups into a table. */
function partsOf(num: Num): { leaves: Leaf[]; scope?: Scope | undefined; shift?: Shift }[] {
  switch (num.k) {
    case "metric":
      return num.scope?.whole === true
        ? []
        : [{ leaves: (METRICS[num.name] as (typeof METRICS)[string]).leaves, scope: num.scope }];
    case "calc":
      return [...partsOf(num.a), ...partsOf(num.b)];
    case "lag":
      return partsOf(num.of).map((part) => ({ ...part, shift: { months: num.n } }));
    case "each":
      return num.scope?.whole === true ? [] : partsOf(num.of);
    default:
      return [];
  }
}

/** What is said of a number holds beside what is said of all of them; a period is the number's own. */
function innerOf(scope: Scope, own: Scope = {}): Scope {
  const of = [scope.if, own.if].filter((cond) => cond !== undefined);
  return { ...scope, ...own, ...(of.length > 0 && { if: { k: "and", of } }) };
}

function unique(things: Thing[]): Thing[] {
  return [...new Map(things.map((thing) => [thing.row, thing])).values()];
}

function isOfTime({ bucket, part }: Key): boolean {
  return bucket !== undefined || part !== undefined;
}
