import { unify } from "../coerce.ts";
import { BIGINT, TEXT } from "../value-type.ts";
import type { Arguments, Fragment, FunctionSpec } from "./function-spec.ts";

const TEXT_LIST = { kind: "list", sql: "VARCHAR[]", element: TEXT } as const;

function ofOneText(name: string): FunctionSpec {
  return {
    usage: `${name}(text)`,
    atLeast: 1,
    atMost: 1,
    compile: (args) => ({ sql: `${name}(${args.text(0)})`, type: TEXT }),
  };
}

function firstValue(args: Arguments): Fragment {
  const [values, type] = unify(args.scope, args.node.args, args.values);
  return { sql: `coalesce(${values.map(({ sql }) => sql).join(", ")})`, type };
}

function firstOf(name: string): FunctionSpec {
  return { usage: `${name}(value, value, …)`, atLeast: 2, atMost: 100, compile: firstValue };
}

export const TEXT_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  upper: ofOneText("upper"),
  lower: ofOneText("lower"),
  trim: ofOneText("trim"),
  length: {
    usage: "length(text)",
    atLeast: 1,
    atMost: 1,
    compile: (args) => ({ sql: `length(${args.text(0)})`, type: BIGINT }),
  },
  substring: {
    usage: "substring(text, start[, length])",
    atLeast: 2,
    atMost: 3,
    compile: (args) => {
      const length = args.count > 2 ? `, ${args.integer(2)}` : "";
      return { sql: `substring(${args.text(0)}, ${args.integer(1)}${length})`, type: TEXT };
    },
  },
  split: {
    usage: "split(text, separator)",
    atLeast: 2,
    atMost: 2,
    compile: (args) => ({ sql: `string_split(${args.text(0)}, ${args.text(1)})`, type: TEXT_LIST }),
  },
  regex_replace: {
    usage: "regex_replace(text, pattern, replacement)",
    atLeast: 3,
    atMost: 3,
    compile: (args) => ({
      sql: `regexp_replace(${args.text(0)}, ${args.text(1)}, ${args.text(2)}, 'g')`,
      type: TEXT,
    }),
  },
  concat: {
    usage: "concat(value, value, …)",
    atLeast: 1,
    atMost: 100,
    compile: (args) => {
      const parts = args.values.map((_, index) => args.text(index));
      return { sql: `concat(${parts.join(", ")})`, type: TEXT };
    },
  },
  ifnull: firstOf("ifnull"),
  coalesce: firstOf("coalesce"),
};
