import { toOnePath } from "../../compile/paths.ts";
import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Cond, Hop, Key, Num, Rel, Window } from "../../query/semantic-query.ts";
import { Facts } from "../model/facts.ts";
import { foreignLink } from "../model/model-words.ts";
import { moneyMetrics } from "../model/usual-sales.ts";
import { compared, growing } from "../senses/comparison-senses.ts";
import { datasetsOf, firstOfEach, linkedTo } from "../senses/conditions.ts";
import { piecesSold } from "../senses/entity-senses.ts";
import type { By, Mod, Sense, TableSense } from "../senses/fragment.ts";
import {
  attr,
  count,
  duringCost,
  EMPTY_TABLE,
  entities,
  firstCost,
  made,
  means,
  notThen,
  onWeekdays,
  type RelSense,
  tableOf,
  top,
  where,
} from "../senses/make.ts";
import { FAR_COST, farCost, more } from "../senses/table-senses.ts";
import type { Combine, Combined } from "./chart.ts";

type Attr = Extract<Sense, { t: "attr" }>;

/** The rules by which neighbours are put together. */
export class Grammar extends Facts {
  readonly #rules: readonly Rules[];
  readonly #groups: (grammar: Grammar, sense: Sense) => Combined[];
  readonly #pairs = new Map<string, Combine | undefined>();

  constructor(
    knowledge: Knowledge,
    rules: readonly Rules[],
    groups: (grammar: Grammar, sense: Sense) => Combined[],
  ) {
    super(knowledge);
    this.#rules = rules;
    this.#groups = groups;
  }

  /** What one meaning can stand for besides itself; for groups only where some are chosen. */
  convert(sense: Sense, hasGroups: boolean): Combined[] {
    const groups = hasGroups ? this.#groups(this, sense) : [];
    if (sense.t === "field") {
      const { key } = sense;
      // The region of a store is one of each store.
      const ds = this.schema.links.get(key.path?.[0]?.link ?? "")?.from ?? key.ds;
      return [
        ...groups,
        { sense: { t: "attr", rel: { k: "all", ds }, ds, keys: [key] }, cost: 0.4 },
        ...this.#happened(key),
        ...this.#together(key),
      ];
    }
    // "how windy is it": of whatever there is.
    if (sense.t === "op" && sense.op === "how" && this.main !== undefined)
      return this.dimensions(this.main, sense.arg ?? "").flatMap((key) => means({ t: "field", key }, 0.4));
    // "highest list price": how high it is.
    if (sense.t === "supby" && sense.by.k === "key" && sense.n === null && sense.skip === undefined) {
      const { key } = sense.by;
      const fn = sense.dir === "max" ? ("max" as const) : ("min" as const);
      const cols: Num[] = [{ k: "agg", fn, of: key, in: { k: "all", ds: key.ds } }];
      return this.isNumber(key) ? means({ t: "table", table: { ...EMPTY_TABLE, cols } }, 0.6) : [];
    }
    // "was the rate higher in 2025 than in 2024": both.
    if (sense.t === "outdid" && sense.table.win !== null)
      return compared({ ...sense.table, win: null }, [sense.table.win, sense.than]).map((each) =>
        more(each, 0.3),
      );
    if (sense.t === "op" && sense.op === "growth") return this.#grew(sense.arg);
    if (sense.t === "worth") {
      const table: TableSense = tableOf({ k: "metric", name: sense.metric });
      // Of several together it is rather asked what one is worth on average.
      return means({ t: "table", table }, 0.4);
    }
    if (sense.t === "rel") return [...groups, ...piecesSold(this, sense).map((each) => more(each, -0.2))];
    return sense.t === "attr" ? [...groups, ...this.#linkedEntities(sense)] : groups;
  }

  /** "which countries grew": in what is earned, where no number is named. */
  #grew(arg: string | undefined): Combined[] {
    const [name, ...others] = moneyMetrics(this.schema);
    const [op] = arg ?? "";
    if (name === undefined || others.length > 0 || arg?.endsWith("abs") || (op !== "<" && op !== ">"))
      return [];
    const { sense: grown, cost } = growing(tableOf({ k: "metric", name }))[0] as Combined;
    if (grown.t !== "table") return [];
    const chosen: Sense = { t: "having", table: grown.table, op, value: 0 };
    return [
      { sense: grown, cost },
      { sense: chosen, cost: cost + 0.3 },
    ];
  }

  /** "signups": how many there were on the date that says so. */
  #happened(key: Key): Combined[] {
    const date = this.schema.datasets.get(key.ds)?.date;
    if (!this.isDate(key) || date?.ds !== key.ds || date.field !== key.field) return [];
    const table: TableSense = tableOf(count({ k: "all", ds: key.ds }));
    return means({ t: "table", table }, 0.7);
  }

  /** "returned units", "satisfaction": of what happened again and again, all of them together, or on average. */
  #together(key: Key): Combined[] {
    const num = this.isNumber(key) && this.isEvent(key.ds) ? this.usualOf(key) : undefined;
    return num === undefined
      ? []
      : means({ t: "table", table: tableOf(num) }, num.k === "metric" ? 0.3 : 0.8);
  }

  /** A capital is a field of a state, and a city as well. */
  #linkedEntities({ rel, ds, keys }: Attr): Combined[] {
    const [key] = keys;
    const soft = keys.length === 1 && key?.ds === ds ? this.softLink(key) : undefined;
    if (soft === undefined) return [];
    const made: Rel = { k: "via", from: rel, path: [{ link: soft.name, dir: "one" }] };
    return means(entities(made, soft.to), 0.3);
  }

  /** What is known about two neighbours of these kinds. */
  rulesFor(left: Sense["t"], right: Sense["t"]): Combine | undefined {
    const pair = `${left} ${right}`;
    const known = this.#pairs.get(pair);
    if (known !== undefined || this.#pairs.has(pair)) return known;
    const rules = this.#rules.flatMap((each) => (each as Readonly<Record<string, Apply>>)[pair] ?? []);
    const combine: Combine | undefined =
      rules.length === 0 ? undefined : (a, b) => rules.flatMap((rule) => rule(this, a, b));
    this.#pairs.set(pair, combine);
    return combine;
  }

  /** Says something of entities. */
  apply(rel: RelSense, mod: Mod): Combined[] {
    return [...this.#applied(rel, mod), ...this.#appliedBefore(rel, mod)];
  }

  /** "the state with the smallest area that borders Texas": the smallest of those that do. */
  #appliedBefore(rel: RelSense, mod: Mod): Combined[] {
    const { rel: first } = rel;
    if (first.k !== "top" || !["to", "is", "named"].includes(mod.m)) return [];
    const before = this.#applied({ ...rel, rel: first.in, form: "made", isTopped: false }, mod);
    return before.flatMap(({ sense, cost }) =>
      sense.t === "rel"
        ? means({ ...sense, rel: { ...first, in: sense.rel }, isTopped: true }, cost + 0.5)
        : [],
    );
  }

  #applied(rel: RelSense, mod: Mod): Combined[] {
    const late = rel.isTopped ? 1.5 : 0;
    switch (mod.m) {
      case "to":
        return this.#applyLink(rel, mod, late);
      case "first": {
        const by = this.measure(rel.ds, mod.by);
        if (by === undefined) return [];
        const { n, ...some } = rel;
        return [made(top(some, by.by, { ...mod, n: mod.n ?? n ?? null }), by.cost + firstCost(rel), true)];
      }
      case "is": {
        const isReached = (ds: string) => ds === rel.ds || toOnePath(this.schema, rel.ds, ds) !== undefined;
        if (!datasetsOf(mod.cond).every(isReached)) return [];
        if (isReached(mod.ds)) {
          // What was bought is said by whatever belongs to it.
          const own = farCost(this, rowsOf(rel.ds), mod.cond) + this.#otherCost(rel, mod);
          const far = own + (mod.ds === rel.ds ? 0 : rel.verb === undefined ? 0.5 : 0.2);
          return [made(where(rel, mod.cond), late + far, rel.isTopped)];
        }
        // Who did not order in May has no order of that month, whatever others there are.
        const then = mod.cond.k === "not" && mod.cond.of.k === "during" ? mod.cond.of : undefined;
        const some: Rel = { k: "where", in: { k: "all", ds: mod.ds }, if: then ?? mod.cond };
        const linked = {
          m: "to" as const,
          rel: some,
          ds: mod.ds,
          form: "made" as const,
          paths: null,
          not: then !== undefined,
        };
        return this.#applyLink(rel, linked, late + 0.5);
      }
      case "named":
        return mod.ds === rel.ds ? [made(where(rel, mod.cond), late - 0.6, rel.isTopped)] : [];
      case "during":
        return [...this.#during(rel, mod.win, late), ...this.#firstThen(rel, mod.win)];
      case "all": {
        const cond = this.everywhere(rel.ds, mod);
        return cond === undefined ? [] : means(where(rel, cond));
      }
      case "weekdays": {
        const date = this.schema.datasets.get(rel.ds)?.date;
        return date == null ? [] : [made(where(rel, onWeekdays(date, mod.days)), late, rel.isTopped)];
      }
      case "unit":
        return [];
      case "every":
        return this.#inEvery(rel, mod);
      case "both":
        return this.#inBoth(rel, mod.wins);
      case "notduring":
        return notThen(rel, mod.win);
      case "show": {
        const name = this.nameKey(rel.ds);
        const isReached = mod.keys.every(
          ({ ds }) => ds === rel.ds || toOnePath(this.schema, rel.ds, ds) !== undefined,
        );
        const far = mod.keys.some(({ ds }) => ds !== rel.ds) ? 0.3 : 0;
        return name === undefined || !isReached ? [] : [attr(rel.rel, rel.ds, [name, ...mod.keys], far)];
      }
      case "attr":
        return [];
    }
  }

  /** Denver is a city: what is said of it is hardly said of the mountains of its state. */
  #otherCost({ ds }: RelSense, mod: Extract<Mod, { m: "is" }>): number {
    const isOther = mod.ds !== ds && mod.cond.k === "is" && this.softLink(mod.cond.key) !== undefined;
    return isOther ? 2 : 0;
  }

  /** What has no date of its own was there when something happened to it. */
  #during(rel: RelSense, win: Window, late: number): Combined[] {
    const date = this.schema.datasets.get(rel.ds)?.date;
    if (date != null) {
      const cost = late + duringCost(rel, this.isEvent(rel.ds));
      // Nothing is in two periods at once.
      if (rel.rel.k === "where" && rel.rel.if.k === "during" && rel.rel.if.win.on === win.on) return [];
      const on = this.isEvent(rel.ds) || win.on !== undefined ? win : { ...win, on: date };
      return [made(where(rel, { k: "during", win: on }), cost, rel.isTopped)];
    }
    const [event] = this.eventsOf(rel.ds);
    if (event === undefined || rel.form === "name") return [];
    const to: Rel = { k: "where", in: { k: "all", ds: event.ds }, if: { k: "during", win } };
    return [made(where(rel, { k: "link", at: rel.ds, path: event.path, to }), late + 0.5, rel.isTopped)];
  }

  #applyLink(rel: RelSense, mod: Extract<Mod, { m: "to" }>, late: number): Combined[] {
    if (rel.ds === mod.ds && mod.paths === null) {
      // "the city of New York", "the Colorado River"
      if (rel.form === "noun" && !rel.isMany && mod.form === "name" && !mod.not && mod.isOf) {
        return means(entities(mod.rel, mod.ds, "name"), -0.6);
      }
      const isSome = mod.form !== "noun" || mod.rel.k !== "all";
      if (mod.not && isSome && rel.form !== "name") {
        return [made(where(rel, { k: "link", at: rel.ds, path: [], to: mod.rel }, true), late, rel.isTopped)];
      }
      // "what state is the state with the most rivers", "which capitals are major cities"
      const isSaid = mod.form === "made" || (mod.form === "noun" && mod.rel.k === "where");
      if (!mod.not && isSaid && rel.form !== "name" && rel.verb === undefined) {
        if (rel.form === "noun" && rel.rel.k === "all")
          return means({ ...rel, rel: mod.rel, form: "made" }, 0.6);
        return [made(where(rel, { k: "link", at: rel.ds, path: [], to: mod.rel }), late + 0.8, rel.isTopped)];
      }
      return [];
    }
    const way = this.path(rel.ds, mod.ds, mod.paths);
    if (way === undefined) return [];
    const own = firstOfEach(this, rel.ds, mod.rel, way.path);
    if (own !== undefined)
      return [
        made(where(rel, { k: "link", at: rel.ds, path: way.path, to: own }, mod.not), late, rel.isTopped),
      ];
    const cond = linkedTo(rel.ds, way.path, { ...mod, isOne: this.#isOne(rel.ds, way.path) });
    // That a city is in a state says nothing; who asks so wants the state.
    const idle = rel.form === "name" && (mod.form !== "name" || mod.paths !== null) ? 1.5 : 0;
    return [made(where(rel, cond, mod.not), late + way.cost + idle, rel.isTopped)];
  }

  /** "customers who ordered in every quarter": in as many as there are. */
  #inEvery(rel: RelSense, { grain, n, win }: Extract<Mod, { m: "every" }>): Combined[] {
    const { rel: some } = rel;
    if (some.k !== "where" || some.if.k !== "link" || some.if.count !== undefined) return [];
    const { path, to } = some.if;
    const date = this.schema.datasets.get(this.datasetOf(to))?.date;
    if (date == null || !path.some(({ dir }) => dir === "many")) return [];
    const of: Key = { ...date, bucket: grain };
    const periods: Num = { k: "agg", fn: "distinct", of, in: to, path, scope: { win } };
    const cond: Cond = { k: "cmp", a: periods, op: ">=", b: { k: "lit", v: n } };
    return [made({ ...rel, rel: { ...some, if: cond } }, 0, rel.isTopped)];
  }

  /** "bought in both years": in the one, and in the other. */
  #inBoth(rel: RelSense, wins: readonly Window[]): Combined[] {
    const then = wins.map((win) => this.#didThen(rel, win));
    const conds = then.flatMap((each) =>
      each?.sense.t === "rel" && each.sense.rel.k === "where" ? [each.sense.rel.if] : [],
    );
    if (conds.length < wins.length || rel.rel.k !== "where") return [];
    return [made({ ...rel, rel: { ...rel.rel, if: { k: "and", of: conds } } }, 0, rel.isTopped)];
  }

  /** The same of whoever did something, when they did it. */
  doneThen(rel: Rel, ds: string, win: Window): Rel | undefined {
    const sense: RelSense = entities(rel, ds);
    const then = this.#didThen(sense, win);
    return then?.sense.t === "rel" ? then.sense.rel : undefined;
  }

  /** "bought for the first time in March": it was then. */
  #firstThen(rel: RelSense, win: Window): Combined[] {
    const to = rel.rel.k === "where" && rel.rel.if.k === "link" ? rel.rel.if.to : undefined;
    const then = to?.k === "top" && to.per !== undefined ? this.#didThen(rel, win) : undefined;
    return then === undefined ? [] : [then];
  }

  #didThen(rel: RelSense, win: Window): Combined | undefined {
    if (rel.rel.k !== "where" || rel.rel.if.k !== "link" || rel.rel.if.count !== undefined) return undefined;
    const { if: link } = rel.rel;
    if (this.schema.datasets.get(this.datasetOf(link.to))?.date == null) return undefined;
    const to: Rel = { k: "where", in: link.to, if: { k: "during", win } };
    return made({ ...rel, rel: { ...rel.rel, if: { ...link, to } } }, 0, rel.isTopped);
  }

  /** The way between entities: the one that was named, or the cheapest. */
  path(
    from: string,
    to: string,
    named: { from: string; path: Hop[] }[] | null,
  ): { path: Hop[]; cost: number } | undefined {
    for (const { from: start, path } of named ?? []) {
      if (start === from && this.ways.end(path) === to) return { path, cost: 0 };
    }
    const found = this.ways.cheapest(from, to);
    // What merely belongs to the same has nothing to do with each other.
    const isCousin = found?.some(({ dir }, i) => dir === "many" && found[i - 1]?.dir === "one");
    if (found === undefined || isCousin) return undefined;
    // What happened to somebody is near, however many tables are between.
    const isDeed = found.every(({ dir }) => dir === "many") && this.isEvent(to);
    return { path: found, cost: (found.length - 1) * (isDeed ? 0.1 : 0.7) + (named === null ? 0 : 1) };
  }

  /** What entities of a dataset are compared by. */
  measure(ds: string, by: By): { by: Num | Key; cost: number } | undefined {
    if (by.k === "num") return { by: by.num, cost: 0 };
    if (by.k === "key") {
      if (!this.isNumber(by.key) && !this.isDate(by.key)) return undefined;
      if (by.key.ds === ds || toOnePath(this.schema, ds, by.key.ds) !== undefined) {
        return { by: by.key, cost: by.key.ds === ds ? 0 : 0.5 };
      }
      const way = this.path(ds, by.key.ds, null);
      if (way === undefined) return undefined;
      return { by: { k: "agg", fn: "max", of: by.key, path: way.path }, cost: 0.6 + way.cost };
    }
    const way = this.path(ds, by.ds, by.paths ?? null);
    // Of what each has one of, nobody has the most.
    if (way === undefined || this.#isOne(ds, way.path)) return undefined;
    return { by: { k: "agg", fn: "count", in: by.rel, path: way.path }, cost: way.cost };
  }

  /** A field of some entities: their own, or of what belongs to them. */
  attributes(key: Key, rel: RelSense): Combined[] {
    if (key.ds === rel.ds) return [attr(rel.rel, rel.ds, [key], 0)];
    const out = toOnePath(this.schema, rel.ds, key.ds);
    if (out !== undefined)
      return [attr(rel.rel, rel.ds, [key], this.isFarther(rowsOf(rel.ds), key) ? 0.4 + FAR_COST : 0.4)];
    const way = this.path(key.ds, rel.ds, null);
    if (way === undefined) return [];
    const to: Cond = { k: "link", at: key.ds, path: way.path, to: rel.rel };
    return [
      attr(
        { k: "where", in: { k: "all", ds: key.ds }, if: to },
        key.ds,
        [key],
        (this.#isOneToOne(way.path) ? 0.2 : 0.7) + way.cost,
      ),
    ];
  }

  /** Whether an entity has one at most; a river of several rows has as many states. */
  #isOne(ds: string, path: readonly Hop[]): boolean {
    return this.schema.datasets.get(ds)?.isKeyed === true && path.every(({ dir }) => dir === "one");
  }

  /** Whether each side has at most one of the other. */
  #isOneToOne(path: readonly Hop[]): boolean {
    const [hop] = path;
    const link = path.length === 1 ? this.schema.links.get(hop?.link ?? "") : undefined;
    const key = this.schema.datasets.get(link?.from ?? "")?.key ?? [];
    return (
      link !== undefined &&
      link.columns.length === key.length &&
      link.columns.every(({ from }) => key.includes(from))
    );
  }

  /** Where an entity is: what it belongs to. */
  parent(rel: RelSense): Combined[] {
    for (const link of this.schema.links.values()) {
      if (link.from !== rel.ds || link.to === rel.ds || link.name.startsWith("~")) continue;
      const key = this.nameKey(link.to);
      if (key !== undefined) return [attr(rel.rel, rel.ds, [key], 0)];
    }
    const place = [...(this.schema.datasets.get(rel.ds)?.fields.values() ?? [])].find(
      ({ name, kind }) =>
        kind === "text" &&
        /country|city|place|location|region/.test(name) &&
        foreignLink(this.schema, rel.ds, name) === undefined,
    );
    return place === undefined ? [] : [attr(rel.rel, rel.ds, [{ ds: rel.ds, field: place.name }], 0)];
  }
}

function rowsOf(ds: string): TableSense {
  return tableOf(count({ k: "all", ds }));
}

/** What two neighbours mean together, by their kinds: `rel mod`. */
export type Rules = {
  readonly [Pair in `${Kind} ${Kind}`]?: Pair extends `${infer L extends Kind} ${infer R extends Kind}`
    ? (grammar: Grammar, left: SenseOf<L>, right: SenseOf<R>) => Combined[]
    : never;
};

type Apply = (grammar: Grammar, left: Sense, right: Sense) => Combined[];
type Kind = Sense["t"];
type SenseOf<T extends Kind> = Extract<Sense, { t: T }>;
