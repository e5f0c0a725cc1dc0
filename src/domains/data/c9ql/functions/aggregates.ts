import { extremeText } from "../read-text.ts";
import { complain } from "../scope.ts";
import { BIGINT, DOUBLE, NUMBER, type ValueType } from "../value-type.ts";
import { type Arguments, type Fragment, type FunctionSpec, taking, takingOne } from "./function-spec.ts";

function ofNumber(name: string, sqlName: string, type: ValueType): FunctionSpec {
  return takingOne(`${name}(number)`, (args) => ({ sql: `${sqlName}(${args.number(0)})`, type }));
}

/** Sums have room for more digits than what is summed up. */
export function sumType({ kind, sql }: ValueType): ValueType {
  if (kind === "float") return DOUBLE;
  if (kind === "integer" && sql !== undefined && sql !== "BIGNUM") return { kind: "integer", sql: "HUGEINT" };
  const scale = kind === "decimal" ? /^DECIMAL\(\d+,\s*(\d+)\)$/.exec(sql ?? "")?.[1] : undefined;
  return scale === undefined ? NUMBER : { kind: "decimal", sql: `DECIMAL(38,${scale})` };
}

function extreme(name: "min" | "max"): FunctionSpec {
  return takingOne(`${name}(field)`, (args) => {
    const { sql, type } = args.value(0);
    if (type.kind !== "text") return { sql: `${name}(${sql})`, type };
    const over = (window: string) => extremeText(name, args.nodeAt(0), sql, window);
    return { sql: over(""), type, over };
  });
}

function count(args: Arguments): Fragment {
  const isStar = args.nodeAt(0).kind === "star";
  return { sql: isStar ? "count(*)" : `count(${args.value(0).sql})`, type: BIGINT };
}

/** 95 is the 95th percentile, and so is 0.95. */
function percentile(args: Arguments): Fragment {
  const wanted = args.constantNumber(1, "the percentile");
  const share = wanted > 0 && wanted < 1 ? wanted : wanted / 100;
  if (!(share >= 0 && share <= 1)) {
    throw complain(args.scope, args.nodeAt(1).span, {
      message: "a percentile lies between 0 and 100.",
      hint: "Write percentile(field, 95).",
    });
  }
  return { sql: `quantile_cont(${args.number(0)}, ${Number(share.toFixed(12))})`, type: NUMBER };
}

/** All values of a group as a list. */
function array(args: Arguments): Fragment {
  const { sql, type } = args.value(0);
  const distinct = args.flag(1) ? "DISTINCT " : "";
  const filter = args.flag(2) ? ` FILTER (WHERE ${sql} IS NOT NULL)` : "";
  const list: ValueType = { kind: "list", element: type };
  return {
    sql: `list(${distinct}${sql})${filter}`,
    type: type.sql === undefined ? list : { ...list, sql: `${type.sql}[]` },
  };
}

export const AGGREGATES: Readonly<Record<string, FunctionSpec>> = {
  count: takingOne("count(field) or count(*)", count),
  distinct: takingOne("distinct(field)", (args) => ({
    sql: `count(DISTINCT ${args.value(0).sql})`,
    type: BIGINT,
  })),
  sum: takingOne("sum(number)", (args) => {
    const number = args.numberValue(0);
    return { sql: `sum(${number.sql})`, type: sumType(number.type) };
  }),
  avg: ofNumber("avg", "avg", DOUBLE),
  min: extreme("min"),
  max: extreme("max"),
  sd: ofNumber("sd", "stddev_samp", DOUBLE),
  median: ofNumber("median", "median", NUMBER),
  percentile: taking([2, 2], "percentile(number, percent)", percentile),
  array: taking([1, 3], "array(field[, unique[, without nulls]])", array),
};
