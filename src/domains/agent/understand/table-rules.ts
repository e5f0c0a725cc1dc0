import type { Grain, Num, Rel } from "../query/semantic-query.ts";
import type { Combined } from "./chart.ts";
import type { Mod, TableSense } from "./fragment.ts";
import { type Rules, rule } from "./grammar.ts";
import { EMPTY_TABLE, type RelSense } from "./make.ts";
import {
  again,
  asTable,
  averaged,
  chosen,
  chosenEntities,
  column,
  compareEarlier,
  divided,
  firstOf,
  grouped,
  growing,
  inPeriods,
  limited,
  more,
  moreThan,
  ofEntities,
  overSeries,
  periods,
  scoped,
  shared,
  within,
} from "./table-senses.ts";

/** Money is counted by nobody: of how many sales there were, their sum is no answer. */
function isMoney({ cols: [num] }: TableSense): boolean {
  return num?.k === "metric" && /(^|_)(revenue|sales|turnover|profit|spend)$/.test(num.name);
}

/** Rules for numbers: by what they are grouped, limited and compared. */
export const TABLE_RULES: Rules = {
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
  "table by": [
    rule<"table", "by">((grammar, { table }, { keys, by, grain }) =>
      inPeriods(
        grammar,
        keys.length === 0 && grain !== undefined ? [asTable(table, 0)] : divided(grammar, table, keys, by),
        grain,
      ),
    ),
  ],
  "by table": [
    rule<"by", "table">((grammar, { keys, by, grain }, { table }) => {
      if (by?.k === "num") return [];
      const all = keys.length === 0 ? [asTable(table, 0)] : grouped(grammar, table, keys);
      return inPeriods(grammar, all, grain).map((each) => more(each, 0.1));
    }),
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
      if (op === "count" && (table.having !== null || table.top !== null || isMoney(table))) return [];
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
      if (op === "versus period") return compareEarlier(table, arg as Grain);
      if (op === "more") return [asTable(table, 0.1)];
      return [];
    }),
  ],
  "table op": [
    rule<"table", "op">((grammar, { table }, { op, arg }) => {
      if (op === "and") return [{ sense: { t: "tableand", table }, cost: 0 }];
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
                cost: 0.9,
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
      return grouped(grammar, table, keys).map((each) => more(each, keys[0]?.ds === rel.ds ? 0.5 : 0.3));
    }),
  ],
  "by by": [
    rule<"by", "by">((grammar, left, right) => {
      // A number is what something is divided by.
      const isPlain = ![...left.keys, ...right.keys].some((key) => grammar.isNumber(key));
      if (left.by !== null || right.by !== null || !isPlain) return [];
      return [{ sense: { t: "by", keys: [...left.keys, ...right.keys], by: null }, cost: 0 }];
    }),
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
  "number field": [
    rule<"number", "field">((_grammar, { value }, field) =>
      Number.isInteger(value) ? [{ sense: field, cost: 0.6 }] : [],
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
  "rel having": [
    rule<"rel", "having">((grammar, rel, having) => [
      ...chosen(grammar, rel, having),
      ...chosenEntities(grammar, rel, having),
    ]),
  ],
  // "by region and month"
  "op grain": [
    rule<"op", "grain">((_grammar, { op }, { grain }) =>
      op === "by" || op === "each" ? [{ sense: { t: "by", keys: [], by: null, grain }, cost: 0 }] : [],
    ),
  ],
  "by grain": [
    rule<"by", "grain">((_grammar, by, { grain }) =>
      by.by === null && by.grain === undefined ? [{ sense: { ...by, grain }, cost: 0 }] : [],
    ),
  ],
  "tableand table": [
    rule<"tableand", "table">((_grammar, left, { table }) => {
      const isPlain = [left.table, table].every(({ top, having }) => top === null && having === null);
      if (!isPlain || left.table.by.length > 0 || left.table.conds.length > 0) return [];
      const win = table.win ?? left.table.win;
      return [asTable({ ...table, cols: [...left.table.cols, ...table.cols], win }, 0)];
    }),
  ],
  "field having": [
    rule<"field", "having">((_grammar, { key }, { table, op, value }) => {
      const [num] = table.cols;
      if (num === undefined) return [];
      return [
        asTable({ ...table, by: [key], having: { k: "cmp", a: num, op, b: { k: "lit", v: value } } }, 0.1),
      ];
    }),
  ],
};
