import { toOnePath } from "../compile/paths.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Schema } from "../query/schema.ts";
import {
  type Aggregate,
  type Cond,
  datasetOf,
  type Hop,
  type Key,
  type Num,
  type Rel,
  type Window,
} from "../query/semantic-query.ts";
import type { Combine, Combined } from "./chart.ts";
import { DIMENSIONS } from "./english.ts";
import type { By, Mod, Sense, TableSense } from "./fragment.ts";
import { dimensionField, foreignLink } from "./model-words.ts";
import { phraseKey } from "./words.ts";

type RelSense = Extract<Sense, { t: "rel" }>;
type Attr = Extract<Sense, { t: "attr" }>;

export const EMPTY_TABLE: TableSense = {
  cols: [],
  by: [],
  conds: [],
  win: null,
  top: null,
  having: null,
  order: [],
};

/** The rules by which neighbours are put together. */
export class Grammar {
  readonly #model: Knowledge["model"];
  readonly #schema: Schema;
  readonly #tableRules: Record<string, Rule[]>;
  /** The cheapest ways from a dataset to all others. */
  readonly #ways = new Map<string, Map<string, { cost: number; path: Hop[] }>>();
  readonly #pairs = new Map<string, Combine | undefined>();

  constructor({ model, schema }: Knowledge, tableRules: Record<string, Rule[]>) {
    this.#tableRules = tableRules;
    this.#model = model;
    this.#schema = schema;
  }

  /** What one meaning can stand for besides itself. */
  convert(sense: Sense): Combined[] {
    if (sense.t === "field") {
      const { key } = sense;
      return [{ sense: { t: "attr", rel: { k: "all", ds: key.ds }, ds: key.ds, keys: [key] }, cost: 0.4 }];
    }
    if (sense.t === "attr") return this.#linkedEntities(sense);
    if (sense.t === "mod" && sense.mod.m === "to") {
      return [];
    }
    return [];
  }

  /** A capital is a field of a state, and a city as well. */
  #linkedEntities({ rel, ds, keys }: Attr): Combined[] {
    const [key] = keys;
    if (keys.length !== 1 || key === undefined) return [];
    const soft = [...this.#schema.links.values()].find(
      (link) => link.name === `~${ds}.${key.field}` && link.from === ds,
    );
    if (soft === undefined) return [];
    const made: Rel = { k: "via", from: rel, path: [{ link: soft.name, dir: "one" }] };
    return [{ sense: { t: "rel", rel: made, ds: soft.to, form: "made", isTopped: false }, cost: 0.3 }];
  }

  /** What is known about two neighbours of these kinds. */
  rulesFor(left: Sense["t"], right: Sense["t"]): Combine | undefined {
    const pair = `${left} ${right}`;
    const known = this.#pairs.get(pair);
    if (known !== undefined || this.#pairs.has(pair)) return known;
    const rules = [...(RULES[pair] ?? []), ...(this.#tableRules[pair] ?? [])];
    const combine: Combine | undefined =
      rules.length === 0 ? undefined : (a, b) => rules.flatMap((rule) => rule(this, a as never, b as never));
    this.#pairs.set(pair, combine);
    return combine;
  }

  /** Whether rows of a number belong to one row of a dataset, so that it can be limited or grouped by it. */
  reachedBy({ cols }: TableSense, ds: string): boolean {
    return cols.some((num) =>
      this.#homes(num).some((home) => home === ds || toOnePath(this.#schema, home, ds) !== undefined),
    );
  }

  #homes(num: Num): string[] {
    switch (num.k) {
      case "metric":
        return (this.#schema.metrics.get(num.name)?.formula.aggregates ?? []).flatMap(({ pieces }) => {
          const named = [
            ...new Set(pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.ds]))),
          ];
          return named.filter((ds) =>
            named.every((other) => toOnePath(this.#schema, ds, other) !== undefined),
          );
        });
      case "agg":
        return [num.in === undefined ? (num.of?.ds ?? "") : datasetOf(num.in, (path) => this.#end(path))];
      case "calc":
        return [...this.#homes(num.a), ...this.#homes(num.b)];
      case "each":
      case "lag":
      case "running":
        return this.#homes(num.of);
      case "field":
        return [num.key.ds];
      case "lit":
        return [];
    }
  }

  /** The date that a number goes by. */
  dateOf({ cols }: TableSense): Key | undefined {
    const [num] = cols;
    if (num === undefined) return undefined;
    const metric = num.k === "metric" ? this.#schema.metrics.get(num.name)?.date : null;
    const [home] = this.#homes(num);
    return metric ?? this.#schema.datasets.get(home ?? "")?.date ?? undefined;
  }

  get schema(): Schema {
    return this.#schema;
  }

  dimension(ds: string, dim: string): Key | undefined {
    if (dim === "date") {
      const date = this.#schema.datasets.get(ds)?.date;
      return date?.ds === ds ? date : undefined;
    }
    const field = dimensionField(this.#model, this.#schema, ds, dim);
    return field === undefined ? undefined : { ds, field };
  }

  isNumber(key: Key): boolean {
    return isNumber(this, key);
  }

  nameKey(ds: string): Key | undefined {
    const dataset = this.#schema.datasets.get(ds);
    const field = dataset?.nameField ?? dataset?.key[0];
    return field === undefined ? undefined : { ds, field };
  }

  /** Says something of entities. */
  apply(rel: RelSense, mod: Mod): Combined[] {
    const late = rel.isTopped ? 1.5 : 0;
    switch (mod.m) {
      case "to":
        return this.#applyLink(rel, mod, late);
      case "first": {
        const by = this.measure(rel.ds, mod.by);
        if (by === undefined) return [];
        return [made(top(rel, by.by, mod.dir, mod.n), by.cost + firstCost(rel), true)];
      }
      case "is": {
        if (mod.ds === rel.ds || toOnePath(this.#schema, rel.ds, mod.ds) !== undefined) {
          return [made(where(rel, mod.cond), late + (mod.ds === rel.ds ? 0 : 0.5), rel.isTopped)];
        }
        const some: Rel = { k: "where", in: { k: "all", ds: mod.ds }, if: mod.cond };
        const linked = {
          m: "to" as const,
          rel: some,
          ds: mod.ds,
          form: "made" as const,
          paths: null,
          not: false,
        };
        return this.#applyLink(rel, linked, late + 0.5);
      }
      case "during":
        return [made(where(rel, { k: "during", win: mod.win }), late + duringCost(rel), rel.isTopped)];
      case "all":
        return [{ sense: rel, cost: 0 }];
      case "notduring":
        return notThen(rel, mod.win);
      case "show": {
        const name = this.nameKey(rel.ds);
        const isReached = mod.key.ds === rel.ds || toOnePath(this.#schema, rel.ds, mod.key.ds) !== undefined;
        return name === undefined || !isReached ? [] : [attr(rel.rel, rel.ds, [name, mod.key], 0)];
      }
      case "attr":
        return [];
    }
  }

  #applyLink(rel: RelSense, mod: Extract<Mod, { m: "to" }>, late: number): Combined[] {
    if (rel.ds === mod.ds && mod.paths === null) {
      // "the city of New York", "the Colorado River"
      if (rel.form === "noun" && !rel.isMany && mod.form === "name" && !mod.not && mod.isOf) {
        return [{ sense: { t: "rel", rel: mod.rel, ds: mod.ds, form: "name", isTopped: false }, cost: -0.3 }];
      }
      if (mod.not && mod.form === "name" && rel.form !== "name") {
        return [made(where(rel, { k: "link", at: rel.ds, path: [], to: mod.rel }, true), late, rel.isTopped)];
      }
      return [];
    }
    const way = this.path(rel.ds, mod.ds, mod.paths);
    if (way === undefined) return [];
    const cond: Cond = { k: "link", at: rel.ds, path: way.path, to: mod.rel };
    // That a city is in a state says nothing; who asks so wants the state.
    const idle = rel.form === "name" && mod.form !== "name" ? 1.5 : 0;
    return [made(where(rel, cond, mod.not), late + way.cost + idle, rel.isTopped)];
  }

  /** The way between entities: the one that was named, or the cheapest. */
  path(
    from: string,
    to: string,
    named: { from: string; path: Hop[] }[] | null,
  ): { path: Hop[]; cost: number } | undefined {
    for (const { from: start, path } of named ?? []) {
      if (start === from && this.#end(path) === to) return { path, cost: 0 };
    }
    const found = this.#cheapest(from, to);
    if (found === undefined) return undefined;
    return { path: found, cost: (found.length - 1) * 0.7 + (named === null ? 0 : 1) };
  }

  #end(path: readonly Hop[]): string {
    const last = path.at(-1) as Hop;
    const link = this.#schema.links.get(last.link);
    return (last.dir === "one" ? link?.to : link?.from) ?? "";
  }

  #cheapest(from: string, to: string): Hop[] | undefined {
    if (from === to) return undefined;
    const known = this.#ways.get(from) ?? this.#waysFrom(from);
    this.#ways.set(from, known);
    return known.get(to)?.path;
  }

  #waysFrom(from: string): Map<string, { cost: number; path: Hop[] }> {
    const ways = new Map<string, { cost: number; path: Hop[] }>([[from, { cost: 0, path: [] }]]);
    const open = [from];
    for (let place = open.shift(); place !== undefined; place = open.shift()) {
      const here = ways.get(place) as { cost: number; path: Hop[] };
      for (const link of this.#schema.links.values()) {
        if (link.from === link.to) continue;
        for (const dir of ["one", "many"] as const) {
          const [near, far] = dir === "one" ? [link.from, link.to] : [link.to, link.from];
          if (near !== place) continue;
          const cost = here.cost + link.cost * (dir === "one" ? 1 : 1.5);
          if (cost >= (ways.get(far)?.cost ?? Number.POSITIVE_INFINITY)) continue;
          ways.set(far, { cost, path: [...here.path, { link: link.name, dir }] });
          open.push(far);
        }
      }
    }
    return ways;
  }

  /** What entities of a dataset are compared by. */
  measure(ds: string, by: By): { by: Num | Key; cost: number } | undefined {
    if (by.k === "num") return { by: by.num, cost: 0 };
    if (by.k === "key") {
      if (by.key.ds === ds || toOnePath(this.#schema, ds, by.key.ds) !== undefined) {
        return { by: by.key, cost: by.key.ds === ds ? 0 : 0.5 };
      }
      const way = this.path(ds, by.key.ds, null);
      if (way === undefined) return undefined;
      return { by: { k: "agg", fn: "max", of: by.key, path: way.path }, cost: 0.6 + way.cost };
    }
    const way = this.path(ds, by.ds, by.paths ?? null);
    if (way === undefined) return undefined;
    return { by: { k: "agg", fn: "count", in: by.rel, path: way.path }, cost: way.cost };
  }

  /** A field of some entities: their own, or of what belongs to them. */
  attributes(key: Key, rel: RelSense): Combined[] {
    if (key.ds === rel.ds) return [attr(rel.rel, rel.ds, [key], 0)];
    const out = toOnePath(this.#schema, rel.ds, key.ds);
    if (out !== undefined) return [attr(rel.rel, rel.ds, [key], 0.4)];
    const way = this.path(key.ds, rel.ds, null);
    if (way === undefined) return [];
    const to: Cond = { k: "link", at: key.ds, path: way.path, to: rel.rel };
    return [attr({ k: "where", in: { k: "all", ds: key.ds }, if: to }, key.ds, [key], 0.2 + way.cost)];
  }

  /** How high a "highest point" is: the number that shares its words. */
  measureOf(key: Key, dim: string): Key | undefined {
    const own = key.field.split("_");
    const fields = [...(this.#schema.datasets.get(key.ds)?.fields.values() ?? [])];
    const hints = DIMENSIONS.get(dim) ?? [];
    const near = fields.find(
      ({ name, kind }) =>
        kind === "number" &&
        name !== key.field &&
        name.split("_")[0] === own[0] &&
        phraseKey(name)
          .split(" ")
          .some((word) => hints.includes(word)),
    );
    return near === undefined ? undefined : { ds: key.ds, field: near.name };
  }

  /** Where an entity is: what it belongs to. */
  parent(rel: RelSense): Combined[] {
    for (const link of this.#schema.links.values()) {
      if (link.from !== rel.ds || link.to === rel.ds || link.name.startsWith("~")) continue;
      const key = this.nameKey(link.to);
      if (key !== undefined) return [attr(rel.rel, rel.ds, [key], 0)];
    }
    const place = [...(this.#schema.datasets.get(rel.ds)?.fields.values() ?? [])].find(
      ({ name, kind }) =>
        kind === "text" &&
        /country|city|place|location|region/.test(name) &&
        foreignLink(this.#schema, rel.ds, name) === undefined,
    );
    return place === undefined ? [] : [attr(rel.rel, rel.ds, [{ ds: rel.ds, field: place.name }], 0)];
  }
}

export type Rule = (grammar: Grammar, left: never, right: never) => Combined[];

export function rule<L extends Sense["t"], R extends Sense["t"]>(
  build: (grammar: Grammar, left: Extract<Sense, { t: L }>, right: Extract<Sense, { t: R }>) => Combined[],
): Rule {
  return build as unknown as Rule;
}

const to = (rel: RelSense, paths: Extract<Mod, { m: "to" }>["paths"], not = false, isOf = false): Sense => ({
  t: "mod",
  mod: {
    m: "to",
    rel: rel.rel,
    ds: rel.ds,
    form: rel.form,
    paths,
    not,
    ...(isOf ? { isOf: true as const } : {}),
  },
});

const RULES: Record<string, Rule[]> = {
  "op rel": [
    rule<"op", "rel">((grammar, { op, arg }, rel) => {
      switch (op) {
        case "prep":
        case "has":
        case "where":
          if (op === "where") return grammar.parent(rel);
          return [{ sense: to(rel, null, false, arg === "of"), cost: 0 }];
        case "not":
          return [{ sense: to(rel, null, true), cost: 0 }];
        case "count":
          return [{ sense: table(count(rel.rel)), cost: 0 }];
        case "how": {
          const key = grammar.dimension(rel.ds, arg ?? "");
          return key === undefined ? [] : [attr(rel.rel, rel.ds, [key], 0)];
        }
        default:
          return [];
      }
    }),
  ],
  "op attr": [
    rule<"op", "attr">((grammar, { op, arg }, { rel, ds, keys }) => {
      const [key] = keys as [Key];
      if (op === "how") {
        const measured = grammar.measureOf(key, arg ?? "");
        return measured === undefined ? [] : [attr(rel, ds, [measured], 0)];
      }
      if (op === "agg") return [{ sense: table(aggregate(arg as Aggregate, key, rel)), cost: 0 }];
      if (op === "where") return [attr(rel, ds, keys, 0)];
      if (op === "count" && isNumber(grammar, key)) return [attr(rel, ds, keys, 0)];
      if (op === "count")
        return [{ sense: table({ k: "agg", fn: "distinct", of: key, in: rel }), cost: 0.1 }];
      if (op === "prep") return [{ sense: { t: "mod", mod: { m: "attr", rel, ds, key } }, cost: 0 }];
      if (op === "has") return first(grammar, key);
      if (op === "compare") return compared(grammar, arg ?? "", { rel, key });
      return [];
    }),
  ],
  "op field": [
    rule<"op", "field">((grammar, { op, arg }, { key }) => {
      if (op === "count" && isNumber(grammar, key)) return [{ sense: { t: "field", key }, cost: 0 }];
      if (op === "has") {
        const firsts = first(grammar, key);
        return firsts.length > 0 ? firsts : [{ sense: { t: "mod", mod: { m: "show", key } }, cost: 0.3 }];
      }
      if (op === "by" || op === "prep") {
        return [{ sense: { t: "by", keys: [key], by: { k: "key", key } }, cost: op === "by" ? 0 : 0.5 }];
      }
      if (op === "agg") {
        return [{ sense: table(aggregate(arg as Aggregate, key, { k: "all", ds: key.ds })), cost: 0.2 }];
      }
      return [];
    }),
  ],
  "attr op": [
    rule<"attr", "op">((_grammar, { rel, keys }, { op, arg }) =>
      op === "agg" ? [{ sense: table(aggregate(arg as Aggregate, keys[0] as Key, rel)), cost: 0.1 }] : [],
    ),
  ],
  "op supby": [
    rule<"op", "supby">((_grammar, { op }, { dir, by, n }) =>
      op === "has" ? [{ sense: { t: "mod", mod: { m: "first", dir, by, n } }, cost: 0 }] : [],
    ),
  ],
  "op cond": [
    rule<"op", "cond">((grammar, { op, arg }, { ds, cond }) => {
      if (op === "has" || op === "prep")
        return [{ sense: { t: "mod", mod: { m: "is", ds, cond } }, cost: 0 }];
      if (op === "than") return [{ sense: { t: "than", win: null, cond, ds }, cost: 0 }];
      if (op === "not") return [{ sense: { t: "cond", ds, cond: { k: "not", of: cond } }, cost: 0 }];
      const rel: Rel = { k: "where", in: { k: "all", ds }, if: cond };
      if (op === "where") return grammar.parent({ t: "rel", rel, ds, form: "made", isTopped: false });
      if (op === "how" && cond.k === "is") {
        const key = grammar.measureOf(cond.key, arg ?? "");
        return key === undefined ? [] : [attr(rel, ds, [key], 0)];
      }
      if (op === "compare") return [];
      return [];
    }),
  ],
  "link rel": [
    rule<"link", "rel">((_grammar, { paths }, rel) => [
      { sense: to(rel, paths), cost: 0 },
      ...(rel.form === "noun"
        ? [{ sense: { t: "role" as const, rel: rel.rel, ds: rel.ds, paths }, cost: 0 }]
        : []),
    ]),
  ],
  "role mod": [
    rule<"role", "mod">((grammar, { rel, ds, paths }, { mod }) =>
      mod.m === "to" && mod.paths === null
        ? grammar.apply({ t: "rel", rel, ds, form: "noun", isTopped: false }, { ...mod, paths })
        : [],
    ),
  ],
  "op role": [
    rule<"op", "role">((_grammar, { op }, { rel, ds, paths }) =>
      op === "not"
        ? [{ sense: { t: "mod", mod: { m: "to", rel, ds, form: "noun", paths, not: true } }, cost: 0 }]
        : [],
    ),
  ],
  "op all": [
    rule<"op", "all">((_grammar, { op }) =>
      op === "prep" ? [{ sense: { t: "mod", mod: { m: "all" } }, cost: 0 }] : [],
    ),
  ],
  "rel all": [rule<"rel", "all">((_grammar, rel) => [{ sense: rel, cost: 0.2 }])],
  "rel link": [
    rule<"rel", "link">((_grammar, rel, { paths }) => [
      { sense: to(rel, paths), cost: rel.form === "noun" ? 0.6 : 0.1 },
    ]),
  ],
  // "borders the most states"
  "link supby": [
    rule<"link", "supby">((_grammar, { paths }, { dir, by, n }) =>
      by.k === "count"
        ? [{ sense: { t: "mod", mod: { m: "first", dir, by: { ...by, paths }, n } }, cost: 0 }]
        : [],
    ),
  ],
  // "in which state is the highest point"
  "mod attr": [
    rule<"mod", "attr">((grammar, { mod }, { rel, ds }) =>
      mod.m === "to" && mod.form === "noun" && !mod.not
        ? neighbours(
            grammar,
            { t: "rel", rel: mod.rel, ds: mod.ds, form: "noun", isTopped: false },
            { t: "rel", rel, ds, form: "made", isTopped: false },
            0.2,
          )
        : [],
    ),
  ],
  "supby link": [rule<"supby", "link">((_grammar, supby) => [{ sense: supby, cost: 0.2 }])],
  "link mod": [
    rule<"link", "mod">((_grammar, { paths }, { mod }) =>
      mod.m === "to" && mod.paths === null
        ? [{ sense: { t: "mod", mod: { ...mod, paths } }, cost: 0.1 }]
        : [],
    ),
  ],
  "op link": [
    rule<"op", "link">((_grammar, { op }, link) => (op === "prep" ? [{ sense: link, cost: 0.1 }] : [])),
  ],
  "link op": [
    rule<"link", "op">((_grammar, link, { op }) => (op === "prep" ? [{ sense: link, cost: 0.1 }] : [])),
  ],
  "rel mod": [rule<"rel", "mod">((grammar, rel, { mod }) => grammar.apply(rel, mod))],
  "mod rel": [
    rule<"mod", "rel">((grammar, { mod }, rel) => [
      ...grammar.apply(rel, mod).map((each) => ({ ...each, cost: each.cost + 0.4 })),
      // "in which state is Rochester"
      ...(mod.m === "to" && mod.form === "noun" && rel.form !== "noun"
        ? neighbours(grammar, { t: "rel", rel: mod.rel, ds: mod.ds, form: "noun", isTopped: false }, rel, 0.2)
        : []),
    ]),
  ],
  "rel rel": [
    rule<"rel", "rel">((grammar, left, right) => [
      ...neighbours(grammar, left, right, right.form === "noun" && left.form !== "noun" ? 0.8 : 0.3),
      ...neighbours(grammar, right, left, left.form === "name" && right.form !== "name" ? 0.4 : 1.2),
    ]),
  ],
  "sup rel": [
    rule<"sup", "rel">((grammar, sup, rel) => {
      if (sup.dim === null) {
        const by: By = { k: "count", rel: rel.rel, ds: rel.ds };
        return sup.isCount ? [{ sense: { t: "supby", dir: sup.dir, by, n: sup.n }, cost: 0 }] : [];
      }
      return grammar.dimension(rel.ds, sup.dim) === undefined ? [] : topped(grammar, rel, sup);
    }),
  ],
  "rel window": [
    rule<"rel", "window">((grammar, rel, { win }) =>
      grammar.schema.datasets.get(rel.ds)?.date == null ? [] : grammar.apply(rel, { m: "during", win }),
    ),
  ],
  // "launched in 2026": the field says which date is meant.
  "field window": [
    rule<"field", "window">((grammar, { key }, { win }) =>
      grammar.schema.datasets.get(key.ds)?.fields.get(key.field)?.kind === "date"
        ? [{ sense: { t: "cond", ds: key.ds, cond: { k: "during", win: { ...win, on: key } } }, cost: 0 }]
        : [],
    ),
  ],
  "op window": [
    rule<"op", "window">((_grammar, { op }, { win }) => {
      if (op === "prep") return [{ sense: { t: "window", win }, cost: 0 }];
      if (op === "not") return [{ sense: { t: "mod", mod: { m: "notduring", win } }, cost: 0 }];
      return op === "than" ? [{ sense: { t: "than", win, cond: null, ds: null }, cost: 0 }] : [];
    }),
  ],
  "sup sup": [
    rule<"sup", "sup">((_grammar, { dir, dim }, second) =>
      dim !== null && second.dim === "date" && second.n === null
        ? [{ sense: { t: "order", dir: dir === "min" ? "asc" : "desc", dim }, cost: -0.3 }]
        : [],
    ),
  ],
  "attr order": [
    rule<"attr", "order">((grammar, sense, { dir, dim }) => {
      const by = grammar.dimension(sense.ds, dim);
      return by === undefined ? [] : [{ sense: { ...sense, order: [{ by, dir }] }, cost: 0 }];
    }),
  ],
  "rel sup": [
    rule<"rel", "sup">((grammar, rel, sup) =>
      sup.dim === null ? [] : topped(grammar, rel, sup).map((each) => ({ ...each, cost: each.cost + 0.2 })),
    ),
  ],
  "sup field": [
    rule<"sup", "field">((grammar, { dir, n, dim }, { key }) =>
      isNumber(grammar, key)
        ? [{ sense: { t: "supby", dir, by: { k: "key", key }, n }, cost: dim === "long" ? 1 : 0 }]
        : [],
    ),
  ],
  "supby rel": [
    rule<"supby", "rel">((grammar, { dir, by, n }, rel) =>
      by.k === "key" && by.key.ds === rel.ds ? grammar.apply(rel, { m: "first", dir, by, n }) : [],
    ),
  ],
  "rel supby": [
    rule<"rel", "supby">((grammar, rel, { dir, by, n }) =>
      grammar.apply(rel, { m: "first", dir, by, n }).map((each) => ({ ...each, cost: each.cost + 0.1 })),
    ),
  ],
  "rel by": [
    rule<"rel", "by">((_grammar, rel, { by, keys }) => {
      // "store by store"
      if (by === null && keys.length === 1 && keys[0]?.ds === rel.ds && rel.form === "noun")
        return [{ sense: { t: "by", keys, by }, cost: 0 }];
      if (by?.k !== "key" || rel.rel.k !== "top" || by.key.ds !== rel.ds) return [];
      return [{ sense: { ...rel, rel: { ...rel.rel, by: by.key } }, cost: 0 }];
    }),
  ],
  "field mod": [
    rule<"field", "mod">((grammar, { key }, { mod }) => {
      if (mod.m === "attr") {
        const shares = mod.key.field.split("_")[0] === key.field.split("_")[0];
        return mod.ds === key.ds && shares ? [attr(mod.rel, mod.ds, [key], 0)] : [];
      }
      if (mod.m === "all") return ofEverything(grammar, key);
      if (mod.m !== "to" || mod.not) return [];
      const rel: RelSense = { t: "rel", rel: mod.rel, ds: mod.ds, form: mod.form, isTopped: false };
      return grammar.attributes(key, rel);
    }),
  ],
  "op mod": [
    rule<"op", "mod">((grammar, { op, arg }, { mod }) => {
      if (op === "how") return measured(grammar, arg ?? "", mod);
      if (op === "than" && mod.m === "is")
        return [{ sense: { t: "than", win: null, cond: mod.cond, ds: mod.ds }, cost: 0 }];
      if (op === "has" || op === "prep") return [{ sense: { t: "mod", mod }, cost: 0.1 }];
      if (op !== "not") return [];
      if (mod.m === "to") return [{ sense: { t: "mod", mod: { ...mod, not: !mod.not } }, cost: 0 }];
      if (mod.m === "is")
        return [{ sense: { t: "mod", mod: { ...mod, cond: { k: "not", of: mod.cond } } }, cost: 0 }];
      return [];
    }),
  ],
  "field rel": [
    rule<"field", "rel">((grammar, { key }, rel) => [
      ...grammar.attributes(key, rel).map((each) => ({ ...each, cost: each.cost + 0.7 })),
      // "opened a ticket"
      ...(key.ds === rel.ds && grammar.schema.datasets.get(key.ds)?.fields.get(key.field)?.kind === "date"
        ? [{ sense: rel, cost: 0.1 }]
        : []),
    ]),
  ],
  "rel field": [
    rule<"rel", "field">((grammar, rel, { key }) =>
      grammar.attributes(key, rel).map((each) => ({ ...each, cost: each.cost + 0.5 })),
    ),
  ],
  "attr mod": [
    rule<"attr", "mod">((grammar, { rel, ds, keys }, { mod }) =>
      grammar
        .apply({ t: "rel", rel, ds, form: "made", isTopped: rel.k === "top" }, mod)
        .flatMap(({ sense, cost }) => (sense.t === "rel" ? [attr(sense.rel, ds, keys, cost + 0.2)] : [])),
    ),
  ],
  "cond rel": [
    rule<"cond", "rel">((grammar, { ds, cond }, rel) =>
      grammar
        .apply(rel, { m: "is", ds, cond })
        .map((each) => ({ ...each, cost: each.cost + (rel.form === "name" ? 1 : 0.1) })),
    ),
  ],
  "rel cond": [
    rule<"rel", "cond">((grammar, rel, { ds, cond }) =>
      grammar.apply(rel, { m: "is", ds, cond }).map((each) => ({ ...each, cost: each.cost + 0.2 })),
    ),
  ],
  // "capital austin": the field says which column the value is in.
  "field cond": [
    rule<"field", "cond">((_grammar, { key }, { ds, cond }) =>
      cond.k === "is" && cond.key.ds === key.ds && cond.key.field === key.field
        ? [{ sense: { t: "cond", ds, cond }, cost: -0.2 }]
        : [],
    ),
  ],
  "cond field": [
    rule<"cond", "field">((_grammar, { ds, cond }, { key }) =>
      cond.k === "is" && cond.key.ds === key.ds && cond.key.field === key.field
        ? [{ sense: { t: "cond", ds, cond }, cost: 0 }]
        : [],
    ),
  ],
};

/** A state with the highest point: every state has one, so it is the highest of them. */
function first(grammar: Grammar, key: Key): Combined[] {
  const dir = /^(high|max|long|larg|big|most)/.test(key.field)
    ? "max"
    : /^(low|min|short|small|least)/.test(key.field)
      ? "min"
      : null;
  const measure = dir === null ? undefined : isNumber(grammar, key) ? key : grammar.measureOf(key, "high");
  if (dir === null || measure === undefined) return [];
  return [
    { sense: { t: "mod", mod: { m: "first", dir, by: { k: "key", key: measure }, n: null } }, cost: 0.2 },
  ];
}

/** A field of everything there is: of numbers the sum, of extremes the most extreme. */
function ofEverything(grammar: Grammar, key: Key): Combined[] {
  const all: Rel = { k: "all", ds: key.ds };
  const [mod] = first(grammar, key);
  if (mod?.sense.t === "mod" && mod.sense.mod.m === "first" && mod.sense.mod.by.k === "key") {
    const { dir, by } = mod.sense.mod;
    return [attr({ k: "top", in: all, by: by.key, dir, n: 1, ties: "keep" }, key.ds, [key], 0)];
  }
  if (isNumber(grammar, key)) return [{ sense: table(aggregate("sum", key, all)), cost: 0.2 }];
  return [attr(all, key.ds, [key], 0)];
}

/** Higher than the highest point of Texas: what has a higher one. */
function compared(grammar: Grammar, arg: string, { rel, key }: { rel: Rel; key: Key }): Combined[] {
  const [op, dim] = arg.split(":") as [">" | "<", string];
  const measure = isNumber(grammar, key) ? key : grammar.measureOf(key, dim);
  if (measure === undefined) return [];
  const cond: Cond = { k: "cmp", a: measure, op, b: { k: "agg", fn: "only", of: measure, in: rel } };
  return [{ sense: { t: "cond", ds: measure.ds, cond }, cost: 0 }];
}

function measured(grammar: Grammar, dim: string, mod: Mod): Combined[] {
  if (mod.m === "attr") {
    const key = grammar.measureOf(mod.key, dim);
    return key === undefined ? [] : [attr(mod.rel, mod.ds, [key], 0)];
  }
  if (mod.m !== "to" || mod.not) return [];
  const key = grammar.dimension(mod.ds, dim);
  return key === undefined ? [] : [attr(mod.rel, mod.ds, [key], 0)];
}

function neighbours(grammar: Grammar, head: RelSense, other: RelSense, cost: number): Combined[] {
  const mod: Mod = {
    m: "to",
    rel: other.rel,
    ds: other.ds,
    form: other.form,
    paths: null,
    not: false,
    isOf: true,
  };
  return grammar.apply(head, mod).map((each) => ({
    ...each,
    cost: each.cost + (head.ds === other.ds ? 0 : cost),
  }));
}

function topped(grammar: Grammar, rel: RelSense, { dir, dim, n }: Extract<Sense, { t: "sup" }>): Combined[] {
  const key = grammar.dimension(rel.ds, dim ?? "");
  if (key === undefined) return [];
  return [made(top(rel, key, dir, n), firstCost(rel), true)];
}

/** A period belongs to what happened then: more likely to an event than to whom it happened. */
export function duringCost({ rel, form }: Pick<RelSense, "rel" | "form">): number {
  if (form === "name") return 2;
  const isLinked = JSON.stringify(rel).includes('"k":"link"');
  return isLinked ? 1 : form === "made" ? 0.2 : 0.4;
}

/** "bought in 2024 but not in 2025" */
function notThen(rel: RelSense, win: Window): Combined[] {
  if (rel.rel.k !== "where" || rel.rel.if.k !== "link" || rel.rel.if.to.k !== "where") return [];
  const { to } = rel.rel.if;
  if (to.if.k !== "during") return [];
  const then: Cond = { ...rel.rel.if, to: { ...to, if: { k: "during", win } } };
  return [made(where(rel, then, true), 0, false)];
}

/** Of one that is named there is no first one. */
function firstCost(rel: RelSense): number {
  return (rel.isTopped ? 2 : 0) + (rel.form === "name" ? 3 : 0);
}

function top(rel: RelSense, by: Num | Key, dir: "max" | "min", n: number | null): RelSense {
  return { ...rel, rel: { k: "top", in: rel.rel, by, dir, n: n ?? 1, ties: n === null ? "keep" : "cut" } };
}

function where(rel: RelSense, cond: Cond, not = false): RelSense {
  return { ...rel, rel: { k: "where", in: rel.rel, if: not ? { k: "not", of: cond } : cond } };
}

function made(rel: RelSense, cost: number, isTopped: boolean): Combined {
  return { sense: { ...rel, form: "made", isTopped }, cost };
}

function attr(rel: Rel, ds: string, keys: Key[], cost: number): Combined {
  return { sense: { t: "attr", rel, ds, keys }, cost };
}

function table(num: Num): Sense {
  return { t: "table", table: { ...EMPTY_TABLE, cols: [num] } };
}

function count(rel: Rel): Num {
  return { k: "agg", fn: "count", in: rel };
}

function aggregate(fn: Aggregate, of: Key, rel: Rel): Num {
  return { k: "agg", fn, of, in: rel };
}

function isNumber(grammar: Grammar, { ds, field }: Key): boolean {
  return grammar.schema.datasets.get(ds)?.fields.get(field)?.kind === "number";
}
