import { asNumber } from "../coerce.ts";
import { DOUBLE, isNumber, NUMBER } from "../value-type.ts";
import { type Arguments, type Fragment, type FunctionSpec, taking, takingOne } from "./function-spec.ts";

function ofNumber(name: string, type = DOUBLE): FunctionSpec {
  return takingOne(`${name}(number)`, (args) => ({ sql: `${name}(${args.number(0)})`, type }));
}

/** Where DuckDB would refuse the whole query, the value is null. */
function ofNumberWhere(name: string, isDefined: (number: string) => string): FunctionSpec {
  return takingOne(`${name}(number)`, (args) => {
    const number = args.number(0);
    return { sql: `CASE WHEN ${isDefined(number)} THEN ${name}(${number}) END`, type: DOUBLE };
  });
}

/** DuckDB rounds decimals to a number of digits that it knows beforehand. */
function digitsAt(args: Arguments, index: number): number {
  const digits = args.constantNumber(index, "the digits");
  return Math.max(-38, Math.min(38, Math.trunc(digits)));
}

function round(args: Arguments): Fragment {
  const digits = args.count > 1 ? `, ${digitsAt(args, 1)}` : "";
  // Rounding a bare number to digits is only known for decimals and floats.
  const { type } = args.value(0);
  const number = isNumber(type) ? args.number(0) : `CAST(${args.number(0)} AS DOUBLE)`;
  return { sql: `round(${number}${digits})`, type: NUMBER };
}

/** Of a text that is no number, the second argument; without one, the query fails. */
function number(args: Arguments): Fragment {
  const otherwise = args.count > 1 ? args.numberValue(1) : undefined;
  const { sql, type } = asNumber(args.scope, args.nodeAt(0), args.value(0), otherwise);
  return { sql, type };
}

export const NUMBER_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  abs: ofNumber("abs", NUMBER),
  acos: ofNumberWhere("acos", (number) => `${number} BETWEEN -1 AND 1`),
  asin: ofNumberWhere("asin", (number) => `${number} BETWEEN -1 AND 1`),
  atan: ofNumber("atan"),
  cbrt: ofNumber("cbrt"),
  ceil: ofNumber("ceil", NUMBER),
  cos: ofNumber("cos"),
  cosh: ofNumber("cosh"),
  floor: ofNumber("floor", NUMBER),
  number: taking([1, 2], "number(text[, otherwise])", number),
  round: taking([1, 2], "round(number[, digits])", round),
  sin: ofNumber("sin"),
  sqrt: ofNumberWhere("sqrt", (number) => `${number} >= 0`),
  tan: ofNumber("tan"),
};
