import type { Cond, Grain, Key, Num, Rel, Scope, Window } from "../query/semantic-query.ts";
import type { Combined } from "./chart.ts";
import { duringCost, EMPTY_TABLE, type Grammar, type Rule, rule } from "./combine.ts";
import type { By, Mod, Sense, TableSense } from "./fragment.ts";

type RelSense = Extract<Sense, { t: "rel" }>;

/** Rules for numbers: by what they are grouped, limited and compared. */
export const TABLE_RULES: Record<string, Rule[]> = {
  "table window": [rule<"table", "window">((_grammar, { table }, { win }) => within(table, win))],
  "window table": [rule<"window", "table">((_grammar, { win }, { table }) => within(table, win))],
  "table mod": [rule<"table", "mod">((grammar, { table }, { mod }) => limited(grammar, table, mod))],
  "mod table": [
    rule<"mod", "table">((grammar, { mod }, { table }) =>
      limited(grammar, table, mod).map((each) => more(each, 0.2)),
    ),
  ],
  "table cond": [
    rule<"table", "cond">((grammar, { table }, { ds, cond }) =>
      limited(grammar, table, { m: "is", ds, cond }).map((each) => more(each, 0.1)),
    ),
  ],
  "cond table": [
    rule<"cond", "table">((grammar, { ds, cond }, { table }) =>
      limited(grammar, table, { m: "is", ds, cond }).map((each) => more(each, 0.1)),
    ),
  ],
  "table rel": [rule<"table", "rel">((grammar, { table }, rel) => ofEntities(grammar, table, rel, 0.5))],
  "rel table": [rule<"rel", "table">((grammar, rel, { table }) => ofEntities(grammar, table, rel, 0.5))],
  "table by": [rule<"table", "by">((grammar, { table }, { keys, by }) => divided(grammar, table, keys, by))],
  "by table": [
    rule<"by", "table">((_grammar, { keys, by }, { table }) =>
      by?.k === "num" ? [] : grouped(table, keys).map((each) => more(each, 0.1)),
    ),
  ],
  "table grain": [
    rule<"table", "grain">((grammar, { table }, { grain, isFiscal }) =>
      periods(grammar, table, grain, isFiscal),
    ),
  ],
  "grain table": [
    rule<"grain", "table">((grammar, { grain, isFiscal }, { table }) =>
      periods(grammar, table, grain, isFiscal),
    ),
  ],
  "op table": [
    rule<"op", "table">((grammar, { op, arg }, { table }) => {
      if (op === "count" || op === "how much" || op === "prep")
        return [{ sense: { t: "table", table }, cost: op === "prep" ? 0.3 : 0 }];
      if (op === "agg" && arg === "sum") return [{ sense: { t: "table", table }, cost: 0.1 }];
      if (op === "by") {
        const [num] = table.cols;
        return num === undefined || table.by.length > 0
          ? []
          : [{ sense: { t: "by", keys: [], by: { k: "num", num, table } }, cost: 0 }];
      }
      if (op === "agg" && arg === "avg") return averaged(grammar, table);
      if (op === "share") return [{ sense: { t: "share", table, rel: null, ds: null }, cost: 0 }];
      if (op === "growth") return growing(table);
      if (op === "running") return [column(table, (num) => ({ k: "running", of: num }), 0)];
      if (op === "series") return overSeries(grammar, table, arg as Grain);
      if (op === "more") return [asTable(table, 0.1)];
      return [];
    }),
  ],
  "table op": [
    rule<"table", "op">((grammar, { table }, { op, arg }) => {
      if (op === "growth") return growing(table);
      if (op === "share") return shared(table);
      if (op === "versus period") return compareEarlier(table, arg as Grain);
      if (op === "series") return overSeries(grammar, table, arg as Grain);
      if (op === "running") return [column(table, (num) => ({ k: "running", of: num }), 0)];
      if (op === "agg" && arg === "sum") return [{ sense: { t: "table", table }, cost: 0.1 }];
      if (op === "agg" && arg === "avg") return averaged(grammar, table);
      return [];
    }),
  ],
  "op rel": [
    rule<"op", "rel">((grammar, { op }, rel) => {
      if (op === "share") {
        const table = { ...EMPTY_TABLE, cols: [{ k: "agg" as const, fn: "count" as const, in: rel.rel }] };
        return [{ sense: { t: "share", table, rel: rel.rel, ds: rel.ds }, cost: 0 }];
      }
      if (op === "more")
        return [asTable({ ...EMPTY_TABLE, cols: [{ k: "agg", fn: "count", in: rel.rel }] }, 0.3)];
      if (op !== "by" && op !== "each") return [];
      const to: Combined[] =
        op === "by" && rel.form !== "noun"
          ? [
              {
                sense: {
                  t: "mod",
                  mod: { m: "to", rel: rel.rel, ds: rel.ds, form: rel.form, paths: null, not: false },
                },
                cost: 0.1,
              },
            ]
          : [];
      const key = grammar.nameKey(rel.ds);
      if (key === undefined || rel.isTopped) return to;
      return [...to, { sense: { t: "by", keys: [key], by: null }, cost: rel.form === "noun" ? 0 : 0.8 }];
    }),
  ],
  "op field": [
    rule<"op", "field">((_grammar, { op }, { key }) =>
      op === "by" || op === "each" ? [{ sense: { t: "by", keys: [key], by: null }, cost: 0 }] : [],
    ),
  ],
  // "support tickets per segment": how many.
  "rel by": [
    rule<"rel", "by">((grammar, rel, { keys, by }) => {
      const table = { ...EMPTY_TABLE, cols: [{ k: "agg" as const, fn: "count" as const, in: rel.rel }] };
      if (by !== null || rel.isTopped || !keys.every((key) => grammar.reachedBy(table, key.ds))) return [];
      return grouped(table, keys).map((each) => more(each, keys[0]?.ds === rel.ds ? 0.5 : 0.3));
    }),
  ],
  "by by": [
    rule<"by", "by">((_grammar, left, right) =>
      left.by === null && right.by === null
        ? [{ sense: { t: "by", keys: [...left.keys, ...right.keys], by: null }, cost: 0 }]
        : [],
    ),
  ],
  "by op": [rule<"by", "op">((_grammar, by, { op }) => (op === "and" ? [{ sense: by, cost: 0 }] : []))],
  "by field": [
    rule<"by", "field">((_grammar, { keys, by }, { key }) =>
      by === null ? [{ sense: { t: "by", keys: [...keys, key], by }, cost: 0.1 }] : [],
    ),
  ],
  "by rel": [
    rule<"by", "rel">((grammar, { keys, by }, rel) => {
      const key = grammar.nameKey(rel.ds);
      return by === null && rel.form === "noun" && key !== undefined
        ? [{ sense: { t: "by", keys: [...keys, key], by }, cost: 0.1 }]
        : [];
    }),
  ],
  "sup table": [
    rule<"sup", "table">((_grammar, { dir, n }, { table }) => {
      const [num] = table.cols;
      if (num === undefined || table.by.length > 0) return [];
      // The largest sum is seldom meant by "highest population".
      return [
        { sense: { t: "firstby", dir, n, table }, cost: num.k === "agg" && num.of !== undefined ? 1.5 : 0 },
      ];
    }),
  ],
  "firstby window": [
    rule<"firstby", "window">((_grammar, first, { win }) =>
      within(first.table, win).map((each) => again(first, each)),
    ),
  ],
  "firstby op": [
    rule<"firstby", "op">((_grammar, first, { op, arg }) =>
      op === "versus period"
        ? compareEarlier(first.table, arg as Grain).map((each) => again(first, each))
        : [],
    ),
  ],
  "firstby mod": [
    rule<"firstby", "mod">((grammar, first, { mod }) =>
      limited(grammar, first.table, mod).map((each) => again(first, each)),
    ),
  ],
  "rel firstby": [rule<"rel", "firstby">((grammar, rel, first) => firstOf(grammar, rel, first))],
  "firstby rel": [
    rule<"firstby", "rel">((grammar, first, rel) =>
      firstOf(grammar, rel, first).map((each) => more(each, 0.5)),
    ),
  ],
  "op firstby": [
    rule<"op", "firstby">((_grammar, { op }, first) =>
      op === "has" || op === "prep" ? [{ sense: first, cost: 0 }] : [],
    ),
  ],
  "sup rel": [
    rule<"sup", "rel">((_grammar, { dir, n, dim, isCount }, rel) =>
      dim === null && !isCount ? [{ sense: { t: "topn", rel: rel.rel, ds: rel.ds, dir, n }, cost: 0 }] : [],
    ),
  ],
  "sup number": [
    rule<"sup", "number">((_grammar, sup, { value }) =>
      Number.isInteger(value) && value > 0 ? [{ sense: { ...sup, n: value }, cost: 0 }] : [],
    ),
  ],
  "number sup": [
    rule<"number", "sup">((_grammar, { value }, sup) =>
      Number.isInteger(value) && value > 0 ? [{ sense: { ...sup, n: value }, cost: 0 }] : [],
    ),
  ],
  "topn by": [
    rule<"topn", "by">((grammar, top, { keys, by }) => {
      const rel: RelSense = { t: "rel", rel: top.rel, ds: top.ds, form: "made", isTopped: false };
      if (by?.k === "num") {
        const table = by.table ?? { ...EMPTY_TABLE, cols: [by.num] };
        const num = table.win === null ? by.num : scoped(by.num, { win: table.win });
        const made: Rel = {
          k: "top",
          in: top.rel,
          by: num,
          dir: top.dir,
          n: top.n ?? 1,
          ties: top.n === null ? "keep" : "cut",
        };
        return [
          ...firstOf(grammar, rel, { t: "firstby", dir: top.dir, n: top.n, table }),
          { sense: { t: "rel", rel: made, ds: top.ds, form: "made", isTopped: true }, cost: 0.3 },
        ];
      }
      const [key] = keys;
      const measure = key === undefined ? undefined : grammar.measure(top.ds, { k: "key", key });
      if (key === undefined || measure === undefined) return [];
      const made: Rel = {
        k: "top",
        in: top.rel,
        by: measure.by,
        dir: top.dir,
        n: top.n ?? 1,
        ties: top.n === null ? "keep" : "cut",
      };
      return [{ sense: { t: "rel", rel: made, ds: top.ds, form: "made", isTopped: true }, cost: 0 }];
    }),
  ],
  // "top 3 return reasons by refund amount"
  "sup field": [
    rule<"sup", "field">((_grammar, { dir, n, dim, isCount }, { key }) =>
      dim === null && !isCount ? [{ sense: { t: "topkeys", key, dir, n }, cost: 0.1 }] : [],
    ),
  ],
  "topkeys by": [
    rule<"topkeys", "by">((grammar, { key, dir, n }, { keys, by }) => {
      const [measure] = keys;
      const num: Num | undefined =
        by?.k === "num"
          ? by.num
          : measure !== undefined && grammar.isNumber(measure)
            ? { k: "agg", fn: "sum", of: measure }
            : undefined;
      if (num === undefined) return [];
      const table = by?.k === "num" && by.table !== null ? by.table : { ...EMPTY_TABLE, cols: [num] };
      if (!grammar.reachedBy(table, key.ds)) return [];
      return [
        asTable(
          { ...table, by: [key], top: { n: n ?? 1, by: num, dir, ties: n === null ? "keep" : "cut" } },
          0,
        ),
      ];
    }),
  ],
  "table sup": [
    rule<"table", "sup">((_grammar, { table }, { dir, n, dim }) => {
      const [num] = table.cols;
      const isGrowth = num?.k === "calc" && num.op === "growth";
      return dim === null && isGrowth ? [{ sense: { t: "firstby", dir, n, table }, cost: 0 }] : [];
    }),
  ],
  "some rel": [
    rule<"some", "rel">((grammar, { rel, ds, n }, other) => {
      const to: Mod = { m: "to", rel: other.rel, ds: other.ds, form: other.form, paths: null, not: false };
      return grammar
        .apply({ t: "rel", rel, ds, form: "noun", isTopped: false }, to)
        .flatMap(({ sense, cost }) =>
          sense.t === "rel"
            ? [{ sense: { t: "some" as const, rel: sense.rel, ds, n }, cost: cost + 0.3 }]
            : [],
        );
    }),
  ],
  "table than": [rule<"table", "than">((grammar, { table }, than) => moreThan(grammar, table, than))],
  "op than": [],
  "number rel": [
    rule<"number", "rel">((_grammar, { value }, rel) =>
      rel.form === "noun" && Number.isInteger(value)
        ? [
            { sense: { t: "some", rel: rel.rel, ds: rel.ds, n: value }, cost: 0 },
            { sense: rel, cost: 0.6 },
          ]
        : [],
    ),
  ],
  "some firstby": [
    rule<"some", "firstby">((grammar, { rel, ds, n }, first) =>
      firstOf(grammar, { t: "rel", rel, ds, form: "made", isTopped: false }, { ...first, n }),
    ),
  ],
  "quantity table": [
    rule<"quantity", "table">((_grammar, { op, value }, { table }) => [
      { sense: { t: "having", table, op, value }, cost: 0 },
    ]),
  ],
  "table quantity": [
    rule<"table", "quantity">((_grammar, { table }, { op, value }) => [
      { sense: { t: "having", table, op, value }, cost: 0.1 },
    ]),
  ],
  "quantity rel": [
    rule<"quantity", "rel">((_grammar, { op, value }, rel) => [
      {
        sense: {
          t: "having",
          table: { ...EMPTY_TABLE, cols: [{ k: "agg", fn: "count", in: rel.rel }] },
          op,
          value,
        },
        cost: 0.2,
      },
    ]),
  ],
  "rel quantity": [
    rule<"rel", "quantity">((_grammar, rel, { op, value }) => [
      {
        sense: {
          t: "having",
          table: { ...EMPTY_TABLE, cols: [{ k: "agg", fn: "count", in: rel.rel }] },
          op,
          value,
        },
        cost: 0.6,
      },
    ]),
  ],
  "having window": [
    rule<"having", "window">((_grammar, having, { win }) =>
      within(having.table, win).map((each) => again(having, each)),
    ),
  ],
  "op having": [
    rule<"op", "having">((_grammar, { op }, having) =>
      op === "has" || op === "prep" ? [{ sense: having, cost: 0 }] : [],
    ),
  ],
  "rel having": [rule<"rel", "having">((grammar, rel, having) => chosen(grammar, rel, having))],
  "field having": [
    rule<"field", "having">((_grammar, { key }, { table, op, value }) => {
      const [num] = table.cols;
      if (num === undefined) return [];
      return [
        asTable({ ...table, by: [key], having: { k: "cmp", a: num, op, b: { k: "lit", v: value } } }, 0.1),
      ];
    }),
  ],
  "share cond": [
    rule<"share", "cond">((grammar, share, { ds, cond }) => shareOf(grammar, share, { m: "is", ds, cond })),
  ],
  "share mod": [rule<"share", "mod">((grammar, share, { mod }) => shareOf(grammar, share, mod))],
  "share window": [
    rule<"share", "window">((_grammar, share, { win }) =>
      within(share.table, win).map((each) => again(share, each)),
    ),
  ],
  "window share": [
    rule<"window", "share">((_grammar, { win }, share) =>
      within(share.table, win).map((each) => again(share, each)),
    ),
  ],
  "share by": [
    rule<"share", "by">((_grammar, { table }, { keys, by }) =>
      by === null ? grouped(shareOfWhole(table), keys) : [],
    ),
  ],
  "share table": [],
  "op share": [
    rule<"op", "share">((_grammar, { op }, share) =>
      op === "prep" || op === "how much" ? [{ sense: share, cost: 0.1 }] : [],
    ),
  ],
  "share op": [
    rule<"share", "op">((_grammar, share, { op }) => (op === "prep" ? [{ sense: share, cost: 0.2 }] : [])),
  ],
  "table windows": [rule<"table", "windows">((_grammar, { table }, { wins }) => compared(table, wins))],
  "windows table": [rule<"windows", "table">((_grammar, { wins }, { table }) => compared(table, wins))],
  "cond op": [
    rule<"cond", "op">((_grammar, { ds, cond }, { op }) =>
      op === "versus" || op === "or" ? [{ sense: { t: "versus", ds, cond }, cost: 0 }] : [],
    ),
  ],
  "versus cond": [
    rule<"versus", "cond">((_grammar, { ds, cond }, right) => {
      if (
        cond.k !== "is" ||
        right.cond.k !== "is" ||
        JSON.stringify(cond.key) !== JSON.stringify(right.cond.key)
      )
        return [];
      const both: Cond = { ...cond, values: [...cond.values, ...right.cond.values] };
      return [{ sense: { t: "among", ds, cond: both, key: cond.key }, cost: 0 }];
    }),
  ],
  "among table": [
    rule<"among", "table">((grammar, { ds, cond, key }, { table }) =>
      among(grammar, table, { ds, cond, key }),
    ),
  ],
  "table among": [
    rule<"table", "among">((grammar, { table }, { ds, cond, key }) =>
      among(grammar, table, { ds, cond, key }),
    ),
  ],
  "op among": [
    rule<"op", "among">((_grammar, { op }, each) =>
      op === "prep" || op === "by" ? [{ sense: each, cost: 0 }] : [],
    ),
  ],
};

function asTable(table: TableSense, cost: number): Combined {
  return { sense: { t: "table", table }, cost };
}

function more(each: Combined, cost: number): Combined {
  return { ...each, cost: each.cost + cost };
}

function again(
  sense: Extract<Sense, { t: "firstby" | "having" | "share" }>,
  { sense: made, cost }: Combined,
): Combined {
  return { sense: made.t === "table" ? { ...sense, table: made.table } : sense, cost };
}

function column(table: TableSense, change: (num: Num) => Num, cost: number): Combined {
  return asTable({ ...table, cols: table.cols.map(change) }, cost);
}

function within(table: TableSense, win: Window): Combined[] {
  if (table.win !== null) return [];
  const [num] = table.cols;
  const counted = num?.k === "agg" && num.in !== undefined ? duringCost({ rel: num.in, form: "noun" }) : 0;
  return [asTable({ ...table, win }, counted)];
}

/** A number of some rows only. */
function limited(grammar: Grammar, table: TableSense, mod: Mod): Combined[] {
  switch (mod.m) {
    case "to": {
      if (mod.paths !== null) return [];
      return ofEntities(
        grammar,
        table,
        { t: "rel", rel: mod.rel, ds: mod.ds, form: mod.form, isTopped: false },
        0,
        mod.not,
      );
    }
    case "is":
      return grammar.reachedBy(table, mod.ds)
        ? [asTable({ ...table, conds: [...table.conds, mod.cond] }, 0)]
        : [];
    case "during":
      return within(table, mod.win);
    case "all":
      return [asTable(table, 0)];
    default:
      return [];
  }
}

function ofEntities(
  grammar: Grammar,
  table: TableSense,
  rel: RelSense,
  cost: number,
  not = false,
): Combined[] {
  if (!grammar.reachedBy(table, rel.ds)) return [];
  if (rel.rel.k === "all") return not ? [] : [asTable(table, cost + 0.3)];
  const cond: Cond = condOf(rel);
  return [asTable({ ...table, conds: [...table.conds, not ? { k: "not", of: cond } : cond] }, cost)];
}

/** Conditions on an entity's own fields hold of whatever belongs to it. */
function condOf({ rel, ds }: RelSense): Cond {
  const plain: Cond[] = [];
  let inner = rel;
  while (inner.k === "where" && isPlain(inner.if)) {
    plain.unshift(inner.if);
    inner = inner.in;
  }
  if (inner.k === "all" && plain.length > 0)
    return plain.length === 1 ? (plain[0] as Cond) : { k: "and", of: plain };
  return { k: "link", at: ds, path: [], to: rel };
}

function isPlain(cond: Cond): boolean {
  return cond.k === "is" || cond.k === "null" || (cond.k === "not" && isPlain(cond.of));
}

function grouped(table: TableSense, keys: Key[]): Combined[] {
  if (keys.length === 0) return [];
  if (table.top === null) return [asTable({ ...table, by: [...table.by, ...keys] }, 0)];
  // The first ones of each.
  const top = { ...table.top, per: keys };
  return table.top.per === undefined ? [asTable({ ...table, by: [...keys, ...table.by], top }, 0)] : [];
}

function divided(grammar: Grammar, table: TableSense, keys: Key[], by: By | null): Combined[] {
  if (by?.k === "num") {
    const win = by.table?.win ?? null;
    if (win !== null && table.win !== null) return [];
    return ratio({ ...table, win: table.win ?? win }, by.num);
  }
  const [key] = keys;
  const perUnit =
    keys.length === 1 && key !== undefined && grammar.isNumber(key) ? ratio(table, { k: "field", key }) : [];
  return [...perUnit, ...grouped(table, keys).map((each) => more(each, perUnit.length > 0 ? 1 : 0))];
}

/** "more in 2025 than in 2024", "higher in this category than in that one" */
function moreThan(
  grammar: Grammar,
  table: TableSense,
  { win, cond, ds }: Extract<Sense, { t: "than" }>,
): Combined[] {
  const [num] = table.cols;
  if (num === undefined) return [];
  if (win !== null && table.win !== null) return compared({ ...table, win: null }, [table.win, win]);
  const last = table.conds.at(-1);
  if (cond === null || ds === null || last === undefined || !grammar.reachedBy(table, ds)) return [];
  const a = scoped(num, { if: last });
  const b = scoped(num, { if: cond });
  return [asTable({ ...table, conds: table.conds.slice(0, -1), cols: [{ k: "calc", op: "-", a, b }] }, 0)];
}

function periods(grammar: Grammar, table: TableSense, grain: Grain, isFiscal: boolean): Combined[] {
  const date = grammar.dateOf(table);
  if (date === undefined || table.by.some(({ bucket }) => bucket !== undefined)) return [];
  const key: Key = { ...date, bucket: grain, ...(isFiscal ? { fiscal: true } : {}) };
  return [asTable({ ...table, by: [key, ...table.by] }, 0)];
}

/** Average monthly revenue: of the revenue of each month. */
function averaged(_grammar: Grammar, table: TableSense): Combined[] {
  const [key, ...others] = table.by;
  if (key?.bucket === undefined) {
    const [num] = table.cols;
    return num?.k === "metric" && /^(average|avg|mean)_|csat|rate|margin/.test(num.name)
      ? [asTable(table, 0)]
      : [];
  }
  const each = table.cols.map((of): Num => ({ k: "each", fn: "avg", of, per: [key] }));
  return [asTable({ ...table, cols: each, by: others }, 0)];
}

/** A number that was limited already is the part; otherwise the part is still to come. */
function shared(table: TableSense): Combined[] {
  const last = table.conds.at(-1);
  const waiting: Combined = { sense: { t: "share", table, rel: null, ds: null }, cost: 0 };
  if (last === undefined) return [waiting];
  const whole = { ...table, conds: table.conds.slice(0, -1) };
  return [waiting, column(whole, (num) => ({ k: "calc", op: "/", a: scoped(num, { if: last }), b: num }), 0)];
}

/** Month over month: each period with the one before. */
function overSeries(grammar: Grammar, table: TableSense, grain: Grain): Combined[] {
  const date = grammar.dateOf(table);
  const [num] = table.cols;
  if (date === undefined || num === undefined) return [];
  const base = num.k === "calc" && num.op === "growth" ? num.a : num;
  const growth: Num = { k: "calc", op: "growth", a: base, b: { k: "lag", of: base, n: 1, grain } };
  // Year over year of one period is one number; month over month of a year is a series.
  const by = grain === "year" ? table.by : [{ ...date, bucket: grain }, ...table.by];
  return [asTable({ ...table, cols: [growth], by }, 0)];
}

function compareEarlier(table: TableSense, grain: Grain): Combined[] {
  const [num] = table.cols;
  if (num === undefined) return [];
  if (num.k === "calc" && num.op === "growth") return [asTable(table, 0)];
  return [asTable({ ...table, cols: [num, { k: "lag", of: num, n: 1, grain }] }, 0)];
}

function ratio(table: TableSense, per: Num): Combined[] {
  return [column(table, (num) => ({ k: "calc", op: "/", a: num, b: per }), 0.1)];
}

function growing(table: TableSense): Combined[] {
  if (table.cols.length === 2) {
    const [a, b] = table.cols as [Num, Num];
    return [asTable({ ...table, cols: [{ k: "calc", op: "growth", a, b }] }, 0)];
  }
  const time = table.by.find(({ bucket }) => bucket !== undefined);
  if (table.cols.some((num) => num.k === "calc" && num.op === "growth")) return [asTable(table, 0)];
  return [
    column(
      table,
      (num) => ({
        k: "calc",
        op: "growth",
        a: num,
        b: { k: "lag", of: num, n: 1, grain: time?.bucket ?? "year" },
      }),
      time === undefined ? 0.5 : 0.1,
    ),
  ];
}

function compared(table: TableSense, wins: Window[]): Combined[] {
  if (table.win !== null || table.cols.length !== 1) return [];
  const [num] = table.cols as [Num];
  const newerFirst = wins.toSorted((a, b) => (b.from ?? "").localeCompare(a.from ?? ""));
  if (num.k === "calc" && num.op === "growth" && num.b.k === "lag") {
    const [a, b] = newerFirst.map((win) => scoped(num.a, { win })) as [Num, Num];
    const growth: Num = { k: "calc", op: "growth", a, b };
    const top = table.top === null ? null : { ...table.top, by: growth };
    return [asTable({ ...table, cols: [growth], top }, -0.3)];
  }
  return [asTable({ ...table, cols: wins.map((win) => scoped(num, { win })) }, 0)];
}

function scoped(num: Num, scope: Scope): Num {
  if (num.k === "metric" || num.k === "agg" || num.k === "each")
    return { ...num, scope: { ...num.scope, ...scope } };
  if (num.k === "calc") return { ...num, a: scoped(num.a, scope), b: scoped(num.b, scope) };
  return num;
}

function firstOf(
  grammar: Grammar,
  rel: RelSense,
  { dir, n, table }: Extract<Sense, { t: "firstby" }>,
): Combined[] {
  const key = grammar.nameKey(rel.ds);
  const [by] = table.cols;
  if (key === undefined || by === undefined || !grammar.reachedBy(table, rel.ds)) return [];
  const conds = rel.rel.k === "all" ? table.conds : [...table.conds, condOf(rel)];
  return [
    asTable(
      { ...table, conds, by: [key], top: { n: n ?? 1, by, dir, ties: n === null ? "keep" : "cut" } },
      0,
    ),
  ];
}

function chosen(
  grammar: Grammar,
  rel: RelSense,
  { table, op, value }: Extract<Sense, { t: "having" }>,
): Combined[] {
  const key = grammar.nameKey(rel.ds);
  const [num] = table.cols;
  if (key === undefined || num === undefined || !grammar.reachedBy(table, rel.ds)) return [];
  const conds = rel.rel.k === "all" ? table.conds : [...table.conds, condOf(rel)];
  return [
    asTable({ ...table, conds, by: [key], having: { k: "cmp", a: num, op, b: { k: "lit", v: value } } }, 0),
  ];
}

function shareOf(grammar: Grammar, { table, rel, ds }: Extract<Sense, { t: "share" }>, mod: Mod): Combined[] {
  const [num] = table.cols;
  if (num === undefined) return [];
  if (rel !== null && ds !== null) {
    return grammar
      .apply({ t: "rel", rel, ds, form: "noun", isTopped: false }, mod)
      .flatMap(({ sense, cost }) => {
        if (sense.t !== "rel") return [];
        const part: Num = { k: "agg", fn: "count", in: sense.rel };
        return [asTable({ ...table, cols: [{ k: "calc", op: "/", a: part, b: num }] }, cost)];
      });
  }
  return limited(grammar, { ...table, conds: [] }, mod).flatMap(({ sense, cost }) => {
    if (sense.t !== "table" || sense.table.conds.length === 0) return [];
    const part = scoped(num, { if: sense.table.conds[0] as Cond });
    return [asTable({ ...table, cols: [{ k: "calc", op: "/", a: part, b: num }] }, cost)];
  });
}

function shareOfWhole(table: TableSense): TableSense {
  return {
    ...table,
    cols: table.cols.map((num) => ({ k: "calc", op: "/", a: num, b: scoped(num, { whole: true }) })),
  };
}

function among(
  grammar: Grammar,
  table: TableSense,
  { ds, cond, key }: { ds: string; cond: Cond; key: Key },
): Combined[] {
  if (!grammar.reachedBy(table, ds)) return [];
  return [asTable({ ...table, conds: [...table.conds, cond], by: [...table.by, key] }, 0)];
}
