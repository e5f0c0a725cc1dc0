import { hasKind, opposite, rebuilt } from "../../query/parts.ts";
import type { Cond, Hop, Rel } from "../../query/semantic-query.ts";
import { isOfTime } from "../languages/language.ts";
import { growing } from "../senses/comparison-senses.ts";
import { condOf } from "../senses/conditions.ts";
import { compared, measured, neighbours, piecesSold, topped } from "../senses/entity-senses.ts";
import type { By, Mod, Sense } from "../senses/fragment.ts";
import {
  attr,
  count,
  EMPTY_TABLE,
  entities,
  means,
  placeOf,
  type RelSense,
  supBy,
  table,
  tableOf,
  VERB_COST,
} from "../senses/make.ts";
import { more } from "../senses/table-senses.ts";
import type { Combined } from "./chart.ts";
import type { Grammar, Rules } from "./grammar.ts";
import { mostDone } from "./group-rules.ts";

const to = (rel: RelSense, paths: Extract<Mod, { m: "to" }>["paths"], not = false, isOf = false): Sense => ({
  t: "mod",
  mod: {
    m: "to",
    rel: rel.rel,
    ds: rel.ds,
    form: rel.form,
    paths,
    not,
    isOf: isOf || undefined,
    ...(rel.verb?.metric && !not ? { pieces: rel.verb.metric } : {}),
  },
});

const asFirst = (supby: Extract<Sense, { t: "supby" }>): Extract<Mod, { m: "first" }> => ({
  m: "first",
  by: supby.by,
  ...placeOf(supby),
});

/** What stands before a verb is said of the noun before it: "customers from Austria ordered". */
function beforeVerb({ verb }: RelSense): number {
  return verb === undefined ? 0 : 0.6;
}

/** "with the region they work for": to be shown beside them. */
function beside(grammar: Grammar, { rel, ds, form, isMany }: RelSense): Combined[] {
  const key = rel.k === "all" && form === "noun" && isMany !== true ? grammar.nameKey(ds) : undefined;
  return key === undefined ? [] : means({ t: "mod", mod: { m: "show", keys: [key] } }, -0.4);
}

/** The same groups at the end of a link of a dataset with itself, with what is said of them. */
function alongLink(by: Extract<Sense, { t: "by" }>, ds: string, path: readonly Hop[]): Combined[] {
  const [hop, ...others] = path;
  if (hop?.dir !== "one" || others.length > 0 || !by.keys.every((key) => key.ds === ds)) return [];
  if (hasKind(by.some, "link")) return [];
  const there = <T>(part: T): T =>
    rebuilt(part, (node) => ("field" in node && !("path" in node) ? { ...node, path: [hop] } : node));
  return means({ ...by, keys: there(by.keys), ...(by.some && { some: there(by.some) }) }, -0.3);
}

/** Whether somebody is something to others of the same kind: a manager. */
function isRole({ rel, ds }: RelSense): boolean {
  return rel.k === "where" && rel.if.k === "link" && rel.if.to.k === "all" && rel.if.to.ds === ds;
}

/** "larger than Texas" */
function beyond(grammar: Grammar, arg: string, { rel, ds, form }: RelSense): Combined[] {
  if (form === "noun") return [];
  const [, dim = ""] = arg.split(":");
  const key = dim === "" ? undefined : grammar.dimension(ds, dim);
  return [
    { sense: { t: "beyond", arg, rel, ds }, cost: 0 },
    ...(key === undefined ? [] : compared(grammar, arg, { rel, key })),
  ];
}

/** "store region": of two nouns in a row the second is meant, by the first. */
function byNoun(grammar: Grammar, left: RelSense, right: RelSense): Combined[] {
  const isPlain = ({ form, verb }: RelSense) => form !== "name" && verb === undefined;
  const links = [...grammar.schema.links.values()].filter(
    ({ from, to, isSoft }) => from === left.ds && to === right.ds && from !== to && isSoft !== true,
  );
  const [link, ...others] = links;
  const name =
    right.rel.k === "all" && isPlain(left) && isPlain(right) ? grammar.nameKey(right.ds) : undefined;
  if (link === undefined || others.length > 0 || name === undefined || name.path !== undefined) return [];
  const key = { ...name, path: [{ link: link.name, dir: "one" as const }] };
  return left.rel.k === "all" ? means({ t: "field", key }) : [attr(left.rel, left.ds, [key], 0)];
}

/** "bikes sold": of which there may be a number. */
function inPieces(grammar: Grammar, all: readonly Combined[], pieces: string | null | undefined): Combined[] {
  if (pieces == null) return [...all];
  return all.map((each) =>
    each.sense.t === "rel" && grammar.countsPieces(pieces, each.sense.ds)
      ? { ...each, sense: { ...each.sense, pieces } }
      : each,
  );
}

/** How many there are; of what was done, the number that the author has for it. */
function counted(grammar: Grammar, rel: RelSense): Combined[] {
  if (rel.rel.k === "top" && rel.rel.n === 1) return numberOfOne(grammar, rel);
  const name = rel.isDistinct === true ? grammar.nameKey(rel.ds) : undefined;
  if (name !== undefined) return means(table({ k: "agg", fn: "distinct", of: name, in: rel.rel }), -0.2);
  const pieces = piecesSold(grammar, rel);
  if (pieces.length > 0)
    return [...pieces.map((each) => more(each, -0.4)), ...means(table(count(rel.rel)), 0.4)];
  const metric = rel.verb?.metric ?? null;
  if (metric === null)
    return means(
      table(count(rel.rel)),
      rel.verb === undefined ? (rel.form === "name" ? NAMED_COST : 0) : VERB_COST,
    );
  const num = { k: "metric" as const, name: metric };
  return means({ t: "table", table: { ...EMPTY_TABLE, cols: [num], conds: [condOf(rel)] } }, 0.4);
}

/** Of one that is named nobody asks how many there are. */
const NAMED_COST = 1.5;

/** "the number of our biggest order": what it is called by, as there is one. */
function numberOfOne(grammar: Grammar, { rel, ds }: RelSense): Combined[] {
  const [field, ...others] = grammar.schema.datasets.get(ds)?.key ?? [];
  return field === undefined || others.length > 0 ? [] : [attr(rel, ds, [{ ds, field }], 0.2)];
}

/** "which genre has the longest tracks": of the author's average of their lengths. */
function onAverage(grammar: Grammar, rel: RelSense, sup: Extract<Sense, { t: "sup" }>): Combined[] {
  const [key, ...others] = rel.isMany === true ? grammar.dimensions(rel.ds, sup.dim ?? "", sup.dir) : [];
  const name = key === undefined || others.length > 0 ? undefined : grammar.metricOf(key);
  if (name === undefined || sup.n !== null || rel.rel.k !== "all" || !grammar.isAverage(name)) return [];
  return means({ t: "firstby", table: tableOf({ k: "metric", name }), ...placeOf(sup) }, -0.6);
}

/** Of all rows, those of which something is true. */
function shareOfRows(ds: string, cond: Cond): Combined[] {
  const all: Rel = { k: "all", ds };
  const part = count({ k: "where", in: all, if: cond });
  return means(table({ k: "calc", op: "/", a: part, b: count(all) }), 0.3);
}

/** Rules for entities: what they are linked to, what is said of them, and which of them are first. */
export const ENTITY_RULES: Rules = {
  "op rel": (grammar, { op, arg }, rel) => {
    switch (op) {
      case "across":
      case "prep":
      case "has":
      case "where":
        if (op === "where") return grammar.parent(rel);
        // "reps and their orders": how many each has.
        if (arg === "their" && rel.isMany === true)
          return means({
            t: "by",
            keys: [],
            by: { k: "num", num: count(rel.rel), table: tableOf(count(rel.rel)) },
          });
        return [
          { sense: to(rel, null, false, arg === "of"), cost: 0 },
          ...(op === "has" ? beside(grammar, rel) : []),
        ];
      case "named":
        return rel.form === "name" && rel.rel.k === "where"
          ? means({ t: "mod", mod: { m: "named", ds: rel.ds, cond: rel.rel.if } })
          : [];
      case "not":
        // Without a manager is whoever has none, and not whoever is none.
        return means(to(rel, null, true), arg === "none" && isRole(rel) ? 0.5 : 0);
      case "but":
        return rel.verb === undefined ? [] : means(rel);
      case "that of":
        return means(rel);
      case "compare":
        return beyond(grammar, arg ?? "", rel);
      case "than":
        return rel.form === "name" && rel.rel.k === "where"
          ? means({ t: "than", win: null, cond: rel.rel.if, ds: rel.ds })
          : [];
      case "distinct":
        return grammar.isRepeated(rel.ds) ? means({ ...rel, isDistinct: true }, -0.2) : [];
      case "count":
        return counted(grammar, rel);
      case "days": {
        const start = rel.rel.k === "all" ? grammar.dimension(rel.ds, "date") : undefined;
        return start === undefined ? [] : means({ t: "days", start, isOpen: false });
      }
      case "when": {
        const date = grammar.dimension(rel.ds, "date");
        return date === undefined ? [] : [attr(rel.rel, rel.ds, [date], 0.1)];
      }
      case "how": {
        return grammar.dimensions(rel.ds, arg ?? "").map((key) => attr(rel.rel, rel.ds, [key], 0));
      }
      default:
        return [];
    }
  },
  "op supby": (_grammar, { op }, supby) => (op === "has" ? means({ t: "mod", mod: asFirst(supby) }) : []),
  "op cond": (grammar, { op, arg }, { ds, cond }) => {
    // "by chat": in that way.
    if (op === "has" || op === "prep" || (op === "by" && arg !== "per"))
      return means({ t: "mod", mod: { m: "is", ds, cond } }, op === "by" ? 0.2 : 0);
    if (op === "than") return means({ t: "than", win: null, cond, ds });
    // "no major rivers" says it of the rivers.
    if (op === "not") return means({ t: "cond", ds, cond: opposite(cond) }, 0.3);
    const rel: Rel = { k: "where", in: { k: "all", ds }, if: cond };
    // "share of cash payments": of all rows.
    if (op === "share") return shareOfRows(ds, cond);
    if (op === "count") return means(table(count(rel)), 0.4);
    if (op === "where") return grammar.parent(entities(rel, ds));
    if (op === "how" && cond.k === "is") {
      const key = grammar.measureOf(cond.key, arg ?? "");
      return key === undefined ? [] : [attr(rel, ds, [key], 0)];
    }
    return op === "but" ? means({ t: "cond", ds, cond }) : [];
  },
  // "survival rate"
  "cond op": (grammar, { ds, cond }, { op }) =>
    op === "rate" && cond.k === "is" && grammar.isBoolean(cond.key) ? shareOfRows(ds, cond) : [],
  "link rel": (_grammar, { paths }, rel) => [
    { sense: to(rel, paths), cost: 0 },
    ...(rel.form === "noun" ? means({ t: "role" as const, rel: rel.rel, ds: rel.ds, paths }) : []),
  ],
  // "passes through the US"
  "link all": (_grammar, _link, { field, value }) =>
    means({ t: "mod", mod: { m: "all", field, value } }, 0.1),
  "role mod": (grammar, { rel, ds, paths }, { mod }) =>
    mod.m === "to" && mod.paths === null
      ? grammar.apply(entities(rel, ds, "noun"), { ...mod, paths }).map((each) => more(each, -0.2))
      : [],
  "op all": (_grammar, { op }, { field, value }) =>
    op === "prep" ? means({ t: "mod", mod: { m: "all", field, value } }) : [],
  "rel all": (grammar, rel, { field, value }) =>
    grammar.apply(rel, { m: "all", field, value }).map((each) => more(each, 0.2)),
  "rel link": (grammar, rel, { paths }) => [
    // "who does Emma report to": of a link with itself, whoever stands before it is at its beginning.
    { sense: to(rel, grammar.fromBehind(paths)), cost: rel.form === "noun" ? 0.6 : 0.1 },
  ],
  // "borders the most states"
  "link supby": (_grammar, { paths }, supby) =>
    supby.by.k === "count" ? means({ t: "mod", mod: { ...asFirst(supby), by: { ...supby.by, paths } } }) : [],
  // "report to each manager": told apart by whom they report to.
  "link by": (_grammar, { paths }, by) =>
    by.by === null && by.isPer === true ? paths.flatMap(({ from, path }) => alongLink(by, from, path)) : [],
  "supby link": (_grammar, supby) => means(supby, 0.2),
  "link mod": (_grammar, { paths }, { mod }) =>
    mod.m === "to" && mod.paths === null ? means({ t: "mod", mod: { ...mod, paths } }, 0.1) : [],
  "rel mod": (grammar, rel, { mod }) => {
    // In "states that border states that border Texas" each clause belongs to the noun before it.
    const isFar = rel.rel.k === "where" && rel.rel.if.k === "link" && mod.m !== "all";
    const isNear = mod.m === "to" && mod.isBut === true && grammar.isEvent(rel.ds);
    const cost = (isFar ? 0.25 : 0) + (isNear ? 0.6 : 0);
    const pieces = mod.m === "to" && !mod.not ? mod.pieces : undefined;
    return inPieces(grammar, grammar.apply(rel, mod), pieces).map((each) => more(each, cost));
  },
  "mod rel": (grammar, { mod }, rel) => [
    ...grammar.apply(rel, mod).map((each) => more(more(each, 0.4), beforeVerb(rel))),
    // "in which state is Rochester"
    ...(mod.m === "to" &&
    mod.paths === null &&
    mod.ds !== rel.ds &&
    mod.form === "noun" &&
    rel.form !== "noun"
      ? neighbours(grammar, entities(mod.rel, mod.ds, "noun"), rel, 0.2)
      : []),
  ],
  "rel rel": (grammar, left, right) => {
    const both = byNoun(grammar, left, right);
    if (both.length > 0) return both;
    const cost = right.form === "noun" && left.form !== "noun" ? 0.8 : 0.3;
    const back = left.form === "name" && right.form !== "name" ? 0.4 : 1.2;
    return [
      ...inPieces(grammar, neighbours(grammar, left, right, cost), right.verb?.metric),
      ...inPieces(grammar, neighbours(grammar, right, left, back), left.verb?.metric),
    ];
  },
  "sup rel": (grammar, sup, rel) => {
    if (sup.dim === null) {
      const by: By = { k: "count", rel: rel.rel, ds: rel.ds };
      const done = mostDone(grammar, rel, sup);
      if (!sup.isCount) return done;
      return [...done, ...means(supBy(sup, by), rel.verb ? VERB_COST : 0)];
    }
    return [...onAverage(grammar, rel, sup), ...topped(grammar, rel, sup)];
  },
  // "cheapest accessory"
  "sup cond": (grammar, sup, { ds, cond }) =>
    sup.dim === null || isOfTime(sup.dim) || grammar.isEvent(ds)
      ? []
      : topped(grammar, entities({ k: "where", in: { k: "all", ds }, if: cond }, ds), sup).map((each) =>
          more(each, 0.3),
        ),
  "rel window": (grammar, rel, { win }) => grammar.apply(rel, { m: "during", win }),
  "op window": (_grammar, { op }, { win }) => {
    if (op === "prep") return means({ t: "window", win });
    if (op === "not") return means({ t: "mod", mod: { m: "notduring", win } });
    return op === "than" ? means({ t: "than", win, cond: null, ds: null }) : [];
  },
  "sup sup": (_grammar, { dir, dim }, second) =>
    dim !== null && second.dim === "date" && second.n === null
      ? means({ t: "order", dir: dir === "min" ? "asc" : "desc", dim }, -0.3)
      : [],
  "rel sup": (grammar, rel, sup) =>
    sup.dim === null ? [] : topped(grammar, rel, sup).map((each) => more(each, 0.2)),
  "rel by": (grammar, rel, { by, keys, isPer }) => {
    // "the most expensive product in each category"
    const isEach = isPer === true && by === null && keys.length > 0;
    if (
      isEach &&
      rel.rel.k === "top" &&
      rel.rel.per === undefined &&
      keys.every((key) => grammar.belongs(rel.ds, key))
    )
      return means({ ...rel, rel: { ...rel.rel, per: keys } });
    // "store by store"
    if (by === null && keys.length === 1 && keys[0]?.ds === rel.ds && rel.form === "noun")
      return means({ t: "by", keys, by });
    const name = grammar.nameKey(rel.ds);
    // "products by list price": in its order.
    if (
      by?.k === "key" &&
      rel.rel.k !== "top" &&
      rel.form !== "name" &&
      by.key.ds === rel.ds &&
      name !== undefined
    )
      return grammar.isNumber(by.key)
        ? means(
            {
              t: "attr",
              rel: rel.rel,
              ds: rel.ds,
              keys: [name, by.key],
              order: [{ by: by.key, dir: "desc" }],
            },
            0.1,
          )
        : [];
    if (by?.k !== "key" || rel.rel.k !== "top" || by.key.ds !== rel.ds) return [];
    if (grammar.isLabel(by.key)) return means({ ...rel, rel: { ...rel.rel, per: [by.key] } }, 0.1);
    return means({ ...rel, rel: { ...rel.rel, by: by.key } });
  },
  "op mod": (grammar, { op, arg }, { mod }) => {
    if (op === "how") return measured(grammar, arg ?? "", mod);
    if (op === "but") return means({ t: "mod", mod: mod.m === "to" ? { ...mod, isBut: true } : mod });
    if (op === "than" && mod.m === "is") return means({ t: "than", win: null, cond: mod.cond, ds: mod.ds });
    if (op === "has" || op === "prep") return means({ t: "mod", mod }, 0.1);
    // "the number of reports of Emma"
    if (op === "count" && mod.m === "to" && mod.paths !== null) {
      const all: RelSense = {
        t: "rel",
        rel: { k: "all", ds: mod.ds },
        ds: mod.ds,
        form: "noun",
        isTopped: false,
      };
      return grammar
        .apply(all, mod)
        .flatMap(({ sense, cost }) => (sense.t === "rel" ? means(table(count(sense.rel)), cost) : []));
    }
    if (op !== "not") return [];
    if (mod.m === "to") return means({ t: "mod", mod: { ...mod, not: !mod.not } });
    if (mod.m === "is") return means({ t: "mod", mod: { ...mod, cond: opposite(mod.cond) } });
    return [];
  },
  "cond rel": (grammar, { ds, cond }, rel) =>
    grammar
      .apply(rel, { m: "is", ds, cond })
      .map((each) => more(more(each, rel.form === "name" ? 1 : 0.1), beforeVerb(rel))),
  "rel cond": (grammar, rel, { ds, cond }) =>
    grammar.apply(rel, { m: "is", ds, cond }).map((each) => more(each, 0.2)),
  // "all 50 states"
  "number rel": (_grammar, { value }, rel) =>
    rel.form !== "name" && Number.isInteger(value) && rel.n === undefined
      ? means({ ...rel, n: value }, 0.4)
      : [],
  // "Emma and Dune"
  "rel op": (grammar, { rel, ds, form, isTopped, verb }, { op, arg }) => {
    if (form === "name" && (op === "and" || op === "or" || op === "versus"))
      return means({ t: "namesand", rel, ds, op });
    if (op === "ratio" && form !== "name" && verb === undefined)
      return means({ t: "tableand", table: tableOf(count(rel)), op: "/" }, 0.1);
    // "returns increased": how many there were.
    const isDated = grammar.schema.datasets.get(ds)?.date?.ds === ds;
    if (op === "growth" && form === "noun" && isDated && !arg?.endsWith("abs"))
      return growing(tableOf(count(rel)));
    return op === "count" && !isTopped && verb === undefined ? means(table(count(rel)), 0.2) : [];
  },
  "namesand rel": (_grammar, { rel, ds, op }, second) => {
    if (second.form !== "name" || second.ds !== ds || rel.k !== "where" || second.rel.k !== "where")
      return [];
    if (rel.if.k !== "is" || second.rel.if.k !== "is") return [];
    const values = [...rel.if.values, ...second.rel.if.values];
    // Who borders Iowa and Illinois borders each of them.
    const cond: Cond = { ...rel.if, values, all: op === "and" || undefined };
    if (op === "versus") return means({ t: "among", ds, cond, key: rel.if.key });
    return means({ ...second, rel: { ...rel, if: cond } });
  },
};
