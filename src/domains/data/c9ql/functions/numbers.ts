import { asNumber } from "../coerce.ts";
import { DOUBLE, isNumber, NUMBER } from "../value-type.ts";
import type { Arguments, Fragment, FunctionSpec } from "./function-spec.ts";

function ofOneNumber(name: string): FunctionSpec {
  return {
    usage: `${name}(number)`,
    atLeast: 1,
    atMost: 1,
    compile: (args) => ({ sql: `${name}(${args.number(0)})`, type: DOUBLE }),
  };
}

/** Where DuckDB would refuse the whole query, the value is null. */
function ofNumberWhere(name: string, isDefined: (number: string) => string): FunctionSpec {
  return {
    usage: `${name}(number)`,
    atLeast: 1,
    atMost: 1,
    compile: (args) => {
      const number = args.number(0);
      return { sql: `CASE WHEN ${isDefined(number)} THEN ${name}(${number}) END`, type: DOUBLE };
    },
  };
}

function keepingKind(name: string, sqlName = name): FunctionSpec {
  return {
    usage: `${name}(number)`,
    atLeast: 1,
    atMost: 1,
    compile: (args) => ({ sql: `${sqlName}(${args.number(0)})`, type: NUMBER }),
  };
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
  abs: keepingKind("abs"),
  acos: ofNumberWhere("acos", (number) => `${number} BETWEEN -1 AND 1`),
  asin: ofNumberWhere("asin", (number) => `${number} BETWEEN -1 AND 1`),
  atan: ofOneNumber("atan"),
  cbrt: ofOneNumber("cbrt"),
  ceil: keepingKind("ceil"),
  cos: ofOneNumber("cos"),
  cosh: ofOneNumber("cosh"),
  floor: keepingKind("floor"),
  number: { usage: "number(text[, otherwise])", atLeast: 1, atMost: 2, compile: number },
  round: { usage: "round(number[, digits])", atLeast: 1, atMost: 2, compile: round },
  sin: ofOneNumber("sin"),
  sqrt: ofNumberWhere("sqrt", (number) => `${number} >= 0`),
  tan: ofOneNumber("tan"),
};
