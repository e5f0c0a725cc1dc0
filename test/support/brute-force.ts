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
const DATES: Record<string, Key> = {
  visits: { ds: "visits", field: "visited_on" },
  items: { ds: "visits", field: "visited_on" },
  goals: { ds: "goals", field: "month" },
};

interface Leaf {
  ds: string;
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
    leaves: [{ ds: "visits", of: (rows) => averageOf(rows.map((row) => number(row, "tip"))) }],
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
    const groups = this.#groups(ask.by, [...ask.cols, ...extra], scope);
    const rows = groups.map((group) => ({
      group,
      compared: compared.map((num) => this.#groupNumber(group, ask.by, num, scope)),
      values: ask.cols.map((num) => this.#groupNumber(group, ask.by, num, scope)),
      rank: ask.top === undefined ? null : this.#groupNumber(group, ask.by, ask.top.by, scope),
    }));
    const isCount = (num: Num | undefined) => num?.k === "metric" && num.name === "visit_count";
    const shown = rows
      .filter(
        ({ group }) => ask.having === undefined || this.#having(group, ask.by, ask.having, scope) === true,
      )
      .filter(
        ({ values, compared: others }) =>
          ask.by.length === 0 ||
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
          const group = this.#groupOf(thing, by, shift);
          if (group !== undefined) found.set(JSON.stringify(group), group);
        }
      }
    }
    return [...found.values()];
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

  #groupNumber(group: Value[], by: readonly Key[], num: Num, scope: Scope, shift?: Shift): Value {
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
              JSON.stringify(this.#groupOf(thing, by, shift)) === JSON.stringify(group),
          );
          // A group that has no rows of this kind has no number, not even a count.
          return rows.length === 0 && by.length > 0 && inner.whole !== true ? null : leaf.of(rows);
        });
        return of(values);
      }
      case "calc": {
        const [a, b] = [num.a, num.b].map((side) => this.#groupNumber(group, by, side, scope, shift)) as [
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
        return this.#groupNumber(group, by, num.of, scope, { months: num.n });
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
        const values = this.#groups(fine, [num.of], rest)
          .filter((each) => isWhole || JSON.stringify(coarse(each)) === JSON.stringify(group))
          .map((each) => this.#groupNumber(each, fine, num.of, rest) as number | null);
        return averageOf(values);
      }
      default:
        throw new Error("not needed here");
    }
  }

  #having(group: Value[], by: readonly Key[], cond: Cond, scope: Scope): boolean | null {
    if (cond.k !== "cmp") throw new Error("not needed here");
    const [a, b] = [cond.a, cond.b].map((side) => this.#groupNumber(group, by, side as Num, scope)) as [
      Value,
      Value,
    ];
    return compared(orNone(a, cond), cond.op, orNone(b, cond));
  }
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
